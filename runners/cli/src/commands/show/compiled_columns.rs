//! The columns of a file that our reader refuses, as compilers lay it out.

use std::path::Path;

use layoutproof_bindings::{Binding, BoundModule, Convention};
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::shader_file::compiler_reading::{CompilerReading, CompilersColumn, RefusedFile};
use layoutproof_inputs::shared_suffixes::language_of_file;
use layoutproof_layout::{BlockLayout, Column, Refusal, RuleChoice, Span, ViewId};
use layoutproof_show::bindings_text::BindingsColumn;
use layoutproof_show::shown_columns::{BlockPresence, ColumnName};
use layoutproof_show::{
    InputContent, LaidOutBlock, LaidOutFile, Placements, RuleSetLayouts, ShowInput, ShownColumnChoice, ShownRules,
    shipping,
};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use super::args::ShowArgs;
use super::show_rules::selected_columns;
use crate::args::placement::NamedConvention;
use crate::output::warn;

/// Advice for a request that no compiler's answer can meet.
const ONLY_DECLARATIONS: &str = "no compiler can read it instead: rule sets, conventions with a version and bindings of compilers other than slangc need declarations";

/// A file as compilers lay it out.
#[derive(Debug)]
pub(super) struct CompiledColumns {
    /// The file with the blocks of the first column.
    pub(super) input: ShowInput,
    pub(super) layouts: Vec<RuleSetLayouts>,
    /// The bindings of the targets that the user names.
    pub(super) placements: Placements,
    /// A line that names the compilers.
    pub(super) note: String,
    /// True if the user names a column that no compiler answers for.
    pub(super) lacks_one: bool,
}

/// The columns of a file, and the options for reading it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestedColumns<'a> {
    pub(super) args: &'a ShowArgs,
    pub(super) word: &'a str,
    pub(super) declare: &'a DeclareArgs,
    pub(super) profile: Option<&'a str>,
    pub(super) rules: &'a ShownRules,
}

impl CompiledColumns {
    /// Asks the compilers, and prints who read the file and why. The inner error holds the problems of the
    /// file, if none of them answers or the user asks for what only declarations have: rule sets, bindings of DXC.
    ///
    /// # Errors
    /// The folder of tools is misnamed, or a target or compiler has no column with the others.
    pub(super) fn of(
        requested: RequestedColumns<'_>,
        problems: &[Diagnostic],
        sources: &SourceMap,
    ) -> anyhow::Result<Result<Self, Vec<Diagnostic>>> {
        let RequestedColumns { args, word, declare, profile, .. } = requested;
        let path = Path::new(word);
        let file = RefusedFile { path, declare, profile, problems, sources, first_file: 0 };
        let language = language_of_file(declare.lang, path);
        let (Some(language), true) = (language, file.may_be_read()) else { return Ok(Err(problems.to_vec())) };
        let is_slangc = |named: &NamedConvention| {
            language == ShaderLanguage::Slang && named.convention == Convention::Slang && named.version.is_none()
        };
        let is_answered = args.placement.convention.iter().all(is_slangc) && args.placement.option.is_empty();
        let Some((choices, are_named)) = requested.choices(language)?.filter(|_| is_answered) else {
            return Ok(Err(file.problems_with(ONLY_DECLARATIONS)));
        };
        let read = match CompilerReading::of(file, choices.iter().map(|column| column.choice.name()))? {
            Ok(read) => read,
            Err(problems) => return Ok(Err(problems)),
        };
        for note in &read.notes {
            warn(&format!("note: {note}\n"));
        }
        let severity = if are_named { "error" } else { "note" };
        for sentence in &read.left_out {
            warn(&format!("{severity}: {sentence}\n"));
        }
        let mut placements = Placements::default();
        if !args.placement.target.is_empty() {
            placements.columns = bindings(word, &read.columns);
            if placements.columns.is_empty() && requested.are_bindings_alone(language)? {
                return Ok(Err(file.problems_with(ONLY_DECLARATIONS)));
            }
        }
        let first = read.columns.first().map(|column| column.blocks.clone()).unwrap_or_default();
        let content = InputContent::LaidOut(LaidOutFile { blocks: first, ..LaidOutFile::default() });
        Ok(Ok(Self {
            input: ShowInput { content, language: Some(language), assumes_sixteen_bit: false },
            note: format!("  answered by {}\n", read.compilers),
            layouts: layouts(read.columns),
            placements,
            lacks_one: are_named && !read.left_out.is_empty(),
        }))
    }
}

impl RequestedColumns<'_> {
    /// The columns, and whether the user names them.
    fn choices(&self, language: ShaderLanguage) -> anyhow::Result<Option<(Vec<ShownColumnChoice>, bool)>> {
        Ok(match self.selected(language)? {
            ShownRules::Columns(columns) => Some((columns, true)),
            ShownRules::Named(choices) => Some((choices.into_iter().map(Into::into).collect(), true)),
            ShownRules::Shipping | ShownRules::Bare if !self.args.placement.target.is_empty() => {
                Some((self.args.placement.column_choices(Some(language))?, true))
            }
            ShownRules::Shipping | ShownRules::Bare => {
                Some((shipping(language).map(|native| RuleChoice::Native(native).into()).collect(), false))
            }
            ShownRules::Relevant => None,
        })
    }

    fn selected(&self, language: ShaderLanguage) -> anyhow::Result<ShownRules> {
        if self.args.rules.is_empty() && self.args.placement.selects_columns() {
            selected_columns(self.args, language)
        } else {
            Ok(self.rules.clone())
        }
    }

    /// True if a program asks for the bindings of one target, without layouts.
    fn are_bindings_alone(&self, language: ShaderLanguage) -> anyhow::Result<bool> {
        Ok(matches!(self.selected(language)?, ShownRules::Bare))
    }
}

/// The bindings of the columns that have them, after notes about the others and about places that they lack.
fn bindings(word: &str, columns: &[CompilersColumn]) -> Vec<BindingsColumn> {
    let mut shown: Vec<BindingsColumn> = Vec::new();
    for column in columns {
        let named = Column { version: Some(&column.version), ..column.native.column };
        let Some(reflection) = &column.reflection else {
            warn(&format!("note: {word}: the bindings of {named} are not shown, because they need the declarations\n"));
            continue;
        };
        // A layout option moves no binding.
        if shown.iter().any(|other| other.target == named.target) {
            continue;
        }
        let mut unplaced = reflection.places.unplaced.clone();
        let mut bound = BoundModule::default();
        for row in &reflection.places.rows {
            let (path, unit, space, count) = (row.name.clone(), row.unit, row.space, row.count);
            match row.index {
                Some(index) => {
                    bound.bindings.push(Binding { path, unit, space, index, count, span: Span::default() });
                }
                None => unplaced.push(path),
            }
        }
        if !unplaced.is_empty() {
            let names = unplaced.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            warn(&format!("note: {word}: slangc's reflection for {named} leaves the place of {names} open\n"));
        }
        let overlaps = bound.overlaps(false);
        let mut own = BindingsColumn::new(named, bound, None, overlaps);
        own.answered_by = named.compiler.map(|compiler| (compiler, column.version.clone()));
        shown.push(own);
    }
    shown
}

/// The columns with the same blocks in the same order. A block that a column lacks is absent there.
pub(super) fn layouts(columns: Vec<CompilersColumn>) -> Vec<RuleSetLayouts> {
    let mut all: Vec<BlockLayout> = Vec::new();
    for block in columns.iter().flat_map(|column| &column.blocks) {
        if all.iter().all(|known| known.name != block.name) {
            let result = Err(vec![Refusal { path: String::new(), message: String::new() }]);
            let view = ViewId(u32::try_from(all.len()).expect("compilers list fewer blocks"));
            all.push(BlockLayout { view, result, stride: None, warnings: Vec::new(), ..block.clone() });
        }
    }
    let layouts = columns.into_iter().map(|column| {
        let own = |absent: &BlockLayout| match column.blocks.iter().find(|block| block.name == absent.name) {
            // The kinds of SPIR-V are those of its storage classes; the first column has the source's.
            Some(block) => LaidOutBlock {
                layout: BlockLayout { view: absent.view, kind: absent.kind, ..block.clone() },
                presence: BlockPresence::Present,
                declared: None,
            },
            None => LaidOutBlock { layout: absent.clone(), presence: BlockPresence::Absent, declared: None },
        };
        RuleSetLayouts {
            name: ColumnName::of_target(Column { version: Some(&column.version), ..column.native.column }),
            choice: Some(RuleChoice::Native(column.native)),
            version: Some(column.version.clone()),
            read_by: Some(column.compiler()),
            blocks: all.iter().map(own).collect(),
            targets: vec![column.native],
        }
    });
    layouts.collect()
}
