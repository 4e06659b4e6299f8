//! A source under one rule set: its layouts, with the case's and our numbers for every path.

use std::collections::BTreeSet;
use std::sync::Arc;

use layoutproof_layout::shape::{Member, Type};
use layoutproof_layout::{
    Block, BlockKind, BlockLayout, DECLARED, Numbers, PointerPlace, Quantity, RuleSet, ViewId, find, lay_out,
};

use crate::case::{Authority, By, Expectation, ExpectedDiagnostic, expect};
use crate::check::source::Source;
use layoutproof_bindings::SourceText;
use layoutproof_events::producer::Producer;
use layoutproof_events::{RecordValue, Row, Witnesses};
use layoutproof_frontend::module::Module;
use layoutproof_probes::reserved::Reserved;
use layoutproof_readers::toolchain::Input;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Finds the case's expectation for a rule set. A case lists a dialect separately only if some type
/// differs; otherwise the expectation for the specification's rule set applies to the dialect too.
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

/// Returns the authorities for the numbers expected under a rule set and for the expected bindings.
fn authorities(source: &Source, expectation: Option<&Expectation>) -> Vec<Authority> {
    let of_numbers = expectation.iter().map(|expectation| &expectation.authority);
    of_numbers.chain(source.bind.iter().map(|expectation| &expectation.authority)).cloned().collect()
}

/// A source under one rule set.
#[derive(Clone, Debug)]
pub struct Subject {
    pub source: Arc<Source>,
    /// The rule set's name; [`DECLARED`] for a module with explicit offsets.
    pub rules: &'static str,
    /// Every block under the rule set.
    pub layouts: Vec<BlockLayout>,
    pub expected: Numbers,
    /// Places where the case claims that a compiler's code reads, if its listing gives other
    /// places.
    pub accessed: Numbers,
    /// The compiler that the claim is about.
    pub accessed_by: Option<String>,
    /// The authority for the expected numbers, in words.
    pub authority: String,
    /// All authorities that accepted the declarations and gave the case its numbers or places:
    /// those for this rule set, and those for the bindings.
    pub authorities: Vec<Authority>,
    /// True if a compiler implied this rule set and the user did not request it.
    pub is_native: bool,
    /// The producers that make its shaders; `None` for all of the run.
    pub makers: Option<Vec<Producer>>,
}

impl Subject {
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
            makers: None,
        }
    }

    /// The layout of a block of its modules.
    ///
    /// # Panics
    /// If the subject has no such block.
    pub fn layout(&self, view: ViewId) -> &BlockLayout {
        self.layouts.iter().find(|layout| layout.view == view).expect("the block is one of the subject's")
    }

    /// The declaration of a block; `None` for a module with explicit offsets, which has no declarations.
    pub fn declaration(&self, view: ViewId) -> Option<&Block> {
        self.source.module.block(view)
    }

    /// Returns the shader record with the pointer to a block, and the name of the pointer in it; `None` if
    /// the block is not pointed to from a record.
    pub(crate) fn record_with_pointer(&self, view: ViewId) -> Option<(&Block, &Member)> {
        let root = self.way_to(self.declaration(view)?)?[0];
        let is_record = root.0.kind == BlockKind::ShaderRecord || root.0.has_entry_record();
        is_record.then_some(root)
    }

    /// Returns the blocks with the pointers on the way to a pointee, each with its pointer: first the one that a probe
    /// fills, then what that points to. Never empty.
    pub(crate) fn way_to(&self, pointee: &Block) -> Option<Vec<(&Block, &Member)>> {
        let mut way = vec![self.pointer_to(pointee)?];
        while way[0].0.kind == BlockKind::Pointee {
            // A block is pointed to from one found before it, so this ends.
            way.insert(0, self.pointer_to(way[0].0)?);
        }
        Some(way)
    }

    /// Returns a type to which pointers lead back, on the way from `block`: `P` of `struct P { P* next; }`.
    pub(crate) fn points_in_circle<'a>(&'a self, block: &'a Block) -> Option<&'a str> {
        let blocks = &self.source.module.blocks;
        let of_name = |name: &str| {
            blocks.iter().find(|block| block.kind == BlockKind::Pointee && block.element.to_string() == name)
        };
        let (mut on_way, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut waiting: Vec<(&str, bool)> = block.element.pointees().into_iter().map(|name| (name, false)).collect();
        while let Some((name, is_left)) = waiting.pop() {
            if is_left {
                on_way.remove(name);
            } else if on_way.contains(name) {
                return Some(name);
            } else if seen.insert(name) {
                on_way.insert(name);
                waiting.push((name, true));
                let next = of_name(name).map(|block| block.element.pointees()).unwrap_or_default();
                waiting.extend(next.into_iter().map(|name| (name, false)));
            }
        }
        None
    }

    /// Returns the block with the pointer to a pointee, and the pointer among its direct members. `None` if a probe
    /// cannot reach the pointee through it by name, and for other blocks.
    pub(crate) fn pointer_to(&self, pointee: &Block) -> Option<(&Block, &Member)> {
        let module = &self.source.module;
        let (holder, name) = match &pointee.pointer()?.place {
            // No name in the source has `$Entry.main` before a parameter.
            PointerPlace::Member { holder, .. } if module.block(*holder)?.kind == BlockKind::EntryUniforms => {
                return None;
            }
            PointerPlace::Member { holder, path } => {
                let [name] = path.as_slice() else { return None };
                (module.block(*holder)?, name)
            }
            PointerPlace::Code => return None,
            // The second block of a name has a number in its name.
            PointerPlace::Parameter { name } if *name != pointee.name => return None,
            PointerPlace::Parameter { name } => {
                let is_holder =
                    |block: &&Block| block.kind == BlockKind::EntryUniforms && block.entry_point == pointee.entry_point;
                (module.blocks.iter().find(is_holder)?, name)
            }
        };
        let Type::Struct(structure) = &holder.element else { return None };
        let pointer = structure.members.iter().find(|member| member.name == *name)?;
        matches!(pointer.ty, Type::Pointer { .. }).then_some((holder, pointer))
    }

    /// Makes the subject of a module with explicit offsets, named after its file. The module's
    /// offsets take the place of numbers that our rules compute. For WGSL the text is available
    /// too.
    pub fn declared(name: &str, mut layouts: Vec<BlockLayout>, wgsl: Option<String>) -> Self {
        for (view, layout) in (0..).map(ViewId).zip(&mut layouts) {
            layout.view = view;
        }
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
            makers: None,
        }
    }

    /// The subject with only these makers of shaders.
    #[must_use]
    pub fn made_by(self, makers: Option<Vec<Producer>>) -> Self {
        Self { makers, ..self }
    }

    /// True if the producer has shaders for it. A compiler has some for blocks that it lays out by
    /// this rule set itself, and for user text in its own language.
    pub fn is_taken_by(&self, producer: Producer) -> bool {
        if self.makers.as_ref().is_some_and(|makers| !makers.contains(&producer)) {
            return false;
        }
        match producer {
            Producer::Generator(_) => !self.is_native,
            Producer::Compiler(toolchain) if toolchain.reads_modules() => !self.is_native,
            Producer::Compiler(toolchain) if self.is_own_wgsl() => toolchain.input == Input::Wgsl,
            Producer::Compiler(toolchain) => {
                let by_address = |block| self.source.is_case && toolchain.follows_by_address(self.rules, block);
                let mut blocks = self.source.module.blocks.iter();
                blocks.any(|block| toolchain.follows(self.rules, block) || by_address(block))
            }
        }
    }

    /// Returns true if this is a user's WGSL, so that the compilers' text already contains the
    /// blocks.
    pub fn is_own_wgsl(&self) -> bool {
        self.rules == DECLARED && self.source.text.is_some()
    }

    /// Finds problems of the case that only the layouts show: unknown paths, incomplete
    /// expectations, and missing refusals or warnings of the rule set.
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

    pub fn computed(&self) -> Numbers {
        Numbers::of_layouts(&self.layouts)
    }

    /// Returns one row per number in the case. No device takes part.
    pub fn static_rows(&self) -> Vec<Row> {
        let computed = self.computed();
        let row = |(what, path, expected): (Quantity, &str, u32)| {
            let value = computed.get(what, path);
            let witnesses = Witnesses {
                expected: Some(RecordValue::Number(expected)),
                computed: Some(value.map_or_else(|| self.no_number(), RecordValue::Number)),
                ..Witnesses::default()
            };
            Row::new(path, what, witnesses)
        };

        self.expected.iter().map(row).collect()
    }

    /// Returns the text for a row in which our rules have no number.
    fn no_number(&self) -> RecordValue {
        let reasons = self.layouts.iter().filter_map(|layout| layout.result.as_ref().err()).flatten();
        let first = reasons.map(|refusal| refusal.message.clone()).next();
        RecordValue::Text(first.unwrap_or_else(|| "no such number".to_owned()))
    }
}
