//! `layoutproof show` and `layoutproof diff`: layouts without any device.

use std::path::Path;

use anyhow::{Context, bail};
use layoutproof::check::Source;
use layoutproof::diagnostics::{Code, Diagnostic, render};
use layoutproof::layout::padding::{BlockPadding, Declared, padding};
use layoutproof::layout::{BlockLayout, RuleSet, find, lay_out, table};
use layoutproof::module::Block;
use layoutproof::read_naga;
use layoutproof::read_spirv::declared;
use layoutproof::report::Style;
use layoutproof::report::asserts::{Language, asserts};
use layoutproof::report::diff_text::diff;
use layoutproof::report::show_json::{Problem, Shown, ShownBlock, ShownLayout};
use layoutproof::report::summary::Exit;
use layoutproof::report::{padding_text, struct_text};
use layoutproof::sources::{SourceMap, Span};

use crate::args::{DeclareArgs, DiffArgs, ShowArgs, ShowFormat};
use crate::inputs::{Cases, Word, add_text};
use crate::output::{print, warn};
use crate::selection::{Refused, options_of, rule_set};
use crate::wanted::{Wanted, native_rules};

/// The rule set of files that say their own offsets.
const DECLARED: &str = "declared";

/// First word of every SPIR-V module.
const SPIRV_MAGIC: u32 = 0x0723_0203;

/// Shows one input under one or more rule sets.
///
/// # Errors
/// What could not be read; refused files are shown as such.
pub(crate) fn show(args: &ShowArgs, style: Style) -> anyhow::Result<Exit> {
    let mut sources = SourceMap::default();
    let wanted = Wanted::of(args)?;
    let input = match Input::read(&args.input, &args.declare, &mut sources)? {
        Ok(input) => input,
        Err(found) => return Ok(refuse(args, &found, &sources, style)),
    };
    let layouts = input.layouts(&wanted)?;
    let refused = if wanted == Wanted::Bare { Vec::new() } else { input.refusals(&layouts) };
    if !refused.is_empty() {
        return Ok(refuse(args, &refused, &sources, style));
    }
    let blocks = || layouts.iter().flat_map(|layout| layout.blocks.iter().cloned()).collect::<Vec<_>>();
    let shown = || layouts.iter().map(Layouts::shown).collect::<Vec<_>>();
    let padding = args.padding.then(|| input.padding(&layouts));
    match args.format {
        ShowFormat::Json => {
            let warnings = input.warnings().iter().map(|warning| Problem::new(warning, &sources)).collect();
            let mut answer = Shown::layouts(&args.input, shown());
            answer.warnings = warnings;
            answer.padding = padding;
            print(&answer.to_json());
        }
        ShowFormat::Text => {
            print(&struct_text::show(&shown(), style));
            print(&padding.map(|padding| padding_text::text(&padding, style)).unwrap_or_default());
        }
        ShowFormat::RustAsserts => print(&asserts(&args.input, &blocks(), Language::Rust)),
        ShowFormat::CppAsserts => print(&asserts(&args.input, &blocks(), Language::Cpp)),
    }
    warn(&render(input.warnings(), &sources, style.colour));
    Ok(Exit::Agree)
}

fn refuse(args: &ShowArgs, found: &[Diagnostic], sources: &SourceMap, style: Style) -> Exit {
    warn(&render(found, sources, style.colour));
    if args.format == ShowFormat::Json {
        print(&Shown::refused(&args.input, found, sources).to_json());
    }
    Exit::CouldNotRun
}

/// Compares two rule sets on one input.
///
/// # Errors
/// What could not be read, and every problem of the input.
pub(crate) fn compare(args: &DiffArgs, style: Style) -> anyhow::Result<Exit> {
    let mut sources = SourceMap::default();
    let (left, right) = (rule_set(&args.left)?, rule_set(&args.right)?);
    let input = match Input::read(&args.input, &args.declare, &mut sources)? {
        Ok(input) => input,
        Err(diagnostics) => bail!(Refused { diagnostics, sources }),
    };
    let layouts = input.layouts(&Wanted::Rules(vec![left, right]))?;
    let diagnostics = input.refusals(&layouts);
    if !diagnostics.is_empty() {
        bail!(Refused { diagnostics, sources });
    }
    let shown: Vec<ShownLayout> = layouts.iter().map(Layouts::shown).collect();
    let [left, right] = shown.as_slice() else { bail!("{} says its own offsets: nothing to compare", args.input) };
    let difference = diff(left, right, style);
    print(&difference.text);
    Ok(if difference.differs { Exit::Differ } else { Exit::Agree })
}

/// All blocks under one rule set.
struct Layouts {
    rules: String,
    blocks: Vec<BlockLayout>,
}

impl Layouts {
    fn shown(&self) -> ShownLayout {
        let blocks = self.blocks.iter().map(|block| ShownBlock::new(block, block.rows())).collect();
        ShownLayout { rules: self.rules.clone(), blocks }
    }
}

/// What is shown.
enum Input {
    /// Declarations, which every rule set lays out.
    Declared(Box<Source>),
    /// A module that says its own offsets.
    LaidOut(Vec<BlockLayout>),
}

impl Input {
    fn read(
        word: &str,
        declare: &DeclareArgs,
        sources: &mut SourceMap,
    ) -> anyhow::Result<Result<Self, Vec<Diagnostic>>> {
        match Word::of(word) {
            Word::Declarations(path) => {
                let span = add_text(&path, sources)?;
                let source = Source::of_file(span, declare.layout_options(), &options_of(declare), sources);
                Ok(source.map(|source| Self::Declared(Box::new(source))))
            }
            Word::LaidOut(path) => read_laid_out(&path, sources).map(|read| read.map(Self::LaidOut)),
            Word::CaseFile(path) => {
                let mut cases = Cases::load(&declare.cases)?;
                let id = cases.add_file(&path)?;
                Ok(read_case(&cases, &id, sources))
            }
            Word::Filter(filter) => {
                let cases = Cases::load(&declare.cases)?;
                let exact: Vec<String> = cases.matching(&[]).into_iter().filter(|id| *id == filter).collect();
                let found = if exact.is_empty() { cases.matching(std::slice::from_ref(&filter)) } else { exact };
                match found.as_slice() {
                    [id] => Ok(read_case(&cases, id, sources)),
                    [] => bail!("no file and no case is called `{filter}`"),
                    [first, ..] => bail!("`{filter}` names {} cases, `{first}` is the first", found.len()),
                }
            }
        }
    }

    fn layouts(&self, wanted: &Wanted) -> anyhow::Result<Vec<Layouts>> {
        let source = match self {
            Self::LaidOut(blocks) => return Ok(vec![Layouts { rules: DECLARED.to_owned(), blocks: blocks.clone() }]),
            Self::Declared(source) => source,
        };
        let blocks = &source.module.blocks;
        let under = |rules: &&RuleSet| Layouts {
            rules: rules.name.to_owned(),
            blocks: blocks.iter().map(|block| lay_out(block, rules, source.options)).collect(),
        };
        match wanted {
            Wanted::Bare => Ok(table().iter().filter(|rules| rules.is_bare()).map(|rules| under(&rules)).collect()),
            Wanted::Rules(rules) => Ok(rules.iter().map(under).collect()),
            Wanted::Native(native) => {
                let lay_out = |block| Ok(lay_out(block, native_rules(native, block)?, source.options));
                let blocks = blocks.iter().map(lay_out).collect::<anyhow::Result<_>>()?;
                Ok(vec![Layouts { rules: native.name.to_owned(), blocks }])
            }
        }
    }

    /// Blocks that a rule set forbids.
    fn refusals(&self, layouts: &[Layouts]) -> Vec<Diagnostic> {
        let Self::Declared(source) = self else { return Vec::new() };
        let mut found = Vec::new();
        for block in layouts.iter().flat_map(|layout| layout.blocks.iter().zip(&source.module.blocks)) {
            let (layout, Block { span, .. }) = block;
            let reasons = layout.result.as_ref().err().into_iter().flatten().map(|refusal| {
                let path = layoutproof::case::expect::join(&layout.name, &refusal.path);
                format!("{} forbids `{path}`: {}", layout.rules, refusal.message)
            });
            found.extend(reasons.map(|reason| Diagnostic::error(Code::RuleForbids, *span, reason)));
        }
        found
    }

    /// Padding of every block; other orders are tried where there are declarations.
    fn padding(&self, layouts: &[Layouts]) -> Vec<BlockPadding> {
        let mut found = Vec::new();
        for layout in layouts.iter().flat_map(|layout| layout.blocks.iter().enumerate()) {
            let (index, layout) = layout;
            let declared = match self {
                Self::LaidOut(_) => None,
                Self::Declared(source) => find(&layout.rules).map(|rules| Declared {
                    block: &source.module.blocks[index],
                    rules,
                    options: source.options,
                }),
            };
            found.extend(padding(layout, declared));
        }
        found
    }

    fn warnings(&self) -> &[Diagnostic] {
        match self {
            Self::Declared(source) => &source.module.warnings,
            Self::LaidOut(_) => &[],
        }
    }
}

fn read_laid_out(path: &Path, sources: &mut SourceMap) -> anyhow::Result<Result<Vec<BlockLayout>, Vec<Diagnostic>>> {
    let name = path.display().to_string();
    if path.extension().is_some_and(|extension| extension == "spv") {
        let bytes = std::fs::read(path).with_context(|| format!("reading {name}"))?;
        let file = sources.add(name, "");
        let blocks = words_of(&bytes).and_then(|words| declared(&words).map_err(|error| error.to_string()));
        let problem = |reason| vec![Diagnostic::error(Code::BadModule, Span { file, ..Span::default() }, reason)];
        return Ok(blocks.map(|blocks| blocks.into_iter().map(|block| block.layout).collect()).map_err(problem));
    }
    let span = add_text(path, sources)?;
    let text = sources.file(span.file).text.clone();
    let glsl = path.extension().is_some_and(|extension| extension == "glsl");
    Ok(if glsl { read_naga::read_glsl(&text, span.file) } else { read_naga::read_wgsl(&text, span.file) })
}

/// The words of a SPIR-V file, which may be of either byte order.
fn words_of(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    if !bytes.len().is_multiple_of(4) {
        return Err(format!("{} bytes are no whole number of 4-byte words: the file is truncated", bytes.len()));
    }
    let swapped = words.clone().next().is_some_and(|first| u32::from_be_bytes(first) == SPIRV_MAGIC);
    Ok(words.map(if swapped { u32::from_be_bytes } else { u32::from_le_bytes }).collect())
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
