//! The account of a run of files: their blocks, parameters and targets, and what devices read of them.
//!
//! Cases have none: each names its claim, and floors say how much of them a device must read.

use std::collections::BTreeSet;

use layoutproof_device::RunnerKind;
use layoutproof_events::producer::{Generator, Producer};
use layoutproof_events::{
    Account, AccountEntry, AccountState, BlockReading, CheckRecord, FoundKind, NotCompared, Reason,
};
use layoutproof_layout::Span;
use layoutproof_layout::native::Native;
use layoutproof_readers::toolchain::Input;
use layoutproof_show::{CompilerRefusal, accounts};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::args::RunArgs;
use crate::select::driver_blocks::DriverBlocks;
use crate::select::lists::takes_every_access;
use crate::select::run_config::{RunConfig, uses_compilers};
use crate::select::selection::{FoundFile, Selection};
use crate::select::shipping::{FileChecks, ShippedTarget};

/// The account of a run with these records; `None` for a run of cases alone.
pub(crate) fn of_run(
    selection: &Selection,
    config: &RunConfig,
    args: &RunArgs,
    records: &[CheckRecord],
) -> Option<Account> {
    // A list names single checks.
    if (selection.files.is_empty() && selection.unread.is_empty()) || args.part.caselist.is_some() {
        return None;
    }
    let mut entries = selection.unread.clone();
    for file in &selection.files {
        let own = records.iter().filter(|record| record.id.case == file.id).collect();
        FileAccount { selection, config, args, file, records: own }.add_to(&mut entries);
    }
    Some(Account { entries })
}

struct FileAccount<'a> {
    selection: &'a Selection,
    config: &'a RunConfig,
    args: &'a RunArgs,
    file: &'a FoundFile,
    records: Vec<&'a CheckRecord>,
}

impl FileAccount<'_> {
    fn add_to(&self, entries: &mut Vec<AccountEntry>) {
        let Self { args, file, .. } = *self;
        match &file.checks {
            _ if !args.translators().is_empty() => self.add_translations(entries),
            FileChecks::Targets { targets, excluded } if uses_compilers(args) => {
                for native in targets {
                    self.add_target(native, entries);
                }
                let option = if args.placement.target.is_empty() { "--compiler" } else { "--target" };
                for native in excluded {
                    let why = NotCompared::Excluded { option: option.to_owned() };
                    entries.push(self.entry(
                        FoundKind::Target,
                        &native.column.to_string(),
                        None,
                        AccountState::not_compared(why),
                    ));
                }
                self.add_blocks_of_no_target(entries);
            }
            FileChecks::Targets { .. } | FileChecks::Generated => {
                let is_asked = args.placement.convention.is_empty() || !args.rules.is_empty();
                // A user who names producers does not ask those of the language.
                let refused = file.refused_by.as_ref().filter(|_| args.producer.is_empty());
                let refused = refused.map(|CompilerRefusal { compiler, message }| NotCompared::Refused {
                    compiler: compiler.clone(),
                    message: message.clone(),
                    option: None,
                });
                for block in file.blocks.iter().filter(|_| is_asked) {
                    let readings = self.readings(block, |record| self.is_of_the_language(record));
                    let misread =
                        file.misread.get(block).map(|message| NotCompared::Uncertain { message: message.clone() });
                    let state = match refused.as_ref().or(misread.as_ref()) {
                        Some(why) => AccountState::not_compared(why.clone()),
                        None => self.state(&readings),
                    };
                    entries.push(self.entry(FoundKind::Block, block, self.place_of_block(block), state));
                }
            }
        }
        for (kind, view) in &file.views {
            let state = AccountState::not_compared(NotCompared::NoProbe);
            entries.push(self.entry(*kind, view, None, state));
        }
        for (block, state) in file.driver_blocks.iter().flat_map(DriverBlocks::states) {
            entries.push(self.entry(FoundKind::Block, block, None, state));
        }
        self.add_others(entries);
    }

    /// Adds a target, and the blocks that its compiler makes.
    fn add_target(&self, native: &'static Native, entries: &mut Vec<AccountEntry>) {
        let target = native.column.to_string();
        let whole = |state| self.entry(FoundKind::Target, &target, None, state);
        let shipped = self.config.shipped.iter().find(|shipped| shipped.native == native);
        let Some(ShippedTarget { toolchain: Some(toolchain), .. }) = shipped else {
            return entries.push(whole(AccountState::not_compared(NotCompared::NoCompiler)));
        };
        let source = self.file.source.iter();
        let blocks: Vec<&str> = source
            .flat_map(|source| &source.module.blocks)
            .filter(|block| native.rules(block).is_some())
            .map(|block| block.name.as_str())
            .collect();
        let is_own = |record: &CheckRecord| record.id.producer.producer() == Some(Producer::Compiler(toolchain));
        if !blocks.is_empty() && !self.records.iter().any(|record| is_own(record)) {
            return entries.push(whole(AccountState::not_compared(self.no_device())));
        }
        for block in blocks {
            let state = self.state(&self.readings(block, is_own));
            let entry = self.entry(FoundKind::Block, block, self.place_of_block(block), state);
            entries.push(AccountEntry { target: Some(target.clone()), ..entry });
        }
    }

    /// Adds the blocks that no compiler of the targets makes.
    fn add_blocks_of_no_target(&self, entries: &mut Vec<AccountEntry>) {
        // A file may be read once for some of its targets and once for others.
        let readings = self.selection.files.iter().filter(|reading| reading.id == self.file.id);
        let targets: Vec<&Native> = readings.flat_map(|reading| reading.checks.targets().iter().copied()).collect();
        let blocks = self.file.source.iter().flat_map(|source| &source.module.blocks);
        for block in blocks.filter(|block| !targets.iter().any(|native| native.rules(block).is_some())) {
            let message = "no compiler of these targets is known to make such a block".to_owned();
            let state = AccountState::not_compared(NotCompared::NoLayout { message });
            entries.push(self.entry(FoundKind::Block, &block.name, Some(block.span), state));
        }
    }

    /// Adds each block with each translator.
    fn add_translations(&self, entries: &mut Vec<AccountEntry>) {
        for toolchain in self.config.chosen_toolchains() {
            let is_of = |record: &CheckRecord| record.id.producer.producer() == Some(Producer::Compiler(toolchain));
            for block in &self.file.blocks {
                let state = self.state(&self.readings(block, is_of));
                let name = format!("{block} through {toolchain}");
                entries.push(self.entry(FoundKind::Block, &name, self.place_of_block(block), state));
            }
        }
    }

    /// Adds the parameters without bytes, which are read where the user asks for bindings, and the memory that no probe
    /// reads.
    fn add_others(&self, entries: &mut Vec<AccountEntry>) {
        let Some(source) = &self.file.source else { return };
        let bound: Vec<&&CheckRecord> = self.records.iter().filter(|record| record.bound.is_some()).collect();
        let is_read = |name: &str| {
            let rows = bound.iter().flat_map(|record| &record.rows);
            let mut read = rows.filter(|row| row.witnesses.observed.is_some());
            read.any(|row| {
                row.path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            })
        };
        let others = accounts::besides_blocks(&source.module, &self.file.id, &self.selection.sources);
        entries.extend(others.into_iter().map(|other| match (other.kind, self.args.bindings) {
            (FoundKind::Parameter, true) if is_read(&other.name) => {
                AccountEntry { state: AccountState::Compared, ..other }
            }
            (FoundKind::Parameter, true) => {
                let not_read =
                    bound.iter().filter_map(|record| record.bound.as_ref()).flat_map(|it| it.not_read.keys());
                let causes: BTreeSet<Reason> = not_read.cloned().collect();
                let why = NotCompared::NotRead { causes: causes.into_iter().collect() };
                AccountEntry { state: AccountState::not_compared(why), ..other }
            }
            _ => other,
        }));
    }

    /// What checks read of a block. The model follows the shader by definition, so it counts only where the user names
    /// it alone.
    fn readings<'r>(&'r self, block: &str, is_meant: impl Fn(&CheckRecord) -> bool) -> Vec<&'r BlockReading> {
        let is_device = |record: &CheckRecord| {
            let runner = record.id.device.as_ref().map(|device| device.runner);
            runner.is_some_and(|runner| runner != RunnerKind::Model) || !self.config.has_devices()
        };
        let meant = self.records.iter().filter(|record| is_meant(record) && is_device(record));
        meant.flat_map(|record| &record.blocks).filter(|reading| reading.block == *block).collect()
    }

    /// True if a check is about a target of the file's language. Our SPIR-V for a text of WGSL shows nothing about
    /// WebGPU.
    fn is_of_the_language(&self, record: &CheckRecord) -> bool {
        let is_wgsl = self.file.language == Some(ShaderLanguage::Wgsl);
        // The model takes our SPIR-V alone.
        if !is_wgsl || !self.args.producer.is_empty() || !self.config.has_devices() {
            return true;
        }
        match record.id.producer.producer() {
            Some(Producer::Generator(generator)) => generator == Generator::Naga,
            Some(Producer::Compiler(toolchain)) => toolchain.input == Input::Wgsl,
            None => false,
        }
    }

    /// Why no device runs the code of a target: the user may have left its devices out.
    fn no_device(&self) -> NotCompared {
        let RunArgs { device, runner, .. } = self.args;
        let option = [("--device", device), ("--api", runner)].into_iter().find(|(_, named)| !named.is_empty());
        option.map_or(NotCompared::NoDevice, |(option, _)| NotCompared::Excluded { option: option.to_owned() })
    }

    /// The state of a block. Forms of access that the user leaves out may leave leaves out too.
    fn state(&self, readings: &[&BlockReading]) -> AccountState {
        match state(readings) {
            AccountState::InPart { why: NotCompared::NotRead { .. }, .. }
            | AccountState::NotCompared { why: NotCompared::NotRead { .. } }
                if !takes_every_access(self.args) =>
            {
                AccountState::not_compared(NotCompared::Excluded { option: "--form, --space or --stage".to_owned() })
            }
            other => other,
        }
    }

    fn place_of_block(&self, name: &str) -> Option<Span> {
        let blocks = self.file.source.iter().flat_map(|source| &source.module.blocks);
        blocks.filter(|block| block.name == name).map(|block| block.span).next()
    }

    fn entry(&self, kind: FoundKind, name: &str, span: Option<Span>, state: AccountState) -> AccountEntry {
        let sources = &self.selection.sources;
        // Includes have lines of their own.
        let is_own = |span: &Span| sources.file(span.file).name == self.file.id;
        let line = span.filter(is_own).map(|span| sources.position(span).line);
        AccountEntry { kind, name: name.to_owned(), file: self.file.id.clone(), line, target: None, state }
    }
}

/// What several checks together say about a block: each leaf needs one device that read it.
fn state(readings: &[&BlockReading]) -> AccountState {
    let causes: BTreeSet<Reason> = readings.iter().flat_map(|reading| &reading.reasons).cloned().collect();
    let causes: Vec<Reason> = causes.into_iter().collect();
    let refusal = causes.iter().find_map(|cause| match cause {
        Reason::RefusedBy { compiler, message, option } => {
            Some(NotCompared::Refused { compiler: compiler.clone(), message: message.clone(), option: option.clone() })
        }
        _ => None,
    });
    let why = || refusal.clone().unwrap_or_else(|| NotCompared::NotRead { causes: causes.clone() });
    let Some(most) = readings.iter().map(|reading| reading.leaves).max() else {
        return AccountState::not_compared(why());
    };
    let of_all = readings.iter().filter(|reading| reading.leaves == most);
    let unread = of_all.clone().map(|reading| reading.unread.clone());
    let unread = unread.reduce(|one, other| one.intersection(&other).cloned().collect()).unwrap_or_default();
    let has_no_layout = most == 0 && of_all.clone().all(|reading| !reading.reasons.is_empty());
    match unread.len() as u64 {
        0 if has_no_layout => AccountState::not_compared(why()),
        0 => AccountState::Compared,
        missing if missing == most => AccountState::not_compared(why()),
        missing => AccountState::InPart { leaves: most - missing, of: most, why: why() },
    }
}
