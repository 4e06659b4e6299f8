//! What a command takes up from the records of a run: which checks the run selected.
//!
//! A records file may come from elsewhere, so this is an allow-list. Programs, outputs, paths and limits come from
//! the user's own words alone: an option outside of [`SelectionOption`], a compiler's build and a file among
//! the inputs stay in the file, and a note names them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, bail};
use clap::{CommandFactory, Parser};
use layoutproof_events::shell::shell_word;
use layoutproof_inputs::all_cases::Cases;
use layoutproof_inputs::inputs::InputWord;
use layoutproof_inputs::named_compiler::name_and_file;
use layoutproof_show::style::one_line;
use strum::{EnumString, IntoStaticStr};

use crate::args::RunArgs;
use crate::command_line::{Cli, Command as Invoked};
use crate::records::arguments::{RUN, TIMES, TypedOptions};

/// An option of `run` that only selects checks, by the id of its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum SelectionOption {
    /// The words that name built-in cases.
    Inputs,
    Rules,
    All,
    /// Names, without builds by their files.
    Producer,
    Through,
    EveryTranslator,
    NoCompiler,
    EveryDevice,
    Device,
    Runner,
    Form,
    Space,
    EveryElement,
    Stage,
    Shard,
    NoKnown,
    NoFuse,
    Rotation,
    PlantMisreading,
    PlantRules,
    Lang,
    Matrix,
    SixteenBit,
    Define,
    Entry,
    Target,
    Convention,
    Used,
    Unused,
    Profile,
}

/// The part of a recorded run's arguments that a command may take up.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordedSelection {
    options: BTreeMap<SelectionOption, Vec<String>>,
    /// The ids of the built-in cases that the words of `Inputs` select.
    cases: BTreeSet<String>,
    /// The words for files, which are not taken up.
    files: Vec<String>,
    /// Those that are taken up, see [`RecordedSelection::with_files_here`].
    files_here: Vec<String>,
    /// True if the recorded run was one of several parts by the times of an earlier run.
    has_times: bool,
    /// Options that are not taken up, by their ids, as the user types them.
    left: Vec<(String, String)>,
}

impl RecordedSelection {
    /// # Errors
    /// This version lacks an option of the recorded run.
    pub(crate) fn of(recorded: &TypedOptions) -> anyhow::Result<Self> {
        let command = Cli::command();
        let run = command.find_subcommand(RUN).context("every version can run")?;
        let built_in = Cases::load(&[])?;
        let mut found = Self::default();
        for (id, values) in recorded {
            let option = run.get_arguments().find(|option| option.get_id() == id.as_str());
            let Some(option) = option else {
                bail!("this version lacks the recorded run's option `{}`", one_line(id));
            };
            let flag = option.get_long().map(|long| format!("--{long}"));
            let flag = flag.or_else(|| option.get_short().map(|short| format!("-{short}"))).unwrap_or_default();
            let mut left =
                |value: &str| found.left.push((id.clone(), format!("{flag} {}", shell_word(&one_line(value)))));

            if id == TIMES {
                found.has_times = true;
                continue;
            }
            let Ok(own) = id.parse::<SelectionOption>() else {
                match values.as_slice() {
                    [] => left(""),
                    values => values.iter().for_each(|value| left(value)),
                }
                continue;
            };
            let mut taken = Vec::new();
            for value in values {
                let is_taken = match own {
                    SelectionOption::Inputs => {
                        let cases = match InputWord::of(value, None) {
                            InputWord::Filter(_) => built_in.matching(std::slice::from_ref(value)),
                            InputWord::Shader(_) | InputWord::CaseFile(_) => Vec::new(),
                        };
                        let selects = !cases.is_empty();
                        found.cases.extend(cases);
                        if !selects {
                            found.files.push(one_line(value));
                        }
                        selects
                    }
                    SelectionOption::Producer => {
                        let is_name = name_and_file(value).1.is_none();
                        if !is_name {
                            left(value);
                        }
                        is_name
                    }
                    _ => true,
                };
                if is_taken {
                    taken.push(value.clone());
                }
            }
            if values.is_empty() || !taken.is_empty() {
                found.options.insert(own, taken);
            }
        }
        Ok(found)
    }

    /// The options as a header has them.
    pub(crate) fn typed(&self) -> TypedOptions {
        let named = |(option, values): (&SelectionOption, &Vec<String>)| (id(*option).to_owned(), values.clone());
        self.options.iter().map(named).collect()
    }

    /// Without the inputs, for a check that the user names.
    pub(crate) fn without_inputs(mut self) -> Self {
        self.options.remove(&SelectionOption::Inputs);
        Self { cases: BTreeSet::new(), files: Vec::new(), has_times: false, ..self }
    }

    /// With the files of the working folder: for a report that counts what the run read, if their texts are still the
    /// same. Others stay in the records.
    pub(crate) fn with_files_here(mut self) -> Self {
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        let is_here = |file: &String| {
            let real = Path::new(file).canonicalize();
            real.is_ok_and(|real| real.is_file() && here.as_ref().is_ok_and(|here| real.starts_with(here)))
        };
        let (files_here, files) = std::mem::take(&mut self.files).into_iter().partition(is_here);
        Self { files, files_here, ..self }
    }

    /// Beside the options that the user types again.
    pub(crate) fn beside(mut self, typed: &TypedOptions) -> Self {
        self.left.retain(|(option, _)| !typed.contains_key(option));
        self
    }

    /// A line about what is left in the records at `place`; `None` if that is nothing.
    pub(crate) fn note(&self, place: &str) -> Option<String> {
        let left = self.left.iter().map(|(_, words)| words.as_str()).collect::<Vec<_>>().join(", ");
        let note = || format!("records select checks alone, so {left} of {place} is not taken: type it to use it");
        (!left.is_empty()).then(note)
    }

    /// The arguments of a run with this selection and what the user types after the command.
    ///
    /// # Errors
    /// The recorded run was one of files, or a value is wrong.
    pub(crate) fn run_args(&self, typed: impl IntoIterator<Item = OsString>) -> anyhow::Result<RunArgs> {
        if let Some(file) = self.files.first() {
            bail!("the records are of a run of files, such as {file}, and only the user names files");
        }
        if self.has_times {
            bail!("the run was one part by the times of an earlier run: type its whole command, with --times");
        }
        let command = Cli::command();
        let run = command.find_subcommand(RUN).context("every version can run")?;
        let mut words: Vec<String> = vec!["layoutproof".to_owned(), RUN.to_owned()];
        for (own, values) in &self.options {
            let option = run.get_arguments().find(|option| option.get_id() == id(*own));
            let option = option.context("every option of the list exists")?;
            match (option.get_long(), option.get_short()) {
                (Some(long), _) if option.get_action().takes_values() => {
                    words.extend(values.iter().map(|value| format!("--{long}={value}")));
                }
                (Some(long), _) => words.push(format!("--{long}")),
                (None, Some(short)) => words.extend(values.iter().map(|value| format!("-{short}{value}"))),
                (None, None) => {}
            }
        }

        let typed = typed.into_iter().skip_while(|word| word != RUN).skip(1);
        let cases = ["--".to_owned()].into_iter().chain(self.cases.iter().chain(&self.files_here).cloned());
        let words = words.into_iter().map(OsString::from).chain(typed).chain(cases.map(OsString::from));
        let mut cli = Cli::try_parse_from(words).context("the arguments of the recorded run")?;
        cli.command.complete_columns().context("the arguments of the recorded run")?;
        let Invoked::Run(run) = cli.command else { bail!("the records come from another command") };
        Ok(*run)
    }
}

fn id(option: SelectionOption) -> &'static str {
    option.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::arguments::of_run;

    fn recorded(words: &str) -> TypedOptions {
        of_run(["layoutproof", "run"].into_iter().chain(words.split_whitespace()).map(OsString::from))
    }

    #[test]
    fn a_selection_is_taken_up() {
        let words = "arrays/ --rules=std140,scalar --no-known --shard=1/2 -D A=1,2 --16bit off --rotation 3 --no-fuse";
        let recorded = recorded(words);
        let selection = RecordedSelection::of(&recorded).unwrap();
        assert_eq!((selection.typed(), selection.note("r.jsonl")), (recorded, None));
        let run = selection.run_args([]).unwrap();
        assert_eq!((run.rules.len(), run.rotation, run.no_fuse, run.no_known), (2, 3, true, true));
        assert_eq!(run.part.shard.map(|shard| shard.of), Some(2));
        assert!(!run.inputs.is_empty() && run.inputs.iter().all(|id| id.starts_with("arrays/")), "{:?}", run.inputs);
        assert_eq!(run.declare.define, ["A=1,2"]);
        assert_eq!(run.declare.sixteen_bit, Some(layoutproof_inputs::declare::OnOff::Off));
    }

    /// Every other option stays where it is.
    #[test]
    fn programs_outputs_and_paths_are_not_taken_up() {
        let command = Cli::command();
        let run = command.find_subcommand(RUN).unwrap();
        let mut foreign = recorded("arrays/ --rules std140");
        for option in run.get_arguments() {
            let id = option.get_id().to_string();
            if id.parse::<SelectionOption>().is_err() && id != TIMES {
                foreign.insert(id, vec!["/tmp/x".to_owned()]);
            }
        }
        foreign.insert("producer".to_owned(), ["rspirv", "dxc=./evil"].map(str::to_owned).to_vec());
        let selection = RecordedSelection::of(&foreign).unwrap();
        let run = selection.run_args([]).unwrap();
        assert_eq!((run.rules, run.producer), (vec!["std140".to_owned()], vec!["rspirv".to_owned()]));
        assert!(run.outputs.files.is_empty() && run.outputs.save_known.is_none() && run.keep.is_none());
        assert!(run.known.is_empty() && run.floors.is_empty() && run.resume.is_none() && run.part.caselist.is_none());
        assert!(run.declare.cases.is_empty() && run.declare.include.is_empty() && run.declare.args.is_none());
        let note = selection.note("r.jsonl").unwrap();
        for word in ["--html /tmp/x", "--save-known /tmp/x", "--known /tmp/x", "-I /tmp/x", "--compiler dxc=./evil"] {
            assert!(note.contains(word), "{word}: {note}");
        }
    }

    #[test]
    fn a_file_is_named_by_the_user() {
        let outside = ["/etc/hostname", "../Cargo.toml", "/proc/self/environ"]
            .map(|word| RecordedSelection::of(&recorded(word)).unwrap().with_files_here().run_args([]).is_err());
        assert_eq!(outside, [true; 3]);
        let here = RecordedSelection::of(&recorded("Cargo.toml")).unwrap().with_files_here();
        assert_eq!(here.run_args([]).unwrap().inputs, ["Cargo.toml"]);
        for word in ["a.hlsl", "/etc/x.toml", "../a.spv", "/etc/passwd", "*.hlsl", "nosuch*"] {
            let selection = RecordedSelection::of(&recorded(word)).unwrap();
            let error = selection.run_args([]).unwrap_err().to_string();
            assert!(error.starts_with("the records are of a run of files"), "{error}");
        }
    }

    #[test]
    fn every_option_of_the_list_exists() {
        let command = Cli::command();
        let run = command.find_subcommand(RUN).unwrap();
        let ids: Vec<&str> = run.get_arguments().map(|option| option.get_id().as_str()).collect();
        let known: Vec<&str> = ids.iter().copied().filter(|id| id.parse::<SelectionOption>().is_ok()).collect();
        assert_eq!(known.len(), 30, "{known:?}");
    }

    #[test]
    fn an_option_of_another_version_is_named() {
        let arguments = [("colour".to_owned(), vec!["red".to_owned()])].into();
        let error = RecordedSelection::of(&arguments).unwrap_err().to_string();
        assert_eq!(error, "this version lacks the recorded run's option `colour`");
    }
}
