//! Writes stand-alone reproductions of a case for other test suites: a script for Amber, or a test
//! for LLVM's offload test suite.
//!
//! The uploaded bytes encode their own positions, and the case's numbers determine the expected
//! words; our rules have no part in them. Amber's script contains SPIR-V decorated with the case's
//! offsets, which tests the driver. The offload test contains the user's HLSL, which tests the
//! compiler too. Only leaves of 4 bytes are read.
//!
//! Source: Amber, `docs/amber_script.md`; `README.md` and `test/Feature/CBuffer` of llvm/offload-test-suite.
#![forbid(unsafe_code)]

mod amber;
mod offload_test;

use thiserror::Error;

pub use amber::{amber, amber_of_dispatch};
pub use offload_test::{
    NoProbeTest, OffloadApis, OffloadTest, offload_test, offload_test_of_case, offload_test_of_probe,
};

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{Block, BlockKind, BlockLayout, LayoutUnit, Leaf, Quantity};

use layoutproof_core::check::Subject;
use layoutproof_device::words_of;
use layoutproof_generators::ProduceError;
use layoutproof_probes::image::encoding::Half;
use layoutproof_probes::image::{data_word, nonce_word};
use layoutproof_probes::{AddressSpace, AnswerPlace, Direction, Form, ProbeEntry, ProbePlan, Stage, Wiring, plan_in};

/// The words of an image can identify this many bytes.
pub const MAX_BYTES: u32 = 1 << 16;

/// The reason that a subject has no reproduction.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{case} under {rules}: {reason}")]
pub struct NotExported {
    pub case: String,
    pub rules: String,
    pub reason: ExportObstacle,
}

/// Why a block has no reproduction.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ExportObstacle {
    #[error("it declares no block")]
    NoBlock,
    #[error("the case has `{path}` at {case}, our rules have it at {ours}")]
    Contradicted { path: String, case: u32, ours: u32 },
    #[error("`{0}` has more than {MAX_BYTES} bytes")]
    TooLarge(String),
    #[error("`{0}` has nothing to read")]
    NothingToRead(String),
    #[error("`{path}`: {reason}")]
    NotReadable { path: String, reason: String },
    #[error("DXC takes {0} for no such block")]
    OtherRules(String),
    #[error("the suite binds no {}", .0.as_str())]
    Kind(BlockKind),
    #[error("its register is no {0} register in space 0")]
    Register(LayoutUnit),
    #[error(transparent)]
    Shader(#[from] ProduceError),
    /// The module that we wrote, according to rspirv.
    #[error("{0}")]
    Assembly(String),
    /// What the format cannot express.
    #[error("{0}")]
    Other(&'static str),
}

impl From<&'static str> for ExportObstacle {
    fn from(what: &'static str) -> Self {
        Self::Other(what)
    }
}

struct Repro<'a> {
    subject: &'a Subject,
    block: &'a Block,
    layout: &'a BlockLayout,
    plan: ProbePlan,
    wiring: Wiring,
    /// The words of the block.
    image: Vec<u32>,
    /// The words of the output; all of them are known.
    expected: Vec<u32>,
}

impl<'a> Repro<'a> {
    /// Uses the first block with a leaf that the case pins.
    fn new(subject: &'a Subject) -> Result<Self, ExportObstacle> {
        let mut obstacle = ExportObstacle::NoBlock;
        for block in &subject.source.module.blocks {
            match Self::of_block(subject, block, subject.layout(block.view)) {
                Ok(repro) => return Ok(repro),
                Err(found) => obstacle = found,
            }
        }
        Err(obstacle)
    }

    fn of_block(subject: &'a Subject, block: &'a Block, layout: &'a BlockLayout) -> Result<Self, ExportObstacle> {
        let plan = plan_reads(subject, layout)?;
        let wiring = Wiring::new(layout, &plan, &plan.entries[0]);

        let expected_at = |leaf: &Leaf| subject.expected.leaf_offset(&layout.name, leaf);
        let offsets: Vec<u32> = plan.leaves.iter().filter_map(expected_at).collect();
        if let Some((leaf, offset)) = plan.leaves.iter().zip(&offsets).find(|(leaf, offset)| leaf.offset != **offset) {
            let (path, ours) = (leaf.path.clone(), leaf.offset);
            return Err(ExportObstacle::Contradicted { path, case: *offset, ours });
        }

        let end = image_end(subject, layout, &offsets);
        if end > MAX_BYTES {
            return Err(ExportObstacle::TooLarge(layout.name.clone()));
        }
        let image = (0..end / 4).map(|word| data_word(4 * word, Half::Low)).collect();

        let expected = expected_output(&wiring, &offsets);
        Ok(Self { subject, block, layout, plan, wiring, image, expected })
    }

    fn entry(&self) -> &ProbeEntry {
        &self.plan.entries[0]
    }

    fn heading(&self) -> String {
        [self.summary(), self.claim(), self.words()].concat()
    }

    fn summary(&self) -> String {
        format!("# {}\n", self.subject.source.summary)
    }

    /// A comment line with the authority of the expected numbers.
    fn claim(&self) -> String {
        let Subject { source, rules, authority, .. } = self.subject;
        format!("# Case {} of layoutproof under rule set {rules}; the numbers are those of {authority}.\n", source.id)
    }

    /// Comment lines that describe each word of the output.
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

fn plan_reads(subject: &Subject, layout: &BlockLayout) -> Result<ProbePlan, ExportObstacle> {
    if layout.reach.is_in_code() {
        return Err(NO_BINDING.into());
    }
    let places = [(space_of(layout.kind)?, Stage::Compute)].into();
    let expected_at = |leaf: &Leaf| subject.expected.leaf_offset(&layout.name, leaf);
    let plan = plan_in(layout, &layout.leaves(), &places).without(|leaf| obstacle(leaf, expected_at(leaf)));

    let mut plan = plan.only(&[Form::Leaf].into());
    plan.entries.retain(|entry| entry.direction == Direction::Read);
    if plan.entries.is_empty() || plan.leaves.is_empty() {
        return Err(match plan.not_probed.into_iter().next() {
            Some(gap) => ExportObstacle::NotReadable { path: gap.leaf.path, reason: gap.reason },
            None => ExportObstacle::NothingToRead(layout.name.clone()),
        });
    }
    Ok(plan)
}

/// Size of the uploaded block: whole elements of a structured buffer, whole registers for other
/// blocks.
fn image_end(subject: &Subject, layout: &BlockLayout, offsets: &[u32]) -> u32 {
    let stride = subject.expected.get(Quantity::ArrayStride, &layout.name).filter(|stride| *stride > 0);
    let step = stride.filter(|_| layout.kind == BlockKind::StructuredElement).unwrap_or(16);
    let size = subject.expected.get(Quantity::Size, &layout.name).unwrap_or(0);
    offsets.iter().map(|offset| offset + 4).max().unwrap_or(0).max(size).next_multiple_of(step)
}

/// The output if each leaf is at its offset.
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

fn refused(subject: &Subject, reason: impl Into<ExportObstacle>) -> NotExported {
    NotExported { case: subject.source.id.clone(), rules: subject.rules.to_owned(), reason: reason.into() }
}

/// The reason that a leaf is not eligible.
fn obstacle(leaf: &Leaf, expected: Option<u32>) -> Option<String> {
    let component = leaf.component;
    if component.size != 4 || component.scalar == Scalar::Bool || component.scalar.is_minimum_precision() {
        return Some("no number of 4 bytes".to_owned());
    }
    expected.is_none().then(|| "the case does not say where it is".to_owned())
}

const NO_BINDING: &str = "a block that has no binding";

fn space_of(kind: BlockKind) -> Result<AddressSpace, ExportObstacle> {
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
        BlockKind::EntryUniforms
        | BlockKind::ShaderRecord
        | BlockKind::Pointee
        | BlockKind::Workgroup
        | BlockKind::StageData => Err(NO_BINDING.into()),
    }
}

/// Formats words in rows of four.
fn rows(words: &[u32], indent: &str, between: &str) -> String {
    let row = |row: &[u32]| row.iter().map(|word| format!("0x{word:08X}")).collect::<Vec<_>>().join(between);
    let rows: Vec<String> = words.chunks(4).map(|words| format!("{indent}{}", row(words))).collect();
    rows.join(&format!("{}\n", between.trim_end())) + "\n"
}
