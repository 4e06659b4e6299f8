//! The functions and variables of a source, by declaring scope: the possible meanings of a name in a body.

use std::collections::HashMap;

use crate::ast::{DeclarationSyntax, Declarator, Item, TypeKind};
use crate::elaborate::Elaborator;
use crate::elaborate::entry::ScopedFunction;
use crate::elaborate::scope::{ScopeId, TypeId};

#[derive(Clone, Copy, Debug)]
pub(super) struct DeclaredVariable<'t> {
    pub(super) declaration: &'t DeclarationSyntax<'t>,
    pub(super) declarator: &'t Declarator<'t>,
}

impl DeclaredVariable<'_> {
    /// Returns true for variables that keep a value and are not parameters.
    fn is_lasting(&self) -> bool {
        self.declaration.prefix.has("static") || self.declaration.prefix.has("groupshared")
    }
}

/// The functions and variables that each scope declares.
#[derive(Debug, Default)]
pub(super) struct Catalogue<'t> {
    /// Indices into the functions of the source, by scope and name.
    functions: HashMap<ScopeId, HashMap<&'t str, Vec<usize>>>,
    variables: HashMap<ScopeId, HashMap<&'t str, DeclaredVariable<'t>>>,
    /// For the scope inside a struct, that struct.
    structs: HashMap<ScopeId, TypeId>,
    /// Indices of the methods with each name, over all structs.
    methods: HashMap<&'t str, Vec<usize>>,
    /// True if a call may run anything except the one function with its name.
    pub(super) needs_types: bool,
}

impl<'t> Catalogue<'t> {
    pub(super) fn new(
        elaborator: &Elaborator<'t>,
        functions: &[ScopedFunction<'t>],
        modules: &[&'t [Item<'t>]],
        roots: &[ScopeId],
    ) -> Self {
        let mut catalogue = Self::default();
        let symbols = &elaborator.symbols;

        for id in symbols.type_ids() {
            if let Some(inside) = symbols.inside(id) {
                catalogue.structs.insert(inside, id);
            }
        }

        for (index, ScopedFunction { declaration: function, scope }) in functions.iter().enumerate() {
            let of_name = catalogue.functions.entry(*scope).or_default().entry(function.name.text).or_default();
            of_name.push(index);
            let has_default = |function: &ScopedFunction<'t>| {
                let parameters = function.declaration.parameters.as_deref().unwrap_or_default();
                parameters.iter().any(|parameter| !parameter.declarator.initialised.is_empty())
            };
            let is_method = catalogue.structs.contains_key(scope);
            catalogue.needs_types |=
                is_method || of_name.len() > 1 || function.prefix.generics.is_some() || has_default(&functions[index]);
            if is_method {
                catalogue.methods.entry(function.name.text).or_default().push(index);
            }
        }

        for (items, root) in modules.iter().zip(roots) {
            catalogue.gather(elaborator, items, *root);
        }

        catalogue
    }

    /// Records the variables that `items` declare in `scope`. The members of a buffer are names in the enclosing scope.
    fn gather(&mut self, elaborator: &Elaborator<'t>, items: &'t [Item<'t>], scope: ScopeId) {
        let symbols = &elaborator.symbols;
        for item in items {
            match item {
                Item::Declaration(declaration) => self.gather_declaration(elaborator, declaration, scope),
                Item::Buffer(buffer) => self.gather(elaborator, &buffer.items, scope),
                Item::Namespace { path, items } => {
                    let inner = path.iter().try_fold(scope, |outer, name| symbols.namespace(outer, name.text));
                    if let Some(inner) = inner {
                        self.gather(elaborator, items, inner);
                    }
                }
                _ => {}
            }
        }
    }

    /// Records the variables of a declaration, and those inside the struct that it declares.
    fn gather_declaration(
        &mut self,
        elaborator: &Elaborator<'t>,
        declaration: &'t DeclarationSyntax<'t>,
        scope: ScopeId,
    ) {
        for declarator in &declaration.declarators {
            let variable = DeclaredVariable { declaration, declarator };
            self.variables.entry(scope).or_default().entry(declarator.name.text).or_insert(variable);
        }

        let TypeKind::Struct(structure) = &declaration.ty.kind else { return };
        let symbols = &elaborator.symbols;
        let inside = symbols.inline(&declaration.ty.kind).and_then(|id| symbols.inside(id));
        if let Some(inside) = inside {
            self.gather(elaborator, &structure.items, inside);
        }
    }

    /// Returns the functions that `scope` itself declares as `name`.
    pub(super) fn functions(&self, scope: ScopeId, name: &str) -> &[usize] {
        self.functions.get(&scope).and_then(|names| names.get(name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the methods `name` of all structs.
    pub(super) fn methods(&self, name: &str) -> &[usize] {
        self.methods.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the variable that `scope` itself declares as `name`.
    pub(super) fn variable(&self, scope: ScopeId, name: &str) -> Option<DeclaredVariable<'t>> {
        self.variables.get(&scope)?.get(name).copied()
    }

    /// Returns the `static` and `groupshared` variables with their declaring scopes, in the order of the text.
    pub(super) fn lasting(&self) -> Vec<(ScopeId, &'t str, DeclaredVariable<'t>)> {
        let all =
            self.variables.iter().flat_map(|(scope, names)| names.iter().map(|(name, found)| (*scope, *name, *found)));
        let mut found: Vec<_> = all.filter(|(.., variable)| variable.is_lasting()).collect();
        found.sort_by_key(|(.., variable)| (variable.declarator.name.span.file, variable.declarator.name.span.start));
        found
    }

    /// Returns the struct that `scope` is the inside of.
    pub(super) fn structure(&self, scope: ScopeId) -> Option<TypeId> {
        self.structs.get(&scope).copied()
    }
}
