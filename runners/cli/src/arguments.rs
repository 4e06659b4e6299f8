//! The arguments of a run as its records keep them: what decides which checks there are and what they find.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory};

use crate::args::Cli;

/// Options that only say where reports go, how they look and what they must show.
const OF_REPORTS: [&str; 12] =
    ["json", "junit", "csv", "out", "resume", "verbose", "color", "ascii", "require", "forbid_skip", "floors", "help"];

/// What the user typed behind the command, by option; positional words are under `inputs`.
pub(crate) fn of_run(words: impl IntoIterator<Item = OsString>) -> BTreeMap<String, Vec<String>> {
    let command = Cli::command();
    let matches = command.clone().try_get_matches_from(words).ok();
    let run = matches.as_ref().and_then(ArgMatches::subcommand);
    let Some((name, run)) = run else { return BTreeMap::new() };
    let options = command.find_subcommand(name).into_iter().flat_map(Command::get_arguments);
    let options = options.map(|option| option.get_id().as_str()).filter(|id| !OF_REPORTS.contains(id));
    let typed = options.filter(|id| run.value_source(id) == Some(ValueSource::CommandLine));
    let values = |id: &str| {
        let raw = run.get_raw(id).into_iter().flatten();
        raw.map(|value| value.to_string_lossy().into_owned()).collect()
    };
    typed.map(|id| (id.to_owned(), values(id))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(words: &str) -> String {
        let words = ["layoutproof", "run"].into_iter().chain(words.split_whitespace());
        format!("{:?}", of_run(words.map(OsString::from)))
    }

    #[test]
    fn what_decides_is_kept_and_what_reports_is_not() {
        let decides = r#"{"inputs": ["arrays/"], "no_known": ["true"], "rules": ["std140", "scalar"]}"#;
        assert_eq!(typed("arrays/ --rules std140,scalar --no-known"), decides);
        let more = "--json a --junit b -vv --color never --ascii --require lavapipe --forbid-skip= --floors f";
        assert_eq!(typed(&format!("--no-known {more} arrays/ --rules std140 --rules scalar")), decides);
        assert_eq!(typed(""), "{}");
    }
}
