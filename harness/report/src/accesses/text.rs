//! The accesses as text for people.

use std::fmt::Write as _;

use layoutproof_readers::spirv::accesses::{Access, ByteExpr};
use layoutproof_show::declaration_words::type_words;
use layoutproof_show::style::{Style, Tone, one_line, width};
use layoutproof_source::shader_language::ShaderLanguage;

use super::{FollowedFile, FollowedFiles, member_of};

/// Most lines of accesses of a file, unless all are wanted.
const MOST_LINES: usize = 40;

/// The files with their accesses, faults and a summary. `is_whole` lists all accesses.
pub fn text(followed: &FollowedFiles, style: Style, is_whole: bool) -> String {
    let mut text = String::new();
    for file in &followed.files {
        add_file(&mut text, file, style, is_whole);
    }
    let tone = if followed.faults() > 0 || !followed.unread.is_empty() {
        Tone::Disagree
    } else if followed.open().is_empty() && followed.followed() > 0 {
        Tone::Agree
    } else {
        Tone::Skip
    };
    text + &style.paint(tone, &one_line(&followed.headline())) + "\n"
}

fn add_file(text: &mut String, followed: &FollowedFile, style: Style, is_whole: bool) {
    let FollowedFile { file, language, compiler, accesses: module } = followed;
    let compiler = compiler.as_ref().map(|compiler| format!(" {} {compiler}", style.dot())).unwrap_or_default();
    let _ = writeln!(text, "{}\n", style.paint(Tone::Strong, &one_line(&format!("{file}{compiler}"))));

    let mut rows: Vec<[String; 5]> = Vec::new();
    for access in &module.accesses {
        let row = row(access, *language, |view| module.views.get(view as usize).map_or("", |view| &view.name));
        // A line that reads a member several times is one line here.
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    add_rows(text, &rows, is_whole);
    for fault in &module.faults {
        let place = fault.place.as_ref().map_or_else(|| file.clone(), ToString::to_string);
        let word = style.paint(Tone::Disagree, "fault");
        let _ = writeln!(text, "{word} ({}): {}", fault.kind.name(), one_line(&followed.sentence(fault)));
        let _ = writeln!(text, "  at {}", one_line(&place));
    }
    if !module.faults.is_empty() {
        text.push('\n');
    }
    let untouched =
        module.views.iter().flat_map(|view| view.untouched.iter().map(|member| member_of(&view.name, member)));
    let untouched: Vec<String> = untouched.collect();
    if !untouched.is_empty() {
        let shown = if is_whole { untouched.len() } else { untouched.len().min(MOST_LINES) };
        let more =
            if shown < untouched.len() { format!(" and {} more", untouched.len() - shown) } else { String::new() };
        let names = one_line(&untouched[..shown].join(", "));
        let _ = writeln!(text, "{}\n", style.paint(Tone::Dim, &format!("no access: {names}{more}")));
    }
}

/// Kind, bytes, member, type and place of an access.
fn row<'a>(access: &Access, language: ShaderLanguage, view: impl Fn(u32) -> &'a str) -> [String; 5] {
    let bytes = match (&access.at, access.size) {
        (ByteExpr::Unknown(_), _) => "?".to_owned(),
        (at, Some(size)) => format!("{at}, {size} bytes"),
        (at, None) => at.to_string(),
    };
    let member = match access.view {
        Some(index) => member_of(view(index), &access.member),
        None => access.at.to_string(),
    };
    let place = access.place.as_ref().map(ToString::to_string).unwrap_or_default();
    let type_name = type_words(language, &access.type_name);
    [access.kind.as_str().to_owned(), member, type_name, bytes, place].map(|cell| one_line(&cell))
}

/// A line for each row, in columns, and an empty line. `is_whole` lists all of them.
pub(crate) fn add_rows<const COLUMNS: usize>(text: &mut String, rows: &[[String; COLUMNS]], is_whole: bool) {
    if rows.is_empty() {
        return;
    }
    let shown = if is_whole { rows } else { &rows[..rows.len().min(MOST_LINES)] };
    let widest = |column: usize| shown.iter().map(|row| width(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..COLUMNS - 1).map(widest).collect();
    for row in shown {
        let mut line = String::from(" ");
        for (cell, width_of_column) in row.iter().zip(widths.iter().chain([&0])) {
            let _ = write!(line, " {cell}{} ", " ".repeat(width_of_column.saturating_sub(width(cell))));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let left = rows.len() - shown.len();
    if left > 0 {
        let _ = writeln!(text, "  and {left} more: --verbose lists them");
    }
    text.push('\n');
}
