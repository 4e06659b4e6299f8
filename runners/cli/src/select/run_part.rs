//! The requested part of a run: one of several shards, or the contents of a list.
//!
//! The selection filters cases by it, the run filters checks.

use std::collections::BTreeSet;

use anyhow::{Context, bail};

use crate::args::{PartArgs, Shard};
use crate::select::files::{FileKind, read_text};

/// The requested part of a run; by default all of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunPart {
    shard: Option<Shard>,
    list: Option<CaseList>,
    /// True if the list may name cases that do not exist.
    may_be_empty: bool,
}

impl RunPart {
    /// The part that the arguments select.
    ///
    /// # Errors
    /// The list cannot be read, or Bazel's file cannot be written.
    pub(crate) fn of(args: &PartArgs) -> anyhow::Result<Self> {
        if args.shard.is_some() {
            mark_sharding()?;
        }
        let list = args.caselist.as_deref().map(|path| read_text(path, FileKind::List)).transpose()?;
        Ok(Self { shard: args.shard, list: list.map(|text| CaseList::of(&text)), may_be_empty: false })
    }

    /// The trial of this name only; empty if no such trial exists.
    pub(crate) fn of_trial(name: &str) -> Self {
        Self { shard: None, list: Some(CaseList::of(name)), may_be_empty: true }
    }

    /// True if any check of the case of this id belongs to the part.
    pub(crate) fn takes_case(&self, id: &str) -> bool {
        self.shard.is_none_or(|shard| shard.takes(id)) && self.list.as_ref().is_none_or(|list| list.takes_case(id))
    }

    /// True if the trial of this name belongs to the part. Assumes that its case does.
    pub(crate) fn takes_trial(&self, name: &str) -> bool {
        self.list.as_ref().is_none_or(|list| list.takes_trial(name))
    }

    /// Refuses a list with lines that match no case of the run.
    ///
    /// # Errors
    /// A message that names the first of these lines.
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

/// Touches the file that tells Bazel that the test supports sharding. Without it, Bazel fails the
/// test.
fn mark_sharding() -> anyhow::Result<()> {
    let Some(path) = std::env::var_os("TEST_SHARD_STATUS_FILE") else { return Ok(()) };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    file.with_context(|| format!("TEST_SHARD_STATUS_FILE: {}", path.display()))?;
    Ok(())
}

#[derive(Clone, Debug, Default)]
struct CaseList {
    /// The cases, written as in trial names.
    cases: BTreeSet<String>,
    trials: BTreeSet<String>,
    /// The cases of the trials.
    cases_of_trials: BTreeSet<String>,
}

/// Number of unknown lines that an error lists.
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

/// A case's id as written in trial names.
fn in_trial(id: &str) -> String {
    id.replace('/', "::")
}

/// The case of a trial: the part before rule set, producer, device and API. A case's own id has
/// fewer parts and is returned whole.
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
