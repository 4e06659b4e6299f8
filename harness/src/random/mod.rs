//! Random input for compilers: programs that bind parameters, declarations whose bytes are laid out.
//!
//! A [`proptest`] strategy makes a [`RandomProgram`], declarations of parameters with an entry point that uses some of
//! them; [`RandomProgram::text`] writes it as HLSL that both DXC and Slang read. What the compilers do not have in
//! common is chosen by [`ProgramDialect`]. [`declaration`] does the same for blocks of members, where each compiler's
//! lacks are a type space; [`blocks`] makes blocks of data alone, quickly.

pub mod blocks;
pub mod declaration;
mod dialect;
mod form;
mod program;
pub mod shrink;
mod text;

pub use dialect::ProgramDialect;
pub use form::UseForm;
pub use program::{
    ParameterAnnotation, ParameterStruct, ProgramTree, RandomParameter, RandomParameterKind, RandomProgram,
    nth_program, programs,
};

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Draws what has this number of a seed: the same in every run, shard and thread.
fn runner_of(seed: u64, number: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}
