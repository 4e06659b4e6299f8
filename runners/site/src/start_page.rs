//! The start page: a surprising declaration, an overview, and the book's table of contents.

use layoutproof_layout::table;
use maud::{Markup, html};

use super::address::link;
use super::book::contents;
use super::site_page::{SiteDraft, SiteFrame, SiteNavigation, SiteSection};
use super::surprise_page::Surprise;
use layoutproof_report::html::layout_page::{legend, maps};
use layoutproof_show::layout_text::merged_block::MergedBlock;
use layoutproof_show::style::{counted, grouped};
use layoutproof_source::shader_language::ShaderLanguage;

/// The size of each part.
#[derive(Clone, Copy)]
pub(super) struct SiteFigures {
    /// Surprising declarations.
    pub surprises: usize,
    pub mechanisms: usize,
    pub cases: usize,
    /// Records files.
    pub records: usize,
    /// True if the site has the explorer.
    pub has_explorer: bool,
}

/// The page. `opening` is drawn at its top.
pub(super) fn start_page(figures: SiteFigures, opening: &Surprise, navigation: SiteNavigation) -> SiteDraft {
    let path = SiteSection::Start.first_page();
    let to = |section: SiteSection| link(path, section.first_page());
    let rules = table().len() as u64;

    let content = html! {
        (opening_section(path, opening, navigation))
        section id="parts" {
            h2 { "What is here" }
            dl {
                @if figures.has_explorer {
                    dt { a href=(to(SiteSection::Explorer)) { "Explorer" } }
                    dd { "Type declarations in HLSL, Slang, GLSL or WGSL, see where each compiler puts the members." }
                }
                dt { a href=(to(SiteSection::Surprises)) { "float3, then float" } }
                dd { (counted(figures.surprises as u64, "declaration")) " that surprise, each under all rule sets." }
                dt { a href=(to(SiteSection::Rules)) { "Rules" } }
                dd { (counted(rules, "rule set")) ": a description with its source, a worked example, the parameters, the nearest rule sets." }
                dt { a href=(to(SiteSection::Compilers)) { "Compilers" } }
                dd { (grouped(figures.mechanisms as u64)) " known differences of compilers and drivers, with builds, reports and numbers." }
                dt { a href=(to(SiteSection::Compatibility)) { "Compatibility" } }
                dd {
                    @if figures.records == 0 { "Which compiler follows which rule set on which device; empty, because there are no records yet." }
                    @else { "Which compiler follows which rule set on which device, with the checks that show it." }
                }
                dt { a href=(to(SiteSection::Cases)) { "Cases" } }
                dd { (counted(figures.cases as u64, "case")) ", each with the numbers that a named authority gives, as byte maps." }
            }
        }
        section.prose id="book" { h2 { "The book" } (contents().content) }
    };

    let intro = html! {
        p {
            "Each shader compiler and driver has its own rules for where the members of a struct are in memory. These pages "
            "show them as byte maps, and document which compiler follows which rule, and how we know."
        }
    };
    SiteFrame { path, section: SiteSection::Start, title: "Where shader parameters live", intro, content }.into_draft()
}

/// The declaration with its byte maps and links to more.
fn opening_section(path: &str, opening: &Surprise, navigation: SiteNavigation) -> Markup {
    let surprises = SiteSection::Surprises.first_page();
    html! {
        section.lights id="opening" {
            h2 { "One declaration, everywhere" }
            pre tabindex="0" { code { (opening.case.declaration.as_deref().unwrap_or_default().trim_matches('\n')) } }
            (maps(&MergedBlock::of(&opening.columns, 0).columns, ShaderLanguage::Hlsl))
            p { (opening.words) " " a href=(link(path, surprises)) { "It is one of the classic surprises" } "." }
            (legend())
            @if let Some(explored) = &opening.explored { (explored.link(path, navigation)) }
        }
    }
}
