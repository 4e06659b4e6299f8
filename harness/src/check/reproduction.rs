//! Picks the probe of a check that shows its failure, with the words that a right device leaves, for
//! programs that repeat it elsewhere.

use layoutproof_device::{BufferKind, Job};
use layoutproof_layout::Leaf;

use crate::check::check::Check;
use crate::check::jobs::{CheckProbe, Jobs};
use crate::check::produce::shader_module::ShaderModule;
use crate::check::shader_texts::names_block;
use crate::check::verdict::{CodeOrigin, differing};
use layoutproof_events::{Access, Row};
use layoutproof_probes::image::data_word;
use layoutproof_probes::image::encoding::{Ink, Salt, WordCode};
use layoutproof_probes::{AnswerPlace, Direction, ProbeJob, ProbeRun, words};

/// A probe of a check: its module and its dispatches.
#[derive(Clone, Debug)]
pub struct FailingProbe<'a> {
    pub module: &'a ShaderModule,
    /// The dispatches, which differ in how their bytes encode places.
    pub dispatches: Vec<ReproDispatch>,
}

/// One dispatch, with what a right device leaves.
#[derive(Clone, Debug)]
pub struct ReproDispatch {
    pub job: Job,
    /// Distinguishes its words from those of other dispatches.
    pub salt: Salt,
    /// Every word that is known. Leaves with less than 32 bits are in no word of their own.
    pub expected: Vec<ExpectedWord>,
}

/// A word of a buffer after the dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedWord {
    /// Descriptor set and binding of the buffer.
    pub socket: (u32, u32),
    /// In bytes.
    pub offset: u32,
    pub word: u32,
    /// The leaf, for people.
    pub path: String,
}

impl Check {
    /// The first probe whose answer is in one of the differing rows; the first of all if no row
    /// differs. `None` if the device can run no probe.
    pub fn failing_probe<'a>(&'a self, rows: &[Row]) -> Option<FailingProbe<'a>> {
        let Jobs { probes, .. } = self.jobs();
        let proves = self.produced.producer.proves(self.subject.rules, &self.device);
        let code = CodeOrigin { proves, writer: self.produced.producer.writer() };
        let wrong: Vec<&Row> = differing(rows, code).iter().map(|(index, _)| &rows[*index]).collect();

        let shows = |probe: &&CheckProbe| wrong.iter().any(|row| self.answers_row(probe, row));
        let CheckProbe { module, probe, .. } = probes.iter().find(shows).or(probes.first())?;
        let module = &self.produced.modules[*module];
        let dispatches = probe.runs.iter().map(|run| ReproDispatch {
            job: run.job.clone(),
            salt: run.salt,
            expected: expected(module, probe, run),
        });
        Some(FailingProbe { module, dispatches: dispatches.collect() })
    }

    fn answers_row(&self, CheckProbe { module, probe, .. }: &CheckProbe, row: &Row) -> bool {
        let module = &self.produced.modules[*module];
        let Some(Access { space, stage, direction, form }) = row.access else { return false };
        let block = &module.layout.name;
        let rest = row.path.strip_prefix(block.as_str()).unwrap_or_default();
        let is_leaf = |leaf: &Leaf| rest == leaf.path || rest.strip_prefix('.') == Some(leaf.path.as_str());
        names_block(&row.path, block)
            && (probe.entry.space, probe.entry.stage, probe.entry.direction) == (space, stage, direction)
            && form.is_none_or(|form| probe.entry.forms.contains(&form))
            && (form.is_none() || module.plan.leaves.iter().any(is_leaf))
    }
}

/// The words that a right device leaves.
fn expected(module: &ShaderModule, probe: &ProbeJob, run: &ProbeRun) -> Vec<ExpectedWord> {
    let Ink::Words(half) = run.ink else { return Vec::new() };
    let of_leaf = |leaf: &Leaf, (socket, start): ((u32, u32), u32)| {
        let word = |index: u32| ExpectedWord {
            socket,
            offset: start + 4 * index,
            word: run.salt.turn(data_word(leaf.offset + 4 * index, half)),
            path: leaf.path.clone(),
        };
        (0..words(leaf.component)).map(word).collect::<Vec<_>>()
    };
    let leaves = &module.plan.leaves;
    let has_words = |leaf: &Leaf| WordCode::of(leaf.component).is_none();
    match probe.entry.direction {
        Direction::Read => {
            let slots = probe.wiring.slots.iter().filter(|slot| !slot.form.is_length());
            let slots = slots.filter(|slot| has_words(&leaves[slot.leaf as usize]));
            let answers = slots.flat_map(|slot| slot.places.iter().map(|place| (&leaves[slot.leaf as usize], *place)));
            let of_answer = |(leaf, place)| match place {
                AnswerPlace::Word(word) => of_leaf(leaf, (probe.interface.output, 4 * word)),
                AnswerPlace::Copy(offset) => of_leaf(leaf, (probe.interface.copy.unwrap_or_default(), offset)),
            };
            answers.flat_map(of_answer).collect()
        }
        Direction::Write => {
            let is_bound = run.job.buffers.iter().any(|buffer| {
                (buffer.set, buffer.binding) == probe.interface.block
                    && !matches!(buffer.kind, BufferKind::Address { .. })
            });
            let written = leaves.iter().filter(|leaf| is_bound && has_words(leaf));
            written.flat_map(|leaf| of_leaf(leaf, (probe.interface.block, leaf.offset))).collect()
        }
    }
}
