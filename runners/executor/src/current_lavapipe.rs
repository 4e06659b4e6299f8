//! A lavapipe that is newer than the distribution's, as a device of its own.
//!
//! `ci/setup.sh` unpacks it with all libraries that it needs into the tools folder. A worker loads
//! either the system's drivers or this one, because the libraries of this one would also take the
//! place of those that the system's drivers were built for.

use std::path::Path;
use std::process::Command;

use layoutproof_compilers::private_root::PrivateRoot;
use layoutproof_compilers::tools_folder::Untrusted;
use layoutproof_device::DeviceInfo;
use layoutproof_device::devices::{CURRENT_LAVAPIPE, Enumeration, is_llvmpipe};

use crate::drivers;
use crate::tools::MachineTools;

/// The driver's manifest, relative to the private root.
const MANIFEST: &str = "lvp_icd.json";

/// A lavapipe in the tools folder.
#[derive(Clone, Debug)]
pub struct CurrentLavapipe {
    root: PrivateRoot,
}

impl CurrentLavapipe {
    /// Finds it; `None` if it was not fetched, or if the user chooses drivers.
    ///
    /// # Errors
    /// Other users can change it, so it is not loaded.
    pub fn find(tools: &MachineTools) -> Result<Option<Self>, Untrusted> {
        let Some(folder) = tools.folder().filter(|_| drivers::chosen().is_none()) else { return Ok(None) };
        let root = PrivateRoot::find(folder, PrivateRoot::LAVAPIPE)?;
        Ok(root.map(|root| Self { root }))
    }

    /// A sentence for the user if another user owns it.
    pub fn warning(&self) -> Option<&str> {
        self.root.warning.as_deref()
    }

    /// The command that starts `program` with this driver alone.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = self.root.command(program);
        command.env("VK_DRIVER_FILES", self.root.path(MANIFEST));
        // The system's layers belong to its own Mesa.
        command.env("VK_LOADER_LAYERS_DISABLE", "~implicit~");
        // OpenGL would load the system's Mesa.
        command.env("WGPU_BACKEND", "vulkan");
        command
    }

    /// The devices that such a worker listed, under the id of this driver.
    pub(crate) fn listed(found: Enumeration) -> Enumeration {
        let is_its = |device: &DeviceInfo| is_llvmpipe(&device.name);
        let devices: Vec<DeviceInfo> = found.devices.into_iter().filter(is_its).collect();
        // Without a device, the notes say why. With it, they are about other drivers.
        let notes = if devices.is_empty() { found.notes } else { Vec::new() };
        let devices = devices.into_iter().map(|device| DeviceInfo { id: CURRENT_LAVAPIPE.to_owned(), ..device });
        Enumeration { devices: devices.collect(), notes }
    }
}
