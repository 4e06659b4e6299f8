//! Evaluates the constants of a module. A specialization constant, or a result computed from some,
//! has the value that it gets if a pipeline sets none.
//!
//! Only 32-bit integers and bools are computed, because array lengths consist of these.
//!
//! Source: SPIR-V specification, "Specialization" and "Arithmetic Instructions".

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};

use super::load::Operands;

/// A constant that a pipeline may change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SpecializedConstant {
    /// The `SpecId`s of the constants that it depends on.
    pub(crate) by: BTreeSet<u32>,
    /// True if it is computed from them.
    pub(crate) is_computed: bool,
}

/// The integer and float constants of a module, and its bools that a pipeline may change.
#[derive(Clone, Debug, Default)]
pub struct SpirvConstants {
    /// Bits by id; for a constant that a pipeline may change, those of the default.
    values: BTreeMap<Word, u64>,
    /// The constants among them that a pipeline may change.
    specialized: BTreeMap<Word, SpecializedConstant>,
}

impl SpirvConstants {
    /// The bits of a constant; those of the default if a pipeline may change it.
    pub fn value(&self, id: Word) -> Option<u64> {
        self.values.get(&id).copied()
    }

    /// The constant with this id, if a pipeline may change it.
    pub(super) fn specialized(&self, id: Word) -> Option<&SpecializedConstant> {
        self.specialized.get(&id)
    }

    pub(super) fn add(&mut self, id: Word, bits: u64) {
        self.values.insert(id, bits);
    }

    /// Adds a specialization constant, or a result computed from some, if its value can be
    /// determined.
    pub(super) fn add_specialization(&mut self, id: Word, instruction: &Instruction, spec_id: Option<u32>) {
        let ops = Operands(instruction);
        let by = spec_id.into_iter().collect();
        let (value, by) = match instruction.class.opcode {
            Op::SpecConstant => (ops.literal(0), by),
            Op::SpecConstantTrue => (Some(1), by),
            Op::SpecConstantFalse => (Some(0), by),
            Op::SpecConstantOp => self.computed(instruction),
            _ => (None, by),
        };

        if let Some(value) = value {
            self.values.insert(id, value);
            let is_computed = instruction.class.opcode == Op::SpecConstantOp;
            self.specialized.insert(id, SpecializedConstant { by, is_computed });
        }
    }

    /// The value of a computation with the defaults of its operands, and the constants that it
    /// depends on.
    fn computed(&self, instruction: &Instruction) -> (Option<u64>, BTreeSet<u32>) {
        let Some(Operand::LiteralSpecConstantOpInteger(operation)) = instruction.operands.first() else {
            return (None, BTreeSet::new());
        };
        let operands = (1..instruction.operands.len()).map(|index| Operands(instruction).id(index));
        let operands: Option<Vec<Word>> = operands.collect();
        let operands = operands.unwrap_or_default();
        let by = operands.iter().filter_map(|id| self.specialized.get(id)).flat_map(|constant| constant.by.clone());

        let value = |id: &Word| u32::try_from(self.value(*id)?).ok();
        let values: Option<Vec<u32>> = operands.iter().map(value).collect();
        (values.and_then(|values| folded(*operation, &values)).map(u64::from), by.collect())
    }
}

pub(super) fn is_folded(operation: Op) -> bool {
    (1..=3).any(|count| folded(operation, &[1; 3][..count]).is_some())
}

/// The result of an operation on 32-bit integers and bools.
fn folded(operation: Op, operands: &[u32]) -> Option<u32> {
    let of_signed = |operate: fn(i32, i32) -> Option<i32>| match operands {
        [a, b] => operate(a.cast_signed(), b.cast_signed()).map(i32::cast_unsigned),
        _ => None,
    };
    Some(match (operation, operands) {
        (Op::IAdd, [a, b]) => a.wrapping_add(*b),
        (Op::ISub, [a, b]) => a.wrapping_sub(*b),
        (Op::IMul, [a, b]) => a.wrapping_mul(*b),
        (Op::UDiv, [a, b]) => a.checked_div(*b)?,
        (Op::UMod, [a, b]) => a.checked_rem(*b)?,
        (Op::SDiv, _) => of_signed(i32::checked_div)?,
        (Op::SRem, _) => of_signed(i32::checked_rem)?,
        (Op::SMod, _) => of_signed(with_sign_of_divisor)?,
        (Op::SNegate, [a]) => a.wrapping_neg(),
        (Op::ShiftLeftLogical, [a, b]) => a.checked_shl(*b)?,
        (Op::ShiftRightLogical, [a, b]) => a.checked_shr(*b)?,
        (Op::ShiftRightArithmetic, [a, b]) => a.cast_signed().checked_shr(*b)?.cast_unsigned(),
        (Op::BitwiseAnd | Op::LogicalAnd, [a, b]) => a & b,
        (Op::BitwiseOr | Op::LogicalOr, [a, b]) => a | b,
        (Op::BitwiseXor | Op::LogicalNotEqual, [a, b]) => a ^ b,
        (Op::Not, [a]) => !a,
        (Op::LogicalNot, [a]) => u32::from(*a == 0),
        (Op::IEqual | Op::LogicalEqual, [a, b]) => u32::from(a == b),
        (Op::INotEqual, [a, b]) => u32::from(a != b),
        (Op::ULessThan, [a, b]) => u32::from(a < b),
        (Op::ULessThanEqual, [a, b]) => u32::from(a <= b),
        (Op::UGreaterThan, [a, b]) => u32::from(a > b),
        (Op::UGreaterThanEqual, [a, b]) => u32::from(a >= b),
        (Op::SLessThan, [a, b]) => u32::from(a.cast_signed() < b.cast_signed()),
        (Op::SLessThanEqual, [a, b]) => u32::from(a.cast_signed() <= b.cast_signed()),
        (Op::SGreaterThan, [a, b]) => u32::from(a.cast_signed() > b.cast_signed()),
        (Op::SGreaterThanEqual, [a, b]) => u32::from(a.cast_signed() >= b.cast_signed()),
        (Op::Select, [condition, a, b]) => *if *condition == 0 { b } else { a },
        _ => return None,
    })
}

fn with_sign_of_divisor(dividend: i32, divisor: i32) -> Option<i32> {
    let remainder = dividend.checked_rem(divisor)?;
    let differ = remainder != 0 && (remainder < 0) != (divisor < 0);
    Some(if differ { remainder + divisor } else { remainder })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_those_of_the_specification() {
        let minus = |number: i32| (-number).cast_unsigned();
        for (operation, operands, result) in [
            (Op::IMul, vec![5, 2], Some(10)),
            (Op::SDiv, vec![minus(7), 2], Some(minus(3))),
            (Op::SRem, vec![minus(7), 2], Some(minus(1))),
            (Op::SMod, vec![minus(7), 2], Some(1)),
            (Op::UDiv, vec![7, 0], None),
            (Op::SDiv, vec![minus(i32::MAX) - 1, minus(1)], None),
            (Op::ShiftLeftLogical, vec![1, 32], None),
            (Op::SGreaterThan, vec![1, minus(1)], Some(1)),
            (Op::UGreaterThan, vec![1, minus(1)], Some(0)),
            (Op::Select, vec![0, 8, 4], Some(4)),
            (Op::Select, vec![1, 8], None),
            (Op::FAdd, vec![1, 2], None),
        ] {
            assert_eq!(folded(operation, &operands), result, "{operation:?} {operands:?}");
        }
    }
}
