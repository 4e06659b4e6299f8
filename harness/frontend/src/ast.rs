//! Declarations as written, which the parser passes to `elaborate`.
//!
//! The parser does not look up names, evaluate constants or specialise generics. Constant
//! expressions are in postfix order, so that neither evaluating nor dropping a long one recurses.

use std::ops::Range;

use layoutproof_layout::Span;
use layoutproof_layout::shape::MatrixOrder;

pub(super) use crate::module::code::BinaryOperator;
use layoutproof_source::diagnostics::Diagnostic;

#[derive(Clone, Copy, Debug)]
pub(super) struct Identifier<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// `N::Pair<float, 3>`; never empty.
#[derive(Clone, Debug)]
pub(super) struct NamePath<'a> {
    /// True after a leading `::`: the lookup starts in the global scope.
    pub(super) is_rooted: bool,
    pub(super) parts: Vec<PathPart<'a>>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct PathPart<'a> {
    pub(super) name: Identifier<'a>,
    /// `None` if no `<` follows.
    pub(super) arguments: Option<Vec<GenericArgument<'a>>>,
}

/// One argument between `<` and `>`. A lone name parses as a type, although it may turn out to be a constant.
#[derive(Clone, Debug)]
pub(super) enum GenericArgument<'a> {
    Type(TypeExpression<'a>),
    Value(Expression<'a>),
}

#[derive(Clone, Debug)]
pub(super) struct TypeExpression<'a> {
    pub(super) kind: TypeKind<'a>,
    /// `*` and `[n]` after the type, applied from left to right.
    pub(super) suffixes: Vec<TypeSuffix<'a>>,
    /// Order from `#pragma pack_matrix` for matrices named here.
    pub(super) packed: Option<MatrixOrder>,
    /// Order from a modifier inside the type, where no [`Prefix`] has it: `StructuredBuffer<row_major float2x3>`.
    pub(super) order: Option<MatrixOrder>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TypeKind<'a> {
    Path(NamePath<'a>),
    Struct(Box<StructDeclaration<'a>>),
    Enum(Box<EnumDeclaration<'a>>),
}

#[derive(Clone, Debug)]
pub(super) enum TypeSuffix<'a> {
    Pointer,
    Array(ArrayDimension<'a>),
}

/// `[n]` or `[]`.
#[derive(Clone, Debug)]
pub(super) struct ArrayDimension<'a> {
    pub(super) length: Option<Expression<'a>>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Expression<'a> {
    pub(super) operations: Vec<(Operation<'a>, Span)>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Operation<'a> {
    Integer {
        value: u64,
        unsigned: bool,
    },
    Boolean(bool),
    Name(NamePath<'a>),
    Unary(UnaryOperator),
    Binary(BinaryOperator),
    /// Pops the condition, the first and the second value.
    Select,
    /// `(int)x` or `int(x)`.
    Cast(NamePath<'a>),
    /// `sizeof(T)`, whose value depends on the layout rules. Has the operand if it is one name.
    SizeOf(Option<Identifier<'a>>),
    /// Anything that is not an integer constant: a float, a call.
    Opaque,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnaryOperator {
    Plus,
    Minus,
    Complement,
    Not,
    /// A member, an element or the result of a call. Never an integer constant.
    Part,
}

/// Attributes, modifiers, `layout(...)` and generic parameters in front of a declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefix<'a> {
    pub(super) attributes: Vec<AttributeSyntax<'a>>,
    pub(super) modifiers: Vec<Identifier<'a>>,
    pub(super) layout: Vec<LayoutSyntax<'a>>,
    /// From `template<...>` or `__generic<...>`.
    pub(super) generics: Option<Vec<GenericParameter<'a>>>,
}

impl Prefix<'_> {
    pub(super) fn has(&self, word: &str) -> bool {
        self.modifiers.iter().any(|modifier| modifier.text == word)
    }
}

#[derive(Clone, Debug)]
pub(super) struct AttributeSyntax<'a> {
    /// `vk` of `vk::binding`; `a::b` of `a::b::c`.
    pub(super) namespace: Option<String>,
    pub(super) name: &'a str,
    pub(super) arguments: Vec<ArgumentSyntax<'a>>,
    /// The tokens between its parentheses.
    pub(super) tokens: Range<usize>,
    pub(super) span: Span,
}

impl<'a> AttributeSyntax<'a> {
    /// Returns namespace and name in the spelling that the rest of the crate uses.
    ///
    /// slangc 2026.14.1 treats `a::b::c` as the name `a_b_c`, so `vk::binding` and `vk_binding` are
    /// one attribute. Its names are case-sensitive; `Shader` and `NumThreads` are the only second
    /// spellings.
    pub(super) fn identity(&self, is_slang: bool) -> (Option<&str>, &'a str) {
        let namespace = self.namespace.as_deref();
        if !is_slang {
            return (namespace, self.name);
        }
        match (namespace, self.name) {
            (None, "Shader") => (None, "shader"),
            (None, "NumThreads") => (None, "numthreads"),
            (None, "gl_binding") => (Some("gl"), "binding"),
            (None, name) => match name.strip_prefix("vk_") {
                Some(rest) => (Some("vk"), rest),
                None => (None, name),
            },
            (Some(_), name) => (namespace, name),
        }
    }

    /// Returns true if this is the attribute `name` without a namespace.
    pub(super) fn is(&self, name: &str, is_slang: bool) -> bool {
        self.identity(is_slang) == (None, name)
    }
}

#[derive(Clone, Debug)]
pub(super) enum ArgumentSyntax<'a> {
    Text(&'a str),
    Value(Expression<'a>, String),
    Other(String),
}

#[derive(Clone, Debug)]
pub(super) struct LayoutSyntax<'a> {
    pub(super) name: Identifier<'a>,
    pub(super) value: Option<Expression<'a>>,
}

/// Registers, packoffsets, semantic or bit width after a declarator's `:`.
#[derive(Clone, Debug, Default)]
pub(super) struct PlacementSyntax<'a> {
    pub(super) registers: Vec<RegisterSyntax<'a>>,
    pub(super) packoffsets: Vec<PackOffsetSyntax<'a>>,
    pub(super) semantic: Option<&'a str>,
    pub(super) bit_width: Option<Expression<'a>>,
}

/// The words between the parentheses of `register(...)`.
#[derive(Clone, Debug)]
pub(super) struct RegisterSyntax<'a> {
    pub(super) words: Vec<Identifier<'a>>,
    /// True if `[n]` follows the register.
    pub(super) indexed: bool,
    pub(super) span: Span,
}

/// The words between the parentheses of `packoffset(...)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackOffsetSyntax<'a> {
    pub(super) register: &'a str,
    pub(super) component: Option<&'a str>,
    pub(super) span: Span,
}

/// One declared name with its own pointers, dimensions, placement and initialiser.
#[derive(Clone, Debug)]
pub(super) struct Declarator<'a> {
    /// Empty for an unnamed bit-field.
    pub(super) name: Identifier<'a>,
    /// `N` and `S` in `N::S::name`, which is declared there and defined here.
    pub(super) outer: Vec<Identifier<'a>>,
    pub(super) pointers: usize,
    pub(super) dimensions: Vec<ArrayDimension<'a>>,
    pub(super) placement: PlacementSyntax<'a>,
    pub(super) initialiser: Option<Initialiser<'a>>,
    /// Token range of the initialiser; empty without one.
    pub(super) initialised: Range<usize>,
}

/// The initialiser after `=`.
#[derive(Clone, Debug)]
pub(super) enum Initialiser<'a> {
    Value(Expression<'a>),
    /// Number of elements in `{ a, b }`.
    List(u32),
    Other,
}

/// `row_major float2x3 a, b[2] : register(c3);`, `struct S { ... };`.
#[derive(Clone, Debug)]
pub(super) struct DeclarationSyntax<'a> {
    pub(super) prefix: Prefix<'a>,
    pub(super) ty: TypeExpression<'a>,
    pub(super) declarators: Vec<Declarator<'a>>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct StructDeclaration<'a> {
    /// Empty for an anonymous struct.
    pub(super) name: Identifier<'a>,
    pub(super) generics: Option<Vec<GenericParameter<'a>>>,
    /// `float, 2` in `template<> struct S<float, 2>`: the arguments that this specialisation is for.
    pub(super) specialised: Option<Vec<GenericArgument<'a>>>,
    pub(super) bases: Vec<TypeExpression<'a>>,
    pub(super) items: Vec<Item<'a>>,
}

/// A generic parameter: `T`, `typename T`, `let N : int`, `int N = 4`.
#[derive(Clone, Debug)]
pub(super) struct GenericParameter<'a> {
    pub(super) name: Identifier<'a>,
    pub(super) is_value: bool,
    /// True for Slang's `each T`: any number of arguments.
    pub(super) is_pack: bool,
    pub(super) default: Option<GenericArgument<'a>>,
}

#[derive(Clone, Debug)]
pub(super) struct EnumDeclaration<'a> {
    /// Empty for an anonymous enum.
    pub(super) name: Identifier<'a>,
    /// True if the enclosing scope sees the enumerators too (all but `enum class`).
    pub(super) unscoped: bool,
    pub(super) underlying: Option<TypeExpression<'a>>,
    pub(super) enumerators: Vec<EnumeratorSyntax<'a>>,
}

/// `Red` or `Red = 1`.
#[derive(Clone, Debug)]
pub(super) struct EnumeratorSyntax<'a> {
    pub(super) name: Identifier<'a>,
    pub(super) value: Option<Expression<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BufferKeyword {
    Cbuffer,
    Tbuffer,
}

/// `cbuffer S : register(b0) { ... }`.
#[derive(Clone, Debug)]
pub(super) struct BufferDeclaration<'a> {
    pub(super) kind: BufferKeyword,
    pub(super) prefix: Prefix<'a>,
    pub(super) name: Identifier<'a>,
    pub(super) placement: PlacementSyntax<'a>,
    pub(super) items: Vec<Item<'a>>,
    /// `s` of Slang's `cbuffer S { ... } s;`, which is a `ConstantBuffer` with a struct of these members.
    pub(super) instance: Option<Identifier<'a>>,
}

#[derive(Clone, Debug)]
pub(super) struct FunctionDeclaration<'a> {
    pub(super) prefix: Prefix<'a>,
    /// `operator` for operators, `__init` for constructors.
    pub(super) name: Identifier<'a>,
    /// `N` and `S` in `N::S::name`, which is declared there and defined here.
    pub(super) outer: Vec<Identifier<'a>>,
    pub(super) result: Option<TypeExpression<'a>>,
    pub(super) result_semantic: Option<&'a str>,
    /// A parse error in the list matters only if the function is an entry point.
    pub(super) parameters: Result<Vec<FunctionParameter<'a>>, Diagnostic>,
    /// Token range of the body without its braces.
    pub(super) body: Option<Range<usize>>,
}

#[derive(Clone, Debug)]
pub(super) struct FunctionParameter<'a> {
    pub(super) prefix: Prefix<'a>,
    pub(super) ty: TypeExpression<'a>,
    pub(super) declarator: Declarator<'a>,
    pub(super) tokens: Range<usize>,
}

/// One declaration in a file, namespace, struct or buffer.
#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    Declaration(DeclarationSyntax<'a>),
    Function(FunctionDeclaration<'a>),
    Buffer(BufferDeclaration<'a>),
    Namespace {
        path: Vec<Identifier<'a>>,
        items: Vec<Item<'a>>,
    },
    Alias {
        name: Identifier<'a>,
        /// `T` in Slang's `typealias A<T> = T[2];`.
        generics: Option<Vec<GenericParameter<'a>>>,
        ty: TypeExpression<'a>,
        is_public: bool,
    },
    Using {
        path: NamePath<'a>,
    },
    Interface {
        name: Identifier<'a>,
        /// `N` in `[anyValueSize(N)]`.
        any_value_size: Option<Expression<'a>>,
        is_public: bool,
    },
    /// A type whose declaration the parser skips; `what` names its kind.
    Unread {
        name: Identifier<'a>,
        what: &'static str,
        is_public: bool,
    },
    Import {
        name: String,
    },
}

impl Item<'_> {
    /// Returns true if the declaration is marked with Slang's `public`.
    pub(super) fn is_public(&self) -> bool {
        match self {
            Self::Declaration(declaration) => declaration.prefix.has("public"),
            Self::Function(function) => function.prefix.has("public"),
            Self::Buffer(buffer) => buffer.prefix.has("public"),
            Self::Alias { is_public, .. } | Self::Interface { is_public, .. } | Self::Unread { is_public, .. } => {
                *is_public
            }
            Self::Namespace { items, .. } => items.iter().any(Self::is_public),
            Self::Using { .. } | Self::Import { .. } => false,
        }
    }
}
