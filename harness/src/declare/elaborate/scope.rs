//! Which names there are: one scope per namespace and struct, filled before anything is resolved, so that a name may be
//! used before its declaration, as Slang allows.

use std::collections::HashMap;

use super::Elaborator;
use crate::declare::ast::{
    BufferDeclaration, Declaration, Declarator, EnumDeclaration, Expression, GenericParameter, Initialiser, Item, Name,
    Path, StructDeclaration, TypeExpression, TypeKind,
};
use crate::diagnostics::{Code, Diagnostic};
use crate::sources::Span;

/// Index of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(usize);

/// Index of a declared type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TypeId(usize);

/// Index of a declared constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ValueId(usize);

/// The scope of a whole source.
pub(super) const GLOBAL: ScopeId = ScopeId(0);

/// The names of a namespace or a struct.
#[derive(Debug, Default)]
pub(super) struct Scope<'t> {
    pub(super) parent: Option<ScopeId>,
    /// Qualified name, empty for the global scope.
    pub(super) name: String,
    types: HashMap<&'t str, TypeId>,
    values: HashMap<&'t str, ValueId>,
    namespaces: HashMap<&'t str, ScopeId>,
    /// Parameters, members of buffers and functions: what a body may mention.
    pub(super) mentioned: HashMap<&'t str, Span>,
    /// Whether this is the inside of a generic struct.
    pub(super) generic: bool,
    using: Vec<&'t Path<'t>>,
}

/// A declared type.
#[derive(Clone, Copy, Debug)]
pub(super) enum TypeEntry<'t> {
    Struct { declaration: &'t StructDeclaration<'t>, generics: Option<&'t [GenericParameter<'t>]>, inner: ScopeId },
    Enum(&'t EnumDeclaration<'t>),
    Alias { ty: &'t TypeExpression<'t>, declarator: Option<&'t Declarator<'t>>, order: super::resolve::Order },
    Interface,
}

/// A declared type with where it is declared.
#[derive(Clone, Debug)]
pub(super) struct TypeSymbol<'t> {
    /// Qualified name; empty for an anonymous type.
    pub(super) name: String,
    pub(super) scope: ScopeId,
    pub(super) entry: TypeEntry<'t>,
    pub(super) span: Span,
}

/// A declared constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueSymbol<'t> {
    pub(super) scope: ScopeId,
    pub(super) entry: ValueEntry<'t>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ValueEntry<'t> {
    Constant { ty: &'t TypeExpression<'t>, value: &'t Expression<'t> },
    Enumerator { declaration: TypeId, index: usize },
}

/// Everything that the scopes hold.
#[derive(Debug)]
pub(super) struct Symbols<'t> {
    scopes: Vec<Scope<'t>>,
    types: Vec<TypeSymbol<'t>>,
    values: Vec<ValueSymbol<'t>>,
    /// Types that are declared where they are used, by the address of their declaration.
    inline: HashMap<*const (), TypeId>,
}

impl<'t> Symbols<'t> {
    pub(super) fn new() -> Self {
        Self { scopes: vec![Scope::default()], types: Vec::new(), values: Vec::new(), inline: HashMap::new() }
    }

    pub(super) fn scope(&self, id: ScopeId) -> &Scope<'t> {
        &self.scopes[id.0]
    }

    pub(super) fn ty(&self, id: TypeId) -> &TypeSymbol<'t> {
        &self.types[id.0]
    }

    /// The scope inside a struct.
    pub(super) fn inside(&self, id: TypeId) -> Option<ScopeId> {
        match self.ty(id).entry {
            TypeEntry::Struct { inner, .. } => Some(inner),
            TypeEntry::Enum(_) | TypeEntry::Alias { .. } | TypeEntry::Interface => None,
        }
    }

    pub(super) fn value(&self, id: ValueId) -> ValueSymbol<'t> {
        self.values[id.0]
    }

    pub(super) fn type_ids(&self) -> impl Iterator<Item = TypeId> + use<'t> {
        (0..self.types.len()).map(TypeId)
    }

    pub(super) fn value_ids(&self) -> impl Iterator<Item = ValueId> + use<'t> {
        (0..self.values.len()).map(ValueId)
    }

    /// The type that a declaration inside a type expression declares.
    pub(super) fn inline(&self, kind: &TypeKind<'t>) -> Option<TypeId> {
        self.inline.get(&address(kind)?).copied()
    }

    /// `name` qualified by `scope`.
    pub(super) fn qualified(&self, scope: ScopeId, name: &str) -> String {
        match self.scope(scope).name.as_str() {
            "" => name.to_owned(),
            outer => format!("{outer}::{name}"),
        }
    }

    /// Scopes from `scope` outwards.
    pub(super) fn outwards(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(scope), |id| self.scope(*id).parent)
    }

    /// The namespace of this name in `scope` itself.
    pub(super) fn namespace(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        self.scope(scope).namespaces.get(name).copied()
    }

    /// The type of this name in `scope` itself or a namespace that it uses.
    pub(super) fn type_in(&self, scope: ScopeId, name: &str) -> Option<TypeId> {
        let own = self.scope(scope).types.get(name).copied();
        own.or_else(|| self.used(scope, name).find_map(|used| self.scope(used).types.get(name).copied()))
    }

    /// The constant of this name in `scope` itself or a namespace that it uses.
    pub(super) fn value_in(&self, scope: ScopeId, name: &str) -> Option<ValueId> {
        let own = self.scope(scope).values.get(name).copied();
        own.or_else(|| self.used(scope, name).find_map(|used| self.scope(used).values.get(name).copied()))
    }

    /// The scope whose parameters or functions include `name`, from `scope` outwards.
    pub(super) fn mentioned(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        let has = |id: &ScopeId| self.scope(*id).mentioned.contains_key(name);
        self.outwards(scope).find_map(|id| Some(id).filter(has).or_else(|| self.used(id, name).find(has)))
    }

    /// The scopes that `using` opens for `name` in `scope`.
    fn used(&self, scope: ScopeId, name: &str) -> impl Iterator<Item = ScopeId> {
        self.scope(scope).using.iter().filter_map(move |path| {
            let (last, outer) = path.parts.split_last()?;
            let whole = self.walk(scope, path.parts.iter().map(|part| part.name.text));
            let named = || self.walk(scope, outer.iter().map(|part| part.name.text));
            whole.or_else(|| if last.name.text == name { named() } else { None })
        })
    }

    /// The namespace at the end of `names`, looked up from `scope` outwards.
    fn walk<'n>(&self, scope: ScopeId, names: impl Iterator<Item = &'n str> + Clone) -> Option<ScopeId> {
        let mut names = names;
        let first = names.next()?;
        let start = self.outwards(scope).find_map(|outer| self.namespace(outer, first))?;
        names.try_fold(start, |inner, name| self.namespace(inner, name))
    }

    fn new_scope(&mut self, parent: ScopeId, name: &str) -> ScopeId {
        let name = self.qualified(parent, name);
        self.scopes.push(Scope { parent: Some(parent), name, ..Scope::default() });
        ScopeId(self.scopes.len() - 1)
    }

    fn new_value(&mut self, scope: ScopeId, name: &'t str, entry: ValueEntry<'t>) {
        let id = ValueId(self.values.len());
        self.values.push(ValueSymbol { scope, entry });
        // Two enums may share an enumerator in Slang, where only qualified names reach it.
        self.scopes[scope.0].values.entry(name).or_insert(id);
    }
}

fn address(kind: &TypeKind<'_>) -> Option<*const ()> {
    match kind {
        TypeKind::Struct(declaration) => Some(std::ptr::from_ref(&**declaration).cast()),
        TypeKind::Enum(declaration) => Some(std::ptr::from_ref(&**declaration).cast()),
        TypeKind::Path(_) => None,
    }
}

impl<'t> Elaborator<'t> {
    /// Enters the names of `items` into `scope`.
    pub(super) fn collect(&mut self, items: &'t [Item<'t>], scope: ScopeId) {
        for item in items {
            match item {
                Item::Declaration(declaration) => self.collect_declaration(declaration, scope),
                Item::Function(function) => self.mention(function.name, scope),
                Item::Buffer(buffer) => self.collect_buffer(buffer, scope),
                Item::Namespace { path, items } => {
                    let inner = self.open_namespace(path, scope);
                    self.collect(items, inner);
                }
                Item::Alias { name, ty } => {
                    let entry = TypeEntry::Alias { ty, declarator: None, order: None };
                    self.new_type(*name, scope, entry);
                }
                Item::Using { path } => self.symbols.scopes[scope.0].using.push(path),
                Item::Interface { name } => {
                    self.new_type(*name, scope, TypeEntry::Interface);
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
        path.iter().fold(scope, |outer, name| match self.symbols.namespace(outer, name.text) {
            Some(inner) => inner,
            None => {
                let inner = self.symbols.new_scope(outer, name.text);
                self.symbols.scopes[outer.0].namespaces.insert(name.text, inner);
                inner
            }
        })
    }

    fn mention(&mut self, name: Name<'t>, scope: ScopeId) {
        self.symbols.scopes[scope.0].mentioned.insert(name.text, name.span);
    }

    /// Two buffers of one name are two buffers (measured with DXC 1.7.2308), so nothing is compared here.
    fn collect_buffer(&mut self, buffer: &'t BufferDeclaration<'t>, scope: ScopeId) {
        self.mention(buffer.name, scope);
        self.collect(&buffer.items, scope);
    }

    fn collect_declaration(&mut self, declaration: &'t Declaration<'t>, scope: ScopeId) {
        let is_typedef = declaration.prefix.has("typedef");
        self.collect_inline(declaration, scope, is_typedef);
        for declarator in &declaration.declarators {
            if is_typedef {
                let order = super::resolve::order(&declaration.prefix);
                let entry = TypeEntry::Alias { ty: &declaration.ty, declarator: Some(declarator), order };
                self.new_type(declarator.name, scope, entry);
                continue;
            }
            self.mention(declarator.name, scope);
            let constant = declaration.prefix.has("const") || declaration.prefix.has("let");
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
                let scope_inside = self.symbols.new_scope(scope, name.text);
                self.symbols.scopes[scope_inside.0].generic = generics.is_some();
                let entry = TypeEntry::Struct { declaration: inner, generics, inner: scope_inside };
                self.new_inline(&declaration.ty.kind, (inner.name, name), scope, entry);
                self.collect(&inner.items, scope_inside);
            }
            TypeKind::Enum(inner) => {
                let name = if inner.name.text.is_empty() { alias.unwrap_or(inner.name) } else { inner.name };
                let id = self.new_inline(&declaration.ty.kind, (inner.name, name), scope, TypeEntry::Enum(inner));
                self.collect_enumerators(inner, id, scope);
            }
        }
    }

    /// Enters a type under its own name, and gives an anonymous one the name of its typedef to be shown by.
    fn new_inline(
        &mut self,
        kind: &TypeKind<'t>,
        (own, shown): (Name<'t>, Name<'t>),
        scope: ScopeId,
        entry: TypeEntry<'t>,
    ) -> TypeId {
        let id = self.new_type(own, scope, entry);
        if !shown.text.is_empty() {
            self.symbols.types[id.0].name = self.symbols.qualified(scope, shown.text);
        }
        if let Some(address) = address(kind) {
            self.symbols.inline.insert(address, id);
        }
        id
    }

    fn collect_enumerators(&mut self, declaration: &'t EnumDeclaration<'t>, id: TypeId, scope: ScopeId) {
        let inner = self.symbols.new_scope(scope, declaration.name.text);
        if !declaration.name.text.is_empty() {
            self.symbols.scopes[scope.0].namespaces.entry(declaration.name.text).or_insert(inner);
        }
        for (index, (name, _)) in declaration.enumerators.iter().enumerate() {
            let entry = ValueEntry::Enumerator { declaration: id, index };
            if self.symbols.scopes[inner.0].values.contains_key(name.text) {
                self.redefinition(*name, "enumerator", None);
            }
            self.symbols.new_value(inner, name.text, entry);
            if declaration.unscoped {
                self.symbols.new_value(scope, name.text, entry);
            }
        }
    }

    fn new_type(&mut self, name: Name<'t>, scope: ScopeId, entry: TypeEntry<'t>) -> TypeId {
        let id = TypeId(self.symbols.types.len());
        let qualified = if name.text.is_empty() { String::new() } else { self.symbols.qualified(scope, name.text) };
        self.symbols.types.push(TypeSymbol { name: qualified, scope, entry, span: name.span });
        if name.text.is_empty() {
            return id;
        }
        match self.symbols.scopes[scope.0].types.get(name.text).map(|earlier| self.symbols.ty(*earlier)) {
            Some(earlier) if !same_alias(&earlier.entry, &entry) => {
                let span = earlier.span;
                self.redefinition(name, "type", Some(span));
            }
            Some(_) | None => {
                self.symbols.scopes[scope.0].types.insert(name.text, id);
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
        TypeEntry::Alias { .. } | TypeEntry::Struct { .. } | TypeEntry::Enum(_) | TypeEntry::Interface => None,
    };
    plain(earlier).is_some_and(|name| plain(later).as_ref() == Some(&name))
}
