//! Describes an opened WebGPU device as a [`DeviceInfo`].

use std::collections::BTreeSet;

use layoutproof_device::devices::{VISITOR, webgpu_id};
use layoutproof_device::limits::Limits;
use layoutproof_device::{DeviceInfo, Feature, RunnerKind, WebGpuFacts};

use crate::message::{Adapter, Opened};

/// Bytes of a draw's texel.
const TEXEL: u32 = 16;

/// Features of WGSL and of adapters, and the probe features that a device has with them.
///
/// Nothing in WebGPU lets the vertex stage write, nor makes arrays of bindings.
const TABLE: [(&str, &[Feature]); 3] = [
    ("immediate_address_space", &[Feature::PushConstants]),
    ("uniform_buffer_standard_layout", &[Feature::UniformBufferStandardLayout]),
    ("shader-f16", &[Feature::Float16, Feature::StorageBuffer16, Feature::UniformBuffer16]),
];

/// Describes an adapter of `program`, the name of the host in ids: `dawn`, or a [`visitor_program`].
pub fn describe(program: &str, index: u32, opened: &Opened, adapter: &Adapter) -> DeviceInfo {
    let limits = limits(opened);
    let features = features(opened, limits);
    let name = name(adapter);
    let driver = [opened.implementation.as_str(), adapter.description.as_str()];
    let driver: Vec<&str> = driver.into_iter().filter(|text| !text.is_empty()).collect();
    DeviceInfo {
        id: webgpu_id(program, &name, adapter.is_software),
        driver: driver.join(", "),
        api: "WebGPU".to_owned(),
        runner: RunnerKind::WebGpu,
        index,
        hardware: !adapter.is_software,
        lacks: BTreeSet::new(),
        max_uniform_range: limits.uniform_range,
        max_push_constants: if features.contains(&Feature::PushConstants) { limits.push_constants } else { 0 },
        features,
        direct3d: None,
        webgpu: Some(facts(opened, adapter)),
        name,
    }
}

/// The name in ids of a browser that the user opens: without its version.
pub fn visitor_program(implementation: &str) -> String {
    let browser = match implementation.rsplit_once(' ') {
        Some((browser, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => browser,
        Some(_) | None => implementation,
    };
    format!("{VISITOR}-{browser}")
}

/// The device, or else vendor and architecture. Browsers tell little.
fn name(adapter: &Adapter) -> String {
    let Adapter { vendor, architecture, device, .. } = adapter;
    let name = if device.is_empty() { format!("{vendor} {architecture}") } else { device.clone() };
    let name = name.trim_matches([' ', '-']);
    if name.is_empty() { "an adapter that the browser does not name".to_owned() } else { name.to_owned() }
}

/// What WebGPU says about the device, in its own words.
fn facts(opened: &Opened, adapter: &Adapter) -> WebGpuFacts {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "limits are counts below 2^53")]
    let limits = adapter.limits.iter().map(|(name, limit)| (name.clone(), *limit as u64));
    WebGpuFacts {
        features: opened.features.clone(),
        language_features: opened.language_features.clone(),
        limits: limits.collect(),
    }
}

fn features(opened: &Opened, limits: Limits) -> BTreeSet<Feature> {
    let has = |name: &str| opened.features.contains(name) || opened.language_features.contains(name);
    let offered = TABLE.iter().filter(|(name, _)| has(name)).flat_map(|(_, features)| features.iter().copied());
    let mut features: BTreeSet<Feature> = offered.chain([Feature::Graphics, Feature::FragmentStores]).collect();
    if limits.push_constants == 0 {
        features.remove(&Feature::PushConstants);
    }
    features
}

/// The limits of the adapter, with which the device was opened. WebGPU gives each of them; one that is missing is 0.
pub fn limits(opened: &Opened) -> Limits {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "larger and smaller ones become the bounds"
    )]
    let limit = |name: &str| {
        let limits = opened.adapter.as_ref().map(|adapter| &adapter.limits);
        limits.and_then(|limits| limits.get(name)).copied().unwrap_or_default() as u32
    };
    Limits {
        uniform_alignment: limit("minUniformBufferOffsetAlignment"),
        storage_alignment: limit("minStorageBufferOffsetAlignment"),
        uniform_range: limit("maxUniformBufferBindingSize"),
        storage_range: limit("maxStorageBufferBindingSize"),
        uniform_buffers: limit("maxUniformBuffersPerShaderStage"),
        storage_buffers: limit("maxStorageBuffersPerShaderStage"),
        sampled_images: limit("maxSampledTexturesPerShaderStage"),
        storage_images: limit("maxStorageTexturesPerShaderStage"),
        samplers: limit("maxSamplersPerShaderStage"),
        sets: limit("maxBindGroups"),
        push_constants: limit("maxImmediateSize"),
        workgroups: [limit("maxComputeWorkgroupsPerDimension"); 3],
        targets: limit("maxColorAttachments").min(limit("maxColorAttachmentBytesPerSample") / TEXEL),
        inline_uniform: 0,
        record_handle: 0,
        record: 0,
    }
}
