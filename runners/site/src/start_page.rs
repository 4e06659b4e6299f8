//! The start page: the explorer or a declaration drawn at the top, then what the site has.

use layoutproof_layout::table;
use maud::{Markup, html};

use super::address::link;
use super::explorer_page::{ExplorerPlace, explorer_part};
use super::site_page::{SiteDraft, SiteFrame, SiteNavigation, SiteSection};
use super::surprise_page::Surprise;
use layoutproof_report::html::components::{plain_code, shader_code};
use layoutproof_report::html::layout_page::{legend, maps};
use layoutproof_show::layout_text::shown_columns::MergedBlock;
use layoutproof_show::style::{counted, grouped};
use layoutproof_source::shader_language::ShaderLanguage;

/// The size of each part.
#[derive(Clone, Copy)]
pub(super) struct SiteFigures {
    /// Surprising declarations.
    pub surprises: usize,
    /// Known bugs.
    pub bugs: usize,
    pub cases: usize,
}

const MAPS: usize = 4;

/// The page. `opening` is drawn at its top.
pub(super) fn start_page(figures: SiteFigures, opening: &Surprise, navigation: SiteNavigation) -> SiteDraft {
    let path = SiteSection::Start.first_page();
    let to = |section: SiteSection| link(path, section.first_page());
    let card = |section: SiteSection, name: &str, words: String| {
        html! { a.card href=(to(section)) { b { (name) } p { (words) } } }
    };

    let content = html! {
        @if navigation.has_explorer { (explorer_part(path, ExplorerPlace::Home)) }
        (opening_section(path, opening, navigation))
        section id="parts" {
            h2 { "What is here" }
            div.cards {
                @let surprises = counted(figures.surprises as u64, "declaration");
                (card(SiteSection::Surprises, "Surprises", format!("{surprises} that compilers lay out differently.")))
                (card(SiteSection::Compatibility, "Compatibility", "Which target puts which member where, at a glance.".into()))
                @let bugs = grouped(figures.bugs as u64);
                (card(SiteSection::Compilers, "Compilers", format!("{bugs} known bugs with versions, workarounds, reports.")))
                @let rules = counted(table().len() as u64, "rule set");
                (card(SiteSection::Rules, "Layout rules", format!("I compile with …: {rules}, each with a worked example.")))
                @let cases = counted(figures.cases as u64, "case");
                (card(SiteSection::Cases, "Cases", format!("{cases}, each number from a compiler or a specification.")))
                @if navigation.has_explorer {
                    (card(SiteSection::Gpu, "Run on this GPU", "All cases with WebGPU in this browser, which sends nothing.".into()))
                }
                (card(SiteSection::Docs, "Docs", "Tutorial, command line, CI, reading a failure.".into()))
            }
        }
        section id="commands" {
            h2 { "In your build" }
            div.thirds {
                div { h3 { "Look" } p { "Offsets, padding and bindings for each target." } (plain_code("shell", "layoutproof show scene.hlsl")) }
                div { h3 { "Check" } p { "Host structs against the shaders that read them." } (plain_code("shell", "layoutproof check scene.hlsl engine.o")) }
                div { h3 { "Prove" } p { "Run shaders on a device and read every byte back." } (plain_code("shell", "layoutproof run scene.hlsl")) }
            }
        }
    };

    let intro = html! {
        p.lead {
            "Each shader compiler has its own rules for where the members of a struct are in memory. See them, check them "
            "against your C++ or Rust, and prove them on a GPU."
        }
    };
    SiteFrame { path, section: SiteSection::Start, title: "Where shader parameters live", intro, content }.into_draft()
}

/// The declaration with its byte maps, and a link to the explorer. Where the explorer itself can be shown, it takes the
/// place of this section.
fn opening_section(path: &str, opening: &Surprise, navigation: SiteNavigation) -> Markup {
    let merged = MergedBlock::all(&opening.columns);
    let layouts = merged.first().map(|block| block.columns.as_slice()).unwrap_or_default();
    html! {
        div.opening.lights.still[navigation.has_explorer] #opening {
            div { (shader_code("HLSL", &opening.declaration(), ShaderLanguage::Hlsl)) p { (opening.words) } }
            div { (maps(&layouts[..layouts.len().min(MAPS)], ShaderLanguage::Hlsl)) (legend()) }
            div.actions {
                @if navigation.has_explorer {
                    a.button.primary href=(link(path, SiteSection::Explorer.first_page())) { "Type your own in the explorer" }
                }
                a.button href=(link(path, &opening.path())) { "More surprises" }
                a.button href=(link(path, "book/tutorial.html")) { "Tutorial" }
            }
        }
    }
}
