//! Adds cases and files to a selection, under the rule sets, conventions and compilers that the
//! user chose.

use std::collections::HashSet;
use std::sync::Arc;

use layoutproof_core::case::{By, Case};
use layoutproof_core::check::{BindingCheck, Source, Subject};

use layoutproof_layout::{Block, RuleSet, Span, find, table};
use layoutproof_readers::toolchain::Toolchain;
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::{InputContent, RuleChoice, overlap_warnings};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::args::DeclareArgs;
use crate::args::placement::{NamedConvention, PlacementArgs};
use crate::select::selection::Selection;
use crate::select::shader_file::ShaderFile;

/// The rule sets, compilers and conventions that the user chose.
pub(crate) struct UserChoice<'a> {
    /// The rule sets that the user names.
    pub(crate) rules: Vec<RuleChoice>,
    /// The compilers whose own rule sets are checked too.
    pub(crate) toolchains: &'a [&'static Toolchain],
    /// The targets and conventions that the user names.
    pub(crate) placement: &'a PlacementArgs,
}

impl UserChoice<'_> {
    /// True if the user selects this placement of a case. Without a target, all are selected.
    fn takes(&self, placed: &BindingCheck) -> bool {
        let Some(target) = self.placement.target else { return true };
        let conventions = &self.placement.convention;
        let is_placed = |named: &NamedConvention| {
            named.convention == placed.request.convention && named.version == placed.request.version
        };
        let named = conventions.is_empty() || conventions.iter().any(is_placed);
        target == placed.request.target && named
    }

    /// The rule sets that the user names for a source. A compiler's choice selects the rule sets of
    /// the source's blocks.
    fn rule_sets(&self, source: &Source) -> Vec<&'static RuleSet> {
        let mut found: Vec<&'static RuleSet> = Vec::new();
        for choice in &self.rules {
            let rules: Vec<&'static RuleSet> = match choice {
                // A file without blocks is still checked, and reported to have none.
                RuleChoice::Rules(rules) => vec![rules],
                RuleChoice::Native(native) => {
                    source.module.blocks.iter().filter_map(|block| native.rules(block)).collect()
                }
            };
            for rules in rules {
                if !found.contains(&rules) {
                    found.push(rules);
                }
            }
        }
        found
    }

    /// True if the user names the rule set for this block. A compiler's choice names only the rule
    /// set of the block.
    fn names_for(&self, rules: &str, block: &Block) -> bool {
        self.rules.iter().any(|choice| choice.rules(block).is_some_and(|chosen| chosen.name == rules))
    }
}

impl Selection {
    /// Reads a user's file.
    pub(crate) fn read_file(
        &mut self,
        file: &ShaderFile,
        choice: &UserChoice<'_>,
        declare: &DeclareArgs,
        problems: &mut Vec<Diagnostic>,
    ) -> anyhow::Result<()> {
        let profile = choice.placement.profile.as_deref();
        let language = file.front_end.language();
        match file.read(declare, profile, Purpose::Layouts, &mut self.sources)? {
            Ok(InputContent::Declared(source)) => self.add_declared(*source, language, choice, problems)?,
            Ok(InputContent::LaidOut(laid_out)) => {
                self.warnings.extend(laid_out.warnings);
                let text = self.sources.files().last().filter(|_| language == Some(ShaderLanguage::Wgsl));
                let wgsl = text.map(|file| file.text.clone());
                let name = file.path.display().to_string();
                self.subjects.push(Arc::new(Subject::declared(&name, laid_out.blocks, wgsl)));
            }
            Err(found) => problems.extend(found),
        }
        Ok(())
    }

    /// Adds a user's declarations under the rule sets that the user names, or under all bare ones. With
    /// `--target`, also places its parameters by the conventions, and then uses no rule set that is
    /// not named.
    fn add_declared(
        &mut self,
        source: Source,
        language: Option<ShaderLanguage>,
        choice: &UserChoice<'_>,
        problems: &mut Vec<Diagnostic>,
    ) -> anyhow::Result<()> {
        self.warnings.extend(source.module.warnings.iter().cloned());
        let source = Arc::new(source);
        for request in choice.placement.requests(&source.invocation, language)? {
            let placed = BindingCheck::new(Arc::clone(&source), request);
            match &placed.bound {
                Ok(bound) => self.warnings.extend(bound.warnings.iter().cloned()),
                Err(refusals) => problems.extend(refusals.iter().cloned()),
            }
            self.placed.push(placed);
        }

        let named = !choice.rules.is_empty();
        let bare = table().iter().filter(|rules| rules.is_bare() && choice.placement.target.is_none());
        let rules: Vec<&RuleSet> = if named { choice.rule_sets(&source) } else { bare.collect() };
        for rules in rules {
            let subject = Subject::new(Arc::clone(&source), rules);
            if named {
                problems.extend(refusals(&subject, choice));
            }
            self.subjects.push(Arc::new(subject));
        }

        self.add_native(&source, choice);
        // The subjects of a source are added together.
        let own = self.subjects.iter().rev().take_while(|subject| Arc::ptr_eq(&subject.source, &source));
        let own: Vec<_> = own.map(|subject| (subject.rules, subject.layouts.as_slice())).collect();
        self.warnings.extend(overlap_warnings(&source.module.blocks, own.into_iter().rev()));
        Ok(())
    }

    /// Adds a source under the rule sets that the compilers use for its blocks, except those that
    /// it is already under.
    fn add_native(&mut self, source: &Arc<Source>, choice: &UserChoice<'_>) {
        let blocks = &source.module.blocks;
        let named = choice.rule_sets(source);
        let toolchains = choice.toolchains.iter();
        // Only cases test loads from byte-address buffers: a file with structured buffers may have
        // none.
        let by_address = |toolchain: &Toolchain, block| toolchain.byte_address_rules(block).filter(|_| source.is_case);
        let rules = toolchains.flat_map(|toolchain| {
            blocks.iter().flat_map(|block| toolchain.rules_for(block).into_iter().chain(by_address(toolchain, block)))
        });
        for rules in rules.filter(|rules| choice.rules.is_empty() || named.contains(rules)) {
            // The subjects of a source are added together.
            let mut own = self.subjects.iter().rev().take_while(|subject| Arc::ptr_eq(&subject.source, source));
            if !own.any(|subject| subject.rules == rules.name) {
                let subject = Subject { is_native: true, ..Subject::new(Arc::clone(source), rules) };
                self.subjects.push(Arc::new(subject));
            }
        }
    }

    pub(crate) fn add_case(&mut self, case: &Case, choice: &UserChoice<'_>, problems: &mut Vec<Diagnostic>) {
        let rules = &choice.rules;
        self.cases += 1;
        let source = match Source::of_case(case, &mut self.sources) {
            Ok(Some(source)) => Arc::new(source),
            Ok(None) => return,
            Err(found) => return problems.extend(found),
        };

        for placed in BindingCheck::all(&source) {
            problems.extend(placed.problems());
            if rules.is_empty() && placed.expected.is_some() && choice.takes(&placed) {
                self.placed.push(placed);
            }
        }

        let named = choice.rule_sets(&source);
        for (index, (name, span)) in rules_of(&source).into_iter().enumerate() {
            let Some(found) = find(name) else {
                let message = format!("case {}: no rule set is called `{name}`", case.id);
                problems.push(Diagnostic::error(Code::UnknownRules, span, message));
                continue;
            };
            let subject = Subject::new(Arc::clone(&source), found);
            problems.extend(subject.problems());
            let named = named.iter().any(|rules| rules.name == name);
            let asked = named || (rules.is_empty() && choice.placement.target.is_none());
            if asked && index < source.expect.len() {
                self.subjects.push(Arc::new(subject));
            }
        }
        if !source.expect.is_empty() && choice.placement.target.is_none() {
            self.add_native(&source, choice);
        }
    }
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

/// An error for each block that a rule set named by the user forbids.
fn refusals(subject: &Subject, choice: &UserChoice<'_>) -> Vec<Diagnostic> {
    let blocks = subject.source.module.blocks.iter().zip(&subject.layouts);
    let blocks = blocks.filter(|(block, _)| choice.names_for(subject.rules, block));
    let refused = blocks.filter_map(|(block, layout)| Some((block, layout.result.as_ref().err()?)));
    let diagnostics = refused.flat_map(|(block, refusals)| {
        refusals.iter().map(|refusal| {
            let path = layoutproof_layout::join(&block.name, &refusal.path);
            let message = format!("{} forbids `{path}`: {}", subject.rules, refusal.message);
            Diagnostic::error(Code::RuleForbids, block.span, message)
        })
    });
    diagnostics.collect()
}
