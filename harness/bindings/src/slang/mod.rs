//! The conventions `slang` and `slang-documented`: the behaviour of slangc, and the behaviour that
//! its user guide documents.
//!
//! [`layout`] places a [`Module`] for a [`BindingRequest`] and returns the tree that reflection
//! shows; [`crate::bind`] returns the tree's leaves as rows. `settings` reads the request. `units`,
//! `bytes`, `types` and `containers` compute how much of each unit a type takes. `scope`, `entry`
//! and `varying` measure scopes. `explicit` reads the places in the source. `program` gives out
//! slots. `flatten` makes rows.
//! The two conventions differ where the code tests `documented` of the settings.
//!
//! Sources: Slang user guide, Parameter Layout Rules and Using the Reflection API; measurements of
//! slangc 2026.12 and 2026.14.1. Where slangc's reflection and code differ, the reflection counts.

mod bytes;
mod containers;
mod entry;
mod explicit;
mod flatten;
mod program;
mod scope;
mod settings;
mod types;
mod units;
mod varying;

pub use program::layout;

use bytes::has_data;
use settings::SlangSettings;

use layoutproof_layout::LayoutUnit;

use super::{Binding, BindingRequest, BoundModule, Convention, Target};
use layoutproof_frontend::module::{Module, ParameterKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

pub(super) fn bind(module: &Module, request: &BindingRequest) -> Result<BoundModule, Vec<Diagnostic>> {
    let (program, settings) = (layout(module, request)?, SlangSettings::of(request)?);
    let bindings = flatten::rows(&program, module.own_parameters, &settings);
    let mut warnings = program.warnings;
    if request.convention == Convention::Slang && request.target == Target::Vulkan {
        warnings.extend(bound_with_globals(module, &settings, &bindings));
    }
    Ok(BoundModule { bindings, warnings, ..BoundModule::default() })
}

/// Warns about resources of a global that also has data. slangc's code counts their bindings and
/// sets from the place that `-fvk-bind-globals` gives to the buffer of the globals; its reflection
/// does not. Measured with slangc 2026.14.1, decorations and reflection of `-target spirv`: with
/// `-fvk-bind-globals 2 1` a texture that reflection reports at binding 1 has binding 3 in set 1.
fn bound_with_globals(module: &Module, settings: &SlangSettings, bindings: &[Binding]) -> Vec<Diagnostic> {
    let Some((binding, set)) = settings.globals.filter(|place| *place != (0, 0)) else { return Vec::new() };
    let mixed = module.parameters.iter().filter(|parameter| {
        parameter.kind == ParameterKind::Variable && has_data(&parameter.ty) && parameter.ty.holds(&|_| true)
    });
    let names: Vec<&str> = mixed.map(|parameter| parameter.name.as_str()).collect();
    let is_part = |path: &str, name: &str| path.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '[']));
    let is_mixed = |path: &str| names.iter().any(|name| is_part(path, name));

    let moved = bindings.iter().filter(|it| it.unit == LayoutUnit::Binding && is_mixed(&it.path));
    let warnings = moved.map(|Binding { path, space, index, span, .. }| {
        let (code_set, code_binding) = (space.saturating_add(set), index.saturating_add(binding));
        let message = format!(
            "slangc's code has `{path}` at set {code_set} binding {code_binding}: it counts from -fvk-bind-globals, and \
             the reflection, which is shown, does not"
        );
        Diagnostic::warning(Code::UncertainLayout, *span, message)
            .with_help("use the bindings of the SPIR-V, or declare textures and data as separate globals")
    });
    warnings.collect()
}

#[cfg(test)]
mod tests;
