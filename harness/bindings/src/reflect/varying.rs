//! Semantics as reflection splits them: an uppercase name and an index, passed down into structs.
//!
//! Only variables that pass between stages have semantics. A struct's semantic overrides those of
//! its fields, which then count up from its index: by one for each scalar or vector, and not at all
//! for a matrix. Measured with Slang 2026.14.1; Slang user guide, Using the Reflection API, Varying
//! Parameters.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::{Count, Type};

use crate::tree::{TypeLayout, TypeParts, VariableLayout};

/// A semantic: `TEXCOORD5` has the name `TEXCOORD` and the index 5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Semantic {
    /// Name in uppercase, without the digits at its end.
    pub(super) name: String,
    /// The digits at its end; 0 if there are none.
    pub(super) index: u32,
}

impl Semantic {
    fn new(written: &str) -> Self {
        let name = written.trim_end_matches(|c: char| c.is_ascii_digit());
        let index = written[name.len()..].parse().unwrap_or(0);
        Self { name: name.to_ascii_uppercase(), index }
    }
}

/// The way in which a variable passes between stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Varying {
    /// Not at all: a uniform parameter.
    No,
    /// As part of a variable with this semantic, if any.
    Yes(Option<Semantic>),
}

impl Varying {
    /// Returns the way in which `parameter` of an entry point passes. A `uniform` parameter, or one
    /// with resources or bytes, does not pass.
    pub(super) fn of_parameter(parameter: &VariableLayout) -> Self {
        let uniform = parameter.annotations.modifiers.iter().any(|word| word == "uniform");
        let varies = |unit| matches!(unit, LayoutUnit::LocationIn | LayoutUnit::LocationOut);
        if uniform || !parameter.layout.usage.iter().all(|(unit, _)| varies(unit)) { Self::No } else { Self::Yes(None) }
    }

    pub(super) fn semantic(&self, variable: &VariableLayout) -> Option<Semantic> {
        match self {
            Self::No => None,
            Self::Yes(_) if is_stream(variable) => None,
            Self::Yes(Some(outer)) => Some(outer.clone()),
            Self::Yes(None) => variable.annotations.semantic.as_deref().map(Semantic::new),
        }
    }

    /// Returns the way in which the parts of `variable` pass, if `variable` passes in this way.
    pub(super) fn inside(&self, variable: &VariableLayout) -> Self {
        match self {
            Self::No => Self::No,
            Self::Yes(_) if is_stream(variable) => Self::Yes(None),
            Self::Yes(_) => Self::Yes(self.semantic(variable)),
        }
    }

    /// Returns the way in which the variable after a field of `layout` passes.
    pub(super) fn behind(&self, layout: &TypeLayout) -> Self {
        match self {
            Self::No | Self::Yes(None) => self.clone(),
            Self::Yes(Some(semantic)) => {
                let index = semantic.index.saturating_add(indices(layout));
                Self::Yes(Some(Semantic { name: semantic.name.clone(), index }))
            }
        }
    }
}

/// True if `variable` is an output stream, which has no semantic. Its vertices have their own.
fn is_stream(variable: &VariableLayout) -> bool {
    matches!(variable.layout.parts, TypeParts::Stream(_))
}

/// True if `variable` passes between stages in a slot that the application sees, which gives it a stage.
pub(super) fn has_stage(variable: &VariableLayout) -> bool {
    let mut units = variable.offsets.iter().map(|offset| offset.unit);
    units.any(|unit| matches!(unit, LayoutUnit::LocationIn | LayoutUnit::LocationOut))
}

/// Returns the number of semantic indices that a type takes.
fn indices(layout: &TypeLayout) -> u32 {
    match (&layout.parts, &layout.ty) {
        (TypeParts::Fields(fields), _) => fields.iter().map(|field| indices(&field.layout)).sum(),
        (TypeParts::Elements { element, .. }, Type::Array { count: Count::Finite(count), .. }) => {
            count.saturating_mul(indices(element))
        }
        (TypeParts::Elements { element, .. } | TypeParts::Stream(element) | TypeParts::Patch(element), _) => {
            indices(element)
        }
        (TypeParts::None, Type::Matrix { .. }) => 0,
        (TypeParts::None | TypeParts::Contained { .. } | TypeParts::Memory(_), _) => 1,
    }
}

/// True if `parameters` of a fragment stage make it run once per sample.
pub(super) fn per_sample(parameters: &[VariableLayout]) -> bool {
    parameters.iter().any(|parameter| {
        let words = &parameter.annotations;
        let system = words.semantic.as_deref().is_some_and(|name| {
            name.eq_ignore_ascii_case("SV_SampleIndex") || name.eq_ignore_ascii_case("SV_VulkanSamplePosition")
        });
        let inside = match &parameter.layout.parts {
            TypeParts::Fields(fields) => per_sample(fields),
            _ => false,
        };
        system || inside || words.modifiers.iter().any(|word| word == "sample")
    })
}
