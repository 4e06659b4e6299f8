//! The check for people: each difference as a diff with its explanation, everything else in a line.

use std::collections::BTreeMap;

use super::diff::diff;
use super::findings::{
    Finding, OtherPlaces, mirrors, other_places_of_pairs, other_places_of_unmatched, pair_findings, unmatched_findings,
    unread_findings,
};
use super::headline::{headline, is_failing, leaves};
use super::map_entries::map_entries;
use super::other_layouts::{BetterChoice, BetterLayout, OtherLayout, better_layouts, order_setting, target_setting};
use super::view::{Amount, View};
use super::{ByMembers, CheckedPair, HostCheck, HostProposal, PairOutcome, PairProof, UnmatchedBlock, target_title};
use layoutproof_hostcheck::{LinePlace, Mismatch, Remark, StrayLeaf};
use layoutproof_show::style::{self, Style, TextLines, Tone, counted, one_line, pad_left, width};

/// Columns before the text of a detail.
const DETAIL_COLUMNS: usize = 11;
/// Most leaves to list per device that read another member.
const TOLD_STRAYS: usize = 8;

/// Most blocks of a kind to list if nothing is wrong with them. A repository of samples has hundreds.
const MOST_PLAIN: usize = 20;
/// Most pairs under which to write a note that says nothing about the pair alone.
const MOST_REPEATED: usize = 3;
/// Most entries of the project file to write out.
const MOST_ENTRIES: usize = 6;
/// Most reasons to list for which files could not be read.
const MOST_UNREAD: usize = 10;

/// Every difference as a diff, the other pairs as one line each, and the headline. What holds for many
/// shaders is written once.
pub fn text(check: &HostCheck, view: View) -> String {
    let mut lines = TextLines::default();
    if view.amount != Amount::Headline {
        lines.append(&findings(check, view));
    }
    let tone = if is_failing(check) { Tone::Disagree } else { Tone::Strong };
    wrapped(&mut lines, &view.style.verb(tone, "Summary"), &headline(check), view);
    lines.into_text()
}

fn findings(check: &HostCheck, view: View) -> String {
    let style = view.style;
    let mut lines = TextLines::default();
    let pairs = pair_findings(check);
    let common = if view.is_whole() { CommonNotes::default() } else { CommonNotes::of(check, &pairs) };
    lines.append(&pairs_text(check, pairs, &common, view));
    lines.append(&common.text(view));
    lines.append(&unmatched_text(check, view));
    lines.append(&unread_text(check, view));
    for complaint in &check.complaints {
        wrapped(&mut lines, &style.verb(Tone::Disagree, "Error"), complaint, view);
    }
    for change in &check.lock_changes {
        wrapped(&mut lines, &style.verb(Tone::Disagree, "Changed"), change, view);
    }
    if !check.lock_changes.is_empty() {
        detail(&mut lines, "fix", "`layoutproof check --write-lock` accepts what is meant", view);
    }
    for better in &common.better_layouts {
        let verb = match better.choice {
            BetterChoice::Target { .. } => "Target",
            BetterChoice::Order { .. } => "Matrices",
        };
        wrapped(&mut lines, &style.verb(Tone::Known, verb), &better.advice(), view);
    }
    lines.into_text()
}

fn pairs_text(check: &HostCheck, pairs: Vec<Finding>, common: &CommonNotes, view: View) -> String {
    let style = view.style;
    let mut lines = TextLines::default();
    let mut mirrors = if view.is_whole() { Vec::new() } else { mirrors(check) };
    let (mut agreeing, mut noted) = (PlainBlocks::default(), PlainBlocks::default());
    for finding in pairs {
        let pair = &check.pairs[finding.first()];
        let agrees = pair.outcome() == PairOutcome::Agree;
        match mirrors.iter_mut().find(|mirrors| mirrors.pairs.contains(&finding.first())) {
            // The line about all mirrors names those that agree.
            Some(_) if agrees => continue,
            Some(mirrors) if !mirrors.is_told => {
                mirrors.is_told = true;
                wrapped(&mut lines, &style.verb(Tone::Disagree, "Mirrors"), &one_line(&mirrors.to_string()), view);
            }
            Some(_) | None => {}
        }
        let is_listed = if !agrees || !pair.proofs.is_empty() {
            true
        } else if details_of(pair, view, common).is_empty() {
            agreeing.is_listed(view)
        } else {
            noted.is_listed(view)
        };
        if is_listed {
            lines.append(&pair_text(check, &finding, view, common));
        }
    }
    more_blocks(&mut lines, &style.verb(Tone::Agree, "Agree"), agreeing.left_out + noted.left_out, view);
    lines.into_text()
}

/// The blocks without a host struct, with the entries of `layoutproof.toml` that would give them one.
fn unmatched_text(check: &HostCheck, view: View) -> String {
    let mut lines = TextLines::default();
    // Blocks with and without proposals do not crowd each other out.
    let (mut proposed, mut unknown) = (PlainBlocks::default(), PlainBlocks::default());
    for finding in unmatched_findings(check) {
        let unmatched = &check.unmatched[finding.first()];
        let of_kind = if unmatched.proposals.is_empty() { &mut unknown } else { &mut proposed };
        if is_error(check, unmatched) || of_kind.is_listed(view) {
            lines.append(&without_host(check, &finding, view));
        }
    }
    more_blocks(&mut lines, &view.style.verb(Tone::Skip, "No match"), proposed.left_out + unknown.left_out, view);
    let entries = map_entries(check);
    if !entries.is_empty() {
        lines.push("");
        lines.push("For layoutproof.toml, if these are meant (`check --write-map` appends them):");
        let most = if view.is_whole() { usize::MAX } else { MOST_ENTRIES };
        for entry in entries.iter().take(most).map(ToString::to_string) {
            entry.lines().for_each(|line| lines.push(line));
        }
        if entries.len() > most {
            lines.push("");
            lines.push(&format!("# and {} more", entries.len() - most));
        }
        lines.push("");
    }
    lines.into_text()
}

fn unread_text(check: &HostCheck, view: View) -> String {
    let mut lines = TextLines::default();
    let not_read = view.style.verb(Tone::Disagree, "Not read");
    for unread in check.unread.iter().filter(|_| view.is_whole()) {
        wrapped(&mut lines, &not_read, &one_line(&unread.reason()), view);
    }
    let unread = if view.is_whole() { Vec::new() } else { unread_findings(check) };
    for finding in unread.iter().take(MOST_UNREAD) {
        wrapped(&mut lines, &not_read, &one_line(&finding.sentence()), view);
        if let Some(other) = finding.also() {
            detail(&mut lines, "also", &other, view);
        }
    }
    if let more @ 1.. = unread.iter().skip(MOST_UNREAD).map(|finding| finding.files.len()).sum::<usize>() {
        let files = counted(more as u64, "more file");
        wrapped(&mut lines, &not_read, &format!("{files}; `--verbose` lists them"), view);
    }
    lines.into_text()
}

/// Blocks of a kind with which nothing is wrong, so far.
#[derive(Default)]
struct PlainBlocks {
    listed: usize,
    left_out: usize,
}

impl PlainBlocks {
    /// Counts one more, and tells whether to list it.
    fn is_listed(&mut self, view: View) -> bool {
        let is_listed = self.listed < MOST_PLAIN || view.is_whole();
        if is_listed {
            self.listed += 1;
        } else {
            self.left_out += 1;
        }
        is_listed
    }
}

fn more_blocks(lines: &mut TextLines, word: &str, count: usize, view: View) {
    if count > 0 {
        wrapped(lines, word, &format!("{}; `--verbose` lists them", counted(count as u64, "more block")), view);
    }
}

/// What is written once for many pairs. A number is that of the pairs with a note; 0 for a note that is written
/// under each pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct CommonNotes {
    /// Nothing tells whether matrices are transposed.
    matrices: usize,
    /// Other remarks about the language or a library, by their sentences.
    remarks: BTreeMap<String, usize>,
    /// No struct has the block's name.
    by_members: usize,
    /// Targets and orders of matrices with which more pairs agree.
    better_layouts: Vec<BetterLayout>,
}

impl CommonNotes {
    fn of(check: &HostCheck, findings: &[Finding]) -> Self {
        let count = |has_note: &dyn Fn(&CheckedPair) -> bool| {
            let pairs = findings.iter().map(|finding| &check.pairs[finding.first()]);
            let count = pairs.filter(|pair| pair.outcome() != PairOutcome::Known && has_note(pair)).count();
            if count > MOST_REPEATED { count } else { 0 }
        };
        let mut remarks: BTreeMap<String, usize> = BTreeMap::new();
        let pairs = findings.iter().map(|finding| &check.pairs[finding.first()]);
        for remark in pairs.flat_map(|pair| &pair.comparison.remarks).filter(|remark| is_about_others(remark)) {
            *remarks.entry(remark.to_string()).or_default() += 1;
        }
        remarks.retain(|_, count| *count > MOST_REPEATED);
        Self {
            remarks,
            matrices: count(&|pair| pair.comparison.remarks.iter().any(is_about_matrices)),
            by_members: count(&is_agreeing_by_members),
            better_layouts: better_layouts(check),
        }
    }

    fn text(&self, view: View) -> String {
        let mut lines = TextLines::default();
        if self.by_members > 0 {
            let blocks = counted(self.by_members as u64, "block");
            let text = format!(
                "{blocks} matched by members: no struct has their names, and only one has all of their members"
            );
            detail(&mut lines, "note", &text, view);
        }
        if self.matrices > 0 {
            let blocks = counted(self.matrices as u64, "block");
            let text = format!(
                "whether matrices are transposed is not checked in {blocks}: debug information does not record it"
            );
            detail(&mut lines, "note", &text, view);
        }
        for (remark, count) in &self.remarks {
            detail(&mut lines, "note", &format!("{}: {remark}", counted(*count as u64, "block")), view);
        }
        lines.into_text()
    }
}

fn is_agreeing_by_members(pair: &CheckedPair) -> bool {
    pair.by_members == Some(ByMembers::Alone) && pair.comparison.agrees()
}

fn is_about_matrices(remark: &Remark) -> bool {
    matches!(remark, Remark::MatrixOrderUnchecked { .. })
}

/// True for a remark about the language or a library of the host, which holds for many pairs.
fn is_about_others(remark: &Remark) -> bool {
    matches!(remark, Remark::ReprUnknown | Remark::ExternUnknown | Remark::WrittenBy { .. })
}

/// The text of a finding, with the other shaders that have it.
pub(super) fn finding_text(check: &HostCheck, finding: &Finding, view: View) -> String {
    pair_text(check, finding, view, &CommonNotes::default())
}

fn pair_text(check: &HostCheck, finding: &Finding, view: View, common: &CommonNotes) -> String {
    let pair = &check.pairs[finding.first()];
    let style = view.style;
    let (tone, word) = match pair.outcome() {
        PairOutcome::Agree => (Tone::Agree, "Agree"),
        PairOutcome::Known => (Tone::Known, "Known"),
        PairOutcome::Differ => (Tone::Disagree, "Differ"),
    };
    let dot = style.dot();
    let name = format!(
        "{} {dot} {} {dot} {} in {}",
        pair.shader_name(),
        target_title(&pair.target, &pair.shader),
        pair.host,
        pair.host_file
    );

    let mut lines = TextLines::default();
    wrapped(&mut lines, &style.verb(tone, word), &one_line(&name), view);
    if let Some(other) = other_places_of_pairs(check, finding) {
        let is_short = pair.outcome() == PairOutcome::Agree && !view.is_whole();
        also(&mut lines, &other, is_short, view);
    }
    for reason in &pair.known {
        detail(&mut lines, "reason", reason, view);
    }
    let has_diff = pair.outcome() == PairOutcome::Differ || view.is_whole();
    if has_diff {
        lines.push("");
        lines.append(&diff(pair, view, &|mismatch| explanation(pair, &pair.comparison.mismatches[mismatch], view)));
        lines.push("");
    }
    let below = details_of(pair, view, common);
    lines.append(&below);
    if has_diff && !below.is_empty() {
        lines.push("");
    }
    lines.into_text()
}

/// Notes, and what devices read.
fn details_of(pair: &CheckedPair, view: View, common: &CommonNotes) -> String {
    let is_known = pair.outcome() == PairOutcome::Known;
    let notes = if is_known { String::new() } else { notes(pair, view, common) };
    notes + &proofs(pair, view)
}

/// What is wrong, how to mend it, and where.
fn explanation(pair: &CheckedPair, mismatch: &Mismatch, view: View) -> String {
    let mut lines = TextLines::default();
    let mark = view.style.paint(Tone::Disagree, &pad_left("!", DETAIL_COLUMNS - 1));
    wrapped(&mut lines, &mark, &one_line(&mismatch.with_followers()), view);
    detail(&mut lines, "fix", &mismatch.hint(), view);
    detail(&mut lines, "at", &mismatch_places(pair, mismatch, view.style), view);
    lines.into_text()
}

fn notes(pair: &CheckedPair, view: View, common: &CommonNotes) -> String {
    let mut lines = TextLines::default();
    let comparison = &pair.comparison;
    let is_counted = is_agreeing_by_members(pair) && common.by_members > 0 && pair.alternatives.is_empty();
    let why = match pair.by_members.filter(|_| comparison.agrees() && !is_counted) {
        Some(ByMembers::Alone) => Some("paired by its members: this struct alone has all of them"),
        Some(ByMembers::Most) => {
            Some("paired by its members: this struct alone has most of them, and the same bytes for the others")
        }
        Some(ByMembers::NamedAfterShader) => {
            Some("several structs have all of its members; this one is named after the shader's file")
        }
        Some(ByMembers::Passed) => {
            Some("several structs have all of its members; this one alone is passed to a buffer")
        }
        None => None,
    };
    if let Some(why) = why {
        detail(&mut lines, "note", why, view);
    }
    for alternative in &pair.alternatives {
        detail(&mut lines, "maybe", &proposal_text(alternative), view);
    }
    if comparison.members_by_bytes > 0 && comparison.agrees() {
        let members = counted(comparison.members.into(), "member");
        let by_bytes = comparison.members_by_bytes;
        let text = format!("{by_bytes} of {members} by offsets only: the host lacks their names");
        detail(&mut lines, "note", &text, view);
    }
    let is_explained = common.better_layouts.iter().any(|better| better.explains(pair));
    if let Some(text) = other_layouts(pair).filter(|_| !is_explained) {
        detail(&mut lines, "note", &text, view);
    }
    let is_written = |remark: &&Remark| {
        (common.matrices == 0 || !is_about_matrices(remark)) && !common.remarks.contains_key(&remark.to_string())
    };
    for line in remark_lines(comparison.remarks.iter().filter(is_written)) {
        detail(&mut lines, "note", &line, view);
    }
    lines.into_text()
}

/// The remarks; those that say the same of several members are one sentence.
fn remark_lines<'a>(remarks: impl Iterator<Item = &'a Remark> + Clone) -> Vec<String> {
    let signs = remarks.clone().filter_map(|remark| match remark {
        Remark::OtherSign { path } => Some(path.as_str()),
        _ => None,
    });
    let bits = remarks.clone().filter_map(|remark| match remark {
        Remark::RawBits { path, .. } => Some(path.as_str()),
        _ => None,
    });
    let (signs, bits): (Vec<&str>, Vec<&str>) = (signs.collect(), bits.collect());
    let mut lines = Vec::new();
    for remark in remarks {
        let (paths, said): (&[&str], &str) = match remark {
            Remark::OtherSign { .. } => (&signs, "are signed on one side and unsigned on the other"),
            Remark::RawBits { .. } => (&bits, "are stored as raw bits: their meaning is not checked"),
            _ => (&[], ""),
        };
        if paths.len() < 2 {
            lines.push(remark.to_string());
            continue;
        }
        let line = format!("{} {said}", listed(paths));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// `` `a`, `b` and 3 more ``.
fn listed(paths: &[&str]) -> String {
    const MOST: usize = 4;
    let quoted: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    match quoted.as_slice() {
        [first @ .., last] if quoted.len() <= MOST => format!("{} and {last}", first.join(", ")),
        all => format!("{} and {} more", all[..MOST - 1].join(", "), all.len() + 1 - MOST),
    }
}

/// The other targets for which a pair that differs agrees, or the order of matrices, or both.
fn other_layouts(pair: &CheckedPair) -> Option<String> {
    let titles: Vec<String> = pair.agrees_for().iter().map(ToString::to_string).collect();
    if let Some(first) = pair.agrees_for().first() {
        let (titles, setting) = (titles.join(", "), target_setting(first));
        return Some(format!("agrees for {titles}; if the program ships for that, name it: `{setting}`"));
    }
    let OtherLayout { column, matrices } = pair.agrees_with().first()?;
    let (order, setting) = (matrices.as_str(), order_setting(*matrices));
    Some(match column {
        None => {
            format!("agrees with {order}-major matrices; if the program compiles with them, name them: `{setting}`")
        }
        Some(column) => format!(
            "agrees for {column} with {order}-major matrices; if the program ships for that, name both: `{}`, `{setting}`",
            target_setting(column)
        ),
    })
}

/// The results of each device, in the order of the host's members.
fn proofs(pair: &CheckedPair, view: View) -> String {
    let mut lines = TextLines::default();
    for proof in &pair.proofs {
        let PairProof { device, runner, producer, result } = proof;
        let by = format!("{device} via {}, shader of {producer}", runner.title());
        match result {
            Err(reason) => detail(&mut lines, "not run", &format!("{by}: {reason}"), view),
            Ok(arrivals) => {
                let strays = arrivals.strays.len();
                let right = leaves(arrivals.arrived);
                let wrong = if strays > 0 { format!(", {strays} did not") } else { String::new() };
                let unread =
                    if arrivals.unread > 0 { format!(", {} not read", arrivals.unread) } else { String::new() };
                detail(&mut lines, "run", &format!("{by}: {right} arrived{wrong}{unread}"), view);
                for stray in arrivals.strays.iter().take(TOLD_STRAYS) {
                    let mark = view.style.paint(Tone::Disagree, &pad_left("!", DETAIL_COLUMNS - 1));
                    wrapped(&mut lines, &mark, &stray_text(stray), view);
                }
                if strays > TOLD_STRAYS {
                    detail(&mut lines, "", &format!("and {} more", strays - TOLD_STRAYS), view);
                }
            }
        }
    }
    lines.into_text()
}

/// `exposure` reads the host's `weights[1].x` at byte 36; the host's `exposure`, at byte 48, arrives in `padding1`.
pub(crate) fn stray_text(stray: &StrayLeaf) -> String {
    let path = &stray.path;
    let reads = match (stray.offset, &stray.reads) {
        (Some(offset), Some(host)) => format!("`{path}` reads the host's `{host}` at byte {offset}"),
        (Some(offset), None) => format!("`{path}` reads byte {offset}, where the host has no member"),
        (None, _) => format!("`{path}` reads nothing that was in the buffer"),
    };
    let home = match &stray.home {
        None => String::new(),
        Some(home) => {
            let goes = match &home.arrives_in {
                Some(leaf) => format!("arrives in `{leaf}`"),
                None => "arrives nowhere".to_owned(),
            };
            format!("; the host's `{}`, at byte {}, {goes}", home.path, home.offset)
        }
    };
    one_line(&format!("{reads}{home}"))
}

/// The places at which the two sides declare the members that differ. A side without a known line is
/// its file.
pub(crate) fn mismatch_places(pair: &CheckedPair, mismatch: &Mismatch, style: Style) -> String {
    let named =
        |place: &Option<LinePlace>, file: &str| place.as_ref().map_or_else(|| file.to_owned(), ToString::to_string);
    format!(
        "shader {} {} host {}",
        named(&mismatch.shader_at, &pair.shader),
        style.dot(),
        named(&mismatch.host_at, &pair.host_file)
    )
}

fn is_error(check: &HostCheck, unmatched: &UnmatchedBlock) -> bool {
    check.is_strict || unmatched.reason.is_error()
}

fn without_host(check: &HostCheck, finding: &Finding, view: View) -> String {
    let mut lines = TextLines::default();
    let unmatched = &check.unmatched[finding.first()];
    let tone = if is_error(check, unmatched) { Tone::Disagree } else { Tone::Skip };
    let place = unmatched.place.as_ref().map_or_else(|| unmatched.shader.clone(), ToString::to_string);
    let text = format!(
        "{} {} {} ({place}): {}",
        unmatched.block,
        view.style.dot(),
        target_title(&unmatched.target, &unmatched.shader),
        unmatched.reason
    );
    wrapped(&mut lines, &view.style.verb(tone, "No match"), &one_line(&text), view);
    if let Some(other) = other_places_of_unmatched(check, finding) {
        also(&mut lines, &other, !view.is_whole(), view);
    }
    for proposal in &unmatched.proposals {
        detail(&mut lines, "maybe", &proposal_text(proposal), view);
    }
    lines.into_text()
}

fn proposal_text(proposal: &HostProposal) -> String {
    let evidence = format!("`{}`: {}", proposal.host, proposal.evidence());
    match &proposal.difference {
        Some(difference) => format!("{evidence}; it would differ: {difference}"),
        None => evidence,
    }
}

/// The other places of a finding. A short text names them only if they fit in the line.
fn also(lines: &mut TextLines, other: &OtherPlaces, is_short: bool, view: View) {
    let text = one_line(&other.sentence(true));
    let fits = width(&text) + DETAIL_COLUMNS <= view.columns;
    detail(lines, "also", &if is_short && !fits { other.sentence(false) } else { text }, view);
}

/// A line below another one, with a word in front.
fn detail(lines: &mut TextLines, word: &str, text: &str, view: View) {
    if !text.is_empty() {
        let word = view.style.paint(Tone::Dim, &pad_left(word, DETAIL_COLUMNS - 1));
        wrapped(lines, &word, &one_line(text), view);
    }
}

/// Text after a word of ten columns, wrapped at word boundaries.
fn wrapped(lines: &mut TextLines, word: &str, text: &str, view: View) {
    let indent = " ".repeat(DETAIL_COLUMNS);
    let folded = style::wrapped(&indent, &indent, text.split(' '), view.columns);
    lines.push(&format!("{word} {}", folded[0].trim_start()));
    folded[1..].iter().for_each(|line| lines.push(line));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sentence_is_about_all_members_of_which_it_holds() {
        let sign = |path: &str| Remark::OtherSign { path: path.to_owned() };
        let bits = |path: &str| Remark::RawBits { path: path.to_owned(), host_path: path.to_owned() };
        let lines = |remarks: &[Remark]| remark_lines(remarks.iter());
        assert_eq!(lines(&[sign("a")]), ["`a` is signed on one side and unsigned on the other"]);
        assert_eq!(
            lines(&[bits("x"), sign("a"), bits("y"), Remark::ReprUnknown, sign("b"), bits("z")]),
            [
                "`x`, `y` and `z` are stored as raw bits: their meaning is not checked",
                "`a` and `b` are signed on one side and unsigned on the other",
                &Remark::ReprUnknown.to_string(),
            ]
        );
        assert_eq!(
            lines(&["a", "b", "c", "d", "e"].map(sign)),
            ["`a`, `b`, `c` and 2 more are signed on one side and unsigned on the other"]
        );
    }
}
