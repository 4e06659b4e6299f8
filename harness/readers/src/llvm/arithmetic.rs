//! LLVM's casts, binary operators and comparisons on bits.

use half::f16;

use super::primitive::Primitive;

fn cut(bits: u64, width: u32) -> u64 {
    if width < 64 { bits & ((1 << width) - 1) } else { bits }
}

/// `bits` of `width`, sign-extended to 64 bits.
pub(crate) fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    (bits << unused).cast_signed() >> unused
}

/// Applies a cast by name.
///
/// # Errors
/// An unknown cast, or types that it does not support.
pub(crate) fn cast(name: &str, bits: u64, from: Primitive, to: Primitive) -> Result<u64, String> {
    let (narrow, wide) = (from.width(), to.width());
    match (name, from, to) {
        ("bitcast", _, _) if narrow == wide => Ok(bits),
        ("trunc" | "zext", _, _) => Ok(cut(bits, wide)),
        ("sext", _, _) => Ok(cut(signed(bits, narrow).cast_unsigned(), wide)),
        ("fpext", Primitive::Half, Primitive::Float) => Ok(u64::from(f16::from_bits(low16(bits)).to_f32().to_bits())),
        ("fpext", Primitive::Float, Primitive::Double) => Ok(f64::from(f32::from_bits(low32(bits))).to_bits()),
        _ => Err(format!("the cast `{name}` of {from:?} to {to:?}")),
    }
}

/// Applies a binary operator by name.
///
/// # Errors
/// An unknown operator, a division by zero, or a shift by more bits than the type has.
pub(crate) fn binary(name: &str, ty: Primitive, [a, b]: [u64; 2]) -> Result<u64, String> {
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
        _ => return Err(format!("the operator `{name}`")),
    };
    Ok(cut(result, width))
}

/// Applies a comparison by name (`icmp ne`).
///
/// # Errors
/// An unknown comparison.
pub(crate) fn compare(name: &str, ty: Primitive, [a, b]: [u64; 2]) -> Result<bool, String> {
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
        _ => Err(format!("the comparison `{name}`")),
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

    #[test]
    fn integers_wrap_at_their_width() {
        let int = Primitive::Integer(32);
        assert_eq!(binary("add", int, [0xFFFF_FFFF, 1]), Ok(0));
        assert_eq!(binary("ashr", int, [0x8000_0000, 31]), Ok(0xFFFF_FFFF));
        assert_eq!(cast("sext", 0x80, Primitive::Integer(8), Primitive::Integer(16)), Ok(0xFF80));
        assert_eq!(compare("icmp slt", int, [0xFFFF_FFFF, 0]), Ok(true));
        assert!(binary("udiv", int, [1, 0]).is_err() && binary("shl", int, [1, 32]).is_err());
        assert!(binary("fadd", int, [1, 1]).unwrap_err().contains("fadd"));
    }
}
