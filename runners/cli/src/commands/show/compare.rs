//! `layoutproof diff`: compares two layouts member by member: one input under two rule sets, or two
//! inputs.

use std::path::Path;

use anyhow::bail;
use layoutproof_events::Account;
use layoutproof_events::summary::Exit;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::inputs::{InputWord, read_input};
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_inputs::rule_set::{is_rules_word, is_target_word, rule_choice, target_choice, unknown_rules};
use layoutproof_inputs::shader_file::compiler_reading::{CompilerReading, RefusedFile};
use layoutproof_layout::DECLARED;
use layoutproof_report::html::diff_page;
use layoutproof_show::diff_text::{diff, paired};
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::shown_columns::{ColumnName, ShownColumn};
use layoutproof_show::struct_text::TextOptions;
use layoutproof_show::{
    InputContent, RuleChoice, RuleSetLayouts, ShownColumnChoice, ShownRules, Style, accounts, one_line,
};
use layoutproof_source::diagnostics::{Code, Diagnostic, render};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::shell::shell_word;
use layoutproof_source::sources::SourceMap;

use crate::commands::show::args::{DiffArgs, DiffFormat};
use crate::commands::show::compiled_columns::layouts;
use crate::output::{print, print_json, print_refusal, text_columns, warn_rendered};

#[derive(Debug, PartialEq, Eq)]
struct DiffSide<'a> {
    input: &'a str,
    /// The rule set; `None` for the offsets that a module declares.
    rules: Option<&'a str>,
}

/// Compares two layouts.
pub(crate) fn compare(args: &DiffArgs, style: Style) -> anyhow::Result<Exit> {
    let sides =
        sides(&args.words).inspect_err(|error| tell_programs(args, &args.words[0], Code::UnknownRules, error))?;
    let [source, _] = &sides;
    let compared = compare_sides(args, &sides, style);
    compared.inspect_err(|error| tell_programs(args, source.input, Code::Unreadable, error))
}

fn tell_programs(args: &DiffArgs, source: &str, code: Code, error: &anyhow::Error) {
    match args.format {
        DiffFormat::Json => print_refusal(source, code, error),
        DiffFormat::Text | DiffFormat::Html => {}
    }
}

fn compare_sides(args: &DiffArgs, [left, right]: &[DiffSide<'_>; 2], style: Style) -> anyhow::Result<Exit> {
    // Two permutations of one file: the macros are those of the second.
    let is_permutation =
        !args.declare.define.is_empty() && args.words.iter().filter(|word| *word == left.input).count() == 2;
    let is_one_input = left.input == right.input && !is_permutation;
    let without_macros = DeclareArgs { define: Vec::new(), ..args.declare.clone() };
    let of_left = if is_permutation { &without_macros } else { &args.declare };
    // `metal` and `cuda` are targets beside a target, and rule sets beside a rule set.
    let is_target = |side: &DiffSide<'_>| side.rules.is_some_and(|word| is_target_word(word) && !is_rules_word(word));
    let has_target = is_target(left) || is_target(right);
    let lay_out = |side, declare| layout(side, (args, declare), is_one_input, has_target, style);
    let LaidOutSide { shown: left, warnings, account } = lay_out(left, of_left)?;
    let LaidOutSide { shown: mut right, warnings: more, account: account_of_right } = lay_out(right, &args.declare)?;
    if let Some(file) = right.name.file.as_mut().filter(|_| is_permutation) {
        for define in &args.declare.define {
            file.push_str(" -D ");
            file.push_str(&shell_word(define));
        }
    }
    let account = account.both(account_of_right);
    let [left, right] = if is_one_input { [left, right] } else { paired(left, right) };

    let difference = diff(&left, &right, &TextOptions { width: text_columns(), ..TextOptions::plain(style) });
    match args.format {
        DiffFormat::Json => print_json(&difference.to_json(&left, &right, &account)),
        DiffFormat::Text => print(&difference.text),
        DiffFormat::Html => print(&diff_page(&left, &right, difference.differs)),
    }
    if args.format == DiffFormat::Text && !account.is_complete() {
        print(&format!("{}\n", one_line(&account.sentence())));
    }
    warn_rendered(&warnings);
    // The same input warns of the same things under both rule sets, but for the limits of each compiler.
    if more != warnings {
        warn_rendered(&more);
    }
    Ok(if difference.differs { Exit::Differ } else { Exit::Agree })
}

/// Sorts the words into inputs and rule sets. A rule set belongs to the input before it; a single
/// input has two.
fn sides(words: &[String]) -> anyhow::Result<[DiffSide<'_>; 2]> {
    let mut inputs: Vec<DiffSide<'_>> = Vec::new();
    let mut spare: Vec<&str> = Vec::new();
    for word in words {
        let is_rules = is_rules_word(word) || is_target_word(word);
        // The first word is an input, even if it is named like a rule set.
        match inputs.last_mut().filter(|_| is_rules || is_misspelt_rules(word)) {
            None => inputs.push(DiffSide { input: word, rules: None }),
            Some(_) if !is_rules => bail!("{}", unknown_rules(word)),
            Some(input) if input.rules.is_none() => input.rules = Some(word),
            Some(_) => spare.push(word),
        }
    }

    match (inputs.as_slice(), spare.as_slice()) {
        ([DiffSide { input, rules: Some(left) }], [right]) => {
            Ok([DiffSide { input, rules: Some(left) }, DiffSide { input, rules: Some(right) }])
        }
        ([DiffSide { input, rules: left }, right], []) => {
            // For two files under one rule set, naming it after the second file is enough.
            let both = right.rules.filter(|_| left.is_none() && words.len() == 3);
            let of_left = left.or(both.filter(|_| !says_own_offsets(input)));
            Ok([DiffSide { input, rules: of_left }, DiffSide { input: right.input, rules: right.rules }])
        }
        ([_], [_, right, ..]) => bail!("`{right}` is one rule set too many"),
        ([DiffSide { input, .. }], _) => bail!(
            "one input needs two targets, two inputs one each: `layoutproof diff {0} d3d12 vulkan`, `layoutproof diff {0} \
             vulkan other.spv`",
            shell_word(input)
        ),
        ([_, _, third, ..], _) => bail!("`{}` is one input too many", third.input),
        (_, spare) => bail!("`{}` is one rule set too many", spare.first().copied().unwrap_or_default()),
    }
}

/// True if a word is neither a file nor a complete case id, so that it can only be a misspelt rule
/// set.
fn is_misspelt_rules(word: &str) -> bool {
    let is_name = matches!(InputWord::of(word, None), InputWord::Filter(_));
    is_name && !Path::new(word).exists() && !word.contains('/') && !word.contains("::")
}

/// True if the word's suffix is that of a module that declares its own offsets.
fn says_own_offsets(word: &str) -> bool {
    InputWord::of(word, None).fixes_offsets()
}

fn choice_of(word: &str, prefers_target: bool, language: Option<ShaderLanguage>) -> anyhow::Result<RuleChoice> {
    if !is_rules_word(word) || (prefers_target && is_target_word(word)) {
        if let Some(choice) = target_choice(word, language)? {
            return Ok(choice);
        }
    }
    rule_choice(word)
}

/// The name of the column: the rule set's own for programs and for users who write it so, otherwise
/// target and compiler.
fn column_name(choice: RuleChoice, word: Option<&str>, format: DiffFormat) -> ColumnName {
    if format == DiffFormat::Json || word == Some(choice.name()) {
        ColumnName::of_rules(choice.name())
    } else {
        ShownColumnChoice::from(choice).column_name()
    }
}

/// An input under a rule set.
struct LaidOutSide {
    shown: ShownColumn,
    /// The warnings that `show` prints about it, or who read it and why.
    warnings: String,
    account: Account,
}

/// Lays an input out under a rule set.
fn layout(
    side: &DiffSide<'_>,
    (args, declare): (&DiffArgs, &DeclareArgs),
    is_one_input: bool,
    is_beside_target: bool,
    style: Style,
) -> anyhow::Result<LaidOutSide> {
    let mut sources = SourceMap::default();
    let input = match read_input(side.input, declare, None, Purpose::Display, &mut sources)? {
        Ok(mut input) => {
            if let InputContent::LaidOut(file) = &mut input.content {
                file.warn_of_restricted();
            }
            input
        }
        Err(diagnostics) => {
            let mut compiled = compiled(side, (args, declare), is_beside_target, diagnostics, sources)?;
            compiled.shown.name.file = (!is_one_input).then(|| side.input.to_owned());
            return Ok(compiled);
        }
    };

    let name = side.input;
    let language = match &input.content {
        InputContent::Declared(source) => Some(input.shipped_language(source)),
        InputContent::LaidOut(_) => None,
    };
    let rules = side.rules.filter(|rules| *rules != DECLARED);
    let choice = rules.map(|rules| choice_of(rules, is_beside_target, language)).transpose()?;
    let shown_rules = match (&input.content, choice) {
        (InputContent::Declared(_), Some(choice)) => ShownRules::Named(vec![choice]),
        (InputContent::Declared(_), None) => {
            bail!("the layout of {name} depends on the target: name it after the file, as `{name} vulkan`")
        }
        (InputContent::LaidOut(_), None) => ShownRules::Shipping,
        (InputContent::LaidOut(_), Some(_)) if is_one_input => {
            bail!(
                "{name} declares its own offsets: compare it with another file, as `layoutproof diff {} other.spv`",
                shell_word(name)
            )
        }
        (InputContent::LaidOut(_), Some(choice)) => {
            bail!("{name} declares its own offsets: it has them under `{DECLARED}`, not under `{}`", choice.name())
        }
    };

    let layouts = input.layouts(&shown_rules);
    let diagnostics = input.refusals(&layouts);
    if !diagnostics.is_empty() {
        bail!(RefusedInput { diagnostics, sources });
    }
    let warnings = render(&input.warnings(&layouts), &sources, style.colour);
    let mut shown = layouts
        .first()
        .map_or_else(|| ShownColumn { name: ColumnName::DECLARED, blocks: Vec::new() }, RuleSetLayouts::column);
    if let Some(choice) = choice {
        shown.name = column_name(choice, rules, args.format);
    }
    if !is_one_input {
        shown.name.file = Some(name.to_owned());
    }
    let account = accounts::of_input(&input, name, &layouts, &[], &sources);
    Ok(LaidOutSide { shown, warnings, account })
}

/// The layout of a file that our reader refuses, as the compiler of its target describes it.
fn compiled(
    side: &DiffSide<'_>,
    (args, declare): (&DiffArgs, &DeclareArgs),
    is_beside_target: bool,
    problems: Vec<Diagnostic>,
    sources: SourceMap,
) -> anyhow::Result<LaidOutSide> {
    let path = Path::new(side.input);
    let language = ShaderLanguage::of(declare.lang, path);
    let file = RefusedFile { path, declare, profile: None, problems: &problems, sources: &sources, first_file: 0 };
    let choice = side.rules.filter(|_| file.may_be_read());
    let choice = choice.map(|rules| choice_of(rules, is_beside_target, language)).transpose()?;
    let Some(choice) = choice else { bail!(RefusedInput { diagnostics: problems, sources }) };
    let read = match CompilerReading::of(file, [choice.name()])? {
        Ok(read) => read,
        Err(diagnostics) => bail!(RefusedInput { diagnostics, sources }),
    };
    let layouts = layouts(read.columns);
    let blocks = layouts.first().map(|column| column.column().blocks).unwrap_or_default();
    let name = column_name(choice, side.rules, args.format);
    let notes: Vec<String> = read.notes.iter().map(|note| format!("note: {note}\n")).collect();
    let warnings = notes.concat();
    let account = accounts::of_compiled(side.input, &blocks);
    Ok(LaidOutSide { shown: ShownColumn { name, blocks }, warnings, account })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(words: &str) -> String {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let text = |side: &DiffSide<'_>| format!("{} {}", side.input, side.rules.unwrap_or("-"));
        match sides(&words) {
            Ok([left, right]) => format!("{} | {}", text(&left), text(&right)),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_input_takes_the_rule_set_behind_it() {
        for (words, expected) in [
            ("a.hlsl std140 std430", "a.hlsl std140 | a.hlsl std430"),
            ("a.hlsl native:dxc-spirv a.spv", "a.hlsl native:dxc-spirv | a.spv -"),
            ("a.wgsl b.spv", "a.wgsl - | b.spv -"),
            ("a.hlsl b.hlsl std140", "a.hlsl std140 | b.hlsl std140"),
            ("a.spv b.hlsl std140", "a.spv - | b.hlsl std140"),
            ("a.hlsl d3d12 vulkan", "a.hlsl d3d12 | a.hlsl vulkan"),
            ("a.hlsl vulkan/scalar.dxc b.slang vulkan/scalar", "a.hlsl vulkan/scalar.dxc | b.slang vulkan/scalar"),
            ("a.hlsl std140 b.hlsl std430", "a.hlsl std140 | b.hlsl std430"),
            ("std140 std140 std430", "std140 std140 | std140 std430"),
        ] {
            assert_eq!(sorted(words), expected, "{words}");
        }
    }

    #[test]
    fn what_cannot_be_sorted_says_why() {
        for (words, expected) in [
            ("a.hlsl std140", "one input needs two targets"),
            ("a.hlsl std14 std430", "unknown rule set `std14`: did you mean `std140`?"),
            ("a.hlsl std140 std430 scalar", "`scalar` is one rule set too many"),
        ] {
            assert!(sorted(words).contains(expected), "{words}: {}", sorted(words));
        }
    }
}
