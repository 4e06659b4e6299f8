//! Values of Slang's interfaces in parameters: says once per interface that their bytes depend on more than the source.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use layoutproof_layout::Span;
use layoutproof_layout::shape::{StructType, Type};

use super::Elaborator;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// The interfaces whose values stand in parameters, each with the first parameter that has one.
#[derive(Debug, Default)]
struct InterfaceValues {
    found: BTreeMap<String, Span>,
    /// Structs that have been looked into.
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
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Array { .. }
            | Type::Enum(_)
            | Type::Pointer { .. }
            | Type::Handle { .. } => {}
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
    /// Warns of the interfaces whose values are data of parameters.
    ///
    /// slangc 2026.14.1 reflects 16 bytes and `[anyValueSize(N)]`, by default 16 more; its code has 16 bytes and room for the
    /// largest type that is linked in, or for `N` bytes in words of 4 (measured with `-conformance`, HLSL text).
    pub(super) fn warn_of_interface_values(&mut self) {
        let mut values = InterfaceValues::default();
        for parameter in &self.module.parameters {
            values.add(&parameter.ty, parameter.span);
        }
        for parameter in self.module.entry_points.iter().flat_map(|entry| &entry.parameters) {
            values.add(&parameter.ty, parameter.span);
        }

        for (name, span) in values.found {
            let message = format!("the bytes of a value of the interface `{name}` are those of slangc's reflection");
            let help = "slangc's code gives it 16 bytes and room for the largest type that is linked in: what follows it \
                        may stand elsewhere";
            self.problems.report(Diagnostic::warning(Code::UncertainLayout, span, message).with_help(help));
        }
    }
}
