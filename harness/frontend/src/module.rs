//! A shader module's declarations after elaboration: its parameters, its entry points, its blocks.

pub mod code;

use code::{Code, StaticVariable};
use layoutproof_layout::shape::{Member, Type};
use layoutproof_layout::{Annotations, Block, Span};

use layoutproof_source::diagnostics::Diagnostic;

/// Everything that one source (and what it includes) declares, in declaration order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Global shader parameters: constant buffers, resources and loose globals.
    pub parameters: Vec<Parameter>,
    /// Number of parameters that the source itself declares; those of imported modules follow, in first-import order.
    pub own_parameters: usize,
    /// Functions with a body or attributes that make them entry points.
    pub entry_points: Vec<EntryPoint>,
    /// Functions, for reachability (which parameters an entry point uses).
    pub functions: Vec<Function>,
    /// Initialised `static` globals, in declaration order; those whose initialisers mention nothing are left out.
    pub statics: Vec<Static>,
    /// All `static` and `groupshared` variables, by name.
    pub variables: Vec<StaticVariable>,
    /// `static` members of buffers, which take no space but in the SPIR-V of some versions of DXC.
    pub buffer_statics: Vec<BufferStatic>,
    /// Blocks of bytes, in declaration order: what a byte rule set lays out.
    pub blocks: Vec<Block>,
    /// Names of buffers that stand in other buffers.
    pub nested_buffers: Vec<Span>,
    /// Qualified names of the namespaces, in the order of their first declaration.
    pub namespaces: Vec<String>,
    /// Modules named by `import`, in first-import order.
    pub imports: Vec<String>,
    /// Problems that do not change a layout.
    pub warnings: Vec<Diagnostic>,
}

/// Where slangc comes to a global of a module: to those in no namespace first, then to each namespace of the first level, of the
/// second and so on, in the order in which they are first declared, whatever stands in them. Measured with slangc 2026.14.1.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamespaceRank {
    depth: usize,
    /// Numbers of the namespaces around it, outermost first.
    around: Vec<usize>,
}

impl NamespaceRank {
    /// The rank of a global of this qualified name; `namespaces` are those of its module, in order.
    pub fn of(name: &str, namespaces: &[String]) -> Self {
        let around = name.match_indices("::").map(|(end, _)| &name[..end]);
        let number = |path: &str| namespaces.iter().position(|namespace| namespace == path);
        let around: Vec<usize> = around.filter_map(number).collect();
        Self { depth: around.len(), around }
    }
}

/// How a global parameter is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// `cbuffer S { ... }`.
    Cbuffer,
    /// `tbuffer S { ... }`.
    Tbuffer,
    /// A resource variable, or an array or struct that holds resources.
    Variable,
    /// A loose global with ordinary data.
    Global,
}

/// A global shader parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Qualified name.
    pub name: String,
    /// How it is declared.
    pub kind: ParameterKind,
    /// Type; for `cbuffer` and `tbuffer` a struct of the members.
    pub ty: Type,
    /// Registers, bindings, attributes.
    pub annotations: Annotations,
    /// Where it is declared.
    pub span: Span,
}

/// An entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryPoint {
    /// Name.
    pub name: String,
    /// `[shader("compute")]`, `[numthreads(...)]` and the like.
    pub annotations: Annotations,
    /// The names of its generic parameters. Their arguments, which the application chooses when it specialises the program,
    /// decide what its parameters take: its uniform data is no block, and what is bound for it has no rows.
    pub generics: Vec<String>,
    /// Parameters in order.
    pub parameters: Vec<EntryParameter>,
    /// Result; `None` for `void`.
    pub result: Option<Type>,
    /// Semantic of the result.
    pub result_semantic: Option<String>,
    /// Where it is declared.
    pub span: Span,
}

impl EntryPoint {
    /// The name of the block that its uniform parameters make.
    pub fn uniform_block(&self) -> String {
        format!("$Entry.{}", self.name)
    }

    /// The declarations of its uniform parameters, as a list.
    pub fn uniform_parameters(&self) -> String {
        let uniform = self.parameters.iter().filter(|parameter| parameter.is_uniform());
        uniform.map(|parameter| parameter.text.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// A type of HLSL and Slang around the type of an entry point's parameter, which passes several of it between stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StageWrapper {
    /// None: a plain type.
    #[default]
    None,
    /// `TriangleStream<T>` and its kin, which have the type `T` here.
    Stream,
    /// `InputPatch<T, N>`, `OutputPatch<T, N>`, which are arrays here.
    Patch,
    /// `OutputVertices<T, N>`, `OutputPrimitives<T, N>`, which are arrays here.
    MeshOutput,
    /// `OutputIndices<T, N>`, which is an array here.
    MeshIndices,
}

/// A parameter of an entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryParameter {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// Its wrapper, where it has one.
    pub wrapper: StageWrapper,
    /// Semantics and modifiers.
    pub annotations: Annotations,
    /// The declaration as written, with macros replaced: `uniform float3 y`.
    pub text: String,
    /// Where it is declared.
    pub span: Span,
}

impl EntryParameter {
    /// True if a host sets it: `uniform`, and resources, which are uniform without the word.
    pub fn is_uniform(&self) -> bool {
        let has_word = self.annotations.modifiers.iter().any(|modifier| modifier == "uniform");
        has_word || matches!(self.ty.dimensions().0, Type::Resource(_))
    }
}

/// A function with as much as is needed to say which parameters it reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Qualified name.
    pub name: String,
    /// Access paths and calls in the order in which the code evaluates them: arguments before their call and the last
    /// one first, an index before what it indexes, the right side of an assignment before the left one.
    pub uses: Vec<Use>,
    /// Indices of the uses in the order in which DXC's inliner copies them to a caller.
    pub copied: Vec<usize>,
    /// The body as a tree; `None` where it was not understood.
    pub code: Option<Code>,
    /// True if a library has it, though nothing there calls it and no `[shader]` names its stage.
    pub exported: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A `static` member of a `cbuffer` or `tbuffer`.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferStatic {
    /// Where the buffer is declared.
    pub buffer: Span,
    /// How many members of the buffer are declared before it, those that are not `static`.
    pub before: usize,
    /// The member.
    pub member: Member,
}

/// A `static` global with an initialiser. It takes no place itself, but who uses it uses what it is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// The access path that the initialiser is; `None` where it is more than that.
    pub path: Option<Vec<Step>>,
    /// The initialiser, under the qualified name of the variable.
    pub initialiser: Function,
}

/// One name that a body mentions.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// First name, then members and indices: `s`, `.B`, `[2]`. A local variable that is another name for a parameter
    /// (`S t = s;`) is replaced by what it stands for.
    pub path: Vec<Step>,
    /// The local variable that stands for the first steps, if there is one.
    pub alias: Option<Alias>,
    /// True if the path is called.
    pub call: bool,
    /// The functions with a body that a call runs.
    pub callees: Callees,
    /// For each argument of a call, which of the function's uses it is, if it is an access path and nothing else.
    pub arguments: Vec<Option<usize>>,
    /// Says if the code can come to it.
    pub life: Life,
    /// Where it stands.
    pub span: Span,
}

/// The functions that a call runs, as indices of [`Module::functions`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Callees {
    /// Those of the path's name, if there are any.
    #[default]
    Named,
    /// This one: the types of its operands say so.
    Known(usize),
    /// None: it is built in.
    BuiltIn,
    /// One of these: their parameters differ, and the types of the arguments do not decide.
    OneOf(Vec<usize>),
    /// One of these or none: the type of the object is not known.
    Perhaps(Vec<usize>),
}

/// Says if code is ever run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Life {
    /// As far as can be seen here.
    Live,
    /// Never, as an optimiser finds out: behind a condition on a counted loop's variable that none of its values meets.
    Optimised,
    /// Never: in `if (false)` or a kin of it.
    Dead,
}

/// A local variable that is another name for a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alias {
    /// How many steps it stands for.
    pub steps: usize,
    /// Where it is declared.
    pub span: Span,
}

/// One step of an access path.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A name or member.
    Name(String),
    /// The function's own parameter of this number, from 0.
    Parameter(usize),
    /// `this` of a method.
    This,
    /// A constant index.
    Index(u32),
    /// An index that is not constant.
    DynamicIndex,
}
