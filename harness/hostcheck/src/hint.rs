//! Suggests repairs of mismatches, each as a clause.

use super::flat_struct::{FlatMember, FlatStruct};
use super::member_pairs::MemberPairs;
use super::mismatch::{MismatchKind, StridedThing, bytes};
use super::program_struct::{ProgramContract, ProgramStruct};

/// Size of D3D registers and std140 rows, in bytes, to which C++ programs align.
const REGISTER: u32 = 16;

/// Both sides, to look at the members around a mismatch.
#[derive(Clone, Copy, Debug)]
pub(super) struct HintContext<'a> {
    pub shader: &'a FlatStruct,
    pub host: &'a FlatStruct,
    /// Members of both sides with the same name.
    pub pairs: &'a MemberPairs,
    /// True for a Rust program. Rust aligns types, not members.
    pub is_rust: bool,
    /// Bytes by which the host is already behind the shader for a reason with its own hint;
    /// negative if it is ahead.
    pub shift_before: i64,
}

impl<'a> HintContext<'a> {
    /// The last member of a struct that ends at or before `offset`, on the level of `member`.
    fn before(flat: &FlatStruct, member: &FlatMember) -> Option<usize> {
        let is_before = |other: &FlatMember| {
            other.parent == member.parent && other.offset < member.offset && other.is_first_element
        };
        let before = flat.members.iter().enumerate().filter(|(_, other)| is_before(other));
        before.max_by_key(|(_, other)| (other.offset, other.end())).map(|(index, _)| index)
    }

    /// A host member that precedes `host`, and that the shader has after `member`.
    pub(super) fn passed(&self, member: &FlatMember, host: &FlatMember) -> Option<usize> {
        let is_passed = |index: usize, other: &FlatMember| {
            let namesake = self.pairs.shader_of(index).map(|namesake| &self.shader.members[namesake]);
            other.parent == host.parent
                && other.offset < host.offset
                && namesake.is_some_and(|own| {
                    own.parent == member.parent && own.is_first_element && own.offset > member.offset
                })
        };
        let mut members = self.host.members.iter().enumerate();
        members.find(|(index, other)| is_passed(*index, other)).map(|(index, _)| index)
    }

    /// A host member between two members that are adjacent in the shader.
    fn extra(&self, member: &FlatMember, host: &FlatMember) -> Option<&'a FlatMember> {
        let before = Self::before(self.host, host)?;
        let has_namesake = self.pairs.shader_of(before).is_some();
        let before = &self.host.members[before];
        let is_new = before.offset.saturating_add(REGISTER) > member.offset.min(host.offset);
        (!has_namesake && is_new).then_some(before)
    }
}

/// The repair that moves a member to the shader's place.
pub(super) fn moved_hint(context: &HintContext<'_>, member: &FlatMember, host: &FlatMember) -> String {
    let before =
        |flat: &'_ FlatStruct, member| HintContext::before(flat, member).map(|index| flat.members[index].clone());
    let (shader_before, host_before) = (before(context.shader, member), before(context.host, host));
    if let Some(hint) = order_hint(context, member, host) {
        return hint;
    }
    if let (Some(own), Some(found)) = (member.scalar, host.scalar)
        && (own.class, host.arrays.len()) == (found.class, member.arrays.len())
        && own.size != found.size
    {
        return format!("declare `{}` with components of {} on both sides", leaf_name(&host.path), bytes(own.size));
    }
    // The host's place of the member after earlier repairs.
    let repaired = |offset: u32| u32::try_from(i64::from(offset) - context.shift_before).unwrap_or(0);
    let host_offset = repaired(host.offset);
    if host_offset < member.offset {
        let end = host_before.as_ref().filter(|_| !context.is_rust).map_or(0, |before| repaired(before.end()));
        return too_early_hint(member, host, member.offset - host_offset, end);
    }

    let late = host_offset - member.offset;
    let name = leaf_name(&host.path);
    if context.host.members.iter().any(|other| other.path.starts_with("_vptr") || other.path == "__vfptr") {
        return "remove the virtual functions of the host struct, which put a pointer before its members".to_owned();
    }
    if let Some(extra) = context.extra(member, host) {
        return format!(
            "the shader has no `{}`: add it before `{}` there, or remove it from the host struct",
            leaf_name(&extra.path),
            leaf_name(&member.path)
        );
    }

    match (shader_before, host_before) {
        // A vector of three. The shader packs the next member right after it.
        (Some(before), Some(found)) if found.end() == host.offset && repaired(found.end()) > before.end() => format!(
            "the shader packs `{}` after `{} {}`, which takes {} there and {} in the host: insert {} before `{}` in the \
             shader, or make `{}` smaller",
            leaf_name(&member.path),
            before.type_name,
            leaf_name(&before.path),
            bytes(before.size.unwrap_or(0)),
            found.size.unwrap_or(0),
            bytes(late),
            leaf_name(&member.path),
            leaf_name(&found.path)
        ),
        (Some(before), _) => format!(
            "the shader packs `{}` after `{} {}`; the host aligns it: insert {} before it in the shader, or lower the \
             alignment of `{name}` in the host",
            leaf_name(&member.path),
            before.type_name,
            leaf_name(&before.path),
            bytes(late)
        ),
        (None, _) => format!("remove {} before `{name}` in the host", bytes(late)),
    }
}

/// The hint if both sides have the same members in another order.
fn order_hint(context: &HintContext<'_>, member: &FlatMember, host: &FlatMember) -> Option<String> {
    let passed = &context.host.members[context.passed(member, host)?];
    Some(format!(
        "the members are in another order: move `{}` before `{}` in the host",
        leaf_name(&host.path),
        leaf_name(&passed.path)
    ))
}

/// The repair for a member that is too early, whose predecessor ends at `end`. Only padding helps
/// in Rust and at the start of a struct, where `end` is 0.
fn too_early_hint(member: &FlatMember, host: &FlatMember, missing: u32, end: u32) -> String {
    let name = leaf_name(&host.path);
    let is_whole = member.has_members || !member.arrays.is_empty() || member.vectors.is_some() || is_vector(member);
    if is_whole && end > 0 && member.offset.is_multiple_of(REGISTER) && end.next_multiple_of(REGISTER) == member.offset
    {
        return format!(
            "declare `{} {name}` as `alignas({REGISTER})` in the host, or insert {} before `{name}`",
            short_type(&host.type_name),
            bytes(missing)
        );
    }
    format!("insert {} before `{name}` in the host", bytes(missing))
}

/// The repair for a member that the host lacks.
pub(super) fn missing_hint(member: &FlatMember, found: Option<&FlatMember>) -> String {
    let name = leaf_name(&member.path);
    match found {
        Some(found) => format!(
            "add `{} {name}` before `{}` in the host, or remove it from the shader",
            member.type_name,
            leaf_name(&found.path)
        ),
        None => format!("add `{} {name}` to the host at byte {}", member.type_name, member.offset),
    }
}

/// The repair for the distance between elements or vectors.
pub(super) fn stride_hint(
    member: &FlatMember,
    host: &FlatMember,
    kind: &MismatchKind,
    program: &ProgramStruct,
) -> String {
    let MismatchKind::StrideDiffers { of, shader_stride, host_stride } = kind else { return String::new() };
    let (shader_stride, host_stride) = (*shader_stride, *host_stride);
    let (name, declared) = (leaf_name(&host.path), leaf_name(&member.path));
    let takes = format!("of `{declared}` takes {} in the shader", bytes(shader_stride));
    if *of == StridedThing::MatrixVector {
        return format!("each vector {takes}: declare `{name}` with vectors of {}", bytes(shader_stride));
    }

    let element = short_type(host.type_name.split('[').next().unwrap_or_default());
    let Some(missing) = shader_stride.checked_sub(host_stride) else {
        let late = bytes(host_stride - shader_stride);
        return format!("each element {takes}: make the element type of `{name}` {late} smaller");
    };
    if !host.has_members {
        return format!(
            "each element {takes}: declare `{name}` with elements of {}, of which the last {missing} are padding",
            bytes(shader_stride)
        );
    }
    let aligned =
        alignment_for(host_stride, shader_stride).filter(|alignment| member.offset.is_multiple_of(*alignment));
    format!(
        "each element {takes}: add {} of padding at the end of `{element}` in the host{}",
        bytes(missing),
        aligned_words(aligned, program)
    )
}

/// The repair for the distance of a buffer's elements. `end` is one past the last byte of the host
/// struct that is not padding.
pub(super) fn element_hint(program: &ProgramStruct, stride: u32, end: u32) -> String {
    let name = &program.name;
    if let Some(missing) = stride.checked_sub(program.size) {
        let aligned = aligned_words(alignment_for(program.size, stride), program);
        format!("add {} at the end of `{name}`{aligned}", bytes(missing))
    } else {
        let late = bytes(program.size - stride);
        let shader = format!("add {late} at the end of the shader's struct");
        if end <= stride {
            format!("remove {late} of padding from the end of `{name}`, as a lower alignment does, or {shader}")
        } else {
            shader
        }
    }
}

/// The alignment that puts elements of `size` bytes `stride` bytes apart, if there is one. Prefers
/// register alignment.
fn alignment_for(size: u32, stride: u32) -> Option<u32> {
    let possible = [REGISTER, 8, 32, 64, 128, 256];
    possible.into_iter().find(|alignment| size > 0 && size.next_multiple_of(*alignment) == stride)
}

/// The alignment that gives the stride, in the syntax of the host's language.
fn aligned_words(alignment: Option<u32>, program: &ProgramStruct) -> String {
    match (alignment, program.contract) {
        (None, _) => String::new(),
        (Some(alignment), ProgramContract::Fixed) => format!(", or declare it `alignas({alignment})`"),
        (Some(alignment), ProgramContract::Unstated | ProgramContract::Reordered) => {
            format!(", or declare it `#[repr(C, align({alignment}))]`")
        }
    }
}

fn is_vector(member: &FlatMember) -> bool {
    member.scalar.zip(member.size).is_some_and(|(scalar, size)| size > scalar.size)
}

/// The name after the last dot, without indices of first elements.
fn leaf_name(path: &str) -> String {
    path.rsplit('.').next().unwrap_or(path).replace("[0]", "[]")
}

/// A type without namespaces.
fn short_type(name: &str) -> &str {
    super::names::last_segment(name)
}
