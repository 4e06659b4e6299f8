//! Looks up the offset of one part of a laid-out type by its path.
//!
//! This is for programs that lay out their own structs; the checks of this project use
//! [`BlockLayout::rows`] and [`BlockLayout::leaves`].
//!
//! [`BlockLayout::rows`]: crate::BlockLayout::rows
//! [`BlockLayout::leaves`]: crate::BlockLayout::leaves

use crate::shape::Count;
use crate::tree::{LaidOut, LaidOutShape};

impl LaidOut {
    /// The offset of the part at `path`, in bytes from the start of this type: `exposure`, `lights[1].color.y`,
    /// `transform[2][0]` (row, column), `bones[3]`.
    ///
    /// Returns `None` if this type has no such part, or if an index is beyond the end of its array. Members of a base struct
    /// count as the struct's own.
    pub fn offset_of(&self, path: &str) -> Option<u32> {
        if path.is_empty() {
            return Some(0);
        }

        match &self.shape {
            LaidOutShape::Struct(_) => {
                let path = path.strip_prefix('.').unwrap_or(path);
                let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
                self.offset_in_member(name, rest)
            }
            LaidOutShape::Array { element, count, stride } => {
                let (index, rest) = split_index(path)?;
                let in_bounds = match count {
                    Count::Finite(count) => index < *count,
                    Count::Unbounded => true,
                };
                if !in_bounds {
                    return None;
                }
                index.checked_mul(*stride)?.checked_add(element.offset_of(rest)?)
            }
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (row, rest) = split_index(path)?;
                let (column, rest) = split_index(rest)?;
                if row >= *rows || column >= *columns || !rest.is_empty() {
                    return None;
                }
                let (vector, element) = order.vector_and_element(row, column);
                Some(vector * stride + element * component.size)
            }
            LaidOutShape::Vector { component, length } => {
                let index = (0..*length).zip([".x", ".y", ".z", ".w"]).find(|(_, name)| *name == path)?.0;
                Some(index * component.size)
            }
            LaidOutShape::Scalar(_) | LaidOutShape::Pointer { .. } | LaidOutShape::Resource => None,
        }
    }

    /// The offset of `rest` in the member `name`, which may belong to a base struct.
    fn offset_in_member(&self, name: &str, rest: &str) -> Option<u32> {
        let LaidOutShape::Struct(members) = &self.shape else { return None };
        let own = members.iter().find(|member| !member.is_base && member.name == name && !name.is_empty());
        if let Some(member) = own {
            return member.offset.checked_add(member.layout.offset_of(rest)?);
        }

        let base = members.iter().find(|member| member.is_base)?;
        base.offset.checked_add(base.layout.offset_in_member(name, rest)?)
    }
}

/// Splits the index from the start of `path`: `[2].x` gives 2 and `.x`.
fn split_index(path: &str) -> Option<(u32, &str)> {
    let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((index.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use crate::scalar::Scalar;
    use crate::shape::{Member, StructType, Type};
    use crate::tests::rules;
    use crate::{Block, LaidOut};

    fn scene() -> LaidOut {
        let light = StructType::new(
            "Light",
            [Member::new("color", Type::vector(Scalar::Float32, 3)), Member::new("power", Scalar::Float32)],
        );
        let scene = StructType::new(
            "Scene",
            [
                Member::new("exposure", Scalar::Float32),
                Member::new("lights", Type::array(light, 4)),
                Member::new("view", Type::matrix(Scalar::Float32, 2, 3)),
            ],
        );
        rules("std140").lay_out(&Block::uniform("scene", scene)).unwrap()
    }

    /// GLSL 4.60 `std140`: arrays start at multiples of 16, each column of a matrix takes 16 bytes.
    #[test]
    fn offsets_at_any_depth() {
        let scene = scene();
        for (path, offset) in [
            ("", 0),
            ("exposure", 0),
            ("lights", 16),
            ("lights[2]", 48),
            ("lights[2].color", 48),
            ("lights[2].color.z", 56),
            ("lights[3].power", 76),
            ("view", 80),
            ("view[1][0]", 84),
            ("view[0][2]", 112),
        ] {
            assert_eq!(scene.offset_of(path), Some(offset), "{path}");
        }
    }

    #[test]
    fn no_offset_for_parts_that_are_not_there() {
        let scene = scene();
        for path in ["lights[4]", "lights.color", "light", "exposure.x", "lights[0].color.w", "view[2][0]", "view[0]"] {
            assert_eq!(scene.offset_of(path), None, "{path}");
        }
    }

    #[test]
    fn the_error_names_rule_set_block_and_member() {
        let block = Block::uniform("S", StructType::new("T", [Member::new("on", Scalar::Bool)]));
        let error = rules("wgsl-uniform").lay_out(&block).unwrap_err();
        let message = "wgsl-uniform does not allow block `S`: \
                       member `on` is made of bool, which wgsl-uniform does not allow";
        assert_eq!(error.to_string(), message);
    }
}
