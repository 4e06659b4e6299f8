//! Turns the words that the user typed into the subjects of a run, or collects every problem in them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof_core::check::binding_shaders::producer_for;
use layoutproof_core::check::{BindingCheck, Settings, Source, Subject};
use layoutproof_core::declare::DeclareOptions;
use layoutproof_core::input::diagnostics::{Diagnostic, render};
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::inspect::toolchain::Toolchain;
use layoutproof_core::probe::Form;
use layoutproof_core::stable_hash::stable_hash;
use layoutproof_layout::{DECLARED, ElementChoice, RuleSet, find, table};

use crate::args::{DeclareArgs, RunArgs, ShaderLanguage};
use crate::select::explicit_layouts::check_rules;
use crate::select::included::IncludedFiles;
use crate::select::inputs::{Cases, InputWord, NO_LANGUAGE, STANDARD_INPUT, hashes};
use crate::select::run_part::RunPart;
use crate::select::user_choice::UserChoice;

/// Problems in what the user wrote; nothing is run.
#[derive(Debug)]
pub(crate) struct RefusedInput {
    /// The problems.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that they are in.
    pub sources: SourceMap,
}

impl RefusedInput {
    /// All problems with their places, for people.
    pub(crate) fn text(&self, colour: bool) -> String {
        render(&self.diagnostics, &self.sources, colour)
    }
}

impl fmt::Display for RefusedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} problems in the input", self.diagnostics.len())
    }
}

impl std::error::Error for RefusedInput {}

/// The subjects of a run.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Cases and files, each under one rule set.
    pub subjects: Vec<Arc<Subject>>,
    /// Cases and files, each as one convention places its parameters; no case where the user names rule sets.
    pub placed: Vec<BindingCheck>,
    /// Number of cases.
    pub cases: usize,
    /// Warnings about files, rendered.
    pub warnings: Vec<Diagnostic>,
    /// All texts.
    pub sources: SourceMap,
    /// Every text that was selected, by name with its hash; those of all shards.
    pub texts: String,
    /// The part of the run to carry out.
    pub part: RunPart,
}

/// Reads everything that the words name and lays it out.
///
/// # Errors
/// [`RefusedInput`] with every problem, or what could not be read.
pub(crate) fn select(args: &RunArgs, toolchains: &[&'static Toolchain]) -> anyhow::Result<Selection> {
    select_part(args, RunPart::of(&args.part)?, toolchains)
}

/// The same of one part of it; cases of other parts are not read.
///
/// # Errors
/// As [`select`].
pub(crate) fn select_part(
    args: &RunArgs,
    part: RunPart,
    toolchains: &[&'static Toolchain],
) -> anyhow::Result<Selection> {
    let RunArgs { inputs, rules, declare, placement, .. } = args;
    let words: Vec<InputWord> = inputs.iter().map(|word| InputWord::of(word, declare.lang)).collect();
    let only_modules = !words.is_empty() && words.iter().all(|word| matches!(word, InputWord::LaidOut(_)));
    let names = if only_modules { &[] } else { rules.as_slice() };
    let rules_named = names.iter().map(|name| rule_set(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let choice = UserChoice { rules: rules_named, placement, toolchains };

    let mut selection = Selection::default();
    let mut cases = Cases::load(&declare.cases)?;
    let mut ids = Vec::new();
    let mut problems = Vec::new();

    for word in words {
        match word {
            InputWord::Declarations(path) => selection.read_file(&path, &choice, declare, &mut problems)?,
            InputWord::LaidOut(path) => {
                check_rules(&path, rules)?;
                selection.read_module(&path, declare, &mut problems)?;
            }
            InputWord::CaseFile(path) => ids.push(cases.add_file(&path)?),
            InputWord::Filter(filter) if filter == STANDARD_INPUT => bail!("{NO_LANGUAGE}"),
            InputWord::Filter(filter) => ids.extend(cases.matching(&[filter])),
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
        selection.add_case(&case, &choice, &mut problems);
    }

    if problems.is_empty() {
        Ok(selection)
    } else {
        problems.sort_by_key(|problem| (problem.span().file, problem.span().start));
        Err(RefusedInput { diagnostics: problems, sources: selection.sources }.into())
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
    if diagnostics.is_empty() { Ok(read) } else { Err(RefusedInput { diagnostics, sources }.into()) }
}

/// Cases, each under the rule sets that it expects something of.
pub(crate) fn subjects(cases: &[Arc<Source>]) -> impl Iterator<Item = Subject> {
    let expected = cases.iter().flat_map(|source| source.expect.iter().map(move |it| (source, find(&it.rules))));
    expected.filter_map(|(source, rules)| Some(Subject::new(Arc::clone(source), rules?)))
}

/// Shaders without a fault, through every form of access, in the usual spaces and stages, of the usual elements of arrays.
pub(crate) fn all_forms() -> Settings {
    let elements = ElementChoice::Sample;
    Settings { forms: Form::ALL.into(), spaces: None, stages: None, elements, planted_rules: None }
}

/// How the user's declarations in the file at `path` are read, for a shader profile if one is named.
pub(crate) fn options_of(declare: &DeclareArgs, path: &Path, profile: Option<&str>) -> DeclareOptions {
    let defines = declare.define.iter().map(|define| layoutproof_core::case::file::split_define(define));
    DeclareOptions {
        entry: declare.entry.clone(),
        defines: defines.collect(),
        include_paths: declare.include.clone(),
        files: Arc::new(IncludedFiles::of_shader(path, &declare.include)),
        language: declare.lang.and_then(ShaderLanguage::declared),
        profile: profile.map(str::to_owned),
        ..DeclareOptions::default()
    }
}

impl Selection {
    /// The ids of what was read so far.
    fn ids(&self) -> impl Iterator<Item = &str> {
        let subjects = self.subjects.iter().map(|subject| subject.source.id.as_str());
        subjects.chain(self.placed.iter().map(|placed| placed.source.id.as_str()))
    }

    /// Hashes the texts that a run reads, in hexadecimal digits: those of the selection and `known_text`, the lists of
    /// known differences. All shards of a run have the same hash.
    pub(crate) fn hash(&self, known_text: &str) -> String {
        format!("{:016x}", stable_hash(&format!("{}{known_text}", self.texts)))
    }

    /// True if a device is needed for any of it.
    pub(crate) fn needs_device(&self) -> bool {
        let provable = |placed: &BindingCheck| producer_for(placed.request.target).is_some();
        !self.subjects.is_empty() || self.placed.iter().any(provable)
    }
}
