//! The words of a command line as the parser gets them.
//!
//! Without a command, a file is shown: `layoutproof scene.hlsl` is `layoutproof show scene.hlsl`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Command;
use layoutproof_built_in::CASES;
use layoutproof_source::nearest_name::nearest_name;

/// The command that is run if the user names none.
const SHOW: &str = "show";

/// A command line with its command. The first word is the program's name.
pub(crate) fn with_command(words: impl IntoIterator<Item = OsString>, commands: &Command) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    if let Some(place) = place_of_command(&words).filter(|place| is_input(&words[*place..], commands)) {
        words.insert(place, SHOW.into());
    }
    words
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
    nearest_name(&word, names).is_none() && CASES.iter().any(|case| is_named_by(case.name, &word))
}

/// True if a word is the id of a case, or the start of its last part. A part in the middle of an id may
/// as well be a folder or file that is not there.
fn is_named_by(id: &str, word: &str) -> bool {
    id == word || id.rsplit('/').next().is_some_and(|name| name.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help;

    #[track_caller]
    fn check(typed: &str, expected: &str) {
        let words = typed.split(' ').map(OsString::from);
        let words = with_command(words, &help::command());
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
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
            "layoutproof shaders",
        ] {
            check(unchanged, unchanged);
        }
    }
}
