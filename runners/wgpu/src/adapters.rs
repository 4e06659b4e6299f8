//! Lists wgpu's adapters as [`DeviceInfo`], and finds one of them again.
//!
//! This obeys the variables that wgpu documents (`WGPU_BACKEND`, `WGPU_ADAPTER_NAME`,
//! `WGPU_DX12_COMPILER` and similar ones, `WGPU_VALIDATION`, ...): wgpu itself reads them only on
//! request.

use std::collections::BTreeSet;

use layoutproof_device::devices::{NativeApi, device_id};
use layoutproof_device::limits::Limits;
use layoutproof_device::{BasicFeature, DeviceInfo, Feature, RunnerError, RunnerKind};
use wgpu::{
    Adapter, AdapterInfo, Backend, BackendOptions, Backends, DeviceType, DownlevelFlags, Features, Instance,
    InstanceDescriptor, InstanceFlags,
};

/// The APIs to search, as far as the platform supports them, with their common names. OpenGL comes
/// last, so that opening a device of another API does not load its libraries, too.
const APIS: [(Backends, &str); 4] = [
    (Backends::VULKAN, "Vulkan"),
    (Backends::DX12, "Direct3D 12"),
    (Backends::METAL, "Metal"),
    (Backends::GL, "OpenGL"),
];

/// The adapters by API, in the order of [`APIS`].
pub(crate) struct Adapters {
    adapters: Vec<Adapter>,
    choice: AdapterChoice,
}

struct AdapterChoice {
    /// `WGPU_BACKEND`; all if it is not set.
    backends: Backends,
    /// `WGPU_ADAPTER_NAME` in lower case: a part of the name.
    name_part: Option<String>,
}

impl AdapterChoice {
    fn from_env() -> Self {
        let name_part = std::env::var("WGPU_ADAPTER_NAME").ok().map(|name| name.to_lowercase());
        Self { backends: Backends::all().with_env(), name_part }
    }

    fn takes(&self, adapter: &Adapter) -> bool {
        let part = self.name_part.as_ref();
        part.is_none_or(|part| adapter.get_info().name.to_lowercase().contains(part.as_str()))
    }
}

impl Adapters {
    /// Lists the adapters of all APIs of the platform.
    pub(crate) fn list() -> Self {
        Self::list_while(|_| true)
    }

    /// Lists one API after the other, as long as `wants_more` holds for the number of adapters so
    /// far.
    fn list_while(wants_more: impl Fn(usize) -> bool) -> Self {
        let choice = AdapterChoice::from_env();
        let available = Instance::enabled_backend_features() & choice.backends;

        let mut adapters = Vec::new();
        for (api, _) in APIS {
            if available.contains(api) && wants_more(adapters.len()) {
                adapters.extend(list_api(api).into_iter().filter(|adapter| choice.takes(adapter)));
            }
        }
        Self { adapters, choice }
    }

    /// Describes each adapter; equal ids are not numbered yet.
    pub(crate) fn devices(&self) -> Vec<DeviceInfo> {
        (0_u32..).zip(&self.adapters).map(|(index, adapter)| describe(adapter, index)).collect()
    }

    /// The PCI address of each adapter; empty if wgpu does not report one.
    pub(crate) fn buses(&self) -> Vec<String> {
        self.adapters.iter().map(|adapter| adapter.get_info().device_pci_bus_id).collect()
    }

    /// One sentence for each API of this platform without an adapter, with the variables that may
    /// be the reason.
    pub(crate) fn notes(&self) -> Vec<String> {
        let enabled = Instance::enabled_backend_features();
        let has = |api| self.adapters.iter().any(|adapter| Backends::from(adapter.get_info().backend) == api);
        let lacking = APIS.into_iter().filter(|(api, _)| enabled.contains(*api) && !has(*api));

        let note = |(api, name): (Backends, &str)| {
            if !self.choice.backends.contains(api) {
                return format!(
                    "{name} adapters are not listed, because WGPU_BACKEND is set and does not include them"
                );
            }
            match &self.choice.name_part {
                Some(part) => format!("wgpu found no {name} adapter with `{part}` (WGPU_ADAPTER_NAME) in its name"),
                None if api == Backends::GL && lacks_display() => format!(
                    "wgpu found no {name} adapter; no display is set (DISPLAY or WAYLAND_DISPLAY), which some drivers \
                     need"
                ),
                None => format!("wgpu found no {name} adapter"),
            }
        };
        lacking.map(note).collect()
    }

    /// Finds the adapter of `info`.
    pub(crate) fn find(info: &DeviceInfo) -> Result<Adapter, RunnerError> {
        let listed = Self::list_while(|count| count <= info.index as usize);
        let found = listed.devices().into_iter().zip(listed.adapters).find(|(device, _)| info.is_same(device));
        found.map(|(_, adapter)| adapter).ok_or_else(|| info.no_longer_listed("enumerate_adapters"))
    }
}

/// True on a system whose programs reach a display through variables, and none is set.
fn lacks_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(all(unix, not(target_vendor = "apple"))) && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")
}

fn list_api(backends: Backends) -> Vec<Adapter> {
    let descriptor = InstanceDescriptor {
        backends,
        // No validation layers unless the user turns them on, also in debug builds: they would
        // print, and spirv-val validates the probes.
        flags: InstanceFlags::empty().with_env(),
        // `WGPU_DX12_COMPILER` and similar variables.
        backend_options: BackendOptions::from_env_or_default(),
        ..InstanceDescriptor::new_without_display_handle()
    };
    pollster::block_on(Instance::new(descriptor).enumerate_adapters(backends))
}

fn describe(adapter: &Adapter, index: u32) -> DeviceInfo {
    let info = adapter.get_info();
    let limits = limits(&adapter.limits());
    let core = adapter.get_downlevel_capabilities().flags;
    let features = features(adapter.features(), core);
    let pushes = features.contains(&Feature::PushConstants);

    DeviceInfo {
        id: device_id(&info.name, native_api(info.backend)),
        driver: [info.driver.trim(), info.driver_info.trim()].join(" ").trim().to_owned(),
        api: api(&info),
        runner: RunnerKind::Wgpu,
        index,
        hardware: info.device_type != DeviceType::Cpu,
        features,
        lacks: lacks(&info, core, limits),
        max_uniform_range: limits.uniform_range,
        max_push_constants: if pushes { limits.push_constants } else { 0 },
        direct3d: None,
        webgpu: None,
        name: info.name,
    }
}

fn native_api(backend: Backend) -> NativeApi {
    match backend {
        Backend::Gl => NativeApi::OpenGl,
        Backend::Dx12 => NativeApi::Direct3d12,
        Backend::Metal => NativeApi::Metal,
        // The last two are never requested.
        Backend::Vulkan | Backend::Noop | Backend::BrowserWebGpu => NativeApi::Vulkan,
    }
}

/// The API, with its version if wgpu reports it.
fn api(info: &AdapterInfo) -> String {
    match native_api(info.backend) {
        NativeApi::Vulkan => "Vulkan".to_owned(),
        NativeApi::Direct3d12 | NativeApi::Vkd3d => "Direct3D 12".to_owned(),
        NativeApi::Metal => "Metal".to_owned(),
        NativeApi::OpenGl => {
            let OpenGlVersion { is_es, text, .. } = opengl_version(info);
            format!("{} {text}", if is_es { "OpenGL ES" } else { "OpenGL" }).trim_end().to_owned()
        }
    }
}

struct OpenGlVersion<'a> {
    is_es: bool,
    /// As the driver writes it; empty if it writes none.
    text: &'a str,
    /// Major and minor number, if they are numbers.
    number: Option<(u32, u32)>,
}

/// Reads the version with which the driver's text starts (`4.5 (Core Profile) Mesa 22.3.6`,
/// `3.3.0 NVIDIA 580.159.04`, `OpenGL ES 3.2 Mesa 22.3.6`).
fn opengl_version(info: &AdapterInfo) -> OpenGlVersion<'_> {
    let es = info.driver_info.strip_prefix("OpenGL ES ");
    let text = es.unwrap_or(&info.driver_info).split_whitespace().next().unwrap_or_default();
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    let number = numbers.next().flatten().zip(numbers.next().flatten());
    OpenGlVersion { is_es: es.is_some(), text, number }
}

/// The basic features that an adapter lacks.
///
/// wgpu trusts an extension such as `GL_ARB_compute_shader`, but naga's GLSL needs the version of
/// the context: compute shaders and storage buffers are in OpenGL 4.3 and OpenGL ES 3.1. wgpu asks
/// for OpenGL 3.3 or later. Mesa returns the latest version that is compatible, and NVIDIA's driver
/// returns 3.3.
fn lacks(info: &AdapterInfo, core: DownlevelFlags, limits: Limits) -> BTreeSet<BasicFeature> {
    let is_old = match (native_api(info.backend), opengl_version(info)) {
        (NativeApi::OpenGl, OpenGlVersion { number: Some(number), is_es: true, .. }) => number < (3, 1),
        (NativeApi::OpenGl, OpenGlVersion { number: Some(number), is_es: false, .. }) => number < (4, 3),
        (_, _) => false,
    };
    let is_lacking = |feature: &BasicFeature| match feature {
        BasicFeature::ComputeShaders => is_old || !core.contains(DownlevelFlags::COMPUTE_SHADERS),
        BasicFeature::StorageBuffers => is_old || limits.storage_buffers == 0,
    };
    BasicFeature::ALL.into_iter().filter(is_lacking).collect()
}

/// Sets of wgpu features, and the probe features that a device has if it supports the whole set.
const TABLE: [(Features, &[Feature]); 8] = [
    (Features::IMMEDIATES, &[Feature::PushConstants]),
    // With either of these two, wgpu enables 16-bit access to uniform and storage buffers, but not
    // to immediates.
    (Features::SHADER_F16, &[Feature::Float16, Feature::StorageBuffer16, Feature::UniformBuffer16]),
    (Features::SHADER_I16, &[Feature::Int16, Feature::StorageBuffer16, Feature::UniformBuffer16]),
    (Features::SHADER_INT64, &[Feature::Int64]),
    (Features::SHADER_F64, &[Feature::Float64]),
    (Features::VERTEX_WRITABLE_STORAGE, &[Feature::VertexStores]),
    (Features::BUFFER_BINDING_ARRAY.union(Features::STORAGE_RESOURCE_BINDING_ARRAY), &[Feature::StorageBufferArray]),
    (Features::BUFFER_BINDING_ARRAY.union(Features::UNIFORM_BUFFER_BINDING_ARRAYS), &[Feature::UniformBufferArray]),
];

/// The probe features that wgpu supports; every adapter can draw. WGSL cannot express scalar or
/// std430 uniform blocks, 8-bit types or buffer addresses.
fn features(offered: Features, core: DownlevelFlags) -> BTreeSet<Feature> {
    let gives = TABLE.iter().filter(|(needs, _)| offered.contains(*needs)).flat_map(|(_, gives)| gives.iter().copied());
    let mut features: BTreeSet<Feature> = gives.collect();
    features.insert(Feature::Graphics);
    if core.contains(DownlevelFlags::FRAGMENT_WRITABLE_STORAGE) {
        features.insert(Feature::FragmentStores);
    }
    features
}

/// The wgpu features to enable: those that [`features`] maps, arrays of textures, and read-write
/// storage textures with 128-bit texels.
pub(crate) fn switchable() -> Features {
    let mapped = TABLE.iter().fold(Features::empty(), |all, (needs, _)| all | *needs);
    mapped | Features::TEXTURE_BINDING_ARRAY | Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES
}

/// Bytes of a draw's single-sample target.
const TARGET_BYTES: u32 = 16;

pub(crate) fn limits(limits: &wgpu::Limits) -> Limits {
    let bytes = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
    Limits {
        uniform_alignment: limits.min_uniform_buffer_offset_alignment,
        storage_alignment: limits.min_storage_buffer_offset_alignment,
        uniform_range: bytes(limits.max_uniform_buffer_binding_size),
        storage_range: bytes(limits.max_storage_buffer_binding_size),
        uniform_buffers: limits.max_uniform_buffers_per_shader_stage,
        storage_buffers: limits.max_storage_buffers_per_shader_stage,
        sampled_images: limits.max_sampled_textures_per_shader_stage,
        storage_images: limits.max_storage_textures_per_shader_stage,
        samplers: limits.max_samplers_per_shader_stage,
        sets: limits.max_bind_groups,
        push_constants: limits.max_immediate_size,
        workgroups: [limits.max_compute_workgroups_per_dimension; 3],
        targets: limits.max_color_attachments.min(limits.max_color_attachment_bytes_per_sample / TARGET_BYTES),
        inline_uniform: 0,
        record_handle: 0,
        record: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opengl_versions_are_read_from_the_drivers_text() {
        // The first text is from Mesa 22.3.6; the others follow "OpenGL ES 3.2, 20.2 String
        // Queries".
        for (text, expected) in [
            ("4.5 (Core Profile) Mesa 22.3.6", "OpenGL 4.5"),
            ("OpenGL ES 3.2 Mesa 22.3.6", "OpenGL ES 3.2"),
            ("", "OpenGL"),
        ] {
            let info = AdapterInfo { driver_info: text.to_owned(), ..AdapterInfo::new(DeviceType::Cpu, Backend::Gl) };
            assert_eq!(api(&info), expected);
        }
    }

    /// Source: the versions of OpenGL and OpenGL ES that have the two features.
    #[test]
    fn a_context_without_compute_shaders_is_known_by_its_version() {
        let both = BTreeSet::from(BasicFeature::ALL);
        let with_buffers = |storage_buffers| {
            limits(&wgpu::Limits { max_storage_buffers_per_shader_stage: storage_buffers, ..wgpu::Limits::default() })
        };
        for (backend, text, flags, buffers, expected) in [
            (Backend::Gl, "3.3.0 NVIDIA 580.159.04", DownlevelFlags::all(), 16, both.clone()),
            (Backend::Gl, "4.2 (Core Profile) Mesa 22.3.6", DownlevelFlags::all(), 16, both.clone()),
            (Backend::Gl, "4.3 (Core Profile) Mesa 22.3.6", DownlevelFlags::all(), 16, BTreeSet::new()),
            (Backend::Gl, "OpenGL ES 3.0 Mesa 22.3.6", DownlevelFlags::all(), 16, both.clone()),
            (Backend::Gl, "OpenGL ES 3.1 Mesa 22.3.6", DownlevelFlags::all(), 16, BTreeSet::new()),
            (Backend::Gl, "", DownlevelFlags::all(), 0, BTreeSet::from([BasicFeature::StorageBuffers])),
            (Backend::Gl, "", DownlevelFlags::empty(), 16, BTreeSet::from([BasicFeature::ComputeShaders])),
            (Backend::Vulkan, "", DownlevelFlags::all(), 16, BTreeSet::new()),
        ] {
            let info = AdapterInfo { driver_info: text.to_owned(), ..AdapterInfo::new(DeviceType::Cpu, backend) };
            assert_eq!(lacks(&info, flags, with_buffers(buffers)), expected, "{backend:?} {text}");
        }
    }

    #[test]
    fn sixteen_bit_types_bring_their_buffers_but_not_push_constants() {
        let features = |offered| features(offered, DownlevelFlags::empty());
        assert_eq!(features(Features::empty()), BTreeSet::from([Feature::Graphics]));
        let halves = features(Features::SHADER_F16);
        let expected = [Feature::Float16, Feature::StorageBuffer16, Feature::UniformBuffer16, Feature::Graphics];
        assert_eq!(halves, BTreeSet::from(expected));
        let shorts = features(Features::SHADER_I16 | Features::IMMEDIATES);
        assert!(shorts.contains(&Feature::Int16) && shorts.contains(&Feature::UniformBuffer16));
        assert!(shorts.contains(&Feature::PushConstants) && !shorts.contains(&Feature::PushConstant16));
    }

    #[test]
    fn arrays_of_buffers_need_two_features() {
        let features = |offered| features(offered, DownlevelFlags::FRAGMENT_WRITABLE_STORAGE);
        let buffers = Features::BUFFER_BINDING_ARRAY;
        assert_eq!(features(buffers), BTreeSet::from([Feature::Graphics, Feature::FragmentStores]));
        assert!(features(buffers | Features::STORAGE_RESOURCE_BINDING_ARRAY).contains(&Feature::StorageBufferArray));
        assert!(features(buffers | Features::UNIFORM_BUFFER_BINDING_ARRAYS).contains(&Feature::UniformBufferArray));
    }
}
