//! The names of a source. Each namespace and struct has one scope. All scopes are filled before
//! anything is resolved, because Slang allows the use of a name before its declaration.

use std::collections::{HashMap, HashSet};

use layoutproof_layout::Span;
use layoutproof_layout::shape::MatrixOrder;

use crate::ast::{
    Declarator, EnumDeclaration, Expression, GenericParameter, Identifier, NamePath, StructDeclaration, TypeExpression,
    TypeKind,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TypeId(usize);

/// Index of a declared constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ValueId(usize);

/// The global scope of the source itself. Each imported module has another one.
pub(super) const GLOBAL: ScopeId = ScopeId(0);

#[derive(Debug, Default)]
pub(super) struct SymbolScope<'t> {
    pub(super) parent: Option<ScopeId>,
    /// Qualified name; empty for the global scope.
    pub(super) name: String,
    types: HashMap<&'t str, TypeId>,
    values: HashMap<&'t str, ValueId>,
    namespaces: HashMap<&'t str, ScopeId>,
    /// Parameters, members of buffers and functions: the names that a body may use.
    pub(super) mentioned: HashMap<&'t str, Span>,
    /// True for the inside of a generic struct.
    pub(super) generic: bool,
    using: Vec<&'t NamePath<'t>>,
    /// Index of the declaring module.
    module: usize,
    /// Names that other modules do not see. Empty unless the module marks some of its names as public.
    hidden: HashSet<&'t str>,
}

/// The sources of names for one Slang module. Each module sees its own names, and the public ones
/// of the modules that it imports (Slang user guide, "Modules and Access Control"). slangc
/// 2026.14.1 lets two modules use the same private names.
#[derive(Debug)]
struct ModuleScopes {
    /// The namespaces that the module declares, by qualified name; "" is the global one.
    namespaces: HashMap<String, ScopeId>,
    /// Indices of the modules that it imports, including those that these re-export.
    imports: Vec<usize>,
    /// True if it marks some declarations as public, so that the others are private.
    has_public: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum TypeEntry<'t> {
    Struct {
        declaration: &'t StructDeclaration<'t>,
        generics: Option<&'t [GenericParameter<'t>]>,
        inner: ScopeId,
    },
    Enum(&'t EnumDeclaration<'t>),
    Alias {
        ty: &'t TypeExpression<'t>,
        declarator: Option<&'t Declarator<'t>>,
        /// The matrix order given by the modifiers of its declaration.
        order: Option<MatrixOrder>,
        /// The parameters of Slang's `typealias A<T> = ...`, and the scope that contains them.
        generics: Option<(&'t [GenericParameter<'t>], ScopeId)>,
    },
    Interface {
        any_value_size: Option<&'t Expression<'t>>,
    },
    /// A declaration of this kind, which is an error only where it is used.
    Unread(&'static str),
}

/// A declared type with the place of its declaration.
#[derive(Clone, Debug)]
pub(super) struct TypeSymbol<'t> {
    /// Qualified name; empty for an anonymous type.
    pub(super) name: String,
    pub(super) scope: ScopeId,
    pub(super) entry: TypeEntry<'t>,
    pub(super) span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ValueSymbol<'t> {
    pub(super) scope: ScopeId,
    pub(super) entry: ValueEntry<'t>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ValueEntry<'t> {
    /// `static const int N = 4;`.
    Constant { ty: &'t TypeExpression<'t>, value: &'t Expression<'t> },
    /// `extern static const int N;`: another module defines the value.
    Linked { name: Identifier<'t> },
    /// `[SpecializationConstant] const int N = 4;`: the application chooses the value when it creates the pipeline.
    Specialised { name: Identifier<'t> },
    /// By its position in the enum.
    Enumerator { declaration: TypeId, index: usize },
}

#[derive(Debug)]
pub(super) struct Symbols<'t> {
    scopes: Vec<SymbolScope<'t>>,
    types: Vec<TypeSymbol<'t>>,
    values: Vec<ValueSymbol<'t>>,
    /// Types declared inside other declarations, by the address of their declaration.
    inline: HashMap<*const (), TypeId>,
    specialisations: HashMap<TypeId, Vec<TypeId>>,
    /// The source itself and the modules that it imports.
    modules: Vec<ModuleScopes>,
    /// Structs that define Slang attributes: `[Tag(1)]` is a `struct TagAttribute`.
    attributes: HashSet<TypeId>,
}

impl<'t> Symbols<'t> {
    pub(super) fn new() -> Self {
        let own = ModuleScopes {
            namespaces: HashMap::from([(String::new(), GLOBAL)]),
            imports: Vec::new(),
            has_public: false,
        };
        Self {
            modules: vec![own],
            attributes: HashSet::new(),
            scopes: vec![SymbolScope::default()],
            types: Vec::new(),
            values: Vec::new(),
            inline: HashMap::new(),
            specialisations: HashMap::new(),
        }
    }

    pub(super) fn scope(&self, id: ScopeId) -> &SymbolScope<'t> {
        &self.scopes[id.0]
    }

    pub(super) fn ty(&self, id: TypeId) -> &TypeSymbol<'t> {
        &self.types[id.0]
    }

    pub(super) fn inside(&self, id: TypeId) -> Option<ScopeId> {
        match self.ty(id).entry {
            TypeEntry::Struct { inner, .. } => Some(inner),
            TypeEntry::Enum(_) | TypeEntry::Alias { .. } | TypeEntry::Interface { .. } | TypeEntry::Unread(_) => None,
        }
    }

    /// Returns true if `id` is a struct with generic parameters.
    pub(super) fn is_template(&self, id: TypeId) -> bool {
        matches!(self.ty(id).entry, TypeEntry::Struct { generics: Some(_), .. })
    }

    /// Returns the specialisations of the template `id`, in the order of the text.
    pub(super) fn specialisations(&self, id: TypeId) -> &[TypeId] {
        self.specialisations.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn add_specialisation(&mut self, template: TypeId, id: TypeId) {
        self.specialisations.entry(template).or_default().push(id);
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

    /// Returns the type that a type expression declares in place.
    pub(super) fn inline(&self, kind: &TypeKind<'t>) -> Option<TypeId> {
        self.inline.get(&address(kind)?).copied()
    }

    pub(super) fn qualified(&self, scope: ScopeId, name: &str) -> String {
        match self.scope(scope).name.as_str() {
            "" => name.to_owned(),
            outer => format!("{outer}::{name}"),
        }
    }

    /// Returns `scope` and its parents, innermost first.
    pub(super) fn outwards(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(scope), |id| self.scope(*id).parent)
    }

    /// Opens the next module. `imports` holds the indices of the modules that it imports.
    pub(super) fn new_module(&mut self, imports: Vec<usize>, has_public: bool) -> ScopeId {
        let root = ScopeId(self.scopes.len());
        self.scopes.push(SymbolScope { module: self.modules.len(), ..SymbolScope::default() });
        let namespaces = HashMap::from([(String::new(), root)]);
        self.modules.push(ModuleScopes { namespaces, imports, has_public });
        root
    }

    pub(super) fn set_imports(&mut self, imports: Vec<usize>) {
        self.modules[0].imports = imports;
    }

    /// Gives each module an empty part of the namespaces that only other modules declare. A name in
    /// such a namespace is then looked up through the module's imports.
    pub(super) fn share_namespaces(&mut self) {
        let roots: Vec<ScopeId> = self.modules.iter().filter_map(|module| module.namespaces.get("").copied()).collect();
        for to in &roots {
            for from in roots.iter().filter(|from| *from != to) {
                let mut pending = vec![(*from, *to)];
                while let Some((from, to)) = pending.pop() {
                    for (name, inner) in self.scope(from).namespaces.clone() {
                        match self.namespace(to, name) {
                            Some(own) => pending.push((inner, own)),
                            None if self.scope(to).types.contains_key(name) => {}
                            None => {
                                let new = self.new_namespace(to, name);
                                pending.push((inner, new));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Hides `name` of `scope` from other modules, if its module marks some names as public.
    pub(super) fn hide(&mut self, scope: ScopeId, name: &'t str) {
        let inner = &mut self.scopes[scope.0];
        if self.modules[inner.module].has_public {
            inner.hidden.insert(name);
        }
    }

    /// True in an imported module that shows only what it declares `public`.
    pub(super) fn hides(&self, scope: ScopeId) -> bool {
        self.modules[self.scope(scope).module].has_public
    }

    /// Applies `find` to the parts of the namespace `scope` in other modules. Tries the public
    /// names of the module's imports first, then all names (slangc either rejects the latter, or
    /// finds them in a way that is not modelled).
    fn in_other_modules<T>(&self, scope: ScopeId, name: &str, find: impl Fn(ScopeId) -> Option<T>) -> Option<T> {
        if self.modules.len() < 2 {
            return None;
        }
        let SymbolScope { module, name: path, .. } = self.scope(scope);
        let is_namespace = self.modules[*module].namespaces.get(path.as_str()) == Some(&scope);
        if !is_namespace {
            return None;
        }
        let same = |module: &usize| self.modules[*module].namespaces.get(path.as_str()).copied();
        let imported = self.modules[*module].imports.iter().filter_map(same);
        let found = imported.filter(|other| !self.scope(*other).hidden.contains(name)).find_map(&find);
        found.or_else(|| (0..self.modules.len()).filter(|other| other != module).find_map(|other| find(same(&other)?)))
    }

    pub(super) fn namespace(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        self.scope(scope).namespaces.get(name).copied()
    }

    /// Returns the namespace `name` in `scope` itself or a namespace that it uses.
    pub(super) fn namespace_in(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        let own = self.namespace(scope, name);
        let used = own.or_else(|| self.used(scope, name).find_map(|used| self.namespace(used, name)));
        used.or_else(|| self.in_other_modules(scope, name, |other| self.namespace(other, name)))
    }

    /// Returns the type `name` in `scope` itself or a namespace that it uses.
    pub(super) fn type_in(&self, scope: ScopeId, name: &str) -> Option<TypeId> {
        self.entry_in(scope, name, |scope| self.scope(scope).types.get(name).copied())
    }

    /// Returns true if `scope` itself declares the constant `name`.
    pub(super) fn declares_value(&self, scope: ScopeId, name: &str) -> bool {
        self.scope(scope).values.contains_key(name)
    }

    /// Returns the constant `name` in `scope` itself or a namespace that it uses.
    pub(super) fn value_in(&self, scope: ScopeId, name: &str) -> Option<ValueId> {
        self.entry_in(scope, name, |scope| self.scope(scope).values.get(name).copied())
    }

    /// Applies `find` to `scope`, to the namespaces that it uses, and to other modules' parts of either.
    fn entry_in<T>(&self, scope: ScopeId, name: &str, find: impl Fn(ScopeId) -> Option<T>) -> Option<T> {
        if let Some(own) = find(scope) {
            return Some(own);
        }
        let used = self.used(scope, name).find_map(|used| {
            let own = find(used);
            own.or_else(|| self.in_other_modules(used, name, &find))
        });
        used.or_else(|| self.in_other_modules(scope, name, &find))
    }

    /// Returns the nearest scope, from `scope` outwards, with a parameter or function `name`.
    pub(super) fn mentioned(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        let has = |id: &ScopeId| self.scope(*id).mentioned.contains_key(name);
        self.outwards(scope).find_map(|id| {
            let here = Some(id).filter(has).or_else(|| self.used(id, name).find(has));
            here.or_else(|| self.in_other_modules(id, name, |other| Some(other).filter(has)))
        })
    }

    pub(super) fn set_attribute(&mut self, id: TypeId) {
        self.attributes.insert(id);
    }

    pub(super) fn is_attribute(&self, id: TypeId) -> bool {
        self.attributes.contains(&id)
    }

    /// Returns the scopes that `using` opens for `name` in `scope`.
    fn used(&self, scope: ScopeId, name: &str) -> impl Iterator<Item = ScopeId> {
        self.scope(scope).using.iter().filter_map(move |path| {
            let (last, outer) = path.parts.split_last()?;
            let whole = self.walk(scope, path.parts.iter().map(|part| part.name.text));
            let named = || self.walk(scope, outer.iter().map(|part| part.name.text));
            whole.or_else(|| if last.name.text == name { named() } else { None })
        })
    }

    /// Returns the namespace at the end of `names`, looked up from `scope` outwards.
    fn walk<'n>(&self, scope: ScopeId, names: impl Iterator<Item = &'n str> + Clone) -> Option<ScopeId> {
        let mut names = names;
        let first = names.next()?;
        // `namespace_in` would follow `using` and so recurse into this function.
        let inside = |scope: ScopeId, name: &str| {
            let own = self.namespace(scope, name);
            own.or_else(|| self.in_other_modules(scope, name, |other| self.namespace(other, name)))
        };
        let start = self.outwards(scope).find_map(|outer| inside(outer, first))?;
        names.try_fold(start, inside)
    }

    /// Enters a namespace into `parent`. That of an anonymous enum has no name.
    pub(super) fn new_namespace(&mut self, parent: ScopeId, name: &'t str) -> ScopeId {
        let inner = self.new_scope(parent, name, false);
        if !name.is_empty() {
            self.scopes[parent.0].namespaces.entry(name).or_insert(inner);
            let SymbolScope { module, name: path, .. } = &self.scopes[inner.0];
            self.modules[*module].namespaces.entry(path.clone()).or_insert(inner);
        }
        inner
    }

    pub(super) fn new_scope(&mut self, parent: ScopeId, name: &str, generic: bool) -> ScopeId {
        let (name, module) = (self.qualified(parent, name), self.scope(parent).module);
        self.scopes.push(SymbolScope { parent: Some(parent), name, generic, module, ..SymbolScope::default() });
        ScopeId(self.scopes.len() - 1)
    }

    /// Creates a scope for the generic parameters of a function in `parent`, with the name of `parent`.
    pub(super) fn generic_scope(&mut self, parent: ScopeId) -> ScopeId {
        let SymbolScope { name, module, .. } = self.scope(parent);
        let (name, module) = (name.clone(), *module);
        self.scopes.push(SymbolScope { parent: Some(parent), name, generic: true, module, ..SymbolScope::default() });
        ScopeId(self.scopes.len() - 1)
    }

    /// Enters a type. The first one with a name keeps it; for a later one, returns the first type as well.
    pub(super) fn new_type(
        &mut self,
        name: Identifier<'t>,
        scope: ScopeId,
        entry: TypeEntry<'t>,
    ) -> (TypeId, Option<TypeSymbol<'t>>) {
        let id = TypeId(self.types.len());
        let qualified = if name.text.is_empty() { String::new() } else { self.qualified(scope, name.text) };
        self.types.push(TypeSymbol { name: qualified, scope, entry, span: name.span });

        if name.text.is_empty() {
            return (id, None);
        }
        let first = *self.scopes[scope.0].types.entry(name.text).or_insert(id);
        (id, if first == id { None } else { Some(self.ty(first).clone()) })
    }

    /// Records that `kind` declares the type `id`, and sets the name that messages show to `shown` in `scope`.
    pub(super) fn declare_inline(&mut self, id: TypeId, kind: &TypeKind<'t>, scope: ScopeId, shown: &str) {
        if !shown.is_empty() {
            self.types[id.0].name = self.qualified(scope, shown);
        }
        if let Some(address) = address(kind) {
            self.inline.insert(address, id);
        }
    }

    pub(super) fn mention(&mut self, scope: ScopeId, name: Identifier<'t>) {
        self.scopes[scope.0].mentioned.insert(name.text, name.span);
    }

    pub(super) fn add_using(&mut self, scope: ScopeId, path: &'t NamePath<'t>) {
        self.scopes[scope.0].using.push(path);
    }

    pub(super) fn new_value(&mut self, scope: ScopeId, name: &'t str, entry: ValueEntry<'t>) {
        let id = ValueId(self.values.len());
        self.values.push(ValueSymbol { scope, entry });
        let known = self.scopes[scope.0].values.get(name).map(|known| self.values[known.0].entry);
        if let Some(ValueEntry::Linked { .. }) = known {
            self.scopes[scope.0].values.remove(name);
        }
        // In Slang, two enums may share an enumerator, which code then reaches only by its qualified name.
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
