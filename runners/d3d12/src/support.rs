//! Queries a device for its feature level, shader model and features.

use std::collections::BTreeSet;

use layoutproof_device::{Feature, ShaderModel};

use crate::device::Direct3dDevice;
use crate::structures::{
    DescriptorRange, RootParameter, RootParameterType, RootParameterValue, RootSignatureDesc, RootTable, feature,
};

/// `D3D12_REQ_CONSTANT_BUFFER_ELEMENT_COUNT`, in bytes: the largest constant buffer.
pub(crate) const MOST_CONSTANTS: u32 = 1 << 16;

/// Shader models, newest first. A device rejects a query about a model that it does not know.
const MODELS: [(u8, u8); 11] = [(6, 9), (6, 8), (6, 7), (6, 6), (6, 5), (6, 4), (6, 3), (6, 2), (6, 1), (6, 0), (5, 1)];

/// Feature levels, newest first.
const LEVELS: [(u32, &str); 5] =
    [(0xc200, "12_2"), (0xc100, "12_1"), (0xc000, "12_0"), (0xb100, "11_1"), (0xb000, "11_0")];

/// The first level at which every shader stage can write to resources.
const LEVEL_11_1: u32 = 0xb100;

/// The feature level, shader model and features of a device.
#[derive(Clone, Debug)]
pub(crate) struct Support {
    pub(crate) level: &'static str,
    pub(crate) shader_model: ShaderModel,
    pub(crate) binding_tier: u32,
    pub(crate) features: BTreeSet<Feature>,
}

/// `D3D12_FEATURE_DATA_D3D12_OPTIONS`.
#[repr(C)]
#[derive(Default)]
struct FeatureOptions {
    doubles: u32,
    logic_operations: u32,
    minimum_precision: u32,
    tiled_resources: u32,
    binding_tier: u32,
    others: [u32; 10],
}

/// `D3D12_FEATURE_DATA_D3D12_OPTIONS1`.
#[repr(C)]
#[derive(Default)]
struct FeatureOptions1 {
    waves: [u32; 4],
    compute_states: u32,
    int64: u32,
}

/// `D3D12_FEATURE_DATA_D3D12_OPTIONS4`.
#[repr(C)]
#[derive(Default)]
struct FeatureOptions4 {
    others: [u32; 2],
    native_16_bit: u32,
}

/// `D3D12_FEATURE_DATA_FEATURE_LEVELS`.
#[repr(C)]
struct FeatureLevels {
    count: u32,
    requested: *const u32,
    highest: u32,
}

impl Support {
    pub(crate) fn of(device: &Direct3dDevice) -> Self {
        // SAFETY: this is the structure of the options.
        let options = unsafe { device.support(feature::OPTIONS, FeatureOptions::default()) }.unwrap_or_default();
        // SAFETY: as above.
        let options1 = unsafe { device.support(feature::OPTIONS1, FeatureOptions1::default()) }.unwrap_or_default();
        // SAFETY: as above.
        let options4 = unsafe { device.support(feature::OPTIONS4, FeatureOptions4::default()) }.unwrap_or_default();

        let level = level(device);
        let arrays = u32::from(has_arrays(device));
        let has = [
            (Feature::Float64, options.doubles),
            (Feature::Int64, options1.int64),
            (Feature::Int16, options4.native_16_bit),
            (Feature::Float16, options4.native_16_bit),
            // Every tier has enough descriptors for all our arrays.
            (Feature::UniformBufferArray, arrays),
            (Feature::StorageBufferArray, arrays),
            (Feature::Graphics, 1),
            (Feature::FragmentStores, 1),
            // Below level 11_1 only compute and pixel shaders have unordered access.
            (Feature::VertexStores, u32::from(level >= LEVEL_11_1)),
        ];

        Self {
            level: level_name(level),
            shader_model: shader_model(device),
            binding_tier: options.binding_tier,
            features: has.into_iter().filter(|(_, has)| *has != 0).map(|(feature, _)| feature).collect(),
        }
    }
}

/// True if shaders may declare arrays of registers. vkd3d 2.1 supports them only on Vulkan devices
/// with `VK_EXT_descriptor_indexing`, which lavapipe 22.3.6 lacks. Without the extension it refuses
/// unbounded ranges, and finds no array in any range.
fn has_arrays(device: &Direct3dDevice) -> bool {
    let range = DescriptorRange { kind: 0, count: u32::MAX, register: 0, space: 0, offset: 0 };
    let table = RootTable { count: 1, ranges: &raw const range };
    let parameter =
        RootParameter { kind: RootParameterType::Table, value: RootParameterValue { table }, visibility: 0 };
    let desc = RootSignatureDesc {
        parameters: 1,
        first_parameter: &raw const parameter,
        static_samplers: 0,
        first_static_sampler: std::ptr::null(),
        flags: 0,
    };
    device.root_signature(&desc).is_ok()
}

fn level(device: &Direct3dDevice) -> u32 {
    let requested = LEVELS.map(|(level, _)| level);
    let count = u32::try_from(requested.len()).expect("a handful");
    let asked = FeatureLevels { count, requested: requested.as_ptr(), highest: 0 };
    // SAFETY: this is the structure of the levels, and the list lives until the call returns.
    unsafe { device.support(feature::FEATURE_LEVELS, asked) }.map_or(0, |levels| levels.highest)
}

fn level_name(level: u32) -> &'static str {
    LEVELS.iter().find(|(known, _)| *known == level).map_or("11_0", |(_, name)| name)
}

fn shader_model(device: &Direct3dDevice) -> ShaderModel {
    let models = MODELS.iter().find_map(|(major, minor)| {
        let asked = u32::from(major << 4 | minor);
        // SAFETY: `D3D12_FEATURE_DATA_SHADER_MODEL` is one number.
        unsafe { device.support(feature::SHADER_MODEL, asked) }
    });
    // The result is at most the model in the query.
    let model = models.unwrap_or(0x51).to_le_bytes()[0];
    ShaderModel { major: model >> 4, minor: model & 0xf }
}
