//! The pure core of layoutproof: declarations in, layouts, probes and verdicts out.
//!
//! Data flows one way, one module per arrow: [`declare`] reads declarations into a [`module::Module`], [`layout`]
//! places its blocks under a rule set, [`image`] makes the bytes that a host would upload, [`generate`] makes shaders,
//! a [`runner`] executes them, [`probe`] says what was observed, [`verdict`] compares the witnesses, [`record`] keeps
//! the result and [`report`] prints it. Nothing here touches a GPU, a file, the environment or the terminal
//! ([`planted`] reads a variable in builds for `ci/faults`).
#![forbid(unsafe_code)]

pub mod bind;
pub mod case;
pub mod check;
pub mod clang_ir;
pub mod coverage;
pub mod declare;
pub mod descriptors;
pub mod devices;
pub mod diagnostics;
pub mod dxil;
pub mod export;
pub mod floors;
pub mod frozen;
pub mod generate;
pub mod glsl_text;
pub mod image;
pub mod known;
pub mod layout;
pub mod limits;
mod llvm;
pub mod model;
pub mod module;
pub mod module_reader;
pub mod mutants;
pub mod naga_glsl;
pub mod naga_offsets;
pub mod placement;
pub mod plain_text;
pub mod planted;
pub mod probe;
pub mod random;
pub mod read_fxc;
pub mod read_naga;
pub mod read_reflection;
pub mod read_spirv;
pub mod record;
pub mod reflect;
pub mod report;
pub mod reported;
pub mod resource;
pub mod runner;
pub mod scalar;
pub mod shape;
pub mod sources;
pub mod stable_hash;
pub mod text_limits;
pub mod toml_table;
pub mod toolchain;
pub mod verdict;
pub mod version;
