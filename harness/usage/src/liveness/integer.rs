//! The bits and the range of integers, as far as they are known.
//!
//! An optimiser that knows them may decide a comparison: `(x >> 31) > 1` is false. LLVM's analyses are sound, so that a
//! comparison which can go either way here is one that no compiler decides.

use layoutproof_frontend::module::code::{BinaryOperator, Literal, PrefixOperator};

/// An integer of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Integer {
    /// True for `uint`, `None` if the type is unknown.
    pub(super) unsigned: Option<bool>,
    /// Bits that are certainly 0.
    zeros: u32,
    /// Bits that are certainly 1.
    ones: u32,
    /// The least and the largest value, read as signed and as unsigned.
    signed_range: (i64, i64),
    unsigned_range: (i64, i64),
}

const SIGNED: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);
const UNSIGNED: (i64, i64) = (0, u32::MAX as i64);

impl Integer {
    /// Any value.
    pub(super) fn any(unsigned: Option<bool>) -> Self {
        Self { unsigned, zeros: 0, ones: 0, signed_range: SIGNED, unsigned_range: UNSIGNED }
    }

    /// A `bool` as a number.
    pub(super) fn truth() -> Self {
        Self { zeros: !1, ..Self::any(Some(false)) }.narrowed()
    }

    /// A constant; `None` for one that does not fit into 32 bits.
    pub(super) fn constant(literal: Literal) -> Option<Self> {
        let (value, unsigned) = match literal {
            Literal::Boolean(value) => (i64::from(value), false),
            Literal::Integer { value, unsigned } => (value, unsigned || value > SIGNED.1),
            Literal::Float(_) => return None,
        };
        let bits = u32::try_from(value & UNSIGNED.1).ok()?;
        let fits = (SIGNED.0..=UNSIGNED.1).contains(&value);
        fits.then(|| Self { zeros: !bits, ones: bits, ..Self::any(Some(unsigned)) }.narrowed())
    }

    /// The same bits with another type.
    pub(super) fn with_type(self, unsigned: bool) -> Self {
        Self { unsigned: Some(unsigned), ..self }
    }

    /// True for an integer that is 0 or 1.
    pub(super) fn is_truth(self) -> bool {
        self.zeros == !1
    }

    /// The value, if there is only one.
    pub(super) fn is_constant(self) -> bool {
        self.zeros | self.ones == u32::MAX
    }

    fn range(self, unsigned: bool) -> (i64, i64) {
        if unsigned { self.unsigned_range } else { self.signed_range }
    }

    /// Applies what the bits say of the ranges, and the ranges of each other.
    fn narrowed(mut self) -> Self {
        let (zeros, ones) = (self.zeros, self.ones);
        self.unsigned_range = both(self.unsigned_range, (i64::from(ones), i64::from(!zeros)));
        let sign = 1 << 31;
        let least = if zeros & sign == 0 { ones | sign } else { ones };
        let most = if ones & sign == 0 { !zeros & !sign } else { !zeros };
        self.signed_range = both(self.signed_range, (i64::from(least.cast_signed()), i64::from(most.cast_signed())));
        if self.signed_range.0 >= 0 {
            self.unsigned_range = both(self.unsigned_range, self.signed_range);
        }
        if self.unsigned_range.1 <= SIGNED.1 {
            self.signed_range = both(self.signed_range, self.unsigned_range);
        }
        if self.unsigned_range.0 >= 0 {
            // No value has a bit above the highest one of the largest.
            let highest = u32::try_from(self.unsigned_range.1).unwrap_or(u32::MAX);
            let above = u32::MAX.checked_shl(32 - highest.leading_zeros()).unwrap_or(0);
            self.zeros |= above & !self.ones;
        }
        self
    }

    /// One of two values.
    pub(super) fn either(self, other: Self) -> Self {
        let around = |one: (i64, i64), other: (i64, i64)| (one.0.min(other.0), one.1.max(other.1));
        Self {
            unsigned: if self.unsigned == other.unsigned { self.unsigned } else { common(self, other) },
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            signed_range: around(self.signed_range, other.signed_range),
            unsigned_range: around(self.unsigned_range, other.unsigned_range),
        }
    }

    pub(super) fn prefix(self, operator: PrefixOperator) -> Self {
        match operator {
            PrefixOperator::Not => Self::truth(),
            PrefixOperator::Complement => {
                Self { zeros: self.ones, ones: self.zeros, ..Self::any(self.unsigned) }.narrowed()
            }
            PrefixOperator::Minus => Self { zeros: trailing(self), ..Self::any(self.unsigned) }.narrowed(),
        }
    }

    pub(super) fn binary(operator: BinaryOperator, left: Self, right: Self) -> Self {
        use BinaryOperator as B;
        let any = Self::any(common(left, right));
        let of_bits = |zeros, ones| Self { zeros, ones, ..any }.narrowed();
        let trailing_both = trailing(left) & trailing(right);
        match operator {
            B::BitAnd => of_bits(left.zeros | right.zeros, left.ones & right.ones),
            B::BitOr => of_bits(left.zeros & right.zeros, left.ones | right.ones),
            B::BitXor => of_bits(
                (left.zeros & right.zeros) | (left.ones & right.ones),
                (left.zeros & right.ones) | (left.ones & right.zeros),
            ),
            B::Add => Self { zeros: trailing_both, ..any }.ranged(left, right, |one, other| one + other),
            B::Subtract => Self { zeros: trailing_both, ..any }.ranged(left, right, |one, other| one - other),
            B::Multiply => {
                let zeros = trailing(left).count_ones() + trailing(right).count_ones();
                let zeros = 1_u32.checked_shl(zeros).map_or(u32::MAX, |bit| bit - 1);
                Self { zeros, ..any }.ranged(left, right, i64::saturating_mul)
            }
            B::Divide => {
                let most = left.unsigned_range.1 / right.unsigned_range.0.max(1);
                let by_unsigned = Self { unsigned_range: (0, most), ..any }.narrowed();
                let bound = left.signed_range.0.abs().max(left.signed_range.1.abs());
                let least_divisor = match right.signed_range {
                    (least, _) if least > 0 => least,
                    (_, most) if most < 0 => -most,
                    _ => 1,
                };
                let bound = bound / least_divisor;
                let by_signed = Self { signed_range: both(SIGNED, (-bound, bound)), ..any }.narrowed();
                any.chosen(by_unsigned, by_signed)
            }
            B::Remainder => {
                let most = left.unsigned_range.1.min(right.unsigned_range.1.saturating_sub(1).max(0));
                let by_unsigned = Self { unsigned_range: (0, most), ..any }.narrowed();
                let bound = right.signed_range.0.abs().max(right.signed_range.1.abs()) - 1;
                let least = if left.signed_range.0 >= 0 { 0 } else { -bound };
                let most = if left.signed_range.1 <= 0 { 0 } else { bound };
                let by_signed = Self { signed_range: both(SIGNED, (least, most)), ..any }.narrowed();
                any.chosen(by_unsigned, by_signed)
            }
            B::ShiftLeft | B::ShiftRight => left.shifted(operator, right),
            // DXC keeps calls of its own functions for these (measured).
            B::Least | B::Greatest => any,
            B::Or | B::And | B::Equal | B::NotEqual | B::Less | B::Greater | B::LessEqual | B::GreaterEqual => {
                Self::truth()
            }
        }
    }

    fn shifted(self, operator: BinaryOperator, by: Self) -> Self {
        let any = Self::any(self.unsigned);
        let (true, Ok(by)) = (by.is_constant(), u32::try_from(by.unsigned_range.0 & 31)) else { return any };
        if operator == BinaryOperator::ShiftLeft {
            return Self { zeros: (self.zeros << by) | ((1 << by) - 1), ones: self.ones << by, ..any }.narrowed();
        }
        let logical = Self {
            zeros: (self.zeros >> by) | !(u32::MAX >> by),
            ones: self.ones >> by,
            unsigned_range: (self.unsigned_range.0 >> by, self.unsigned_range.1 >> by),
            ..any
        };
        let arithmetic = Self {
            zeros: (self.zeros.cast_signed() >> by).cast_unsigned(),
            ones: (self.ones.cast_signed() >> by).cast_unsigned(),
            signed_range: (self.signed_range.0 >> by, self.signed_range.1 >> by),
            ..any
        };
        any.chosen(logical.narrowed(), arithmetic.narrowed())
    }

    /// The result for an unsigned or a signed operation, as the type says.
    fn chosen(self, by_unsigned: Self, by_signed: Self) -> Self {
        match self.unsigned {
            Some(true) => by_unsigned,
            Some(false) => by_signed,
            None => by_unsigned.either(by_signed),
        }
    }

    /// Adds the ranges that an operation without overflow has.
    fn ranged(mut self, left: Self, right: Self, operation: fn(i64, i64) -> i64) -> Self {
        let range = |one: (i64, i64), other: (i64, i64), all: (i64, i64)| {
            let ends = [
                operation(one.0, other.0),
                operation(one.0, other.1),
                operation(one.1, other.0),
                operation(one.1, other.1),
            ];
            let found = (ends.into_iter().min().unwrap_or(all.0), ends.into_iter().max().unwrap_or(all.1));
            if found.0 >= all.0 && found.1 <= all.1 { found } else { all }
        };
        self.signed_range = range(left.signed_range, right.signed_range, SIGNED);
        self.unsigned_range = range(left.unsigned_range, right.unsigned_range, UNSIGNED);
        self.narrowed()
    }

    /// True if a comparison is always true or always false. For unknown types, if that holds for one of them.
    pub(super) fn decides(operator: BinaryOperator, left: Self, right: Self) -> bool {
        use BinaryOperator as B;
        let is_apart = left.ones & right.zeros != 0 || left.zeros & right.ones != 0;
        if matches!(operator, B::Equal | B::NotEqual) && is_apart {
            return true;
        }
        let types: &[bool] = match common(left, right) {
            Some(true) => &[true],
            Some(false) => &[false],
            None => &[true, false],
        };
        types.iter().any(|unsigned| compares(operator, left.range(*unsigned), right.range(*unsigned)))
    }

    /// True if a comparison with a float is always true or always false.
    pub(super) fn decides_float(self, operator: BinaryOperator, number: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "32 bits fit")]
        let of = |range: (i64, i64)| (range.0 as f64, range.1 as f64);
        let number = (number, number);
        let types: &[bool] = match self.unsigned {
            Some(true) => &[true],
            Some(false) => &[false],
            None => &[true, false],
        };
        types.iter().any(|unsigned| compares(operator, of(self.range(*unsigned)), number))
    }
}

/// The type of the result of an operation.
fn common(left: Integer, right: Integer) -> Option<bool> {
    match (left.unsigned, right.unsigned) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        (_, _) => None,
    }
}

/// The low bits that are certainly 0.
fn trailing(integer: Integer) -> u32 {
    1_u32.checked_shl(integer.zeros.trailing_ones()).map_or(u32::MAX, |bit| bit - 1)
}

fn both(one: (i64, i64), other: (i64, i64)) -> (i64, i64) {
    (one.0.max(other.0), one.1.min(other.1))
}

fn compares<T: PartialOrd + Copy>(operator: BinaryOperator, left: (T, T), right: (T, T)) -> bool {
    use BinaryOperator as B;
    match operator {
        B::Less | B::GreaterEqual => left.1 < right.0 || left.0 >= right.1,
        B::Greater | B::LessEqual => left.0 > right.1 || left.1 <= right.0,
        B::Equal | B::NotEqual => {
            left.1 < right.0 || left.0 > right.1 || (left.0 == left.1 && right.0 == right.1 && left.0 == right.0)
        }
        _ => false,
    }
}
