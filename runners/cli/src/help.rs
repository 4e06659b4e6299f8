//! Builds the help: commands grouped by user, options grouped by theme, examples. The text of each
//! command and option is the doc comment of its declaration: its first paragraph for `-h`, all of it
//! for `--help`.

#[cfg(test)]
use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::builder::Styles;
use clap::{Arg, ArgAction, Command, CommandFactory};
use layoutproof_show::style::wrapped;

use crate::args::REPORT_HEADING;
use crate::command_line::Cli;

pub(crate) const PROGRAM: &str = "layoutproof";

/// The headings of the command list with their commands. A visible command that is in no group appears in the last one.
const GROUPS: [(&str, &str); 4] = [
    ("Shader layouts", "show check accesses diff explorer init lsp"),
    ("Proof on devices", "run report runs list"),
    ("Compilers", "compare bugs"),
    ("This machine", "doctor setup dev"),
];

/// Headings for options, and the options that appear below them in every command.
const THEMES: [(&str, &str); 6] = [
    (
        "What is checked",
        "rules all own dispatch buffer elements bindings form space stage every_element shard times caselist cases",
    ),
    (
        "Compilers and devices",
        "producer through every_translator device runner keep no_cache compile_limit time_limit jobs retries no_fuse rotation",
    ),
    ("What fails a run", "require forbid_skip known no_known floors fail_fast allow_restarts"),
    (REPORT_HEADING, "json records group verbose quiet no_progress progress save_known resume"),
    ("How files are read", "lang args matrix sixteen_bit define include entry"),
    ("Planted faults", "plant_misreading plant_fault plant_rules plant_mutant"),
];

/// The heading of the options that every command has. It comes last.
const GLOBAL_HEADING: &str = "Global options";

/// Commands with so many options that `-h` leaves most of them out, with those that it shows.
const MAIN_OPTIONS: [(&str, &str); 5] = [
    ("show", "rules all target compiler format padding output block args entry define include"),
    ("check", "target rules map strict run format html config args define include"),
    (
        "run",
        "rules all target own producer device runner every_device require known json junit html resume verbose \
            quiet args entry define include",
    ),
    ("compare", "save profile format verbose args entry define include"),
    ("fuzz", "seed count exhaustive bindings compiler device known out json html quiet"),
];

/// The place of an option after those that have no place of their own.
const LAST: usize = 1000;

/// Begins the list of possible values in a long help.
pub(crate) const VALUES: &str = "Possible values:";

/// Possible values of an option beyond this number are listed by `--help` only.
const MOST_VALUES: usize = 5;

const EXAMPLES: [(&str, &[&str]); 20] = [
    (
        "show",
        &[
            "layoutproof show scene.hlsl",
            "layoutproof show scene.hlsl --rules hlsl-cbuffer,std140",
            "layoutproof show scene.hlsl --target d3d12,vulkan",
            "layoutproof show scene.hlsl --format cpp-asserts > scene.hpp",
            "layoutproof show scene.slang --target vulkan --format slang-yaml",
        ],
    ),
    (
        "check",
        &[
            "layoutproof check scene.hlsl build/engine.o",
            "layoutproof check frame.spv build/engine.pdb --map PerFrame=engine::Frame",
            "layoutproof check frame.dxil post.cso build/engine.pdb --run",
            "layoutproof check",
        ],
    ),
    (
        "accesses",
        &[
            "layoutproof accesses blur.comp",
            "layoutproof accesses scene.slang --verbose",
            "layoutproof accesses build/*.spv --format github",
        ],
    ),
    ("init", &["layoutproof init"]),
    (
        "diff",
        &["layoutproof diff scene.hlsl hlsl-cbuffer std140", "layoutproof diff scene.hlsl native:dxc-spirv scene.spv"],
    ),
    (
        "run",
        &[
            "layoutproof run scene.hlsl --compiler dxc,slangc",
            "layoutproof run arrays/ --device lavapipe -v",
            "layoutproof run --json records.jsonl --junit junit.xml",
        ],
    ),
    ("fuzz", &["layoutproof dev fuzz --count 2000 --seed 7", "layoutproof dev fuzz --exhaustive 2 --compiler dxc"]),
    (
        "compare",
        &[
            "layoutproof compare dxc dxc=build/bin/dxc scene.hlsl",
            "layoutproof compare dxc@1.7 dxc@1.9",
            "layoutproof compare saved dxc=build/bin/dxc --save saved-now",
        ],
    ),
    ("export", &["layoutproof dev export vectors/two_pairs_fill_a_register --format amber"]),
    ("vectors", &["layoutproof dev vectors vectors"]),
    ("bugs", &["layoutproof bugs", "layoutproof bugs dxc --try", "layoutproof bugs DXC-3 --issue"]),
    ("doctor", &["layoutproof doctor devices --format json", "DXC=build/bin/dxc layoutproof doctor compilers"]),
    (
        "report",
        &[
            "layoutproof report 1.jsonl 2.jsonl 3.jsonl --junit junit.xml",
            "layoutproof report a.jsonl b.jsonl --site site",
        ],
    ),
    ("runs", &["layoutproof runs records", "layoutproof runs records --quarantine flaky.toml --format json"]),
    ("setup", &["layoutproof setup", "layoutproof setup --minimal", "layoutproof setup dxc slangc vkd3d"]),
    ("explorer", &["layoutproof explorer", "layoutproof explorer scene.wgsl"]),
    ("list", &["layoutproof list arrays/", "layoutproof list --rules", "layoutproof list --coverage"]),
    ("cache", &["layoutproof dev cache stats", "layoutproof dev cache clear"]),
    ("completions", &["layoutproof dev completions fish > ~/.config/fish/completions/layoutproof.fish"]),
    ("man", &["layoutproof dev man --out ~/.local/share/man/man1"]),
];

/// Width of the command list in columns.
const WIDTH: usize = 80;

/// The most lines of `-h`.
#[cfg(test)]
const MOST_LINES: usize = 60;

/// Column at which the descriptions of the command list begin.
const TEXT_COLUMN: usize = 15;

/// The command line with its complete help.
pub(crate) fn command() -> Command {
    let command = complete(Cli::command()).max_term_width(WIDTH);
    let header = *Styles::styled().get_header();
    let listing = groups_text(&command);
    let usage = "layoutproof FILE...\n       layoutproof COMMAND [OPTIONS]";
    command.mut_args(with_global_heading).override_usage(usage).help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listing}{header}Options:{header:#}\n{{options}}\n\n\
         `layoutproof COMMAND -h` explains a command; `layoutproof doctor` shows what\nthis machine has."
    ))
}

/// A command with the help of its options, and the same for the commands in it.
fn complete(command: Command) -> Command {
    let main = MAIN_OPTIONS.iter().find(|(name, _)| *name == command.get_name());
    let command = command.mut_args(|arg| {
        let is_main = main.is_none_or(|(_, options)| is_in(options, arg.get_id().as_str()) || arg.is_positional());
        with_values_in_long_help(with_theme(arg)).hide_short_help(!is_main)
    });
    // Compilers have a -h of their own.
    let command = if command.is_disable_help_flag_set() { command } else { with_help_last(command) };
    with_examples(command.mut_subcommands(complete))
}

/// Gives a command its options for help and version, below the last heading.
fn with_help_last(command: Command) -> Command {
    let is_root = command.get_name() == PROGRAM;
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help)
        .help("Print this; --help prints all options")
        .display_order(LAST);
    let version = Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version)
        .help("Print the version")
        .display_order(LAST);
    let options = [help.long_help("Print the main options (-h) or all of them (--help)"), version.hide(!is_root)];
    let command = command.disable_help_flag(true).disable_version_flag(true);
    command.args(options.map(|option| option.help_heading(GLOBAL_HEADING)))
}

/// Puts an option that every command has below the last heading.
fn with_global_heading(arg: Arg) -> Arg {
    if arg.is_global_set() { arg.help_heading(GLOBAL_HEADING) } else { arg }
}

/// Lists many possible values in the long help alone, one in each line.
fn with_values_in_long_help(arg: Arg) -> Arg {
    let values = arg.get_possible_values();
    if values.len() <= MOST_VALUES || arg.is_hide_possible_values_set() {
        return arg;
    }
    let text = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{text}\n\n{VALUES}");
    for value in values.iter().filter(|value| !value.is_hide_set()) {
        let help = value.get_help().map(|help| format!(": {help}")).unwrap_or_default();
        let _ = write!(text, "\n- {}{help}", value.get_name());
    }
    arg.hide_possible_values(true).long_help(text)
}

/// The command line without the hidden commands, which only the program itself starts.
pub(crate) fn visible_command() -> Command {
    let all = command();
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let about = all.get_about().cloned().unwrap_or_default();
    Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .about(about)
        .args(all.get_arguments().cloned())
        .subcommand_required(true)
        .subcommands(shown)
}

fn with_theme(arg: Arg) -> Arg {
    let id = arg.get_id().as_str();
    match THEMES.iter().find(|(_, options)| is_in(options, id)) {
        Some((heading, _)) if !arg.is_positional() => arg.help_heading(*heading),
        Some(_) | None => arg,
    }
}

/// The examples of a command.
pub(crate) fn examples(command: &str) -> &'static [&'static str] {
    EXAMPLES.iter().find(|(name, _)| *name == command).map_or(&[], |(_, examples)| examples)
}

fn with_examples(command: Command) -> Command {
    let examples = examples(command.get_name());
    if examples.is_empty() {
        return command;
    }
    let header = *Styles::styled().get_header();
    let lines: Vec<String> = examples.iter().map(|line| format!("  {line}")).collect();
    command.after_help(format!("{header}Examples:{header:#}\n{}", lines.join("\n")))
}

fn groups_text(command: &Command) -> String {
    let header = *Styles::styled().get_header();
    let mut text = String::new();
    for (index, (heading, commands)) in GROUPS.iter().enumerate() {
        let mut shown: Vec<&Command> = commands.split(' ').filter_map(|name| command.find_subcommand(name)).collect();
        if index + 1 == GROUPS.len() {
            shown.extend(command.get_subcommands().filter(|command| !command.is_hide_set() && !is_grouped(command)));
        }

        let lines: String = shown.into_iter().map(command_lines).collect();
        text = format!("{text}{header}{heading}:{header:#}\n{lines}\n");
    }
    text
}

fn is_grouped(command: &Command) -> bool {
    GROUPS.iter().any(|(_, commands)| is_in(commands, command.get_name()))
}

/// True if a list of options or commands, separated by spaces, names this one.
pub(crate) fn is_in(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// Asserts that each word of a list is the id of an option or a command that exists.
#[cfg(test)]
pub(crate) fn assert_names(words: &str, ids: &BTreeSet<String>) {
    let unknown: Vec<&str> = words.split(' ').filter(|word| !ids.contains(*word)).collect();
    assert!(unknown.is_empty(), "nothing has the names {unknown:?}");
}

/// The ids of a command's arguments, and of those of all commands in it.
#[cfg(test)]
pub(crate) fn all_arguments(command: &Command) -> BTreeSet<String> {
    let own = command.get_arguments().map(|arg| arg.get_id().to_string());
    own.chain(command.get_subcommands().flat_map(all_arguments)).collect()
}

/// A command with its description, wrapped at [`WIDTH`].
fn command_lines(command: &Command) -> String {
    let literal = *Styles::styled().get_literal();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let name = command.get_name();
    let start = format!("{:TEXT_COLUMN$}", format!("  {name}"));
    let lines = wrapped(&start, &" ".repeat(TEXT_COLUMN), about.split_whitespace(), WIDTH);
    lines.join("\n").replacen(name, &format!("{literal}{name}{literal:#}"), 1) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_is_shown_has_a_group() {
        let command = Cli::command();
        for shown in command.get_subcommands().filter(|command| !command.is_hide_set()) {
            let groups = GROUPS.iter().filter(|(_, commands)| is_in(commands, shown.get_name())).count();
            assert_eq!(groups, 1, "`{}` is in {groups} groups", shown.get_name());
        }
    }

    /// A name that nothing has any more would be left out of the help without a word.
    #[test]
    fn every_list_names_what_exists() {
        let command = command();
        for (_, options) in THEMES {
            assert_names(options, &all_arguments(&command));
        }
        let of_name = |name: &str| {
            let dev = command.find_subcommand("dev").expect("`dev` is a command");
            command.find_subcommand(name).or_else(|| dev.find_subcommand(name)).expect(name)
        };
        for (name, options) in MAIN_OPTIONS {
            assert_names(options, &all_arguments(of_name(name)));
        }
        for (name, _) in EXAMPLES {
            of_name(name);
        }
        let commands: BTreeSet<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
        for (_, names) in GROUPS {
            assert_names(names, &commands);
        }
    }

    #[test]
    fn the_command_line_holds_together() {
        command().debug_assert();
        visible_command().debug_assert();
    }

    /// Every example parses as a command line.
    #[test]
    fn every_example_is_understood() {
        for line in EXAMPLES.iter().flat_map(|(_, examples)| *examples) {
            let words = line.split(" > ").next().unwrap_or(line).split(' ').skip_while(|word| *word != PROGRAM);
            let parsed = command().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        }
    }

    /// Calls `test` for a command and all commands in it.
    fn with_each(command: &mut Command, test: &impl Fn(&mut Command)) {
        test(command);
        // clap's own command `help` has no options.
        let commands = command.get_subcommands_mut().filter(|command| command.get_name() != "help");
        commands.for_each(|command| with_each(command, test));
    }

    #[test]
    fn short_help_fits_on_a_screen() {
        let mut command = command();
        command.build();
        with_each(&mut command, &|command| {
            let help = command.render_help().to_string();
            assert!(help.lines().count() <= MOST_LINES, "{help}");
            assert!(help.lines().all(|line| line.chars().count() <= WIDTH), "{help}");
        });
    }

    /// Hidden commands too.
    #[test]
    fn every_command_of_ours_has_help() {
        let passed_on = ["dxc-library", "slang-library", "naga-spirv"];
        for command in command().get_subcommands().filter(|command| !passed_on.contains(&command.get_name())) {
            let has_help = command.get_arguments().any(|arg| arg.get_long() == Some("help"));
            assert!(has_help, "{}", command.get_name());
        }
    }

    #[test]
    fn options_of_every_command_come_last() {
        let mut command = command();
        command.build();
        with_each(&mut command, &|command| {
            for help in [command.render_help(), command.render_long_help()] {
                let help = help.to_string();
                let is_heading = |line: &&str| line.ends_with(':') && !line.starts_with(' ') && *line != "Examples:";
                let last = help.lines().rfind(is_heading);
                assert!(command.get_name() == PROGRAM || last == Some("Global options:"), "{help}");
            }
        });
    }
}
