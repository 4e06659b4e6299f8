//! What a run is about: the user's words in, subjects out, or every problem of everything that was named.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof::case::{By, Case};
use layoutproof::check::proof::producer_for;
use layoutproof::check::{Placed, Settings, Source, Subject};
use layoutproof::declare::DeclareOptions;
use layoutproof::diagnostics::{Code, Diagnostic, render};
use layoutproof::layout::{DECLARED, RuleSet, find, table};
use layoutproof::record::Form;
use layoutproof::sources::{SourceMap, Span};
use layoutproof::toolchain::Toolchain;

use crate::args::{DeclareArgs, RunArgs};
use crate::inputs::{Cases, FileSystem, Word, add_text, hashes};
use crate::laid_out::{self, check_rules};
use crate::part::Part;
use crate::placement::PlacementArgs;

/// Problems in what the user wrote; nothing is run.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The problems.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that they are in.
    pub sources: SourceMap,
}

impl Refused {
    /// All problems with their places, for people.
    pub(crate) fn text(&self, colour: bool) -> String {
        render(&self.diagnostics, &self.sources, colour)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} problems in the input", self.diagnostics.len())
    }
}

impl std::error::Error for Refused {}

/// What a run is about.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Cases and files, each under one rule set.
    pub subjects: Vec<Arc<Subject>>,
    /// Cases and files, each as one convention places its parameters; no case where the user names rule sets.
    pub placed: Vec<Placed>,
    /// Number of cases.
    pub cases: usize,
    /// Warnings about files, rendered.
    pub warnings: Vec<Diagnostic>,
    /// All texts.
    pub sources: SourceMap,
    /// Every text that was selected, by name with its hash; those of all shards.
    pub texts: String,
    /// What of it is wanted.
    pub part: Part,
}

/// Reads everything that the words name and lays it out.
///
/// # Errors
/// [`Refused`] with every problem, or what could not be read.
pub(crate) fn select(args: &RunArgs, toolchains: &[&'static Toolchain]) -> anyhow::Result<Selection> {
    select_part(args, Part::of(&args.part)?, toolchains)
}

/// The same of one part of it; cases of other parts are not read.
///
/// # Errors
/// As [`select`].
pub(crate) fn select_part(args: &RunArgs, part: Part, toolchains: &[&'static Toolchain]) -> anyhow::Result<Selection> {
    let RunArgs { inputs, rules, declare, placement, .. } = args;
    let words: Vec<Word> = inputs.iter().map(|word| Word::of(word)).collect();
    let only_modules = !words.is_empty() && words.iter().all(|word| matches!(word, Word::LaidOut(_)));
    let names = if only_modules { &[] } else { rules.as_slice() };
    let rules_named = names.iter().map(|name| rule_set(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let wanted = Wanted { rules: rules_named, placement, toolchains };
    let mut selection = Selection::default();
    let mut cases = Cases::load(&declare.cases)?;
    let mut ids = Vec::new();
    let mut problems = Vec::new();
    for word in words {
        match word {
            Word::Declarations(path) => selection.read_file(&path, (&wanted, declare), &mut problems)?,
            Word::LaidOut(path) => {
                check_rules(&path, rules)?;
                selection.read_module(&path, &mut problems)?;
            }
            Word::CaseFile(path) => ids.push(cases.add_file(&path)?),
            Word::Filter(filter) => ids.extend(cases.matching(&[filter])),
        }
    }
    if inputs.is_empty() {
        ids = cases.matching(&[]);
    }
    ids.sort();
    ids.dedup();
    part.check(ids.iter().map(String::as_str).chain(selection.ids()))?;
    // The same for every shard.
    selection.texts = hashes(selection.sources.files()) + &cases.hashes(&ids);
    ids.retain(|id| part.takes_case(id));
    selection.subjects.retain(|subject| part.takes_case(&subject.source.id));
    selection.placed.retain(|placed| part.takes_case(&placed.source.id));
    selection.part = part;
    for case in cases.read(&ids, &mut selection.sources, &mut problems) {
        selection.add_case(&case, &wanted, &mut problems);
    }
    if problems.is_empty() {
        Ok(selection)
    } else {
        problems.sort_by_key(|problem| (problem.span().file, problem.span().start));
        Err(Refused { diagnostics: problems, sources: selection.sources }.into())
    }
}

/// The rule set of this name.
///
/// # Errors
/// A sentence with the names that exist.
pub(crate) fn rule_set(name: &str) -> anyhow::Result<&'static RuleSet> {
    if name == DECLARED {
        bail!(
            "`{DECLARED}` is what .spv, .wgsl and .glsl files say themselves: declarations cannot be laid out under it"
        );
    }
    let known = || table().iter().map(|rules| rules.name).collect::<Vec<_>>().join(", ");
    find(name).with_context(|| format!("unknown rule set `{name}`; known are {}", known()))
}

/// Every case that the filters match, or all, without those whose declarations must be refused. `added` are read too.
///
/// # Errors
/// A path that cannot be read, and every problem of the cases.
pub(crate) fn sources(added: &[PathBuf], filters: &[String]) -> anyhow::Result<Vec<Arc<Source>>> {
    let cases = Cases::load(added)?;
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    let mut read = Vec::new();
    for case in cases.read(&cases.matching(filters), &mut sources, &mut diagnostics) {
        match Source::of_case(&case, &mut sources) {
            Ok(source) => read.extend(source.map(Arc::new)),
            Err(found) => diagnostics.extend(found),
        }
    }
    if diagnostics.is_empty() { Ok(read) } else { Err(Refused { diagnostics, sources }.into()) }
}

/// Cases, each under the rule sets that it expects something of.
pub(crate) fn subjects(cases: &[Arc<Source>]) -> impl Iterator<Item = Subject> {
    let expected = cases.iter().flat_map(|source| source.expect.iter().map(move |it| (source, find(&it.rules))));
    expected.filter_map(|(source, rules)| Some(Subject::new(Arc::clone(source), rules?)))
}

/// Shaders without a fault, through every form of access, in the usual spaces and stages.
pub(crate) fn all_forms() -> Settings {
    Settings { forms: Form::ALL.into(), spaces: None, stages: None, planted_rules: None }
}

/// How a user's declarations are read.
pub(crate) fn options_of(declare: &DeclareArgs) -> DeclareOptions {
    let defines = declare.define.iter().map(|define| layoutproof::case::file::split_define(define));
    DeclareOptions {
        entry: declare.entry.clone(),
        defines: defines.collect(),
        include_paths: declare.include.clone(),
        files: Arc::new(FileSystem),
    }
}

/// What of cases and files is wanted.
struct Wanted<'a> {
    /// The rule sets that the user names.
    rules: Vec<&'static RuleSet>,
    /// The compilers whose own rule sets are checked too.
    toolchains: &'a [&'static Toolchain],
    placement: &'a PlacementArgs,
}

impl Wanted<'_> {
    /// Whether a case's placement is asked for: any, where the user names no target.
    fn takes(&self, placed: &Placed) -> bool {
        let Some(target) = self.placement.target else { return true };
        let named = self
            .placement
            .convention
            .iter()
            .any(|named| named.convention == placed.request.convention && named.version == placed.request.version);
        target == placed.request.target && named
    }
}

impl Selection {
    /// The ids of what was read so far.
    fn ids(&self) -> impl Iterator<Item = &str> {
        let subjects = self.subjects.iter().map(|subject| subject.source.id.as_str());
        subjects.chain(self.placed.iter().map(|placed| placed.source.id.as_str()))
    }

    /// Whether anything here is asked of a device.
    pub(crate) fn needs_device(&self) -> bool {
        let provable = |placed: &Placed| producer_for(placed.request.target).is_some();
        !self.subjects.is_empty() || self.placed.iter().any(provable)
    }

    /// Reads a user's declarations.
    fn read_file(
        &mut self,
        path: &Path,
        (wanted, declare): (&Wanted<'_>, &DeclareArgs),
        problems: &mut Vec<Diagnostic>,
    ) -> anyhow::Result<()> {
        let span = add_text(path, &mut self.sources)?;
        match Source::of_file(span, declare.layout_options(), &options_of(declare), &mut self.sources) {
            Ok(source) => self.add_file(source, wanted, problems)?,
            Err(found) => problems.extend(found),
        }
        Ok(())
    }

    /// A user's file under the rule sets that the user names, or under all bare ones; as the conventions place its
    /// parameters that the user names, and then under no rule set that is not named.
    fn add_file(&mut self, source: Source, wanted: &Wanted<'_>, problems: &mut Vec<Diagnostic>) -> anyhow::Result<()> {
        self.warnings.extend(source.module.warnings.iter().cloned());
        let source = Arc::new(source);
        for request in wanted.placement.requests(&source.invocation)? {
            let placed = Placed::new(Arc::clone(&source), request);
            match &placed.bound {
                Ok(bound) => self.warnings.extend(bound.warnings.iter().cloned()),
                Err(refusals) => problems.extend(refusals.iter().cloned()),
            }
            self.placed.push(placed);
        }
        let named = !wanted.rules.is_empty();
        let bare = table().iter().filter(|rules| rules.is_bare() && wanted.placement.target.is_none());
        let rules: Vec<&RuleSet> = if named { wanted.rules.clone() } else { bare.collect() };
        for rules in rules {
            let subject = Subject::new(Arc::clone(&source), rules);
            if named {
                problems.extend(refusals(&subject));
            }
            self.subjects.push(Arc::new(subject));
        }
        self.add_native(&source, wanted);
        Ok(())
    }

    /// A source under the rule sets that the compilers take for its blocks, without those that it is already under.
    fn add_native(&mut self, source: &Arc<Source>, wanted: &Wanted<'_>) {
        let blocks = &source.module.blocks;
        let rules = wanted
            .toolchains
            .iter()
            .flat_map(|toolchain| blocks.iter().filter_map(|block| toolchain.rules().rules(block)));
        for rules in rules.filter(|rules| wanted.rules.is_empty() || wanted.rules.contains(rules)) {
            let is_under = |subject: &Arc<Subject>| Arc::ptr_eq(&subject.source, source) && subject.rules == rules.name;
            if !self.subjects.iter().any(is_under) {
                let subject = Subject { is_native: true, ..Subject::new(Arc::clone(source), rules) };
                self.subjects.push(Arc::new(subject));
            }
        }
    }

    /// Reads a user's module, which says its own offsets.
    fn read_module(&mut self, path: &Path, problems: &mut Vec<Diagnostic>) -> anyhow::Result<()> {
        match laid_out::read(path, &mut self.sources)? {
            Ok(layouts) => {
                let name = path.display().to_string();
                self.subjects.push(Arc::new(Subject::declared(&name, layouts)));
            }
            Err(found) => problems.extend(found),
        }
        Ok(())
    }

    fn add_case(&mut self, case: &Case, wanted: &Wanted<'_>, problems: &mut Vec<Diagnostic>) {
        let rules = &wanted.rules;
        self.cases += 1;
        let source = match Source::of_case(case, &mut self.sources) {
            Ok(Some(source)) => Arc::new(source),
            Ok(None) => return,
            Err(found) => return problems.extend(found),
        };
        for placed in Placed::all(&source) {
            problems.extend(placed.problems());
            if rules.is_empty() && placed.expected.is_some() && wanted.takes(&placed) {
                self.placed.push(placed);
            }
        }
        for (index, (name, span)) in rules_of(&source).into_iter().enumerate() {
            let Some(found) = find(name) else {
                let message = format!("case {}: no rule set is called `{name}`", case.id);
                problems.push(Diagnostic::error(Code::UnknownRules, span, message));
                continue;
            };
            let subject = Subject::new(Arc::clone(&source), found);
            problems.extend(subject.problems());
            let named = rules.iter().any(|rules| rules.name == name);
            let asked = named || (rules.is_empty() && wanted.placement.target.is_none());
            if asked && index < source.expect.len() {
                self.subjects.push(Arc::new(subject));
            }
        }
        if !source.expect.is_empty() && wanted.placement.target.is_none() {
            self.add_native(&source, wanted);
        }
    }
}

/// The rule sets that a case speaks of, each once: first those that it expects numbers of, then those that it expects to
/// refuse or to warn.
fn rules_of(source: &Source) -> Vec<(&str, Span)> {
    let mut named: Vec<_> = source.expect.iter().map(|it| (it.rules.as_str(), it.span)).collect();
    for given in source.rejects.iter().chain(&source.warns) {
        match &given.by {
            By::Rules(name) if !named.iter().any(|(other, _)| other == name) => named.push((name, given.span)),
            By::Rules(_) | By::Layoutproof | By::Compiler(_) | By::Convention { .. } => {}
        }
    }
    named
}

/// Blocks that a rule set named by the user forbids.
fn refusals(subject: &Subject) -> Vec<Diagnostic> {
    let blocks = subject.source.module.blocks.iter().zip(&subject.layouts);
    let refused = blocks.filter_map(|(block, layout)| Some((block, layout.result.as_ref().err()?)));
    let diagnostics = refused.flat_map(|(block, refusals)| {
        refusals.iter().map(|refusal| {
            let path = layoutproof::case::expect::join(&block.name, &refusal.path);
            let message = format!("{} forbids `{path}`: {}", subject.rules, refusal.message);
            Diagnostic::error(Code::RuleForbids, block.span, message)
        })
    });
    diagnostics.collect()
}
