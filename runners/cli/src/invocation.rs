//! The words of a command line as the parser gets them.
//!
//! For one release, the names of earlier commands stand for today's, and a note says what they are now.
//! Without a command, a file is shown: `layoutproof scene.hlsl` is `layoutproof show scene.hlsl`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Command;
use layoutproof_built_in::CASES;
use layoutproof_source::nearest_name::nearest_name;

use crate::old_names::{OLD_NAMES, Words};

/// The command that is run if the user names none.
const SHOW: &str = "show";

/// Old names and the commands that replace them.
pub(crate) fn old_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    OLD_NAMES.iter().map(|old| (old.name, old.now))
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
            words.extend((old.words)(Words(rest[1..].to_vec())).0);
            return Self { words, note: Some(old.note()) };
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
            "layoutproof shaders",
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
        let freeze = "layoutproof freeze --compiler ./dxc --family dxc --to set --time-limit 5 moons/";
        check(freeze, "layoutproof compare dxc=./dxc --no-cache --save set --compile-limit 5 moons/");
        let regress = "layoutproof regress --compiler=./my-dxc --against set moons/ --format json";
        check(regress, "layoutproof compare set ./my-dxc --no-cache moons/ --format json");
        check("layoutproof upstream", "layoutproof bugs --all");
        let text = "layoutproof upstream dxc/lists --out=texts --time-limit 5";
        check(text, "layoutproof bugs --issue dxc/lists --out=texts --compile-limit 5");
    }

    /// No old name hides a command of today, and every new one exists.
    #[test]
    fn old_names_are_free_and_lead_to_commands() {
        let commands = help::command();
        for (name, now) in old_names() {
            assert!(commands.find_subcommand(name).is_none(), "{name}");
            let command = now.split(' ').next().unwrap_or(now);
            assert!(commands.find_subcommand(command).is_some(), "{now}");
        }
    }
}
