//! Mutates the corpora of the fuzz targets: every reader handles every input quickly and without a
//! panic.
//! `ci/fuzz` searches further with the same entry points and corpora.

#[expect(unreachable_pub, reason = "the fuzz targets call them from their own packages")]
#[path = "../../fuzz/src/lib.rs"]
mod entry_points;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::Index;

/// Time limit per input, unoptimised on a busy machine. libFuzzer allows 10 seconds, too.
const PATIENCE: Duration = Duration::from_secs(10);

/// Number of mutated inputs per entry point.
const INPUTS: u32 = 1000;

/// Maximum number of mutations per input.
const MUTATIONS: usize = 6;

/// The files of a corpus, in the order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the corpus is committed").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).expect("the corpus is committed")).collect()
}

/// A change of an input, independent of its length.
#[derive(Clone, Debug)]
enum Mutation {
    FlipBit(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, Index),
    Truncate(Index),
    /// Repeats a piece of the input elsewhere, this many times.
    Repeat([Index; 3], usize),
    /// Appends the end of another file to the beginning of this one.
    Splice([Index; 3]),
    /// Swaps two pieces between spaces or punctuation.
    SwapWords(Index, Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<Index>;
    let indices = any::<[Index; 3]>;
    prop_oneof![
        (index(), 0..8_u8).prop_map(|(at, bit)| Mutation::FlipBit(at, bit)),
        (index(), prop::collection::vec(any::<u8>(), 1..8)).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        (index(), index()).prop_map(|(from, to)| Mutation::Remove(from, to)),
        index().prop_map(Mutation::Truncate),
        (indices(), 1..100_usize).prop_map(|(places, times)| Mutation::Repeat(places, times)),
        indices().prop_map(Mutation::Splice),
        (index(), index()).prop_map(|(one, other)| Mutation::SwapWords(one, other)),
    ]
}

/// Maximum size of an input in bytes, so that repeats of repeats stay fast.
const LONGEST: usize = 1 << 14;

fn mutated(corpus: &[Vec<u8>], file: Index, mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = file.get(corpus).clone();
    for mutation in mutations {
        // An index needs a non-empty input.
        if bytes.is_empty() {
            break;
        }
        mutate(&mut bytes, mutation, corpus);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation, corpus: &[Vec<u8>]) {
    let length = bytes.len();
    let range = |one: &Index, other: &Index| {
        let (one, other) = (one.index(length), other.index(length));
        one.min(other)..one.max(other)
    };
    match mutation {
        Mutation::FlipBit(at, bit) => bytes[at.index(length)] ^= 1 << bit,
        Mutation::Insert(at, new) => {
            let at = at.index(length);
            bytes.splice(at..at, new.iter().copied());
        }
        Mutation::Remove(from, to) => {
            bytes.drain(range(from, to));
        }
        Mutation::Truncate(at) => bytes.truncate(at.index(length)),
        Mutation::Repeat([from, to, at], times) => {
            let piece = bytes[range(from, to)].repeat(*times);
            let at = at.index(length);
            bytes.splice(at..at, piece.into_iter().take(LONGEST));
        }
        Mutation::Splice([other, from, at]) => {
            let other = other.get(corpus);
            bytes.truncate(at.index(length));
            bytes.extend(&other[from.index(other.len())..]);
        }
        Mutation::SwapWords(one, other) => {
            let is_inside = |pair: &[u8]| pair[0].is_ascii_alphanumeric() == pair[1].is_ascii_alphanumeric();
            let mut words: Vec<&[u8]> = bytes.chunk_by(|a, b| is_inside(&[*a, *b])).collect();
            let (one, other) = (one.index(words.len()), other.index(words.len()));
            words.swap(one, other);
            *bytes = words.concat();
        }
    }
}

/// Gives an entry point its corpus, unchanged and then mutated.
fn withstands(target: &str, entry_point: fn(&[u8])) {
    let corpus = corpus(target);
    let in_time = |input: &[u8]| {
        let start = Instant::now();
        entry_point(input);
        assert!(start.elapsed() < PATIENCE, "{:?} for {}", start.elapsed(), input.escape_ascii());
    };
    for input in &corpus {
        in_time(input);
    }
    let config = ProptestConfig { cases: INPUTS, failure_persistence: None, ..ProptestConfig::default() };
    let mutations = prop::collection::vec(mutation(), 1..=MUTATIONS);
    proptest!(config, |(file in any::<Index>(), mutations in mutations)| {
        in_time(&mutated(&corpus, file, &mutations));
    });
}

#[test]
fn declarations() {
    withstands("declarations", entry_points::declarations);
}

#[test]
fn cases() {
    withstands("cases", entry_points::cases);
}

#[test]
fn spirv() {
    withstands("spirv", entry_points::spirv);
}

#[test]
fn listings() {
    withstands("listings", entry_points::listings);
}

#[test]
fn clang_ir() {
    withstands("clang_ir", entry_points::clang_ir);
}

#[test]
fn reflection() {
    withstands("reflection", entry_points::reflection);
}

#[test]
fn lists() {
    withstands("lists", entry_points::lists);
}

#[test]
fn records() {
    withstands("records", entry_points::records);
}

#[test]
fn frozen() {
    withstands("frozen", entry_points::frozen);
}

#[test]
fn texts() {
    withstands("texts", entry_points::texts);
}

#[test]
fn modules() {
    withstands("modules", entry_points::modules);
}
