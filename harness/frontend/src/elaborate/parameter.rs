//! Global shader parameters: decides which declarations are parameters, and which contain ordinary data for `$Globals`.
//!
//! Sources: Slang user guide, Parameter Layout Rules; DXC 1.7.2308 for the contents of `$Globals`.
//! In both, a global that is `const` without `static` is a parameter.

use std::collections::HashMap;

use layoutproof_layout::shape::{Member, Type};
use layoutproof_layout::{Annotations, Span};

use super::builtin::Builtin;
use super::entry::ScopedFunction;
use super::lookup::LookupContext;
use super::resolve::order;
use super::scope::ScopeId;
use super::{Elaborator, builtin};
use crate::ast::{
    BufferDeclaration, DeclarationSyntax, Declarator, Identifier, Item, Prefix, TypeExpression, TypeKind,
};
use crate::module::{Parameter, ParameterKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Global variables seen so far, by scope and name.
pub(super) type GlobalSpans<'t> = HashMap<(ScopeId, &'t str), Span>;

/// Words that make a global a variable of each thread or group.
const NO_PARAMETER: [&str; 5] = ["static", "groupshared", "let", "typedef", "__global"];

/// Returns true for one side of a linked value: `extern` requires it, `export` provides it.
fn is_linked(prefix: &Prefix<'_>) -> bool {
    prefix.has("extern") || prefix.has("export")
}

/// Returns true if all these globals are push constants. DXC makes no push constant of one
/// that only such globals precede.
pub(crate) fn are_push_constants(globals: &[Member]) -> bool {
    globals.iter().all(|member| member.annotations.is_push_constant())
}

impl<'t> Elaborator<'t> {
    /// Finds the parameters that `items` declare, and collects functions for later.
    pub(super) fn parameters(
        &mut self,
        items: &'t [Item<'t>],
        scope: ScopeId,
        seen: &mut GlobalSpans<'t>,
        functions: &mut Vec<ScopedFunction<'t>>,
    ) {
        for item in items {
            match item {
                Item::Declaration(declaration) => {
                    self.methods(declaration, functions);
                    self.variables(declaration, scope, seen);
                }
                Item::Function(function) => {
                    if let Some(inner) = self.home(function.name, &function.outer, scope) {
                        functions.push(ScopedFunction { declaration: function, scope: inner });
                    }
                }
                Item::Buffer(buffer) => {
                    self.buffer(buffer, scope);
                    self.code_in_buffer(buffer, scope, functions);
                }
                Item::Namespace { path, items } => {
                    let namespace = |outer, name: &Identifier<'t>| self.symbols.namespace(outer, name.text);
                    if let Some(inner) = path.iter().try_fold(scope, namespace) {
                        self.parameters(items, inner, seen, functions);
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the scope that declares `outer::name`, seen from `scope`.
    fn home(&mut self, name: Identifier<'t>, outer: &[Identifier<'t>], scope: ScopeId) -> Option<ScopeId> {
        if outer.is_empty() {
            return Some(scope);
        }
        let found = self.defined_in(scope, outer);
        if found.is_none() {
            let path: Vec<&str> = outer.iter().map(|part| part.text).collect();
            let message = format!("no struct or namespace is named `{}`", path.join("::"));
            let span = outer.first().map_or(name.span, |first| first.span.to(name.span));
            self.problems.report(Diagnostic::error(Code::UnknownType, span, message));
        }
        found
    }

    /// Collects the methods of a struct.
    fn methods(&self, declaration: &'t DeclarationSyntax<'t>, functions: &mut Vec<ScopedFunction<'t>>) {
        let TypeKind::Struct(inner) = &declaration.ty.kind else { return };
        let Some(scope) = self.symbols.inline(&declaration.ty.kind).and_then(|id| self.symbols.inside(id)) else {
            return;
        };

        for item in &inner.items {
            match item {
                Item::Function(function) => functions.push(ScopedFunction { declaration: function, scope }),
                Item::Declaration(nested) => self.methods(nested, functions),
                _ => {}
            }
        }
    }

    /// Collects the functions and `static` variables in a buffer. DXC 1.7.2308 treats them as if they were declared
    /// next to the buffer.
    fn code_in_buffer(
        &mut self,
        buffer: &'t BufferDeclaration<'t>,
        scope: ScopeId,
        functions: &mut Vec<ScopedFunction<'t>>,
    ) {
        for item in &buffer.items {
            match item {
                Item::Function(function) => functions.push(ScopedFunction { declaration: function, scope }),
                Item::Declaration(declaration) => {
                    self.methods(declaration, functions);
                    if declaration.prefix.has("static") {
                        let initialised =
                            declaration.declarators.iter().filter(|declarator| !declarator.initialised.is_empty());
                        self.statics.extend(initialised.map(|declarator| (declarator, scope)));
                    }
                }
                Item::Buffer(inner) => self.code_in_buffer(inner, scope, functions),
                _ => {}
            }
        }
    }

    fn variables(&mut self, declaration: &'t DeclarationSyntax<'t>, scope: ScopeId, seen: &mut GlobalSpans<'t>) {
        let prefix = &declaration.prefix;
        for declarator in &declaration.declarators {
            if !declarator.outer.is_empty() {
                self.static_member(declarator, scope);
                continue;
            }
            if !prefix.has("typedef") {
                let earlier = seen.insert((scope, declarator.name.text), declarator.name.span);
                // `extern` may name something that another declaration provides.
                if let Some(earlier) = earlier.filter(|_| !is_linked(prefix)) {
                    self.redefinition(declarator.name, "variable", Some(earlier));
                }
            }
            if prefix.has("static") && !declarator.initialised.is_empty() {
                self.statics.push((declarator, scope));
            }
            if !NO_PARAMETER.iter().any(|word| prefix.has(word)) {
                self.variable(declaration, declarator, scope);
            }
        }

        let is_template = prefix.generics.is_some();
        if declaration.declarators.is_empty() && matches!(declaration.ty.kind, TypeKind::Path(_)) && !is_template {
            let message = "skipped: this declares nothing";
            self.problems.report(Diagnostic::warning(Code::Skipped, declaration.span, message));
        }
    }

    /// `uint S::count = 20;`: the value of a `static` member, which is not a parameter.
    fn static_member(&mut self, declarator: &'t Declarator<'t>, scope: ScopeId) {
        if let Some(inner) = self.home(declarator.name, &declarator.outer, scope) {
            if !declarator.initialised.is_empty() {
                self.statics.push((declarator, inner));
            }
        }
    }

    fn variable(&mut self, declaration: &'t DeclarationSyntax<'t>, declarator: &'t Declarator<'t>, scope: ScopeId) {
        let (context, span) = (LookupContext::plain(scope), declarator.name.span);
        if let Some(word) = ["in", "out", "inout"].into_iter().find(|word| declaration.prefix.has(word)) {
            return self.varying_global(word, span);
        }
        if self.is_object(&declaration.ty, &context) {
            return;
        }

        let ty = self.declared(&declaration.ty, order(&declaration.prefix), declarator, &context);
        let mut annotations = self.annotations(&declaration.prefix, &declarator.placement, &context);
        if let Some(packoffset) = annotations.packoffset {
            self.packoffset_outside(packoffset.span);
        }
        if let Some(width) = &declarator.placement.bit_width {
            let message = "only the members of a struct can be bit-fields";
            self.problems.report(Diagnostic::error(Code::BadBitField, width.span, message));
        }

        let Some(ty) = ty.filter(|ty| self.refuse_empty(ty, span).is_some()) else { return };
        self.swap_letters(&ty, &mut annotations);
        let measure = self.measure(&ty);
        // With `#version`, Slang follows the rules of GLSL, where plain data needs `uniform` to be
        // a parameter (slangc 2026.14.1).
        let is_variable = self.source.is_glsl_dialect() && !measure.resources && !declaration.prefix.has("uniform");
        if is_variable && annotations.attributes.is_empty() {
            return;
        }
        let kind = if measure.resources { ParameterKind::Variable } else { ParameterKind::Global };
        self.check_registers(&ty, kind, &annotations);

        let name = self.symbols.qualified(scope, declarator.name.text);
        // If `$Globals` has other members, it also contains push constants of plain data (DXC 1.7.2308).
        if measure.data && (!annotations.is_push_constant() || kind == ParameterKind::Global) {
            self.new_global(&name, &ty, &annotations, span);
        }
        self.module.parameters.push(Parameter { name, kind, ty, annotations, span });
    }

    /// Removes push constants from `$Globals` in Slang, which never puts them there (slangc
    /// 2026.14.1), and also if they are its only members. Otherwise warns that DXC reads them from
    /// there.
    pub(super) fn push_constants_among(&mut self, globals: &mut Vec<Member>, is_slang: bool) {
        if is_slang || are_push_constants(globals) {
            return globals.retain(|member| !member.annotations.is_push_constant());
        }
        for (at, member) in globals.iter().enumerate().filter(|(_, member)| member.annotations.is_push_constant()) {
            let targets = if are_push_constants(&globals[..at]) { "on D3D12 and Vulkan" } else { "on D3D12" };
            let message =
                format!("DXC reads `{}` from $Globals {targets} because there are other globals", member.name);
            let help = "declare it as ConstantBuffer<T>, or put the other globals into a cbuffer";
            self.problems.report(Diagnostic::warning(Code::Ignored, member.span, message).with_help(help));
        }
    }

    /// `in float3 position;`: Slang makes it a varying, like GLSL (slangc 2026.14.1), and DXC rejects it (1.7.2308).
    fn varying_global(&mut self, word: &str, span: Span) {
        let message = format!("`{word}` on a global is not supported: Slang makes it a varying, and DXC refuses it");
        let help = format!("without `{word}` it is a uniform parameter; with `static` it is not a parameter");
        self.problems.report(Diagnostic::error(Code::Unsupported, span, message).with_help(help));
    }

    /// Returns true if `ty` is a built-in type whose globals are not parameters: `string`, `GlobalRootSignature`.
    fn is_object(&mut self, ty: &TypeExpression<'t>, context: &LookupContext) -> bool {
        let TypeKind::Path(path) = &ty.kind else { return false };
        let [part] = path.parts.as_slice() else { return false };
        builtin::builtin(part.name.text) == Some(Builtin::Object) && self.find_type(path, context).is_none()
    }

    /// Adds ordinary data to `$Globals`. Resources in the same struct stay in its type and take no bytes.
    fn new_global(&mut self, name: &str, ty: &Type, annotations: &Annotations, span: Span) {
        if self.globals.is_empty() {
            self.globals_at = self.module.parameters.len();
        }
        let (name, ty, annotations) = (name.to_owned(), ty.clone(), annotations.clone());
        self.globals.push(Member { name, ty, bit_width: None, annotations, span });
    }
}
