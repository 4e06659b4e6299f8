//! Enters declared names into scopes.

use layoutproof_layout::Span;

use super::Elaborator;
use super::resolve::order;
use super::scope::{ScopeId, TypeEntry, TypeId, ValueEntry};
use crate::ast::{
    BufferDeclaration, DeclarationSyntax, Declarator, EnumDeclaration, EnumeratorSyntax, Identifier, Initialiser, Item,
    Prefix, StructDeclaration, TypeKind,
};
use layoutproof_source::diagnostics::{Code, Diagnostic};

impl<'t> Elaborator<'t> {
    pub(super) fn collect(&mut self, items: &'t [Item<'t>], scope: ScopeId) {
        for item in items {
            if !item.is_public() {
                for name in declared_names(item) {
                    self.symbols.hide(scope, name);
                }
            }
            match item {
                Item::Declaration(declaration) => self.collect_declaration(declaration, scope),
                // A function defined outside its struct or namespace is already declared inside.
                Item::Function(function) if !function.outer.is_empty() => {}
                Item::Function(function) => self.symbols.mention(scope, function.name),
                Item::Buffer(buffer) => self.collect_buffer(buffer, scope),
                Item::Namespace { path, items } => {
                    let inner = self.open_namespace(path, scope);
                    self.collect(items, inner);
                }
                Item::Alias { name, generics, ty, .. } => {
                    let generics = generics.as_deref().map(|generics| {
                        let inner = self.symbols.generic_scope(scope);
                        (generics, inner)
                    });
                    let entry = TypeEntry::Alias { ty, declarator: None, order: None, generics };
                    self.new_type(*name, scope, entry);
                }
                Item::Using { path } => self.symbols.add_using(scope, path),
                Item::Interface { name, any_value_size, .. } => {
                    self.new_type(*name, scope, TypeEntry::Interface { any_value_size: any_value_size.as_ref() });
                }
                Item::Unread { name, what, .. } => {
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

    fn open_namespace(&mut self, path: &'t [Identifier<'t>], scope: ScopeId) -> ScopeId {
        path.iter().fold(scope, |outer, name| {
            let found = self.symbols.namespace(outer, name.text);
            found.unwrap_or_else(|| {
                let inner = self.symbols.new_namespace(outer, name.text);
                let path = &self.symbols.scope(inner).name;
                // Another module may have declared it before.
                if !self.module.namespaces.contains(path) {
                    self.module.namespaces.push(path.clone());
                }
                inner
            })
        })
    }

    /// Two buffers with the same name are two buffers (measured with DXC 1.7.2308), so this reports no redefinition.
    fn collect_buffer(&mut self, buffer: &'t BufferDeclaration<'t>, scope: ScopeId) {
        self.symbols.mention(scope, buffer.name);
        let Some(instance) = buffer.instance else { return self.collect(&buffer.items, scope) };
        self.symbols.mention(scope, instance);
        for item in &buffer.items {
            if let Item::Declaration(declaration) = item {
                self.collect_inline(declaration, scope, false);
            }
        }
    }

    fn collect_declaration(&mut self, declaration: &'t DeclarationSyntax<'t>, scope: ScopeId) {
        let is_typedef = declaration.prefix.has("typedef");
        self.collect_inline(declaration, scope, is_typedef);

        for declarator in &declaration.declarators {
            if is_typedef {
                let order = order(&declaration.prefix);
                let (ty, declarator_of) = (&declaration.ty, Some(declarator));
                let entry = TypeEntry::Alias { ty, declarator: declarator_of, order, generics: None };
                self.new_type(declarator.name, scope, entry);
            } else {
                self.collect_variable(declaration, declarator, scope);
            }
        }
    }

    /// Enters a variable, and its value if it is a constant.
    fn collect_variable(
        &mut self,
        declaration: &'t DeclarationSyntax<'t>,
        declarator: &'t Declarator<'t>,
        scope: ScopeId,
    ) {
        let is_const = declaration.prefix.has("const") || declaration.prefix.has("constexpr");
        if !declarator.outer.is_empty() {
            if let Some(inner) = self.defined_in(scope, &declarator.outer) {
                self.collect_static_member(declaration, declarator, inner, is_const);
            }
            return;
        }

        self.symbols.mention(scope, declarator.name);

        // A global that is only `const` is a parameter and cannot be a length: DXC 1.7.2308 and
        // Slang 2026.14.1 reject it.
        let constant = declaration.prefix.has("static") && is_const || declaration.prefix.has("let");
        let linked = declaration.prefix.has("extern");
        match &declarator.initialiser {
            Some(Initialiser::Value(value)) if constant => {
                let entry = ValueEntry::Constant { ty: &declaration.ty, value };
                self.symbols.new_value(scope, declarator.name.text, entry);
                if linked {
                    self.linked_value(declarator.name);
                }
            }
            Some(_) if is_const && is_specialisation_constant(&declaration.prefix) => {
                let entry = ValueEntry::Specialised { name: declarator.name };
                self.symbols.new_value(scope, declarator.name.text, entry);
            }
            None if constant && linked => {
                let entry = ValueEntry::Linked { name: declarator.name };
                self.symbols.new_value(scope, declarator.name.text, entry);
            }
            Some(Initialiser::Value(_) | Initialiser::List(_) | Initialiser::Other) | None => {}
        }
    }

    /// Warns that linking may replace the value of `extern static const int N = 4;` with another module's.
    fn linked_value(&mut self, name: Identifier<'t>) {
        let message = format!("linking may give `{}` another value: the layout uses this one", name.text);
        self.problems.report(Diagnostic::warning(Code::Ignored, name.span, message));
    }

    /// `const uint S::N = 3;`: enters the value of a `static` member defined outside its struct.
    fn collect_static_member(
        &mut self,
        declaration: &'t DeclarationSyntax<'t>,
        declarator: &'t Declarator<'t>,
        inner: ScopeId,
        is_const: bool,
    ) {
        if let (true, Some(Initialiser::Value(value))) = (is_const, &declarator.initialiser) {
            let entry = ValueEntry::Constant { ty: &declaration.ty, value };
            self.symbols.new_value(inner, declarator.name.text, entry);
        }
    }

    /// Returns the struct or namespace that `outer` names, seen from `scope`. `None` for an empty or unknown path.
    pub(super) fn defined_in(&self, scope: ScopeId, outer: &[Identifier<'t>]) -> Option<ScopeId> {
        let (first, rest) = outer.split_first()?;
        let step = |scope: ScopeId, name: &Identifier<'t>| {
            let namespace = self.symbols.namespace(scope, name.text);
            namespace.or_else(|| self.symbols.inside(self.symbols.type_in(scope, name.text)?))
        };
        let start = self.symbols.outwards(scope).find_map(|outer| step(outer, first))?;
        rest.iter().try_fold(start, step)
    }

    /// Enters a struct or enum declared inside another declaration.
    fn collect_inline(&mut self, declaration: &'t DeclarationSyntax<'t>, scope: ScopeId, is_typedef: bool) {
        let alias = declaration.declarators.first().filter(|_| is_typedef).map(|declarator| declarator.name);
        match &declaration.ty.kind {
            TypeKind::Path(_) => {}
            TypeKind::Struct(inner) if inner.specialised.is_some() => {
                self.collect_specialisation(declaration, inner, scope);
            }
            TypeKind::Struct(inner) => {
                let name = if inner.name.text.is_empty() { alias.unwrap_or(inner.name) } else { inner.name };
                let generics = inner.generics.as_deref().or(declaration.prefix.generics.as_deref());
                let scope_inside = self.symbols.new_scope(scope, name.text, generics.is_some());
                let entry = TypeEntry::Struct { declaration: inner, generics, inner: scope_inside };
                let id = self.new_inline(declaration, inner.name, name, scope, entry);
                if declaration.prefix.attributes.iter().any(|attribute| attribute.name == "__AttributeUsage") {
                    self.symbols.set_attribute(id);
                }
                self.collect(&inner.items, scope_inside);
            }
            TypeKind::Enum(inner) => {
                let name = if inner.name.text.is_empty() { alias.unwrap_or(inner.name) } else { inner.name };
                let id = self.new_inline(declaration, inner.name, name, scope, TypeEntry::Enum(inner));
                self.collect_enumerators(inner, id, scope);
            }
        }
    }

    /// Enters a template specialisation. It has no name in the scope; the template leads to it.
    fn collect_specialisation(
        &mut self,
        declaration: &'t DeclarationSyntax<'t>,
        inner: &'t StructDeclaration<'t>,
        scope: ScopeId,
    ) {
        let name = inner.name;
        let template = self.symbols.type_in(scope, name.text).filter(|id| self.symbols.is_template(*id));
        let Some(template) = template else {
            let message = format!("no template is named `{}` here, so it cannot be specialised", name.text);
            return self.problems.report(Diagnostic::error(Code::UnknownType, name.span, message));
        };

        let generics = declaration.prefix.generics.as_deref();
        let scope_inside = self.symbols.new_scope(scope, name.text, true);
        let entry = TypeEntry::Struct { declaration: inner, generics, inner: scope_inside };
        let unnamed = Identifier { text: "", span: name.span };

        let id = self.new_inline(declaration, unnamed, name, scope, entry);
        self.symbols.add_specialisation(template, id);
        self.collect(&inner.items, scope_inside);
    }

    /// Enters a type under its own name. For messages, an anonymous type gets the name of its typedef.
    fn new_inline(
        &mut self,
        declaration: &'t DeclarationSyntax<'t>,
        own: Identifier<'t>,
        shown: Identifier<'t>,
        scope: ScopeId,
        entry: TypeEntry<'t>,
    ) -> TypeId {
        let id = self.new_type(own, scope, entry);
        self.symbols.declare_inline(id, &declaration.ty.kind, scope, shown.text);
        id
    }

    fn collect_enumerators(&mut self, declaration: &'t EnumDeclaration<'t>, id: TypeId, scope: ScopeId) {
        let inner = self.symbols.new_namespace(scope, declaration.name.text);
        for (index, EnumeratorSyntax { name, .. }) in declaration.enumerators.iter().enumerate() {
            let entry = ValueEntry::Enumerator { declaration: id, index };
            if self.symbols.declares_value(inner, name.text) {
                self.redefinition(*name, "enumerator", None);
            }
            self.symbols.new_value(inner, name.text, entry);
            if declaration.unscoped {
                self.symbols.new_value(scope, name.text, entry);
            }
        }
    }

    fn new_type(&mut self, name: Identifier<'t>, scope: ScopeId, entry: TypeEntry<'t>) -> TypeId {
        let (id, earlier) = self.symbols.new_type(name, scope, entry);
        if let Some(earlier) = earlier {
            if !same_alias(&earlier.entry, &entry) {
                self.redefinition(name, "type", Some(earlier.span));
            }
        }
        id
    }

    pub(super) fn redefinition(&mut self, name: Identifier<'_>, what: &str, earlier: Option<Span>) {
        let message = format!("the {what} `{}` is declared twice", name.text);
        let problem = Diagnostic::error(Code::Redefinition, name.span, message);
        self.problems.report(match earlier {
            Some(span) => problem.with_label(span, "first declared here"),
            None => problem,
        });
    }
}

/// Returns the names that `item` enters into the enclosing scope.
fn declared_names<'t>(item: &Item<'t>) -> Vec<&'t str> {
    match item {
        Item::Declaration(declaration) => {
            let own = match &declaration.ty.kind {
                TypeKind::Struct(inner) => Some(inner.name.text),
                TypeKind::Enum(inner) => Some(inner.name.text),
                TypeKind::Path(_) => None,
            };
            own.into_iter().chain(declaration.declarators.iter().map(|declarator| declarator.name.text)).collect()
        }
        Item::Function(function) => vec![function.name.text],
        Item::Buffer(buffer) => vec![buffer.instance.unwrap_or(buffer.name).text],
        Item::Alias { name, .. } | Item::Interface { name, .. } | Item::Unread { name, .. } => vec![name.text],
        Item::Namespace { .. } | Item::Using { .. } | Item::Import { .. } => Vec::new(),
    }
}

/// Returns true if the application chooses the constant's value when it creates a pipeline.
fn is_specialisation_constant(prefix: &Prefix<'_>) -> bool {
    prefix.attributes.iter().any(|attribute| {
        let constants = ["SpecializationConstant", "vk_specialization_constant", "vk_constant_id"];
        match attribute.namespace.as_deref() {
            None => constants.contains(&attribute.name),
            Some("vk") => matches!(attribute.name, "constant_id" | "specialization_constant"),
            Some(_) => false,
        }
    }) || prefix.layout.iter().any(|qualifier| qualifier.name.text == "constant_id")
}

/// Returns true if both are aliases of the same plain name: as in C++, `typedef float F; typedef float F;` is valid.
fn same_alias(earlier: &TypeEntry<'_>, later: &TypeEntry<'_>) -> bool {
    aliased_name(earlier).is_some_and(|name| aliased_name(later).as_ref() == Some(&name))
}

/// Returns the words of the name that `entry` is an alias of. `None` if it is not an alias of a plain name.
fn aliased_name<'t>(entry: &TypeEntry<'t>) -> Option<Vec<&'t str>> {
    let TypeEntry::Alias { ty, declarator, .. } = *entry else { return None };
    let TypeKind::Path(path) = &ty.kind else { return None };

    let is_plain = ty.suffixes.is_empty()
        && declarator.is_none_or(|found| found.dimensions.is_empty() && found.pointers == 0)
        && path.parts.iter().all(|part| part.arguments.is_none());
    is_plain.then(|| path.parts.iter().map(|part| part.name.text).collect())
}
