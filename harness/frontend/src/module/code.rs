//! Function bodies as statement trees: what [`super::Function`] does, for analyses that follow values.
//!
//! Names are resolved: local variables are slots of their function, others are qualified names. Types are resolved as far
//! as they are known; a type that is not known is `None`, and says nothing about the value.

use layoutproof_layout::Span;
use layoutproof_layout::shape::Type;

use super::Callees;

/// The body of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// Parameters in order.
    pub parameters: Vec<CodeParameter>,
    /// Number of local variables; the parameters have the first slots.
    pub slots: usize,
    /// Type of the result, if it is known.
    pub result: Option<Type>,
    /// Statements.
    pub body: Vec<Statement>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeParameter {
    /// Type, if it is known.
    pub ty: Option<Type>,
    /// True if the caller's value comes in.
    pub is_in: bool,
    /// True if the value goes back to the caller.
    pub is_out: bool,
    /// Default argument.
    pub default: Option<Expression>,
}

/// A `static` or `groupshared` variable.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticVariable {
    /// Qualified name.
    pub name: String,
    /// Type, if it is known.
    pub ty: Option<Type>,
    /// True if the threads of a group share it.
    pub is_shared: bool,
    /// Initialiser.
    pub initial: Option<Expression>,
    /// False if it has an initialiser that was not understood.
    pub is_understood: bool,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// An expression, for its effects.
    Expression(Expression),
    /// A local variable.
    Local {
        /// Its slot.
        slot: usize,
        /// Type, if it is known.
        ty: Option<Type>,
        /// Initialiser.
        initial: Option<Expression>,
    },
    /// `{ ... }`.
    Block(Vec<Statement>),
    /// `if`.
    If {
        /// Condition.
        condition: Expression,
        /// Statements where it holds.
        then: Vec<Statement>,
        /// Statements where it does not.
        otherwise: Vec<Statement>,
    },
    /// `for`, `while` and `do`.
    Loop {
        /// Statements before the first round.
        before: Vec<Statement>,
        /// Condition; `None` where there is none.
        condition: Option<Expression>,
        /// Expressions after each round.
        step: Vec<Expression>,
        /// Body.
        body: Vec<Statement>,
        /// True if the condition is tested before the first round.
        tests_first: bool,
        /// The rounds that are written out.
        unrolling: Unrolling,
    },
    /// `switch`.
    Switch {
        /// Selector.
        value: Expression,
        /// Cases in order.
        cases: Vec<SwitchCase>,
    },
    /// `return`.
    Return(Option<Expression>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `discard`.
    Discard,
}

/// How a loop is unrolled.
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
    /// Values; `None` for `default`.
    pub labels: Vec<Option<Expression>>,
    /// Statements up to the next label.
    pub body: Vec<Statement>,
}

/// A literal or a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// `true`.
    Boolean(bool),
    /// An integer, of 32 bits unless it is written otherwise; `unsigned` wraps.
    Integer {
        /// Value.
        value: i64,
        /// True for `uint`.
        unsigned: bool,
    },
    /// A floating-point number.
    Float(f64),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A literal, an enumerator or a generic argument.
    Constant(Literal),
    /// A local variable.
    Local(usize),
    /// The object whose method this is.
    This,
    /// A variable of the module, by its qualified name.
    Global(String),
    /// `object.name`: a member or a swizzle.
    Member(Box<Expression>, String),
    /// `object[index]`.
    Index(Box<Expression>, Box<Expression>),
    /// A call of a function, a method or an operator.
    Call(Box<CallExpression>),
    /// A prefix operator.
    Unary(PrefixOperator, Box<Expression>),
    /// An operator with two operands.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `condition ? first : second`.
    Select(Box<[Expression; 3]>),
    /// `target = value`, `target += value`.
    Assign {
        /// Operator of a compound assignment.
        operator: Option<BinaryOperator>,
        /// Left side.
        target: Box<Expression>,
        /// Right side.
        value: Box<Expression>,
    },
    /// `++` and `--`.
    Step {
        /// Operand.
        target: Box<Expression>,
        /// True for `--`.
        down: bool,
        /// True if the value is that before the step.
        postfix: bool,
    },
    /// `(T)value`.
    Cast(Option<Type>, Box<Expression>),
    /// `T(a, b)`.
    Construct(Type, Vec<Expression>),
    /// `{ a, b }`.
    List(Vec<Expression>),
    /// `a, b`.
    Sequence(Vec<Expression>),
    /// A value that depends on nothing that a shader is given: `sizeof(T)`, a text.
    Opaque,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallExpression {
    /// Qualified name of a function, or name of a method.
    pub name: String,
    /// The functions that it may run.
    pub callees: Callees,
    /// Object of a method.
    pub object: Option<Expression>,
    /// Arguments.
    pub arguments: Vec<Expression>,
    /// Where it stands.
    pub span: Span,
}

/// A prefix operator that changes its operand's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrefixOperator {
    /// `-`.
    Minus,
    /// `~`.
    Complement,
    /// `!`.
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `||`.
    Or,
    /// `&&`.
    And,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
    /// `&`.
    BitAnd,
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `>`.
    Greater,
    /// `<=`.
    LessEqual,
    /// `>=`.
    GreaterEqual,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Remainder,
    /// `min(a, b)`.
    Least,
    /// `max(a, b)`.
    Greatest,
}
