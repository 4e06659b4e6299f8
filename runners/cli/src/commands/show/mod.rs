//! `layoutproof show` and `layoutproof diff`: layouts without any device.

pub(crate) mod args;
mod bindings;
pub(crate) mod show_rules;

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::bail;
use layoutproof_core::bindings::BindingRequest;
use layoutproof_core::check::Source;
use layoutproof_core::input::diagnostics::{Code, Diagnostic, render};
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::report::asserts::{HostLanguage, asserts};
use layoutproof_core::report::diff_text::diff;
use layoutproof_core::report::llvm_types::{LlvmForm, llvm_types};
use layoutproof_core::report::show_json::{Shown, ShownBlock, ShownLayout};
use layoutproof_core::report::summary::Exit;
use layoutproof_core::report::{Style, bindings_text, padding_text, struct_text};
use layoutproof_layout::padding::{BlockPadding, padding};
use layoutproof_layout::reorder::LayoutInput;
use layoutproof_layout::{Block, BlockLayout, DECLARED, LayoutWarning, RuleSet, Span, find, join, lay_out, table};

use crate::args::DeclareArgs;
use crate::commands::show::args::{DiffArgs, ShowArgs, ShowFormat};
use crate::commands::show::bindings::{Placements, check_format};
use crate::commands::show::show_rules::{ShownRules, native_rules};
use crate::output::{print, print_json, warn_rendered};
use crate::select::inputs::{Cases, InputWord, NO_LANGUAGE, STANDARD_INPUT, add_text};
use crate::select::refused_input::RefusedInput;
use crate::select::rule_set::rule_set;
use crate::select::shader_file::declare_options::options_of;
use crate::select::shader_file::explicit_layouts;
use crate::select::shader_file::laid_out_file::LaidOutFile;

/// Shows one input under one or more rule sets.
///
/// # Errors
/// What could not be read; refused files are shown as such.
pub(crate) fn show(args: &ShowArgs, style: Style) -> anyhow::Result<Exit> {
    let mut sources = SourceMap::default();
    let shown_rules = ShownRules::of(args).map_err(|error| not_read(args, Code::UnknownRules, error))?;
    let profile = args.placement.profile.as_deref();
    let read = Input::read(&args.input, &args.declare, profile, &mut sources);
    let input = match read.map_err(|error| not_read(args, Code::Unreadable, error))? {
        Ok(input) => input,
        Err(found) => return Ok(refuse(args, &found, &sources, style)),
    };

    let requests = input.requests(args)?;
    let placements = input.placements(&requests);
    let laid_out = || input.layouts(&shown_rules).map_err(|error| not_read(args, Code::UnknownRules, error));
    let layouts = if requests.is_empty() || shown_rules != ShownRules::Bare { laid_out()? } else { Vec::new() };
    let forbidden = if shown_rules == ShownRules::Bare { Vec::new() } else { input.refusals(&layouts) };

    let mut refused = placements.refused.clone();
    // A host struct for some of the blocks would be taken for all of them; tables and JSON say which one is missing.
    let shows_the_rest = matches!(args.format, ShowFormat::Text | ShowFormat::Json);
    if !shows_the_rest || !refused.is_empty() {
        refused.extend(forbidden.iter().cloned());
    }

    if !refused.is_empty() {
        if args.format == ShowFormat::Text && !placements.columns.is_empty() {
            print(&bindings_text::table(&placements.columns, style));
        }
        return Ok(refuse(args, &refused, &sources, style));
    }

    let mut warnings = input.warnings(&layouts);
    warnings.extend(placements.warnings());
    let padding = args.padding.then(|| input.padding(&layouts));
    let shown = || layouts.iter().map(RuleSetLayouts::shown).collect::<Vec<_>>();
    let blocks = || layouts.iter().flat_map(RuleSetLayouts::copied).collect::<Vec<_>>();

    match args.format {
        ShowFormat::Json => {
            let shown = placements.shown(args, shown());
            let mut answer = shown.with_warnings(&warnings, &sources).with_forbidden(&forbidden, &sources);
            answer.padding = padding;
            print_json(&answer.to_json());
        }
        ShowFormat::Text => {
            print(&struct_text::show(&shown(), style));
            print(&padding.map(|padding| padding_text::text(&padding, style)).unwrap_or_default());
            if !placements.columns.is_empty() {
                print(&bindings_text::table(&placements.columns, style));
            }
        }
        ShowFormat::RustAsserts => print(&asserts(&args.input, &blocks(), HostLanguage::Rust)),
        ShowFormat::CppAsserts => print(&asserts(&args.input, &blocks(), HostLanguage::Cpp)),
        ShowFormat::Llvm => print(&llvm_types(&blocks(), LlvmForm::Padded)),
        ShowFormat::LlvmLayout => print(&llvm_types(&blocks(), LlvmForm::TargetLayout)),
    }
    warn_rendered(&render(&[forbidden.as_slice(), &warnings].concat(), &sources, style.colour));
    Ok(if forbidden.is_empty() { Exit::Agree } else { Exit::CouldNotRun })
}

fn refuse(args: &ShowArgs, found: &[Diagnostic], sources: &SourceMap, style: Style) -> Exit {
    warn_rendered(&render(found, sources, style.colour));
    if args.format == ShowFormat::Json {
        print_json(&Shown::refused(&args.input, found, sources).to_json());
    }
    Exit::CouldNotRun
}

/// Tells programs why there is nothing to show; the caller tells people.
fn not_read(args: &ShowArgs, code: Code, error: anyhow::Error) -> anyhow::Error {
    if args.format == ShowFormat::Json {
        print_json(&Shown::not_read(&args.input, code, format!("{error:#}")).to_json());
    }
    error
}

/// Compares two rule sets on one input.
///
/// # Errors
/// What could not be read, and every problem of the input.
pub(crate) fn compare(args: &DiffArgs, style: Style) -> anyhow::Result<Exit> {
    let mut sources = SourceMap::default();
    let (left, right) = (rule_set(&args.left)?, rule_set(&args.right)?);
    let input = match Input::read(&args.input, &args.declare, None, &mut sources)? {
        Ok(input) => input,
        Err(diagnostics) => bail!(RefusedInput { diagnostics, sources }),
    };

    let layouts = input.layouts(&ShownRules::Rules(vec![left, right]))?;
    let diagnostics = input.refusals(&layouts);
    if !diagnostics.is_empty() {
        bail!(RefusedInput { diagnostics, sources });
    }
    let [left, right] = layouts.as_slice() else { bail!("{} says its own offsets: nothing to compare", args.input) };
    let difference = diff(&left.shown(), &right.shown(), style);
    print(&difference.text);
    Ok(if difference.differs { Exit::Differ } else { Exit::Agree })
}

/// The input of `show` and `diff`.
pub(crate) enum Input {
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
        match InputWord::of(word, declare.lang) {
            InputWord::Declarations(path) => {
                let span = add_text(&path, sources)?;
                let options = options_of(declare, &path, profile);
                let source = Source::of_file(span, declare.layout_options(), &options, sources);
                Ok(source.map(|source| Self::Declared(Box::new(source))))
            }
            InputWord::LaidOut(path) => {
                explicit_layouts::read(&path, declare, sources).map(|read| read.map(Self::LaidOut))
            }
            InputWord::CaseFile(path) => {
                let mut cases = Cases::load(&declare.cases)?;
                let id = cases.add_file(&path)?;
                Ok(read_case(&cases, &id, sources))
            }
            InputWord::Filter(filter) if filter == STANDARD_INPUT => bail!("{NO_LANGUAGE}"),
            InputWord::Filter(filter) => {
                let cases = Cases::load(&declare.cases)?;
                let id = only_case(&cases, &filter)?;
                Ok(read_case(&cases, &id, sources))
            }
        }
    }

    fn layouts(&self, shown_rules: &ShownRules) -> anyhow::Result<Vec<RuleSetLayouts<'_>>> {
        let source = match self {
            Self::LaidOut(file) => {
                return Ok(vec![RuleSetLayouts { rules: DECLARED, blocks: file.blocks.as_slice().into() }]);
            }
            Self::Declared(source) => source,
        };

        let blocks = &source.module.blocks;
        let under = |rules: &'static RuleSet| RuleSetLayouts {
            rules: rules.name,
            blocks: blocks.iter().map(|block| lay_out(block, rules, source.options)).collect(),
        };

        match shown_rules {
            ShownRules::Bare => Ok(table().iter().filter(|rules| rules.is_bare()).map(under).collect()),
            ShownRules::Rules(rules) => Ok(rules.iter().copied().map(under).collect()),
            ShownRules::Native(native) => {
                let lay_out = |block| Ok(lay_out(block, native_rules(native, block)?, source.options));
                let blocks = blocks.iter().map(lay_out).collect::<anyhow::Result<_>>()?;
                Ok(vec![RuleSetLayouts { rules: native.name, blocks }])
            }
        }
    }

    /// The questions for conventions; none where the user names no target.
    fn requests(&self, args: &ShowArgs) -> anyhow::Result<Vec<BindingRequest>> {
        let requests = match self {
            Self::Declared(source) => args.placement.requests(&source.invocation)?,
            Self::LaidOut(_) if args.placement.target.is_some() => {
                bail!("{} says its own bindings: no convention places its parameters", args.input)
            }
            Self::LaidOut(_) => Vec::new(),
        };
        check_format(args, &requests)?;
        Ok(requests)
    }

    fn placements(&self, requests: &[BindingRequest]) -> Placements {
        match self {
            Self::Declared(source) => Placements::of(source, requests),
            Self::LaidOut(_) => Placements::default(),
        }
    }

    /// Padding of every block; other orders are tried where there are declarations.
    fn padding(&self, layouts: &[RuleSetLayouts<'_>]) -> Vec<BlockPadding> {
        let declared = |index: usize, layout: &BlockLayout| match self {
            Self::LaidOut(_) => None,
            Self::Declared(source) => {
                let block = &source.module.blocks[index];
                find(&layout.rules).map(|rules| LayoutInput { block, rules, options: source.options })
            }
        };
        let blocks = layouts.iter().flat_map(|layout| layout.blocks.iter().enumerate());
        blocks.filter_map(|(index, layout)| padding(layout, declared(index, layout))).collect()
    }

    /// Blocks that a rule set forbids.
    fn refusals(&self, layouts: &[RuleSetLayouts<'_>]) -> Vec<Diagnostic> {
        let Self::Declared(source) = self else { return Vec::new() };
        let spans: Vec<Span> = source.module.blocks.iter().map(|block| block.span).collect();

        let mut found = Vec::new();
        for layout in layouts {
            for (block, span) in layout.blocks.iter().zip(&spans) {
                let reasons = block.result.as_ref().err().into_iter().flatten().map(|refusal| {
                    let path = join(&block.name, &refusal.path);
                    format!("{} forbids `{path}`: {}", block.rules, refusal.message)
                });
                found.extend(reasons.map(|reason| Diagnostic::error(Code::RuleForbids, *span, reason)));
            }
        }
        found
    }

    /// Warnings of the declarations or of the file, then those of the layouts.
    fn warnings(&self, layouts: &[RuleSetLayouts<'_>]) -> Vec<Diagnostic> {
        match self {
            Self::Declared(source) => {
                let declared = source.module.warnings.iter().cloned();
                declared.chain(layout_warnings(&source.module.blocks, layouts)).collect()
            }
            Self::LaidOut(file) => file.warnings.clone(),
        }
    }
}

/// All blocks under one rule set.
struct RuleSetLayouts<'a> {
    rules: &'a str,
    /// In the order of the module's blocks.
    blocks: Cow<'a, [BlockLayout]>,
}

impl RuleSetLayouts<'_> {
    fn copied(&self) -> impl Iterator<Item = BlockLayout> {
        self.blocks.iter().cloned()
    }

    fn shown(&self) -> ShownLayout {
        ShownLayout {
            rules: self.rules.to_owned(),
            blocks: self.blocks.iter().map(|block| ShownBlock::new(block, block.rows())).collect(),
        }
    }
}

/// Each warning of a layout once, with the rule sets that it holds under; by block, then by path.
fn layout_warnings(blocks: &[Block], layouts: &[RuleSetLayouts<'_>]) -> Vec<Diagnostic> {
    let mut found: BTreeMap<(usize, &LayoutWarning), Vec<&str>> = BTreeMap::new();
    for layout in layouts {
        for (index, block) in layout.blocks.iter().enumerate().filter(|(_, block)| block.result.is_ok()) {
            for warning in &block.warnings {
                found.entry((index, warning)).or_default().push(layout.rules);
            }
        }
    }

    let told = found.into_iter().map(|((index, warning), rules)| {
        let path = join(&blocks[index].name, &warning.path);
        let message = format!("`{path}`: {} ({})", warning.message, rules.join(", "));
        Diagnostic::warning(warning.kind.into(), blocks[index].span, message)
    });
    told.collect()
}

/// The id that `filter` is, or the only one that it matches.
///
/// # Errors
/// No case matches it, or several do.
fn only_case(cases: &Cases, filter: &str) -> anyhow::Result<String> {
    let exact: Vec<String> = cases.matching(&[]).into_iter().filter(|id| id == filter).collect();
    let found = if exact.is_empty() { cases.matching(&[filter.to_owned()]) } else { exact };
    match found.as_slice() {
        [id] => Ok(id.clone()),
        [] => bail!("no file and no case is called `{filter}`"),
        [first, ..] => bail!("`{filter}` names {} cases, `{first}` is the first", found.len()),
    }
}

fn read_case(cases: &Cases, id: &str, sources: &mut SourceMap) -> Result<Input, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let Some(case) = cases.read(&[id.to_owned()], sources, &mut problems).pop() else { return Err(problems) };
    let source = Source::of_case(&case, sources)?;
    source.map(|source| Input::Declared(Box::new(source))).ok_or_else(|| {
        let message = format!("case {id} is about declarations that are refused: there is nothing to show");
        vec![Diagnostic::error(Code::BadCase, case.declare, message)]
    })
}

#[cfg(test)]
mod tests {
    use layoutproof_core::declare::DeclareOptions;
    use layoutproof_layout::LayoutOptions;

    use super::*;

    /// What rule sets ignore or overlap, with the codes and the rule sets that say so.
    #[test]
    fn warnings_of_layouts_come_once_behind_those_of_declarations() {
        let text = "struct T { float4 a; [[vk::offset(64)]] float b; }; ConstantBuffer<T> S;\n\
            cbuffer C { float4 x : packoffset(c0); float y : packoffset(c0.w); float z; };";
        let mut sources = SourceMap::default();
        let file = sources.add("a.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let source = Source::of_file(span, LayoutOptions::default(), &DeclareOptions::default(), &mut sources).unwrap();
        let input = Input::Declared(Box::new(source));
        let named = ["hlsl-cbuffer", "slang-cbuffer", "scalar"].map(|name| find(name).unwrap());
        let layouts = input.layouts(&ShownRules::Rules(named.to_vec())).unwrap();
        let warnings = input.warnings(&layouts);
        let found: Vec<_> = warnings.iter().map(|it| (it.code, sources.position(it.span()).line)).collect();
        assert_eq!(found, [(Code::PackoffsetMixed, 2), (Code::Ignored, 1), (Code::OffsetOverlap, 2)]);
        assert_eq!(warnings[1].message, "`S.b`: [[vk::offset]] is ignored (hlsl-cbuffer, slang-cbuffer)");
        let overlap = "`C.y`: at offset 12 overlaps `x`, which ends at 16 (hlsl-cbuffer, slang-cbuffer, scalar)";
        assert_eq!(warnings[2].message, overlap);
    }
}
