//! A source under one rule set: its layouts, and what the case and our rules say about every path.

use std::sync::Arc;

use layoutproof_device::planted::{PlantedBug, is_planted};
use layoutproof_layout::{BlockLayout, DECLARED, Numbers, Quantity, RuleSet, find, lay_out};

use crate::case::{Authority, By, Expectation, ExpectedDiagnostic, expect};
use crate::check::source::Source;
use crate::generate::reserved::Reserved;
use crate::input::diagnostics::{Code, Diagnostic};
use crate::inspect::toolchain::SourceText;
use crate::module::Module;
use crate::results::record::{RecordValue, Row};

/// Finds what the case expects under a rule set. A dialect has a table of its own only where some type differs; elsewhere what is
/// expected of the specification holds for it too.
fn expectation<'a>(source: &'a Source, rules: &RuleSet, layouts: &[BlockLayout]) -> Option<&'a Expectation> {
    let of = |name: &str| source.expect.iter().find(|expectation| expectation.rules == name);
    let of_specification = || {
        let (bare, _) = rules.name.split_once('@')?;
        let expectation = of(bare)?;
        let bare = find(bare)?;
        let same = source.module.blocks.iter().map(|block| lay_out(block, bare, source.options));
        (Numbers::of_layouts(&same.collect::<Vec<_>>()) == Numbers::of_layouts(layouts)).then_some(expectation)
    };
    of(rules.name).or_else(of_specification)
}

/// The authorities of what is expected under a rule set, and of where parameters are bound.
fn authorities(source: &Source, expectation: Option<&Expectation>) -> Vec<Authority> {
    let of_numbers = expectation.iter().map(|expectation| &expectation.authority);
    of_numbers.chain(source.bind.iter().map(|expectation| &expectation.authority)).cloned().collect()
}

/// A source under one rule set.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The case or file.
    pub source: Arc<Source>,
    /// Name of the rule set; [`DECLARED`] for a module that says its own offsets.
    pub rules: &'static str,
    /// Every block under the rule set.
    pub layouts: Vec<BlockLayout>,
    /// The numbers that the case expects.
    pub expected: Numbers,
    /// Where the case says that a compiler's code reads, where that is not where its listing says.
    pub accessed: Numbers,
    /// The compiler that this is said of.
    pub accessed_by: Option<String>,
    /// Who is behind the expected numbers, in words.
    pub authority: String,
    /// Everybody who took the declarations and gave the case numbers or places: those of this rule set, and where
    /// parameters are bound.
    pub authorities: Vec<Authority>,
    /// True if a compiler implied this rule set and the user did not ask for it.
    pub is_native: bool,
}

impl Subject {
    /// Lays the source out.
    pub fn new(source: Arc<Source>, rules: &RuleSet) -> Self {
        let layouts: Vec<_> = source.module.blocks.iter().map(|block| lay_out(block, rules, source.options)).collect();
        let expectation = expectation(&source, rules, &layouts);
        let accessed = source.accessed.iter().find(|accessed| accessed.rules == rules.name);

        Self {
            accessed: accessed.map(Numbers::from).unwrap_or_default(),
            accessed_by: accessed.and_then(|accessed| accessed.authority.compiler.clone()),
            expected: expectation.map(Numbers::from).unwrap_or_default(),
            authority: expectation.map(|expectation| expectation.authority.to_string()).unwrap_or_default(),
            authorities: authorities(&source, expectation),
            rules: rules.name,
            layouts,
            source,
            is_native: false,
        }
    }

    /// A module that says its own offsets, by the name of its file: what it says is what our rules compute for others. Of
    /// WGSL there is the text, too.
    pub fn declared(name: &str, layouts: Vec<BlockLayout>, wgsl: Option<String>) -> Self {
        let text = wgsl.map(|text| SourceText { text, ..SourceText::default() });
        let reserved = text.as_ref().map(|text| Reserved::free_in(&[&text.text], &Module::default()));
        let reserved = reserved.unwrap_or_default();
        Self {
            source: Arc::new(Source { text, reserved, ..Source::of_module(name) }),
            rules: DECLARED,
            expected: Numbers::default(),
            accessed: Numbers::default(),
            accessed_by: None,
            authority: String::new(),
            authorities: Vec::new(),
            layouts,
            is_native: false,
        }
    }

    /// Returns true if this is a user's WGSL, whose blocks stand in the text as compilers get it.
    pub fn is_own_wgsl(&self) -> bool {
        self.rules == DECLARED && self.source.text.is_some()
    }

    /// Problems of the case that only the layouts show: unknown paths, incomplete expectations, refusals and warnings of
    /// the rule set that the case expects and that do not come.
    pub fn problems(&self) -> Vec<Diagnostic> {
        let expectations = self.source.expect.iter().filter(|expectation| expectation.rules == self.rules);
        let mut found: Vec<_> = expectations
            .flat_map(|expectation| expect::problems(&self.source.id, expectation, &self.layouts))
            .collect();
        let accessed = self.source.accessed.iter().filter(|accessed| accessed.rules == self.rules);
        found.extend(accessed.flat_map(|accessed| expect::unknown(&self.source.id, accessed, &self.layouts)));

        let refused = |reject: &ExpectedDiagnostic| {
            let mut refusals = self.layouts.iter().filter_map(|layout| layout.result.as_ref().err()).flatten();
            refusals.any(|refusal| reject.matches(None, &refusal.message))
        };
        let warned = |warn: &ExpectedDiagnostic| {
            let laid_out = self.layouts.iter().filter(|layout| layout.result.is_ok());
            let mut warnings = laid_out.flat_map(|layout| &layout.warnings);
            warnings.any(|warning| warn.matches(Some(warning.kind.into()), &warning.message))
        };
        let silent = |given: &ExpectedDiagnostic, what| {
            let fragment = given.message.as_deref().unwrap_or("");
            let message = format!("`{}` does not {what} this (message with \"{fragment}\" expected)", self.rules);
            Diagnostic::error(Code::BadCase, given.span, message)
        };

        let own = |given: &&ExpectedDiagnostic| given.by == By::Rules(self.rules.to_owned());
        let rejects = self.source.rejects.iter().filter(own).filter(|reject| !refused(reject));
        found.extend(rejects.map(|reject| silent(reject, "refuse")));
        let warns = self.source.warns.iter().filter(own).filter(|warn| !warned(warn));
        found.extend(warns.map(|warn| silent(warn, "warn of")));
        found
    }

    /// The numbers that our rules compute.
    pub fn computed(&self) -> Numbers {
        Numbers::of_layouts(&self.layouts)
    }

    /// One row per number that the case pins; no device takes part in them.
    pub fn static_rows(&self) -> Vec<Row> {
        let computed = self.computed();
        let row = |(what, path, expected): (Quantity, &str, u32)| {
            let value = computed.get(what, path);
            Row {
                expected: Some(RecordValue::Number(expected)),
                computed: Some(value.map_or_else(|| self.no_number(), RecordValue::Number)),
                ..Row::of_no_device(path, what)
            }
        };

        let is_dropped = |what| what == Quantity::MatrixStride && is_planted(PlantedBug::MatrixStridesNotCompared);
        self.expected.iter().filter(|(what, _, _)| !is_dropped(*what)).map(row).collect()
    }

    /// What stands where our rules have no number.
    fn no_number(&self) -> RecordValue {
        let reasons = self.layouts.iter().filter_map(|layout| layout.result.as_ref().err()).flatten();
        let first = reasons.map(|refusal| refusal.message.clone()).next();
        RecordValue::Text(first.unwrap_or_else(|| "no such number".to_owned()))
    }
}
