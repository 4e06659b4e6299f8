//! Writes stand-alone reproductions of a case for other test suites: a script for Amber, or a test for LLVM's offload
//! test suite.
//!
//! The uploaded bytes say where they are, and the expected words are what the case's own numbers say is there: our
//! rules have no part in them. In Amber's script the shader is SPIR-V with the case's offsets as decorations, which
//! asks the driver; in the other it is the user's HLSL, which asks the compiler, too. Leaves of 4 bytes take part.
//!
//! Source: Amber, `docs/amber_script.md`; `README.md` and `test/Feature/CBuffer` of llvm/offload-test-suite.

mod amber;
mod block_signature;
mod offload_test;

use thiserror::Error;

pub use amber::amber;
pub use block_signature::BlockSignature;
pub use offload_test::{OffloadApis, OffloadTest, offload_test, offload_test_of_case};

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{Block, BlockKind, BlockLayout, Leaf, Quantity};

use crate::check::Subject;
use crate::probe::image::encoding::Half;
use crate::probe::image::{data_word, nonce_word};
use crate::probe::{AddressSpace, AnswerPlace, Direction, Form, ProbeEntry, ProbePlan, Stage, Wiring, plan_in};

/// Bytes that the words of an image can name.
const MAX_BYTES: u32 = 1 << 16;

/// Why a subject has no reproduction.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{case} under {rules}: {reason}")]
pub struct NotExported {
    /// Case.
    pub case: String,
    /// Rule set.
    pub rules: String,
    /// Lowercase fragment.
    pub reason: String,
}

/// The parts of a reproduction that both formats have.
struct Repro<'a> {
    subject: &'a Subject,
    block: &'a Block,
    layout: &'a BlockLayout,
    plan: ProbePlan,
    wiring: Wiring,
    /// The words of the block.
    image: Vec<u32>,
    /// The words of the output, of which each is known.
    expected: Vec<u32>,
}

impl<'a> Repro<'a> {
    /// The first block of which the case knows a leaf.
    fn new(subject: &'a Subject) -> Result<Self, String> {
        let blocks = subject.source.module.blocks.iter().zip(&subject.layouts);
        let mut reason = "it declares no block".to_owned();
        for (block, layout) in blocks {
            match Self::of_block(subject, block, layout) {
                Ok(repro) => return Ok(repro),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    fn of_block(subject: &'a Subject, block: &'a Block, layout: &'a BlockLayout) -> Result<Self, String> {
        let plan = plan_reads(subject, layout)?;
        let wiring = Wiring::new(layout, &plan, &plan.entries[0]);

        let expected_at = |leaf: &Leaf| subject.expected.leaf_offset(&layout.name, leaf);
        let offsets: Vec<u32> = plan.leaves.iter().filter_map(expected_at).collect();
        if let Some((leaf, offset)) = plan.leaves.iter().zip(&offsets).find(|(leaf, offset)| leaf.offset != **offset) {
            return Err(format!("the case has `{}` at {offset}, our rules have it at {}", leaf.path, leaf.offset));
        }

        let end = image_end(subject, layout, &offsets);
        if end > MAX_BYTES {
            return Err(format!("`{}` has more than {MAX_BYTES} bytes", layout.name));
        }
        let image = (0..end / 4).map(|word| data_word(4 * word, Half::Low)).collect();

        let expected = expected_output(&wiring, &offsets);
        Ok(Self { subject, block, layout, plan, wiring, image, expected })
    }

    fn entry(&self) -> &ProbeEntry {
        &self.plan.entries[0]
    }

    /// Comment lines that say what the reproduction shows.
    fn heading(&self) -> String {
        [self.summary(), self.claim(), self.words()].concat()
    }

    /// What the case is about, a comment line.
    fn summary(&self) -> String {
        format!("# {}\n", self.subject.source.summary)
    }

    /// Whose numbers are expected, a comment line.
    fn claim(&self) -> String {
        let Subject { source, rules, authority, .. } = self.subject;
        format!("# Case {} of layoutproof under rule set {rules}; the numbers are those of {authority}.\n", source.id)
    }

    /// What each word of the output is, in comment lines.
    fn words(&self) -> String {
        let mut lines = vec![
            "# Each word that is read names the byte at which it was: 0xC0DE0024 is the data at byte 36.".to_owned(),
        ];

        let names = self.wiring.slots.iter().flat_map(|slot| {
            let path = &self.plan.leaves[slot.leaf as usize].path;
            slot.places.iter().map(move |place| (path, *place))
        });
        for (path, place) in names {
            if let AnswerPlace::Word(word) = place {
                lines.push(format!(
                    "#   output word {word}: {}",
                    if path.is_empty() { &self.layout.name } else { path }
                ));
            }
        }
        lines.join("\n") + "\n"
    }
}

/// The plan of reading each leaf that can take part.
fn plan_reads(subject: &Subject, layout: &BlockLayout) -> Result<ProbePlan, String> {
    let places = [(space_of(layout.kind)?, Stage::Compute)].into();
    let expected_at = |leaf: &Leaf| subject.expected.leaf_offset(&layout.name, leaf);
    let plan = plan_in(layout, &layout.leaves(), &places).without(|leaf| obstacle(leaf, expected_at(leaf)));

    let mut plan = plan.only(&[Form::Leaf].into());
    plan.entries.retain(|entry| entry.direction == Direction::Read);
    if plan.entries.is_empty() || plan.leaves.is_empty() {
        let reasons = plan.not_probed.first().map(|gap| format!("`{}`: {}", gap.leaf.path, gap.reason));
        return Err(reasons.unwrap_or_else(|| format!("`{}` has nothing to read", layout.name)));
    }
    Ok(plan)
}

/// Bytes of the block that is uploaded: whole elements of a structured buffer, whole registers of others.
fn image_end(subject: &Subject, layout: &BlockLayout, offsets: &[u32]) -> u32 {
    let stride = subject.expected.get(Quantity::ArrayStride, &layout.name).filter(|stride| *stride > 0);
    let step = stride.filter(|_| layout.kind == BlockKind::StructuredElement).unwrap_or(16);
    let size = subject.expected.get(Quantity::Size, &layout.name).unwrap_or(0);
    offsets.iter().map(|offset| offset + 4).max().unwrap_or(0).max(size).next_multiple_of(step)
}

/// The words of the output if each leaf is at its offset.
fn expected_output(wiring: &Wiring, offsets: &[u32]) -> Vec<u32> {
    let mut expected = vec![0; wiring.output as usize];
    expected[0] = nonce_word(1);
    for slot in &wiring.slots {
        for place in &slot.places {
            if let AnswerPlace::Word(word) = place {
                expected[*word as usize] = data_word(offsets[slot.leaf as usize], Half::Low);
            }
        }
    }
    expected
}

/// Gives a reason its subject.
fn refused(subject: &Subject, reason: impl Into<String>) -> NotExported {
    NotExported { case: subject.source.id.clone(), rules: subject.rules.to_owned(), reason: reason.into() }
}

/// Why a leaf takes no part.
fn obstacle(leaf: &Leaf, expected: Option<u32>) -> Option<String> {
    let component = leaf.component;
    if component.size != 4 || component.scalar == Scalar::Bool || component.scalar.is_minimum_precision() {
        return Some("no number of 4 bytes".to_owned());
    }
    expected.is_none().then(|| "the case does not say where it is".to_owned())
}

fn space_of(kind: BlockKind) -> Result<AddressSpace, String> {
    match kind {
        BlockKind::Cbuffer
        | BlockKind::ConstantBuffer
        | BlockKind::Globals
        | BlockKind::ParameterBlock
        | BlockKind::UniformBlock => Ok(AddressSpace::Uniform),
        BlockKind::Tbuffer | BlockKind::TextureBuffer | BlockKind::StructuredElement | BlockKind::StorageBlock => {
            Ok(AddressSpace::Storage)
        }
        BlockKind::PushConstant => Ok(AddressSpace::PushConstant),
        BlockKind::EntryUniforms | BlockKind::ShaderRecord | BlockKind::Pointee => {
            Err("a block that has no binding".to_owned())
        }
    }
}

/// Words in rows of four.
fn rows(words: &[u32], indent: &str, between: &str) -> String {
    let row = |row: &[u32]| row.iter().map(|word| format!("0x{word:08X}")).collect::<Vec<_>>().join(between);
    let rows: Vec<String> = words.chunks(4).map(|words| format!("{indent}{}", row(words))).collect();
    rows.join(&format!("{}\n", between.trim_end())) + "\n"
}
