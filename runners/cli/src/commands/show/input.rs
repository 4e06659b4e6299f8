//! The input of `show`, `diff` and `reflect`: declarations, or a module that says its own offsets.

use std::path::Path;

use anyhow::bail;
use layoutproof_core::bindings::BindingRequest;
use layoutproof_core::check::Source;
use layoutproof_core::input::diagnostics::{Code, Diagnostic};
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::report::declaration_words::DeclarationWords;
use layoutproof_core::report::shown_columns::BlockPresence;
use layoutproof_layout::native::{Native, find_native};
use layoutproof_layout::{BlockLayout, Refusal, RuleSet, lay_out, table};

use crate::args::{DeclareArgs, ShaderLanguage};
use crate::commands::show::args::ShowArgs;
use crate::commands::show::bindings::{Placements, check_format};
use crate::commands::show::rule_set_layouts::{LaidOutBlock, RuleSetLayouts};
use crate::commands::show::shipping::ShippingTarget;
use crate::commands::show::show_rules::{ShownRules, is_relevant};
use crate::select::inputs::{Cases, InputWord, NO_LANGUAGE, STANDARD_INPUT, add_text, is_module};
use crate::select::rule_set::RuleChoice;
use crate::select::shader_file::declare_options::options_of;
use crate::select::shader_file::explicit_layouts;
use crate::select::shader_file::laid_out_file::LaidOutFile;

/// What the user names.
pub(crate) struct Input {
    /// Its blocks.
    pub(crate) content: InputContent,
    /// The language of a file.
    pub(crate) language: Option<ShaderLanguage>,
}

/// The blocks of an input.
pub(crate) enum InputContent {
    /// Declarations, which every rule set lays out.
    Declared(Box<Source>),
    /// A module that says its own offsets.
    LaidOut(LaidOutFile),
}

impl Input {
    /// Reads a file or a case; the inner error is what is wrong with its text.
    ///
    /// # Errors
    /// What could not be read, and a word that names no file and no single case.
    pub(crate) fn read(
        word: &str,
        declare: &DeclareArgs,
        profile: Option<&str>,
        sources: &mut SourceMap,
    ) -> anyhow::Result<Result<Self, Vec<Diagnostic>>> {
        let declared = |source| InputContent::Declared(Box::new(source));
        let (language, content) = match InputWord::of(word, declare.lang) {
            InputWord::Declarations(path) => {
                let span = add_text(&path, sources)?;
                let options = options_of(declare, &path, profile);
                let source = Source::of_file(span, declare.layout_options(), &options, sources);
                (ShaderLanguage::of(declare.lang, &path), source.map(declared))
            }
            InputWord::LaidOut(path) => {
                let read = explicit_layouts::read(&path, declare, sources)?;
                (language_of_module(declare, &path), read.map(InputContent::LaidOut))
            }
            InputWord::CaseFile(path) => {
                let mut cases = Cases::load(&declare.cases)?;
                let id = cases.add_file(&path)?;
                (None, read_case(&cases, &id, sources).map(declared))
            }
            InputWord::Filter(filter) if filter == STANDARD_INPUT => bail!("{NO_LANGUAGE}"),
            InputWord::Filter(filter) => {
                let cases = Cases::load(&declare.cases)?;
                let id = cases.only(&filter)?;
                (None, read_case(&cases, &id, sources).map(declared))
            }
        };
        Ok(content.map(|content| Self { content, language }))
    }

    /// The words in which its members are declared.
    pub(crate) fn words(&self) -> DeclarationWords {
        match self.language {
            Some(ShaderLanguage::Glsl) => DeclarationWords::Glsl,
            Some(ShaderLanguage::Wgsl) => DeclarationWords::Wgsl,
            Some(ShaderLanguage::Hlsl | ShaderLanguage::Slang) | None => DeclarationWords::Hlsl,
        }
    }

    /// Every block under the rule sets that are shown.
    pub(crate) fn layouts(&self, shown_rules: &ShownRules) -> Vec<RuleSetLayouts> {
        let source = match &self.content {
            InputContent::Declared(source) => source,
            InputContent::LaidOut(file) => return vec![RuleSetLayouts::declared(&file.blocks)],
        };

        let bare = || table().iter().filter(|rules| rules.is_bare()).map(RuleChoice::Rules);
        match shown_rules {
            ShownRules::Shipping => {
                let targets = ShippingTarget::of(self.shipped_language(source)).iter();
                let columns = targets.filter_map(|target| {
                    Some(under(source, target.label, RuleChoice::Native(target.native()?), Unused::Absent))
                });
                columns.collect()
            }
            ShownRules::OfProject(choices) => {
                let label = |choice: RuleChoice| ShippingTarget::label_of(choice.name()).unwrap_or(choice.name());
                choices.iter().map(|choice| under(source, label(*choice), *choice, Unused::Absent)).collect()
            }
            ShownRules::Bare => bare().map(|rules| under(source, rules.name(), rules, Unused::Forbidden)).collect(),
            ShownRules::Relevant => {
                bare().map(|rules| under(source, rules.name(), rules, Unused::Irrelevant)).collect()
            }
            ShownRules::Named(choices) => {
                choices.iter().map(|choice| under(source, choice.name(), *choice, Unused::Forbidden)).collect()
            }
        }
    }

    /// The language whose targets are shown. A case has none: it is HLSL unless DXC lacks one of its blocks.
    fn shipped_language(&self, source: &Source) -> ShaderLanguage {
        let dxc = find_native("native:dxc-dxil");
        let is_of_dxc = |dxc: &Native| source.module.blocks.iter().all(|block| dxc.rules(block).is_some());
        match self.language {
            Some(language) => language,
            None if dxc.is_none_or(is_of_dxc) => ShaderLanguage::Hlsl,
            None => ShaderLanguage::Slang,
        }
    }

    /// The questions for conventions; none where the user names no target.
    pub(crate) fn requests(&self, word: &str, args: &ShowArgs) -> anyhow::Result<Vec<BindingRequest>> {
        let requests = match &self.content {
            InputContent::Declared(source) => {
                args.placement.requests(&source.invocation, Some(self.shipped_language(source)))?
            }
            InputContent::LaidOut(_) if args.placement.target.is_some() => {
                bail!("{word} says its own bindings: no convention places its parameters")
            }
            InputContent::LaidOut(_) => Vec::new(),
        };
        check_format(args, &requests)?;
        Ok(requests)
    }

    /// The answers of the conventions.
    pub(crate) fn placements(&self, requests: &[BindingRequest]) -> Placements {
        match &self.content {
            InputContent::Declared(source) => Placements::of(source, requests),
            InputContent::LaidOut(_) => Placements::default(),
        }
    }
}

/// The language of a module's text; SPIR-V and containers have none.
fn language_of_module(declare: &DeclareArgs, path: &Path) -> Option<ShaderLanguage> {
    let is_binary = path.extension().is_some_and(|suffix| is_module(&suffix.to_string_lossy().to_lowercase()));
    ShaderLanguage::of(declare.lang.filter(|_| !is_binary), path)
}

/// What becomes of a block under a rule set that nobody uses for it.
#[derive(Clone, Copy, PartialEq)]
enum Unused {
    /// It is laid out all the same; where a compiler has no such block that is an error.
    Forbidden,
    /// The compiler has no such block, and nobody asked for the compiler by name.
    Absent,
    /// It is left out.
    Irrelevant,
}

/// All blocks as one column.
fn under(source: &Source, name: &str, choice: RuleChoice, unused: Unused) -> RuleSetLayouts {
    let blocks = source.module.blocks.iter().map(|block| {
        let laid_out = |rules: &RuleSet| lay_out(block, rules, source.options);
        match choice.rules(block) {
            Some(rules) if unused == Unused::Irrelevant && !is_relevant(rules, block) => {
                LaidOutBlock { layout: laid_out(rules), presence: BlockPresence::Irrelevant }
            }
            Some(rules) => LaidOutBlock { layout: laid_out(rules), presence: BlockPresence::Present },
            None => {
                let message = format!("{name} has no layout for {} `{}`", block.kind, block.name);
                let layout = BlockLayout {
                    rules: name.to_owned(),
                    name: block.name.clone(),
                    kind: block.kind,
                    count: block.count,
                    result: Err(vec![Refusal { path: String::new(), message }]),
                    stride: None,
                    warnings: Vec::new(),
                };
                let is_asked = unused == Unused::Forbidden;
                let presence = if is_asked { BlockPresence::Present } else { BlockPresence::Absent };
                LaidOutBlock { layout, presence }
            }
        }
    });
    RuleSetLayouts { name: name.to_owned(), blocks: blocks.collect() }
}

fn read_case(cases: &Cases, id: &str, sources: &mut SourceMap) -> Result<Source, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let Some(case) = cases.read(&[id.to_owned()], sources, &mut problems).pop() else { return Err(problems) };
    let source = Source::of_case(&case, sources)?;
    source.ok_or_else(|| {
        let message = format!("case {id} is about declarations that are refused: there is nothing to show");
        vec![Diagnostic::error(Code::BadCase, case.declare, message)]
    })
}
