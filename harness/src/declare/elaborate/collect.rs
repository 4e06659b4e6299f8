//! Enters the names that declarations declare into scopes.

use super::Elaborator;
use super::resolve::order;
use super::scope::{ScopeId, TypeEntry, TypeId, ValueEntry};
use crate::declare::ast::{
    BufferDeclaration, Declaration, EnumDeclaration, Initialiser, Item, Name, TypeExpression, TypeKind,
};
use crate::diagnostics::{Code, Diagnostic};
use crate::sources::Span;

impl<'t> Elaborator<'t> {
    /// Enters the names of `items` into `scope`.
    pub(super) fn collect(&mut self, items: &'t [Item<'t>], scope: ScopeId) {
        for item in items {
            match item {
                Item::Declaration(declaration) => self.collect_declaration(declaration, scope),
                Item::Function(function) => self.symbols.mention(scope, function.name),
                Item::Buffer(buffer) => self.collect_buffer(buffer, scope),
                Item::Namespace { path, items } => {
                    let inner = self.open_namespace(path, scope);
                    self.collect(items, inner);
                }
                Item::Alias { name, ty } => {
                    let entry = TypeEntry::Alias { ty, declarator: None, order: None };
                    self.new_type(*name, scope, entry);
                }
                Item::Using { path } => self.symbols.add_using(scope, path),
                Item::Interface { name } => {
                    self.new_type(*name, scope, TypeEntry::Interface);
                }
                Item::Unread { name, what } => {
                    self.new_type(*name, scope, TypeEntry::Unread(what));
                }
                Item::Import { name } => {
                    if !self.module.imports.contains(name) {
                        self.module.imports.push(name.clone());
                    }
                }
            }
        }
    }

    fn open_namespace(&mut self, path: &'t [Name<'t>], scope: ScopeId) -> ScopeId {
        path.iter().fold(scope, |outer, name| {
            let found = self.symbols.namespace(outer, name.text);
            found.unwrap_or_else(|| self.symbols.new_namespace(outer, name.text))
        })
    }

    /// Two buffers of one name are two buffers (measured with DXC 1.7.2308), so nothing is compared here.
    fn collect_buffer(&mut self, buffer: &'t BufferDeclaration<'t>, scope: ScopeId) {
        self.symbols.mention(scope, buffer.name);
        self.collect(&buffer.items, scope);
    }

    fn collect_declaration(&mut self, declaration: &'t Declaration<'t>, scope: ScopeId) {
        let is_typedef = declaration.prefix.has("typedef");
        self.collect_inline(declaration, scope, is_typedef);
        for declarator in &declaration.declarators {
            if is_typedef {
                let order = order(&declaration.prefix);
                let entry = TypeEntry::Alias { ty: &declaration.ty, declarator: Some(declarator), order };
                self.new_type(declarator.name, scope, entry);
                continue;
            }
            self.symbols.mention(scope, declarator.name);
            // A global that is only `const` is a parameter, and no length (DXC 1.7.2308 and Slang 2026.14.1 refuse it).
            let is_const = declaration.prefix.has("const") || declaration.prefix.has("constexpr");
            let constant = declaration.prefix.has("static") && is_const || declaration.prefix.has("let");
            if let (true, Some(Initialiser::Value(value))) = (constant, &declarator.initialiser) {
                let entry = ValueEntry::Constant { ty: &declaration.ty, value };
                self.symbols.new_value(scope, declarator.name.text, entry);
            }
        }
    }

    /// Enters a struct or enum that is declared where it is used.
    fn collect_inline(&mut self, declaration: &'t Declaration<'t>, scope: ScopeId, is_typedef: bool) {
        let alias = declaration.declarators.first().filter(|_| is_typedef).map(|declarator| declarator.name);
        match &declaration.ty.kind {
            TypeKind::Path(_) => {}
            TypeKind::Struct(inner) => {
                let name = if inner.name.text.is_empty() { alias.unwrap_or(inner.name) } else { inner.name };
                let generics = inner.generics.as_deref().or(declaration.prefix.generics.as_deref());
                let scope_inside = self.symbols.new_scope(scope, name.text, generics.is_some());
                let entry = TypeEntry::Struct { declaration: inner, generics, inner: scope_inside };
                self.new_inline(declaration, (inner.name, name), (scope, entry));
                self.collect(&inner.items, scope_inside);
            }
            TypeKind::Enum(inner) => {
                let name = if inner.name.text.is_empty() { alias.unwrap_or(inner.name) } else { inner.name };
                let id = self.new_inline(declaration, (inner.name, name), (scope, TypeEntry::Enum(inner)));
                self.collect_enumerators(inner, id, scope);
            }
        }
    }

    /// Enters a type under its own name, and gives an anonymous one the name of its typedef to be shown by.
    fn new_inline(
        &mut self,
        declaration: &'t Declaration<'t>,
        (own, shown): (Name<'t>, Name<'t>),
        (scope, entry): (ScopeId, TypeEntry<'t>),
    ) -> TypeId {
        let id = self.new_type(own, scope, entry);
        self.symbols.declare_inline(id, &declaration.ty.kind, (scope, shown.text));
        id
    }

    fn collect_enumerators(&mut self, declaration: &'t EnumDeclaration<'t>, id: TypeId, scope: ScopeId) {
        let inner = self.symbols.new_namespace(scope, declaration.name.text);
        for (index, (name, _)) in declaration.enumerators.iter().enumerate() {
            let entry = ValueEntry::Enumerator { declaration: id, index };
            if self.symbols.value_in(inner, name.text).is_some() {
                self.redefinition(*name, "enumerator", None);
            }
            self.symbols.new_value(inner, name.text, entry);
            if declaration.unscoped {
                self.symbols.new_value(scope, name.text, entry);
            }
        }
    }

    fn new_type(&mut self, name: Name<'t>, scope: ScopeId, entry: TypeEntry<'t>) -> TypeId {
        let (id, earlier) = self.symbols.new_type(name, scope, entry);
        if let Some(earlier) = earlier {
            if !same_alias(&earlier.entry, &entry) {
                self.redefinition(name, "type", Some(earlier.span));
            }
        }
        id
    }

    pub(super) fn redefinition(&mut self, name: Name<'_>, what: &str, earlier: Option<Span>) {
        let message = format!("the {what} `{}` is declared twice", name.text);
        let problem = Diagnostic::error(Code::Redefinition, name.span, message);
        self.problems.report(match earlier {
            Some(span) => problem.with_label(span, "first here"),
            None => problem,
        });
    }
}

/// Whether both are aliases of one plain name: `typedef float F; typedef float F;` is allowed, as in C++.
fn same_alias(earlier: &TypeEntry<'_>, later: &TypeEntry<'_>) -> bool {
    let plain = |entry: &TypeEntry<'_>| match entry {
        TypeEntry::Alias { ty: TypeExpression { kind: TypeKind::Path(path), suffixes, .. }, declarator, .. }
            if suffixes.is_empty()
                && declarator.is_none_or(|found| found.dimensions.is_empty() && found.pointers == 0) =>
        {
            Some(path.parts.iter().map(|part| part.name.text.to_owned()).collect::<Vec<_>>())
                .filter(|_| path.parts.iter().all(|part| part.arguments.is_none()))
        }
        TypeEntry::Alias { .. }
        | TypeEntry::Struct { .. }
        | TypeEntry::Enum(_)
        | TypeEntry::Interface
        | TypeEntry::Unread(_) => None,
    };
    plain(earlier).is_some_and(|name| plain(later).as_ref() == Some(&name))
}
