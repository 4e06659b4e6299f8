//! Names of devices, in the same form for every runner, and the list of devices that a runner
//! returns.
//!
//! Each runner finds its devices itself. This module turns the driver's name of a device into a
//! short id, for trial names and filters.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{DeviceInfo, RunnerError};

/// The devices that a runner found, and notes on those that it did not find.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enumeration {
    pub devices: Vec<DeviceInfo>,
    /// Sentences about missing or broken parts: no loader, a driver that fails to load, a device
    /// that is too old.
    pub notes: Vec<String>,
}

impl Enumeration {
    /// Numbers devices with equal ids in the order of their buses: the second gets `-2`, the third
    /// `-3`. The text of a bus is its PCI address, or empty if the API does not report it. The order in
    /// which an API lists several GPUs of one name may change, their buses do not.
    pub fn on_buses(devices: Vec<(DeviceInfo, String)>, notes: Vec<String>) -> Self {
        let mut by_bus: Vec<_> = devices.into_iter().enumerate().collect();
        by_bus.sort_by(|(_, (_, one)), (_, (_, other))| one.cmp(other));
        let (places, mut numbered): (Vec<usize>, Vec<DeviceInfo>) =
            by_bus.into_iter().map(|(place, (device, _))| (place, device)).unzip();
        number_equal_ids(&mut numbered);

        let mut listed: Vec<(usize, DeviceInfo)> = places.into_iter().zip(numbered).collect();
        listed.sort_by_key(|(place, _)| *place);
        Self { devices: listed.into_iter().map(|(_, device)| device).collect(), notes }
    }

    /// Numbers devices with equal ids in their order: the second gets `-2`, the third `-3`.
    pub fn new(mut devices: Vec<DeviceInfo>, notes: Vec<String>) -> Self {
        number_equal_ids(&mut devices);
        Self { devices, notes }
    }
}

/// The id of the lavapipe that `layoutproof setup` fetches from a newer Debian. It runs in workers of
/// its own, so that it is there next to the distribution's.
pub const CURRENT_LAVAPIPE: &str = "lavapipe-current";

/// The name of the browser that the user opens. Ids of its devices have the browser and the adapter after it.
pub const VISITOR: &str = "browser";

/// The API below a device, as far as it affects ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeApi {
    /// Vulkan: no suffix.
    Vulkan,
    /// OpenGL and OpenGL ES: `-gl`.
    OpenGl,
    /// Direct3D 12: `-d3d12`, except for WARP, which has no other API.
    Direct3d12,
    /// Direct3D 12 that vkd3d translates to Vulkan: `vkd3d` for llvmpipe, otherwise `vkd3d-` before
    /// the name.
    Vkd3d,
    /// Metal: `-metal`.
    Metal,
}

/// The id of a device that the driver calls `name`: `lavapipe`, `swiftshader`, `llvmpipe-gl` or
/// `warp`; for other devices a slug of the name with the API's suffix.
pub fn device_id(name: &str, api: NativeApi) -> String {
    let lower = name.to_lowercase();
    let (known, suffix) = match api {
        NativeApi::Vulkan => (is_llvmpipe(name).then_some("lavapipe"), ""),
        NativeApi::OpenGl => return format!("{}-gl", opengl_id(&lower)),
        NativeApi::Direct3d12 if lower == "microsoft basic render driver" => (Some("warp"), ""),
        NativeApi::Direct3d12 => (None, "-d3d12"),
        NativeApi::Vkd3d if is_llvmpipe(name) => (Some("vkd3d"), ""),
        NativeApi::Vkd3d => return format!("vkd3d-{}", slug(&lower)),
        NativeApi::Metal => (None, "-metal"),
    };
    let known = known.or(lower.starts_with("swiftshader").then_some("swiftshader"));
    format!("{}{suffix}", known.map_or_else(|| slug(&lower), str::to_owned))
}

/// The id of a device of WebGPU in `program`: `dawn`, `chromium`, `firefox` or `browser-safari` for software, otherwise with
/// the adapter's name after it. The same adapter is another device in each of them, because each has its own compiler.
pub fn webgpu_id(program: &str, name: &str, is_software: bool) -> String {
    let name = if is_software { "" } else { name };
    slug(&format!("{program} {name}").to_lowercase())
}

/// The id of a device that OpenGL calls `lower`, without the API. NVIDIA's driver adds the bus and
/// the processor's instructions to the GPU's name (`NVIDIA H200/PCIe/SSE2`).
fn opengl_id(lower: &str) -> String {
    let name = lower.split("/pcie").next().unwrap_or(lower);
    if is_llvmpipe(name) { "llvmpipe".to_owned() } else { slug(name) }
}

/// The prefix of vkd3d's device names. The name of the Vulkan device follows it.
pub const VKD3D_ON: &str = "vkd3d on ";

/// True if this is the name of Mesa's llvmpipe, of lavapipe (llvmpipe under Vulkan), or of vkd3d on
/// top of it.
pub fn is_llvmpipe(name: &str) -> bool {
    name.strip_prefix(VKD3D_ON).unwrap_or(name).to_lowercase().starts_with("llvmpipe")
}

impl DeviceInfo {
    /// True if a user who asks for the device `id` means this one.
    pub fn is_named(&self, id: &str) -> bool {
        self.id == id || id == VISITOR && self.id.starts_with(VISITOR)
    }

    /// True if `listed` is this device in a listing of another process.
    pub fn is_same(&self, listed: &DeviceInfo) -> bool {
        self.is_listed_as(listed.index, &listed.name, &listed.driver)
    }

    /// True if a listing of another process has this device at this place with this name and driver.
    pub fn is_listed_as(&self, index: u32, name: &str, driver: &str) -> bool {
        index == self.index && same_name(name, &self.name) && driver == self.driver
    }

    /// The error for a device that `call` no longer lists.
    pub fn no_longer_listed(&self, call: &str) -> RunnerError {
        let reason = format!("device {} ({}, {}) is no longer listed", self.index, self.name, self.driver);
        RunnerError::Api { call: call.to_owned(), reason }
    }
}

/// True if two names belong to the same device. The name of llvmpipe contains its vector width,
/// which a process's settings change.
fn same_name(one: &str, other: &str) -> bool {
    let is_of_vkd3d = |name: &str| name.starts_with(VKD3D_ON);
    one == other || (is_llvmpipe(one) && is_llvmpipe(other) && is_of_vkd3d(one) == is_of_vkd3d(other))
}

/// Keeps the letters and digits of `lower` and turns each run of other characters into one hyphen;
/// returns `device` if nothing remains.
fn slug(lower: &str) -> String {
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "device".to_owned() } else { words.join("-") }
}

fn number_equal_ids(devices: &mut [DeviceInfo]) {
    let mut taken = BTreeSet::new();
    for device in devices {
        let mut id = device.id.clone();
        let mut count = 1;
        while !taken.insert(id.clone()) {
            count += 1;
            id = format!("{}-{count}", device.id);
        }
        device.id = id;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunnerKind;

    #[test]
    fn names_become_ids() {
        // Mesa 22.3.6 and SwiftShader 5.0 report the first three names.
        for (name, api, id) in [
            ("llvmpipe (LLVM 15.0.6, 256 bits)", NativeApi::Vulkan, "lavapipe"),
            ("llvmpipe (LLVM 15.0.6, 256 bits)", NativeApi::OpenGl, "llvmpipe-gl"),
            ("SwiftShader Device (Subzero)", NativeApi::Vulkan, "swiftshader"),
            ("Microsoft Basic Render Driver", NativeApi::Direct3d12, "warp"),
            ("NVIDIA H200", NativeApi::Vulkan, "nvidia-h200"),
            ("NVIDIA H200/PCIe/SSE2", NativeApi::OpenGl, "nvidia-h200-gl"),
            ("AMD Radeon RX 6800 (navi21, LLVM 15.0.6)", NativeApi::OpenGl, "amd-radeon-rx-6800-navi21-llvm-15-0-6-gl"),
            ("NVIDIA H200", NativeApi::Direct3d12, "nvidia-h200-d3d12"),
            ("AMD Radeon RX 6800 (RADV NAVI21)", NativeApi::Vulkan, "amd-radeon-rx-6800-radv-navi21"),
            ("Apple M1", NativeApi::Metal, "apple-m1-metal"),
            ("llvmpipe (LLVM 15.0.6, 256 bits)", NativeApi::Vkd3d, "vkd3d"),
            ("NVIDIA H200", NativeApi::Vkd3d, "vkd3d-nvidia-h200"),
            ("??", NativeApi::Vulkan, "device"),
        ] {
            assert_eq!(device_id(name, api), id, "{name} on {api:?}");
        }
    }

    /// The names in Mesa 22.3.6 on a machine with AVX2, with `LP_NATIVE_VECTOR_WIDTH` unset and set
    /// to 128.
    #[test]
    fn vector_widths_make_no_other_device() {
        assert!(same_name("llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe (LLVM 15.0.6, 128 bits)"));
        assert!(!same_name("llvmpipe (LLVM 15.0.6, 256 bits)", "SwiftShader Device (Subzero)"));
        assert!(!same_name("Radeon 780M", "Radeon 780"));
        let [wide, narrow] = ["256", "128"].map(|bits| format!("vkd3d on llvmpipe (LLVM 15.0.6, {bits} bits)"));
        assert!(same_name(&wide, &narrow) && is_llvmpipe(&narrow));
        assert!(!same_name(&wide, "llvmpipe (LLVM 15.0.6, 256 bits)"));
    }

    #[test]
    fn equal_ids_are_numbered_and_stay_distinct() {
        let mut devices: Vec<DeviceInfo> = ["a", "a", "b", "a-2", "a"].map(device).into();
        number_equal_ids(&mut devices);
        let ids: Vec<&str> = devices.iter().map(|device| device.id.as_str()).collect();
        assert_eq!(ids, ["a", "a-2", "b", "a-2-2", "a-3"]);
    }

    /// Two GPUs of one name keep their ids when an API lists them in the other order.
    #[test]
    fn ids_follow_the_buses() {
        let on = |id: &str, bus: &str| (device(id), bus.to_owned());
        let ids = |devices| {
            let listed = Enumeration::on_buses(devices, Vec::new()).devices;
            listed.into_iter().map(|device| device.id).collect::<Vec<_>>()
        };
        let (first, second) = (on("a", "0000:01:00.0"), on("a", "0000:81:00.0"));
        assert_eq!(ids(vec![first.clone(), on("b", ""), second.clone()]), ["a", "b", "a-2"]);
        assert_eq!(ids(vec![second, on("b", ""), first]), ["a-2", "b", "a"]);
    }

    fn device(id: &str) -> DeviceInfo {
        DeviceInfo {
            id: id.to_owned(),
            name: String::new(),
            driver: String::new(),
            api: String::new(),
            runner: RunnerKind::Ash,
            index: 0,
            hardware: false,
            features: BTreeSet::new(),
            lacks: BTreeSet::new(),
            max_uniform_range: 0,
            max_push_constants: 0,
            direct3d: None,
            webgpu: None,
        }
    }
}
