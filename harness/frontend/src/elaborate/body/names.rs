//! The functions and variables of a source, by declaring scope: the possible meanings of a name in a body.

use std::collections::HashMap;
use std::sync::Arc;

use layoutproof_layout::shape::{StructType, Type};

use super::BodyWalk;
use super::calls::FunctionCandidate;
use super::value::{INT, ValueType};
use crate::ast::{DeclarationSyntax, Declarator, GenericArgument, Identifier, Item, PathPart, TypeKind};
use crate::elaborate::Elaborator;
use crate::elaborate::entry::ScopedFunction;
use crate::elaborate::lookup::{GenericValue, LookupContext};
use crate::elaborate::resolve::order;
use crate::elaborate::scope::{ScopeId, TypeId};
use crate::parser::{Parser, generic_arguments_end};
use layoutproof_preprocess::lexer::TokenKind;

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
                Item::Buffer(buffer) if buffer.instance.is_none() => self.gather(elaborator, &buffer.items, scope),
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

    pub(super) fn structure(&self, scope: ScopeId) -> Option<TypeId> {
        self.structs.get(&scope).copied()
    }
}

/// Maximum number of nested base structs to search.
const MOST_BASES: usize = 48;

/// A qualified name with generic arguments: `N::Pair<float>::first<int>`.
#[derive(Debug)]
pub(super) struct QualifiedName<'t> {
    /// The names before the last `::`.
    pub(super) outer: Vec<PathPart<'t>>,
    pub(super) name: &'t str,
    pub(super) arguments: Option<Vec<GenericArgument<'t>>>,
    /// The token after the name.
    pub(super) end: usize,
}

impl QualifiedName<'_> {
    /// Returns the name as written, without generic arguments.
    pub(super) fn written(&self) -> String {
        let names: Vec<&str> = self.outer.iter().map(|part| part.name.text).chain([self.name]).collect();
        names.join("::")
    }
}

impl<'t> BodyWalk<'_, 't> {
    pub(super) fn qualified_name(&self, at: usize) -> QualifiedName<'t> {
        let mut found = QualifiedName { outer: Vec::new(), name: "", arguments: None, end: at };
        loop {
            let token = self.source.token(found.end);
            let name = Identifier { text: token.text, span: token.span };

            // A `<` opens generic arguments only if a call or another name follows the `>`. Otherwise it compares.
            let mut end = found.end + 1;
            let mut arguments = None;
            let behind = generic_arguments_end(self.source, end);
            if let Some(behind) = behind.filter(|behind| {
                matches!(self.source.token(*behind).kind, TokenKind::LeftParenthesis | TokenKind::ColonColon)
            }) {
                arguments = Parser::new(self.source, end).generic_arguments().ok();
                end = behind;
            }

            let goes_on = self.source.token(end).kind == TokenKind::ColonColon
                && self.source.token(end + 1).kind == TokenKind::Identifier;
            if !goes_on {
                return QualifiedName { name: token.text, arguments, end, ..found };
            }
            found.outer.push(PathPart { name, arguments });
            found.end = end + 1;
        }
    }

    /// Returns the methods `name` of a struct, or else of its nearest base that has some.
    pub(super) fn methods_of(&self, ty: &Arc<StructType>, name: &str) -> Vec<FunctionCandidate> {
        let owners = std::iter::successors(Some(ty), |ty| ty.base.as_ref()).take(MOST_BASES);
        for owner in owners {
            let Some(found) = self.elaborator.specialisations.get(&Arc::as_ptr(owner)) else { continue };
            let functions = self.calls.catalogue.functions(found.context.scope, name);
            if !functions.is_empty() {
                let candidate = |function: &usize| FunctionCandidate {
                    function: *function,
                    context: found.context.clone(),
                    this: Some(Arc::clone(owner)),
                };
                return functions.iter().map(candidate).collect();
            }
        }

        Vec::new()
    }

    /// Returns the functions that an unqualified `name` may refer to here: those in the nearest scope that has some.
    pub(super) fn candidates(&self, name: &str) -> Vec<FunctionCandidate> {
        let symbols = &self.elaborator.symbols;
        for scope in symbols.outwards(self.context.scope) {
            if self.calls.catalogue.structure(scope).is_some() {
                let found = self.this.as_ref().map_or_else(Vec::new, |this| self.methods_of(this, name));
                if !found.is_empty() {
                    return found;
                }
            }
            let found = self.candidates_in(scope, name);
            if !found.is_empty() {
                return found;
            }
        }

        let used = symbols.mentioned(self.context.scope, name);
        used.map_or_else(Vec::new, |scope| self.candidates_in(scope, name))
    }

    fn candidates_in(&self, scope: ScopeId, name: &str) -> Vec<FunctionCandidate> {
        let context = self.elaborator.seen_from(&self.context, scope);
        self.plain_functions(&context, name)
    }

    /// Returns the functions that the scope of `context` itself declares, without an object.
    fn plain_functions(&self, context: &LookupContext, name: &str) -> Vec<FunctionCandidate> {
        let functions = self.calls.catalogue.functions(context.scope, name);
        let candidate =
            |function: &usize| FunctionCandidate { function: *function, context: context.clone(), this: None };
        functions.iter().map(candidate).collect()
    }

    pub(super) fn qualified_candidates(&mut self, outer: &[PathPart<'t>], name: &str) -> Vec<FunctionCandidate> {
        if let [part] = outer {
            let bound = self.context.bindings.iter().find(|binding| binding.name == part.name.text);
            if let Some(GenericValue::Type(Type::Struct(ty))) = bound.map(|binding| binding.value.clone()) {
                return self.methods_of(&ty, name);
            }
        }

        let Some(inside) = self.inside(outer) else { return Vec::new() };
        let own = self.calls.catalogue.structure(inside.scope);
        let ty = own.and_then(|id| self.elaborator.finished_struct(id, &inside));
        match ty {
            Some(ty) => self.methods_of(&ty, name),
            None => self.plain_functions(&inside, name),
        }
    }

    /// Returns the context inside the namespace or struct `outer`.
    fn inside(&mut self, outer: &[PathPart<'t>]) -> Option<LookupContext> {
        let span = outer.first()?.name.span;
        let context = self.context.clone();
        self.elaborator.quietly(|elaborator| elaborator.qualifier(outer, span, &context))
    }

    /// Returns the type of the variable `name`: a local, a member of `this` or a global.
    pub(super) fn variable(&mut self, name: &str) -> ValueType {
        if let Some(local) = self.locals.find(name) {
            return local.ty.clone();
        }
        if let Some(member) = self.this.as_ref().and_then(|this| this.member(name)) {
            return Some(member.ty.clone());
        }

        let symbols = &self.elaborator.symbols;
        if let Some(scope) = symbols.mentioned(self.context.scope, name) {
            if self.calls.catalogue.variable(scope, name).is_some() {
                let context = self.elaborator.seen_from(&self.context, scope);
                return self.declared_variable(&context, name);
            }
        }
        // For calls, enumerators and generic arguments count as integers.
        symbols.outwards(self.context.scope).any(|scope| symbols.value_in(scope, name).is_some()).then_some(INT)
    }

    pub(super) fn qualified_variable(&mut self, outer: &[PathPart<'t>], name: &str) -> ValueType {
        let context = self.inside(outer)?;
        self.declared_variable(&context, name)
    }

    fn declared_variable(&mut self, context: &LookupContext, name: &str) -> ValueType {
        let variable = self.calls.catalogue.variable(context.scope, name)?;
        let (declaration, declarator) = (variable.declaration, variable.declarator);
        self.elaborator
            .quietly(|elaborator| elaborator.declared(&declaration.ty, order(&declaration.prefix), declarator, context))
    }
}
