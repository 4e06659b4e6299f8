//! Numbers the words of input and output: maps every leaf of an entry point to the words with its
//! bits.
//!
//! Generators and hosts share these numbers and nothing else. The input holds the nonce, in a write
//! probe the values of all leaves, and then the indices that forms take from memory: a table in
//! which word `n` is `n` for [`Form::Indexed`] and similar forms, and one tuple per lane for
//! [`Form::Divergent`].

use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{BlockLayout, Leaf};

use super::copy_layout::{offset_at, spread};
use super::{ProbeEntry, ProbePlan, tail, words};
use crate::{Direction, Form};

/// Lanes of the workgroup in which [`Form::Divergent`] reads.
pub const LANES: u32 = 64;

/// The place of a leaf's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerPlace {
    /// Starts at this word of the output, or of the input in a write probe.
    Word(u32),
    /// Starts at this byte of the block at binding 3.
    Copy(u32),
}

impl AnswerPlace {
    /// Returns the byte of the block at binding 3, if the place is there.
    pub fn in_copy(self) -> Option<u32> {
        match self {
            Self::Word(_) => None,
            Self::Copy(offset) => Some(offset),
        }
    }
}

/// A leaf through a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerSlot {
    pub form: Form,
    /// Index into [`ProbePlan::leaves`].
    pub leaf: u32,
    /// One place, or one for each lane that reads the leaf.
    pub places: Vec<AnswerPlace>,
}

/// Leaves that differ only in their indices. The lanes of a workgroup read them together: lane `l`
/// reads leaf `l` modulo their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Indices into [`ProbePlan::leaves`], at most [`LANES`].
    pub leaves: Vec<u32>,
    /// The output word of lane 0. Each lane has its own [`words`].
    pub output: u32,
    /// The input word of lane 0's indices.
    pub input: u32,
    /// The number of indices per lane: one per array step, and row and column per matrix step, in
    /// the order of the steps.
    pub depth: u32,
}

/// The words of one entry point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wiring {
    /// One slot per form and leaf, in the entry's order of forms. Forms that take indices from
    /// memory have only the leaves in arrays or matrices; lengths have only the first leaf in their
    /// array.
    pub slots: Vec<AnswerSlot>,
    /// Words of the output.
    pub output: u32,
    /// The input word of number 0 in the table of numbers.
    pub table: u32,
    /// The reads that lanes do together.
    pub chunks: Vec<Chunk>,
    /// The input words after the nonce and the values.
    pub indices: Vec<u32>,
    /// Bytes of the block at binding 3; 0 if there is none.
    pub copy: u32,
}

impl Wiring {
    /// Numbers the words of `entry`, one of the entry points of `plan` for `layout`.
    pub fn new(layout: &BlockLayout, plan: &ProbePlan, entry: &ProbeEntry) -> Self {
        let (firsts, all) = plan.first_words();
        let values = match entry.direction {
            Direction::Read => 0,
            Direction::Write => all,
        };

        let mut wiring = Self { output: 1, table: 1 + values, ..Self::default() };
        let takes_numbers = [Form::Indexed, Form::Private, Form::Function, Form::Workgroup, Form::Sized];
        if entry.forms.iter().any(|form| takes_numbers.contains(form)) {
            let largest = plan.leaves.iter().flat_map(indices).max();
            wiring.indices.extend(largest.into_iter().flat_map(|largest| 0..=largest));
        }

        for form in &entry.forms {
            match form {
                Form::Leaf
                | Form::Vector
                | Form::Whole
                | Form::Parameter
                | Form::Indexed
                | Form::Linked
                | Form::ByteAddress
                | Form::Private
                | Form::Function
                | Form::Workgroup
                | Form::Sized
                | Form::Untyped
                | Form::UntypedVector
                | Form::UntypedWhole
                | Form::Retyped => {
                    wiring.add(*form, plan, entry.direction, &firsts);
                }
                Form::Divergent => wiring.add_lanes(plan),
                Form::Copied => wiring.add_copy(layout, plan),
                Form::Length | Form::UntypedLength => wiring.add_length(*form, layout, plan),
            }
        }

        wiring
    }

    /// Returns the number of input words.
    ///
    /// # Panics
    ///
    /// Never: an input of 2^32 words does not fit in memory.
    pub fn input(&self) -> u32 {
        self.table + u32::try_from(self.indices.len()).expect("the input has fewer than 2^32 words")
    }

    fn add(&mut self, form: Form, plan: &ProbePlan, direction: Direction, firsts: &[u32]) {
        // `Form::Private` reads the other leaves of a copy.
        let has = |leaf: &Leaf| !matches!(form, Form::Indexed | Form::Function) || is_indexed(leaf);
        for ((index, leaf), first) in (0..).zip(&plan.leaves).zip(firsts).filter(|((_, leaf), _)| has(leaf)) {
            let place = match direction {
                Direction::Write => 1 + first,
                Direction::Read => {
                    self.output += words(leaf.component);
                    self.output - words(leaf.component)
                }
            };
            self.slots.push(AnswerSlot { form, leaf: index, places: vec![AnswerPlace::Word(place)] });
        }
    }

    fn add_lanes(&mut self, plan: &ProbePlan) {
        let mut stems: Vec<(Vec<LeafStep>, Vec<u32>)> = Vec::new();
        for (index, leaf) in (0..).zip(&plan.leaves).filter(|(_, leaf)| is_indexed(leaf)) {
            let stem = stem(leaf);
            match stems.iter_mut().find(|(other, _)| *other == stem) {
                Some((_, leaves)) => leaves.push(index),
                None => stems.push((stem, vec![index])),
            }
        }
        for leaves in stems.iter().flat_map(|(_, leaves)| leaves.chunks(LANES as usize)) {
            self.add_chunk(plan, leaves);
        }
    }

    fn add_chunk(&mut self, plan: &ProbePlan, leaves: &[u32]) {
        let leaf = |index: u32| &plan.leaves[index as usize];
        let size = words(leaf(leaves[0]).component);
        let tuple = indices(leaf(leaves[0])).len();
        let depth = u32::try_from(tuple).expect("a path has fewer than 2^32 steps");
        let chunk = Chunk { leaves: leaves.to_vec(), output: self.output, input: self.input(), depth };

        let lanes = (0..LANES).zip(leaves.iter().cycle());
        self.indices.extend(lanes.clone().flat_map(|(_, index)| indices(leaf(*index))));
        self.slots.extend(leaves.iter().map(|index| {
            let own = lanes.clone().filter(|(_, other)| *other == index);
            let places = own.map(|(lane, _)| AnswerPlace::Word(chunk.output + lane * size)).collect();
            AnswerSlot { form: Form::Divergent, leaf: *index, places }
        }));

        self.output += LANES * size;
        self.chunks.push(chunk);
    }

    /// Adds one word for the element count.
    fn add_length(&mut self, form: Form, layout: &BlockLayout, plan: &ProbePlan) {
        let tail = layout.result.as_ref().ok().and_then(tail);
        let Some(leaf) = tail.and_then(|tail| tail.leaf(plan)) else { return };
        self.slots.push(AnswerSlot { form, leaf, places: vec![AnswerPlace::Word(self.output)] });
        self.output += 1;
    }

    fn add_copy(&mut self, layout: &BlockLayout, plan: &ProbePlan) {
        let Some(target) = layout.result.as_ref().ok().and_then(spread) else { return };
        self.copy = target.size.finite().unwrap_or(0);
        for (index, leaf) in (0..).zip(&plan.leaves) {
            let places = offset_at(&target, &leaf.steps).map(AnswerPlace::Copy).into_iter().collect();
            self.slots.push(AnswerSlot { form: Form::Copied, leaf: index, places });
        }
    }
}

/// Returns the indices of a leaf that can come from memory: those of array elements, and row and
/// column of a matrix cell.
fn indices(leaf: &Leaf) -> Vec<u32> {
    let steps = leaf.steps.iter().flat_map(|step| match step {
        LeafStep::Element(index) => vec![*index],
        LeafStep::Cell { row, column } => vec![*row, *column],
        LeafStep::Member(_) | LeafStep::Component(_) => Vec::new(),
    });
    steps.collect()
}

/// Returns true if a leaf is in an array or a matrix.
pub fn is_indexed(leaf: &Leaf) -> bool {
    !indices(leaf).is_empty()
}

/// Returns true if a leaf is in an array.
pub(super) fn is_in_array(leaf: &Leaf) -> bool {
    leaf.steps.iter().any(|step| matches!(step, LeafStep::Element(_)))
}

/// Returns the steps to a leaf with all indices set to 0.
fn stem(leaf: &Leaf) -> Vec<LeafStep> {
    let steps = leaf.steps.iter().map(|step| match step {
        LeafStep::Element(_) => LeafStep::Element(0),
        LeafStep::Cell { .. } => LeafStep::Cell { row: 0, column: 0 },
        LeafStep::Member(_) | LeafStep::Component(_) => *step,
    });
    steps.collect()
}
