//! A check in one sentence, for the end of the text and for the first line of CI.

use std::collections::BTreeMap;

use layoutproof_show::style::{counted, one_line};

use super::findings::{declaration, differing_findings};
use super::{CheckedPair, HostCheck, PairOutcome, PairProof, UnmatchedBlock};
use layoutproof_hostcheck::part_path;

/// For example `2 of 5 blocks differ from the host; first: Frame.normalMatrix, engine.cpp:12`. It also
/// counts everything else that makes the check fail.
pub fn headline(check: &HostCheck) -> String {
    let mut outcomes: BTreeMap<_, PairOutcome> = BTreeMap::new();
    for pair in &check.pairs {
        let outcome = outcomes.entry((declaration(pair), &pair.host)).or_insert(PairOutcome::Agree);
        *outcome = [PairOutcome::Differ, PairOutcome::Known, PairOutcome::Agree]
            .into_iter()
            .find(|worse| [*outcome, pair.outcome()].contains(worse))
            .unwrap_or(PairOutcome::Agree);
    }
    let count = |outcome| outcomes.values().filter(|found| **found == outcome).count() as u64;
    let (all, differ, known) = (outcomes.len() as u64, count(PairOutcome::Differ), count(PairOutcome::Known));

    let findings = differing_findings(check);
    let blocks = counted(all, "block");
    let mut parts = vec![match (all, differ) {
        (0, _) => "nothing was compared".to_owned(),
        (1, 0) => "1 block agrees with the host".to_owned(),
        (_, 0) => format!("{blocks} agree with the host"),
        (_, 1) => format!("1 of {blocks} differs from the host"),
        (_, _) if (findings.len() as u64) < differ => {
            format!("{differ} of {blocks} differ from the host in {}", counted(findings.len() as u64, "way"))
        }
        (_, _) => format!("{differ} of {blocks} differ from the host"),
    }];
    if known > 0 {
        parts.push(format!("{known} known"));
    }
    parts.extend(other_parts(check));
    let text = parts.join(", ");
    match findings.first() {
        Some(first) => one_line(&format!("{text}; first: {}", first_difference(&check.pairs[first.first()]))),
        None => text,
    }
}

/// Blocks without a host struct, devices, files that could not be read, and entries that no longer hold.
fn other_parts(check: &HostCheck) -> Vec<String> {
    let mut parts = Vec::new();
    let unmatched = check.unmatched.len() as u64;
    if unmatched > 0 || check.pairs.is_empty() {
        parts.push(format!("{} without a host struct", counted(unmatched, "block")));
    }
    let errors = check.unmatched.iter().filter(|unmatched| check.is_strict || unmatched.reason.is_error()).count();
    match errors {
        0 => {}
        1 if unmatched == 1 => parts.push("which is an error".to_owned()),
        1 => parts.push("1 of which is an error".to_owned()),
        errors => parts.push(format!("{errors} of which are errors")),
    }
    let proposed =
        |unmatched: &&UnmatchedBlock| unmatched.best_proposal().is_some_and(|proposal| proposal.difference.is_some());
    match check.unmatched.iter().filter(proposed).count() {
        0 => {}
        1 if unmatched == 1 => parts.push("whose proposal would differ".to_owned()),
        1 => parts.push("1 of which would differ from its proposal".to_owned()),
        differing => parts.push(format!("{differing} of which would differ from their proposals")),
    }
    if check.pairs.iter().any(|pair| !pair.proofs.is_empty()) {
        let arrived = check.pairs.iter().flat_map(|pair| &pair.proofs).map(PairProof::arrived).sum();
        parts.push(format!("{} arrived on devices", leaves(arrived)));
    }
    if !check.unread.is_empty() {
        parts.push(format!("{} not read", counted(check.unread.len() as u64, "file")));
    }
    match check.complaints.len() {
        0 => {}
        1 => parts.push("1 entry of layoutproof.toml no longer holds".to_owned()),
        several => parts.push(format!("{several} entries of layoutproof.toml no longer hold")),
    }
    let unseen = check.account.unseen();
    if !unseen.entries.is_empty() {
        parts.push(format!("not compared: {}", unseen.gaps().join("; ")));
    }
    if !check.lock_changes.is_empty() {
        parts.push(format!("{} since layoutproof.lock", counted(check.lock_changes.len() as u64, "change")));
    }
    parts
}

/// The member that differs first, with its line in the host or else in the shader.
fn first_difference(pair: &CheckedPair) -> String {
    let stray = || pair.proofs.iter().filter_map(|proof| proof.result.as_ref().ok()).find_map(|it| it.strays.first());
    match (pair.mismatches().first(), stray()) {
        (Some(first), _) => {
            let place = first.host_at.as_ref().or(first.shader_at.as_ref());
            let place = place.map_or_else(|| pair.host_file.clone(), ToString::to_string);
            // The path of what is wrong with the whole struct is its name.
            let path = Some(first.path.as_str()).filter(|path| *path != pair.host).unwrap_or_default();
            format!("{}, {place}", part_path(&pair.shader_name(), path))
        }
        (None, Some(stray)) => format!("{}, {}", part_path(&pair.block, &stray.path), pair.shader),
        (None, None) => pair.shader_name(),
    }
}

/// `1 leaf`, `3 leaves`.
pub(super) fn leaves(number: u32) -> String {
    if number == 1 { "1 leaf".to_owned() } else { format!("{number} leaves") }
}

/// True if an input could not be read, or the user names a type that no host file defines: the check then lacks a part of
/// what the user wants compared.
pub fn could_not_read(check: &HostCheck) -> bool {
    !check.unread.is_empty() || check.unmatched.iter().any(UnmatchedBlock::names_no_type)
}

/// True if something in the check is an error.
pub fn is_failing(check: &HostCheck) -> bool {
    check.pairs.iter().any(|pair| pair.outcome() == PairOutcome::Differ)
        || check.unmatched.iter().any(|unmatched| check.is_strict || unmatched.reason.is_error())
        || (check.is_strict && !check.account.unseen().entries.is_empty())
        || check.all_complaints().next().is_some()
        || !check.unread.is_empty()
}
