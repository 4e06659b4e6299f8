//! Shader generators: write the shader module of a probe plan for a laid-out block.
//!
//! Each generator writes the same program ([`crate::probe`] has the interface) in its own language. [`spirv`] writes
//! every offset and stride itself, so its modules prove what devices do with decorations and nothing about languages.
//! [`hlsl`] and [`glsl`] leave them to the compiler, [`glsl`] after saying the declarations again in another language.
//! [`wgsl`] chooses `@size` and wrapper structs so that WGSL's own rules give the offsets, where they can.

pub mod binding;
pub mod glsl;
pub mod hlsl;
pub mod hlsl_program;
mod names;
pub mod reserved;
pub mod spirv;
pub mod wgsl;

use thiserror::Error;

/// The reason why a generator cannot write a module.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProduceError {
    /// The rule set forbids the block.
    #[error("rule set {rules} forbids block `{block}`")]
    Refused {
        /// Rule set.
        rules: String,
        /// Block.
        block: String,
    },
    /// The plan has no entry point, and a module without one is invalid.
    #[error("block `{block}` has nothing to probe")]
    NothingToProbe {
        /// Block.
        block: String,
    },
    /// A leaf of the plan is not in the block.
    #[error("block `{block}` has no leaf `{path}`")]
    NoSuchLeaf {
        /// Block.
        block: String,
        /// Path of the leaf.
        path: String,
    },
    /// A form needs leaves that the plan leaves out.
    #[error("entry `{entry}` stores whole vectors or structs, and the plan leaves out some of their components")]
    PartlyProbed {
        /// Entry point.
        entry: String,
    },
    /// A block with an unsized array, in a space where blocks have a size, or read as a whole.
    #[error("entry `{entry}` cannot hold the unsized array of block `{block}`")]
    Unsized {
        /// Entry point.
        entry: String,
        /// Block.
        block: String,
    },
}
