//! The page of the explorer: you type on the left, and the layouts appear on the right.
//!
//! `explorer.js` fills the page with the output of the program, which is compiled to WebAssembly
//! and runs in a worker. `ci/explorer` makes the program's two files, which are next to the page. A
//! content security policy restricts the page to its own site.

use maud::{Markup, html};

use super::address::link;
use super::search::{SEARCH_SCRIPT_FILE, find_button};
use super::site_page::{SCRIPT_FILE, STYLE_FILE, SiteNavigation, SitePage, SiteSection};
use layoutproof_report::html::layout_page::legend;
use layoutproof_report::html::page_frame::{PageFrame, PageSurroundings};

/// The files that `ci/explorer` puts next to the page: the module, and the script that calls it.
pub const EXPLORER_FILES: [&str; 2] = ["layoutproof_web_bg.wasm", "layoutproof_web.js"];

const PAGE_SCRIPT_FILE: &str = "explorer.js";
const WORKER_FILE: &str = "explorer-worker.js";
const EXPLORER_STYLE_FILE: &str = "explorer.css";

/// What the page may load: its own site, and WebAssembly.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; \
                      style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; base-uri 'none'; form-action 'none'";

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

fn page(navigation: SiteNavigation) -> String {
    let path = SiteSection::Explorer.first_page();
    let surroundings = PageSurroundings {
        style: html! {
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            link rel="stylesheet" href=(link(path, STYLE_FILE));
            link rel="stylesheet" href=(link(path, EXPLORER_STYLE_FILE));
        },
        script: html! {
            script src=(link(path, SCRIPT_FILE)) {}
            script src=(link(path, SEARCH_SCRIPT_FILE)) defer {}
            script src=(link(path, PAGE_SCRIPT_FILE)) defer {}
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
    PageFrame { title: "Explorer", intro, content: content(path) }.within(&surroundings)
}

fn content(path: &str) -> Markup {
    let to = |section: SiteSection| link(path, section.first_page());
    html! {
        noscript {
            p.verdict { "The explorer is a program in WebAssembly, which runs only with JavaScript." }
            p {
                "Without it, " code { "layoutproof show FILE" } " prints the same tables, and with " code { "--format html" }
                " it writes these byte maps. " a href=(to(SiteSection::Surprises)) { "Declarations that surprise" } " and "
                a href=(to(SiteSection::Cases)) { "all cases" } " are drawn on pages of their own."
            }
        }
        div #explorer {
            div.typed { (typed()) }
            div.drawn { (columns()) (drawn()) }
        }
    }
}

fn typed() -> Markup {
    html! {
        div.bar {
            label { "Language" select #language {} }
            label { "Example" select #example { option value="" { "choose …" } } }
        }
        div.editor {
            div #gutter aria-hidden="true" { "1" }
            div.sheet {
                pre #ink aria-hidden="true" {}
                textarea #text aria-label="Declarations" aria-describedby="status" spellcheck="false" autocapitalize="off"
                    autocomplete="off" {}
            }
        }
        p #status role="status" {}
        ul #problems aria-label="Problems" {}
        div.copies {
            @for (kind, label) in
                [("link", "Copy link"), ("markdown", "Copy as Markdown"), ("svg", "Copy as SVG"), ("json", "Copy as JSON"), ("case", "Open as case")]
            {
                button type="button" data-copy=(kind) { (label) }
            }
        }
        p.note #link-note {}
        div #copied-part hidden {
            label for="copied-text" { "The text:" }
            textarea #copied-text readonly {}
        }
        details.options {
            summary { "Options of the compiler" }
            div {
                label { "Macros" input #defines type="search" placeholder="NAME=VALUE …"; }
                label { "Entry point" input #entry type="search" placeholder="all"; }
                label { "Matrices" select #matrix { option value="column" { "column_major" } option value="row" { "row_major" } } }
                label { "half" select #half { option value="2" { "2 bytes" } option value="4" { "4 bytes" } } }
            }
        }
    }
}

fn columns() -> Markup {
    html! {
        div.columns-part {
            p.shown {
                span { "Shown: " strong #columns-shown {} }
                button.copy type="button" #usual hidden { "back to the usual targets" }
            }
            details {
                summary { "Choose compilers and rule sets" }
                fieldset.choice #compilers { legend { "Default layouts of compilers" } }
                fieldset.choice #rules { legend { "Rule sets" } }
            }
        }
        p.note.own-note { "The text determines the offsets: GLSL and WGSL have one layout for each block." }
        (legend())
    }
}

fn drawn() -> Markup {
    html! {
        div.results {
            div #layouts {}
            section aria-labelledby="padding-head" {
                h2 #padding-head { "Padding" }
                div #padding {}
            }
            section aria-labelledby="bindings-head" {
                h2 #bindings-head { "Bindings" }
                details {
                    summary { "Choose whose rules place parameters" }
                    fieldset.choice #conventions { legend { "API and convention" } }
                }
                div #bindings {}
            }
            section aria-labelledby="host-head" {
                h2 #host-head { "Host structs" }
                details #host-part {
                    summary { "Structs for the first column, with assertions" }
                    p {
                        label { "Language "
                            select #host-language {
                                option value="cpp" { "C++" } option value="rust" { "Rust" } option value="c" { "C" }
                            }
                        }
                        " "
                        button.copy type="button" data-copy="host" { "copy" }
                    }
                    pre tabindex="0" { code #host {} }
                }
            }
        }
    }
}
