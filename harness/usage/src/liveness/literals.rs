//! Arithmetic on constants, as LLVM folds it.

use layoutproof_frontend::module::code::{BinaryOperator, Literal};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ConstantBits {
    Boolean(bool),
    Integer(i64, bool),
    Float(u64),
}

impl From<Literal> for ConstantBits {
    fn from(literal: Literal) -> Self {
        match literal {
            Literal::Boolean(value) => Self::Boolean(value),
            Literal::Integer { value, unsigned } => Self::Integer(value, unsigned),
            Literal::Float(value) => Self::Float(value.to_bits()),
        }
    }
}

impl From<ConstantBits> for Literal {
    fn from(bits: ConstantBits) -> Self {
        match bits {
            ConstantBits::Boolean(value) => Self::Boolean(value),
            ConstantBits::Integer(value, unsigned) => Self::Integer { value, unsigned },
            ConstantBits::Float(bits) => Self::Float(f64::from_bits(bits)),
        }
    }
}

pub(super) fn is_true(literal: Literal) -> bool {
    match literal {
        Literal::Boolean(value) => value,
        Literal::Integer { value, .. } => value != 0,
        Literal::Float(value) => value != 0.0,
    }
}

pub(super) fn is_unsigned(literal: Literal) -> bool {
    matches!(literal, Literal::Integer { unsigned: true, .. })
}

pub(super) fn float(literal: Literal) -> f64 {
    match literal {
        Literal::Boolean(value) => f64::from(u8::from(value)),
        #[expect(clippy::cast_precision_loss, reason = "as in HLSL")]
        Literal::Integer { value, .. } => value as f64,
        Literal::Float(value) => value,
    }
}

pub(super) fn whole(literal: Literal) -> i64 {
    match literal {
        Literal::Boolean(value) => i64::from(value),
        Literal::Integer { value, .. } => value,
        #[expect(clippy::cast_possible_truncation, reason = "a cast to an integer cuts")]
        Literal::Float(value) => value as i64,
    }
}

/// An integer of 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "integers wrap at 32 bits")]
pub(super) fn integer(value: i64, unsigned: bool) -> Literal {
    let value = if unsigned { value & 0xFFFF_FFFF } else { i64::from(value as i32) };
    Literal::Integer { value, unsigned }
}

/// The integer that a constant converts to.
pub(super) fn truncated(literal: Literal, unsigned: bool) -> Literal {
    #[expect(clippy::cast_possible_truncation, reason = "a cast to an integer cuts")]
    let value = float(literal) as i64;
    integer(value, unsigned)
}

/// True if what `fold` gives may not be what the compiler computes: it rounds to 32 bits, or has 64 bits for what is
/// written without a type.
pub(super) fn is_inexact(operator: BinaryOperator, one: Literal, other: Literal) -> bool {
    use BinaryOperator as B;
    if matches!(operator, B::And | B::Or) {
        return false;
    }
    if matches!(one, Literal::Float(_)) || matches!(other, Literal::Float(_)) {
        let (one, other) = (float(one), float(other));
        let is_rounded = [one, other].iter().any(|number| f64::from(to_f32(*number)).to_bits() != number.to_bits());
        let is_near = (one - other).abs() <= one.abs().max(other.abs()) * NEAR;
        let is_sum = operator == B::Add && (one + other).abs() <= one.abs() * NEAR;
        return is_rounded && (is_sum || (is_near && (operator.is_condition() || operator == B::Subtract)));
    }
    let unsigned = is_unsigned(one) || is_unsigned(other);
    let (one, other) = (whole(one), whole(other));
    let is_cut = [one, other].iter().any(|value| whole(integer(*value, unsigned)) != *value);
    let is_shift = matches!(operator, B::ShiftLeft | B::ShiftRight);
    let is_of_low_bits = matches!(operator, B::Add | B::Subtract | B::Multiply | B::BitAnd | B::BitOr | B::BitXor);
    (is_cut && !is_of_low_bits) || (is_shift && !(0..32).contains(&other))
}

/// True if a float converts to no integer for certain: it is rounded near one, or none of its type.
pub(super) fn is_inexact_integer(literal: Literal, unsigned: bool) -> bool {
    let Literal::Float(value) = literal else { return false };
    let near = (value - value.round()).abs() <= value.abs().max(1.0) * NEAR;
    let is_exact = f64::from(to_f32(value)).to_bits() == value.to_bits();
    let range = if unsigned { -1.0..4_294_967_296.0 } else { -2_147_483_649.0..2_147_483_648.0 };
    (near && !is_exact) || !range.contains(&value) || value <= range.start
}

/// Relative error of some operations on 32-bit floats.
const NEAR: f64 = 1e-5;

#[expect(clippy::cast_possible_truncation, reason = "as the compiler rounds")]
fn to_f32(value: f64) -> f32 {
    value as f32
}

pub(super) fn fold(operator: BinaryOperator, one: Literal, other: Literal) -> Option<Literal> {
    use BinaryOperator as B;
    let truth = |value| Some(Literal::Boolean(value));
    match operator {
        B::And => return truth(is_true(one) && is_true(other)),
        B::Or => return truth(is_true(one) || is_true(other)),
        _ => {}
    }
    if matches!(one, Literal::Float(_)) || matches!(other, Literal::Float(_)) {
        let (one, other) = (float(one), float(other));
        let number = |value: f64| Some(value).filter(|value| value.is_finite()).map(Literal::Float);
        return match operator {
            B::Add => number(one + other),
            B::Subtract => number(one - other),
            B::Multiply => number(one * other),
            B::Divide if one == 0.0 && other == 0.0 => Some(Literal::Float(f64::NAN)),
            B::Divide => number(one / other),
            B::Remainder => number(one % other),
            B::Least => number(one.min(other)),
            B::Greatest => number(one.max(other)),
            #[expect(clippy::float_cmp, reason = "the shader compares so")]
            B::Equal => truth(one == other),
            #[expect(clippy::float_cmp, reason = "the shader compares so")]
            B::NotEqual => truth(one != other),
            B::Less => truth(one < other),
            B::Greater => truth(one > other),
            B::LessEqual => truth(one <= other),
            B::GreaterEqual => truth(one >= other),
            B::BitOr | B::BitXor | B::BitAnd | B::ShiftLeft | B::ShiftRight | B::Or | B::And => None,
        };
    }

    let unsigned = is_unsigned(one) || is_unsigned(other);
    let cut = |value: i64| whole(integer(value, unsigned));
    let (one, other) = (cut(whole(one)), cut(whole(other)));
    let number = |value: i64| Some(integer(value, unsigned));
    let bits = u32::try_from(other & 31).unwrap_or(0);
    match operator {
        B::Add => number(one.wrapping_add(other)),
        B::Subtract => number(one.wrapping_sub(other)),
        B::Multiply => number(one.wrapping_mul(other)),
        B::Divide => number(one.checked_div(other)?),
        B::Remainder => number(one.checked_rem(other)?),
        B::Least => number(one.min(other)),
        B::Greatest => number(one.max(other)),
        B::BitAnd => number(one & other),
        B::BitOr => number(one | other),
        B::BitXor => number(one ^ other),
        B::ShiftLeft => number(one << bits),
        B::ShiftRight => number(one >> bits),
        B::Equal => truth(one == other),
        B::NotEqual => truth(one != other),
        B::Less => truth(one < other),
        B::Greater => truth(one > other),
        B::LessEqual => truth(one <= other),
        B::GreaterEqual => truth(one >= other),
        B::Or | B::And => None,
    }
}
