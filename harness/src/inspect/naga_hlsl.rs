//! Compiles WGSL to HLSL with naga, as wgpu does for Direct3D 12.
//!
//! The registers are the numbers of groups and bindings: `@group(2) @binding(3)` is register 3 of space 2. Immediates are
//! root constants, for which naga declares a constant buffer.
//!
//! Source: naga 30, `back::hlsl`; wgpu-hal 30, `dx12/device.rs`.

use naga::ShaderStage;
use naga::back::hlsl;

use crate::inspect::naga_offsets::{NagaError, chain, load};

/// The oldest shader model with types of 16 bits; naga writes the same for newer ones.
const SHADER_MODEL: hlsl::ShaderModel = hlsl::ShaderModel::V6_2;

/// The register of the constant buffer that holds immediates, `b0` of space 0.
const IMMEDIATES: hlsl::BindTarget = hlsl::BindTarget {
    space: 0,
    register: 0,
    binding_array_size: None,
    dynamic_storage_buffer_offsets_index: None,
    restrict_indexing: false,
};

/// The HLSL of one entry point of WGSL. Callers ask a [`ModuleReader`](crate::inspect::module_reader::ModuleReader), which
/// can run this in a process of its own.
///
/// # Errors
/// If naga cannot read, validate or write the module.
pub(crate) fn hlsl_of_wgsl(text: &str, entry: &str) -> Result<String, NagaError> {
    let (module, info) = load(text)?;
    let options = hlsl::Options {
        shader_model: SHADER_MODEL,
        immediates_target: Some(IMMEDIATES),
        restrict_indexing: false,
        ..hlsl::Options::default()
    };
    let pipeline = hlsl::PipelineOptions { entry_point: Some((ShaderStage::Compute, entry.to_owned())) };

    let mut written = String::new();
    let reflection = hlsl::Writer::new(&mut written, &options, &pipeline)
        .write(&module, &info, None)
        .map_err(|error| NagaError::NoHlsl(chain(&error)))?;
    match reflection.entry_point_names.first() {
        Some(Ok(name)) if name == entry => Ok(written),
        Some(Ok(name)) => Err(NagaError::NoHlsl(format!("it calls the entry point `{name}`"))),
        Some(Err(error)) => Err(NagaError::NoHlsl(error.to_string())),
        None => Err(NagaError::NoHlsl("it writes no entry point".to_owned())),
    }
}
