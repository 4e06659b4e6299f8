//! `check --run`: devices read the blocks, and the report names the host member that arrives in
//! each shader member.
//!
//! Devices get the same bytes as with `run`, each of which encodes its own address. The offset from
//! which a leaf was read, looked up in the host's debug information, names the host member, so the
//! host's own data need not be uploaded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Parser;
use layoutproof_core::check::{DeviceCheck, Subject};
use layoutproof_device::RunnerKind;
use layoutproof_events::CheckDevice;
use layoutproof_events::summary::Exit;
use layoutproof_events::{CheckRecord, RecordValue};
use layoutproof_executor::{plan, produce};
use layoutproof_hostcheck::{ObservedLeaf, ShaderBlock, arrivals, block_parts};
use layoutproof_layout::{Quantity, find};
use layoutproof_pairs::pairing::{PairPartners, PairRules};
use layoutproof_pairs::shader_blocks::{BlockSource, TargetBlock};
use layoutproof_probes::Direction;
use layoutproof_report::host_check::{CheckedPair, HostCheck, NotRead, PairProof};

use super::args::CheckArgs;
use crate::args::RunArgs;
use crate::output::{warn, warn_of_listing};
use crate::progress::Progress;
use crate::select::run_config::{RunConfig, listen_for_the_end};

/// Our own SPIR-V with the compared offsets.
const OWN_PRODUCER: &str = "rspirv";

/// The arguments of `run`, parsed from words.
#[derive(Debug, Parser)]
struct RunWords {
    #[command(flatten)]
    run: RunArgs,
}

/// The pairs whose blocks devices read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proof<'a> {
    pub args: &'a CheckArgs,
    pub blocks: &'a [TargetBlock],
    /// Block and host struct of each pair.
    pub partners: &'a [PairPartners],
    pub rules: PairRules<'a>,
}

/// The record of a check that a device ran.
struct DeviceRecord {
    subject: Arc<Subject>,
    record: CheckRecord,
}

impl Proof<'_> {
    /// Has devices read the block of each pair, and adds the results to `check`. The exit code
    /// covers the devices only.
    ///
    /// # Errors
    /// A device or compiler name is unknown, or the run was interrupted.
    pub(super) fn carry_out(self, check: &mut HostCheck) -> anyhow::Result<Exit> {
        let words = RunWords::try_parse_from(self.run_words()).context("making the arguments of the run")?;
        let config = RunConfig::of(&words.run, &Progress::default(), listen_for_the_end()?)?;
        if let Some(absent) = config.missing_compiler() {
            warn(&format!("error: {absent}\n"));
            return Ok(Exit::Missing);
        }

        let mut chosen = config.devices();
        warn_of_listing(&chosen.listing);
        if let Some(missing) = config.missing_device(&chosen) {
            warn(&format!("error: {missing}\n"));
            return Ok(Exit::Missing);
        }
        if self.args.device.is_empty() {
            // The model follows the computed offsets by definition, so it proves nothing.
            chosen.listing.devices.retain(|device| device.runner != RunnerKind::Model);
        }

        let subjects = self.subjects();
        let all: Vec<Arc<Subject>> = distinct(&subjects);
        let making = config.making(&config.toolchains);
        let checks = produce::shaders(&plan::bytes(all.iter(), &chosen.listing.devices, making), making);
        let records = config.answer().records(&checks, &config.launch).into_iter();
        let mut records: Vec<DeviceRecord> =
            records.filter_map(|(index, record)| device_record(&checks[index], record)).collect();
        if config.launch.interrupt.is_set() {
            bail!("interrupted: not every block was read");
        }

        records.sort_by_cached_key(|found| found.record.id.to_string());
        for ((pair, partners), subject) in check.pairs.iter_mut().zip(self.partners).zip(&subjects) {
            let own = records.iter().filter(|found| Arc::ptr_eq(&found.subject, subject));
            pair.proofs = self.proofs(pair, partners, own.map(|found| &found.record));
        }
        Ok(exit_of(check))
    }

    fn run_words(&self) -> Vec<String> {
        let mut words = ["run", "--no-known", "--form", "leaf", "--compiler"].map(str::to_owned).to_vec();
        let compilers = self.args.compiler.join(",");
        words.push(if compilers.is_empty() { OWN_PRODUCER.to_owned() } else { compilers });
        if !self.args.device.is_empty() {
            words.extend(["--device".to_owned(), self.args.device.join(",")]);
        }
        if self.args.cache.no_cache {
            words.push("--no-cache".to_owned());
        }
        words
    }

    /// The subject of each pair. Blocks of one source under one rule set share a subject.
    fn subjects(&self) -> Vec<Arc<Subject>> {
        let mut made: BTreeMap<(usize, &str), Arc<Subject>> = BTreeMap::new();
        let subjects = self.partners.iter().map(|partners| {
            let block = &self.blocks[partners.block];
            let place = Arc::as_ptr(&block.source).addr();
            let subject = made.entry((place, &block.layout.rules)).or_insert_with(|| Arc::new(subject_of(block)));
            Arc::clone(subject)
        });
        subjects.collect()
    }

    /// The results of a pair from its records. Records without a reading count only if no record
    /// has one; they give the reasons.
    fn proofs<'r>(
        &self,
        pair: &CheckedPair,
        partners: &PairPartners,
        records: impl Iterator<Item = &'r CheckRecord>,
    ) -> Vec<PairProof> {
        let block = &self.blocks[partners.block];
        let Ok(root) = &block.layout.result else { return Vec::new() };
        let parts = block_parts(&block.layout, root);
        let Some(part) = parts.get(partners.part) else { return Vec::new() };
        let renames = block.renames_in(part);
        let options = self.rules.comparisons.options(block, &renames);
        let shader = ShaderBlock { layout: &block.layout, part, places: &block.places };

        let proofs = records.filter_map(|record| {
            let CheckDevice { id, runner } = record.id.device.clone()?;
            let observed = observed_leaves(record, &block.layout.name);
            let not_read = || record.outcome.reasons().cloned().map_or(NotRead::NoShader, NotRead::Because);
            Some(PairProof {
                device: id,
                runner,
                producer: record.id.producer.to_string(),
                result: if observed.is_empty() {
                    Err(not_read())
                } else {
                    Ok(arrivals(shader, &partners.host, options, &pair.comparison, &observed))
                },
            })
        });
        let proofs: Vec<PairProof> = proofs.collect();
        if proofs.iter().any(|proof| proof.result.is_ok()) {
            return proofs.into_iter().filter(|proof| proof.result.is_ok()).collect();
        }
        proofs
    }
}

/// The source of a block, under the rule set that was compared.
fn subject_of(block: &TargetBlock) -> Subject {
    match (&*block.source, find(&block.layout.rules)) {
        (BlockSource::Declared(source), Some(rules)) => Subject::new(Arc::clone(source), rules),
        // Only a module declares its own offsets.
        (BlockSource::Declared(_), None) => Subject::declared(&block.shader, vec![block.layout.clone()], None),
        (BlockSource::Module { file, blocks }, _) => Subject::declared(file, blocks.clone(), None),
        (BlockSource::Compiled { blocks, .. }, _) => Subject::declared(&block.shader, blocks.clone(), None),
    }
}

/// The distinct subjects.
fn distinct(subjects: &[Arc<Subject>]) -> Vec<Arc<Subject>> {
    let mut all: Vec<Arc<Subject>> = Vec::new();
    for subject in subjects {
        if !all.iter().any(|known| Arc::ptr_eq(known, subject)) {
            all.push(Arc::clone(subject));
        }
    }
    all
}

fn device_record(check: &DeviceCheck, record: CheckRecord) -> Option<DeviceRecord> {
    match check {
        DeviceCheck::Bytes(check) => Some(DeviceRecord { subject: Arc::clone(&check.subject), record }),
        DeviceCheck::Bindings(_) => None,
    }
}

/// The leaves of a block that a device read, without duplicates.
fn observed_leaves(record: &CheckRecord, block: &str) -> Vec<ObservedLeaf> {
    let read = record.rows.iter().filter(|row| {
        row.what == Quantity::Offset
            && row.direction() == Some(Direction::Read)
            && (row.witnesses.observed.is_some() || row.note.is_some())
    });
    let leaves: BTreeSet<ObservedLeaf> = read
        .filter_map(|row| {
            let path = row.path.strip_prefix(block)?;
            let path = path.strip_prefix('.').or(Some(path).filter(|path| path.is_empty() || path.starts_with('[')))?;
            let offset = row.witnesses.observed.as_ref().and_then(RecordValue::number);
            Some(ObservedLeaf { path: path.to_owned(), offset })
        })
        .collect();
    leaves.into_iter().collect()
}

/// `Agree` if a device read a leaf, otherwise an error and `NothingSelected` (4).
fn exit_of(check: &HostCheck) -> Exit {
    let proofs = || check.pairs.iter().flat_map(|pair| &pair.proofs);
    if proofs().any(|proof| proof.result.is_ok()) {
        return Exit::Agree;
    }
    warn("error: nothing was proved: no device read a block that has a host struct\n");
    Exit::NothingSelected
}
