//! Finds the structs in a block that a host program may declare as separate structs.
//!
//! Only the shader has a buffer of structs as one struct: the host uploads many elements, or a
//! header followed by elements. GLSL writes `buffer Particles { Particle particles[]; }`, WGSL
//! `array<Particle>`, DXC's SPIR-V `type.RWStructuredBuffer.Particle`; the host fills each with its
//! own `Particle`. It also fills a block whose only member is a struct with that struct.

use layoutproof_layout::{BlockLayout, Count, LaidOut, LaidOutMember, LaidOutShape};

use super::names::{is_filler, join_path, loose_key, member_key};
use super::program_struct::{ProgramField, ProgramShape, ProgramStruct};

/// Maximum number of levels of structs that contain only another struct.
const MAX_LEVELS: usize = 8;

#[derive(Clone, Debug)]
pub struct BlockPart<'a> {
    /// Path in the block; empty for the block itself, `particles[]` for the elements of an array.
    pub path: String,
    /// Bytes from the start of the block to the first element.
    pub offset: u32,
    /// Its members.
    pub root: &'a LaidOut,
    /// Bytes from one element to the next, if there are several.
    pub stride: Option<u32>,
    /// True if other members of the block precede it, so that it is only the end of the block.
    pub has_header: bool,
}

impl BlockPart<'_> {
    /// The name of its member; empty for the block itself and for the elements of a block that is
    /// an array.
    pub fn member(&self) -> &str {
        let path = self.path.trim_end_matches("[]");
        path.rsplit('.').next().unwrap_or(path)
    }
}

/// The path of a part, starting with the block's name: `Counted.spheres[]`, `particles[]` for the
/// elements of a block that is an array. glslang and slangc call the array of an unnamed block
/// `__member0`, which no author wrote.
pub fn part_path(block: &str, part: &str) -> String {
    let part = part.strip_prefix("__member0").filter(|rest| rest.starts_with('[')).unwrap_or(part);
    if part.starts_with('[') { format!("{block}{part}") } else { join_path(block, part) }
}

/// The block itself, then the structs that make it up, from the outside to the inside; finally the
/// elements of an unbounded array that follows other members.
pub fn block_parts<'a>(layout: &BlockLayout, root: &'a LaidOut) -> Vec<BlockPart<'a>> {
    let whole = BlockPart { path: String::new(), offset: 0, root, stride: layout.stride, has_header: false };
    let mut parts = vec![whole];
    while let Some(inner) = parts.last().filter(|_| parts.len() <= MAX_LEVELS).and_then(inner_part) {
        let is_end = inner.has_header;
        parts.push(inner);
        if is_end {
            break;
        }
    }
    parts
}

/// The only struct in a part, or the elements of the array at its end.
fn inner_part<'a>(outer: &BlockPart<'a>) -> Option<BlockPart<'a>> {
    let members = match &outer.root.shape {
        LaidOutShape::Array { .. } => return elements_of(outer, "", 0, outer.root, false),
        LaidOutShape::Struct(members) => members,
        _ => return None,
    };
    let mut real = members.iter().filter(|member| is_data(member));
    let last = real.next_back()?;
    let has_header = real.next().is_some();
    if last.is_base {
        return None;
    }
    match &last.layout.shape {
        LaidOutShape::Struct(_) if !has_header => Some(BlockPart {
            path: join_path(&outer.path, &last.name),
            offset: outer.offset.checked_add(last.offset)?,
            root: &last.layout,
            stride: outer.stride,
            has_header: false,
        }),
        LaidOutShape::Array { count, .. } if !has_header || *count == Count::Unbounded => {
            elements_of(outer, &last.name, last.offset, &last.layout, has_header)
        }
        _ => None,
    }
}

/// The elements of an array of structs; `None` for other arrays, and if there are gaps between rows
/// of elements.
fn elements_of<'a>(
    outer: &BlockPart<'a>,
    name: &str,
    offset: u32,
    array: &'a LaidOut,
    has_header: bool,
) -> Option<BlockPart<'a>> {
    // Elements of elements are not all the same distance apart.
    if outer.stride.is_some() {
        return None;
    }
    let (mut element, mut dimensions) = (array, String::new());
    let mut dense: Option<u32> = None;
    while let LaidOutShape::Array { element: inner, count, stride } = &element.shape {
        let row = match count {
            Count::Finite(count) => stride.checked_mul(*count),
            Count::Unbounded => None,
        };
        if dense.is_some_and(|outer_stride| row != Some(outer_stride)) {
            return None;
        }
        dense = Some(*stride);
        dimensions += "[]";
        element = inner;
    }
    let is_struct = matches!(element.shape, LaidOutShape::Struct(_));
    is_struct.then_some(BlockPart {
        path: format!("{}{dimensions}", join_path(&outer.path, name)),
        offset: outer.offset.checked_add(offset)?,
        root: element,
        stride: dense,
        has_header,
    })
}

/// True if the host fills bytes of the member.
fn is_data(member: &LaidOutMember) -> bool {
    let is_resource = matches!(member.layout.shape, LaidOutShape::Resource);
    let is_filler = !member.name.is_empty() && is_filler(&member.name);
    !is_resource && !is_filler && member.layout.size.finite() != Some(0)
}

/// True if a host struct fills bytes of the part: not if it has only resources, padding, and pointers without bytes.
pub fn has_data(part: &BlockPart<'_>) -> bool {
    match &part.root.shape {
        LaidOutShape::Struct(members) => members.iter().any(is_data),
        _ => true,
    }
}

/// Selects the part that a host struct represents if its name does not tell: the part with most of
/// its members, and among equals the outermost. Without a common member, it is the innermost part
/// if the host struct lacks the block's array.
pub fn part_of_host(parts: &[BlockPart<'_>], host: &ProgramStruct) -> usize {
    let fields = named_fields(&host.fields);
    let common = |part: &BlockPart<'_>| match &part.root.shape {
        LaidOutShape::Struct(members) => {
            let keys = || fields.iter().map(|field| member_key(&field.name));
            members.iter().filter(|member| keys().any(|key| key == member_key(&member.name))).count()
        }
        _ => 0,
    };
    let choices = || parts.iter().enumerate().filter(|(_, part)| !part.has_header);
    let most = choices().map(|(_, part)| common(part)).max().unwrap_or(0);
    if most > 0 {
        return choices().find(|(_, part)| common(part) == most).map_or(0, |(index, _)| index);
    }
    let wraps = match fields.as_slice() {
        [only] => match only.shape {
            ProgramShape::Array { .. } => true,
            ProgramShape::Struct { .. } => parts.get(1).is_none_or(|inner| inner.stride.is_none()),
            _ => false,
        },
        _ => false,
    };
    if wraps { 0 } else { choices().next_back().map_or(0, |(index, _)| index) }
}

/// True if a host struct has at least half of the members of the block, or of a struct in it, under
/// their names.
pub fn has_members_of(parts: &[BlockPart<'_>], host: &ProgramStruct) -> bool {
    let fields: Vec<String> = named_fields(&host.fields).iter().map(|field| loose_key(&field.name)).collect();
    parts.iter().any(|part| match &part.root.shape {
        LaidOutShape::Struct(members) => {
            let real = members.iter().filter(|member| is_data(member));
            let keys: Vec<String> = real.map(|member| loose_key(&member.name)).collect();
            let common = keys.iter().filter(|key| fields.contains(key)).count();
            common > 0 && common * 2 >= keys.len()
        }
        _ => false,
    })
}

/// True if a host struct has a member of the block, or of a struct in it, under its name.
pub fn shares_a_member(parts: &[BlockPart<'_>], host: &ProgramStruct) -> bool {
    let fields: Vec<String> = named_fields(&host.fields).iter().map(|field| loose_key(&field.name)).collect();
    parts.iter().any(|part| match &part.root.shape {
        LaidOutShape::Struct(members) => members.iter().any(|member| fields.contains(&loose_key(&member.name))),
        _ => false,
    })
}

/// The fields without padding. The fields of anonymous structs count as the struct's own.
fn named_fields(fields: &[ProgramField]) -> Vec<&ProgramField> {
    let mut named = Vec::new();
    for field in fields {
        match &field.shape {
            ProgramShape::Struct { fields, .. } | ProgramShape::Union { fields, .. } if field.name.is_empty() => {
                named.extend(named_fields(fields));
            }
            _ if is_filler(&field.name) => {}
            _ => named.push(field),
        }
    }
    named
}
