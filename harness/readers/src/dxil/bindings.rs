//! Reads the table of resource bindings from DXC's listing of DXIL.
//!
//! The table is in comments, in columns of fixed width; the last two columns may touch
//! (`u6unbounded`).

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;

/// One row of `; Resource Bindings:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBinding {
    /// Name as DXC writes it: `s.B.3`, `$Globals`; empty if the compiler dropped it.
    pub name: String,
    /// `b`, `t`, `u` or `s`.
    pub unit: LayoutUnit,
    pub space: u32,
    /// First register.
    pub index: u32,
    /// Number of registers.
    pub count: Count,
}

/// The rows of the table in its order; empty if the listing has none.
///
/// # Errors
/// The first row that cannot be parsed.
pub fn resource_bindings(listing: &str) -> Result<Vec<ListedBinding>, String> {
    let table = listing.lines().skip_while(|line| line.trim_end() != "; Resource Bindings:");
    let rows = table.skip(1).skip_while(|line| !line.starts_with("; ---")).skip(1);
    rows.map_while(|line| line.strip_prefix(';').map(str::trim).filter(|row| !row.is_empty())).map(row).collect()
}

/// `s.t  texture  f32  2d  T2  t0,space1  1`.
fn row(text: &str) -> Result<ListedBinding, String> {
    let unreadable = || format!("no resource binding: `{text}`");
    let words: Vec<&str> = text.split_whitespace().collect();
    let (place, count) = match words.last() {
        Some(last) if last.ends_with("unbounded") => {
            let glued = last.trim_end_matches("unbounded");
            let place = if glued.is_empty() { words.iter().rev().nth(1).copied() } else { Some(glued) };
            (place, Some(Count::Unbounded))
        }
        Some(last) => (words.iter().rev().nth(1).copied(), last.parse().ok().map(Count::Finite)),
        None => (None, None),
    };

    let (place, count) = place.zip(count).ok_or_else(unreadable)?;
    let (unit, index, space) = register(place).ok_or_else(unreadable)?;
    // A resource without a name has one word less at the start.
    let columns = words.len() + usize::from(place.starts_with(|c: char| c.is_ascii_uppercase()));
    let name = words.first().filter(|_| columns >= 6).map_or_else(String::new, |name| (*name).to_owned());
    Ok(ListedBinding { name, unit, space, index, count })
}

/// Unit, index and space of `cb0`, `t3,space1`.
pub fn register(text: &str) -> Option<(LayoutUnit, u32, u32)> {
    // A wide place touches the ID column, which is in capitals: `T0t4294967295`.
    let text = &text[text.find(|c: char| c.is_ascii_lowercase())?..];
    let (register, space) = text.split_once(",space").unwrap_or((text, "0"));
    let digits = register.find(|c: char| c.is_ascii_digit())?;
    let unit = match &register[..digits] {
        "cb" => LayoutUnit::ConstantBuffer,
        "t" => LayoutUnit::ShaderResource,
        "u" => LayoutUnit::UnorderedAccess,
        "s" => LayoutUnit::Sampler,
        _ => return None,
    };
    Some((unit, register[digits..].parse().ok()?, space.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by DXC 1.7.2308, `-T cs_6_6`.
    const LISTING: &str = "\
; Resource Bindings:
;
; Name                                 Type  Format         Dim      ID      HLSL Bind  Count
; ------------------------------ ---------- ------- ----------- ------- -------------- ------
; $Globals                          cbuffer      NA          NA     CB0            cb0     1
; smp                               sampler      NA          NA      S0             s0     1
; B                                 texture     f32          2d      T1      t4,space1     4
; s.t                               texture     f32          2d      T2             t0     1
; un                                    UAV     f32          2d      U1             u1unbounded
; far                               texture     f32          2d      T0t4294967295,space4294967295     1
;
target datalayout = \"e\"
";

    #[test]
    fn every_row_is_read() {
        use LayoutUnit::{ConstantBuffer, Sampler, ShaderResource, UnorderedAccess};
        let rows = resource_bindings(LISTING).unwrap();
        let told: Vec<_> = rows.iter().map(|r| (r.name.as_str(), r.unit, r.space, r.index, r.count)).collect();
        let expected = [
            ("$Globals", ConstantBuffer, 0, 0, Count::Finite(1)),
            ("smp", Sampler, 0, 0, Count::Finite(1)),
            ("B", ShaderResource, 1, 4, Count::Finite(4)),
            ("s.t", ShaderResource, 0, 0, Count::Finite(1)),
            ("un", UnorderedAccess, 0, 1, Count::Unbounded),
            ("far", ShaderResource, u32::MAX, u32::MAX, Count::Finite(1)),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_no_row_is_named() {
        let broken = LISTING.replace("cb0     1", "q0     1");
        assert!(resource_bindings(&broken).unwrap_err().contains("$Globals"));
        assert_eq!(resource_bindings("nothing of the kind"), Ok(Vec::new()));
    }
}
