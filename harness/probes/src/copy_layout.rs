//! The layout to which a block is copied: the same type with other offsets.
//!
//! A copy to the same layout would prove nothing, since a misread leaf would be miswritten in the
//! same way. In this layout every scalar, vector and matrix row has its own 32 bytes, every struct
//! leaves its first 32 bytes free, and every matrix is row-major. This is valid in any storage
//! block and matches no rule set.

use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{Extent, LaidOut, LaidOutMember, LaidOutShape};

/// Bytes of the smallest place. No base alignment exceeds it.
const PLACE: u32 = 32;

/// Returns the type in the other layout; `None` for unbounded types and for types whose size does
/// not fit in 32 bits.
pub fn spread(laid_out: &LaidOut) -> Option<LaidOut> {
    let (size, shape) = match &laid_out.shape {
        LaidOutShape::Scalar(_) | LaidOutShape::Vector { .. } => (PLACE, laid_out.shape.clone()),
        LaidOutShape::Matrix { component, rows, columns, .. } => {
            let (component, rows, columns) = (*component, *rows, *columns);
            let shape = LaidOutShape::Matrix { component, rows, columns, order: MatrixOrder::Row, stride: PLACE };
            (rows.checked_mul(PLACE)?, shape)
        }
        LaidOutShape::Array { element, count, .. } => {
            let element = spread(element)?;
            let (stride, length) = match count {
                Count::Finite(count) => (element.size.finite()?, *count),
                Count::Unbounded => return None,
            };
            let shape = LaidOutShape::Array { element: Box::new(element), count: *count, stride };
            (stride.checked_mul(length)?, shape)
        }
        LaidOutShape::Struct(members) => spread_members(members)?,
        LaidOutShape::Pointer { .. } | LaidOutShape::Resource => (0, laid_out.shape.clone()),
    };

    let type_name = format!("{}_spread", laid_out.type_name);
    Some(LaidOut { type_name, size: Extent::Finite(size), alignment: PLACE, shape })
}

fn spread_members(members: &[LaidOutMember]) -> Option<(u32, LaidOutShape)> {
    let mut end = PLACE;
    let mut placed = Vec::new();
    for member in members {
        let layout = spread(&member.layout)?;
        let offset = end;
        end = end.checked_add(layout.size.finite()?)?;
        placed.push(LaidOutMember { offset, layout, ..member.clone() });
    }
    Some((end, LaidOutShape::Struct(placed)))
}

/// Returns the byte offset of the steps of a leaf; `None` if they do not fit the type.
pub(super) fn offset_at(laid_out: &LaidOut, steps: &[LeafStep]) -> Option<u32> {
    let Some((step, rest)) = steps.split_first() else { return Some(0) };

    let (distance, next) = match (&laid_out.shape, step) {
        (LaidOutShape::Struct(members), LeafStep::Member(index)) => {
            let member = members.get(*index as usize)?;
            (member.offset, &member.layout)
        }
        (LaidOutShape::Array { element, stride, .. }, LeafStep::Element(index)) => (index * stride, &**element),
        (LaidOutShape::Vector { component, .. }, LeafStep::Component(index)) => (index * component.size, laid_out),
        (LaidOutShape::Matrix { component, stride, .. }, LeafStep::Cell { row, column }) => {
            (row * stride + column * component.size, laid_out)
        }
        _ => return None,
    };

    offset_at(next, rest).map(|offset| offset + distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::Component;
    use layoutproof_layout::scalar::Scalar;

    fn type_of(shape: LaidOutShape) -> LaidOut {
        LaidOut { type_name: "T".into(), size: Extent::Finite(16), alignment: 4, shape }
    }

    #[test]
    fn everything_stands_alone() {
        let component = Component { scalar: Scalar::Float32, size: 4 };
        let vector = || type_of(LaidOutShape::Vector { component, length: 3 });
        let order = MatrixOrder::Column;
        let matrix = type_of(LaidOutShape::Matrix { component, rows: 2, columns: 3, order, stride: 8 });
        let count = Count::Finite(2);
        let array = type_of(LaidOutShape::Array { element: Box::new(vector()), count, stride: 12 });
        let member =
            |name: &str, layout| LaidOutMember { name: name.into(), is_base: false, offset: 0, bits: None, layout };
        let members = vec![member("v", vector()), member("m", matrix), member("a", array)];
        let other = spread(&type_of(LaidOutShape::Struct(members))).unwrap();
        assert_eq!(other.size, Extent::Finite(32 + 32 + 64 + 64));
        let at = |steps: &[LeafStep]| offset_at(&other, steps);
        assert_eq!(at(&[LeafStep::Member(0), LeafStep::Component(2)]), Some(32 + 8));
        assert_eq!(at(&[LeafStep::Member(1), LeafStep::Cell { row: 1, column: 2 }]), Some(64 + 32 + 8));
        assert_eq!(at(&[LeafStep::Member(2), LeafStep::Element(1), LeafStep::Component(1)]), Some(128 + 32 + 4));
        assert_eq!(at(&[LeafStep::Member(3)]), None);
        let endless = LaidOutShape::Array { element: Box::new(vector()), count: Count::Unbounded, stride: 12 };
        assert_eq!(spread(&type_of(endless)), None);
    }
}
