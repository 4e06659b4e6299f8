//! The formats of `layoutproof show`.
//!
//! [`FORMATS`] is the one list of them: `--format` takes its values from it. The texts come from
//! `layoutproof-show` and `layoutproof-report`, which know no arguments.

use std::fmt;

use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use layoutproof_bindings::BindingRequest;
use layoutproof_report::html::{layout_sheet, show_page};
use layoutproof_show::asserts::HostLanguage;
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
pub(crate) const FORMATS: [&dyn LayoutFormat; 13] = [
    &Text,
    &Json,
    &Markdown,
    &Csv,
    &Page,
    &Picture,
    &HostStructs(HostLanguage::Rust),
    &HostStructs(HostLanguage::Cpp),
    &HostStructs(HostLanguage::C),
    &LlvmTypes(LlvmForm::Padded),
    &LlvmTypes(LlvmForm::TargetLayout),
    &SlangReflection(ReflectionForm::Json),
    &SlangReflection(ReflectionForm::Yaml),
];

/// Writes the layouts of one input.
pub trait LayoutFormat: fmt::Debug + Sync {
    fn name(&self) -> FormatName;

    fn kind(&self) -> FormatKind;

    fn text(&self, shown: &ShownInput<'_>) -> anyhow::Result<String>;

    /// The form of Slang's reflection that is shown in place of layouts.
    fn reflection(&self) -> Option<ReflectionForm> {
        None
    }

    /// The text before one of several inputs.
    fn heading(&self, _word: &str, _is_below_another: bool, _style: Style) -> String {
        String::new()
    }

    /// The text for an input that cannot be shown; standard error has the reasons in any case.
    fn refusal(&self, _: &Shown) -> String {
        String::new()
    }
}

/// A value of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatName {
    pub name: &'static str,
    /// A second name, which the help does not list.
    pub alias: Option<&'static str>,
    pub help: &'static str,
}

/// The use of a format, which decides about options and defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatKind {
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
pub struct ShownInput<'a> {
    pub(crate) args: &'a ShowArgs,
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

/// Parses the value of `--format`.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = &'static dyn LayoutFormat> {
    let value = |format: &dyn LayoutFormat| {
        let FormatName { name, alias, help } = format.name();
        PossibleValue::new(name).aliases(alias).help(help)
    };
    let named = |word: String| {
        let has_name = |format: &&dyn LayoutFormat| {
            let FormatName { name, alias, .. } = format.name();
            name == word || alias == Some(&*word)
        };
        FORMATS.into_iter().find(has_name).ok_or("no such format")
    };
    PossibleValuesParser::new(FORMATS.map(value)).try_map(named)
}

#[derive(Debug)]
struct Text;

impl LayoutFormat for Text {
    fn name(&self) -> FormatName {
        FormatName { name: "text", alias: None, help: "For people" }
    }

    fn kind(&self) -> FormatKind {
        FormatKind::Tables
    }

    fn heading(&self, word: &str, is_below_another: bool, style: Style) -> String {
        struct_text::file_heading(word, is_below_another, style)
    }

    fn text(&self, shown: &ShownInput<'_>) -> anyhow::Result<String> {
        let ShownInput { input, placements, note, style, .. } = *shown;
        let mut text = String::new();
        if !shown.layouts.is_empty() {
            let columns = shown.columns();
            let resources = if placements.columns.is_empty() { input.resources() } else { Vec::new() };
            let hints = hints(shown, &columns, !resources.is_empty());
            let options = TextOptions { style, width: text_columns(), resources: &resources, hints: &hints };
            text = struct_text::show(&columns, input.written_language(), &options);
        }
        text += note;
        if shown.args.padding {
            text += &padding_text::text(&input.padded_blocks(shown.layouts, shown.sources), style);
        }
        if !placements.columns.is_empty() {
            text += &bindings_text::table(&placements.columns, style, text_columns());
        }
        Ok(text)
    }
}

/// Options that answer more about the shown layouts.
fn hints(shown: &ShownInput<'_>, columns: &[ShownColumn], has_resources: bool) -> Vec<String> {
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
    if has_resources {
        hints.push("bindings: --target".to_owned());
    }
    hints
}

#[derive(Debug)]
struct Json;

impl LayoutFormat for Json {
    fn name(&self) -> FormatName {
        FormatName { name: "json", alias: None, help: "For programs" }
    }

    fn kind(&self) -> FormatKind {
        FormatKind::Data
    }

    fn text(&self, shown: &ShownInput<'_>) -> anyhow::Result<String> {
        let answer = bindings::shown(shown).with_warnings(shown.warnings, shown.sources);
        let mut answer = answer.with_forbidden(shown.forbidden, shown.sources);
        answer.padding = shown.args.padding.then(|| shown.input.padding(shown.layouts));
        Ok(answer.to_json())
    }

    fn refusal(&self, refusal: &Shown) -> String {
        refusal.to_json()
    }
}

#[derive(Debug)]
struct Markdown;

impl LayoutFormat for Markdown {
    fn name(&self) -> FormatName {
        FormatName { name: "markdown", alias: Some("md"), help: "Tables for documents and reviews" }
    }

    fn kind(&self) -> FormatKind {
        FormatKind::Tables
    }

    fn heading(&self, word: &str, is_below_another: bool, _style: Style) -> String {
        let gap = if is_below_another { "\n" } else { "" };
        format!("{gap}## {}\n\n", one_line(word))
    }

    fn text(&self, shown: &ShownInput<'_>) -> anyhow::Result<String> {
        let mut text = markdown_text::blocks(&shown.columns(), shown.input.written_language());
        if !shown.placements.columns.is_empty() {
            text += &markdown_text::bindings(&shown.placements.columns);
        }
        Ok(text)
    }
}

#[derive(Debug)]
struct Csv;

impl LayoutFormat for Csv {
    fn name(&self) -> FormatName {
        FormatName { name: "csv", alias: None, help: "A line per member and rule set, for spreadsheets" }
    }

    fn kind(&self) -> FormatKind {
        FormatKind::Data
    }

    fn text(&self, shown: &ShownInput<'_>) -> anyhow::Result<String> {
        if !shown.requests.is_empty() || shown.args.padding {
            bail!("the format csv has offsets alone: --target and --padding go with text and json");
        }
        let header = if shown.is_below_another { "" } else { csv_text::HEADER };
        Ok(format!("{header}{}", csv_text::members(shown.word, &shown.columns())))
    }
}

#[derive(Debug)]
struct Page;

impl LayoutFormat for Page {
    fn name(&self) -> FormatName {
        FormatName { name: "html", alias: None, help: "A page with tables and byte maps" }
    }

    fn kind(&self) -> FormatKind {
        FormatKind::Drawing
    }

    fn text(&self, shown: &ShownInput<'_>) -> anyhow::Result<String> {
        Ok(show_page(shown.word, &shown.columns(), shown.input.written_language()))
    }
}

#[derive(Debug)]
struct Picture;

impl LayoutFormat for Picture {
    fn name(&self) -> FormatName {
        FormatName { name: "svg", alias: None, help: "The byte maps as one picture" }
    }

    fn kind(&self) -> FormatKind {
        FormatKind::Drawing
    }

    fn text(&self, shown: &ShownInput<'_>) -> anyhow::Result<String> {
        Ok(layout_sheet(&shown.columns(), shown.input.written_language()))
    }
}

#[derive(Debug)]
struct HostStructs(HostLanguage);

impl LayoutFormat for HostStructs {
    fn name(&self) -> FormatName {
        let (name, alias, help) = match self.0 {
            HostLanguage::Rust => {
                ("rust-asserts", "rust", "Structs of Rust with assertions of their offsets and sizes")
            }
            HostLanguage::Cpp => ("cpp-asserts", "cpp", "Structs of C++ with assertions of their offsets and sizes"),
            HostLanguage::C => ("c-asserts", "c", "Structs of C with assertions of their offsets and sizes"),
        };
        FormatName { name, alias: Some(alias), help }
    }

    fn kind(&self) -> FormatKind {
        FormatKind::HostStructs
    }

    fn text(&self, shown: &ShownInput<'_>) -> anyhow::Result<String> {
        host_text::structs(&shown.args.host, shown.word, &host_text::chosen(shown)?, self.0)
    }
}

#[derive(Debug)]
struct LlvmTypes(LlvmForm);

impl LayoutFormat for LlvmTypes {
    fn name(&self) -> FormatName {
        match self.0 {
            LlvmForm::Padded => {
                FormatName { name: "llvm", alias: None, help: "LLVM types with explicit padding, as Clang makes them" }
            }
            LlvmForm::TargetLayout => FormatName {
                name: "llvm-layout",
                alias: Some("llvm-seed"),
                help: "LLVM types with `target(\"dx.Layout\", ...)` or `target(\"spirv.Layout\", ...)`, and for a cbuffer \
                       the struct of its registers, as in the proposals for Clang",
            },
        }
    }

    fn kind(&self) -> FormatKind {
        FormatKind::LlvmTypes
    }

    fn text(&self, shown: &ShownInput<'_>) -> anyhow::Result<String> {
        Ok(llvm_types(&host_text::chosen(shown)?, self.0))
    }
}

/// The whole program as Slang's reflection describes it. [`show_reflection`] writes it, because it
/// needs no layouts.
///
/// [`show_reflection`]: crate::commands::show::reflection::show_reflection
#[derive(Debug)]
struct SlangReflection(ReflectionForm);

impl LayoutFormat for SlangReflection {
    fn name(&self) -> FormatName {
        match self.0 {
            ReflectionForm::Json => {
                FormatName { name: "slang-json", alias: None, help: "What `slangc -reflection-json` prints" }
            }
            ReflectionForm::Yaml => FormatName {
                name: "slang-yaml",
                alias: None,
                help: "The tree of the Slang user guide's reflection chapter",
            },
        }
    }

    fn kind(&self) -> FormatKind {
        FormatKind::Data
    }

    fn text(&self, _: &ShownInput<'_>) -> anyhow::Result<String> {
        bail!("reflection is not a format of layouts")
    }

    fn reflection(&self) -> Option<ReflectionForm> {
        Some(self.0)
    }
}
