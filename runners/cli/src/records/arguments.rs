//! The arguments of a run as its records keep them: those that decide which checks exist and what
//! they find. [`super::recorded_selection`] takes up a part of them.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Command, CommandFactory};
use layoutproof_events::shell::shell_word;
use layoutproof_events::{CommandOption, RerunCommand};
use layoutproof_inputs::named_compiler::name_and_file;
use layoutproof_records::shard::{CaseTimes, Shard};

use crate::args::ReportFiles;
use crate::command_line::Cli;
use crate::help::{PROGRAM, is_in};
use crate::invocation::with_command;

/// Options as records keep them: the values by the option's id.
pub(crate) type TypedOptions = BTreeMap<String, Vec<String>>;

/// The command that writes records.
pub(crate) const RUN: &str = "run";

/// Options that records leave out, like those of the reporters' files: they affect only where reports go, what they contain, which
/// results fail the run, and how fast it is.
const OF_REPORTS: &str = "records machine out resume verbose quiet no_progress progress save_known jobs no_cache fail_fast retries color ascii \
    require forbid_skip floors allow_restarts";

const SHARD: &str = "shard";
pub(crate) const TIMES: &str = "times";

/// The options that the user typed after the command, with their values; positional words are under
/// `inputs`.
pub(crate) fn of_run(words: impl IntoIterator<Item = OsString>) -> TypedOptions {
    let command = Cli::command();
    let words = with_command(words, &command);
    let Ok(matches) = command.clone().try_get_matches_from(words) else { return TypedOptions::new() };
    // `dev fuzz` is a command of a command.
    let (mut command, mut run) = (&command, &matches);
    while let Some((name, inner)) = run.subcommand() {
        let Some(named) = command.find_subcommand(name) else { break };
        (command, run) = (named, inner);
    }

    let options = command.get_arguments().map(|option| option.get_id().as_str());
    let options = options.filter(|id| !is_in(OF_REPORTS, id) && !ReportFiles::has_option(id));
    let typed = options.filter(|id| run.value_source(id) == Some(ValueSource::CommandLine));
    let values = |id: &str| {
        // Record the resolved shard: another process cannot query this machine's scheduler.
        if let (SHARD, Ok(Some(shard))) = (id, run.try_get_one::<Shard>(id)) {
            return vec![shard.to_string()];
        }
        // Other processes have the records elsewhere.
        if let (TIMES, Ok(Some(times))) = (id, run.try_get_one::<CaseTimes>(id)) {
            return vec![times.digest()];
        }
        let raw = run.get_raw(id).into_iter().flatten();
        raw.map(|value| value.to_string_lossy().into_owned()).collect()
    };
    typed.map(|id| (id.to_owned(), values(id))).collect()
}

/// Options that select checks. A command for one check of the run replaces them or does not need
/// them.
const OF_SELECTION: &str = "inputs rules all producer through every_translator no_compiler device runner every_device \
    every_element shard times caselist keep";

/// Those options that change a result and that `show` accepts too.
const OF_DECLARATIONS: &str = "args lang matrix sixteen_bit define include entry cases";

/// Completes a command that runs or shows one check again with the user's options that change its
/// result.
pub(crate) fn add_typed(again: &mut RerunCommand, arguments: &TypedOptions) {
    let (known, is_meant): (_, fn(&str) -> bool) = match again {
        RerunCommand::Run { options, .. } => (options, |id| !is_in(OF_SELECTION, id)),
        RerunCommand::Show { options, .. } => (options, |id| is_in(OF_DECLARATIONS, id)),
        RerunCommand::Text(_) => return,
    };
    let command = Cli::command();
    let Some(run) = command.find_subcommand(RUN) else { return };
    let mut added = options(run, arguments, is_meant);
    // The command already has some.
    added.retain(|option| known.iter().all(|known| known.flag != option.flag));
    known.append(&mut added);
}

/// The arguments of records that a command may show: without programs and outputs, which people would paste into a
/// shell.
pub(crate) fn without_programs(recorded: &TypedOptions) -> TypedOptions {
    let is_shown = |id: &str, value: &String| match id {
        "inputs" => !value.starts_with('-'),
        "producer" => name_and_file(value).1.is_none(),
        _ => true,
    };
    let mut shown = recorded.clone();
    shown.retain(|id, values| {
        let had_values = !values.is_empty();
        values.retain(|value| is_shown(id, value));
        let is_output = id == "keep" || is_in(OF_REPORTS, id) || ReportFiles::has_option(id);
        !is_output && (!had_values || !values.is_empty())
    });
    shown
}

/// The command of a run, for people: `layoutproof run arrays/ --rules std140`. Options of other versions
/// are left out.
pub(crate) fn command(arguments: &TypedOptions) -> String {
    let inputs = arguments.get("inputs").map(Vec::as_slice).unwrap_or_default();
    let command = Cli::command();
    let options = command.find_subcommand(RUN).map(|run| options(run, arguments, |_| true)).unwrap_or_default();
    let words = inputs
        .iter()
        .map(|word| shell_word(word).into_owned())
        .chain(options.into_iter().map(|option| option.to_string()));
    [format!("{PROGRAM} {RUN}")].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// The recorded options of `run` whose id `is_meant`.
fn options(run: &Command, arguments: &TypedOptions, is_meant: impl Fn(&str) -> bool) -> Vec<CommandOption> {
    let mut options = Vec::new();
    for (id, values) in arguments.iter().filter(|(id, _)| is_meant(id)) {
        let Some(option) = run.get_arguments().find(|option| option.get_id() == id.as_str()) else { continue };
        let flag = match (option.get_long(), option.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => continue,
        };
        if option.get_action().takes_values() {
            options.extend(values.iter().map(|value| CommandOption::new(&flag, shell_word(value))));
        } else {
            options.push(CommandOption::switch(&flag));
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help::{all_arguments, assert_names};

    fn typed(words: &str) -> String {
        let words = ["layoutproof", "run"].into_iter().chain(words.split_whitespace());
        format!("{:?}", of_run(words.map(OsString::from)))
    }

    #[test]
    fn what_decides_is_kept_and_what_reports_is_not() {
        let decides = r#"{"inputs": ["arrays/"], "no_known": ["true"], "rules": ["std140", "scalar"]}"#;
        assert_eq!(typed("arrays/ --rules std140,scalar --no-known"), decides);
        let more = "--json a --junit b --html c -vv --color never --ascii --require lavapipe --forbid-skip= --floors f";
        assert_eq!(typed(&format!("--no-known {more} arrays/ --rules std140 --rules scalar")), decides);
        assert_eq!(typed(""), "{}");
    }

    #[test]
    fn every_list_names_options_that_exist() {
        let ids = all_arguments(&Cli::command());
        for options in [OF_REPORTS, OF_SELECTION, OF_DECLARATIONS] {
            assert_names(options, &ids);
        }
    }

    #[test]
    fn a_command_for_one_check_repeats_what_changes_its_result() {
        let words = "layoutproof run arrays/ --shard 1/2 --rules std140 --device model --no-known -D A=1 --space all \
                     --plant-misreading idle --16bit off --json r.jsonl -D";
        let words = words.split_whitespace().chain(["B=a b"]).map(OsString::from);
        let arguments = of_run(words);
        let rules = CommandOption::new("--rules", "std140");
        let options = vec![rules, CommandOption::new("--device", "model")];
        let mut again = RerunCommand::Run { input: "arrays/a".to_owned(), options };
        add_typed(&mut again, &arguments);
        let expected = "layoutproof run arrays/a --rules std140 --device model -D A=1 -D 'B=a b' --no-known \
                        --plant-misreading idle --16bit off --space all -vv";
        assert_eq!(again.to_string(), expected);
        let options = vec![CommandOption::new("--target", "d3d12")];
        let mut shown = RerunCommand::Show { input: "a".to_owned(), options };
        add_typed(&mut shown, &arguments);
        assert_eq!(shown.to_string(), "layoutproof show a --target d3d12 -D A=1 -D 'B=a b' --16bit off");
    }

    #[test]
    fn a_command_from_records_has_no_program_and_no_output() {
        let words = "layoutproof run arrays/ --compiler dxc=./evil,rspirv --keep x --rules std140 --json a";
        let mut arguments = of_run(words.split(' ').map(OsString::from));
        arguments.insert("html".to_owned(), vec!["/tmp/page".to_owned()]);
        arguments.get_mut("inputs").unwrap().extend(["--html=x".to_owned(), "$(touch x)".to_owned()]);
        let shown = "layoutproof run arrays/ '$(touch x)' --compiler rspirv --rules std140";
        assert_eq!(command(&without_programs(&arguments)), shown);
    }
}
