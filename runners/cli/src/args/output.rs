//! The arguments for a command's reports.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use layoutproof_report::reporter::{Destination, REPORTERS, Reporter};

/// The heading of these options in the help.
pub(crate) const REPORT_HEADING: &str = "Reports and records";

/// Where reports go.
#[derive(Clone, Debug, Args)]
pub struct OutputArgs {
    /// One option for each format that is written to a file.
    #[command(flatten)]
    pub files: ReportFiles,
    /// Write what differs as a list of known differences, for `run --known`.
    ///
    /// One entry for all checks that differ alike, with driver and compiler versions. Their reasons are blank, and
    /// --known refuses the list until each is written.
    #[arg(long, value_name = "FILE")]
    pub save_known: Option<PathBuf>,
    /// Print a line per check, and the whole summary.
    ///
    /// Twice (-vv): also the annotated struct of every known difference.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Print only failures.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// The files of the reporters that write one: an option for each.
#[derive(Clone, Debug)]
pub struct ReportFiles(BTreeMap<&'static str, PathBuf>);

impl ReportFiles {
    pub(crate) fn of(&self, reporter: &dyn Reporter) -> Option<&PathBuf> {
        match reporter.destination() {
            Destination::Records { name, .. } | Destination::FileOfOption { name, .. } => self.0.get(name),
            Destination::FileOfVariable(_) | Destination::Output | Destination::OutputIf(_) => None,
        }
    }

    pub(crate) fn records(&self) -> Option<&PathBuf> {
        let is_records = |reporter: &&dyn Reporter| matches!(reporter.destination(), Destination::Records { .. });
        self.of(REPORTERS.into_iter().find(is_records)?)
    }

    /// The options that are written at the end of a run: those but that of the records.
    pub(crate) fn reports(&self) -> Vec<String> {
        let at_end = options().filter(|(name, _, details)| details.is_none() && self.0.contains_key(name));
        at_end.map(|(name, ..)| name.to_owned()).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of these options and of `others`.
    pub(crate) fn options_with(others: &[&'static str]) -> Vec<&'static str> {
        options().map(|(name, ..)| name).chain(others.iter().copied()).collect()
    }

    /// True if an option of this name is for a report's file.
    pub(crate) fn has_option(name: &str) -> bool {
        options().any(|(option, ..)| option == name)
    }
}

/// The name, the help and more details of each option.
fn options() -> impl Iterator<Item = (&'static str, &'static str, Option<&'static str>)> {
    REPORTERS.into_iter().filter_map(|reporter| match reporter.destination() {
        Destination::Records { name, help, details } => Some((name, help, Some(details))),
        Destination::FileOfOption { name, help } => Some((name, help, None)),
        Destination::FileOfVariable(_) | Destination::Output | Destination::OutputIf(_) => None,
    })
}

impl Args for ReportFiles {
    fn augment_args(command: Command) -> Command {
        let file = value_parser!(PathBuf);
        command.args(options().map(|(name, help, details)| {
            let option = Arg::new(name)
                .long(name)
                .value_name("FILE")
                .help(help)
                .help_heading(REPORT_HEADING)
                .value_parser(file.clone());
            match details {
                Some(details) => option.long_help(format!("{help}.\n\n{details}")),
                None => option,
            }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ReportFiles {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = |(name, ..): (&'static str, _, _)| Some((name, matches.get_one::<PathBuf>(name)?.clone()));
        Ok(Self(options().filter_map(named).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
