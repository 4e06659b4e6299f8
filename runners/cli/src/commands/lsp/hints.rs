//! Inlay hints: the offset, register and padding of each member beside its declaration.

use std::collections::BTreeMap;
use std::fmt;

use layoutproof_show::MemberPlace;
use layoutproof_show::layout_text::holes::Holes;
use layoutproof_show::layout_text::struct_text::register;
use layoutproof_show::shown_columns::{ColumnName, MergedBlock, MergedColumn};
use lsp_types::{InlayHint, InlayHintLabel, Position, Range};

use crate::commands::lsp::Client;
use crate::commands::lsp::reading::Reading;

/// Different places of a member that are shown if the editor does not choose.
const MOST_PLACES: usize = 2;

pub(super) fn hints(reading: &Reading, range: Range, client: &Client) -> Vec<InlayHint> {
    let Some(text) = reading.laid_out.as_ref().filter(|_| client.settings.inlay_hints != Some(false)) else {
        return Vec::new();
    };
    let most = if client.settings.inlay_hints == Some(true) { usize::MAX } else { MOST_PLACES };
    let merged = MergedBlock::all(&text.columns);
    // A struct that several blocks hold has the layout of the first.
    let mut first: BTreeMap<u32, &MemberPlace> = BTreeMap::new();
    for place in &text.places {
        first.entry(place.span.end).or_insert(place);
    }
    let hints = first.into_iter().filter_map(|(end, member)| {
        let at: Position = client.encoding.position(reading.text(), end as usize);
        let is_seen = range.start.line <= at.line && at.line <= range.end.line;
        let label = is_seen.then(|| label(&merged, member, most)).flatten()?;
        let label = label + &text.really(member.view, &member.path);
        Some(InlayHint {
            position: at,
            label: InlayHintLabel::String(label),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        })
    });
    hints.collect()
}

/// Columns in which a member is at the same bytes.
struct SamePlace<'a> {
    /// From the start of the block; for a member of a struct from the start of that.
    offset: u32,
    padding_after: u32,
    /// Of the columns that have registers.
    register: String,
    is_in_struct: bool,
    names: Vec<&'a ColumnName>,
}

impl fmt::Display for SamePlace<'_> {
    /// `64 (c4), 4 padding`; in a struct `+12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, padding_after, register, is_in_struct, names: _ } = self;
        write!(f, "{}{offset}", if *is_in_struct { "+" } else { "" })?;
        if !register.is_empty() {
            write!(f, " ({register})")?;
        }
        if *padding_after > 0 {
            write!(f, ", {padding_after} padding")?;
        }
        Ok(())
    }
}

/// `64 (c4), 4 padding`, or `D3D12 692 (c43.y) | Vulkan 704`.
fn label(merged: &[MergedBlock<'_>], member: &MemberPlace, most: usize) -> Option<String> {
    let block = merged.iter().find(|block| block.block.view == member.view)?;
    let mut places: Vec<SamePlace<'_>> = Vec::new();
    for place in block.columns.iter().filter_map(|column| place_in(column, &member.path)) {
        let is_same =
            |known: &&mut SamePlace<'_>| (known.offset, known.padding_after) == (place.offset, place.padding_after);
        match places.iter_mut().find(is_same) {
            Some(known) => {
                known.names.extend(place.names);
                known.register = if known.register.is_empty() { place.register } else { known.register.clone() };
            }
            None => places.push(place),
        }
    }
    match places.as_slice() {
        [] => None,
        [only] => Some(only.to_string()),
        several if several.len() <= most => {
            let named = |place: &SamePlace<'_>| format!("{} {place}", short_name(place, several));
            Some(several.iter().map(named).collect::<Vec<_>>().join(" | "))
        }
        _ => None,
    }
}

fn place_in<'a>(column: &MergedColumn<'a>, path: &str) -> Option<SamePlace<'a>> {
    let shown = &column.block.shown;
    let row = shown.members.iter().find(|row| row.path == path)?;
    let padding = Holes::of(&shown.members, shown.stride.or(shown.size)).after(path);
    // Another block may have the struct elsewhere.
    let holder = path.rsplit_once('.').map(|(holder, _)| holder.trim_end_matches("[]"));
    let holder = holder.and_then(|holder| shown.members.iter().find(|row| row.path == holder));
    let has_register = column.block.has_registers && holder.is_none();
    Some(SamePlace {
        offset: row.offset - holder.map_or(0, |holder| holder.offset),
        padding_after: padding.map_or(0, |hole| hole.size),
        register: if has_register { register(row) } else { String::new() },
        is_in_struct: holder.is_some(),
        names: column.names.clone(),
    })
}

/// The target, with the compiler where another place is of the same target: `D3D12`, `Vulkan · Slang`.
fn short_name(place: &SamePlace<'_>, all: &[SamePlace<'_>]) -> String {
    let Some(name) = place.names.first() else { return String::new() };
    let target = name.parts().0;
    let has_target = |place: &&SamePlace<'_>| place.names.iter().any(|name| name.parts().0 == target);
    if all.iter().filter(has_target).count() == 1 { target } else { name.to_string() }
}
