//! Function bodies as statement trees: the code of a [`super::Function`], for analyses that follow values.
//!
//! Names are resolved: local variables are slots of their function, and other names are qualified.
//! Types are resolved where possible. An unknown type is `None` and says nothing about the value.

use layoutproof_layout::Span;
use layoutproof_layout::resource::{Resource, ResourceKind};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Type;

use super::Callees;
pub use layoutproof_preprocess::operator::BinaryOperator;

#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    pub parameters: Vec<CodeParameter>,
    /// Number of local variables; the parameters have the first slots.
    pub slots: usize,
    pub result: Option<Type>,
    /// The arguments of `[clipplanes(a, b)]`, which decide outputs of an entry point.
    pub clip_planes: Vec<Expression>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CodeParameter {
    pub ty: Option<Type>,
    /// True if the caller passes a value in.
    pub is_in: bool,
    /// True if the function passes a value back.
    pub is_out: bool,
    pub default: Option<Expression>,
}

/// A `static` or `groupshared` variable.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticVariable {
    pub name: String,
    pub ty: Option<Type>,
    /// True if the threads of a group share it.
    pub is_shared: bool,
    pub initial: Option<Expression>,
    /// False if it has an initialiser that the reader did not understand.
    pub is_understood: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// An expression statement, run for its effects.
    Expression(Expression),
    Local {
        slot: usize,
        ty: Option<Type>,
        initial: Option<Expression>,
    },
    Block(Vec<Statement>),
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// `for`, `while` and `do`.
    Loop {
        /// Statements before the first iteration.
        before: Vec<Statement>,
        /// `None` for an endless loop.
        condition: Option<Expression>,
        /// Expressions after each iteration.
        step: Vec<Expression>,
        body: Vec<Statement>,
        /// True if the condition is tested before the first round.
        tests_first: bool,
        /// The rounds that are written out.
        unrolling: Unrolling,
    },
    Switch {
        value: Expression,
        cases: Vec<SwitchCase>,
    },
    Return(Option<Expression>),
    Break,
    Continue,
    Discard,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unrolling {
    /// As the compiler likes.
    #[default]
    Compiler,
    /// `[unroll]`.
    All,
    /// `[unroll(3)]`.
    Rounds(u32),
}

/// The labels of a `switch` that stand together, with the statements after them.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchCase {
    /// `None` for `default`.
    pub labels: Vec<Option<Expression>>,
    /// Statements up to the next label.
    pub body: Vec<Statement>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    Boolean(bool),
    /// An integer, of 32 bits unless its suffix says otherwise. Unsigned values wrap.
    Integer {
        value: i64,
        unsigned: bool,
    },
    Float(f64),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A literal, an enumerator or a generic argument.
    Constant(Literal),
    /// A variable or parameter of the function, by its slot.
    Local(usize),
    /// The object that the method belongs to.
    This,
    /// A variable of the module, by its qualified name.
    Global(String),
    /// `object.name`: a member or a swizzle.
    Member(Box<Expression>, String),
    /// `object[index]`.
    Index(Box<Expression>, Box<Expression>),
    /// A call of a function, method or operator.
    Call(Box<CallExpression>),
    /// A prefix operator that changes nothing.
    Unary(PrefixOperator, Box<Expression>),
    /// Any operator with two operands but an assignment.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `condition ? first : second`.
    Select(Box<[Expression; 3]>),
    /// `target = value`, `target += value`.
    Assign { operator: Option<BinaryOperator>, target: Box<Expression>, value: Box<Expression> },
    /// `++` and `--`.
    Step { target: Box<Expression>, down: bool, postfix: bool },
    /// `(T)value`.
    Cast(Option<Type>, Box<Expression>),
    /// `T(a, b)`.
    Construct(Type, Vec<Expression>),
    /// `{ a, b }`.
    List(Vec<Expression>),
    /// `a, b`.
    Sequence(Vec<Expression>),
    /// A value that does not depend on any input of the shader: `sizeof(T)`, a string.
    Opaque,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CallExpression {
    /// Qualified name of a function, or plain name of a method.
    pub name: String,
    /// The functions that it can run.
    pub callees: Callees,
    pub object: Option<Expression>,
    pub arguments: Vec<Expression>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrefixOperator {
    /// `-`.
    Minus,
    /// `~`.
    Complement,
    /// `!`.
    Not,
}

/// Returns the type that reading a resource gives; `None` for one without elements.
pub fn element_of(resource: &Resource) -> Option<Type> {
    match (&resource.element, resource.kind) {
        (Some(element), _) => Some((**element).clone()),
        (None, ResourceKind::Buffer(_) | ResourceKind::Texture(_) | ResourceKind::CombinedSampler(_)) => {
            Some(Type::Vector { scalar: Scalar::Float32, length: 4 })
        }
        (None, _) => None,
    }
}

/// Returns true for a resource whose element is accessed without a method: `cb.member`.
pub fn is_transparent(resource: &Resource) -> bool {
    matches!(resource.kind, ResourceKind::ConstantBuffer | ResourceKind::TextureBuffer | ResourceKind::ParameterBlock)
}
