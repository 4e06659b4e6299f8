//! The part of a run that the user asks for: one of several shards, or what a list names.
//!
//! The selection asks it about each case, the run about each check.

use std::collections::BTreeSet;

use anyhow::{Context, bail};

use crate::args::{PartArgs, Shard};
use crate::select::files::{FileKind, read_text};

/// The part of a run that is carried out; by default all of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunPart {
    shard: Option<Shard>,
    list: Option<CaseList>,
    /// True if the list may name cases that do not exist.
    may_be_empty: bool,
}

impl RunPart {
    /// The part that the arguments name.
    ///
    /// # Errors
    /// A list that cannot be read, and Bazel's file that cannot be written.
    pub(crate) fn of(args: &PartArgs) -> anyhow::Result<Self> {
        if args.shard.is_some() {
            mark_sharding()?;
        }
        let list = args.caselist.as_deref().map(|path| read_text(path, FileKind::List)).transpose()?;
        Ok(Self { shard: args.shard, list: list.map(|text| CaseList::of(&text)), may_be_empty: false })
    }

    /// The trial of this name alone; nothing if there is no such trial.
    pub(crate) fn of_trial(name: &str) -> Self {
        Self { shard: None, list: Some(CaseList::of(name)), may_be_empty: true }
    }

    /// True if something of the case of this id belongs to the part.
    pub(crate) fn takes_case(&self, id: &str) -> bool {
        self.shard.is_none_or(|shard| shard.takes(id)) && self.list.as_ref().is_none_or(|list| list.takes_case(id))
    }

    /// True if the trial of this name belongs to the part, given that its case does.
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
        bail!("the list names cases that this run does not have\n  {named}{more}")
    }
}

/// Touches the file by which a test tells Bazel that it divides its work; Bazel takes one that does not for a failure.
fn mark_sharding() -> anyhow::Result<()> {
    let Some(path) = std::env::var_os("TEST_SHARD_STATUS_FILE") else { return Ok(()) };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    file.with_context(|| format!("TEST_SHARD_STATUS_FILE: {}", path.display()))?;
    Ok(())
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

    #[test]
    fn a_list_names_cases_and_trials() {
        let text = "# for the driver\narrays/a  # all of it\n\n vectors::b::std140::rspirv::lavapipe::ash\n";
        let part = RunPart { list: Some(CaseList::of(text)), ..RunPart::default() };
        assert!(part.takes_case("arrays/a") && part.takes_case("vectors/b") && !part.takes_case("arrays/b"));
        assert!(part.takes_trial("arrays::a::std430::naga::lavapipe::wgpu"));
        assert!(part.takes_trial("vectors::b::std140::rspirv::lavapipe::ash"));
        assert!(!part.takes_trial("vectors::b::std430::rspirv::lavapipe::ash"));
        assert!(part.check(["arrays/a", "vectors/b", "arrays/c"]).is_ok());
        let error = part.check(["vectors/b"]).unwrap_err().to_string();
        assert!(error.ends_with("\n  arrays::a"), "{error}");
    }
}
