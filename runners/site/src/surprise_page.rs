//! The page of surprises: one declaration each, as every target lays it out.

use std::collections::BTreeMap;

use layoutproof_events::RecordedSource;
use layoutproof_layout::ViewId;
use layoutproof_report::html::components::{Sign, legend_of, shader_code};
use layoutproof_report::html::layout_page::{legend, maps, numbers};
use layoutproof_show::layout_text::declaration_words::declaration;
use layoutproof_show::layout_text::shown_columns::{
    BlockPresence, ColumnName, MergedBlock, ShownColumn, ShownColumnBlock, joined,
};
use layoutproof_source::shader_language::ShaderLanguage;
use maud::{Markup, html};

use super::address::{ExplorerText, case_page, link, slug};
use super::site_page::{SiteDraft, SiteFrame, SiteNavigation, SiteSection};

#[derive(Clone, Debug, PartialEq)]
pub struct Surprise {
    /// Heading.
    pub title: &'static str,
    /// An explanation, in sentences.
    pub words: &'static str,
    /// The case that it is taken from, with its authorities.
    pub case: RecordedSource,
    /// The declaration as each target has it.
    pub columns: Vec<ShownColumn>,
    pub explored: Option<ExplorerText>,
}

impl Surprise {
    pub(super) fn declaration(&self) -> String {
        one_member_per_line(self.case.declaration.as_deref().unwrap_or_default().trim_matches('\n'))
    }

    pub(super) fn path(&self) -> String {
        format!("{}#{}", SiteSection::Surprises.first_page(), slug(self.title))
    }
}

/// Cases declare a struct in one line; pages have room for one member per line. Text that has comments or
/// directives, or several lines in a struct, stays as it is.
pub(super) fn one_member_per_line(text: &str) -> String {
    let is_written_out = text.contains(['/', '#', '"']) || text.lines().any(|line| line.trim_end().ends_with('{'));
    if is_written_out {
        return text.to_owned();
    }
    let mut lines = String::new();
    let mut depth = 0_usize;
    let indent = |lines: &mut String, depth| {
        if lines.ends_with('\n') {
            lines.push_str(&"    ".repeat(depth));
        }
    };
    for letter in text.chars() {
        match letter {
            '{' => {
                depth += 1;
                lines.push_str("{\n");
            }
            '}' => {
                depth = depth.saturating_sub(1);
                if !lines.ends_with('\n') {
                    lines.push('\n');
                }
                indent(&mut lines, depth);
                lines.push('}');
            }
            ';' => lines.push_str(";\n"),
            ' ' | '\n' if lines.ends_with('\n') || lines.is_empty() => {}
            other => {
                indent(&mut lines, depth);
                lines.push(other);
            }
        }
    }
    lines.trim_end().to_owned()
}

pub(super) fn surprise_page(surprises: &[Surprise], navigation: SiteNavigation) -> SiteDraft {
    let path = SiteSection::Surprises.first_page();

    let intro = html! {
        p.lead { "One declaration, several answers: where each compiler and target puts its members, and why." }
        ul.chips {
            @for surprise in surprises { li { a.chip href=(format!("#{}", slug(surprise.title))) { (surprise.title) } } }
        }
        (legend())
    };
    let content = html! { @for surprise in surprises { (section(path, surprise, navigation)) } };
    let page = SiteFrame { path, section: SiteSection::Surprises, title: "Surprises", intro, content }
        .found_by("float3, then float; alignment, packing, padding, offsets");
    surprises.iter().fold(page, |page, surprise| {
        page.with_place(
            &slug(surprise.title),
            surprise.title,
            &format!("{} {}", surprise.words, surprise.declaration()),
        )
    })
}

fn section(path: &str, surprise: &Surprise, navigation: SiteNavigation) -> Markup {
    let Surprise { title, words, case, columns, explored } = surprise;
    let blocks = MergedBlock::all(columns);

    html! {
        section.surprise.lights id=(slug(title)) {
            h2 { (title) }
            p { (words) }
            (shader_code("HLSL", &surprise.declaration(), ShaderLanguage::Hlsl))
            div.actions {
                @if let Some(explored) = explored { (explored.link(path, navigation)) }
                a.button.mini href=(link(path, &case_page(&case.case))) { "Sources of the numbers" }
            }
            @for merged in &blocks {
                (numbers(&merged.columns, ShaderLanguage::Hlsl))
                (maps(&merged.columns, ShaderLanguage::Hlsl))
                (refusals(merged))
            }
        }
    }
}

/// The refusals of the declaration: the first reason of each target, without duplicates.
fn refusals(merged: &MergedBlock<'_>) -> Markup {
    let mut reasons: BTreeMap<String, Vec<&ColumnName>> = BTreeMap::new();
    for refused in &merged.forbidden {
        if let Some(reason) = refused.block.errors.first() {
            let reason = reason.to_string().replace("wgsl-uniform", "a uniform buffer of WGSL");
            reasons.entry(reason).or_default().push(refused.name);
        }
    }
    html! {
        @for (reason, names) in &reasons { p.note { b { (joined(names)) } " refuses it: " (reason) } }
    }
}

/// What a row compares.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Question {
    /// The offset of a member.
    Offset { path: String, words: String },
    /// The distance of elements or of the vectors of a matrix.
    Stride { path: String, words: String },
    /// The size of the block.
    Size,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Number(u32),
    /// With the reason.
    Refused(String),
    /// The compiler has no such block.
    Absent,
}

/// The table, and the legend of its colours.
pub(super) fn surprise_table(path: &str, surprises: &[Surprise]) -> Markup {
    let Some(first) = surprises.first() else { return html! {} };
    html! {
        div #matrix {
            (legend_of(&[
                (Sign::Most, "what most targets answer"),
                (Sign::Other, "another answer"),
                (Sign::Refused, "refused"),
            ]))
            div.scroll tabindex="0" role="region" aria-label="Surprises by target" {
                table.matrix.surprises {
                    thead {
                        tr {
                            th scope="col" { "declaration" }
                            @for column in &first.columns { th scope="col" { (two_lines(&column.name)) } }
                        }
                    }
                    tbody { @for surprise in surprises { (row(path, surprise)) } }
                }
            }
        }
    }
}

/// The target above its compiler.
fn two_lines(name: &ColumnName) -> Markup {
    match name.parts() {
        (target, Some(compiler)) => html! { (target) " · " br; (compiler) },
        (target, None) => html! { (target) },
    }
}

fn row(path: &str, surprise: &Surprise) -> Markup {
    let (view, question) = question(&surprise.columns);
    let answers: Vec<Answer> = surprise.columns.iter().map(|column| answer(column.block(view), &question)).collect();
    let most = most_frequent(&answers);
    html! {
        tr {
            th scope="row" {
                a href=(link(path, &surprise.path())) { (surprise.title) }
                div.note {
                    @match &question {
                        Question::Offset { words, .. } => { "byte of " code { (words) } },
                        Question::Stride { words, .. } => { "stride of " code { (words) } },
                        Question::Size => { "size" },
                    }
                }
            }
            @for answer in &answers {
                @match answer {
                    Answer::Number(number) => td class=(if Some(number) == most { "most" } else { "other" }) { (number) },
                    Answer::Refused(reason) => td.refused title=(reason) { "no" },
                    Answer::Absent => td.none { "–" },
                }
            }
        }
    }
}

/// The block and the question whose answers differ: the first member that is at different bytes, else
/// the first whose strides differ, else the size.
fn question(columns: &[ShownColumn]) -> (ViewId, Question) {
    for merged in MergedBlock::all(columns) {
        let view = merged.block.view;
        let present: Vec<&ShownColumnBlock> =
            columns.iter().filter_map(|column| column.block(view)).filter(|block| is_laid_out(block)).collect();
        let Some(first) = present.first() else { continue };
        let questions = first.shown.members.iter().map(|member| {
            let (path, words) = (member.path.clone(), declaration(ShaderLanguage::Hlsl, member, 0));
            [Question::Offset { path: path.clone(), words: words.clone() }, Question::Stride { path, words }]
        });
        let (offsets, strides): (Vec<_>, Vec<_>) = questions.map(<(Question, Question)>::from).unzip();
        for question in offsets.into_iter().chain(strides).chain([Question::Size]) {
            let mut answers = present.iter().map(|block| answer(Some(block), &question));
            let one = answers.next();
            if answers.any(|other| Some(other) != one) {
                return (view, question);
            }
        }
    }
    (ViewId::default(), Question::Size)
}

fn is_laid_out(block: &ShownColumnBlock) -> bool {
    block.presence == BlockPresence::Present && block.shown.errors.is_empty()
}

fn answer(block: Option<&ShownColumnBlock>, question: &Question) -> Answer {
    let Some(block) = block.filter(|block| block.presence == BlockPresence::Present) else { return Answer::Absent };
    if let Some(reason) = block.shown.errors.first() {
        return Answer::Refused(reason.to_string());
    }
    let member = |path: &str| block.shown.members.iter().find(|member| member.path == path);
    let number = match question {
        Question::Offset { path, .. } => member(path).map(|member| member.offset),
        Question::Stride { path, .. } => member(path).and_then(|member| member.array_stride.or(member.matrix_stride)),
        Question::Size => block.shown.stride.or(block.shown.size),
    };
    number.map_or(Answer::Absent, Answer::Number)
}

/// The number that most targets answer; of several, the first.
fn most_frequent(answers: &[Answer]) -> Option<&u32> {
    let numbers =
        || answers.iter().filter_map(|answer| if let Answer::Number(number) = answer { Some(number) } else { None });
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for number in numbers() {
        *counts.entry(*number).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    numbers().find(|number| counts.get(number) == Some(&most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_in_one_line_is_written_out() {
        let text = "struct T { float a; uint b : 4; };\ncbuffer S { T t; float c[2]; };";
        let lines = "struct T {\n    float a;\n    uint b : 4;\n};\ncbuffer S {\n    T t;\n    float c[2];\n};";
        assert_eq!(one_member_per_line(text), lines);
        let commented = "cbuffer S { float a; }; // one";
        assert_eq!(one_member_per_line(commented), commented);
    }

    #[test]
    fn the_most_frequent_answer_is_the_first_of_equals() {
        let answers = |numbers: &[u32]| numbers.iter().copied().map(Answer::Number).collect::<Vec<_>>();
        assert_eq!(most_frequent(&answers(&[36, 48, 48])), Some(&48));
        assert_eq!(most_frequent(&answers(&[36, 48])), Some(&36));
        assert_eq!(most_frequent(&[Answer::Absent, Answer::Refused("x".into())]), None);
    }
}
