//! Explicit places of members: `packoffset`, `register(c4)` on loose globals, `[[vk::offset]]`, WGSL's `@align` and `@size`.
//!
//! Reads a member's annotations under a rule set, or reports why the rule set refuses them. The
//! front end has already checked that the annotation itself is legal (its component, whether it
//! crosses a register).
//!
//! Source: wg-hlsl INF-0003, packoffset; measured with DXC 1.7.2308 and Slang 2026.12.

use super::alignment::{Alignment, MAX_BYTES, multiply};
use super::measured::MeasuredType;
use super::rules::{Forbid, GlobalRegister, PackOffsetRule, VkOffset};
use super::tree::{Extent, LaidOut, LayoutWarning, LayoutWarningKind};
use super::walk_state::{Level, Stop, WalkState};
use crate::shape::Member;
use crate::{Annotations, BlockKind, RegisterClass};

/// The offset that a member's annotation requests, in bytes from the start of its struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExplicitPlace {
    /// Members without an explicit offset follow the highest end of these.
    First(u32),
    /// The next member follows this one.
    InOrder(u32),
    /// The next member follows this one, which must not start below the end of the member before
    /// it.
    Ascending(u32),
}

/// The place that the annotations of `member` request. Only `packoffset` counts on a member without
/// bytes.
pub(super) fn of(
    walk: &mut WalkState<'_>,
    member: &Member,
    layout: &LaidOut,
    level: Level,
) -> Result<Option<ExplicitPlace>, Stop> {
    let has_bytes = layout.size != Extent::Finite(0);
    let vk_offset = if has_bytes { vk_offset(walk, member, layout, level)? } else { None };

    // HLSL's own placement (`packoffset`, `register`) takes precedence over `[[vk::offset]]`.
    let own = match (level, walk.kind) {
        (Level::Block, BlockKind::Cbuffer | BlockKind::Tbuffer) => packoffset(walk, member, layout)?,
        (Level::Block, BlockKind::Globals) if has_bytes => register(walk, member)?,
        (Level::Block | Level::Inner, _) => None,
    };
    Ok(own.or(vk_offset))
}

fn packoffset(walk: &mut WalkState<'_>, member: &Member, layout: &LaidOut) -> Result<Option<ExplicitPlace>, Stop> {
    let Some(packoffset) = &member.annotations.packoffset else { return Ok(None) };
    let offset = packoffset.offset().filter(|offset| *offset <= MAX_BYTES).ok_or(Stop::TooLarge)?;
    match walk.rules.packoffset {
        // DXC does not count a resource among the block's members in SPIR-V.
        PackOffsetRule::Ascending if layout.is_resource() => Ok(None),
        PackOffsetRule::RestBehindHighest => Ok(Some(ExplicitPlace::First(offset))),
        PackOffsetRule::Ascending => Ok(Some(ExplicitPlace::Ascending(offset))),
        PackOffsetRule::Refused => Err(walk.refuse(format!("packoffset has no meaning under {}", walk.rules.name))),
    }
}

fn register(walk: &mut WalkState<'_>, member: &Member) -> Result<Option<ExplicitPlace>, Stop> {
    let is_c = member.annotations.registers.iter().any(|register| register.class == Some(RegisterClass::Constant));
    let Some(index) = member.annotations.constant_register() else { return Ok(None) };
    match walk.rules.global_register {
        GlobalRegister::Ignored => Ok(None),
        GlobalRegister::LetterC | GlobalRegister::Refused if !is_c => Ok(None),
        GlobalRegister::AnyLetter | GlobalRegister::LetterC => Ok(Some(ExplicitPlace::First(multiply(index, 16)?))),
        GlobalRegister::Refused => {
            Err(walk.refuse(format!("register(c{index}) has no meaning under {}", walk.rules.name)))
        }
    }
}

fn vk_offset(
    walk: &mut WalkState<'_>,
    member: &Member,
    layout: &LaidOut,
    level: Level,
) -> Result<Option<ExplicitPlace>, Stop> {
    if member.annotations.attribute(Some("vk"), "offset").is_none() {
        return Ok(None);
    }
    if walk.is_direct(level) && walk.rules.forbids.contains(&Forbid::VkOffsetInCbuffer) {
        return Err(walk.refuse("[[vk::offset]] only applies to members of a struct"));
    }

    match walk.rules.vk_offset {
        VkOffset::Ignored => {
            let message = "[[vk::offset]] is ignored".to_owned();
            walk.warnings.push(LayoutWarning { path: walk.path.clone(), kind: LayoutWarningKind::Ignored, message });
            Ok(None)
        }
        VkOffset::Honoured | VkOffset::Aligned => {
            let offset = member.annotations.vk_offset().filter(|offset| *offset <= MAX_BYTES).ok_or(Stop::TooLarge)?;
            let is_aligned = walk.rules.vk_offset == VkOffset::Aligned;
            let alignment = if is_aligned { layout.alignment.max(1) } else { 1 };
            Ok(Some(ExplicitPlace::InOrder(offset.next_multiple_of(alignment))))
        }
    }
}

/// Applies WGSL's `@align` to the measured type of a member. Returns the bytes of its `@size`.
///
/// Source: WGSL, 12.1 `align` and 12.10 `size`. What a struct with such members is aligned to
/// follows from them (14.4.1).
pub(super) fn size_and_alignment(
    walk: &mut WalkState<'_>,
    member: &Member,
    measured: &mut MeasuredType,
) -> Result<Option<u32>, Stop> {
    let Annotations { align, size, .. } = member.annotations;
    if let Some(align) = align {
        let own = measured.alignment;
        match Alignment::new(align).filter(|align| own.divides(align.bytes())) {
            Some(align) => measured.raise(align),
            None => {
                return Err(
                    walk.refuse(format!("has @align({align}), which is no multiple of its type's alignment {own}"))
                );
            }
        }
    }
    let Some(size) = size else { return Ok(None) };
    match measured.layout.size {
        Extent::Finite(own) if size >= own => Ok(Some(size)),
        Extent::Finite(own) => {
            Err(walk.refuse(format!("has @size({size}), which is less than the {own} bytes of its type")))
        }
        Extent::Unbounded => Err(walk.refuse("has @size, but its type has no size")),
    }
}
