//! The adapters of this machine as [`DeviceInfo`]: DXGI's on Windows, vkd3d's elsewhere.

#[cfg(windows)]
mod dxgi;
#[cfg(not(windows))]
mod vkd3d;

use std::collections::BTreeSet;

use layoutproof_device::{DeviceInfo, Direct3d, RunnerError, RunnerKind};

use crate::device::Direct3dDevice;
use crate::library::Functions;
use crate::support::{MOST_CONSTANTS, Support};

#[cfg(windows)]
pub(crate) use dxgi::wine_version;
#[cfg(windows)]
use dxgi::{list_adapters, open_adapter};
#[cfg(not(windows))]
use vkd3d::{list_adapters, open_adapter};

/// The adapters of this machine.
#[derive(Debug, Default)]
pub(crate) struct AdapterListing {
    /// The devices that can be opened. Equal ids are not numbered yet.
    pub(crate) devices: Vec<DeviceInfo>,
    /// The reasons why others cannot be opened.
    pub(crate) notes: Vec<String>,
}

/// Facts about an adapter that are known before its device is opened.
#[derive(Debug)]
struct AdapterNames {
    id: String,
    name: String,
    driver: String,
    translator: Option<String>,
    hardware: bool,
}

/// Lists the adapters in the system's order.
pub(crate) fn list(functions: Functions) -> Result<AdapterListing, RunnerError> {
    let mut found = AdapterListing::default();
    for (index, (adapter, names)) in (0..).zip(list_adapters()?) {
        match open_adapter(functions, &adapter) {
            Ok(device) => found.devices.push(describe(&device, names, index)),
            Err(error) => found.notes.push(format!("{} is no device of Direct3D 12: {error}", names.name)),
        }
    }
    // If some adapter supports Direct3D 12, users need no note about those that do not.
    if !found.devices.is_empty() {
        found.notes.clear();
    }
    Ok(found)
}

/// Opens the device of `info`, and no other: on a GPU, making a device takes longer than many jobs.
pub(crate) fn open(functions: Functions, info: &DeviceInfo) -> Result<Direct3dDevice, RunnerError> {
    let adapters = (0..).zip(list_adapters()?);
    let mut same = adapters.filter(|(index, (_, names))| info.is_listed_as(*index, &names.name, &names.driver));
    let (_, (adapter, _)) = same.next().ok_or_else(|| info.no_longer_listed("adapters"))?;
    open_adapter(functions, &adapter)
}

fn describe(device: &Direct3dDevice, names: AdapterNames, index: u32) -> DeviceInfo {
    let Support { level, shader_model, binding_tier, features } = Support::of(device);
    let AdapterNames { id, name, driver, translator, hardware } = names;

    DeviceInfo {
        id,
        name,
        driver,
        api: format!("Direct3D 12, feature level {level}, shader model {shader_model}"),
        runner: RunnerKind::D3d12,
        index,
        hardware,
        features,
        lacks: BTreeSet::new(),
        max_uniform_range: MOST_CONSTANTS,
        max_push_constants: 0,
        direct3d: Some(Direct3d { translator, shader_model, binding_tier }),
        webgpu: None,
    }
}
