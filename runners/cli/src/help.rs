//! Builds the help: commands grouped by user, options grouped by theme, examples. The text of each
//! command and option is the doc comment of its declaration.

use clap::builder::Styles;
use clap::{Arg, Command, CommandFactory};

use crate::args::REPORT_HEADING;
use crate::command_line::Cli;

/// The name of the program.
pub(crate) const PROGRAM: &str = "layoutproof";

/// A heading of the command list and its commands.
struct CommandGroup {
    heading: &'static str,
    commands: &'static [&'static str],
}

/// The groups of the command list. A visible command that is in no group appears in the last one.
const GROUPS: [CommandGroup; 4] = [
    CommandGroup { heading: "Shader layouts", commands: &["show", "check", "diff", "run", "reflect", "init"] },
    CommandGroup { heading: "Compilers", commands: &["compare", "bugs", "fuzz", "compilers", "export"] },
    CommandGroup { heading: "Drivers and fleets", commands: &["devices", "report", "site", "bench"] },
    CommandGroup {
        heading: "layoutproof itself",
        commands: &["doctor", "setup", "cache", "list", "completions", "man"],
    },
];

/// A heading for options, and the options that appear below it in every command.
struct OptionTheme {
    heading: &'static str,
    options: &'static [&'static str],
}

const THEMES: [OptionTheme; 6] = [
    OptionTheme {
        heading: "What is checked",
        options: &["rules", "form", "space", "stage", "every_element", "shard", "caselist", "cases"],
    },
    OptionTheme {
        heading: "Compilers and devices",
        options: &[
            "producer",
            "device",
            "runner",
            "keep",
            "no_cache",
            "compile_limit",
            "time_limit",
            "jobs",
            "retries",
            "no_fuse",
            "rotation",
        ],
    },
    OptionTheme {
        heading: "What fails a run",
        options: &["require", "forbid_skip", "known", "no_known", "floors", "fail_fast"],
    },
    OptionTheme {
        heading: REPORT_HEADING,
        options: &["json", "records", "group", "verbose", "quiet", "no_progress", "resume"],
    },
    OptionTheme {
        heading: "How files are read",
        options: &["lang", "args", "matrix", "sixteen_bit", "define", "include", "entry"],
    },
    OptionTheme {
        heading: "Faults, planted to see them found",
        options: &["plant_misreading", "plant_fault", "plant_rules", "plant_mutant"],
    },
];

/// Example command lines of a command.
struct Examples {
    command: &'static str,
    lines: &'static [&'static str],
}

const EXAMPLES: [Examples; 19] = [
    Examples {
        command: "show",
        lines: &[
            "layoutproof show scene.hlsl",
            "layoutproof show scene.hlsl --rules hlsl-cbuffer,std140",
            "layoutproof show scene.hlsl --target d3d12 --convention dxc",
            "layoutproof show scene.hlsl --rules native:dxc-dxil --format cpp-asserts > scene.hpp",
        ],
    },
    Examples {
        command: "check",
        lines: &[
            "layoutproof check scene.hlsl build/engine.o",
            "layoutproof check frame.spv build/engine.pdb --map PerFrame=engine::FrameConstants",
            "layoutproof check frame.dxil post.cso build/engine.pdb --run",
            "layoutproof check",
        ],
    },
    Examples { command: "init", lines: &["layoutproof init"] },
    Examples {
        command: "diff",
        lines: &[
            "layoutproof diff scene.hlsl hlsl-cbuffer std140",
            "layoutproof diff scene.hlsl native:dxc-spirv scene.spv",
        ],
    },
    Examples {
        command: "run",
        lines: &[
            "layoutproof run scene.hlsl --compiler dxc,slangc",
            "layoutproof run arrays/ --device lavapipe -v",
            "layoutproof run --json records.jsonl --junit junit.xml",
        ],
    },
    Examples {
        command: "reflect",
        lines: &["layoutproof reflect scene.slang --target vulkan --convention slang --format yaml"],
    },
    Examples {
        command: "fuzz",
        lines: &["layoutproof fuzz --count 2000 --seed 7", "layoutproof fuzz --exhaustive 2 --compiler dxc"],
    },
    Examples {
        command: "compare",
        lines: &[
            "layoutproof compare dxc dxc=build/bin/dxc scene.hlsl",
            "layoutproof compare dxc@1.7 dxc@1.9",
            "layoutproof compare saved dxc=build/bin/dxc --save saved-now",
        ],
    },
    Examples { command: "compilers", lines: &["DXC=build/bin/dxc layoutproof compilers"] },
    Examples {
        command: "export",
        lines: &["layoutproof export arrays/scalar_packs_behind_the_last_element --format amber > test.amber"],
    },
    Examples {
        command: "bugs",
        lines: &[
            "layoutproof bugs",
            "layoutproof bugs dxc --try",
            "layoutproof bugs dxc/dxc-lists-a-double2x2 --issue",
        ],
    },
    Examples { command: "devices", lines: &["layoutproof devices --format json"] },
    Examples { command: "report", lines: &["layoutproof report 1.jsonl 2.jsonl 3.jsonl --junit junit.xml"] },
    Examples {
        command: "site",
        lines: &["layoutproof site --out site", "layoutproof site --out site --records a.jsonl b.jsonl"],
    },
    Examples { command: "setup", lines: &["layoutproof setup", "layoutproof setup dxc slangc vkd3d"] },
    Examples {
        command: "list",
        lines: &["layoutproof list arrays/", "layoutproof list --rules", "layoutproof list --coverage"],
    },
    Examples { command: "cache", lines: &["layoutproof cache stats", "layoutproof cache clear"] },
    Examples {
        command: "completions",
        lines: &["layoutproof completions bash > ~/.local/share/bash-completion/completions/layoutproof"],
    },
    Examples { command: "man", lines: &["layoutproof man --out ~/.local/share/man/man1"] },
];

/// Width of the command list in columns.
const WIDTH: usize = 80;

/// Column at which the descriptions of the command list begin.
const TEXT_COLUMN: usize = 15;

/// The command line with its complete help.
pub(crate) fn command() -> Command {
    let command = Cli::command().mut_subcommands(|command| with_examples(command.mut_args(with_theme)));
    let header = *Styles::styled().get_header();
    let listing = groups_text(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listing}{header}Options:{header:#}\n{{options}}\n\n\
         `layoutproof COMMAND --help` says more of a command; `layoutproof doctor` says what this machine has."
    ))
}

/// The command line without the hidden commands, which only the program itself starts.
pub(crate) fn visible_command() -> Command {
    let all = command();
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let about = all.get_about().cloned().unwrap_or_default();
    Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .args(all.get_arguments().cloned())
        .subcommand_required(true)
        .subcommands(shown)
}

/// Puts an option below its theme's heading.
fn with_theme(arg: Arg) -> Arg {
    let id = arg.get_id().as_str();
    let theme = THEMES.iter().find(|theme| theme.options.contains(&id));
    match theme {
        Some(theme) if !arg.is_positional() && arg.get_help_heading().is_none() => arg.help_heading(theme.heading),
        Some(_) | None => arg,
    }
}

fn with_examples(command: Command) -> Command {
    let Some(examples) = EXAMPLES.iter().find(|examples| examples.command == command.get_name()) else {
        return command;
    };
    let header = *Styles::styled().get_header();
    let lines: Vec<String> = examples.lines.iter().map(|line| format!("  {line}")).collect();
    command.after_help(format!("{header}Examples:{header:#}\n{}", lines.join("\n")))
}

/// The command list, group by group.
fn groups_text(command: &Command) -> String {
    let header = *Styles::styled().get_header();
    let mut text = String::new();
    for (index, group) in GROUPS.iter().enumerate() {
        let mut shown: Vec<&Command> = group.commands.iter().filter_map(|name| command.find_subcommand(name)).collect();
        if index + 1 == GROUPS.len() {
            shown.extend(command.get_subcommands().filter(|command| !command.is_hide_set() && !is_grouped(command)));
        }

        let lines: String = shown.into_iter().map(command_lines).collect();
        text = format!("{text}{header}{}:{header:#}\n{lines}\n", group.heading);
    }
    text
}

fn is_grouped(command: &Command) -> bool {
    GROUPS.iter().any(|group| group.commands.contains(&command.get_name()))
}

/// A command with the first sentence of its description, wrapped at [`WIDTH`].
fn command_lines(command: &Command) -> String {
    let literal = *Styles::styled().get_literal();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let sentence = about.split_once(". ").map_or(about.as_str(), |(first, _)| first);

    let name = command.get_name();
    let mut text = format!("  {literal}{name}{literal:#}{:gap$}", "", gap = TEXT_COLUMN.saturating_sub(2 + name.len()));
    let mut column = TEXT_COLUMN;
    for (index, word) in sentence.split_whitespace().enumerate() {
        if index > 0 && column + 1 + word.len() > WIDTH {
            text = format!("{text}\n{:TEXT_COLUMN$}{word}", "");
            column = TEXT_COLUMN + word.len();
        } else {
            let space = if index > 0 { " " } else { "" };
            text = format!("{text}{space}{word}");
            column += space.len() + word.len();
        }
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_is_shown_has_a_group() {
        let command = Cli::command();
        for shown in command.get_subcommands().filter(|command| !command.is_hide_set()) {
            let groups = GROUPS.iter().filter(|group| group.commands.contains(&shown.get_name())).count();
            assert_eq!(groups, 1, "`{}` is in {groups} groups", shown.get_name());
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
        for line in EXAMPLES.iter().flat_map(|examples| examples.lines) {
            let words = line.split(" > ").next().unwrap_or(line).split(' ').skip_while(|word| *word != PROGRAM);
            let parsed = command().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        }
    }

    #[test]
    fn the_list_of_commands_fits() {
        let text = anstream::adapter::strip_str(&groups_text(&command())).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}
