//! The page of classic surprises: one declaration each, under all rule sets.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::address::{case_page, link, slug};
use super::explorer_link::ExplorerText;
use super::site_page::{SiteDraft, SiteFrame, SiteNavigation, SiteSection};
use layoutproof_core::results::record::RecordedSource;
use layoutproof_report::failure::block::sentence;
use layoutproof_report::html::layout_page::{legend, maps, numbers};
use layoutproof_show::layout_text::merged_block::MergedBlock;
use layoutproof_show::layout_text::shown_columns::ShownColumn;
use layoutproof_source::shader_language::ShaderLanguage;

/// A surprising declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Surprise {
    /// Heading.
    pub title: &'static str,
    /// An explanation, in sentences.
    pub words: &'static str,
    /// The case that it is taken from, with its authorities.
    pub case: RecordedSource,
    /// The declaration under every rule set.
    pub columns: Vec<ShownColumn>,
    /// The declaration for the explorer.
    pub explored: Option<ExplorerText>,
}

pub(super) fn surprise_page(surprises: &[Surprise], navigation: SiteNavigation) -> SiteDraft {
    let path = SiteSection::Surprises.first_page();

    let intro = html! {
        p {
            "Each section lays out one declaration under every rule set. Rule sets with equal layouts share a map, and the first map is "
            "what the others are compared with. The maps are computed; the case of each heading has the numbers that named "
            "authorities give, by rule set, and a run compares both."
        }
        (legend())
        nav aria-label="Surprises" {
            ul.columns { @for surprise in surprises { li { a href=(format!("#{}", slug(surprise.title))) { (surprise.title) } } } }
        }
    };
    let content = html! { @for surprise in surprises { (section(path, surprise, navigation)) } };
    let title = "float3, then float, across the world";
    SiteFrame { path, section: SiteSection::Surprises, title, intro, content }.into_draft()
}

fn section(path: &str, surprise: &Surprise, navigation: SiteNavigation) -> Markup {
    let Surprise { title, words, case, columns, explored } = surprise;
    let blocks = columns.iter().map(|column| column.blocks.len()).max().unwrap_or(0);

    html! {
        section.lights id=(slug(title)) {
            h2 { (title) }
            p { (words) }
            pre tabindex="0" { code { (case.declaration.as_deref().unwrap_or_default().trim_matches('\n')) } }
            p.dim { "Case " a href=(link(path, &case_page(&case.case))) { (case.case) } ": " (sentence(&case.summary)) }
            @if let Some(explored) = explored { (explored.link(path, navigation)) }
            @for index in 0..blocks {
                @let merged = MergedBlock::of(columns, index);
                (numbers(&merged.columns, ShaderLanguage::Hlsl))
                (maps(&merged.columns, ShaderLanguage::Hlsl))
                (forbidden(&merged))
            }
        }
    }
}

/// The refusals of the declaration: the first reason of each rule set, without duplicates.
fn forbidden(merged: &MergedBlock<'_>) -> Markup {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for refused in &merged.forbidden {
        if let Some(reason) = refused.block.errors.first() {
            reasons.entry(reason.to_string().replace(refused.name, "it")).or_default().push(refused.name);
        }
    }
    html! {
        @for (reason, names) in &reasons { p.note { "Forbidden under " (names.join(", ")) ": " (reason) } }
    }
}
