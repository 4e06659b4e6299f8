//! The input that the cases of a module with regions share.
//!
//! A load costs a driver as much as a probed access, while an exclusive or costs next to nothing.
//! So the module loads only one of the words that change in the same way between dispatches, and
//! computes the others from it. With a single dispatch, that word is the nonce.

use std::collections::BTreeMap;

use layoutproof_device::words_of;

use super::ProbeJob;

/// The values of an input word, one per dispatch.
type WordByDispatch = Vec<u32>;

/// The words that the cases of a module take from their shared input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharedInput {
    /// For each case, the replacements for the words of its own input, the nonce first.
    pub(crate) places: Vec<Vec<SharedWord>>,
    /// The words by their numbers. The nonce is the first.
    words: Vec<WordByDispatch>,
    /// How many words are read at constant numbers. The words that lanes choose from follow them.
    pub(crate) constant: u32,
}

/// The replacement for a word of a case's own input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharedWord {
    /// The number of the shared word.
    pub(crate) number: u32,
    /// The shared word xor this value is the case's word, in every dispatch.
    pub(crate) xor: u32,
}

impl SharedInput {
    /// Builds the input of these probes. A probe with fewer dispatches repeats its last one.
    /// Returns `None` if a probe has no input, or there are no probes.
    pub(crate) fn of(probes: &[&ProbeJob]) -> Option<Self> {
        let longest = probes.iter().max_by_key(|probe| probe.runs.len())?;
        let dispatches = longest.runs.len();
        let nonce = own_words(longest, dispatches)?.into_iter().next()?;
        let own = probes.iter().map(|probe| own_words(probe, dispatches)).collect::<Option<Vec<_>>>()?;

        let mut shared =
            Self { places: vec![vec![SharedWord::default()]; probes.len()], words: vec![nonce], constant: 0 };
        let chosen_by_lanes = |case: usize| !probes[case].wiring.chunks.is_empty();
        shared.add_words(own.iter().enumerate().filter(|(case, _)| !chosen_by_lanes(*case)));
        shared.constant = shared.end();
        shared.add_rows(own.iter().enumerate().filter(|(case, _)| chosen_by_lanes(*case)));
        Some(shared)
    }

    /// Adds the words that cases read at constant numbers, one for each set of words that change in
    /// the same way.
    fn add_words<'a>(&mut self, cases: impl Iterator<Item = (usize, &'a Vec<WordByDispatch>)>) {
        let mut numbers = BTreeMap::from([(changes(&self.words[0]), 0)]);
        for (case, own) in cases {
            for word in &own[1..] {
                let number = *numbers.entry(changes(word)).or_insert_with(|| {
                    self.words.push(word.clone());
                    self.end() - 1
                });
                let xor = word[0] ^ self.words[number as usize][0];
                self.places[case].push(SharedWord { number, xor });
            }
        }
    }

    /// Adds the rows of words that lanes choose from. Each row must be contiguous, and equal rows
    /// of several cases are stored once.
    fn add_rows<'a>(&mut self, cases: impl Iterator<Item = (usize, &'a Vec<WordByDispatch>)>) {
        let mut rows = BTreeMap::new();
        for (case, own) in cases {
            let row = &own[1..];
            let first = *rows.entry(row).or_insert_with(|| {
                let first = self.end();
                self.words.extend_from_slice(row);
                first
            });
            let numbers = (first..).take(row.len());
            self.places[case].extend(numbers.map(|number| SharedWord { number, xor: 0 }));
        }
    }

    /// Iterates over the words of a dispatch.
    pub(crate) fn dispatch(&self, number: usize) -> impl Iterator<Item = u32> {
        self.words.iter().map(move |word| word[number])
    }

    /// Returns the nonce of a dispatch.
    pub(crate) fn nonce(&self, number: usize) -> Option<u32> {
        self.words.first()?.get(number).copied()
    }

    /// Returns the number of input words.
    ///
    /// # Panics
    ///
    /// Never: an input of 2^32 words does not fit in memory.
    pub(crate) fn end(&self) -> u32 {
        u32::try_from(self.words.len()).expect("the input has fewer than 2^32 words")
    }
}

/// Returns the bits in which a word differs from its value in the first dispatch.
fn changes(word: &WordByDispatch) -> WordByDispatch {
    word.iter().map(|value| value ^ word[0]).collect()
}

/// Returns the words of a probe's own input.
fn own_words(probe: &ProbeJob, dispatches: usize) -> Option<Vec<WordByDispatch>> {
    let runs = probe.runs.iter().chain(probe.runs.last().into_iter().cycle()).take(dispatches);
    let inputs = runs.map(|run| {
        let socket = probe.interface.input;
        let input = run.job.buffers.iter().find(|buffer| (buffer.set, buffer.binding) == socket)?;
        Some(words_of(&input.bytes))
    });
    let inputs = inputs.collect::<Option<Vec<Vec<u32>>>>()?;
    let length = inputs.iter().map(Vec::len).min()?;
    Some((0..length).map(|word| inputs.iter().map(|input| input[word]).collect()).collect())
}
