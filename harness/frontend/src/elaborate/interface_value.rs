//! Warns once per Slang interface in a parameter that the size of its values depends on more than the source.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use layoutproof_layout::Span;
use layoutproof_layout::shape::{StructType, Type};

use super::Elaborator;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// The interfaces with values in parameters, each with the first such parameter.
#[derive(Debug, Default)]
struct InterfaceValues {
    found: BTreeMap<String, Span>,
    seen: HashSet<*const StructType>,
}

impl InterfaceValues {
    fn add(&mut self, ty: &Type, span: Span) {
        match ty.dimensions().0 {
            Type::Interface { name, .. } => {
                self.found.entry(name.clone()).or_insert(span);
            }
            Type::Struct(structure) => self.add_struct(structure, span),
            Type::Resource(resource) => {
                if let Some(element) = resource.element.as_deref() {
                    self.add(element, span);
                }
            }
            _ => {}
        }
    }

    fn add_struct(&mut self, structure: &Arc<StructType>, span: Span) {
        if !self.seen.insert(Arc::as_ptr(structure)) {
            return;
        }
        if let Some(base) = &structure.base {
            self.add_struct(base, span);
        }
        for member in &structure.members {
            self.add(&member.ty, span);
        }
    }
}

impl Elaborator<'_> {
    /// Warns of interfaces whose values are part of a parameter's data.
    ///
    /// slangc 2026.14.1 reflects 16 bytes plus `[anyValueSize(N)]`, which defaults to 16. Its code
    /// uses 16 bytes plus room for the largest linked type, or for `N` bytes in words of 4
    /// (measured with `-conformance`, HLSL text).
    pub(super) fn warn_of_interface_values(&mut self) {
        let mut values = InterfaceValues::default();
        for parameter in &self.module.parameters {
            values.add(&parameter.ty, parameter.span);
        }
        for parameter in self.module.entry_points.iter().flat_map(|entry| &entry.parameters) {
            values.add(&parameter.ty, parameter.span);
        }

        for (name, span) in values.found {
            let message = format!("values of the interface `{name}` have the size from slangc's reflection here");
            let help = "slangc's code gives them 16 bytes and room for the largest linked type: what follows them may \
                        be at another offset";
            self.problems.report(Diagnostic::warning(Code::UncertainLayout, span, message).with_help(help));
        }
    }
}
