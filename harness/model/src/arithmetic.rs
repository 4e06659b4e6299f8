//! Arithmetic on scalars and vectors, which compilers emit between loads and stores.

use rspirv::spirv::{Op, Word};

use super::model_error::ModelError;
use super::value::ModelValue;
use layoutproof_readers::spirv::types::{SpirvType, SpirvTypes};

/// The result of an instruction that computes each component from the operands' components; `None`
/// for all other opcodes. `ty` is the result's type, `operand_ty` that of the first operand.
pub(super) fn compute(
    types: &SpirvTypes,
    op: Op,
    ty: Word,
    operand_ty: Word,
    operands: &[ModelValue],
) -> Option<Result<ModelValue, ModelError>> {
    let scalar = component(types, ty);
    let from = component(types, operand_ty);
    let one = |f: &dyn Fn(u64) -> u64| Some(map(operands, &|bits| f(bits[0])));
    let two = |f: &dyn Fn(u64, u64) -> u64| {
        Some(map(operands, &|bits| f(bits[0], bits.get(1).copied().unwrap_or(0)) & mask(types, scalar)))
    };
    let compare = |f: &dyn Fn(u64, u64) -> bool| {
        Some(map(operands, &|bits| f(bits[0], bits.get(1).copied().unwrap_or(0)).into()))
    };
    let signed = |f: &dyn Fn(&i64, &i64) -> bool| {
        let widen = |bits: u64| sign_extended(types, from, bits).cast_signed();
        compare(&|a, b| f(&widen(a), &widen(b)))
    };
    match op {
        Op::IAdd => two(&u64::wrapping_add),
        Op::ISub => two(&u64::wrapping_sub),
        Op::IMul => two(&u64::wrapping_mul),
        Op::UDiv => two(&|a, b| a.checked_div(b).unwrap_or(0)),
        Op::UMod => two(&|a, b| a.checked_rem(b).unwrap_or(0)),
        Op::SNegate => one(&|a| a.wrapping_neg() & mask(types, scalar)),
        Op::BitFieldInsert => Some(map(operands, &|bits| inserted(bits) & mask(types, scalar))),
        Op::Dot if bits(types, scalar) == 32 => Some(dot(operands)),
        Op::BitwiseAnd | Op::LogicalAnd => two(&|a, b| a & b),
        Op::BitwiseOr | Op::LogicalOr => two(&|a, b| a | b),
        Op::BitwiseXor => two(&|a, b| a ^ b),
        Op::ShiftLeftLogical => two(&|a, b| shift(b).and_then(|b| a.checked_shl(b)).unwrap_or(0)),
        Op::ShiftRightLogical => two(&|a, b| shift(b).and_then(|b| a.checked_shr(b)).unwrap_or(0)),
        Op::Not => one(&|a| !a & mask(types, scalar)),
        Op::LogicalNot => one(&|a| u64::from(a == 0)),
        // The sign is the highest bit.
        Op::FNegate => one(&|a| a ^ (mask(types, scalar) ^ mask(types, scalar) >> 1)),
        // A device address has the bits of a pointer.
        Op::ConvertUToPtr | Op::UConvert => one(&|a| a & mask(types, scalar)),
        Op::SConvert => one(&|a| sign_extended(types, from, a) & mask(types, scalar)),
        Op::FConvert if (bits(types, from), bits(types, scalar)) == (16, 32) => one(&widened),
        Op::ConvertSToF if bits(types, scalar) == 32 => one(&|a| float(sign_extended(types, from, a).cast_signed())),
        Op::IEqual | Op::LogicalEqual => compare(&|a, b| a == b),
        Op::INotEqual | Op::LogicalNotEqual => compare(&|a, b| a != b),
        Op::ULessThan => compare(&|a, b| a < b),
        Op::ULessThanEqual => compare(&|a, b| a <= b),
        Op::UGreaterThan => compare(&|a, b| a > b),
        Op::UGreaterThanEqual => compare(&|a, b| a >= b),
        Op::SLessThan => signed(&i64::lt),
        Op::SLessThanEqual => signed(&i64::le),
        Op::SGreaterThan => signed(&i64::gt),
        Op::SGreaterThanEqual => signed(&i64::ge),
        Op::All => Some(fold(operands, &|a, b| a & b)),
        Op::Any => Some(fold(operands, &|a, b| a | b)),
        Op::Select => Some(map_select(operands)),
        _ => None,
    }
}

/// The bits of the nearest 32-bit float.
#[expect(clippy::cast_precision_loss, reason = "the instruction rounds, too")]
fn float(value: i64) -> u64 {
    (value as f32).to_bits().into()
}

/// Converts the bits of a 16-bit float to those of the same 32-bit float.
fn widened(half: u64) -> u64 {
    let sign = (half & 0x8000) << 16;
    let (exponent, mantissa) = (half >> 10 & 0x1F, half & 0x3FF);
    match (exponent, mantissa) {
        (0, 0) => sign,
        // A denormal: its leading one becomes the hidden bit.
        (0, _) => {
            let shift = u64::from(mantissa.leading_zeros()) - 53;
            sign | (113 - shift) << 23 | (mantissa << shift & 0x3FF) << 13
        }
        (0x1F, _) => sign | 0x7F80_0000 | mantissa << 13,
        (_, _) => sign | (exponent + 112) << 23 | mantissa << 13,
    }
}

/// `OpBitFieldInsert` on base, insert, offset and count: replaces `count` bits of the base, from
/// `offset`.
fn inserted(operands: &[u64]) -> u64 {
    let [base, insert, offset, count] = operands else { return 0 };
    let low = u32::try_from(*count).ok().and_then(|count| u64::MAX.checked_shr(64 - count)).unwrap_or(0);
    let shifted = |bits: u64| shift(*offset).and_then(|offset| bits.checked_shl(offset)).unwrap_or(0);
    (base & !shifted(low)) | shifted(insert & low)
}

/// The dot product of two vectors of 32-bit floats. FXC uses it to select a matrix row, with a unit
/// vector.
fn dot(operands: &[ModelValue]) -> Result<ModelValue, ModelError> {
    let single = |bits: u64| f32::from_bits(u32::try_from(bits).unwrap_or(u32::MAX));
    let product = |bits: &[u64]| {
        let factors = bits.iter().map(|bits| single(*bits));
        factors.product::<f32>().to_bits().into()
    };
    let products = map(operands, &product)?;
    fold(&[products], &|a, b| (single(a) + single(b)).to_bits().into())
}

fn shift(by: u64) -> Option<u32> {
    u32::try_from(by).ok()
}

/// The scalar type of a vector's components, or the type itself if it is a scalar.
pub(super) fn component(types: &SpirvTypes, ty: Word) -> Word {
    match types.get(ty) {
        SpirvType::Vector { component, .. } => *component,
        _ => ty,
    }
}

/// The number of bits of a scalar type; a bool has one.
pub(super) fn bits(types: &SpirvTypes, scalar: Word) -> u32 {
    match types.get(scalar) {
        SpirvType::Int { bits, .. } | SpirvType::Float { bits } => (*bits).clamp(1, 64),
        SpirvType::Pointer { .. } => 64,
        _ => 1,
    }
}

fn mask(types: &SpirvTypes, scalar: Word) -> u64 {
    u64::MAX >> (64 - bits(types, scalar))
}

fn sign_extended(types: &SpirvTypes, scalar: Word, value: u64) -> u64 {
    let unused = 64 - bits(types, scalar);
    ((value << unused).cast_signed() >> unused).cast_unsigned()
}

/// Applies `f` to the bits of all operands, component by component.
fn map(operands: &[ModelValue], f: &dyn Fn(&[u64]) -> u64) -> Result<ModelValue, ModelError> {
    match operands.first().ok_or("an instruction without operands")? {
        ModelValue::Parts(first) => {
            let parts = (0..).zip(first.iter()).map(|(index, _)| {
                let components: Result<Vec<ModelValue>, ModelError> =
                    operands.iter().map(|operand| operand.at(&[index]).cloned()).collect();
                map(&components?, f)
            });
            Ok(ModelValue::parts(parts.collect::<Result<_, _>>()?))
        }
        ModelValue::Bits(_) | ModelValue::Pointer(_) => {
            let bits: Result<Vec<u64>, ModelError> = operands.iter().map(ModelValue::bits).collect();
            Ok(ModelValue::Bits(f(&bits?)))
        }
    }
}

/// The minimum of unsigned operands, component by component.
pub(super) fn least(operands: &[ModelValue]) -> Result<ModelValue, ModelError> {
    map(operands, &|bits| bits.iter().copied().min().unwrap_or(0))
}

/// The first of three signed operands of type `ty`, at least the second and at most the third, component by component.
pub(super) fn clamped(types: &SpirvTypes, ty: Word, operands: &[ModelValue]) -> Result<ModelValue, ModelError> {
    let scalar = component(types, ty);
    let signed = |value: u64| sign_extended(types, scalar, value).cast_signed();
    map(operands, &|bits| match *bits {
        [value, least, most] => {
            signed(value).max(signed(least)).min(signed(most)).cast_unsigned() & mask(types, scalar)
        }
        _ => 0,
    })
}

/// Joins the components of a vector.
fn fold(operands: &[ModelValue], f: &dyn Fn(u64, u64) -> u64) -> Result<ModelValue, ModelError> {
    let [ModelValue::Parts(parts)] = operands else { return Err(ModelError::Needed("a vector")) };
    let bits = parts.iter().map(ModelValue::bits).collect::<Result<Vec<_>, _>>()?;
    Ok(ModelValue::Bits(bits.into_iter().reduce(f).unwrap_or(0)))
}

/// `OpSelect`: by component if the condition is a vector, otherwise whole values.
fn map_select(operands: &[ModelValue]) -> Result<ModelValue, ModelError> {
    let [condition, yes, no] = operands else { return Err("a selection without two values".into()) };
    match condition {
        ModelValue::Bits(condition) => Ok(if *condition == 0 { no.clone() } else { yes.clone() }),
        ModelValue::Parts(conditions) => {
            let parts = (0..).zip(conditions.iter()).map(|(index, condition)| {
                let chosen = if condition.bits()? == 0 { no } else { yes };
                chosen.at(&[index]).cloned()
            });
            Ok(ModelValue::parts(parts.collect::<Result<_, ModelError>>()?))
        }
        ModelValue::Pointer(_) => Err("a pointer as a condition".into()),
    }
}

/// `OpBitcast`: the same bits as scalars of another width, least significant first.
pub(super) fn bitcast(types: &SpirvTypes, to: Word, from: Word, value: &ModelValue) -> Result<ModelValue, ModelError> {
    let to_bits = bits(types, component(types, to));
    let from_bits = bits(types, component(types, from));

    let components = match value {
        ModelValue::Parts(parts) => parts.iter().map(ModelValue::bits).collect::<Result<Vec<_>, _>>()?,
        ModelValue::Bits(_) | ModelValue::Pointer(_) => vec![value.bits()?],
    };
    let bytes = components.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take((from_bits / 8) as usize));
    let bytes: Vec<u8> = bytes.collect();

    let width = (to_bits / 8).max(1) as usize;
    let scalars = bytes
        .chunks(width)
        .map(|chunk| ModelValue::Bits(chunk.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))));
    let mut scalars: Vec<ModelValue> = scalars.collect();

    match types.get(to) {
        SpirvType::Vector { length, .. } if *length as usize == scalars.len() => Ok(ModelValue::parts(scalars)),
        SpirvType::Int { .. } | SpirvType::Float { .. } | SpirvType::Pointer { .. } if scalars.len() == 1 => {
            Ok(scalars.remove(0))
        }
        _ => Err(ModelError::Bitcast { bits: bytes.len() * 8, to }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: Extended Instructions for GLSL, `UMin`: "Minimum of x and y", interpreted as
    /// unsigned.
    #[test]
    fn the_least_is_unsigned_and_by_component() {
        let vector = |bits: [u64; 2]| ModelValue::parts(bits.map(ModelValue::Bits).to_vec());
        let least = least(&[vector([7, 0xFFFF_FFFF]), vector([0x8000_0000, 3])]).unwrap();
        assert_eq!([0, 1].map(|index| least.at(&[index]).unwrap().bits()), [Ok(7), Ok(3)]);
    }

    fn vector(components: &[f32]) -> ModelValue {
        ModelValue::parts(components.iter().map(|component| ModelValue::Bits(component.to_bits().into())).collect())
    }

    /// Source: SPIR-V specification, `OpDot`.
    #[test]
    fn a_dot_product_with_a_unit_vector_is_a_component() {
        let row = vector(&[-6.5, 3.25, 0.125]);
        let chosen = dot(&[row.clone(), vector(&[0.0, 1.0, 0.0])]).unwrap();
        assert_eq!(chosen.bits(), Ok(3.25_f32.to_bits().into()));
        let sum = dot(&[row, vector(&[2.0, 4.0, 8.0])]).unwrap();
        assert_eq!(sum.bits(), Ok(1.0_f32.to_bits().into()));
    }

    /// Source: SPIR-V specification, `OpBitFieldInsert`.
    #[test]
    fn bits_are_inserted_between_others() {
        assert_eq!(inserted(&[0xFFFF_FFFF, 0x12, 8, 8]), 0xFFFF_12FF);
        assert_eq!(inserted(&[0xABCD, 0xFF, 4, 0]), 0xABCD);
        assert_eq!(inserted(&[0xABCD, 0x1234_5678, 0, 32]), 0x1234_5678);
    }

    /// Source: IEEE 754-2019, binary16 and binary32.
    #[test]
    fn halves_keep_their_value() {
        for (half, single) in [
            (0x0000, 0.0_f32),
            (0x8000, -0.0),
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x0400, 2.0_f32.powi(-14)),
            (0x0001, 2.0_f32.powi(-24)),
            (0x03FF, 1023.0 * 2.0_f32.powi(-24)),
            (0x7C00, f32::INFINITY),
        ] {
            assert_eq!(widened(half), u64::from(single.to_bits()), "{half:#06x}");
        }
    }
}
