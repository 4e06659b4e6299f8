//! Mutates inputs by bytes, words and lines, and joins two inputs.

use fastrand::Rng;

/// Maximum length of an input in bytes.
const LONGEST: usize = 1 << 16;

/// Maximum number of changes per input.
const CHANGES: usize = 8;

/// Maximum number of copies of a repeated piece.
const COPIES: usize = 3000;

/// Numbers at the limits of their ranges.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "255",
    "65535",
    "65536",
    "2147483647",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e308",
    "0x7fffffffffffffff",
];

/// Characters that readers and terminals treat specially.
const SIGNS: [&str; 10] =
    ["\0", "\n", "\r\n", "\"", "\\", "\u{1b}]0;x\u{7}", "\u{202e}", "\u{feff}", "\u{1F600}", "/*"];

/// Brackets that nest.
const BRACKETS: [(&str, &str); 6] = [("(", ")"), ("{", "}"), ("[", "]"), ("<", ">"), ("[[", "]]"), ("-(", ")")];

/// Draws an input of the corpus and mutates it. `words` are words of the input's language.
pub(crate) fn mutated(rng: &mut Rng, corpus: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut bytes = drawn(rng, corpus).to_vec();
    for _ in 0..rng.usize(1..=CHANGES) {
        if bytes.is_empty() {
            break;
        }
        change(rng, &mut bytes, corpus, words);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn drawn<'a>(rng: &mut Rng, corpus: &'a [Vec<u8>]) -> &'a [u8] {
    &corpus[rng.usize(..corpus.len())]
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[&str]) {
    let length = bytes.len();
    match rng.u8(..12) {
        0 => bytes[rng.usize(..length)] ^= 1 << rng.u8(..8),
        1 => bytes[rng.usize(..length)] = rng.u8(..),
        2 => {
            let new = [rng.u8(..), rng.u8(..)];
            insert(rng, bytes, &new);
        }
        3 => {
            let (from, to) = range(rng, length);
            bytes.drain(from..to);
        }
        4 => bytes.truncate(rng.usize(..length)),
        5 => {
            let (from, to) = range(rng, length);
            let piece = bytes[from..to.min(from + 40)].repeat(rng.usize(1..=COPIES));
            insert(rng, bytes, &piece);
        }
        6 => {
            let other = drawn(rng, corpus).to_vec();
            bytes.truncate(rng.usize(..length));
            bytes.extend(&other[rng.usize(..=other.len())..]);
        }
        7 => change_word(rng, bytes, corpus, words),
        8 => change_line(rng, bytes),
        9 => {
            let sign = SIGNS[rng.usize(..SIGNS.len())];
            insert(rng, bytes, sign.as_bytes());
        }
        10 => change_number(rng, bytes),
        _ => nest(rng, bytes),
    }
}

/// Draws a range within `length` bytes.
fn range(rng: &mut Rng, length: usize) -> (usize, usize) {
    let (one, other) = (rng.usize(..=length), rng.usize(..=length));
    (one.min(other), one.max(other))
}

fn insert(rng: &mut Rng, bytes: &mut Vec<u8>, new: &[u8]) {
    let at = rng.usize(..=bytes.len());
    bytes.splice(at..at, new.iter().copied());
}

/// Splits the bytes into words and the text between them.
fn words_of(bytes: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    bytes.chunk_by(|one, other| is_word(*one) == is_word(*other)).collect()
}

/// Replaces a word by another one from the language, another input or another place.
fn change_word(rng: &mut Rng, bytes: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[&str]) {
    let other = drawn(rng, corpus).to_vec();
    let (mut own, others) = (words_of(bytes), words_of(&other));
    let at = rng.usize(..own.len());
    match rng.u8(..3) {
        0 if !words.is_empty() => own[at] = words[rng.usize(..words.len())].as_bytes(),
        1 if !others.is_empty() => own[at] = others[rng.usize(..others.len())],
        _ => {
            let with = rng.usize(..own.len());
            own.swap(at, with);
        }
    }
    *bytes = own.concat();
}

/// Removes, repeats or swaps lines.
fn change_line(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let (one, other) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    match rng.u8(..3) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(other, lines[one]),
        _ => lines.swap(one, other),
    }
    *bytes = lines.concat();
}

/// Replaces a number by one at the limit of a range.
fn change_number(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let mut words = words_of(bytes);
    let numbers: Vec<usize> =
        (0..words.len()).filter(|at| words[*at].first().is_some_and(u8::is_ascii_digit)).collect();
    if let Some(at) = rng.choice(numbers) {
        words[at] = NUMBERS[rng.usize(..NUMBERS.len())].as_bytes();
    }
    *bytes = words.concat();
}

/// Puts brackets around a piece, to a random depth.
fn nest(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let (open, close) = BRACKETS[rng.usize(..BRACKETS.len())];
    let depth = 1 << rng.u8(..14);
    let (from, to) = range(rng, bytes.len());
    let around = [open.repeat(depth).as_bytes(), &bytes[from..to], close.repeat(depth).as_bytes()].concat();
    bytes.splice(from..to, around);
}
