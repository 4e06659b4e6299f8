//! A shader module's declarations after elaboration: its parameters, its entry points, its blocks.

pub mod code;

use std::collections::HashMap;

use code::{Code, StaticVariable};
use layoutproof_layout::shape::{Member, Type};
use layoutproof_layout::{Annotations, Block, Span, StageData, ViewId};

use layoutproof_source::diagnostics::Diagnostic;

/// Everything that one source (and what it includes) declares, in declaration order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Global shader parameters: constant buffers, resources and loose globals.
    pub parameters: Vec<Parameter>,
    /// Number of parameters that the source itself declares. Those of imported modules follow, in first-import order.
    pub own_parameters: usize,
    /// Functions that a body or attributes make entry points.
    pub entry_points: Vec<EntryPoint>,
    /// Functions, for reachability (which parameters an entry point uses).
    pub functions: Vec<Function>,
    /// Initialised `static` globals, in declaration order, without those whose initialisers mention no name.
    pub statics: Vec<Static>,
    /// All `static` and `groupshared` variables, by name.
    pub variables: Vec<StaticVariable>,
    /// `static` members of buffers. They take no space, except in the SPIR-V of some DXC versions.
    pub buffer_statics: Vec<BufferStatic>,
    /// Blocks of bytes, in declaration order. Byte rule sets lay these out.
    pub blocks: Vec<Block>,
    /// Names of buffers declared inside other buffers.
    pub nested_buffers: Vec<Span>,
    /// Qualified names of the namespaces, in the order of their first declaration.
    pub namespaces: Vec<String>,
    /// Modules named by `import`, in first-import order.
    pub imports: Vec<String>,
    /// Memory that bodies reach without a declared block, in the order of the text.
    pub views: Vec<MemoryView>,
    /// The first word of an HLSL source that names a type which DXC knows only with `-enable-16bit-types`.
    pub sixteen_bit_word: Option<SixteenBitWord>,
    /// `N` of the name `SLANG_anonymous_N` that slangc makes up for a parameter or a struct without a name, by the place
    /// where the name is missing.
    pub generated_names: GeneratedNames,
    /// Problems that do not change a layout.
    pub warnings: Vec<Diagnostic>,
}

/// See [`Module::generated_names`].
pub type GeneratedNames = HashMap<Span, u32>;

impl Module {
    /// The block of this id; `None` in a module of which a listing left it out.
    pub fn block(&self, view: ViewId) -> Option<&Block> {
        self.blocks.iter().find(|block| block.view == view)
    }
}

/// A type of 16 bits in a source: `float16_t3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SixteenBitWord {
    pub name: String,
    pub span: Span,
}

/// Memory that a body reaches as a type, without a block that the source declares for it.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryView {
    pub kind: ViewKind,
    /// The type, as written.
    pub name: String,
    /// The type: for a descriptor heap the resource, else what is in memory. `None` if the text next to the access does
    /// not give it, or if it depends on generic arguments that no call gives.
    pub ty: Option<Type>,
    /// The local variable for it.
    pub variable: Option<String>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    /// A buffer fetched from a descriptor heap.
    DescriptorHeap,
    /// A load or store of a type in a buffer of bytes.
    RawAccess {
        /// True if the text gives the address.
        at_constant: bool,
    },
    /// Memory behind a pointer that no parameter has.
    Pointer,
    /// Data that a stage hands to another one.
    Stage(StageData),
}

/// Sort key for the order in which slangc visits the globals of a module.
///
/// slangc visits the globals outside namespaces first, then those in each first-level namespace,
/// then second-level, and so on. Namespaces of one level come in the order of their first
/// declaration, whatever they contain. Measured with slangc 2026.14.1.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamespaceRank {
    depth: usize,
    /// Indices of the enclosing namespaces, outermost first.
    around: Vec<usize>,
}

impl NamespaceRank {
    /// Returns the rank of the global with this qualified name. `namespaces` lists its module's namespaces, in order.
    pub fn of(name: &str, namespaces: &[String]) -> Self {
        let around = name.match_indices("::").map(|(end, _)| &name[..end]);
        let number = |path: &str| namespaces.iter().position(|namespace| namespace == path);
        let around: Vec<usize> = around.filter_map(number).collect();
        Self { depth: around.len(), around }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    Cbuffer,
    Tbuffer,
    /// A resource, or an array or struct that contains resources.
    Variable,
    /// A loose global with ordinary data.
    Global,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Qualified name.
    pub name: String,
    pub kind: ParameterKind,
    /// For `cbuffer` and `tbuffer`, a struct of the members.
    pub ty: Type,
    /// Registers, bindings and attributes.
    pub annotations: Annotations,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EntryPoint {
    pub name: String,
    /// `[shader("compute")]`, `[numthreads(...)]` and similar attributes.
    pub annotations: Annotations,
    /// Names of the generic parameters.
    ///
    /// The application chooses their arguments when it specialises the program, and these decide
    /// what the parameters consume. So the uniform data of a generic entry point is not a block,
    /// and its bound parameters have no rows.
    pub generics: Vec<String>,
    pub parameters: Vec<EntryParameter>,
    /// `None` for `void`.
    pub result: Option<Type>,
    pub result_semantic: Option<String>,
    pub span: Span,
}

impl EntryPoint {
    pub fn uniform_block(&self) -> String {
        format!("$Entry.{}", self.name)
    }

    /// Returns the declarations of the uniform parameters, separated by commas.
    pub fn uniform_parameters(&self) -> String {
        let uniform = self.parameters.iter().filter(|parameter| parameter.is_uniform());
        uniform.map(|parameter| parameter.text.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The stage that attributes other than `[shader]` and the semantics of its outputs imply, in
    /// the words of `[shader]`; `None` if they fit several stages.
    pub fn implied_stage(&self) -> Option<&'static str> {
        let has = |name| self.annotations.attribute(None, name).is_some();
        if has("outputtopology") && has("numthreads") {
            return Some("mesh");
        }
        let by_attribute = [
            ("patchconstantfunc", "hull"),
            ("numthreads", "compute"),
            ("maxvertexcount", "geometry"),
            ("domain", "domain"),
        ];
        if let Some((_, stage)) = by_attribute.into_iter().find(|(attribute, _)| has(attribute)) {
            return Some(stage);
        }

        let mut outputs: Vec<String> = self.result_semantic.iter().map(|name| name.to_ascii_lowercase()).collect();
        self.result.iter().for_each(|ty| add_semantics(ty, &mut outputs));
        for parameter in &self.parameters {
            if parameter.annotations.modifiers.iter().any(|word| word == "out" || word == "inout") {
                outputs.extend(parameter.annotations.semantic.iter().map(|name| name.to_ascii_lowercase()));
                add_semantics(&parameter.ty, &mut outputs);
            }
        }
        let writes = |names: &[&str]| outputs.iter().any(|output| names.iter().any(|name| output.starts_with(name)));
        if writes(&["sv_target", "sv_depth", "sv_coverage", "sv_stencilref"]) {
            return Some("pixel");
        }
        writes(&["sv_position"]).then_some("vertex")
    }
}

/// Adds the semantics of all members of a struct, in lower case.
fn add_semantics(ty: &Type, semantics: &mut Vec<String>) {
    let Type::Struct(structure) = ty.dimensions().0 else { return };
    for member in &structure.members {
        semantics.extend(member.annotations.semantic.iter().map(|name| name.to_ascii_lowercase()));
        add_semantics(&member.ty, semantics);
    }
}

/// An HLSL or Slang type that wraps an entry parameter's type to pass several values between stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StageWrapper {
    /// A plain type.
    #[default]
    None,
    /// `TriangleStream<T>` and similar streams. The parameter has type `T` here.
    Stream,
    /// `InputPatch<T, N>` or `OutputPatch<T, N>`. The parameter has an array type here.
    Patch,
    /// `OutputVertices<T, N>` or `OutputPrimitives<T, N>`. The parameter has an array type here.
    MeshOutput,
    /// `OutputIndices<T, N>`. The parameter has an array type here.
    MeshIndices,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EntryParameter {
    pub name: String,
    pub ty: Type,
    pub wrapper: StageWrapper,
    pub annotations: Annotations,
    /// The declaration as written, with macros replaced: `uniform float3 y`.
    pub text: String,
    pub span: Span,
}

impl EntryParameter {
    /// Returns true if the host sets it: the `uniform` keyword, or a resource, which is uniform without it.
    pub fn is_uniform(&self) -> bool {
        let has_word = self.annotations.modifiers.iter().any(|modifier| modifier == "uniform");
        has_word || matches!(self.ty.dimensions().0, Type::Resource(_))
    }
}

/// The parts of a function that decide which parameters it reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    /// Access paths and calls, in the order in which the code evaluates them.
    ///
    /// Arguments come before their call, the last one first. An index comes before the value that
    /// it indexes, and the right side of an assignment before the left.
    pub uses: Vec<Use>,
    /// Indices into `uses`, in the order in which DXC's inliner copies the uses to a caller.
    pub copied: Vec<usize>,
    /// The body as a tree, or `None` if the parser did not understand it.
    pub code: Option<Code>,
    /// True if a library exports it although no function in it calls this one and no `[shader]` gives its stage.
    pub exported: bool,
    pub span: Span,
}

/// A `static` member of a `cbuffer` or `tbuffer`.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferStatic {
    pub buffer: Span,
    /// Number of non-`static` members that the buffer declares before this one.
    pub before: usize,
    pub member: Member,
}

/// A `static` global with an initialiser. It takes no space, but code that uses it uses what its initialiser mentions.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// The access path that forms the whole initialiser, or `None` for any other expression.
    pub path: Option<Vec<Step>>,
    /// The initialiser, as a function with the variable's qualified name.
    pub initialiser: Function,
}

/// One occurrence of a name in a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// First name, then members and indices: `s`, `.B`, `[2]`. A local alias of a parameter
    /// (`S t = s;`) is replaced by the path that it stands for.
    pub path: Vec<Step>,
    /// The local variable that stands for the first steps, if any.
    pub alias: Option<Alias>,
    /// True if the code calls the path.
    pub call: bool,
    /// The functions with a body that the call can run.
    pub callees: Callees,
    /// For each argument of a call, the index of the use that it consists of, or `None` if it is
    /// more than an access path.
    pub arguments: Vec<Option<usize>>,
    /// Tells if control flow can reach it.
    pub life: Life,
    pub span: Span,
}

/// The functions that a call can run, as indices into [`Module::functions`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Callees {
    /// All functions with the path's name, if any.
    #[default]
    Named,
    /// This function, chosen by the types of the operands.
    Known(usize),
    BuiltIn,
    /// One of these overloads: the known argument types do not decide which.
    OneOf(Vec<usize>),
    /// One of these or a built-in: the object's type is unknown.
    Perhaps(Vec<usize>),
}

impl Callees {
    /// Returns the first function with a body that the call can run.
    pub fn first(&self) -> Option<usize> {
        match self {
            Self::Known(index) => Some(*index),
            Self::OneOf(indices) | Self::Perhaps(indices) => indices.first().copied(),
            Self::Named | Self::BuiltIn => None,
        }
    }
}

/// Reachability of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Life {
    /// Nothing here shows that the code is unreachable.
    Live,
    /// The optimiser removes it: no value of a counted loop's variable satisfies the condition around it.
    Optimised,
    /// Unreachable as written: inside `if (false)` or similar.
    Dead,
}

/// A local variable that is an alias of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alias {
    /// Number of steps that it stands for.
    pub steps: usize,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Name(String),
    /// The function's own parameter with this index, from 0.
    Parameter(usize),
    /// `this` in a method.
    This,
    Index(u32),
    DynamicIndex,
}
