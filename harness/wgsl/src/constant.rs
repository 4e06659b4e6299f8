//! Evaluates the constant expressions that array lengths, attributes and bindings need.
//!
//! Source: WebGPU Shading Language, 8 Expressions and 17 Built-in Functions. Abstract integers have
//! 64 bits and must not overflow; `i32` and `u32` wrap around. Values that no length is made of
//! (structs, matrices, results of functions) are unknown, which is an error only where a layout
//! depends on one.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "these are WGSL's own conversions and comparisons"
)]

use std::fmt::Display;
use std::rc::Rc;

use layoutproof_layout::Span;
use layoutproof_preprocess::operator::BinaryOperator;
use thiserror::Error;

use crate::syntax::{AccessStep, Expression, ExpressionKind};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ScalarValue {
    AbstractInt(i64),
    Int(i32),
    Uint(u32),
    AbstractFloat(f64),
    /// Also values of `f16`.
    Float(f32),
    Bool(bool),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Scalar(ScalarValue),
    Vector(Vec<ScalarValue>),
    Array {
        /// Shared, because constants can double each other.
        elements: Rc<[Value]>,
        /// Levels of arrays, at most [`DEEPEST`]: values are dropped recursively.
        depth: usize,
    },
}

impl Value {
    fn array_depth(&self) -> usize {
        match self {
            Self::Scalar(_) | Self::Vector(_) => 0,
            Self::Array { depth, .. } => *depth,
        }
    }
}

/// An expression has no value that is known here.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NoValue {
    pub span: Span,
    /// A sentence.
    pub message: String,
}

type Evaluated<T> = Result<T, NoValue>;

/// A type that converts its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    Int,
    Uint,
    Float,
    Bool,
}

/// What a name means where values are built.
pub(super) enum Callee {
    Scalar(Conversion),
    /// `vec3<f32>`; without a type, as in `vec3(1, 2, 3)`, the components decide.
    Vector {
        length: usize,
        component: Option<Conversion>,
    },
    Array,
    /// A function of the language, or something without a value here.
    Other,
}

/// Looks up the names in expressions.
pub(super) trait Names<'a> {
    /// `depth` is that of the expression that names it.
    fn constant(&mut self, name: &'a str, span: Span, depth: usize) -> Evaluated<Value>;

    fn callee(&mut self, name: &'a str, template: &[Expression<'a>]) -> Callee;
}

/// Deepest nesting of expressions, with those of the constants that they name, and of arrays.
const DEEPEST: usize = 128;

pub(super) struct Evaluator<'n, N> {
    pub names: &'n mut N,
    pub depth: usize,
}

impl<'a, N: Names<'a>> Evaluator<'_, N> {
    pub(super) fn value(&mut self, expression: &Expression<'a>) -> Evaluated<Value> {
        if self.depth >= DEEPEST {
            return Err(unknown(expression.span, format_args!("nests more than {DEEPEST} levels deep")));
        }
        self.depth += 1;
        let value = self.value_inside(expression);
        self.depth -= 1;
        value
    }

    fn value_inside(&mut self, expression: &Expression<'a>) -> Evaluated<Value> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Number(text) => number(text).map(Value::Scalar).ok_or_else(|| NoValue {
                span,
                message: format!(
                    "`{text}` is not a number, is too large, or is a hexadecimal float, which layoutproof does not read"
                ),
            }),
            ExpressionKind::Name { name: "true", .. } => Ok(Value::Scalar(ScalarValue::Bool(true))),
            ExpressionKind::Name { name: "false", .. } => Ok(Value::Scalar(ScalarValue::Bool(false))),
            ExpressionKind::Name { name, template } if template.is_empty() => {
                self.names.constant(name, span, self.depth)
            }
            ExpressionKind::Name { .. } => Err(unknown(span, "is a type")),
            ExpressionKind::Call { callee, arguments } => self.call(callee, arguments, span),
            ExpressionKind::Access { base, steps } => {
                let mut value = self.value(base)?;
                for step in steps {
                    value = self.step(value, step, span)?;
                }
                Ok(value)
            }
            ExpressionKind::Unary { operators, operand } => {
                let mut value = self.value(operand)?;
                for operator in operators.iter().rev() {
                    value = each(value, span, |scalar| unary(*operator, scalar))?;
                }
                Ok(value)
            }
            ExpressionKind::Binary { first, rest } => {
                let mut value = self.value(first)?;
                for (operator, operand) in rest {
                    let decided = matches!(
                        (operator, &value),
                        (BinaryOperator::And, Value::Scalar(ScalarValue::Bool(false)))
                            | (BinaryOperator::Or, Value::Scalar(ScalarValue::Bool(true)))
                    );
                    if !decided {
                        let other = self.value(operand)?;
                        value = pairwise(&value, &other, span, |a, b| binary(*operator, a, b))?;
                    }
                }
                Ok(value)
            }
        }
    }

    fn step(&mut self, value: Value, step: &AccessStep<'a>, span: Span) -> Evaluated<Value> {
        let bad = || unknown(span, "has no such part");
        match (value, step) {
            (Value::Vector(components), AccessStep::Member(letters)) => {
                let component = |letter: char| {
                    let index = ["xr", "yg", "zb", "wa"].iter().position(|names| names.contains(letter))?;
                    components.get(index).copied()
                };
                let picked: Option<Vec<ScalarValue>> = letters.chars().take(4).map(component).collect();
                match picked.ok_or_else(bad)?.as_slice() {
                    [single] => Ok(Value::Scalar(*single)),
                    several => Ok(Value::Vector(several.to_vec())),
                }
            }
            (Value::Vector(components), AccessStep::Index(index)) => {
                let index = self.index(index)?;
                components.get(index).copied().map(Value::Scalar).ok_or_else(bad)
            }
            (Value::Array { elements, .. }, AccessStep::Index(index)) => {
                let index = self.index(index)?;
                elements.get(index).cloned().ok_or_else(bad)
            }
            _ => Err(bad()),
        }
    }

    fn index(&mut self, index: &Expression<'a>) -> Evaluated<usize> {
        let value = self.value(index)?;
        let whole = integer(&value).and_then(|index| usize::try_from(index).ok());
        whole.ok_or_else(|| unknown(index.span, "is no index"))
    }

    fn call(&mut self, callee: &Expression<'a>, arguments: &[Expression<'a>], span: Span) -> Evaluated<Value> {
        let ExpressionKind::Name { name, template } = &callee.kind else {
            return Err(unknown(span, "is no call of a function"));
        };
        let values = arguments.iter().map(|argument| self.value(argument)).collect::<Result<Vec<_>, _>>()?;
        let no = |what: &str| unknown(span, what);
        match self.names.callee(name, template) {
            Callee::Scalar(conversion) => match values.as_slice() {
                [] => Ok(Value::Scalar(zero(Some(conversion)))),
                [Value::Scalar(value)] => {
                    convert(*value, conversion).map(Value::Scalar).map_err(|what| unknown(span, what))
                }
                _ => Err(no("does not convert exactly one number")),
            },
            Callee::Vector { length, component } => {
                let mut components = Vec::new();
                for value in values {
                    match value {
                        Value::Scalar(scalar) => components.push(scalar),
                        Value::Vector(several) => components.extend(several),
                        Value::Array { .. } => return Err(no("has an array as a component")),
                    }
                }
                let components = match components.as_slice() {
                    [] => vec![zero(component); length],
                    [single] => vec![*single; length],
                    several if several.len() == length => components,
                    _ => return Err(no("has a wrong number of components")),
                };
                let converted = components.into_iter().map(|scalar| match component {
                    Some(component) => convert(scalar, component),
                    None => Ok(scalar),
                });
                converted.collect::<Result<_, _>>().map(Value::Vector).map_err(|what| unknown(span, what))
            }
            Callee::Array if values.is_empty() => Err(no("does not list its elements")),
            Callee::Array => {
                let depth = 1 + values.iter().map(Value::array_depth).max().unwrap_or(0);
                if depth > DEEPEST {
                    return Err(unknown(span, format_args!("nests arrays more than {DEEPEST} levels deep")));
                }
                Ok(Value::Array { elements: values.into(), depth })
            }
            Callee::Other => built_in(name, values, span),
        }
    }
}

/// Why operands have no result. The texts follow "this expression".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Uncomputed {
    #[error("overflows or divides by zero")]
    Overflow,
    #[error("has the value {0}, which its type does not have")]
    Range(i64),
    #[error("shifts by a number of bits that its type does not have")]
    Shift,
    #[error("uses an operator that its operands do not support")]
    Operator,
    #[error("computes with a value that is not a number")]
    NotANumber,
}

fn unknown(span: Span, what: impl Display) -> NoValue {
    NoValue { span, message: format!("this expression {what}") }
}

/// A whole number; `None` for other values.
pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Scalar(ScalarValue::AbstractInt(value)) => Some(*value),
        Value::Scalar(ScalarValue::Int(value)) => Some((*value).into()),
        Value::Scalar(ScalarValue::Uint(value)) => Some((*value).into()),
        _ => None,
    }
}

/// The value of a literal; `None` if it is too large, or a float in hexadecimal digits.
fn number(text: &str) -> Option<ScalarValue> {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let (digits, suffix) = match text.strip_suffix(['i', 'u']) {
        Some(digits) => (digits, &text[digits.len()..]),
        None if is_hexadecimal => (text, ""),
        None => text.strip_suffix(['f', 'h']).map_or((text, ""), |digits| (digits, "f")),
    };
    let whole = if is_hexadecimal {
        i64::from_str_radix(&digits[2..], 16).ok()
    } else if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    };
    match (whole, suffix) {
        (Some(value), "i") => i32::try_from(value).ok().map(ScalarValue::Int),
        (Some(value), "u") => u32::try_from(value).ok().map(ScalarValue::Uint),
        (Some(value), "") => Some(ScalarValue::AbstractInt(value)),
        (None, "i" | "u") => None,
        (_, "") => digits.parse().ok().map(ScalarValue::AbstractFloat),
        (_, _) => digits.parse().ok().map(ScalarValue::Float),
    }
}

fn zero(conversion: Option<Conversion>) -> ScalarValue {
    match conversion {
        None => ScalarValue::AbstractInt(0),
        Some(Conversion::Int) => ScalarValue::Int(0),
        Some(Conversion::Uint) => ScalarValue::Uint(0),
        Some(Conversion::Float) => ScalarValue::Float(0.0),
        Some(Conversion::Bool) => ScalarValue::Bool(false),
    }
}

/// `value` as an argument of `i32(...)`, `u32(...)`, `f32(...)` or `bool(...)`. Concrete integers keep
/// their bits; floats are cut at their point and clamped (WGSL, 15.7.6).
pub(super) fn convert(value: ScalarValue, conversion: Conversion) -> Result<ScalarValue, Uncomputed> {
    use ScalarValue as S;
    let range = |value: i64| Uncomputed::Range(value);
    Ok(match (conversion, value) {
        (Conversion::Int, S::AbstractInt(value)) => S::Int(i32::try_from(value).map_err(|_| range(value))?),
        (Conversion::Int, S::Int(value)) => S::Int(value),
        (Conversion::Int, S::Uint(value)) => S::Int(value.cast_signed()),
        (Conversion::Int, S::AbstractFloat(value)) => S::Int(value as i32),
        (Conversion::Int, S::Float(value)) => S::Int(value as i32),
        (Conversion::Int, S::Bool(value)) => S::Int(value.into()),
        (Conversion::Uint, S::AbstractInt(value)) => S::Uint(u32::try_from(value).map_err(|_| range(value))?),
        (Conversion::Uint, S::Int(value)) => S::Uint(value.cast_unsigned()),
        (Conversion::Uint, S::Uint(value)) => S::Uint(value),
        (Conversion::Uint, S::AbstractFloat(value)) => S::Uint(value as u32),
        (Conversion::Uint, S::Float(value)) => S::Uint(value as u32),
        (Conversion::Uint, S::Bool(value)) => S::Uint(value.into()),
        (Conversion::Float, S::Bool(value)) => S::Float(f32::from(u8::from(value))),
        (Conversion::Float, value) => S::Float(float(value).ok_or(Uncomputed::NotANumber)? as f32),
        (Conversion::Bool, S::Bool(value)) => S::Bool(value),
        (Conversion::Bool, value) => S::Bool(float(value).ok_or(Uncomputed::NotANumber)? != 0.0),
    })
}

fn float(value: ScalarValue) -> Option<f64> {
    match value {
        ScalarValue::AbstractInt(value) => Some(value as f64),
        ScalarValue::Int(value) => Some(value.into()),
        ScalarValue::Uint(value) => Some(value.into()),
        ScalarValue::AbstractFloat(value) => Some(value),
        ScalarValue::Float(value) => Some(value.into()),
        ScalarValue::Bool(_) => None,
    }
}

fn each(value: Value, span: Span, apply: impl Fn(ScalarValue) -> Result<ScalarValue, Uncomputed>) -> Evaluated<Value> {
    let at_place = |what| unknown(span, what);
    match value {
        Value::Scalar(scalar) => apply(scalar).map(Value::Scalar).map_err(at_place),
        Value::Vector(components) => {
            components.into_iter().map(apply).collect::<Result<_, _>>().map(Value::Vector).map_err(at_place)
        }
        Value::Array { .. } => Err(unknown(span, "is an array, which has no operators")),
    }
}

/// Applies an operator to two values; a scalar counts for each component of a vector.
fn pairwise(
    first: &Value,
    second: &Value,
    span: Span,
    apply: impl Fn(ScalarValue, ScalarValue) -> Result<ScalarValue, Uncomputed>,
) -> Evaluated<Value> {
    let (length, is_vector) = match (first, second) {
        (Value::Scalar(_), Value::Scalar(_)) => (1, false),
        (Value::Vector(one), Value::Vector(other)) if one.len() == other.len() => (one.len(), true),
        (Value::Vector(one), Value::Scalar(_)) | (Value::Scalar(_), Value::Vector(one)) => (one.len(), true),
        _ => return Err(unknown(span, "has an operator between values of different shapes")),
    };
    let component = |value: &Value, index: usize| match value {
        Value::Scalar(scalar) => *scalar,
        Value::Vector(components) => components[index],
        Value::Array { .. } => ScalarValue::Bool(false),
    };
    let made: Result<Vec<_>, _> =
        (0..length).map(|index| apply(component(first, index), component(second, index))).collect();
    let made = made.map_err(|what| unknown(span, what))?;
    Ok(if is_vector { Value::Vector(made) } else { Value::Scalar(made[0]) })
}

fn unary(operator: char, value: ScalarValue) -> Result<ScalarValue, Uncomputed> {
    use ScalarValue as S;
    Ok(match (operator, value) {
        ('-', S::AbstractInt(value)) => S::AbstractInt(value.checked_neg().ok_or(Uncomputed::Overflow)?),
        ('-', S::Int(value)) => S::Int(value.wrapping_neg()),
        ('-', S::AbstractFloat(value)) => S::AbstractFloat(-value),
        ('-', S::Float(value)) => S::Float(-value),
        ('~', S::AbstractInt(value)) => S::AbstractInt(!value),
        ('~', S::Int(value)) => S::Int(!value),
        ('~', S::Uint(value)) => S::Uint(!value),
        ('!', S::Bool(value)) => S::Bool(!value),
        _ => return Err(Uncomputed::Operator),
    })
}

fn binary(operator: BinaryOperator, first: ScalarValue, second: ScalarValue) -> Result<ScalarValue, Uncomputed> {
    use BinaryOperator as B;
    use ScalarValue as S;
    if matches!(operator, B::ShiftLeft | B::ShiftRight) {
        return shift(operator == B::ShiftLeft, first, second);
    }
    match common(first, second)? {
        (S::Bool(a), S::Bool(b)) => match operator {
            B::Or | B::BitOr => Ok(S::Bool(a | b)),
            B::And | B::BitAnd => Ok(S::Bool(a & b)),
            B::Equal => Ok(S::Bool(a == b)),
            B::NotEqual | B::BitXor => Ok(S::Bool(a != b)),
            _ => Err(Uncomputed::Operator),
        },
        // The one quotient that its type lacks. Other operations on 32 bits wrap (WGSL, 8.7 Arithmetic Expressions).
        (S::AbstractInt(i64::MIN), S::AbstractInt(-1)) | (S::Int(i32::MIN), S::Int(-1))
            if matches!(operator, B::Divide | B::Remainder) =>
        {
            Err(Uncomputed::Overflow)
        }
        (S::AbstractInt(a), S::AbstractInt(b)) => {
            of_integers(operator, a.into(), b.into(), |made| i64::try_from(made).ok().map(S::AbstractInt))
        }
        (S::Int(a), S::Int(b)) => of_integers(operator, a.into(), b.into(), |made| Some(S::Int(made as i32))),
        (S::Uint(a), S::Uint(b)) => of_integers(operator, a.into(), b.into(), |made| Some(S::Uint(made as u32))),
        (S::AbstractFloat(a), S::AbstractFloat(b)) => of_floats(operator, a, b, S::AbstractFloat),
        (S::Float(a), S::Float(b)) => of_floats(operator, a.into(), b.into(), |value| S::Float(value as f32)),
        _ => Err(Uncomputed::Operator),
    }
}

/// `typed` gives a result the type of the operands; `None` if it has no such number.
fn of_integers(
    operator: BinaryOperator,
    a: i128,
    b: i128,
    typed: impl Fn(i128) -> Option<ScalarValue>,
) -> Result<ScalarValue, Uncomputed> {
    use BinaryOperator as B;
    let made = match operator {
        B::Add => typed(a + b),
        B::Subtract => typed(a - b),
        B::Multiply => typed(a * b),
        B::Divide => a.checked_div(b).and_then(typed),
        B::Remainder => a.checked_rem(b).and_then(typed),
        B::BitOr => typed(a | b),
        B::BitXor => typed(a ^ b),
        B::BitAnd => typed(a & b),
        B::Equal => Some(ScalarValue::Bool(a == b)),
        B::NotEqual => Some(ScalarValue::Bool(a != b)),
        B::LessEqual => Some(ScalarValue::Bool(a <= b)),
        B::GreaterEqual => Some(ScalarValue::Bool(a >= b)),
        B::Less => Some(ScalarValue::Bool(a < b)),
        B::Greater => Some(ScalarValue::Bool(a > b)),
        _ => return Err(Uncomputed::Operator),
    };
    made.ok_or(Uncomputed::Overflow)
}

fn of_floats(
    operator: BinaryOperator,
    a: f64,
    b: f64,
    typed: impl Fn(f64) -> ScalarValue,
) -> Result<ScalarValue, Uncomputed> {
    use BinaryOperator as B;
    let made = match operator {
        B::Add => typed(a + b),
        B::Subtract => typed(a - b),
        B::Multiply => typed(a * b),
        B::Divide => typed(a / b),
        B::Remainder => typed(a % b),
        B::Equal => ScalarValue::Bool(a == b),
        B::NotEqual => ScalarValue::Bool(a != b),
        B::LessEqual => ScalarValue::Bool(a <= b),
        B::GreaterEqual => ScalarValue::Bool(a >= b),
        B::Less => ScalarValue::Bool(a < b),
        B::Greater => ScalarValue::Bool(a > b),
        _ => return Err(Uncomputed::Operator),
    };
    match made {
        ScalarValue::AbstractFloat(value) if !value.is_finite() => Err(Uncomputed::Overflow),
        ScalarValue::Float(value) if !value.is_finite() => Err(Uncomputed::Overflow),
        made => Ok(made),
    }
}

/// The two values in the one type to which both convert (WGSL, 6.1.1 Conversion Rank).
fn common(first: ScalarValue, second: ScalarValue) -> Result<(ScalarValue, ScalarValue), Uncomputed> {
    use ScalarValue as S;
    Ok(match (first, second) {
        (S::AbstractInt(_), S::Int(_)) => (convert(first, Conversion::Int)?, second),
        (S::Int(_), S::AbstractInt(_)) => (first, convert(second, Conversion::Int)?),
        (S::AbstractInt(_), S::Uint(_)) => (convert(first, Conversion::Uint)?, second),
        (S::Uint(_), S::AbstractInt(_)) => (first, convert(second, Conversion::Uint)?),
        (S::AbstractInt(_) | S::AbstractFloat(_), S::Float(_)) => (convert(first, Conversion::Float)?, second),
        (S::Float(_), S::AbstractInt(_) | S::AbstractFloat(_)) => (first, convert(second, Conversion::Float)?),
        (S::AbstractInt(value), S::AbstractFloat(_)) => (S::AbstractFloat(value as f64), second),
        (S::AbstractFloat(_), S::AbstractInt(value)) => (first, S::AbstractFloat(value as f64)),
        pair => pair,
    })
}

fn shift(left: bool, value: ScalarValue, by: ScalarValue) -> Result<ScalarValue, Uncomputed> {
    use ScalarValue as S;
    let by = match by {
        S::AbstractInt(by) => u32::try_from(by).ok(),
        S::Uint(by) => Some(by),
        _ => None,
    };
    let by = by.ok_or(Uncomputed::Shift)?;
    Ok(match value {
        S::AbstractInt(value) if left => {
            let factor = 1_i64.checked_shl(by).filter(|factor| *factor > 0).ok_or(Uncomputed::Shift)?;
            S::AbstractInt(value.checked_mul(factor).ok_or(Uncomputed::Overflow)?)
        }
        S::AbstractInt(value) => S::AbstractInt(value.checked_shr(by).ok_or(Uncomputed::Shift)?),
        S::Int(value) if left => S::Int(value.checked_shl(by).ok_or(Uncomputed::Shift)?),
        S::Int(value) => S::Int(value.checked_shr(by).ok_or(Uncomputed::Shift)?),
        S::Uint(value) if left => S::Uint(value.checked_shl(by).ok_or(Uncomputed::Shift)?),
        S::Uint(value) => S::Uint(value.checked_shr(by).ok_or(Uncomputed::Shift)?),
        S::AbstractFloat(_) | S::Float(_) | S::Bool(_) => return Err(Uncomputed::NotANumber),
    })
}

/// The result of a function of the language.
fn built_in(name: &str, values: Vec<Value>, span: Span) -> Evaluated<Value> {
    use BinaryOperator as B;
    use ScalarValue as S;
    let choose = |operator, a: S, b: S| {
        let (a, b) = common(a, b)?;
        Ok(if binary(operator, a, b)? == S::Bool(true) { a } else { b })
    };
    let (min, max) = (|a, b| choose(B::Less, a, b), |a, b| choose(B::Greater, a, b));
    let mut values = values.into_iter();
    match (name, values.next(), values.next(), values.next()) {
        ("min", Some(a), Some(b), None) => pairwise(&a, &b, span, min),
        ("max", Some(a), Some(b), None) => pairwise(&a, &b, span, max),
        ("clamp", Some(value), Some(low), Some(high)) => {
            pairwise(&pairwise(&value, &low, span, max)?, &high, span, min)
        }
        ("select", Some(no), Some(yes), Some(Value::Scalar(S::Bool(choice)))) => Ok(if choice { yes } else { no }),
        ("abs", Some(value), None, None) => each(value, span, |value| match value {
            S::AbstractInt(value) => value.checked_abs().map(S::AbstractInt).ok_or(Uncomputed::Overflow),
            S::Int(value) => Ok(S::Int(value.wrapping_abs())),
            S::AbstractFloat(value) => Ok(S::AbstractFloat(value.abs())),
            S::Float(value) => Ok(S::Float(value.abs())),
            value => Ok(value),
        }),
        ("floor" | "ceil" | "trunc" | "round" | "sqrt" | "exp2" | "log2", Some(value), None, None) => {
            each(value, span, |value| {
                let number = float(value).ok_or(Uncomputed::NotANumber)?;
                let made = match name {
                    "floor" => number.floor(),
                    "ceil" => number.ceil(),
                    "trunc" => number.trunc(),
                    "round" => number.round_ties_even(),
                    "sqrt" => number.sqrt(),
                    "exp2" => number.exp2(),
                    _ => number.log2(),
                };
                Ok(if let S::Float(_) = value { S::Float(made as f32) } else { S::AbstractFloat(made) })
            })
        }
        ("pow", Some(base), Some(exponent), None) => pairwise(&base, &exponent, span, |base, exponent| {
            let made = float(base).zip(float(exponent)).map(|(base, exponent)| base.powf(exponent));
            let made = made.ok_or(Uncomputed::NotANumber)?;
            let is_concrete = matches!((base, exponent), (S::Float(_), _) | (_, S::Float(_)));
            Ok(if is_concrete { S::Float(made as f32) } else { S::AbstractFloat(made) })
        }),
        ("countOneBits", Some(Value::Scalar(S::Uint(value))), None, None) => {
            Ok(Value::Scalar(S::Uint(value.count_ones())))
        }
        ("countLeadingZeros", Some(Value::Scalar(S::Uint(value))), None, None) => {
            Ok(Value::Scalar(S::Uint(value.leading_zeros())))
        }
        ("countTrailingZeros", Some(Value::Scalar(S::Uint(value))), None, None) => {
            Ok(Value::Scalar(S::Uint(value.trailing_zeros())))
        }
        ("firstLeadingBit", Some(Value::Scalar(S::Uint(value))), None, None) => {
            Ok(Value::Scalar(S::Uint(value.checked_ilog2().unwrap_or(u32::MAX))))
        }
        ("firstTrailingBit", Some(Value::Scalar(S::Uint(value))), None, None) => {
            let bit = if value == 0 { u32::MAX } else { value.trailing_zeros() };
            Ok(Value::Scalar(S::Uint(bit)))
        }
        _ => Err(unknown(span, format_args!("calls `{name}`, whose result is not computed here"))),
    }
}
