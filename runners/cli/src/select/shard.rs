//! Which part of a run is wanted: one of several shards, or what a list names.
//!
//! Shards are drawn by a stable hash of the case's id, so every machine finds the same ones, and a case's checks stay
//! together: they share their shaders.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::bail;
use clap::Args;
use layoutproof_core::stable_hash::stable_hash;

use crate::select::files::{FileKind, read_text};

/// Which part of a run is wanted.
#[derive(Clone, Debug, Args)]
pub struct PartArgs {
    /// Only one part of the cases: 2/3 is the second of three. Together the parts are the whole run; `layoutproof report`
    /// puts their records together, and takes the floors.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Only what this file lists: the id of a case or the name of a trial in each line; # begins a comment.
    #[arg(long, value_name = "FILE")]
    pub caselist: Option<PathBuf>,
}

/// One of several parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Which one, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl Shard {
    /// Whether the case of this id is in it.
    pub fn takes(self, case: &str) -> bool {
        // The lower bits of the hash depend on the lower bits of the letters only.
        (stable_hash(case) >> 32) % u64::from(self.of) == u64::from(self.number - 1)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            Some(_) | None => Err("a shard is written I/N, from 1/N to N/N".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// What of a run is wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    shard: Option<Shard>,
    list: Option<CaseList>,
    /// Whether the list may name what is not there.
    may_be_empty: bool,
}

impl Part {
    /// What the arguments say.
    ///
    /// # Errors
    /// A list that cannot be read.
    pub(crate) fn of(args: &PartArgs) -> anyhow::Result<Self> {
        let list = args.caselist.as_deref().map(|path| read_text(path, FileKind::List)).transpose()?;
        Ok(Self { shard: args.shard, list: list.map(|text| CaseList::of(&text)), may_be_empty: false })
    }

    /// One trial, or nothing, where none is called so.
    pub(crate) fn of_trial(name: &str) -> Self {
        Self { shard: None, list: Some(CaseList::of(name)), may_be_empty: true }
    }

    /// Whether something of the case of this id is wanted.
    pub(crate) fn takes_case(&self, id: &str) -> bool {
        self.shard.is_none_or(|shard| shard.takes(id)) && self.list.as_ref().is_none_or(|list| list.takes_case(id))
    }

    /// Whether the trial of this name is wanted, if its case is.
    pub(crate) fn takes_trial(&self, name: &str) -> bool {
        self.list.as_ref().is_none_or(|list| list.takes_trial(name))
    }

    /// Refuses lines of the list that name no case of the run.
    ///
    /// # Errors
    /// All of them.
    pub(crate) fn check<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> anyhow::Result<()> {
        let known: BTreeSet<String> = ids.into_iter().map(in_trial).collect();
        let checked = self.list.iter().filter(|_| !self.may_be_empty);
        let lines = checked.flat_map(|list| list.cases.iter().chain(&list.trials));
        let unknown: Vec<&str> = lines.filter(|line| !known.contains(case_of(line))).map(String::as_str).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let named = unknown[..unknown.len().min(NAMED)].join("\n  ");
        let more = match unknown.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("\n  and {more} more"),
        };
        bail!("the list names what this run has no case for\n  {named}{more}")
    }
}

/// A list of cases and trials.
#[derive(Clone, Debug, Default)]
struct CaseList {
    /// As they stand in trial names.
    cases: BTreeSet<String>,
    trials: BTreeSet<String>,
    /// The cases of the trials.
    cases_of_trials: BTreeSet<String>,
}

/// Lines without a case that are named in an error.
const NAMED: usize = 20;

impl CaseList {
    fn of(text: &str) -> Self {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or(line).trim());
        let (trials, cases): (BTreeSet<&str>, BTreeSet<&str>) =
            lines.filter(|line| !line.is_empty()).partition(|line| case_of(line) != *line);
        let trials: BTreeSet<String> = trials.into_iter().map(in_trial).collect();
        let cases_of_trials = trials.iter().map(|trial| case_of(trial).to_owned()).collect();
        Self { cases: cases.into_iter().map(in_trial).collect(), trials, cases_of_trials }
    }

    fn takes_case(&self, id: &str) -> bool {
        let id = in_trial(id);
        self.cases.contains(&id) || self.cases_of_trials.contains(&id)
    }

    fn takes_trial(&self, name: &str) -> bool {
        self.trials.contains(name) || self.cases.contains(case_of(name))
    }
}

/// A case's id as trial names have it.
fn in_trial(id: &str) -> String {
    id.replace('/', "::")
}

/// The case of a trial: what stands before rule set, producer, device and API. A case's own id has too few parts.
fn case_of(name: &str) -> &str {
    let parts: Vec<(usize, &str)> = name.rmatch_indices("::").take(4).collect();
    match parts[..] {
        [_, _, _, (end, _)] => &name[..end],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every id is in exactly one shard, and none has much more than its share.
    #[test]
    fn shards_are_together_everything_once() {
        let ids: Vec<String> = (0..3000).map(|index| format!("folder/case_{index}")).collect();
        for of in [1, 2, 3, 7] {
            let shards = (1..=of).map(|number| Shard { number, of });
            let counts: Vec<usize> = shards.map(|it| ids.iter().filter(|id| it.takes(id)).count()).collect();
            assert_eq!(counts.iter().sum::<usize>(), ids.len());
            let share = ids.len() / of as usize;
            assert!(counts.iter().all(|count| count.abs_diff(share) < share / 5 + 1), "{counts:?}");
        }
    }

    /// The hash of `foobar` is 0x85944171f73967e8 (FNV reference vectors); its upper half is 2241085809, which is
    /// 4 modulo 7 and 0 modulo 3.
    #[test]
    fn shards_stay_what_they_are() {
        assert!(Shard { number: 1, of: 3 }.takes("foobar"));
        assert!(Shard { number: 5, of: 7 }.takes("foobar"));
    }

    #[test]
    fn a_shard_counts_from_one() {
        assert_eq!("2/3".parse(), Ok(Shard { number: 2, of: 3 }));
        for text in ["0/3", "4/3", "1/0", "2", "a/b", "", "1/3/5", "-1/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_list_names_cases_and_trials() {
        let text = "# for the driver\narrays/a  # all of it\n\n vectors::b::std140::rspirv::lavapipe::ash\n";
        let part = Part { list: Some(CaseList::of(text)), ..Part::default() };
        assert!(part.takes_case("arrays/a") && part.takes_case("vectors/b") && !part.takes_case("arrays/b"));
        assert!(part.takes_trial("arrays::a::std430::naga::lavapipe::wgpu"));
        assert!(part.takes_trial("vectors::b::std140::rspirv::lavapipe::ash"));
        assert!(!part.takes_trial("vectors::b::std430::rspirv::lavapipe::ash"));
        assert!(part.check(["arrays/a", "vectors/b", "arrays/c"]).is_ok());
        let error = part.check(["vectors/b"]).unwrap_err().to_string();
        assert!(error.ends_with("\n  arrays::a"), "{error}");
    }
}
