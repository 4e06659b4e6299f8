//! The table for people: the host's members next to the shader's, within 80 columns.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::BlockKind;

use super::findings::{
    Finding, also_of_pairs, also_of_unmatched, differing_findings, pair_findings, unmatched_findings,
};
use super::{CheckedPair, HostCheck, HostProposal, PairOutcome, PairProof};
use layoutproof_hostcheck::{ComparedRow, LinePlace, Mismatch, RowSide, RowState, StrayLeaf, part_path};
use layoutproof_show::style::{Style, TextLines, Tone, counted, one_line, pad, pad_left, width};

/// Width of a line.
const LINE_COLUMNS: usize = 80;
/// Width of the mark, of an offset and of a size.
const MARK_COLUMNS: usize = 3;
const NUMBER_COLUMNS: usize = 6;
/// Width of a member on one side.
const MEMBER_COLUMNS: usize = 24;
/// Columns before the text of a detail.
const DETAIL_COLUMNS: usize = 11;
/// Most leaves to list per device that read another member.
const TOLD_STRAYS: usize = 8;

/// Rows to show before and after each that differs.
const CONTEXT_ROWS: usize = 3;
/// Fewest rows to replace by their number.
const FEWEST_FOLDED: usize = 3;

/// Every difference as a table, the other pairs as one line each, and a summary. What holds for many
/// shaders is written once.
pub fn text(check: &HostCheck, style: Style) -> String {
    let mut lines = TextLines::default();
    for finding in pair_findings(check) {
        lines.append(&finding_text(check, &finding, style));
    }
    for finding in unmatched_findings(check) {
        lines.append(&without_host(check, &finding, style));
    }
    let entries = map_entries(check);
    if !entries.is_empty() {
        lines.push("");
        lines.push("For layoutproof.toml, if these are meant (`check --write-map` appends them):");
        entries.lines().for_each(|line| lines.push(line));
        lines.push("");
    }
    for unread in &check.unread {
        wrapped(&mut lines, &style.verb(Tone::Disagree, "Not read"), &one_line(&unread.reason));
    }
    for complaint in &check.complaints {
        wrapped(&mut lines, &style.verb(Tone::Disagree, "Error"), complaint);
    }
    lines.push(&format!("{} {}", style.verb(Tone::Strong, "Summary"), summary(check)));
    lines.into_text()
}

/// The text of a finding, with the other shaders that have it.
pub(super) fn finding_text(check: &HostCheck, finding: &Finding, style: Style) -> String {
    let pair = &check.pairs[finding.first()];
    let also = also_of_pairs(check, finding).unwrap_or_default();
    match pair.outcome() {
        PairOutcome::Agree => agreeing(pair, &also, style),
        PairOutcome::Known => known(pair, &also, style),
        PairOutcome::Differ => differing(pair, &also, style),
    }
}

/// `2 agree, 1 differs, 3 blocks without a host struct`.
fn summary(check: &HostCheck) -> String {
    let count = |outcome| {
        let number = check.pairs.iter().filter(|pair| pair.outcome() == outcome).count();
        u64::try_from(number).unwrap_or(u64::MAX)
    };
    let (agree, differ, known) = (count(PairOutcome::Agree), count(PairOutcome::Differ), count(PairOutcome::Known));
    let mut parts = vec![format!("{agree} agree")];
    if differ > 0 {
        let findings = differing_findings(check).len() as u64;
        let once = if findings < differ { format!(" in {}", counted(findings, "way")) } else { String::new() };
        parts.push(format!("{differ} differ{once}"));
    }
    if known > 0 {
        parts.push(format!("{known} known"));
    }
    let unmatched = u64::try_from(check.unmatched.len()).unwrap_or(u64::MAX);
    if unmatched > 0 {
        parts.push(format!("{} without a host struct", counted(unmatched, "block")));
    }
    if check.pairs.iter().any(|pair| !pair.proofs.is_empty()) {
        let proofs = check.pairs.iter().flat_map(|pair| &pair.proofs);
        parts.push(format!("{} arrived on devices", leaves(proofs.map(PairProof::arrived).sum())));
    }
    if check.pairs.is_empty() {
        parts =
            vec!["nothing was compared".to_owned(), format!("{} without a host struct", counted(unmatched, "block"))];
    }
    if !check.unread.is_empty() {
        parts.push(format!("{} not read", counted(check.unread.len() as u64, "file")));
    }
    parts.join(", ")
}

fn pair_name(pair: &CheckedPair, style: Style) -> String {
    let dot = style.dot();
    one_line(&format!("{} {dot} {} {dot} {} in {}", pair.shader_name(), pair.target, pair.host, pair.host_file))
}

fn agreeing(pair: &CheckedPair, also: &str, style: Style) -> String {
    let mut lines = TextLines::default();
    wrapped(&mut lines, &style.verb(Tone::Agree, "Agree"), &pair_name(pair, style));
    detail(&mut lines, "also", also, style);
    if pair.is_by_members {
        detail(&mut lines, "note", "no struct has its name; this one alone has all of its members", style);
    }
    let (members, by_bytes) = (pair.comparison.members, pair.comparison.members_by_bytes);
    if by_bytes > 0 {
        let text = format!(
            "{by_bytes} of {} by bytes alone: the host has no members of their names",
            counted(members.into(), "member")
        );
        detail(&mut lines, "note", &text, style);
    }
    for remark in &pair.comparison.remarks {
        detail(&mut lines, "note", &remark.to_string(), style);
    }
    lines.append(&proofs(pair, style));
    lines.into_text()
}

fn known(pair: &CheckedPair, also: &str, style: Style) -> String {
    let mut lines = TextLines::default();
    wrapped(&mut lines, &style.verb(Tone::Known, "Known"), &pair_name(pair, style));
    detail(&mut lines, "also", also, style);
    for reason in &pair.known {
        detail(&mut lines, "reason", reason, style);
    }
    lines.append(&proofs(pair, style));
    lines.into_text()
}

fn differing(pair: &CheckedPair, also: &str, style: Style) -> String {
    let mut lines = TextLines::default();
    wrapped(&mut lines, &style.verb(Tone::Disagree, "Differ"), &pair_name(pair, style));
    detail(&mut lines, "also", also, style);
    lines.push("");
    lines.append(&table(pair, &near_differences(&pair.comparison.rows), style));
    lines.push("");

    for mismatch in &pair.comparison.mismatches {
        let followers = match mismatch.followers {
            0 => String::new(),
            1 => "; 1 later member moves with it".to_owned(),
            several => format!("; {} move with it", counted(several.into(), "later member")),
        };
        let sentence = format!("{mismatch}{followers}");
        wrapped(&mut lines, &style.paint(Tone::Disagree, &pad_left("!", DETAIL_COLUMNS - 1)), &one_line(&sentence));
        detail(&mut lines, "hint", &mismatch.hint, style);
        detail(&mut lines, "at", &mismatch_places(pair, mismatch, style), style);
    }
    for remark in &pair.comparison.remarks {
        detail(&mut lines, "note", &remark.to_string(), style);
    }
    lines.append(&proofs(pair, style));
    lines.push("");
    lines.into_text()
}

/// The results of each device, in the order of the host's members.
fn proofs(pair: &CheckedPair, style: Style) -> String {
    let mut lines = TextLines::default();
    for proof in &pair.proofs {
        let PairProof { device, runner, producer, result } = proof;
        let by = format!("{device} via {}, shader of {producer}", runner.title());
        match result {
            Err(reason) => detail(&mut lines, "not run", &format!("{by}: {reason}"), style),
            Ok(arrivals) => {
                let strays = arrivals.strays.len();
                let right = leaves(arrivals.arrived);
                let wrong = if strays > 0 { format!(", {strays} did not") } else { String::new() };
                let unread =
                    if arrivals.unread > 0 { format!(", {} not read", arrivals.unread) } else { String::new() };
                detail(&mut lines, "run", &format!("{by}: {right} arrived{wrong}{unread}"), style);
                for stray in arrivals.strays.iter().take(TOLD_STRAYS) {
                    wrapped(
                        &mut lines,
                        &style.paint(Tone::Disagree, &pad_left("!", DETAIL_COLUMNS - 1)),
                        &stray_text(stray),
                    );
                }
                if strays > TOLD_STRAYS {
                    detail(&mut lines, "", &format!("and {} more", strays - TOLD_STRAYS), style);
                }
            }
        }
    }
    lines.into_text()
}

fn leaves(number: u32) -> String {
    if number == 1 { "1 leaf".to_owned() } else { format!("{number} leaves") }
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
    let named = |place: &Option<LinePlace>, file: &str| place.as_ref().map_or_else(|| file.to_owned(), place_text);
    format!(
        "shader {} {} host {}",
        named(&mismatch.shader_at, &pair.shader),
        style.dot(),
        named(&mismatch.host_at, &pair.host_file)
    )
}

/// `engine.h:12`.
pub(crate) fn place_text(place: &LinePlace) -> String {
    match place.line {
        Some(line) => format!("{}:{line}", place.file),
        None => place.file.clone(),
    }
}

/// The members of both sides in columns.
pub(crate) fn pair_table(pair: &CheckedPair, style: Style) -> String {
    table(pair, &vec![true; pair.comparison.rows.len()], style)
}

/// The rows that differ, those around them, and the structs that contain them. Without a row that
/// differs, the last rows: what is wrong concerns the whole, such as its size.
fn near_differences(rows: &[ComparedRow]) -> Vec<bool> {
    let depth = |row: &ComparedRow| row.shader.as_ref().or(row.host.as_ref()).map_or(0, |side| side.depth);
    let mut is_shown = vec![false; rows.len()];
    let mut show_around = |index: usize| {
        let first = index.saturating_sub(CONTEXT_ROWS);
        let last = (index + CONTEXT_ROWS).min(rows.len() - 1);
        is_shown[first..=last].fill(true);
        let mut outer = depth(&rows[first]);
        for (before, row) in rows[..first].iter().enumerate().rev() {
            if depth(row) < outer {
                outer = depth(row);
                is_shown[before] = true;
            }
        }
    };
    let differing = || rows.iter().enumerate().filter(|(_, row)| row.state == RowState::Differs);
    differing().for_each(|(index, _)| show_around(index));
    if differing().next().is_none() && !rows.is_empty() {
        show_around(rows.len() - 1);
    }

    // A line that says how many rows are left out is worth it only for several.
    let mut start = 0;
    while start < rows.len() {
        let length = is_shown[start..].iter().take_while(|shown| **shown == is_shown[start]).count();
        if length < FEWEST_FOLDED {
            is_shown[start..start + length].fill(true);
        }
        start += length;
    }
    is_shown
}

/// The rows that are shown, with the number of the others in their places.
fn table(pair: &CheckedPair, is_shown: &[bool], style: Style) -> String {
    let mut lines = TextLines::default();
    let numbers = format!("{}{}", pad_left("offset", NUMBER_COLUMNS), pad_left("size", NUMBER_COLUMNS));
    let shader = match (pair.kind, pair.part.strip_suffix("[]")) {
        (BlockKind::StructuredElement, _) => format!("element of {}", pair.block),
        (_, Some(array)) => format!("element of {}", part_path(&pair.block, array)),
        (kind, None) => format!("{kind} {}", pair.shader_name()),
    };
    let heading = format!("{}{numbers}  {}  {numbers}  {}", " ".repeat(MARK_COLUMNS), cut(&shader, style), pair.host);
    lines.push(&style.paint(Tone::Strong, &shortened(&heading, style)));

    let rows = &pair.comparison.rows;
    let mut start = 0;
    while start < rows.len() {
        if is_shown[start] {
            lines.append(&holes_before(rows, start, style));
            lines.push(&row_line(&rows[start], style));
            start += 1;
        } else {
            let folded = is_shown[start..].iter().take_while(|shown| !**shown).count();
            lines.push(&style.paint(Tone::Dim, &folded_line(&rows[start..start + folded], style)));
            start += folded;
        }
    }

    let (shader, host) = (pair.comparison.shader_size, Some(pair.comparison.host_size));
    let number = |bytes: Option<u32>| bytes.map_or_else(|| "[]".to_owned(), |bytes| bytes.to_string());
    let end = |bytes| format!("{}{}", pad_left(&number(bytes), NUMBER_COLUMNS), " ".repeat(NUMBER_COLUMNS));
    let line = format!(
        "{}{}  {}  {}  size",
        " ".repeat(MARK_COLUMNS),
        end(shader),
        pad(if shader.is_some() { "size" } else { "no end" }, MEMBER_COLUMNS),
        end(host)
    );
    lines.push(&style.paint(Tone::Dim, &line));
    lines.into_text()
}

/// `... 12 rows, 4 of which move with a difference`, with the marks of the rows.
fn folded_line(rows: &[ComparedRow], style: Style) -> String {
    let moved = rows.iter().filter(|row| row.state == RowState::Follows).count();
    let mark = if moved > 0 { " . " } else { "   " };
    let text = match moved {
        0 => String::new(),
        _ if moved == rows.len() => " that move with it".to_owned(),
        _ => format!(", {moved} of which move with it"),
    };
    format!("{mark}{} {}{text}", style.ellipsis(), counted(rows.len() as u64, "row"))
}

fn row_line(row: &ComparedRow, style: Style) -> String {
    let (mark, tone) = match row.state {
        RowState::Differs => (" ! ", Tone::Disagree),
        RowState::Follows => (" . ", Tone::Skip),
        RowState::Agrees => ("   ", Tone::Plain),
        RowState::OneSided => ("   ", Tone::Dim),
    };
    let line = format!("{mark}{}  {}", side(row.shader.as_ref(), style), side(row.host.as_ref(), style));
    style.paint(tone, line.trim_end())
}

fn side(side: Option<&RowSide>, style: Style) -> String {
    let Some(side) = side else { return " ".repeat(2 * NUMBER_COLUMNS + 2 + MEMBER_COLUMNS) };
    let name = side.path.rsplit('.').next().filter(|_| side.depth > 0).unwrap_or(&side.path);
    let indent = "  ".repeat(side.depth as usize);
    let (base, dimensions) = side.type_name.split_once('[').map_or((side.type_name.as_str(), ""), |parts| parts);
    let dimensions = if dimensions.is_empty() { String::new() } else { format!("[{dimensions}") };
    let base = short_type(base);
    let text = format!("{indent}{base} {}{dimensions}", name.trim_end_matches("[]"));
    let bytes = side.size.map_or_else(|| "[]".to_owned(), |bytes| bytes.to_string());
    format!(
        "{}{}  {}",
        pad_left(&side.offset.to_string(), NUMBER_COLUMNS),
        pad_left(&bytes, NUMBER_COLUMNS),
        cut(one_line(&text).trim_start_matches(if indent.is_empty() { " " } else { "" }), style)
    )
}

/// A type without namespaces and template arguments.
fn short_type(name: &str) -> &str {
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}

/// `text`, shortened to the width of a member.
fn cut(text: &str, style: Style) -> String {
    if width(text) <= MEMBER_COLUMNS {
        return pad(text, MEMBER_COLUMNS);
    }
    let ellipsis = style.ellipsis();
    let kept: String = text.chars().take(MEMBER_COLUMNS - width(ellipsis)).collect();
    format!("{kept}{ellipsis}")
}

fn shortened(line: &str, style: Style) -> String {
    if width(line) <= LINE_COLUMNS {
        return line.to_owned();
    }
    let ellipsis = style.ellipsis();
    let kept: String = line.chars().take(LINE_COLUMNS - width(ellipsis)).collect();
    format!("{kept}{ellipsis}")
}

/// The padding on both sides in front of a row.
fn holes_before(rows: &[ComparedRow], index: usize, style: Style) -> String {
    let shader: Vec<Option<&RowSide>> = rows.iter().map(|row| row.shader.as_ref()).collect();
    let host: Vec<Option<&RowSide>> = rows.iter().map(|row| row.host.as_ref()).collect();
    let (shader, host) = (hole_before(&shader, index), hole_before(&host, index));
    if shader.is_none() && host.is_none() {
        return String::new();
    }
    let empty = " ".repeat(2 * NUMBER_COLUMNS + 2 + MEMBER_COLUMNS);
    let line = format!("   {}  {}", shader.unwrap_or(empty), host.unwrap_or_default());
    format!("{}\n", style.paint(Tone::Dim, line.trim_end()))
}

/// The bytes between a row of one side and the end of what comes before it on that side.
fn hole_before(sides: &[Option<&RowSide>], index: usize) -> Option<String> {
    let own = sides.get(index).copied().flatten()?;
    let end = |side: &RowSide| side.offset.saturating_add(side.size.unwrap_or(0));
    let others = || sides.iter().flatten().filter(|side| !std::ptr::eq(**side, own));

    // A struct that starts here already shows the hole before it; an enclosing struct shows where
    // its members start.
    let is_first = !sides[..index].iter().flatten().any(|side| side.offset == own.offset);
    let outer = others().filter(|side| side.depth < own.depth && side.offset <= own.offset && end(side) > own.offset);
    let before = others().filter(|side| side.offset < own.offset && end(side) <= own.offset).map(|side| end(side));
    let start = before.chain(outer.map(|side| side.offset)).max().unwrap_or(0);

    let size = own.offset.checked_sub(start).filter(|size| *size > 0 && is_first)?;
    Some(format!(
        "{}{}  {}",
        pad_left(&start.to_string(), NUMBER_COLUMNS),
        pad_left(&size.to_string(), NUMBER_COLUMNS),
        pad("// padding", MEMBER_COLUMNS)
    ))
}

fn without_host(check: &HostCheck, finding: &Finding, style: Style) -> String {
    let mut lines = TextLines::default();
    let unmatched = &check.unmatched[finding.first()];
    let is_error = check.is_strict || unmatched.reason.is_error();
    let (tone, word) = if is_error { (Tone::Disagree, "No match") } else { (Tone::Skip, "No match") };
    let place = unmatched.place.as_ref().map_or_else(|| unmatched.shader.clone(), place_text);
    let text = format!("{} {} {} ({place}): {}", unmatched.block, style.dot(), unmatched.target, unmatched.reason);
    wrapped(&mut lines, &style.verb(tone, word), &one_line(&text));
    detail(&mut lines, "also", &also_of_unmatched(check, finding).unwrap_or_default(), style);
    for HostProposal { host, fit } in &unmatched.proposals {
        let text = format!("`{host}`: {} of {} have their place there", fit.placed, counted(fit.of.into(), "member"));
        detail(&mut lines, "maybe", &text, style);
    }
    lines.into_text()
}

/// The entries of `layoutproof.toml` for the blocks with a best proposal.
pub fn map_entries(check: &HostCheck) -> String {
    let mut hosts: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for unmatched in &check.unmatched {
        if let Some(best) = unmatched.best_proposal() {
            hosts.entry(&unmatched.block).or_default().insert(&unmatched.shader, &best.host);
        }
    }
    let mut texts = Vec::new();
    for (block, by_shader) in &hosts {
        let same: BTreeSet<&&str> = by_shader.values().collect();
        let entries: Vec<(Option<&str>, &str)> = match same.first() {
            Some(host) if same.len() == 1 => vec![(None, host)],
            _ => by_shader.iter().map(|(shader, host)| (Some(*shader), *host)).collect(),
        };
        for (shader, host) in entries {
            let shader = shader.map_or_else(String::new, |shader| format!("shader = {shader:?}\n"));
            texts.push(format!("\n[[map]]\nblock = {block:?}\n{shader}host = {host:?}\n"));
        }
    }
    texts.concat()
}

/// A line below another one, with a word in front.
fn detail(lines: &mut TextLines, word: &str, text: &str, style: Style) {
    if !text.is_empty() {
        wrapped(lines, &style.paint(Tone::Dim, &pad_left(word, DETAIL_COLUMNS - 1)), &one_line(text));
    }
}

/// Text after a word of ten columns, wrapped at word boundaries.
fn wrapped(lines: &mut TextLines, word: &str, text: &str) {
    let mut line = format!("{word} ");
    let mut used = DETAIL_COLUMNS;
    for part in text.split(' ') {
        if used > DETAIL_COLUMNS && used + width(part) > LINE_COLUMNS {
            lines.push(&line);
            line = " ".repeat(DETAIL_COLUMNS);
            used = DETAIL_COLUMNS;
        }
        line += part;
        line.push(' ');
        used += width(part) + 1;
    }
    lines.push(&line);
}
