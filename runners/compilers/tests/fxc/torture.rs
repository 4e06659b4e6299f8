//! The values that the torture shader reads, and their offsets according to FXC.

use std::collections::BTreeMap;

use layoutproof_readers::fxc::buffer_definitions;

/// The declarations; [`READS`] generates the entry point.
pub(crate) const DECLARATIONS: &str = include_str!("torture.hlsl");

/// A word that the shader stores.
pub(crate) struct Read {
    /// An expression of type `uint`.
    expression: &'static str,
    /// The buffer in FXC's listing.
    buffer: &'static str,
    /// Path of the member in that buffer.
    member: &'static str,
    /// Bytes after the member's reported offset. In a constant buffer, the elements of an array and
    /// the vectors of a matrix each start a register of 16 bytes (Microsoft, "Packing Rules for
    /// Constant Variables"); in a structured buffer they are adjacent.
    behind: u32,
}

const fn read(expression: &'static str, buffer: &'static str, member: &'static str, behind: u32) -> Read {
    Read { expression, buffer, member, behind }
}

/// In the order in which the shader stores the words, after the copied nonce.
pub(crate) const READS: [Read; 39] = [
    read("asuint(a)", "C", "a", 0),
    read("asuint(c[2].y)", "C", "c", 36),
    read("asuint(tail)", "C", "tail", 0),
    read("asuint(rm[0][1])", "C", "rm", 4),
    read("asuint(rm[2][0])", "C", "rm", 32),
    read("asuint(next)", "C", "next", 0),
    read("asuint(cm[1][0])", "C", "cm", 4),
    read("asuint(cm[0][2])", "C", "cm", 32),
    read("asuint(after)", "C", "after", 0),
    read("asuint(s.p.y)", "C", "s.p", 4),
    read("asuint(s.q[1].z)", "C", "s.q", 24),
    read("low(s.d)", "C", "s.d", 0),
    read("high(s.d)", "C", "s.d", 4),
    read("asuint(s.m[2][1])", "C", "s.m", 36),
    read("s.flag", "C", "s.flag", 0),
    read("asuint(behind)", "C", "behind", 0),
    // An element of `arr` occupies 7 registers.
    read("arr[0].flag", "C", "arr[].flag", 0),
    read("asuint(arr[1].p.x)", "C", "arr[].p", 112),
    read("asuint(arr[1].m[1][1])", "C", "arr[].m", 132),
    read("arr[1].flag", "C", "arr[].flag", 112),
    read("asuint(last)", "C", "last", 0),
    read("low(dd)", "C", "dd", 0),
    read("high(dd)", "C", "dd", 4),
    read("asuint(ms[1][1][0])", "C", "ms", 36),
    read("asuint(ms[1][0][1])", "C", "ms", 48),
    read("asuint(z)", "C", "z", 0),
    read("asuint(end)", "C", "end", 0),
    read("asuint(pa.w)", "P", "pa", 12),
    read("asuint(pb)", "P", "pb", 0),
    read("pc.y", "P", "pc", 4),
    // An element of `elements` has 52 bytes.
    read("asuint(elements[2].m[1][0])", "elements", "m", 108),
    read("elements[1].e[2].y", "elements", "e", 72),
    read("asuint(fixed_elements[2].m[1].x)", "fixed_elements", "m", 108),
    read("fixed_elements[layoutproof_input.Load(4)].e[layoutproof_input.Load(8)].y", "fixed_elements", "e", 72),
    read("asuint(ta)", "T", "ta", 0),
    read("asuint(tb[1].z)", "T", "tb", 24),
    read("asuint(tm[1][2])", "T", "tm", 36),
    read("tc", "T", "tc", 0),
    read("high(td)", "T", "td", 4),
];

/// The buffers that the shader reads, with the first dword of each; dword `i` is the first one plus
/// `i`.
pub(crate) const BUFFERS: [(&str, u32); 5] =
    [("C", 0), ("P", 0x1000), ("elements", 0x2000), ("fixed_elements", 0x3000), ("T", 0x4000)];

pub(crate) fn source() -> String {
    let store = |(index, read): (usize, &Read)| {
        format!("    layoutproof_output.Store({}, {});\n", 4 * (index + 1), read.expression)
    };
    let stores: String = READS.iter().enumerate().map(store).collect();
    format!(
        "{DECLARATIONS}\n[numthreads(1, 1, 1)]\nvoid probe()\n{{\n    \
         layoutproof_output.Store(0, layoutproof_input.Load(0));\n{stores}}}\n"
    )
}

/// The words that follow from the offsets in FXC's listing.
pub(crate) fn expected(listing: &str) -> Result<Vec<u32>, String> {
    let mut offsets = BTreeMap::new();
    for buffer in buffer_definitions(listing).map_err(|error| error.to_string())? {
        offsets.extend(buffer.members.into_iter().map(|(path, offset)| ((buffer.name.clone(), path), offset)));
    }

    let word = |read: &Read| {
        let Read { buffer, member, behind, .. } = *read;
        let offset = offsets.get(&(buffer.to_owned(), member.to_owned()));
        let offset = offset.ok_or_else(|| format!("FXC lists no {buffer}.{member}"))?;
        let first = BUFFERS.iter().find(|(name, _)| *name == buffer).map_or(0, |(_, first)| *first);
        Ok(first + (offset + behind) / 4)
    };
    READS.iter().map(word).collect()
}
