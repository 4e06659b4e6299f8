//! The descriptor set and binding of every variable of a module that has them.

use super::BadModule;
use super::declarations::Declarations;
use super::declared::in_order;
use super::types::SpirvTypes;

/// A variable with a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundVariable {
    /// Its `OpName`; empty if it has none.
    pub name: String,
    pub set: u32,
    pub binding: u32,
}

/// The variables that have both a `DescriptorSet` and a `Binding`, in declaration order.
///
/// # Errors
/// If the words are not a SPIR-V module.
pub fn bound_variables(words: &[u32]) -> Result<Vec<BoundVariable>, BadModule> {
    let module = Declarations::read(words)?.module;
    let types = SpirvTypes::read(&module).map_err(|reason| BadModule::new(0, reason))?;
    let bound = in_order(&module, &types).filter_map(|variable| {
        let (set, binding) = variable.set.zip(variable.binding)?;
        Some(BoundVariable { name: variable.name.clone().unwrap_or_default(), set, binding })
    });
    Ok(bound.collect())
}
