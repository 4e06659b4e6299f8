//! naga as a witness of WGSL: it reads the text that [`WgslLayouts`](layoutproof_wgsl::WgslLayouts) lays out by the
//! language's rules, and [`differences`] finds the members that it has elsewhere.

use std::collections::HashMap;

use layoutproof_layout::{BlockLayout, MemberRow, join};

use crate::version::NAGA_VERSION;

/// The first member of a block that a witness has elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessDifference {
    pub block: String,
    /// Path of the member in the block; empty if only the block's own size or stride differs.
    pub path: String,
    /// `offset`, `size` or `array stride`.
    pub what: &'static str,
    pub ours: u32,
    pub theirs: u32,
}

impl WitnessDifference {
    /// The difference in words, where naga is the witness: ``naga 30.0.1 gives `b.n` the offset 4, WGSL 32``.
    pub fn of_naga(&self) -> String {
        let Self { block, path, what, ours, theirs } = self;
        format!("naga {NAGA_VERSION} gives `{}` the {what} {theirs}, WGSL {ours}", join(block, path))
    }
}

/// The first difference of each block that both have. Blocks go by their names.
pub fn differences(ours: &[BlockLayout], witness: &[BlockLayout]) -> Vec<WitnessDifference> {
    let first = |block: &BlockLayout| {
        let other = witness.iter().find(|other| other.name == block.name)?;
        let other_rows = other.rows();
        let other_rows: HashMap<&str, &MemberRow> = other_rows.iter().map(|row| (row.path.as_str(), row)).collect();
        let mut found = None;
        for row in block.rows() {
            let Some(other) = other_rows.get(row.path.as_str()) else { continue };
            let stride = |row: &MemberRow| row.array_stride.unwrap_or(0);
            let compared = [
                ("offset", row.offset, other.offset),
                ("array stride", stride(&row), stride(other)),
                ("size", row.size.unwrap_or(0), other.size.unwrap_or(0)),
            ];
            if let Some((what, ours, theirs)) = compared.into_iter().find(|(_, ours, theirs)| ours != theirs) {
                found = Some((row.path.clone(), what, ours, theirs));
                break;
            }
        }
        let size = |block: &BlockLayout| block.result.as_ref().ok().and_then(|root| root.size.finite());
        let of_block = || match (size(block), size(other)) {
            (Some(ours), Some(theirs)) if ours != theirs => Some((String::new(), "size", ours, theirs)),
            _ => None,
        };
        let (path, what, ours, theirs) = found.or_else(of_block)?;
        Some(WitnessDifference { block: block.name.clone(), path, what, ours, theirs })
    };
    ours.iter().filter_map(first).collect()
}

#[cfg(test)]
mod tests;
