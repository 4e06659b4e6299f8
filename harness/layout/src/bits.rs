//! Packs bit-fields into storage units; [`super::place`] places the units.
//!
//! The first field takes the least significant bits.
//!
//! Source: measured with DXC 1.7.2308 (`-HV 2021`) and Slang 2026.14.1.

use super::rules::BitFields;
use super::tree::{BitRange, Component};

/// A storage unit with room for further fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StorageUnit {
    /// Type of the unit; under [`BitFields::Widening`] the widest type so far.
    pub component: Component,
    used: u32,
}

impl StorageUnit {
    /// Starts a unit with its first field.
    pub(super) fn new(component: Component, width: u32) -> (Self, BitRange) {
        (Self { component, used: width }, BitRange { offset: 0, width })
    }

    /// Adds a field, or returns `None` if the field needs a new unit.
    pub(super) fn take(&mut self, rule: BitFields, component: Component, width: u32) -> Option<BitRange> {
        let unit = match rule {
            BitFields::SameSize if component.size == self.component.size => self.component,
            BitFields::SameType if component.scalar == self.component.scalar => self.component,
            BitFields::SameSize | BitFields::SameType => return None,
            BitFields::Widening if component.size > self.component.size => component,
            BitFields::Widening => self.component,
        };

        let offset = self.used;
        let used = offset + width;
        if used > unit.size * 8 {
            return None;
        }

        *self = Self { component: unit, used };
        Some(BitRange { offset, width })
    }
}

pub(super) fn zero_width_ends_unit(rule: BitFields) -> bool {
    rule != BitFields::SameType
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Scalar, SixteenBit};

    /// The units of these fields, each as its size in bytes and the bit offsets of its fields.
    fn units(rule: BitFields, fields: &[(Scalar, u32)]) -> Vec<(u32, Vec<u32>)> {
        let mut units: Vec<(StorageUnit, Vec<u32>)> = Vec::new();
        for (scalar, width) in fields {
            let component = Component { scalar: *scalar, size: scalar.size(SixteenBit::On, 4) };
            match units.last_mut().and_then(|(unit, bits)| Some((unit.take(rule, component, *width)?, bits))) {
                Some((range, bits)) => bits.push(range.offset),
                None => units.push((StorageUnit::new(component, *width).0, vec![0])),
            }
        }
        units.into_iter().map(|(unit, bits)| (unit.component.size, bits)).collect()
    }

    /// Storage units in the listing of DXC 1.7.2308, `-T cs_6_6 -HV 2021 -enable-16bit-types`.
    #[test]
    fn dxil_shares_between_types_of_one_size() {
        use Scalar::{Int32, Uint16, Uint32, Uint64};
        let same_size = |fields: &[(Scalar, u32)]| units(BitFields::SameSize, fields);
        assert_eq!(same_size(&[(Uint32, 3), (Uint32, 7), (Uint32, 30)]), [(4, vec![0, 3]), (4, vec![0])]);
        assert_eq!(
            same_size(&[(Uint32, 4), (Int32, 4), (Uint64, 5), (Uint32, 3)]),
            [(4, vec![0, 4]), (8, vec![0]), (4, vec![0])]
        );
        assert_eq!(
            same_size(&[(Uint16, 9), (Uint16, 4), (Uint16, 4), (Uint32, 4)]),
            [(2, vec![0, 9]), (2, vec![0]), (4, vec![0])]
        );
    }

    /// Members in the decorations of DXC 1.7.2308, `-spirv`, for the element of a structured buffer.
    #[test]
    fn dxc_spirv_shares_between_equal_types() {
        use Scalar::{Int32, Uint32};
        assert_eq!(units(BitFields::SameType, &[(Uint32, 4), (Int32, 4)]), [(4, vec![0]), (4, vec![0])]);
        assert_eq!(units(BitFields::SameType, &[(Uint32, 3), (Uint32, 7)]), [(4, vec![0, 3])]);
    }

    /// `$bit_field_backing_N` in the reflection of Slang 2026.14.1.
    #[test]
    fn slang_widens_the_unit() {
        use Scalar::{Uint8, Uint16, Uint32, Uint64};
        let slang = |fields: &[(Scalar, u32)]| units(BitFields::Widening, fields);
        assert_eq!(slang(&[(Uint32, 4), (Uint32, 4), (Uint64, 5), (Uint32, 3)]), [(8, vec![0, 4, 8, 13])]);
        assert_eq!(slang(&[(Uint8, 3), (Uint16, 9), (Uint32, 20)]), [(4, vec![0, 3, 12])]);
        assert_eq!(slang(&[(Uint64, 5), (Uint32, 30), (Uint32, 30)]), [(8, vec![0, 5]), (4, vec![0])]);
        assert_eq!(slang(&[(Uint16, 9), (Uint8, 4), (Uint8, 4)]), [(2, vec![0, 9]), (1, vec![0])]);
        assert_eq!(slang(&[(Uint32, 20), (Uint64, 20), (Uint32, 30)]), [(8, vec![0, 20]), (4, vec![0])]);
    }
}
