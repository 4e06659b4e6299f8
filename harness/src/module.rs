//! A shader module's declarations after elaboration: its parameters, its entry points, its blocks.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::diagnostics::Diagnostic;
use crate::shape::{Count, Type};
use crate::sources::Span;

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
    /// Blocks of bytes, in declaration order: what a byte rule set lays out.
    pub blocks: Vec<Block>,
    /// Modules named by `import`, in first-import order.
    pub imports: Vec<String>,
    /// Problems that do not change a layout.
    pub warnings: Vec<Diagnostic>,
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

/// Everything written around a declaration that says where it goes or how it is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// `register(...)`, in order.
    pub registers: Vec<Register>,
    /// `packoffset(...)`; of several the last.
    pub packoffset: Option<PackOffset>,
    /// `[[vk::binding(1, 0)]]`, `[numthreads(8, 8, 1)]` and their kin, in order.
    pub attributes: Vec<Attribute>,
    /// `layout(binding = 1, set = 0)`, in order.
    pub layout: Vec<LayoutQualifier>,
    /// Semantic (`SV_Position`, `TEXCOORD0`), as written.
    pub semantic: Option<String>,
    /// `uniform`, `in`, `out`, `inout`, `groupshared`, interpolation modifiers and other words, as written.
    pub modifiers: Vec<String>,
}

/// `register(t3, space1)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// Lowercase class letter; `None` for `register(space1)`.
    pub class: Option<char>,
    /// Register number.
    pub index: Option<u32>,
    /// Space.
    pub space: Option<u32>,
    /// Shader profile of the old form `register(ps, t3)`.
    pub profile: Option<String>,
    /// Whether DXC takes this form and Slang does not: a letter without a number, `t` at a sampler, `s` at a texture.
    pub only_dxc: bool,
    /// Where it stands.
    pub span: Span,
}

/// `packoffset(c2.y)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackOffset {
    /// 16-byte register.
    pub register: u32,
    /// Component, 0 to 3; `None` where none is written.
    pub component: Option<u32>,
    /// Where it stands.
    pub span: Span,
}

impl PackOffset {
    /// Offset from the start of the constant buffer, in bytes; `None` beyond 2^32.
    pub fn offset(&self) -> Option<u32> {
        self.register.checked_mul(16)?.checked_add(self.component.unwrap_or(0) * 4)
    }
}

/// An attribute with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// `vk` of `[[vk::offset(8)]]`.
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
    /// Arguments.
    pub arguments: Vec<Argument>,
    /// Where it stands.
    pub span: Span,
}

/// An attribute's argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A constant expression's value.
    Integer(i64),
    /// A string.
    Text(String),
    /// Anything else, as written.
    Other(String),
}

/// One qualifier of `layout(...)`.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutQualifier {
    /// Name: `binding`, `set`, `offset`, `push_constant`, `row_major` ...
    pub name: String,
    /// Value, where one is given.
    pub value: Option<i64>,
    /// Where it stands.
    pub span: Span,
}

impl Annotations {
    /// The attribute of this namespace and name (names compare as written).
    pub fn attribute(&self, namespace: Option<&str>, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.namespace.as_deref() == namespace && a.name == name)
    }

    /// `N` of `[[vk::offset(N)]]`, in bytes.
    pub fn vk_offset(&self) -> Option<u32> {
        match self.attribute(Some("vk"), "offset")?.arguments.first()? {
            Argument::Integer(offset) => u32::try_from(*offset).ok(),
            Argument::Text(_) | Argument::Other(_) => None,
        }
    }

    /// Whether `[[vk::push_constant]]` or `layout(push_constant)` stands before the declaration.
    pub fn is_push_constant(&self) -> bool {
        self.attribute(Some("vk"), "push_constant").is_some()
            || self.attribute(None, "push_constant").is_some()
            || self.layout.iter().any(|qualifier| qualifier.name == "push_constant")
    }

    /// Whether an attribute makes the declaration the shader record of Slang (`[[vk::shader_record]]`,
    /// `layout(shaderRecordEXT)`).
    pub fn is_slang_shader_record(&self) -> bool {
        let layouts = ["shaderRecordEXT", "shaderRecordNV"];
        self.attribute(Some("vk"), "shader_record").is_some()
            || self.attribute(None, "shader_record").is_some()
            || self.layout.iter().any(|qualifier| layouts.contains(&qualifier.name.as_str()))
    }

    /// Whether an attribute makes the declaration the shader record of DXC (`[[vk::shader_record_ext]]`, `_nv`).
    pub fn is_dxc_shader_record(&self) -> bool {
        ["shader_record_ext", "shader_record_nv"].iter().any(|name| self.attribute(Some("vk"), name).is_some())
    }

    /// `N` of `register(cN)`: where a loose global stands in `$Globals`, in 16-byte registers.
    pub fn constant_register(&self) -> Option<u32> {
        self.registers.iter().find_map(|register| register.index)
    }
}

/// An entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryPoint {
    /// Name.
    pub name: String,
    /// `[shader("compute")]`, `[numthreads(...)]` and the like.
    pub annotations: Annotations,
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

/// A parameter of an entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryParameter {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// Semantics and modifiers.
    pub annotations: Annotations,
    /// The declaration as written, with macros replaced: `uniform float3 y`.
    pub text: String,
    /// Where it is declared.
    pub span: Span,
}

impl EntryParameter {
    /// Whether a host sets it: `uniform`, and resources, which are uniform without the word.
    pub fn is_uniform(&self) -> bool {
        let has_word = self.annotations.modifiers.iter().any(|modifier| modifier == "uniform");
        has_word || matches!(self.ty.dimensions().0, Type::Resource(_))
    }
}

/// What is kept of a function: enough to say which parameters it reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Qualified name.
    pub name: String,
    /// Access paths and calls in the order in which the code evaluates them: arguments before their call and the last
    /// one first, an index before what it indexes, the right side of an assignment before the left one.
    pub uses: Vec<Use>,
    /// Indices of the uses in the order in which DXC's inliner copies them to a caller.
    pub copied: Vec<usize>,
    /// Whether a library has it, though nothing there calls it and no `[shader]` names its stage.
    pub exported: bool,
    /// Where it is declared.
    pub span: Span,
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
    /// Whether the path is called.
    pub call: bool,
    /// Which functions with a body a call runs.
    pub callees: Callees,
    /// For each argument of a call, which of the function's uses it is, if it is an access path and nothing else.
    pub arguments: Vec<Option<usize>>,
    /// Whether the code can come to it.
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

/// Whether code is ever run.
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
    /// An index that is no constant.
    DynamicIndex,
}

/// What kind of block of bytes this is, as the command-line contract names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    /// `cbuffer S`.
    Cbuffer,
    /// `ConstantBuffer<T>`.
    ConstantBuffer,
    /// `tbuffer S`.
    Tbuffer,
    /// `TextureBuffer<T>`.
    TextureBuffer,
    /// Ordinary data of a `ParameterBlock<T>`.
    ParameterBlock,
    /// An element of the `StructuredBuffer` family.
    StructuredElement,
    /// `[[vk::push_constant]]`.
    PushConstant,
    /// Loose globals.
    Globals,
    /// Slang's `[[vk::shader_record]]`, DXC's `[[vk::shader_record_ext]]`.
    ShaderRecord,
    /// Uniform parameters of an entry point.
    EntryUniforms,
    /// What a pointer parameter points at.
    Pointee,
    /// A uniform block of WGSL or GLSL.
    UniformBlock,
    /// A storage block of WGSL or GLSL.
    StorageBlock,
}

/// A block of bytes: what one byte rule set lays out as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Name: `S`, `cb`, `$Globals`, `$Entry.main`, `p.inner`, `S#2`.
    pub name: String,
    /// Kind.
    pub kind: BlockKind,
    /// What the block holds: a struct of its members, or for `StructuredBuffer<float3>` the element itself.
    pub element: Type,
    /// Elements of an array of blocks; 1 for a single block.
    pub count: Count,
    /// Slang's explicit data layout.
    pub data_layout: Option<crate::resource::DataLayout>,
    /// Annotations of the whole block.
    pub annotations: Annotations,
    /// Where it is declared.
    pub span: Span,
}

impl BlockKind {
    /// The name in the command-line contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cbuffer => "cbuffer",
            Self::ConstantBuffer => "constant-buffer",
            Self::Tbuffer => "tbuffer",
            Self::TextureBuffer => "texture-buffer",
            Self::ParameterBlock => "parameter-block",
            Self::StructuredElement => "structured-element",
            Self::PushConstant => "push-constant",
            Self::ShaderRecord => "shader-record",
            Self::Globals => "globals",
            Self::EntryUniforms => "entry-uniforms",
            Self::Pointee => "pointee",
            Self::UniformBlock => "uniform-block",
            Self::StorageBlock => "storage-block",
        }
    }
}

impl fmt::Display for BlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
