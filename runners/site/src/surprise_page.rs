//! The page of surprises: one declaration each, as every target lays it out.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::address::{case_page, link, slug};
use super::explorer_link::ExplorerText;
use super::site_page::{SiteDraft, SiteFrame, SiteNavigation, SiteSection};
use layoutproof_events::RecordedSource;
use layoutproof_report::html::components::shader_code;
use layoutproof_report::html::layout_page::{legend, maps, numbers};
use layoutproof_show::layout_text::merged_block::MergedBlock;
use layoutproof_show::layout_text::shown_columns::{ColumnName, ShownColumn, joined};
use layoutproof_source::shader_language::ShaderLanguage;

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

    /// Address of its section.
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
    let blocks = columns.iter().map(|column| column.blocks.len()).max().unwrap_or(0);

    html! {
        section.surprise.lights id=(slug(title)) {
            h2 { (title) }
            div.pair {
                div {
                    p { (words) }
                    (shader_code("HLSL", &surprise.declaration(), ShaderLanguage::Hlsl))
                    div.actions {
                        @if let Some(explored) = explored { (explored.link(path, navigation)) }
                        a.button.mini href=(link(path, &case_page(&case.case))) { "Sources of the numbers" }
                    }
                }
                div {
                    @for index in 0..blocks { (numbers(&MergedBlock::of(columns, index).columns, ShaderLanguage::Hlsl)) }
                }
            }
            @for index in 0..blocks {
                @let merged = MergedBlock::of(columns, index);
                (maps(&merged.columns, ShaderLanguage::Hlsl))
                (refusals(&merged))
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
}
