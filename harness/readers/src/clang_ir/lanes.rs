//! Arithmetic on scalars, and component by component on vectors.

use super::instruction::Lanes;
use super::value::ClangValue;
use crate::llvm::arithmetic;

const BYTE: u32 = 8;

/// Applies `each` to every component.
fn map(
    count: Option<u32>,
    value: ClangValue,
    each: impl Fn(&ClangValue) -> Result<ClangValue, String>,
) -> Result<ClangValue, String> {
    match count {
        None => each(&value),
        Some(count) => {
            let parts = value.parts(count as usize)?;
            Ok(ClangValue::Parts(parts.iter().map(each).collect::<Result<_, _>>()?))
        }
    }
}

/// Applies `each` to every pair of components.
fn zip(
    lanes: Lanes,
    [a, b]: [ClangValue; 2],
    each: impl Fn([u64; 2]) -> Result<u64, String>,
) -> Result<ClangValue, String> {
    let each = |a: &ClangValue, b: &ClangValue| {
        // Code may compute with undefined values as long as it does not use the result.
        if *a == ClangValue::Undefined || *b == ClangValue::Undefined {
            return Ok(ClangValue::Undefined);
        }
        Ok(ClangValue::Bits(each([a.bits()?, b.bits()?])?))
    };
    let Some(count) = lanes.count else { return each(&a, &b) };
    let (a, b) = (a.parts(count as usize)?, b.parts(count as usize)?);
    Ok(ClangValue::Parts(a.iter().zip(&b).map(|(a, b)| each(a, b)).collect::<Result<_, _>>()?))
}

pub(super) fn cast(name: &str, value: ClangValue, from: Lanes, to: Lanes) -> Result<ClangValue, String> {
    if name == "bitcast" && from.count != to.count {
        return bitcast(value, from, to);
    }
    map(from.count, value, |part| match part {
        ClangValue::Undefined => Ok(ClangValue::Undefined),
        part => Ok(ClangValue::Bits(arithmetic::cast(name, part.bits()?, from.primitive, to.primitive)?)),
    })
}

/// Splits the same bytes into other components.
fn bitcast(value: ClangValue, from: Lanes, to: Lanes) -> Result<ClangValue, String> {
    let parts = match from.count {
        None => vec![value],
        Some(count) => value.parts(count as usize)?,
    };
    let (narrow, wide) = (from.primitive.width(), to.primitive.width());
    if !narrow.is_multiple_of(BYTE) || !wide.is_multiple_of(BYTE) {
        return Err("a bitcast of parts of bytes".to_owned());
    }

    let mut bytes = Vec::new();
    for part in parts {
        let all = part.bits()?.to_le_bytes();
        bytes.extend_from_slice(&all[..(narrow / BYTE) as usize]);
    }
    let parts = bytes.chunks(wide as usize / BYTE as usize);
    let parts: Vec<ClangValue> = parts
        .map(|part| ClangValue::Bits(part.iter().rev().fold(0, |bits, byte| bits << BYTE | u64::from(*byte))))
        .collect();

    match (to.count, &parts[..]) {
        (None, [part]) => Ok(part.clone()),
        (Some(count), parts) if parts.len() == count as usize => Ok(ClangValue::Parts(parts.to_vec())),
        _ => Err("a bitcast to another number of bytes".to_owned()),
    }
}

pub(super) fn binary(name: &str, lanes: Lanes, operands: [ClangValue; 2]) -> Result<ClangValue, String> {
    zip(lanes, operands, |pair| arithmetic::binary(name, lanes.primitive, pair))
}

pub(super) fn compare(name: &str, lanes: Lanes, operands: [ClangValue; 2]) -> Result<ClangValue, String> {
    zip(lanes, operands, |pair| arithmetic::compare(name, lanes.primitive, pair).map(u64::from))
}

/// Operands: condition, value if it holds, value if not.
pub(super) fn select([condition, yes, no]: [ClangValue; 3]) -> Result<ClangValue, String> {
    let ClangValue::Parts(conditions) = condition else {
        return Ok(if condition.bits()? == 1 { yes } else { no });
    };
    let (yes, no) = (yes.parts(conditions.len())?, no.parts(conditions.len())?);
    let chosen = conditions.iter().zip(yes.into_iter().zip(no));
    let chosen = chosen.map(|(condition, (yes, no))| Ok(if condition.bits()? == 1 { yes } else { no }));
    Ok(ClangValue::Parts(chosen.collect::<Result<_, String>>()?))
}

/// A component; one that does not exist is undefined.
pub(super) fn extract(from: ClangValue, index: &ClangValue) -> Result<ClangValue, String> {
    match from {
        ClangValue::Parts(parts) => Ok(parts.get(index.word()? as usize).cloned().unwrap_or(ClangValue::Undefined)),
        ClangValue::Undefined => Ok(ClangValue::Undefined),
        ClangValue::Bits(_) | ClangValue::Handle(_) | ClangValue::Pointer(_) => {
            Err("a component of a scalar".to_owned())
        }
    }
}

/// A vector of `count` components, one of them replaced. Operands: vector, component, index.
pub(super) fn insert(count: u32, [into, value, index]: [ClangValue; 3]) -> Result<ClangValue, String> {
    let mut parts = into.parts(count as usize)?;
    let place = parts.get_mut(index.word()? as usize).ok_or("a component that is not there")?;
    *place = value;
    Ok(ClangValue::Parts(parts))
}

/// The components that the mask selects from two vectors of `count` components each.
pub(super) fn shuffle(count: u32, [first, second]: [ClangValue; 2], mask: ClangValue) -> Result<ClangValue, String> {
    let mut all = first.parts(count as usize)?;
    all.extend(second.parts(count as usize)?);
    let ClangValue::Parts(mask) = mask else { return Err("a mask that is no vector".to_owned()) };
    let chosen = mask.iter().map(|index| match index {
        ClangValue::Undefined => Ok(ClangValue::Undefined),
        index => all.get(index.word()? as usize).cloned().ok_or_else(|| "a component that is not there".to_owned()),
    });
    Ok(ClangValue::Parts(chosen.collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::primitive::Primitive;

    fn vector(parts: &[u64]) -> ClangValue {
        ClangValue::Parts(parts.iter().map(|bits| ClangValue::Bits(*bits)).collect())
    }

    /// LLVM Language Reference Manual, `bitcast`: as if the value were stored and loaded, with the
    /// first element at the lowest address of a little-endian machine.
    #[test]
    fn a_bitcast_keeps_the_bytes() {
        let words = Lanes { primitive: Primitive::Integer(32), count: Some(2) };
        let double = Lanes { primitive: Primitive::Double, count: None };
        let cast = |value, from, to| cast("bitcast", value, from, to);
        assert_eq!(cast(vector(&[1, 2]), words, double), Ok(ClangValue::Bits(0x2_0000_0001)));
        assert_eq!(cast(ClangValue::Bits(0x2_0000_0001), double, words), Ok(vector(&[1, 2])));
        let bits = Lanes { primitive: Primitive::Integer(1), count: Some(8) };
        assert!(cast(vector(&[1; 8]), bits, double).is_err());
    }

    #[test]
    fn components_are_chosen_by_masks_and_conditions() {
        let mask = ClangValue::Parts(vec![ClangValue::Bits(3), ClangValue::Undefined, ClangValue::Bits(0)]);
        let chosen = ClangValue::Parts(vec![ClangValue::Bits(40), ClangValue::Undefined, ClangValue::Bits(10)]);
        assert_eq!(shuffle(2, [vector(&[10, 20]), vector(&[30, 40])], mask), Ok(chosen));
        assert_eq!(select([vector(&[0, 1]), vector(&[1, 2]), vector(&[3, 4])]), Ok(vector(&[3, 2])));
        assert_eq!(
            insert(2, [ClangValue::Undefined, ClangValue::Bits(7), ClangValue::Bits(1)]).unwrap().parts(2).unwrap()[0],
            ClangValue::Undefined
        );
        assert!(insert(2, [ClangValue::Undefined, ClangValue::Bits(7), ClangValue::Bits(2)]).is_err());
    }
}
