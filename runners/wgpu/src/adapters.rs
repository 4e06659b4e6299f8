//! Adapters: what wgpu finds, as [`DeviceInfo`].

use std::collections::BTreeSet;

use layoutproof::devices::{NativeApi, device_id};
use layoutproof::limits::Limits;
use layoutproof::runner::{DeviceInfo, Feature, RunnerError, RunnerKind};
use wgpu::{
    Adapter, AdapterInfo, Backend, Backends, DeviceType, Features, Instance, InstanceDescriptor, InstanceFlags,
};

/// The APIs that are looked at, as far as the platform has them, with the names that people know. OpenGL comes last, so
/// that opening a device of another API does not load its libraries, too.
const APIS: [(Backends, &str); 4] = [
    (Backends::VULKAN, "Vulkan"),
    (Backends::DX12, "Direct3D 12"),
    (Backends::METAL, "Metal"),
    (Backends::GL, "OpenGL"),
];

/// The adapters, API by API in the order of [`APIS`].
pub(crate) struct Adapters {
    adapters: Vec<Adapter>,
}

impl Adapters {
    /// Lists the adapters of all APIs of the platform.
    pub(crate) fn list() -> Self {
        Self::list_while(|_| true)
    }

    /// Lists API after API, as long as `wants_more` holds for the number of adapters so far.
    fn list_while(wants_more: impl Fn(usize) -> bool) -> Self {
        let mut adapters = Vec::new();
        for (api, _) in APIS {
            if Instance::enabled_backend_features().contains(api) && wants_more(adapters.len()) {
                adapters.extend(list_api(api));
            }
        }
        Self { adapters }
    }

    /// What is told of each; equal ids are not yet numbered.
    pub(crate) fn devices(&self) -> Vec<DeviceInfo> {
        (0_u32..).zip(&self.adapters).map(|(index, adapter)| describe(adapter, index)).collect()
    }

    /// One sentence for each API of this platform that has no adapter.
    pub(crate) fn notes(&self) -> Vec<String> {
        let enabled = Instance::enabled_backend_features();
        let has = |api| self.adapters.iter().any(|adapter| Backends::from(adapter.get_info().backend) == api);
        let lacking = APIS.into_iter().filter(|(api, _)| enabled.contains(*api) && !has(*api));
        lacking.map(|(_, name)| format!("wgpu found no {name} adapter")).collect()
    }

    /// The adapter that `info` names.
    pub(crate) fn find(info: &DeviceInfo) -> Result<Adapter, RunnerError> {
        let listed = Self::list_while(|count| count <= info.index as usize);
        let same = |(device, _): &(DeviceInfo, Adapter)| {
            device.index == info.index && device.name == info.name && device.driver == info.driver
        };
        let found = listed.devices().into_iter().zip(listed.adapters).find(same);
        found.map(|(_, adapter)| adapter).ok_or_else(|| RunnerError::Api {
            call: "enumerate_adapters".to_owned(),
            reason: format!("device {} ({}, {}) is no longer listed", info.index, info.name, info.driver),
        })
    }
}

fn list_api(backends: Backends) -> Vec<Adapter> {
    let descriptor = InstanceDescriptor {
        backends,
        // No validation layers, also in debug builds: they would print, and the probes' own validator is spirv-val.
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    };
    pollster::block_on(Instance::new(descriptor).enumerate_adapters(backends))
}

fn describe(adapter: &Adapter, index: u32) -> DeviceInfo {
    let info = adapter.get_info();
    let limits = limits(&adapter.limits());
    let features = features(adapter.features());
    let pushes = features.contains(&Feature::PushConstants);
    DeviceInfo {
        id: device_id(&info.name, native_api(info.backend)),
        driver: [info.driver.trim(), info.driver_info.trim()].join(" ").trim().to_owned(),
        api: api(&info),
        runner: RunnerKind::Wgpu,
        index,
        hardware: info.device_type != DeviceType::Cpu,
        features,
        max_uniform_range: limits.uniform_range,
        max_push_constants: if pushes { limits.push_constants } else { 0 },
        name: info.name,
    }
}

fn native_api(backend: Backend) -> NativeApi {
    match backend {
        Backend::Gl => NativeApi::OpenGl,
        Backend::Dx12 => NativeApi::Direct3d12,
        Backend::Metal => NativeApi::Metal,
        // The last two are not asked for.
        Backend::Vulkan | Backend::Noop | Backend::BrowserWebGpu => NativeApi::Vulkan,
    }
}

/// The API, with its version where wgpu tells it: for OpenGL the driver's text begins with it
/// (`4.5 (Core Profile) Mesa 22.3.6`, `OpenGL ES 3.2 Mesa 22.3.6`).
fn api(info: &AdapterInfo) -> String {
    match native_api(info.backend) {
        NativeApi::Vulkan => "Vulkan".to_owned(),
        NativeApi::Direct3d12 => "Direct3D 12".to_owned(),
        NativeApi::Metal => "Metal".to_owned(),
        NativeApi::OpenGl => {
            let (name, rest) = match info.driver_info.strip_prefix("OpenGL ES ") {
                Some(rest) => ("OpenGL ES", rest),
                None => ("OpenGL", info.driver_info.as_str()),
            };
            let version = rest.split_whitespace().next().unwrap_or_default();
            format!("{name} {version}").trim_end().to_owned()
        }
    }
}

/// The features that probes need, as far as wgpu offers them. There is no way to scalar or std430 uniform blocks, 8-bit
/// types or buffer addresses through WGSL.
fn features(offered: Features) -> BTreeSet<Feature> {
    let table: [(Features, &[Feature]); 5] = [
        (Features::IMMEDIATES, &[Feature::PushConstants]),
        // With either of the two wgpu enables 16-bit access to uniform and storage buffers, but not to immediates.
        (Features::SHADER_F16, &[Feature::Float16, Feature::StorageBuffer16, Feature::UniformBuffer16]),
        (Features::SHADER_I16, &[Feature::Int16, Feature::StorageBuffer16, Feature::UniformBuffer16]),
        (Features::SHADER_INT64, &[Feature::Int64]),
        (Features::SHADER_F64, &[Feature::Float64]),
    ];
    table.iter().filter(|(needs, _)| offered.contains(*needs)).flat_map(|(_, gives)| gives.iter().copied()).collect()
}

/// The wgpu features to switch on: those that [`features`] maps, and none besides.
pub(crate) fn switchable() -> Features {
    Features::IMMEDIATES | Features::SHADER_F16 | Features::SHADER_I16 | Features::SHADER_INT64 | Features::SHADER_F64
}

/// What a device with these limits has room for.
pub(crate) fn limits(limits: &wgpu::Limits) -> Limits {
    let bytes = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
    Limits {
        uniform_alignment: limits.min_uniform_buffer_offset_alignment,
        storage_alignment: limits.min_storage_buffer_offset_alignment,
        uniform_range: bytes(limits.max_uniform_buffer_binding_size),
        storage_range: bytes(limits.max_storage_buffer_binding_size),
        uniform_buffers: limits.max_uniform_buffers_per_shader_stage,
        storage_buffers: limits.max_storage_buffers_per_shader_stage,
        sets: limits.max_bind_groups,
        push_constants: limits.max_immediate_size,
        workgroups: [limits.max_compute_workgroups_per_dimension; 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opengl_versions_are_read_from_the_drivers_text() {
        // The first text is Mesa 22.3.6's; the others follow "OpenGL ES 3.2, 20.2 String Queries".
        for (text, expected) in [
            ("4.5 (Core Profile) Mesa 22.3.6", "OpenGL 4.5"),
            ("OpenGL ES 3.2 Mesa 22.3.6", "OpenGL ES 3.2"),
            ("", "OpenGL"),
        ] {
            let info = AdapterInfo { driver_info: text.to_owned(), ..AdapterInfo::new(DeviceType::Cpu, Backend::Gl) };
            assert_eq!(api(&info), expected);
        }
    }

    #[test]
    fn sixteen_bit_types_bring_their_buffers_but_not_push_constants() {
        assert_eq!(features(Features::empty()), BTreeSet::new());
        let halves = features(Features::SHADER_F16);
        assert_eq!(halves, BTreeSet::from([Feature::Float16, Feature::StorageBuffer16, Feature::UniformBuffer16]));
        let shorts = features(Features::SHADER_I16 | Features::IMMEDIATES);
        assert!(shorts.contains(&Feature::Int16) && shorts.contains(&Feature::UniformBuffer16));
        assert!(shorts.contains(&Feature::PushConstants) && !shorts.contains(&Feature::PushConstant16));
    }
}
