//! The requested part of a run: one of several shards, or the contents of a list.
//!
//! The selection filters cases by it, the run filters checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, bail};
use layoutproof_events::CheckId;
use layoutproof_inputs::files::{FileKind, read_text};
use layoutproof_records::output_files::append_to_file;
use layoutproof_records::shard::Shard;

use crate::args::PartArgs;

/// The requested part of a run; by default all of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunPart {
    shard: Option<Shard>,
    /// Whether cases whose time is known are in the shard.
    timed: BTreeMap<String, bool>,
    list: Option<CaseList>,
    /// True if the list may name cases that do not exist.
    may_be_empty: bool,
}

impl RunPart {
    /// The part that the arguments select.
    pub(crate) fn of(args: &PartArgs) -> anyhow::Result<Self> {
        if args.times.is_some() && args.shard.is_none() {
            bail!("--times is for parts of a run: name one with --shard");
        }
        if args.shard.is_some() {
            mark_sharding()?;
        }
        let text = args.caselist.as_deref().map(|path| read_text(path, FileKind::List)).transpose()?;
        let timed = args.shard.zip(args.times.as_ref()).map(|(shard, times)| times.cases_of(shard)).unwrap_or_default();
        let timed = timed.into_iter().map(|(case, is_own)| (case.to_owned(), is_own)).collect();
        Ok(Self { shard: args.shard, timed, list: text.map(|text| CaseList::of(&text)), may_be_empty: false })
    }

    /// The trial of this name only; empty if no such trial exists.
    pub(crate) fn of_trial(check: CheckId) -> Self {
        let mut list = CaseList::default();
        list.add(check);
        Self { list: Some(list), may_be_empty: true, ..Self::default() }
    }

    /// True if any check of the case of this id belongs to the part.
    pub(crate) fn takes_case(&self, id: &str) -> bool {
        let is_of_shard = |shard: Shard| self.timed.get(id).copied().unwrap_or_else(|| shard.takes(id));
        self.shard.is_none_or(is_of_shard) && self.list.as_ref().is_none_or(|list| list.takes_case(id))
    }

    /// True if the check belongs to the part. Assumes that its case does.
    pub(crate) fn takes_trial(&self, check: &CheckId) -> bool {
        self.list.as_ref().is_none_or(|list| list.takes_trial(check))
    }

    /// Refuses a list with lines that match no case of the run.
    ///
    /// # Errors
    /// A message that names the first of these lines.
    pub(crate) fn check<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> anyhow::Result<()> {
        let known: BTreeSet<String> = ids.into_iter().map(as_typed).collect();
        let checked = self.list.iter().filter(|_| !self.may_be_empty);
        let unknown: Vec<String> = checked.flat_map(|list| list.not_among(&known)).collect();
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
    append_to_file(Path::new(&path), "").context("TEST_SHARD_STATUS_FILE")
}

/// The lines of a list. Cases are written as in the ids of checks that are read from text.
#[derive(Clone, Debug, Default)]
struct CaseList {
    cases: BTreeSet<String>,
    checks: BTreeSet<CheckId>,
    cases_of_checks: BTreeSet<String>,
}

/// Number of unknown lines that an error lists.
const NAMED: usize = 20;

impl CaseList {
    fn of(text: &str) -> Self {
        let mut list = Self::default();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or(line).trim();
            if line.is_empty() {
                continue;
            }
            match line.parse() {
                Ok(check) => list.add(check),
                // A line with too few parts for a check is a case.
                Err(_) => drop(list.cases.insert(as_typed(line))),
            }
        }
        list
    }

    fn add(&mut self, check: CheckId) {
        self.cases_of_checks.insert(check.case.clone());
        self.checks.insert(check);
    }

    fn takes_case(&self, id: &str) -> bool {
        let id = as_typed(id);
        self.cases.contains(&id) || self.cases_of_checks.contains(&id)
    }

    fn takes_trial(&self, check: &CheckId) -> bool {
        let check = check.as_typed();
        self.checks.contains(&*check) || self.cases.contains(&check.case)
    }

    /// The lines about other cases than these, as in the names of checks.
    fn not_among(&self, known: &BTreeSet<String>) -> impl Iterator<Item = String> {
        let cases = self.cases.iter().filter(|case| !known.contains(*case)).map(|case| case.replace('/', "::"));
        let checks = self.checks.iter().filter(|check| !known.contains(&check.case)).map(ToString::to_string);
        cases.chain(checks)
    }
}

/// A case's id with one separator, whichever the user typed.
fn as_typed(id: &str) -> String {
    id.replace("::", "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_cases_and_trials() {
        let text = "# for the driver\narrays/a  # all of it\n\n vectors::b::std140::rspirv::lavapipe::ash\n";
        let part = RunPart { list: Some(CaseList::of(text)), ..RunPart::default() };
        assert!(part.takes_case("arrays/a") && part.takes_case("vectors/b") && !part.takes_case("arrays/b"));
        let takes = |name: &str| part.takes_trial(&name.parse().unwrap());
        assert!(takes("arrays::a::std430::naga::lavapipe::wgpu"));
        assert!(takes("vectors::b::std140::rspirv::lavapipe::ash"));
        assert!(!takes("vectors::b::std430::rspirv::lavapipe::ash"));
        assert!(part.check(["arrays/a", "vectors/b", "arrays/c"]).is_ok());
        let error = part.check(["vectors/b"]).unwrap_err().to_string();
        assert!(error.ends_with("\n  arrays::a"), "{error}");
    }
}
