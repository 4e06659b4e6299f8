//! Fused probes: many cases in one shader that answers each with one word.
//!
//! A driver spends its time on compiling pipelines and stores, so a group of cases shares a module.
//! Every block is a variable at set 0 binding 0, all of them read the same buffer, and the words
//! that a case reads are folded into one. Otherwise the interface equals that of other probes:
//! output at binding 1, nonce and indices at binding 2.
//!
//! The buffer is a ramp: its 32-bit words all differ, and each counts as data, as if no block had
//! padding. The answer of a case therefore follows from its layout alone. A wrong answer only means
//! that the case needs to be read again by itself. A right answer says nothing about padding and
//! guards, which the ramp does not have.

use layoutproof_device::{BufferAfter, BufferKind, Job, ReadBack, word_bytes, words_of};
use layoutproof_layout::{BlockLayout, Leaf};

use super::jobs::buffer;
use super::{AnswerPlace, AnswerSlot, Interface, PlanShader, ProbeEntry, ProbePlan, Wiring};
use crate::image::encoding::WordCode;
use crate::image::{ImageError, REFILL_WORD, image_size};
use crate::{AddressSpace, Direction, Form, Stage, words};

/// Entry point of a fused module.
pub const FUSED_ENTRY: &str = "read_fused";

/// Index of the output among the buffers of a job.
const OUTPUT: usize = 1;

/// Bytes of the longest ramp: the uniform buffer size of devices with large limits.
const RAMP_BYTES: u32 = 1 << 16;

/// The address space of a group's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FusedSpace {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer.
    Storage,
}

impl FusedSpace {
    pub const ALL: [Self; 2] = [Self::Uniform, Self::Storage];

    /// Returns the address space with the same name.
    pub const fn space(self) -> AddressSpace {
        match self {
            Self::Uniform => AddressSpace::Uniform,
            Self::Storage => AddressSpace::Storage,
        }
    }
}

/// How the words that a case reads become one. Both folds start with the nonce and the number of
/// the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// Alternates exclusive or and subtraction. Each step is one to one in the word and in the
    /// value before it, so a single wrong word always shows. Swapped words show too, because
    /// neither operation passes the carries of the other: with odds of some ten thousand to one for
    /// two words with one word between them, and far higher odds for others.
    Hash,
    /// Exclusive or: the cheapest use of a load, which shows the minimum cost of a probe. It does
    /// not detect swapped words.
    Xor,
}

/// One step of a fold: combines a word with the value before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoldStep {
    /// `value ^ word`.
    Xor,
    /// `value - word`, wrapping.
    Subtract,
}

impl Fold {
    pub(crate) const fn step(self, number: u32) -> FoldStep {
        match self {
            Self::Hash if number % 2 == 1 => FoldStep::Subtract,
            Self::Hash | Self::Xor => FoldStep::Xor,
        }
    }
}

impl FoldStep {
    pub(super) fn apply(self, value: u32, word: u32) -> u32 {
        match self {
            Self::Xor => value ^ word,
            Self::Subtract => value.wrapping_sub(word),
        }
    }
}

/// Returns the word at byte `offset` (a multiple of 4) of a ramp. All words differ, neighbours have
/// little in common, and each word is a normal number as a `float`, as two `half`s and as either
/// part of a `double`, so no device may change it.
fn ramp_word(offset: u32) -> u32 {
    const FREE: u32 = (1 << 28) - 1;
    // Odd factors and shifted exclusive ors are one to one. The constants come from MurmurHash3's
    // last steps.
    let mix = |bits: u32, (factor, shift): (u32, u32)| {
        let mixed = bits.wrapping_mul(factor) & FREE;
        mixed ^ (mixed >> shift)
    };
    let bits = mix(mix(offset / 4, (0x85EB_CA6B, 13)), (0xC2B2_AE35, 14));
    // The upper two bits of a half's exponent are 10, and so are those of longer numbers.
    let half = |bits: u32| (bits & 0x1FFF) | 0x4000 | ((bits << 2) & 0x8000);
    half(bits >> 14) << 16 | half(bits & 0x3FFF)
}

/// A block with its plan, which has exactly one entry point: see [`fusable`].
#[derive(Clone, Debug, PartialEq)]
pub struct FusedCase {
    pub layout: BlockLayout,
    /// The plan of the reads from the block.
    pub plan: ProbePlan,
}

/// Cases that share a module.
#[derive(Clone, Copy, Debug)]
pub struct FusedGroup<'a> {
    /// The cases, in the order of the output's words.
    pub cases: &'a [FusedCase],
    /// The address space of the blocks.
    pub space: FusedSpace,
    /// How a case's words become one.
    pub fold: Fold,
}

/// Returns the part of a plan that can be fused in a space: the entry point that reads there in a
/// compute shader, its forms that load leaf by leaf, and the leaves that a ramp can identify.
/// `None` if nothing is left.
pub fn fusable(plan: &ProbePlan, space: FusedSpace) -> Option<ProbePlan> {
    let mut plan = plan.clone().without(out_of_ramp);
    plan.entries.retain(|entry| {
        (entry.space, entry.stage, entry.direction) == (space.space(), Stage::Compute, Direction::Read)
    });
    plan.entries.truncate(1);

    for entry in &mut plan.entries {
        entry.forms.retain(|form| match form {
            Form::Leaf | Form::Vector | Form::Whole | Form::Parameter | Form::Indexed => true,
            Form::Divergent | Form::Copied | Form::Length | Form::ByteAddress | Form::Private | Form::Workgroup => {
                false
            }
        });
    }

    let reads = plan.entries.iter().any(|entry| !entry.forms.is_empty());
    reads.then_some(plan).filter(|plan| !plan.leaves.is_empty())
}

/// Returns the reason why a ramp cannot identify a leaf; `None` if it can.
fn out_of_ramp(leaf: &Leaf) -> Option<String> {
    if WordCode::of(leaf.component).is_some() {
        return Some("a ramp has no room for its offset".to_owned());
    }
    let end = leaf.offset.checked_add(leaf.component.size);
    end.is_none_or(|end| end > RAMP_BYTES).then(|| format!("a ramp ends at byte {RAMP_BYTES}"))
}

impl FusedCase {
    /// Returns the one entry point; `None` for a plan that [`fusable`] did not make.
    pub fn entry(&self) -> Option<&ProbeEntry> {
        self.plan.entries.first()
    }

    /// Returns the word numbers of each leaf.
    pub fn wiring(&self) -> Wiring {
        self.entry().map(|entry| Wiring::new(&self.layout, &self.plan, entry)).unwrap_or_default()
    }

    /// Returns the answer of a device that reads every leaf at its place in the layout. A word's
    /// step number is the word's index in a regular probe's output.
    fn answer(&self, wiring: &Wiring, fold: Fold, start: u32) -> u32 {
        let leaf_of = |slot: &AnswerSlot| match slot.places[..] {
            [AnswerPlace::Word(first)] => Some((first, &self.plan.leaves[slot.leaf as usize])),
            _ => None,
        };
        let leaves = wiring.slots.iter().filter_map(leaf_of);
        let read = leaves.flat_map(|(first, leaf)| {
            (0..words(leaf.component)).map(move |word| (first + word, leaf.offset + 4 * word))
        });
        read.fold(start, |value, (place, offset)| fold.step(place).apply(value, ramp_word(offset)))
    }
}

/// The dispatch of a group, with the expected answers.
#[derive(Clone, Debug, PartialEq)]
pub struct FusedJob {
    pub job: Job,
    /// One word per case.
    pub answers: Vec<u32>,
}

impl FusedJob {
    /// Builds the dispatch of `group`. `shader` was written for the group, or for other layouts of
    /// the same cases.
    ///
    /// # Errors
    ///
    /// A block has no image.
    pub fn new(group: &FusedGroup<'_>, nonce: u32, shader: PlanShader<'_>) -> Result<Self, ImageError> {
        let mut answers = Vec::with_capacity(group.cases.len());
        let (mut bytes, mut indices) = (0, Vec::new());
        for (number, case) in (0..).zip(group.cases) {
            let wiring = case.wiring();
            bytes = bytes.max(image_size(&case.layout, &case.plan)?);
            answers.push(case.answer(&wiring, group.fold, nonce ^ number));
            // The index tables are prefixes of one another, so the longest contains the others.
            if wiring.indices.len() > indices.len() {
                indices = wiring.indices;
            }
        }

        let ramp: Vec<u32> = (0..).step_by(4).map(ramp_word).take(bytes / 4).collect();
        let kind = match group.space {
            FusedSpace::Uniform => BufferKind::Uniform,
            FusedSpace::Storage => BufferKind::StorageRead,
        };
        let Interface { block, output, input, .. } = shader.interface;
        let input_words: Vec<u32> = std::iter::once(nonce).chain(indices).collect();
        let buffers = vec![
            buffer(block, kind, word_bytes(&ramp)),
            buffer(output, BufferKind::Storage, word_bytes(&vec![REFILL_WORD; answers.len()])),
            buffer(input, BufferKind::StorageRead, word_bytes(&input_words)),
        ];

        let requires = shader.requires.clone();
        let job = Job { requires, ..Job::compute(shader.shader.clone(), FUSED_ENTRY, buffers) };
        Ok(Self { job, answers })
    }

    /// Returns the numbers of the cases that need to be read again by themselves: those with a
    /// wrong answer, or all of them if the device changed anything besides the answers.
    pub fn wrong(&self, read_back: &ReadBack) -> Vec<usize> {
        let Some(output) = read_back.buffers.get(OUTPUT) else { return (0..self.answers.len()).collect() };
        let found = words_of(&output.bytes);

        let complete = read_back.buffers.len() == self.job.buffers.len() && found.len() == self.answers.len();
        if !complete || !self.is_untouched(read_back) {
            return (0..self.answers.len()).collect();
        }

        let answers = self.answers.iter().zip(&found).enumerate();
        answers.filter(|(_, (answer, found))| answer != found).map(|(number, _)| number).collect()
    }

    /// Returns true if only the output's words changed.
    fn is_untouched(&self, read_back: &ReadBack) -> bool {
        let mut buffers = self.job.buffers.iter().zip(&read_back.buffers).enumerate();
        buffers.all(|(index, (before, after))| {
            let BufferAfter { before: memory_before, bytes, after: memory_after } = after;
            let around = memory_before.chunks(4).all(|word| word == before.before_word.to_le_bytes());
            around && *memory_after == before.after && (index == OUTPUT || *bytes == before.bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::BEFORE_WORD;

    #[test]
    fn words_of_a_ramp_are_distinct_and_normal_numbers() {
        let words: Vec<u32> = (0..RAMP_BYTES).step_by(4).map(ramp_word).collect();
        assert_eq!(words.iter().collect::<std::collections::BTreeSet<_>>().len(), words.len());
        for word in words {
            let half_exponents = [word >> 26 & 0x1F, word >> 10 & 0x1F];
            assert!(half_exponents.iter().all(|exponent| (1..0x1F).contains(exponent)), "{word:08X}");
            assert!(f32::from_bits(word).is_normal(), "{word:08X}");
            assert!(f64::from_bits(u64::from(word) << 32 | 1).is_normal(), "{word:08X}");
            assert!(word != REFILL_WORD && word != BEFORE_WORD, "{word:08X}");
        }
    }

    fn hash(offsets: &[u32]) -> u32 {
        let words = (1..).zip(offsets);
        words.fold(7, |value, (number, offset)| Fold::Hash.step(number).apply(value, ramp_word(*offset)))
    }

    /// The mistakes that devices and compilers make: leaves from one on are a few words late, or
    /// two leaves are swapped.
    #[test]
    fn late_and_swapped_leaves_change_the_hash() {
        let offsets: Vec<u32> = (0..64).map(|leaf| 4 * leaf).collect();
        let right = hash(&offsets);
        for first in 0..offsets.len() {
            for late in 1..16 {
                for end in first + 1..=offsets.len() {
                    let mut wrong = offsets.clone();
                    wrong[first..end].iter_mut().for_each(|offset| *offset += 4 * late);
                    assert_ne!(hash(&wrong), right, "{first}..{end} late by {late} words");
                }
            }
            for second in first + 1..offsets.len() {
                let mut wrong = offsets.clone();
                wrong.swap(first, second);
                assert_ne!(hash(&wrong), right, "{first} and {second} swapped");
            }
        }
    }
}
