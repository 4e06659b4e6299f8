//! Converts declarations as written to a [`Module`]: looks up names, evaluates constants,
//! specialises generics and refuses declarations that cannot have a layout.
//!
//! First `scope` records every name, then everything is resolved in declaration order. For methods
//! that return an [`Option`], `None` means that they have reported the problem.

mod annotation;
mod attributes;
mod body;
mod buffer;
mod builtin;
mod collect;
mod constant;
mod entry;
mod generic;
mod instance;
mod interface_value;
mod lookup;
mod measure;
mod names;
mod parameter;
mod record;
mod resolve;
mod scope;
mod specialisation;
mod unused;
mod views;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use constant::ConstantResult;
use generic::Specialisation;
use layoutproof_layout::Span;
use layoutproof_layout::shape::{Member, StructType, Type};
use lookup::{GenericValue, LookupContext};
pub(super) use measure::{LONGEST_LISTING, TypeMeasures};
pub(super) use parameter::are_push_constants;
use record::StructState;
use resolve::{AliasState, NamedType};
use scope::{GLOBAL, ScopeId, Symbols, TypeId, ValueId};
use unused::TypeKey;

use super::ast::{Declarator, Item};
use super::parser::BracketedTokens;
use crate::module::{Module, NamespaceRank};
use layoutproof_preprocess::problems::ProblemList;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Maximum depth of references between structs, aliases and constants. Together with the parser's
/// limit, this keeps the stack small.
const DEEPEST: u32 = 48;

#[derive(Debug)]
pub(super) struct Elaborator<'t> {
    source: &'t BracketedTokens<'t>,
    entry: Option<&'t str>,
    symbols: Symbols<'t>,
    constants: HashMap<(ValueId, Rc<str>), ConstantResult>,
    /// The values of each enum's enumerators, per set of generic arguments.
    enumerators: HashMap<TypeKey, Vec<ConstantResult>>,
    structs: HashMap<TypeKey, StructState>,
    /// The declaration and arguments of each struct in `structs`, by its address.
    specialisations: HashMap<*const StructType, Specialisation>,
    aliases: HashMap<TypeKey, AliasState>,
    /// True if the source is Slang and not also HLSL.
    is_slang: bool,
    /// Problems of each type, in Slang.
    type_problems: HashMap<TypeKey, Vec<Diagnostic>>,
    /// Problems of types that are not supported. Only a use makes them errors.
    not_understood: Vec<Diagnostic>,
    /// For each struct made from a template, by its name, the template and the arguments.
    instances: HashMap<String, (TypeId, Vec<GenericValue>)>,
    optionals: Vec<Arc<StructType>>,
    /// The contexts inside structs, by struct name.
    insides: HashMap<String, LookupContext>,
    measures: TypeMeasures,
    /// Cache of name suggestions, by unknown type name.
    similar_types: HashMap<String, Option<String>>,
    /// Pointee types, by spelling.
    pointees: BTreeMap<String, NamedType>,
    /// True if the source uses `vk::BufferPointer`, or the views of Slang are blocks.
    members_point: bool,
    /// The bodies, with the arguments of each instance.
    read_bodies: Vec<BodyInstance>,
    globals: Vec<Member>,
    /// Number of parameters before the first of them.
    globals_at: usize,
    /// Initialised `static` globals, in declaration order.
    statics: Vec<(&'t Declarator<'t>, ScopeId)>,
    module: Module,
    problems: ProblemList,
    depth: u32,
}

/// A body of a function, read with these arguments.
#[derive(Clone, Debug)]
struct BodyInstance {
    tokens: Range<usize>,
    context: LookupContext,
}

/// A module without names for its blocks yet.
#[derive(Debug)]
pub(super) struct ElaboratedModule {
    /// Everything except the blocks.
    pub(super) module: Module,
    pub(super) globals: Vec<Member>,
    /// Number of parameters before the first of them.
    pub(super) globals_at: usize,
    /// Pointee types, by spelling.
    pub(super) pointees: BTreeMap<String, Type>,
    /// True if the pointees of members are blocks: the source uses `vk::BufferPointer`, which HLSL
    /// allows only in members, or the views of Slang are blocks.
    pub(super) members_point: bool,
    /// See [`DeclareOptions::views`](layoutproof_preprocess::DeclareOptions::views).
    pub(super) views_are_blocks: bool,
    pub(super) measures: TypeMeasures,
    pub(super) problems: ProblemList,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ElaborationInput<'t> {
    /// The name of the entry point, if the user chose one.
    pub(super) entry: Option<&'t str>,
    /// The place of the source.
    pub(super) whole: Span,
    /// True if the source is Slang and not also HLSL.
    pub(super) is_slang: bool,
    /// See [`DeclareOptions::views`](layoutproof_preprocess::DeclareOptions::views).
    pub(super) views: bool,
}

/// Elaborates the declarations of a source and its imported modules, the source itself first.
pub(super) fn elaborate<'t>(
    source: &'t BracketedTokens<'t>,
    modules: &[&'t [Item<'t>]],
    ElaborationInput { entry, whole, is_slang, views }: ElaborationInput<'t>,
) -> ElaboratedModule {
    let mut elaborator = Elaborator { is_slang, members_point: views, ..Elaborator::new(source, entry) };

    // All names must be known before any lookup.
    let roots = elaborator.open_modules(modules);
    for (items, root) in modules.iter().zip(&roots) {
        elaborator.collect(items, *root);
    }
    elaborator.symbols.share_namespaces();
    elaborator.check_constants();

    let before = elaborator.problems.count();
    elaborator.check_types();
    elaborator.set_aside_what_is_not_understood(before);

    let (mut functions, mut own_functions, mut seen) = (Vec::new(), 0, HashMap::new());
    for (number, items) in modules.iter().enumerate() {
        let (parameters, globals) = (elaborator.module.parameters.len(), elaborator.globals.len());
        elaborator.parameters(items, roots[number], &mut seen, &mut functions);
        if is_slang {
            elaborator.sort_by_namespace(parameters, globals);
        }
        if number == 0 {
            elaborator.module.own_parameters = elaborator.module.parameters.len();
            own_functions = functions.len();
        }
    }

    let mut globals = std::mem::take(&mut elaborator.globals);
    elaborator.push_constants_among(&mut globals, is_slang);
    elaborator.check_unsized(&globals);

    // The entry points of an imported module do not belong to the source.
    elaborator.entry_points(&functions[..own_functions], whole);
    elaborator.bodies(&functions, modules, &roots);
    elaborator.module.views = elaborator.views();
    let pointees = elaborator.finish_pointees(whole);
    elaborator.warn_of_unused();
    elaborator.warn_of_interface_values();

    if !is_slang {
        elaborator.check_names(modules.first().copied().unwrap_or_default());
        elaborator.module.sixteen_bit_word = names::sixteen_bit_word(source);
    }
    let Elaborator { module, globals_at, members_point, measures, problems, .. } = elaborator;
    let views_are_blocks = views;
    ElaboratedModule { module, globals, globals_at, pointees, members_point, views_are_blocks, measures, problems }
}

impl<'t> Elaborator<'t> {
    /// Opens scopes for the source and its modules, in their order.
    fn open_modules(&mut self, modules: &[&'t [Item<'t>]]) -> Vec<ScopeId> {
        self.symbols.set_imports(self.source.imports_of(0));
        let imported = modules.iter().enumerate().skip(1).map(|(number, items)| {
            let has_public = items.iter().any(Item::is_public);
            self.symbols.new_module(self.source.imports_of(number), has_public)
        });
        std::iter::once(GLOBAL).chain(imported).collect()
    }

    /// Sorts the parameters and loose globals of one module into slangc's order. The module's own
    /// start at these indices.
    fn sort_by_namespace(&mut self, parameters: usize, globals: usize) {
        let Self { module, globals: members, .. } = self;
        let Module { parameters: all, namespaces, .. } = module;
        all[parameters..].sort_by_cached_key(|parameter| NamespaceRank::of(&parameter.name, namespaces));
        members[globals..].sort_by_cached_key(|member| NamespaceRank::of(&member.name, namespaces));
    }

    fn new(source: &'t BracketedTokens<'t>, entry: Option<&'t str>) -> Self {
        Self {
            source,
            entry,
            symbols: Symbols::new(),
            constants: HashMap::new(),
            enumerators: HashMap::new(),
            structs: HashMap::new(),
            specialisations: HashMap::new(),
            aliases: HashMap::new(),
            is_slang: false,
            type_problems: HashMap::new(),
            not_understood: Vec::new(),
            instances: HashMap::new(),
            optionals: Vec::new(),
            insides: HashMap::new(),
            similar_types: HashMap::new(),
            measures: TypeMeasures::default(),
            pointees: BTreeMap::new(),
            members_point: false,
            read_bodies: Vec::new(),
            globals: Vec::new(),
            globals_at: 0,
            statics: Vec::new(),
            module: Module::default(),
            problems: ProblemList::default(),
            depth: 0,
        }
    }

    /// Runs `step` one level deeper.
    fn guarded<T>(
        &mut self,
        span: Span,
        step: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        if self.depth >= DEEPEST {
            let message = format!("declarations depend on each other more than {DEEPEST} levels deep");
            return Err(Diagnostic::error(Code::TooDeep, span, message));
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// Runs `step` one level deeper, and reports if that is too deep.
    fn nested<T>(&mut self, span: Span, step: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let result = self.guarded(span, |elaborator| Ok(step(elaborator)));
        result.unwrap_or_else(|problem| self.problems.refuse(problem))
    }

    /// Evaluates every constant in declaration order, so that later ones find the earlier ones
    /// done, however many there are. A value that is not an integer constant is a problem only
    /// where one is required.
    fn check_constants(&mut self) {
        for id in self.symbols.value_ids() {
            let scope = self.symbols.value(id).scope;
            // A declaration inside a generic struct cannot be checked without arguments.
            if !self.symbols.outwards(scope).any(|outer| self.symbols.scope(outer).generic) {
                drop(self.constant(id, &LookupContext::plain(scope)));
            }
        }
    }

    fn check_enumerators(&mut self, id: TypeId) {
        let broken =
            self.enumerators.get(&(id, Rc::from(""))).into_iter().flatten().filter_map(|value| value.clone().err());
        broken.collect::<Vec<_>>().into_iter().for_each(|problem| self.problems.report(problem));
    }
}
