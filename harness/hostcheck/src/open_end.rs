//! An unbounded array at the end of a block, and the host's counterpart.
//!
//! C has flexible array members, and older code uses `T x[1]` or GNU's `T x[0]` instead. C++ and
//! Rust programs often declare only the header and upload the elements from a vector. An array with
//! a fixed number of elements is fine too.

use std::borrow::Cow;
use std::collections::BTreeMap;

use layoutproof_layout::{Count, Extent, LaidOut, LaidOutMember, LaidOutShape};

use super::names::{is_filler, member_key};
use super::program_struct::{ProgramField, ProgramShape, ProgramStruct};

/// Both sides, with ends that can be compared.
#[derive(Debug)]
pub(super) struct OpenEnd<'a> {
    /// The block, without its array if the host has only the header.
    pub shader: Cow<'a, LaidOut>,
    /// The host struct. An array that represents an unbounded one is unbounded here too.
    pub host: Cow<'a, ProgramStruct>,
    /// Host names by shader name, including the array's.
    pub renames: Cow<'a, BTreeMap<String, String>>,
    /// Path and offset of the array, if the host has only the part before it.
    pub header_before: Option<(String, u32)>,
}

impl<'a> OpenEnd<'a> {
    /// Finds the host's counterpart of the unbounded array in `shader`, if there is one.
    pub(super) fn meet(
        shader: &'a LaidOut,
        host: &'a ProgramStruct,
        renames: &'a BTreeMap<String, String>,
    ) -> OpenEnd<'a> {
        let mut ends = OpenEnd {
            shader: Cow::Borrowed(shader),
            host: Cow::Borrowed(host),
            renames: Cow::Borrowed(renames),
            header_before: None,
        };
        let Some((name, offset, count)) = last_array(shader) else { return ends };
        let Some(last) = last_field(host) else { return ends };
        let field = &host.fields[last];
        let stated = renames.get(name).map_or(name, String::as_str);
        let is_namesake = member_key(&field.name) == member_key(stated);
        let can_be_it =
            field.offset == offset && matches!(field.shape, ProgramShape::Array { .. } | ProgramShape::Struct { .. });
        if is_namesake || can_be_it {
            if let Some(open) = without_end(field).filter(|_| count == Count::Unbounded) {
                ends.host.to_mut().fields[last] = open;
            }
            if field.name != stated {
                ends.renames.to_mut().insert(name.to_owned(), field.name.clone());
            }
        } else if offset > 0 && end_of_fields(host) <= offset {
            ends.header_before = Some((name.to_owned(), offset));
            let header = ends.shader.to_mut();
            if let LaidOutShape::Struct(members) = &mut header.shape {
                members.retain(|member| !is_open(member));
                let ends = members.iter().filter_map(|member| member.layout.size.finite()?.checked_add(member.offset));
                header.size = Extent::Finite(ends.max().unwrap_or(0));
            }
        }
        ends
    }
}

/// Name, offset and count of the unbounded array among the members, or of the array that is the
/// whole block.
fn last_array(shader: &LaidOut) -> Option<(&str, u32, Count)> {
    match &shader.shape {
        LaidOutShape::Array { count, .. } => Some(("", 0, *count)),
        LaidOutShape::Struct(members) => {
            let open = members.iter().find(|member| is_open(member))?;
            Some((open.name.as_str(), open.offset, Count::Unbounded))
        }
        _ => None,
    }
}

fn is_open(member: &LaidOutMember) -> bool {
    matches!(member.layout.shape, LaidOutShape::Array { count: Count::Unbounded, .. })
}

/// The last named field. If several start there, as in a union, the one with the most elements.
fn last_field(host: &ProgramStruct) -> Option<usize> {
    let fields = host.fields.iter().enumerate().filter(|(_, field)| !field.name.is_empty() && field.bits.is_none());
    fields.max_by_key(|(index, field)| (field.offset, *index)).map(|(index, _)| index)
}

/// One past the last byte of the fields without padding.
fn end_of_fields(host: &ProgramStruct) -> u32 {
    let real = host.fields.iter().filter(|field| field.name.is_empty() || !is_filler(&field.name));
    let ends = real.map(|field| match field.bits {
        Some(bits) => bits.offset.saturating_add(bits.width).div_ceil(8),
        None => field.offset.saturating_add(field.shape.size().unwrap_or(u32::MAX)),
    });
    ends.max().unwrap_or(0)
}

/// A field of at most one element, as the unbounded array that it represents. `None` if the field
/// is already unbounded or has several elements.
fn without_end(field: &ProgramField) -> Option<ProgramField> {
    let mut open = field.clone();
    match &mut open.shape {
        ProgramShape::Array { count, .. } if count.is_some_and(|count| count <= 1) => *count = None,
        ProgramShape::Struct { size, .. } => {
            let (element, stride) = (Box::new(field.shape.clone()), *size);
            open.shape = ProgramShape::Array { element, element_name: field.type_name.clone(), count: None, stride };
        }
        _ => return None,
    }
    Some(open)
}
