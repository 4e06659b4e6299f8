//! Random input for compilers: programs that bind parameters, and declarations to lay out.
//!
//! A [`proptest`] strategy makes a [`RandomProgram`]: declarations of parameters, with an entry
//! point that uses some of them. [`RandomProgram::text`] writes it as HLSL that both DXC and Slang
//! accept, and [`ProgramDialect`] selects between their differences. [`declaration`] does the same
//! for blocks of members, where a type space excludes what a compiler lacks.
#![forbid(unsafe_code)]

pub mod declaration;
mod form;
mod program;
pub mod shrink;
mod text;

pub use form::UseForm;
pub use program::{
    ParameterAnnotation, ParameterStruct, ProgramDialect, ProgramTree, RandomParameter, RandomParameterKind,
    RandomProgram, nth_program, programs,
};

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Makes the generator for this number of a seed. It gives the same values in every run, shard and
/// thread.
fn runner_of(seed: u64, number: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}
