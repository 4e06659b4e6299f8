//! The formats of `layoutproof show`.
//!
//! [`FORMATS`] is the one list of them: `--format` takes its values from it. The texts come from
//! `layoutproof-show` and `layoutproof-report`, which know no arguments.

use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use layoutproof_bindings::BindingRequest;
use layoutproof_events::Account;
use layoutproof_report::html::{layout_sheet, show_page};
use layoutproof_show::asserts::HostLanguage;
use layoutproof_show::bindings_text::BindingsColumn;
use layoutproof_show::llvm_types::{LlvmForm, llvm_types};
use layoutproof_show::show_json::Shown;
use layoutproof_show::shown_columns::ShownColumn;
use layoutproof_show::struct_text::{self, TextOptions};
use layoutproof_show::{
    InputContent, Placements, RuleSetLayouts, ShowInput, Style, bindings_text, csv_text, markdown_text, one_line,
    padding_text,
};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::commands::show::args::ShowArgs;
use crate::commands::show::reflection::ReflectionForm;
use crate::commands::show::{bindings, host_text};
use crate::output::text_columns;

/// All formats, in the order of the help.
pub(crate) static FORMATS: [LayoutFormat; 14] = [
    LayoutFormat {
        name: "text",
        help: "For people",
        kind: FormatKind::Tables,
        text: |shown| Ok(text(shown)),
        heading: struct_text::file_heading,
        ..OTHER
    },
    LayoutFormat {
        name: "json",
        help: "For programs",
        text: |shown| Ok(json(shown)),
        refusal: Shown::to_json,
        ..OTHER
    },
    LayoutFormat {
        name: "markdown",
        aliases: &["md"],
        help: "Tables for documents and reviews",
        kind: FormatKind::Tables,
        text: |shown| Ok(markdown(shown)),
        heading: markdown_heading,
        ..OTHER
    },
    LayoutFormat { name: "csv", help: "A line per member and rule set, for spreadsheets", text: csv, ..OTHER },
    LayoutFormat {
        name: "html",
        help: "A page with tables and byte maps",
        kind: FormatKind::Drawing,
        text: |shown| Ok(show_page(shown.word, &shown.columns(), shown.input.written_language())),
        ..OTHER
    },
    LayoutFormat {
        name: "svg",
        help: "The byte maps as one picture",
        kind: FormatKind::Drawing,
        text: |shown| Ok(layout_sheet(&shown.columns(), shown.input.written_language())),
        ..OTHER
    },
    LayoutFormat {
        name: "rust-asserts",
        aliases: &["rust", "rs"],
        help: "Structs of Rust with assertions of their offsets and sizes",
        kind: FormatKind::HostStructs,
        text: |shown| host_text::structs(shown, HostLanguage::Rust),
        ..OTHER
    },
    LayoutFormat {
        name: "cpp-asserts",
        aliases: &["cpp", "c++", "cxx"],
        help: "Structs of C++ with assertions of their offsets and sizes",
        kind: FormatKind::HostStructs,
        text: |shown| host_text::structs(shown, HostLanguage::Cpp),
        ..OTHER
    },
    LayoutFormat {
        name: "c-asserts",
        aliases: &["c"],
        help: "Structs of C with assertions of their offsets and sizes",
        kind: FormatKind::HostStructs,
        text: |shown| host_text::structs(shown, HostLanguage::C),
        ..OTHER
    },
    LayoutFormat {
        name: "ts",
        aliases: &["typescript", "js", "javascript"],
        help: "Typed views of TypeScript and JavaScript: a typed array for each member",
        kind: FormatKind::HostStructs,
        text: host_text::typed_views,
        ..OTHER
    },
    LayoutFormat {
        name: "llvm",
        help: "LLVM types with explicit padding, as Clang makes them",
        kind: FormatKind::LlvmTypes,
        text: |shown| Ok(llvm_types(&host_text::blocks(shown), LlvmForm::Padded)),
        ..OTHER
    },
    LayoutFormat {
        name: "llvm-layout",
        aliases: &["llvm-seed"],
        help: "LLVM types with `target(\"dx.Layout\", ...)` or `target(\"spirv.Layout\", ...)`, and for a cbuffer the \
               struct of its registers, as in the proposals for Clang",
        kind: FormatKind::LlvmTypes,
        text: |shown| Ok(llvm_types(&host_text::blocks(shown), LlvmForm::TargetLayout)),
        ..OTHER
    },
    LayoutFormat {
        name: "slang-json",
        help: "What `slangc -reflection-json` prints",
        reflection: Some(ReflectionForm::Json),
        ..OTHER
    },
    LayoutFormat {
        name: "slang-yaml",
        help: "The tree of the Slang user guide's reflection chapter",
        reflection: Some(ReflectionForm::Yaml),
        ..OTHER
    },
];

/// A value of `--format`: writes the layouts of one input.
#[derive(Clone, Copy, Debug)]
pub struct LayoutFormat {
    name: &'static str,
    /// A second name, which the help does not list.
    aliases: &'static [&'static str],
    help: &'static str,
    pub(crate) kind: FormatKind,
    pub(crate) text: fn(&ShownInput<'_>) -> anyhow::Result<String>,
    /// The text before one of several inputs, from the input's name, and whether it is below another.
    pub(crate) heading: fn(&str, bool, Style) -> String,
    /// The text for an input that cannot be shown; standard error has the reasons in any case.
    pub(crate) refusal: fn(&Shown) -> String,
    /// The whole program as Slang's reflection describes it, in place of layouts. `show_reflection` writes it.
    pub(crate) reflection: Option<ReflectionForm>,
}

/// The fields that most formats leave as they are.
const OTHER: LayoutFormat = LayoutFormat {
    name: "",
    aliases: &[],
    help: "",
    kind: FormatKind::Data,
    text: |_| bail!("reflection is not a format of layouts"),
    heading: |_, _, _| String::new(),
    refusal: |_| String::new(),
    reflection: None,
};

/// The use of a format, which decides about options and defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatKind {
    /// Tables for people. They show everything, for any number of inputs.
    Tables,
    /// Data for programs. It must not depend on the current folder.
    Data,
    /// Drawings for people. They show layouts without bindings.
    Drawing,
    /// A source file of a program, with structs. It has one layout of each block.
    HostStructs,
    /// A file with types of LLVM.
    LlvmTypes,
}

impl FormatKind {
    /// True if the text becomes a file of a program. Such a file would look complete without a block
    /// that a rule set forbids; other formats show which block is missing.
    pub(crate) fn is_program_file(self) -> bool {
        matches!(self, Self::HostStructs | Self::LlvmTypes)
    }
}

/// One input with everything that formats write about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownInput<'a> {
    pub(crate) args: &'a ShowArgs,
    /// What the input has, and what became of it.
    pub(crate) account: &'a Account,
    /// True for each input but the first.
    pub(crate) is_below_another: bool,
    /// The file or case, as the user names it.
    pub(crate) word: &'a str,
    pub(crate) input: &'a ShowInput,
    pub(crate) layouts: &'a [RuleSetLayouts],
    /// True if the user names rule sets, or targets whose layouts are shown.
    pub(crate) has_selected_layouts: bool,
    pub(crate) requests: &'a [BindingRequest],
    pub(crate) placements: &'a Placements,
    /// A line that names the source of the columns; may be empty.
    pub(crate) note: &'a str,
    /// Blocks that a named rule set forbids.
    pub(crate) forbidden: &'a [Diagnostic],
    pub(crate) warnings: &'a [Diagnostic],
    pub(crate) sources: &'a SourceMap,
    pub(crate) style: Style,
}

impl ShownInput<'_> {
    fn columns(&self) -> Vec<ShownColumn> {
        self.layouts.iter().map(RuleSetLayouts::column).collect()
    }
}

pub(crate) fn format_parser() -> impl TypedValueParser<Value = &'static LayoutFormat> {
    let values = FORMATS.iter().map(|format| PossibleValue::new(format.name).aliases(format.aliases).help(format.help));
    PossibleValuesParser::new(values).try_map(|word: String| {
        let word = word.to_ascii_lowercase();
        let is_named = |format: &&LayoutFormat| format.name == word || format.aliases.contains(&word.as_str());
        FORMATS.iter().find(is_named).ok_or("no such format")
    })
}

fn text(shown: &ShownInput<'_>) -> String {
    let ShownInput { input, placements, note, style, .. } = *shown;
    let mut text = String::new();
    if !shown.layouts.is_empty() {
        let columns = shown.columns();
        let is_overview = placements.columns.is_empty();
        let entry = shown.args.declare.entry.as_deref();
        let bound = if is_overview { input.usual_placements(shown.layouts, entry) } else { Placements::default() };
        let mut places = bound.short_places();
        let by_declaration = BindingsColumn::rows(&bound.columns)
            .into_iter()
            .filter_map(|row| Some((row.declared.to_owned(), places.get(row.path)?.clone())));
        places.extend(by_declaration.collect::<Vec<_>>());
        let is_whole = shown.args.host.block.is_empty();
        let resources = if is_overview && is_whole { input.resources() } else { Vec::new() };
        let mut hints = hints(shown, &columns, !resources.is_empty() && places.is_empty());
        hints.extend(bound.shared());
        let places = Some(&places);
        let options = TextOptions { style, width: text_columns(), resources: &resources, places, hints: &hints };
        text = struct_text::show(&columns, input.written_language(), &options);
    }
    text += note;
    if shown.args.padding {
        text += &padding_text::text(&input.padded_blocks(shown.layouts, shown.sources), style);
    }
    if !placements.columns.is_empty() {
        text += &bindings_text::table(&placements.columns, style, text_columns());
    }
    text
}

/// Options that answer more about the shown layouts.
fn hints(shown: &ShownInput<'_>, columns: &[ShownColumn], lacks_places: bool) -> Vec<String> {
    let has_declarations = matches!(shown.input.content, InputContent::Declared(_));
    let blocks = || columns.iter().flat_map(|column| &column.blocks);
    let has_padding = blocks().any(|block| block.padding.is_some_and(|padding| padding.bytes > 0));
    let mut hints = Vec::new();
    if has_declarations && has_padding && !shown.args.padding {
        hints.push("better order: --padding".to_owned());
    }
    // Other languages need a rule set with it.
    let takes_no_rules = shown.input.language == Some(ShaderLanguage::Hlsl) || !has_declarations;
    if takes_no_rules && blocks().next().is_some() {
        hints.push("C++: --format cpp".to_owned());
    }
    if lacks_places {
        hints.push("bindings: --target".to_owned());
    }
    hints
}

fn json(shown: &ShownInput<'_>) -> String {
    let answer = bindings::shown(shown).with_warnings(shown.warnings, shown.sources);
    let mut answer = answer.with_forbidden(shown.forbidden, shown.sources);
    answer.padding = shown.args.padding.then(|| shown.input.padding(shown.layouts));
    answer.to_json()
}

fn markdown_heading(word: &str, is_below_another: bool, _: Style) -> String {
    let gap = if is_below_another { "\n" } else { "" };
    format!("{gap}## {}\n\n", one_line(word))
}

fn markdown(shown: &ShownInput<'_>) -> String {
    let mut text = markdown_text::blocks(&shown.columns(), shown.input.written_language());
    if !shown.placements.columns.is_empty() {
        text += &markdown_text::bindings(&shown.placements.columns);
    }
    text
}

fn csv(shown: &ShownInput<'_>) -> anyhow::Result<String> {
    if !shown.requests.is_empty() || shown.args.padding {
        bail!("the format csv has offsets alone: --target and --padding go with text and json");
    }
    let header = if shown.is_below_another { "" } else { csv_text::HEADER };
    Ok(format!("{header}{}", csv_text::members(shown.word, &shown.columns())))
}
