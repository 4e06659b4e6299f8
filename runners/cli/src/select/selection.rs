//! The subjects of a run: cases and files under the rule sets, conventions and compilers that the
//! user chose.
//!
//! [`select`] builds a [`Selection`] from the words of the command line, or collects every problem in
//! them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use layoutproof_bindings::Convention;
use layoutproof_core::case::{By, Case};
use layoutproof_core::check::binding_shaders::producer_for;
use layoutproof_core::check::{BindingCheck, Proof, Source, Subject};
use layoutproof_device::DeviceInfo;
use layoutproof_events::producer::Producer;
use layoutproof_events::{AccountEntry, AccountState, FoundKind, NotCompared};
use layoutproof_inputs::all_cases::Cases;
use layoutproof_inputs::inputs::{InputWord, check_filter, hashes};
use layoutproof_inputs::named_compiler::NamedCompiler;
use layoutproof_inputs::refused_input::{FirstProblem, RefusedInput, first_problem};
use layoutproof_inputs::rule_set::rule_choices;
use layoutproof_inputs::shader_file::{ShaderFile, inside_of_project};
use layoutproof_layout::native::{Native, find_native};
use layoutproof_layout::{BlockLayout, Reach, RuleChoice, RuleSet, ShaderTarget, Span, StageData, find, table};
use layoutproof_readers::toolchain::{AppliedRules, RULES_TO_TRANSLATE, Toolchain};
use layoutproof_show::accounts::reach_kind;
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::{CompilerRefusal, InputContent, overlap_warnings};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_source::stable_hash::stable_hash;

use crate::args::RunArgs;
use crate::args::placement::{NamedConvention, check_profile};
use crate::select::driver_blocks::DriverBlocks;
use crate::select::run_config::uses_compilers;
use crate::select::run_part::RunPart;
use crate::select::shipping::{FileChecks, makers};

#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Cases and files, each under one rule set.
    pub subjects: Vec<Arc<Subject>>,
    /// Cases and files, each with its parameters placed by one convention; no cases if the user
    /// names rule sets.
    pub placed: Vec<BindingCheck>,
    pub cases: usize,
    pub warnings: Vec<Diagnostic>,
    /// The problems of the files that cannot be read.
    pub problems: Vec<Diagnostic>,
    pub sources: SourceMap,
    /// Name and hash of every selected text, of all shards.
    pub texts: String,
    pub part: RunPart,
    /// The user's files, in the order of the command line.
    pub files: Vec<FoundFile>,
    /// Those that cannot be read.
    pub unread: Vec<AccountEntry>,
}

/// A user's file, and what it has.
#[derive(Debug)]
pub(crate) struct FoundFile {
    /// Its name, which is the id of its subjects.
    pub id: String,
    pub language: Option<ShaderLanguage>,
    pub checks: FileChecks,
    /// The declarations; `None` for a file that fixes its offsets.
    pub source: Option<Arc<Source>>,
    /// The names of its blocks.
    pub blocks: Vec<String>,
    /// Those of them that code may read at wrong addresses, with the reason.
    pub misread: BTreeMap<String, String>,
    /// The memory of a module that code reaches without a declared block, which no probe reads.
    pub views: Vec<(FoundKind, String)>,
    /// Its blocks that an OpenGL driver lays out; `None` for other files.
    pub driver_blocks: Option<DriverBlocks>,
    /// The compiler of the language that refuses it.
    pub refused_by: Option<CompilerRefusal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceUse {
    /// Not at all.
    None,
    /// Devices prove placements that are also checked without them.
    Optional,
    /// Without a device, a part of the selection is not checked at all.
    Required,
}

impl Selection {
    /// The ids of everything read so far.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        let subjects = self.subjects.iter().map(|subject| subject.source.id.as_str());
        subjects.chain(self.placed.iter().map(|placed| placed.source.id.as_str()))
    }

    /// The selection, or all problems of its files.
    fn all_read(self) -> anyhow::Result<Self> {
        if self.problems.is_empty() {
            return Ok(self);
        }
        let Self { mut problems, sources, .. } = self;
        problems.sort_by_key(|problem| (problem.span().file, problem.span().start));
        Err(RefusedInput { diagnostics: problems, sources }.into())
    }

    /// Hashes the texts that a run reads, the selection and `known_text` (the lists of known
    /// differences), as hexadecimal digits. All shards of a run have the same hash.
    pub(crate) fn hash(&self, known_text: &str) -> String {
        format!("{:016x}", stable_hash(&format!("{}{known_text}", self.texts)))
    }

    /// How the selection uses devices. A binding with an expected place is checked against the
    /// rules even without a device.
    pub(crate) fn device_use(&self) -> DeviceUse {
        if !self.subjects.is_empty()
            || self.asks_drivers()
            || self.placed.iter().any(|placed| producer_for(placed.request.target).is_some())
        {
            return DeviceUse::Required;
        }
        let mut device_use = DeviceUse::None;
        for placed in self.placed.iter().filter(|placed| Proof::of_registers(placed).is_some()) {
            if placed.expected.is_none() {
                return DeviceUse::Required;
            }
            device_use = DeviceUse::Optional;
        }
        device_use
    }

    /// True if a driver lays out blocks of a file.
    pub(crate) fn asks_drivers(&self) -> bool {
        self.files.iter().any(|file| file.driver_blocks.is_some())
    }

    /// True if the account says something about a file for which there is no check: it has memory that no probe reads, or
    /// that a driver lays out.
    pub(crate) fn is_accounted_for(&self) -> bool {
        let views = |file: &FoundFile| {
            !file.views.is_empty() || file.source.as_ref().is_some_and(|source| !source.module.views.is_empty())
        };
        self.asks_drivers() || self.files.iter().any(views)
    }

    /// Asks the drivers of these devices for the layouts that only they know.
    pub(crate) fn ask_drivers(&mut self, devices: &[DeviceInfo]) {
        self.files.iter_mut().filter_map(|file| file.driver_blocks.as_mut()).for_each(|blocks| blocks.ask(devices));
    }

    /// The subjects of a source, which are added together, if it was added last.
    fn subjects_of(&self, source: &Arc<Source>) -> &[Arc<Subject>] {
        let others = self.subjects.iter().rposition(|subject| !Arc::ptr_eq(&subject.source, source));
        &self.subjects[others.map_or(0, |last| last + 1)..]
    }
}

/// Reads and lays out everything that the words name.
///
/// # Errors
/// [`RefusedInput`] with every problem, or an error if something cannot be read.
pub(crate) fn select(args: &RunArgs, toolchains: &[&'static Toolchain]) -> anyhow::Result<Selection> {
    select_part(args, RunPart::of(&args.part)?, toolchains)
}

/// Like [`select`], but files that cannot be read do not keep the others from being checked.
///
/// # Errors
/// As those of [`select`] if a case has problems, or if nothing is left.
pub(crate) fn select_readable(args: &RunArgs, toolchains: &[&'static Toolchain]) -> anyhow::Result<Selection> {
    let selection = read_selection(args, RunPart::of(&args.part)?, toolchains)?;
    if selection.subjects.is_empty() && selection.placed.is_empty() { selection.all_read() } else { Ok(selection) }
}

/// Like [`select`], for one part of the run; cases of other parts are not read.
pub(crate) fn select_part(
    args: &RunArgs,
    part: RunPart,
    toolchains: &[&'static Toolchain],
) -> anyhow::Result<Selection> {
    read_selection(args, part, toolchains)?.all_read()
}

fn read_selection(args: &RunArgs, part: RunPart, toolchains: &[&'static Toolchain]) -> anyhow::Result<Selection> {
    let words: Vec<InputWord> = args.inputs.iter().map(|word| InputWord::of(word, args.declare.lang)).collect();
    let only_modules = !words.is_empty() && words.iter().all(InputWord::fixes_offsets);
    let rules = if only_modules { Vec::new() } else { rule_choices(&args.rules)? };
    let mut selecting = Selecting { args, rules, toolchains, selection: Selection::default(), problems: Vec::new() };

    let mut cases = Cases::load(&args.declare.cases)?;
    let mut ids = Vec::new();
    for word in words {
        match word {
            InputWord::Shader(file) => {
                file.check_rules(&args.rules)?;
                selecting.add_file(&file)?;
            }
            InputWord::CaseFile(path) => ids.push(cases.add_file(&path)?),
            InputWord::Filter(filter) => {
                check_filter(&filter)?;
                ids.extend(cases.matching(&[filter]));
            }
        }
    }
    if args.inputs.is_empty() {
        ids = cases.matching(&[]);
    }
    ids.sort();
    ids.dedup();

    let selection = &mut selecting.selection;
    part.check(ids.iter().map(String::as_str).chain(selection.ids()))?;
    // Computed before filtering, so that it is the same for every shard.
    selection.texts = hashes(selection.sources.files()) + &cases.hashes(&ids);
    ids.retain(|id| part.takes_case(id));
    selection.subjects.retain(|subject| part.takes_case(&subject.source.id));
    selection.placed.retain(|placed| part.takes_case(&placed.source.id));
    selection.files.retain(|file| part.takes_case(&file.id));
    selection.unread.retain(|file| part.takes_case(&file.name));
    selection.part = part;

    for case in cases.read(&ids, &mut selection.sources, &mut selecting.problems) {
        selecting.add_case(&case);
    }

    let Selecting { mut selection, problems, .. } = selecting;
    if problems.is_empty() {
        return Ok(selection);
    }
    selection.problems.extend(problems);
    selection.all_read()
}

/// A file with this problem, which may be in a file that it includes.
pub(crate) fn unread_file(name: &str, problem: FirstProblem) -> AccountEntry {
    let FirstProblem { text, message, place, .. } = problem;
    let line = place.filter(|place| place.file == name).and_then(|place| place.line);
    let message = line.map_or(text, |line| format!("line {line}: {message}"));
    AccountEntry {
        kind: FoundKind::File,
        name: name.to_owned(),
        file: name.to_owned(),
        line,
        target: None,
        state: AccountState::not_compared(NotCompared::Unread { message }),
    }
}

/// A selection in the making, with the user's choices and the problems so far.
struct Selecting<'a> {
    args: &'a RunArgs,
    /// The rule sets that the user names.
    rules: Vec<RuleChoice>,
    /// The compilers whose own rule sets are checked too.
    toolchains: &'a [&'static Toolchain],
    selection: Selection,
    problems: Vec<Diagnostic>,
}

impl Selecting<'_> {
    fn add_file(&mut self, file: &ShaderFile) -> anyhow::Result<()> {
        check_profile(self.args.placement.profile.as_deref())?;
        self.add_checks(file, FileChecks::of(self.args, file)?)
    }

    /// Adds a file for these checks. One that asks for `__spirv__` is read once for each value that its targets have.
    fn add_checks(&mut self, file: &ShaderFile, checks: FileChecks) -> anyhow::Result<()> {
        let Self { args, selection, .. } = self;
        let profile = args.placement.profile.as_deref();
        let language = file.front_end.language();
        let first = selection.sources.files().len();
        let declare = match checks.defines_spirv() {
            Some(is_defined) => args.declare.with_spirv(is_defined),
            None => args.declare.clone(),
        };
        let read = file.read(&declare, profile, Purpose::Layouts, &mut selection.sources)?;
        inside_of_project(&file.path, &args.declare, &selection.sources.files()[first..])?;
        let is_split = !checks.targets().is_empty()
            && checks.defines_spirv().is_none()
            && declare.asks_for_spirv(&selection.sources.files()[first..]);
        match read {
            Ok(InputContent::Declared(_)) if is_split => {
                for part in checks.by_spirv() {
                    self.add_checks(file, part)?;
                }
            }
            Ok(InputContent::Declared(declared)) => {
                let source = Source::of_declarations(*declared, &selection.sources);
                let assumes_sixteen_bit = args.declare.sixteen_bit.is_none();
                self.add_declarations(Source { assumes_sixteen_bit, ..source }, language, checks)?;
            }
            Ok(InputContent::LaidOut(laid_out)) => {
                selection.warnings.extend(laid_out.warnings);
                let text = selection.sources.files().get(first).filter(|_| language == Some(ShaderLanguage::Wgsl));
                let wgsl = laid_out.linked.or_else(|| text.map(|file| file.text.clone()));
                let id = file.path.display().to_string();
                let (of_driver, own): (Vec<_>, Vec<_>) =
                    laid_out.blocks.into_iter().partition(BlockLayout::is_left_to_driver);
                let (views, own): (Vec<_>, Vec<_>) = own.into_iter().partition(|block| block.reach.is_in_code());
                let blocks = own.iter().map(|block| block.name.clone()).collect();
                let misread =
                    own.iter().filter_map(|block| Some((block.name.clone(), block.broken_access()?.to_owned())));
                let misread = misread.collect();
                let views = views.into_iter().filter(|view| view.reach != Reach::Stage(StageData::WorkgroupMemory));
                let views = views.map(|view| (reach_kind(&view.reach), view.name)).collect();
                if !own.is_empty() {
                    let subject = Subject::declared(&id, own, wgsl).made_by(self.other_makers());
                    self.selection.subjects.push(Arc::new(subject));
                }
                let for_driver = laid_out.for_driver.filter(|_| !of_driver.is_empty());
                let driver_blocks = for_driver.map(|text| DriverBlocks::new(text, of_driver));
                let (source, refused_by) = (None, laid_out.refused_by);
                let found =
                    FoundFile { id, language, checks, source, blocks, misread, views, driver_blocks, refused_by };
                self.selection.files.push(found);
            }
            Err(found) => {
                let name = file.path.display().to_string();
                selection.unread.push(unread_file(&name, first_problem(&name, &found, &selection.sources)));
                selection.problems.extend(found);
            }
        }
        Ok(())
    }

    /// The makers of shaders for cases and for files that no compiler of a target reads: next to files for targets, the
    /// producers that the user names, or our own.
    fn other_makers(&self) -> Option<Vec<Producer>> {
        let is_mixed = self.args.producer.is_empty() && self.args.translators().is_empty() && self.args.names_files();
        is_mixed.then(|| Producer::BUILT_IN.to_vec())
    }

    /// Adds a user's declarations under the rule sets of its targets, or those that the user names, or all. With
    /// `--bindings`, also places the parameters by the conventions.
    fn add_declarations(
        &mut self,
        source: Source,
        language: Option<ShaderLanguage>,
        checks: FileChecks,
    ) -> anyhow::Result<()> {
        self.selection.warnings.extend(source.module.warnings.iter().cloned());
        let source = Arc::new(source);
        if self.args.bindings {
            self.place(&source, language)?;
        }

        match &checks {
            FileChecks::Targets { targets, .. } => self.add_for_targets(&source, targets),
            FileChecks::Generated => self.add_under_rules(&source, language)?,
        }
        let subjects = self.selection.subjects_of(&source).iter();
        let layouts = subjects.map(|subject| (subject.rules, subject.layouts.as_slice()));
        let warnings = overlap_warnings(&source.module.blocks, layouts);
        self.selection.warnings.extend(warnings);
        let blocks = source.module.blocks.iter().map(|block| block.name.clone()).collect();
        let id = source.id.clone();
        let (misread, views) = (BTreeMap::new(), Vec::new());
        let (source, driver_blocks, refused_by) = (Some(source), None, None);
        let found = FoundFile { id, language, checks, source, blocks, misread, views, driver_blocks, refused_by };
        self.selection.files.push(found);
        Ok(())
    }

    fn place(&mut self, source: &Arc<Source>, language: Option<ShaderLanguage>) -> anyhow::Result<()> {
        for request in self.args.placement.requests(&source.invocation, language)? {
            let placed = BindingCheck::new(Arc::clone(source), request);
            match &placed.bound {
                Ok(bound) => self.selection.warnings.extend(bound.warnings.iter().cloned()),
                Err(refusals) => self.problems.extend(refusals.iter().cloned()),
            }
            self.selection.placed.push(placed);
        }
        Ok(())
    }

    /// Adds a file under the rule sets of these targets. Their compilers make the shaders; if the user excludes
    /// compilers, we do.
    fn add_for_targets(&mut self, source: &Arc<Source>, targets: &[&'static Native]) {
        let is_translated = !self.args.translators().is_empty();
        let makers = if is_translated {
            self.toolchains.iter().copied().map(Producer::Compiler).collect()
        } else if uses_compilers(self.args) {
            makers(targets, self.toolchains)
        } else {
            Producer::BUILT_IN.to_vec()
        };
        // Translators read SPIR-V; a compiler that goes through a text has rules of its own.
        let targets = targets.iter().filter(|native| !is_translated || native.column.target == ShaderTarget::Vulkan);
        let of_texts = self.toolchains.iter().filter_map(|toolchain| match toolchain.follows {
            AppliedRules::Native(name) if is_translated => find_native(name),
            _ => None,
        });
        let choices: Vec<RuleChoice> = targets.copied().chain(of_texts).map(RuleChoice::Native).collect();
        for rules in rules_of_choices(&choices, source) {
            let subject = Subject::new(Arc::clone(source), rules).made_by(Some(makers.clone()));
            self.selection.subjects.push(Arc::new(subject));
        }
    }

    /// Adds a file under the rule sets that the user names, or under all bare ones.
    fn add_under_rules(&mut self, source: &Arc<Source>, language: Option<ShaderLanguage>) -> anyhow::Result<()> {
        let choices = self.choices(language)?;
        let named = rules_of_choices(&choices, source);
        for rules in &named {
            let subject = Subject::new(Arc::clone(source), rules);
            self.refuse_forbidden(&subject);
            self.selection.subjects.push(Arc::new(subject));
        }
        if choices.is_empty() && self.args.placement.target.is_empty() {
            for rules in table().iter().filter(|rules| rules.is_bare()) {
                self.selection.subjects.push(Arc::new(Subject::new(Arc::clone(source), rules)));
            }
        }
        self.add_native(source, &choices, &named);
        Ok(())
    }

    /// Adds a source under the rule sets that the compilers use for its blocks, except those that
    /// it is already under. `named` are the rule sets that the user names for it.
    fn add_native(&mut self, source: &Arc<Source>, choices: &[RuleChoice], named: &[&'static RuleSet]) {
        for toolchain in self.toolchains {
            for block in &source.module.blocks {
                // Only cases test loads from byte-address buffers: a file with structured buffers
                // may have none.
                let by_address = toolchain.byte_address_rules(block).filter(|_| source.is_case);
                for rules in toolchain.rules_for(block).into_iter().chain(by_address) {
                    let is_chosen = choices.is_empty() || named.contains(&rules);
                    let mut known = self.selection.subjects_of(source).iter();
                    if is_chosen && !known.any(|subject| subject.rules == rules.name) {
                        let subject = Subject { is_native: true, ..Subject::new(Arc::clone(source), rules) };
                        self.selection.subjects.push(Arc::new(subject));
                    }
                }
            }
        }
    }

    fn add_case(&mut self, case: &Case) {
        self.selection.cases += 1;
        let source = match Source::of_case(case, &mut self.selection.sources) {
            Ok(Some(source)) => Arc::new(source),
            Ok(None) => return,
            Err(found) => return self.problems.extend(found),
        };

        for placed in BindingCheck::all(&source) {
            self.problems.extend(placed.problems());
            if self.rules.is_empty() && placed.expected.is_some() && self.takes(&placed) {
                self.selection.placed.push(placed);
            }
        }

        let choices = match self.choices(None) {
            Ok(choices) => choices,
            Err(error) => {
                return self.problems.push(Diagnostic::error(Code::UnknownRules, Span::default(), error.to_string()));
            }
        };
        let has_target = !self.args.placement.target.is_empty();
        let is_translated = !self.args.translators().is_empty();
        let named = rules_of_choices(&choices, &source);
        for (index, (name, span)) in rules_of(&source).into_iter().enumerate() {
            let Some(rules) = find(name) else {
                let message = format!("case {}: no rule set is called `{name}`", case.id);
                self.problems.push(Diagnostic::error(Code::UnknownRules, span, message));
                continue;
            };
            // Modules for translators have the offsets of a few rule sets; those of a language have their own.
            let is_native = choices.is_empty() && is_translated && !RULES_TO_TRANSLATE.contains(&rules.name);
            let subject = Subject { is_native, ..Subject::new(Arc::clone(&source), rules) };
            self.problems.extend(subject.problems());
            let is_chosen = named.contains(&rules) || (choices.is_empty() && !has_target);
            if is_chosen && index < source.expect.len() {
                self.selection.subjects.push(Arc::new(subject.made_by(self.other_makers())));
            }
        }
        if !source.expect.is_empty() && (!has_target || !choices.is_empty()) {
            self.add_native(&source, &choices, &named);
        }
    }

    /// True if the user selects this placement of a case. Without a target, all are selected.
    fn takes(&self, placed: &BindingCheck) -> bool {
        let placement = &self.args.placement;
        if placement.target.is_empty() {
            return true;
        }
        let request = &placed.request;
        let target = ShaderTarget::from(request.target);
        let is_compiler = |named: &NamedCompiler| Convention::of(named.name.compiler) == Some(request.convention);
        let is_convention = |NamedConvention { convention, version }: &NamedConvention| {
            (*convention, version) == (request.convention, &request.version)
        };
        let (conventions, compilers) = (&placement.convention, &placement.compilers);
        placement.target.iter().any(|choice| choice.target == target)
            && (conventions.is_empty() || conventions.iter().any(is_convention))
            && (compilers.is_empty() || compilers.iter().any(is_compiler))
    }

    /// The rule sets that the user names, or those of the targets that the user names.
    fn choices(&self, language: Option<ShaderLanguage>) -> anyhow::Result<Vec<RuleChoice>> {
        let placement = &self.args.placement;
        // Of `--compiler` alone, all rule sets are checked.
        if self.rules.is_empty() && placement.selects_columns() && !placement.target.is_empty() {
            return Ok(placement.column_choices(language)?.into_iter().map(|column| column.choice).collect());
        }
        Ok(self.rules.clone())
    }

    /// Adds an error for each block that a rule set named for it forbids. A compiler's choice names
    /// only the rule set of the block.
    fn refuse_forbidden(&mut self, subject: &Subject) {
        for block in &subject.source.module.blocks {
            let is_named = |choice: &RuleChoice| choice.rules(block).is_some_and(|rules| rules.name == subject.rules);
            let Err(refusals) = &subject.layout(block.view).result else { continue };
            if !self.rules.iter().any(is_named) {
                continue;
            }
            for refusal in refusals {
                let path = layoutproof_layout::join(&block.name, &refusal.path);
                let message = format!("{} forbids `{path}`: {}", subject.rules, refusal.message);
                self.problems.push(Diagnostic::error(Code::RuleForbids, block.span, message));
            }
        }
    }
}

/// The rule sets of choices for a source. A compiler's choice selects the rule sets of the source's
/// blocks.
fn rules_of_choices(choices: &[RuleChoice], source: &Source) -> Vec<&'static RuleSet> {
    let mut found: Vec<&'static RuleSet> = Vec::new();
    for choice in choices {
        let rules: Vec<&'static RuleSet> = match choice {
            // A file without blocks is still checked, and reported to have none.
            RuleChoice::Rules(rules) => vec![rules],
            RuleChoice::Native(native) => source.module.blocks.iter().filter_map(|block| native.rules(block)).collect(),
        };
        for rules in rules {
            if !found.contains(&rules) {
                found.push(rules);
            }
        }
    }
    found
}

/// The distinct rule sets that a case names: first those with expected numbers, then those that
/// must refuse or warn.
fn rules_of(source: &Source) -> Vec<(&str, Span)> {
    let mut named: Vec<_> = source.expect.iter().map(|it| (it.rules.as_str(), it.span)).collect();
    let mut known: HashSet<&str> = named.iter().map(|(name, _)| *name).collect();
    for given in source.rejects.iter().chain(&source.warns) {
        match &given.by {
            By::Rules(name) if known.insert(name) => named.push((name, given.span)),
            By::Rules(_) | By::Layoutproof | By::Compiler(_) | By::Convention { .. } => {}
        }
    }
    named
}
