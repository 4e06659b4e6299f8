//! The words of a command line as the parser gets them.
//!
//! For one release, the names of earlier commands stand for today's, and a note says what they are now.
//! Without a command, a file is shown: `layoutproof scene.hlsl` is `layoutproof show scene.hlsl`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Command;
use layoutproof_built_in::CASES;
use layoutproof_core::case::matches_filter;
use layoutproof_source::nearest_name::nearest_name;

/// The command that is run if the user names none.
const SHOW: &str = "show";

/// A command of an earlier release.
struct OldName {
    name: &'static str,
    /// The command that replaces it, as its users would type it.
    now: &'static str,
    /// The words that replace the old name and those after it.
    words: fn(&OldName, &[OsString]) -> Vec<OsString>,
}

impl OldName {
    /// A command that has the same options under its new name.
    const fn moved(name: &'static str, now: &'static str) -> Self {
        Self {
            name,
            now,
            words: |old, rest| old.now.split(' ').map(OsString::from).chain(rest.iter().cloned()).collect(),
        }
    }
}

const OLD_NAMES: [OldName; 10] = [
    OldName::moved("devices", "doctor devices"),
    OldName::moved("compilers", "doctor compilers"),
    OldName::moved("fuzz", "dev fuzz"),
    OldName::moved("bench", "dev bench"),
    OldName::moved("export", "dev export"),
    OldName::moved("cache", "dev cache"),
    OldName::moved("completions", "dev completions"),
    OldName::moved("man", "dev man"),
    OldName { name: "reflect", now: "show --format slang-yaml", words: |_, rest| show_reflection(rest) },
    OldName { name: "site", now: "report --site", words: |_, rest| report_site(rest) },
];

/// Old names and the commands that replace them.
pub(crate) fn old_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    OLD_NAMES.iter().map(|old| (old.name, old.now))
}

/// `reflect FILE --format yaml|slang-json`, which was YAML by default.
fn show_reflection(rest: &[OsString]) -> Vec<OsString> {
    let yaml = |word: &OsString| match word.to_str() {
        Some("yaml") => "slang-yaml".into(),
        Some("--format=yaml") => "--format=slang-yaml".into(),
        Some(_) | None => word.clone(),
    };
    let names_format = |word: &OsString| word.to_str().is_some_and(|word| word.split('=').next() == Some("--format"));
    let format: &[&str] = if rest.iter().any(names_format) { &[] } else { &["--format", "slang-yaml"] };
    let start = std::iter::once(&SHOW).chain(format).map(OsString::from);
    start.chain(rest.iter().map(yaml)).collect()
}

/// `site --out DIR --records FILE...`.
fn report_site(rest: &[OsString]) -> Vec<OsString> {
    let renamed = |word: &OsString| match word.to_str().map(|word| (word, word.split_once('='))) {
        Some(("--out", _)) => Some("--site".into()),
        Some(("--records", _)) => None,
        Some((_, Some(("--out", folder)))) => Some(format!("--site={folder}").into()),
        Some((_, Some(("--records", file)))) => Some(file.into()),
        Some(_) | None => Some(word.clone()),
    };
    std::iter::once("report".into()).chain(rest.iter().filter_map(renamed)).collect()
}

/// A command line in today's words.
#[derive(Debug)]
pub(crate) struct Invocation {
    /// With the program's name first.
    pub words: Vec<OsString>,
    /// A sentence for the user of an old name.
    pub note: Option<String>,
}

impl Invocation {
    /// Finds the command in `words`, the first of which is the program's name.
    pub(crate) fn new(words: impl IntoIterator<Item = OsString>, commands: &Command) -> Self {
        let mut words: Vec<OsString> = words.into_iter().collect();
        let Some(place) = place_of_command(&words) else { return Self { words, note: None } };
        let rest = words.split_off(place);
        if let Some(old) = OLD_NAMES.iter().find(|old| rest[0] == old.name) {
            words.extend((old.words)(old, &rest[1..]));
            return Self { words, note: Some(format!("\"{}\" is now \"{}\"", old.name, old.now)) };
        }

        if is_input(&rest, commands) {
            words.push(SHOW.into());
        }
        words.extend(rest);
        Self { words, note: None }
    }
}

/// The place of the first word that belongs to no global option.
fn place_of_command(words: &[OsString]) -> Option<usize> {
    let mut place = 1;
    while let Some(word) = words.get(place) {
        match word.to_str() {
            Some("--color") => place += 2,
            Some(word) if word == "--ascii" || word.starts_with("--color=") => place += 1,
            Some(_) | None => return Some(place),
        }
    }
    None
}

/// True if these words name no command, but something to show.
fn is_input(words: &[OsString], commands: &Command) -> bool {
    let is_command = |word: &OsStr| word == "help" || commands.find_subcommand(word).is_some();
    let Some(first) = words.first().filter(|word| !is_command(word)) else { return false };
    if first.to_str().is_some_and(|word| word.len() > 1 && word.starts_with('-')) {
        return !words.iter().any(|word| is_command(word)) && words.iter().any(|word| Path::new(word).is_file());
    }
    let word = first.to_string_lossy();
    if word == "-" || Path::new(first).exists() || word.contains(['.', '/', '*', '?', ':', ' ']) {
        return true;
    }
    let names = commands.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name);
    let names = names.chain(old_names().map(|(old, _)| old));
    nearest_name(&word, names).is_none() && CASES.iter().any(|case| matches_filter(case.name, &word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help;

    #[track_caller]
    fn check(typed: &str, expected: &str) {
        let words = typed.split(' ').map(OsString::from);
        let invocation = Invocation::new(words, &help::command());
        let words: Vec<_> = invocation.words.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn a_file_without_a_command_is_shown() {
        check("layoutproof scene.hlsl", "layoutproof show scene.hlsl");
        check("layoutproof --ascii --color never a.hlsl -v", "layoutproof --ascii --color never show a.hlsl -v");
        check("layoutproof -", "layoutproof show -");
        check("layoutproof arrays/two", "layoutproof show arrays/two");
        check("layoutproof a.hlsl --rules std140", "layoutproof show a.hlsl --rules std140");
        check("layoutproof a.hlsl --entry run", "layoutproof show a.hlsl --entry run");
        check("layoutproof two_pairs", "layoutproof show two_pairs");
        for unchanged in [
            "layoutproof",
            "layoutproof -h",
            "layoutproof --color",
            "layoutproof -v run a.hlsl",
            "layoutproof shw",
            "layoutproof devics",
            "layoutproof nosuch",
        ] {
            check(unchanged, unchanged);
        }
    }

    #[test]
    fn old_names_stand_for_new_ones() {
        check("layoutproof --ascii devices --format json", "layoutproof --ascii doctor devices --format json");
        check("layoutproof reflect a.slang --format yaml", "layoutproof show a.slang --format slang-yaml");
        check("layoutproof reflect a.slang --format=yaml", "layoutproof show a.slang --format=slang-yaml");
        check("layoutproof reflect a.slang", "layoutproof show --format slang-yaml a.slang");
        let site = "layoutproof site --out site --records a.jsonl b.jsonl --explorer e";
        check(site, "layoutproof report --site site a.jsonl b.jsonl --explorer e");
        check("layoutproof site --out=site --records=a.jsonl", "layoutproof report --site=site a.jsonl");
    }

    /// No old name hides a command of today, and every new one exists.
    #[test]
    fn old_names_are_free_and_lead_to_commands() {
        let commands = help::command();
        for OldName { name, now, .. } in &OLD_NAMES {
            assert!(commands.find_subcommand(name).is_none(), "{name}");
            let command = now.split(' ').next().unwrap_or(now);
            assert!(commands.find_subcommand(command).is_some(), "{now}");
        }
    }
}
