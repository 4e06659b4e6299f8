//! LLVM's casts, binary operators and comparisons: on bits, and component by component on vectors.

use half::f16;

use super::ir_error::IrError;
use super::types::Primitive;
use super::value::Value;

const BYTE: u32 = 8;

/// A scalar type, or a vector of `count` scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    pub(super) primitive: Primitive,
    pub(super) count: Option<u32>,
}

/// Applies `each` to every component.
fn map(count: Option<u32>, value: Value, each: impl Fn(&Value) -> Result<Value, IrError>) -> Result<Value, IrError> {
    match count {
        None => each(&value),
        Some(count) => {
            let parts = value.parts(count as usize)?;
            Ok(Value::Parts(parts.iter().map(each).collect::<Result<_, _>>()?))
        }
    }
}

/// Applies `each` to every pair of components.
fn zip(lanes: Lanes, [a, b]: [Value; 2], each: impl Fn([u64; 2]) -> Result<u64, IrError>) -> Result<Value, IrError> {
    let each = |a: &Value, b: &Value| {
        // Code may compute with undefined values as long as it does not use the result.
        if *a == Value::Undefined || *b == Value::Undefined {
            return Ok(Value::Undefined);
        }
        Ok(Value::Bits(each([a.bits()?, b.bits()?])?))
    };
    let Some(count) = lanes.count else { return each(&a, &b) };
    let (a, b) = (a.parts(count as usize)?, b.parts(count as usize)?);
    Ok(Value::Parts(a.iter().zip(&b).map(|(a, b)| each(a, b)).collect::<Result<_, _>>()?))
}

pub(super) fn cast(name: &str, value: Value, from: Lanes, to: Lanes) -> Result<Value, IrError> {
    if name == "bitcast" && from.count != to.count {
        return bitcast(value, from, to);
    }
    map(from.count, value, |part| match part {
        Value::Undefined => Ok(Value::Undefined),
        part => Ok(Value::Bits(cast_bits(name, part.bits()?, from.primitive, to.primitive)?)),
    })
}

/// Splits the same bytes into other components.
fn bitcast(value: Value, from: Lanes, to: Lanes) -> Result<Value, IrError> {
    let parts = match from.count {
        None => vec![value],
        Some(count) => value.parts(count as usize)?,
    };
    let (narrow, wide) = (from.primitive.width(), to.primitive.width());
    if !narrow.is_multiple_of(BYTE) || !wide.is_multiple_of(BYTE) {
        return Err("a bitcast of parts of bytes".into());
    }

    let mut bytes = Vec::new();
    for part in parts {
        let all = part.bits()?.to_le_bytes();
        bytes.extend_from_slice(&all[..(narrow / BYTE) as usize]);
    }
    let parts = bytes.chunks(wide as usize / BYTE as usize);
    let parts: Vec<Value> = parts
        .map(|part| Value::Bits(part.iter().rev().fold(0, |bits, byte| bits << BYTE | u64::from(*byte))))
        .collect();

    match (to.count, &parts[..]) {
        (None, [part]) => Ok(part.clone()),
        (Some(count), parts) if parts.len() == count as usize => Ok(Value::Parts(parts.to_vec())),
        _ => Err("a bitcast to another number of bytes".into()),
    }
}

pub(super) fn binary(name: &str, lanes: Lanes, operands: [Value; 2]) -> Result<Value, IrError> {
    zip(lanes, operands, |pair| binary_bits(name, lanes.primitive, pair))
}

pub(super) fn compare(name: &str, lanes: Lanes, operands: [Value; 2]) -> Result<Value, IrError> {
    zip(lanes, operands, |pair| compare_bits(name, lanes.primitive, pair).map(u64::from))
}

/// Operands: condition, value if it holds, value if not.
pub(super) fn select([condition, yes, no]: [Value; 3]) -> Result<Value, IrError> {
    let Value::Parts(conditions) = condition else {
        return Ok(if condition.bits()? == 1 { yes } else { no });
    };
    let (yes, no) = (yes.parts(conditions.len())?, no.parts(conditions.len())?);
    let chosen = conditions.iter().zip(yes.into_iter().zip(no));
    let chosen = chosen.map(|(condition, (yes, no))| Ok(if condition.bits()? == 1 { yes } else { no }));
    Ok(Value::Parts(chosen.collect::<Result<_, IrError>>()?))
}

/// A component; one that does not exist is undefined.
pub(super) fn extract(from: Value, index: &Value) -> Result<Value, IrError> {
    match from {
        Value::Parts(parts) => Ok(parts.get(index.word()? as usize).cloned().unwrap_or(Value::Undefined)),
        Value::Undefined => Ok(Value::Undefined),
        _ => Err("a component of a scalar".into()),
    }
}

/// A vector of `count` components, one of them replaced. Operands: vector, component, index.
pub(super) fn insert(count: u32, [into, value, index]: [Value; 3]) -> Result<Value, IrError> {
    let mut parts = into.parts(count as usize)?;
    let place = parts.get_mut(index.word()? as usize).ok_or("a component that is not there")?;
    *place = value;
    Ok(Value::Parts(parts))
}

/// The components that the mask selects from two vectors of `count` components each.
pub(super) fn shuffle(count: u32, [first, second]: [Value; 2], mask: Value) -> Result<Value, IrError> {
    let mut all = first.parts(count as usize)?;
    all.extend(second.parts(count as usize)?);
    let Value::Parts(mask) = mask else { return Err("a mask that is no vector".into()) };
    let chosen = mask.iter().map(|index| match index {
        Value::Undefined => Ok(Value::Undefined),
        index => Ok(all.get(index.word()? as usize).ok_or("a component that is not there")?.clone()),
    });
    Ok(Value::Parts(chosen.collect::<Result<_, IrError>>()?))
}

fn cut(bits: u64, width: u32) -> u64 {
    if width < 64 { bits & ((1 << width) - 1) } else { bits }
}

/// `bits` of `width`, sign-extended to 64 bits.
pub(super) fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    (bits << unused).cast_signed() >> unused
}

fn cast_bits(name: &str, bits: u64, from: Primitive, to: Primitive) -> Result<u64, IrError> {
    let (narrow, wide) = (from.width(), to.width());
    match (name, from, to) {
        ("bitcast", _, _) if narrow == wide => Ok(bits),
        ("trunc" | "zext", _, _) => Ok(cut(bits, wide)),
        ("sext", _, _) => Ok(cut(signed(bits, narrow).cast_unsigned(), wide)),
        ("fpext", Primitive::Half, Primitive::Float) => Ok(u64::from(f16::from_bits(low16(bits)).to_f32().to_bits())),
        ("fpext", Primitive::Float, Primitive::Double) => Ok(f64::from(f32::from_bits(low32(bits))).to_bits()),
        _ => Err(IrError::Cast { name: name.to_owned(), from, to }),
    }
}

/// Applies a binary operator by name.
///
/// # Errors
/// An unknown operator, a division by zero, or a shift by more bits than the type has.
fn binary_bits(name: &str, ty: Primitive, [a, b]: [u64; 2]) -> Result<u64, IrError> {
    let width = ty.width();
    let shift = || u32::try_from(b).ok().filter(|count| *count < width).ok_or("a shift beyond the type");
    let divisor = || if b == 0 { Err("a division by zero") } else { Ok(b) };

    let result = match name {
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul" => a.wrapping_mul(b),
        "udiv" => a / divisor()?,
        "urem" => a % divisor()?,
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        "shl" => a << shift()?,
        "lshr" => a >> shift()?,
        "ashr" => (signed(a, width) >> shift()?).cast_unsigned(),
        _ => return Err(IrError::unsupported("the operator", name)),
    };
    Ok(cut(result, width))
}

/// Applies a comparison by name (`icmp ne`).
fn compare_bits(name: &str, ty: Primitive, [a, b]: [u64; 2]) -> Result<bool, IrError> {
    let (x, y) = (signed(a, ty.width()), signed(b, ty.width()));
    match name {
        "icmp eq" => Ok(a == b),
        "icmp ne" => Ok(a != b),
        "icmp ult" => Ok(a < b),
        "icmp ule" => Ok(a <= b),
        "icmp ugt" => Ok(a > b),
        "icmp uge" => Ok(a >= b),
        "icmp slt" => Ok(x < y),
        "icmp sle" => Ok(x <= y),
        "icmp sgt" => Ok(x > y),
        "icmp sge" => Ok(x >= y),
        _ => Err(IrError::unsupported("the comparison", name)),
    }
}

fn low16(bits: u64) -> u16 {
    u16::try_from(bits & 0xFFFF).expect("16 bits are left")
}

fn low32(bits: u64) -> u32 {
    u32::try_from(bits & 0xFFFF_FFFF).expect("32 bits are left")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(parts: &[u64]) -> Value {
        Value::Parts(parts.iter().map(|bits| Value::Bits(*bits)).collect())
    }

    /// LLVM Language Reference Manual, `bitcast`: as if the value were stored and loaded, with the
    /// first element at the lowest address of a little-endian machine.
    #[test]
    fn a_bitcast_keeps_the_bytes() {
        let words = Lanes { primitive: Primitive::Integer(32), count: Some(2) };
        let double = Lanes { primitive: Primitive::Double, count: None };
        let cast = |value, from, to| cast("bitcast", value, from, to);
        assert_eq!(cast(vector(&[1, 2]), words, double), Ok(Value::Bits(0x2_0000_0001)));
        assert_eq!(cast(Value::Bits(0x2_0000_0001), double, words), Ok(vector(&[1, 2])));
        let bits = Lanes { primitive: Primitive::Integer(1), count: Some(8) };
        assert!(cast(vector(&[1; 8]), bits, double).is_err());
    }

    #[test]
    fn components_are_chosen_by_masks_and_conditions() {
        let mask = Value::Parts(vec![Value::Bits(3), Value::Undefined, Value::Bits(0)]);
        let chosen = Value::Parts(vec![Value::Bits(40), Value::Undefined, Value::Bits(10)]);
        assert_eq!(shuffle(2, [vector(&[10, 20]), vector(&[30, 40])], mask), Ok(chosen));
        assert_eq!(select([vector(&[0, 1]), vector(&[1, 2]), vector(&[3, 4])]), Ok(vector(&[3, 2])));
        assert_eq!(
            insert(2, [Value::Undefined, Value::Bits(7), Value::Bits(1)]).unwrap().parts(2).unwrap()[0],
            Value::Undefined
        );
        assert!(insert(2, [Value::Undefined, Value::Bits(7), Value::Bits(2)]).is_err());
    }

    #[test]
    fn integers_wrap_at_their_width() {
        let int = Primitive::Integer(32);
        assert_eq!(binary_bits("add", int, [0xFFFF_FFFF, 1]), Ok(0));
        assert_eq!(binary_bits("ashr", int, [0x8000_0000, 31]), Ok(0xFFFF_FFFF));
        assert_eq!(cast_bits("sext", 0x80, Primitive::Integer(8), Primitive::Integer(16)), Ok(0xFF80));
        assert_eq!(compare_bits("icmp slt", int, [0xFFFF_FFFF, 0]), Ok(true));
        assert!(binary_bits("udiv", int, [1, 0]).is_err() && binary_bits("shl", int, [1, 32]).is_err());
        assert_eq!(binary_bits("fadd", int, [1, 1]), Err(IrError::unsupported("the operator", "fadd")));
    }
}
