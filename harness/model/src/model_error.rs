//! Why a module cannot be executed.

use layoutproof_device::RunnerError;
use layoutproof_device::Stage;
use layoutproof_readers::spirv::BadModule;
use layoutproof_readers::spirv::types::BadType;
use rspirv::spirv::Word;
use thiserror::Error;

use super::machine::{BUDGET, MAX_CALLS, MAX_SCALARS};

/// Why a module cannot be executed. Ids are those of the module.
#[derive(Clone, Debug, PartialEq, Error)]
pub(super) enum ModelError {
    /// Code that is not valid SPIR-V, or that no probe needs.
    #[error("{0}")]
    Malformed(&'static str),
    #[error("{0} is needed where none is")]
    Needed(&'static str),
    #[error("{what}{name} is not modelled")]
    NotModelled { what: &'static str, name: String },
    #[error("%{id} {problem}")]
    Id { id: Word, problem: &'static str },
    #[error("no part {0} in a composite")]
    NoPart(u32),
    #[error("no {part} {index} in %{ty}")]
    NoPartOf { part: &'static str, index: u32, ty: Word },
    #[error("member {index} of %{ty} has no Offset")]
    NoOffset { index: u32, ty: Word },
    #[error("a shuffle of component {0}")]
    Component(u32),
    #[error("a bitcast from {bits} bits to type %{to}")]
    Bitcast { bits: usize, to: Word },
    #[error("a value that does not fit type %{0}")]
    Misfit(Word),
    #[error("a value of type %{0}, which has more than {MAX_SCALARS} scalars")]
    TooLarge(Word),
    #[error("not done after {BUDGET} steps")]
    TooLong,
    #[error("calls nested more than {MAX_CALLS} deep")]
    TooDeep,
    #[error("no block %{0}")]
    NoBlock(Word),
    #[error("a phi without a value from block %{0}")]
    NoValue(Word),
    #[error("no {} entry point `{name}`", .stage.as_str())]
    NoEntry { stage: Stage, name: String },
    #[error("nothing at set {set} binding {binding}{}", of_array(*.element))]
    Unbound { set: u32, binding: u32, element: u32 },
    #[error("no shader record {0}")]
    NoRecord(usize),
    #[error("nothing at address {0:#x}")]
    Address(u64),
    #[error("a store to the read-only buffer at binding {0}")]
    ReadOnly(u32),
    #[error(transparent)]
    Module(#[from] BadModule),
    #[error(transparent)]
    Type(#[from] BadType),
}

impl ModelError {
    pub(super) fn not_modelled(what: &'static str, name: &impl ToString) -> Self {
        Self::NotModelled { what, name: name.to_string() }
    }
}

impl From<&'static str> for ModelError {
    fn from(what: &'static str) -> Self {
        Self::Malformed(what)
    }
}

impl From<ModelError> for RunnerError {
    fn from(error: ModelError) -> Self {
        Self::ShaderRefused(error.to_string())
    }
}

fn of_array(element: u32) -> String {
    if element == 0 { String::new() } else { format!(" element {element}") }
}
