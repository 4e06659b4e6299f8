//! The table for people: the host's members next to the shader's, within 80 columns.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::BlockKind;

use super::{CheckedPair, HostCheck, HostProposal, PairOutcome, PairProof, UnmatchedBlock};
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

/// Every pair that differs as a table, the others as one line each, and a summary.
pub fn text(check: &HostCheck, style: Style) -> String {
    let mut lines = TextLines::default();
    for pair in &check.pairs {
        match pair.outcome() {
            PairOutcome::Agree => lines.append(&agreeing(pair, style)),
            PairOutcome::Known => lines.append(&known(pair, style)),
            PairOutcome::Differ => lines.append(&differing(pair, style)),
        }
    }

    for unmatched in &check.unmatched {
        lines.append(&without_host(unmatched, check.is_strict, style));
    }
    let entries = map_entries(check);
    if !entries.is_empty() {
        lines.push("");
        lines.push("For layoutproof.toml, if these are meant (`check --write-map` appends them):");
        entries.lines().for_each(|line| lines.push(line));
        lines.push("");
    }
    for complaint in &check.complaints {
        wrapped(&mut lines, &style.verb(Tone::Disagree, "Error"), complaint);
    }
    lines.push(&format!("{} {}", style.verb(Tone::Strong, "Summary"), summary(check)));
    lines.into_text()
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
        parts.push(format!("{differ} differ"));
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
    parts.join(", ")
}

fn pair_name(pair: &CheckedPair, style: Style) -> String {
    let dot = style.dot();
    one_line(&format!("{} {dot} {} {dot} {} in {}", pair.shader_name(), pair.target, pair.host, pair.host_file))
}

fn agreeing(pair: &CheckedPair, style: Style) -> String {
    let mut lines = TextLines::default();
    wrapped(&mut lines, &style.verb(Tone::Agree, "Agree"), &pair_name(pair, style));
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

fn known(pair: &CheckedPair, style: Style) -> String {
    let mut lines = TextLines::default();
    wrapped(&mut lines, &style.verb(Tone::Known, "Known"), &pair_name(pair, style));
    for reason in &pair.known {
        detail(&mut lines, "reason", reason, style);
    }
    lines.append(&proofs(pair, style));
    lines.into_text()
}

fn differing(pair: &CheckedPair, style: Style) -> String {
    let mut lines = TextLines::default();
    wrapped(&mut lines, &style.verb(Tone::Disagree, "Differ"), &pair_name(pair, style));
    lines.push("");
    lines.append(&pair_table(pair, style));
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
        detail(&mut lines, "at", &mismatch_places(mismatch, style), style);
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
        let by = format!("{device} via {runner}, shader of {producer}");
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

/// The places at which the two sides declare the members that differ.
pub(crate) fn mismatch_places(mismatch: &Mismatch, style: Style) -> String {
    let named =
        |side: &str, place: &Option<LinePlace>| place.as_ref().map(|place| format!("{side} {}", place_text(place)));
    let both = [named("shader", &mismatch.shader_at), named("host", &mismatch.host_at)];
    let both: Vec<String> = both.into_iter().flatten().collect();
    both.join(&format!(" {} ", style.dot()))
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
    let mut lines = TextLines::default();
    let numbers = format!("{}{}", pad_left("offset", NUMBER_COLUMNS), pad_left("size", NUMBER_COLUMNS));
    let shader = match (pair.kind, pair.part.strip_suffix("[]")) {
        (BlockKind::StructuredElement, _) => format!("element of {}", pair.block),
        (_, Some(array)) => format!("element of {}", part_path(&pair.block, array)),
        (kind, None) => format!("{kind} {}", pair.shader_name()),
    };
    let heading = format!("{}{numbers}  {}  {numbers}  {}", " ".repeat(MARK_COLUMNS), cut(&shader, style), pair.host);
    lines.push(&style.paint(Tone::Strong, &shortened(&heading, style)));

    for (index, row) in pair.comparison.rows.iter().enumerate() {
        lines.append(&holes_before(&pair.comparison.rows, index, style));
        lines.push(&row_line(row, style));
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

fn without_host(unmatched: &UnmatchedBlock, is_strict: bool, style: Style) -> String {
    let mut lines = TextLines::default();
    let is_error = is_strict || unmatched.reason.is_error();
    let (tone, word) = if is_error { (Tone::Disagree, "No match") } else { (Tone::Skip, "No match") };
    let place = unmatched.place.as_ref().map_or_else(|| unmatched.shader.clone(), place_text);
    let text = format!("{} {} {} ({place}): {}", unmatched.block, style.dot(), unmatched.target, unmatched.reason);
    wrapped(&mut lines, &style.verb(tone, word), &one_line(&text));
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
