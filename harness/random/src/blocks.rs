//! Makes a random HLSL constant buffer from a seed, with 8 to 64 scalars, 26 on average, for
//! tests of shared modules.
//!
//! The blocks contain nested structs of 32-bit scalars, vectors, matrices of both orders and
//! arrays, which every device supports. The same seed gives the same text on every machine.

use std::fmt::Write;

/// Minimum and maximum number of scalars in a block.
const SCALARS: (u32, u32) = (8, 64);

/// Limit on the scalars of a struct.
const LARGEST: u32 = 16;

/// Limit on the nesting of structs.
const DEPTH: u32 = 2;

/// Writes the text of random block `seed`, named `S`.
pub fn block(seed: u64) -> String {
    let mut writer = BlockWriter { draw: SplitMix64(seed), structs: String::new(), named: 0 };
    // The smaller of two draws, to make small blocks more common.
    let above = SCALARS.1 - SCALARS.0 + 1;
    let scalars = SCALARS.0 + writer.draw.below(above).min(writer.draw.below(above));
    let members = writer.members(scalars, 0);
    format!("{}cbuffer S {{ {members}}};\n", writer.structs)
}

/// A pseudorandom number generator: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators" (`SplitMix64`).
#[derive(Clone, Copy, Debug)]
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `end`.
    fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end.max(1))).expect("a remainder is smaller than a 32-bit number")
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let count = u32::try_from(words.len()).expect("lists here are short");
        words[self.below(count) as usize]
    }
}

struct BlockWriter {
    draw: SplitMix64,
    /// The text of the structs so far.
    structs: String,
    /// The number of structs so far.
    named: u32,
}

impl BlockWriter {
    /// Writes members with this many scalars in total.
    fn members(&mut self, scalars: u32, depth: u32) -> String {
        let mut text = String::new();
        let (mut left, mut number) = (scalars, 0);
        while left > 0 {
            let (ty, own, array) = self.member(left, depth);
            write!(text, "{ty} m{number}{array}; ").expect("a String takes every write");
            left -= own;
            number += 1;
        }
        text
    }

    /// Draws a member of at most `left` scalars. Returns its type, its number of scalars and its
    /// array dimension.
    fn member(&mut self, left: u32, depth: u32) -> (String, u32, String) {
        let (ty, own) =
            if depth < DEPTH && self.draw.below(6) == 0 { self.structure(left, depth) } else { self.element(left) };
        let count = 1 + self.draw.below(5);
        if own * count <= left && count > 1 && self.draw.below(3) == 0 {
            return (ty, own * count, format!("[{count}]"));
        }
        (ty, own, String::new())
    }

    /// Draws a scalar, vector or matrix of at most `left` scalars.
    fn element(&mut self, left: u32) -> (String, u32) {
        let scalar = self.draw.one_of(&["float", "int", "uint"]);
        let [rows, columns] = [(); 2].map(|()| 2 + self.draw.below(3));
        match self.draw.below(8) {
            0..=4 if columns <= left => (format!("{scalar}{columns}"), columns),
            5 if rows * columns <= left => {
                let order = self.draw.one_of(&["row_major", "column_major"]);
                (format!("{order} float{rows}x{columns}"), rows * columns)
            }
            _ => (scalar.to_owned(), 1),
        }
    }

    /// Draws and declares a struct.
    fn structure(&mut self, left: u32, depth: u32) -> (String, u32) {
        let scalars = 1 + self.draw.below(left.min(LARGEST));
        let members = self.members(scalars, depth + 1);
        let name = format!("T{}", self.named);
        self.named += 1;
        writeln!(self.structs, "struct {name} {{ {members}}};").expect("a String takes every write");
        (name, scalars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::Span;
    use layoutproof_layout::{LayoutOptions, find, lay_out};
    use layoutproof_source::sources::SourceMap;

    fn scalars(seed: u64) -> u64 {
        let mut sources = SourceMap::default();
        let text = block(seed);
        let end = u32::try_from(text.len()).unwrap();
        let file = sources.add("random.hlsl", text);
        let module = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default())
            .expect("random blocks are HLSL");
        let rules = find("std140").expect("a row of the table");
        lay_out(&module.blocks[0], rules, LayoutOptions::default()).leaf_count()
    }

    #[test]
    fn blocks_have_the_stated_sizes() {
        let counts: Vec<u64> = (0..400).map(scalars).collect();
        let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
        assert!(least >= Some(8) && most <= Some(64), "{least:?} to {most:?} scalars");
        let sum: u64 = counts.iter().sum();
        assert!((25 * 400..28 * 400).contains(&sum), "{} scalars on average", sum / 400);
    }

    /// The first numbers for seed 1234567, as the reference C code of `SplitMix64` (Vigna, public
    /// domain) prints them.
    #[test]
    fn draws_are_those_of_the_reference() {
        let mut draw = SplitMix64(1_234_567);
        let numbers = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([draw.next(), draw.next(), draw.next()], numbers);
    }

    #[test]
    fn seeds_differ() {
        assert_ne!(block(1), block(2));
        assert_eq!(block(1), block(1));
    }
}
