//! The table of surprises by target: where each target puts the member that tells them apart.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::address::link;
use super::surprise_page::Surprise;
use layoutproof_report::html::components::{Sign, legend_of};
use layoutproof_show::layout_text::declaration_words::declaration;
use layoutproof_show::layout_text::shown_columns::{BlockPresence, ColumnName, ShownColumn, ShownColumnBlock};
use layoutproof_source::shader_language::ShaderLanguage;

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

/// The answer of a target.
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
    let (index, question) = question(&surprise.columns);
    let answers: Vec<Answer> =
        surprise.columns.iter().map(|column| answer(column.blocks.get(index), &question)).collect();
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
fn question(columns: &[ShownColumn]) -> (usize, Question) {
    let blocks = columns.iter().map(|column| column.blocks.len()).max().unwrap_or(0);
    for index in 0..blocks {
        let present: Vec<&ShownColumnBlock> =
            columns.iter().filter_map(|column| column.blocks.get(index)).filter(|block| is_laid_out(block)).collect();
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
                return (index, question);
            }
        }
    }
    (0, Question::Size)
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
    fn the_most_frequent_answer_is_the_first_of_equals() {
        let answers = |numbers: &[u32]| numbers.iter().copied().map(Answer::Number).collect::<Vec<_>>();
        assert_eq!(most_frequent(&answers(&[36, 48, 48])), Some(&48));
        assert_eq!(most_frequent(&answers(&[36, 48])), Some(&36));
        assert_eq!(most_frequent(&[Answer::Absent, Answer::Refused("x".into())]), None);
    }
}
