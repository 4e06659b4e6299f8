//! Shader generators: write the shader module of a probe plan for a laid-out block.
//!
//! Each generator writes the same program in its own language; [`layoutproof_probes`] describes the
//! interface. [`spirv`] writes every offset and stride itself, so its modules prove how devices
//! treat decorations and say nothing about languages. [`hlsl`] and [`glsl`] leave them to the
//! compiler; [`glsl`] first translates the declarations. [`wgsl`] chooses `@size` and wrapper
//! structs so that WGSL's own rules give the offsets, where possible.
#![forbid(unsafe_code)]

pub mod binding;
pub mod glsl;
pub mod hlsl;
pub mod hlsl_program;
mod names;
pub mod spirv;
pub mod wgsl;

use thiserror::Error;

/// Why a generator cannot write a module.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProduceError {
    /// The rule set forbids the block.
    #[error("rule set {rules} forbids block `{block}`")]
    Refused { rules: String, block: String },
    /// The plan has no entry point, and a module without one is invalid.
    #[error("block `{block}` has nothing to probe")]
    NothingToProbe { block: String },
    /// A leaf of the plan is not in the block.
    #[error("block `{block}` has no leaf `{path}`")]
    NoSuchLeaf { block: String, path: String },
    /// A form needs leaves that the plan leaves out.
    #[error("entry `{entry}` stores whole vectors or structs, and the plan leaves out some of their components")]
    PartlyProbed { entry: String },
    /// A block with an unsized array is in a space where blocks have a size, or is read as a whole.
    #[error("entry `{entry}` cannot hold the unsized array of block `{block}`")]
    Unsized { entry: String, block: String },
}
