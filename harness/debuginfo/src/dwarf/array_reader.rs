//! Reads arrays and vector types of compilers.

use super::entry::{Bound, Entry};
use super::type_key::{TypeKey, unit_offset};
use super::type_reader::{TypeReader, UnitInUse};
use crate::type_table::NewType;
use crate::{DebugInfoError, ElementCount, HostArray, HostShape, HostTypeId};

/// The maximum number of dimensions of an array.
const MAX_DIMENSIONS: u32 = 64;

impl<'a> TypeReader<'a, '_> {
    pub(super) fn read_array(
        &mut self,
        in_use: &UnitInUse<'a>,
        key: TypeKey,
        entry: &Entry<'a>,
        depth: u32,
    ) -> Result<HostTypeId, DebugInfoError> {
        let element = self.read_target(key, entry, depth)?;
        let counts = self.dimensions(in_use, key)?;
        let name = self.type_name(key, 0);
        let alignment = entry.stated_alignment();

        if entry.is_vector {
            let count = counts.iter().try_fold(1u32, |product, count| product.checked_mul(finite(*count)?));
            let count = count.ok_or_else(|| self.damaged(key, "it is a vector without a number of components"))?;
            let size = match entry.byte_size {
                Some(size) => size,
                None => u64::from(self.types[element].size.unwrap_or(0)) * u64::from(count),
            };
            let size = Some(self.size(key, size)?);
            let shape = HostShape::Vector { component: element, count };
            return self.add(NewType { name, shape, size, alignment, place: None });
        }

        let stride = match entry.byte_stride {
            Some(stride) => Some(self.size(key, stride)?),
            None => self.types[element].size,
        };
        let computed = stride.and_then(|stride| {
            let mut size = u64::from(stride);
            for count in &counts {
                size = size.saturating_mul(u64::from(finite(*count)?));
            }
            Some(size)
        });
        let size = match entry.byte_size.or(computed) {
            Some(size) => Some(self.size(key, size)?),
            None => None,
        };
        let shape = HostShape::Array(HostArray { element, counts, stride });
        self.add(NewType { name, shape, size, alignment, place: None })
    }

    pub(super) fn dimensions(&self, in_use: &UnitInUse<'a>, key: TypeKey) -> Result<Vec<ElementCount>, DebugInfoError> {
        let is_bound = |tag| matches!(tag, gimli::DW_TAG_subrange_type | gimli::DW_TAG_enumeration_type);
        let children = in_use.unit.children(unit_offset(key.entry), MAX_DIMENSIONS, is_bound);
        let children = children.map_err(|error| self.damaged(key, error))?;
        if children.is_cut {
            return Err(self.damaged(key, format!("it has more than {MAX_DIMENSIONS} dimensions")));
        }
        let mut counts: Vec<ElementCount> = Vec::new();
        for dimension in &children.entries {
            counts.push(element_count(dimension).ok_or_else(|| self.damaged(key, "one of its counts is too large"))?);
        }
        if counts.is_empty() {
            counts.push(ElementCount::Unstated);
        }
        Ok(counts)
    }
}

fn finite(count: ElementCount) -> Option<u32> {
    match count {
        ElementCount::Finite(count) => Some(count),
        ElementCount::Unstated => None,
    }
}

/// Returns the number of elements of one dimension; `None` if it is out of range.
fn element_count(dimension: &Entry<'_>) -> Option<ElementCount> {
    let count = match (dimension.count, dimension.upper_bound, dimension.lower_bound) {
        // Clang writes -1 for a flexible array.
        (Some(Bound::Constant(count)), ..) if count >= 0 => count,
        (Some(_), ..) | (None, None | Some(Bound::Computed), _) | (None, _, Some(Bound::Computed)) => {
            return Some(ElementCount::Unstated);
        }
        (None, Some(Bound::Constant(upper)), lower) => {
            let lower = match lower {
                Some(Bound::Constant(lower)) => lower,
                _ => 0,
            };
            // GCC writes an upper bound of -1 for `float a[0]`.
            upper.checked_sub(lower)?.checked_add(1)?.max(0)
        }
    };
    u32::try_from(count).ok().map(ElementCount::Finite)
}
