//! The explorer: you type declarations in one pane, and the layouts appear in the other. It has a page
//! of its own and is the first thing on the home page.
//!
//! `explorer.js` fills the page with the output of the program, which is compiled to WebAssembly
//! and runs in a worker. `ci/explorer` makes the program's two files, which are next to the page. A
//! content security policy restricts the page to its own site.

use maud::{Markup, html};

use super::address::link;
use super::search::{SEARCH_SCRIPT_FILE, find_button};
use super::site_page::{SCRIPT_FILE, STYLE_FILE, SiteNavigation, SitePage, SiteSection};
use layoutproof_report::html::page_frame::{PageFrame, PageSurroundings};

/// The files that `ci/explorer` makes for the pages: for the explorer and for the run on a GPU the module, and the script that
/// calls it.
pub const EXPLORER_FILES: [&str; 4] =
    ["layoutproof_web_bg.wasm", "layoutproof_web.js", "layoutproof_gpu_page_bg.wasm", "layoutproof_gpu_page.js"];

/// The name of the explorer's page.
pub const EXPLORER_PAGE: &str = "explorer.html";

const PAGE_SCRIPT_FILE: &str = "explorer.js";
const WORKER_FILE: &str = "explorer-worker.js";
const EXPLORER_STYLE_FILE: &str = "explorer.css";

/// What pages with WebAssembly may load: its own site, and WebAssembly.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; \
                      style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'";

/// The page with its scripts and its style.
pub(super) fn explorer_pages(navigation: SiteNavigation) -> Vec<SitePage> {
    let file = |path: &str, text: &str| SitePage { path: path.to_owned(), text: text.to_owned() };
    vec![
        file(SiteSection::Explorer.first_page(), &page(navigation)),
        file(PAGE_SCRIPT_FILE, include_str!("explorer/explorer.js")),
        file(WORKER_FILE, include_str!("explorer/worker.js")),
        file(EXPLORER_STYLE_FILE, include_str!("explorer/explorer.css")),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExplorerPlace {
    /// Its own, which it fills, and whose address holds the text.
    Page,
    /// The home page, which shows something else without scripts; links lead to the explorer's own page.
    Home,
}

/// The elements that the explorer adds to the head of its page.
pub(super) fn explorer_head(path: &str) -> Markup {
    html! {
        meta http-equiv="Content-Security-Policy" content=(POLICY);
        link rel="stylesheet" href=(link(path, EXPLORER_STYLE_FILE));
    }
}

/// The script of the explorer, for the head of the page.
pub(super) fn explorer_scripts(path: &str) -> Markup {
    html! { script src=(link(path, PAGE_SCRIPT_FILE)) defer {} }
}

fn page(navigation: SiteNavigation) -> String {
    let path = SiteSection::Explorer.first_page();
    let surroundings = PageSurroundings {
        style: html! { link rel="stylesheet" href=(link(path, STYLE_FILE)); (explorer_head(path)) },
        script: html! {
            script src=(link(path, SCRIPT_FILE)) {}
            script src=(link(path, SEARCH_SCRIPT_FILE)) defer {}
            (explorer_scripts(path))
        },
        home: Some(link(path, SiteSection::Start.first_page())),
        navigation: navigation.links(path, SiteSection::Explorer),
        tools: find_button(),
        crumbs: html! {},
        footer: html! {
            "Made by layoutproof " (env!("CARGO_PKG_VERSION")) ", which runs here in the browser: nothing that is typed leaves it."
        },
    };
    let intro = html! {
        p {
            "Type declarations, see where each compiler puts the members. Everything happens in this browser; the address holds "
            "the text, so that a link shows the same to others."
        }
    };
    PageFrame { title: "Explorer", intro, content: explorer_part(path, ExplorerPlace::Page) }.within(&surroundings)
}

/// The explorer on the page `path`.
pub(super) fn explorer_part(path: &str, place: ExplorerPlace) -> Markup {
    let to = |section: SiteSection| link(path, section.first_page());
    let own_page = (place == ExplorerPlace::Home).then(|| to(SiteSection::Explorer));
    html! {
        @if place == ExplorerPlace::Page {
            noscript {
                p.verdict { "The explorer is a program in WebAssembly, which runs only with JavaScript." }
                p {
                    "Without it, " code { "layoutproof show FILE" } " prints the same tables, and with " code { "--format html" }
                    " it writes these byte maps. " a href=(to(SiteSection::Surprises)) { "Declarations that surprise" } " and "
                    a href=(to(SiteSection::Cases)) { "all cases" } " are drawn on pages of their own."
                }
            }
        }
        div #explorer data-page=[&own_page] data-panes="text result" {
            div.x-panes {
                div.x-text { (text_bar()) (editor()) (messages()) }
                div.x-result { (result_bar(own_page.as_deref())) (panels()) }
            }
        }
    }
}

fn text_bar() -> Markup {
    html! {
        div.x-bar {
            select #explorer-language aria-label="Language" {}
            select #explorer-example aria-label="Example" { option value="" { "Examples" } }
            details.menu #explorer-options {
                summary.button { "Options" span #explorer-options-set .x-count {} }
                div.x-form {
                    label { "Macros" input #explorer-defines type="search" placeholder="NAME=VALUE …"; }
                    label { "Entry point" input #explorer-entry type="search" placeholder="all"; }
                    label { "Matrices"
                        select #explorer-matrix { option value="column" { "column_major" } option value="row" { "row_major" } }
                    }
                    label { "Size of half"
                        select #explorer-half { option value="2" { "2 bytes" } option value="4" { "4 bytes" } }
                    }
                }
            }
            // On a phone, one pane may have all of the height.
            div.x-views role="group" aria-label="Show" {
                @for (pane, label) in [("text", "Text"), ("result", "Layout")] {
                    button type="button" data-pane=(pane) aria-pressed="true" { (label) }
                }
            }
        }
    }
}

fn editor() -> Markup {
    html! {
        div.editor {
            div #explorer-gutter aria-hidden="true" { "1" }
            div.sheet {
                pre #explorer-ink aria-hidden="true" {}
                textarea #explorer-text aria-label="Declarations" aria-describedby="explorer-status" spellcheck="false"
                    autocapitalize="off" autocomplete="off" {}
            }
        }
    }
}

/// The status line, the errors and the warnings.
fn messages() -> Markup {
    html! {
        div.x-said {
            p #explorer-status role="status" {}
            ul.problems #explorer-errors aria-label="Errors" {}
            details.fold #explorer-warnings-part hidden {
                summary #explorer-warnings-head {}
                ul.problems #explorer-warnings aria-label="Warnings" {}
            }
        }
    }
}

/// The tabs of the results, with their names.
const TABS: [(&str, &str); 5] = [
    ("offsets", "Offsets"),
    ("bytes", "Bytes"),
    ("padding", "Padding"),
    ("bindings", "Bindings"),
    ("host", "C++/Rust"),
];

/// Texts to copy, with the labels in the menu.
const COPIES: [(&str, &str); 8] = [
    ("link", "Link to this"),
    ("markdown", "Markdown, for an issue"),
    ("svg", "Byte maps as SVG"),
    ("json", "JSON"),
    ("cpp", "C++ structs"),
    ("rust", "Rust structs"),
    ("c", "C structs"),
    ("case", "Case file"),
];

fn result_bar(own_page: Option<&str>) -> Markup {
    html! {
        div.x-bar {
            div.tablist role="tablist" aria-label="Layout" {
                @for (index, (tab, label)) in TABS.iter().enumerate() {
                    button type="button" role="tab" id=(format!("explorer-tab-{tab}")) aria-controls=(format!("explorer-{tab}"))
                        aria-selected=(if index == 0 { "true" } else { "false" }) tabindex=(if index == 0 { "0" } else { "-1" })
                        data-tab=(tab) { (label) }
                }
            }
            @if let Some(page) = own_page { a #explorer-open .x-open href=(page) { "Open full page" } }
        }
        div.x-choices {
            div.chips #explorer-chips role="group" aria-label="Targets" {}
            details.menu #explorer-more {
                summary.chip { "More" }
                div.x-all {
                    div #explorer-targets {}
                    details.fold #explorer-expert {
                        summary { "Rule sets, for experts" }
                        div.chips #explorer-rules role="group" aria-label="Rule sets" {}
                    }
                    button #explorer-usual type="button" { "Back to the usual targets" }
                }
            }
            p.note #explorer-own-note hidden { "The text determines the offsets: GLSL and WGSL have one layout for each block." }
            details.menu #explorer-copy {
                summary.button { "Copy" }
                div { @for (kind, label) in COPIES { button type="button" data-copy=(kind) { (label) } } }
            }
        }
    }
}

fn panels() -> Markup {
    html! {
        div.x-panels {
            @for (index, (tab, _)) in TABS.iter().enumerate() {
                div.x-panel id=(format!("explorer-{tab}")) role="tabpanel" tabindex="0"
                    aria-labelledby=(format!("explorer-tab-{tab}")) hidden[index > 0] {
                    @if *tab == "host" { (host()) }
                }
            }
            div #explorer-copied-part hidden {
                p { label for="explorer-copied" { "The text:" } button.button.mini #explorer-copied-close type="button" { "Close" } }
                textarea #explorer-copied readonly {}
            }
        }
    }
}

fn host() -> Markup {
    html! {
        div.x-host-bar {
            div.x-views role="group" aria-label="Language of the structs" {
                @for (language, label) in [("cpp", "C++"), ("rust", "Rust"), ("c", "C")] {
                    button type="button" data-host=(language) aria-pressed=(if language == "cpp" { "true" } else { "false" }) { (label) }
                }
            }
            p.note { "With an assertion for every offset, for " span #explorer-host-column { "the first target" } "." }
            button.button.mini type="button" data-copy="host" { "Copy" }
        }
        pre tabindex="0" { code #explorer-host-text {} }
    }
}
