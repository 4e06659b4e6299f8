//! The page *Run on this GPU*: the built-in cases with WebGPU, in the visitor's browser.
//!
//! `gpu.mjs` lets the program in WebAssembly plan and judge, and has `host.mjs` run the jobs, as the devices of WebGPU do.

use layoutproof_report::html::page_frame::{PageFrame, PageSurroundings};
use layoutproof_webgpu_messages::SCRIPT as HOST;
use maud::html;

use super::address::link;
use super::explorer_page::{EXPLORER_FILES, POLICY};
use super::search::{SEARCH_SCRIPT_FILE, find_button};
use super::site_page::{SCRIPT_FILE, STYLE_FILE, SiteNavigation, SitePage, SiteSection};

const PAGE_SCRIPT_FILE: &str = "gpu.mjs";
/// The file that `gpu.mjs` imports.
const HOST_FILE: &str = "host.mjs";

/// The outcomes of the table, in the order of `gpu.mjs`.
const OUTCOMES: [&str; 5] = ["agree", "differ", "known bugs", "broken", "skipped"];

/// The page with its scripts.
pub(super) fn gpu_pages(navigation: SiteNavigation) -> Vec<SitePage> {
    let file = |path: &str, text: &str| SitePage { path: path.to_owned(), text: text.to_owned() };
    vec![
        file(SiteSection::Gpu.first_page(), &page(navigation)),
        file(PAGE_SCRIPT_FILE, include_str!("gpu/gpu.mjs")),
        file(HOST_FILE, HOST),
    ]
}

fn page(navigation: SiteNavigation) -> String {
    let path = SiteSection::Gpu.first_page();
    let [.., bindings] = EXPLORER_FILES;
    let surroundings = PageSurroundings {
        style: html! {
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            link rel="stylesheet" href=(link(path, STYLE_FILE));
        },
        script: html! {
            script src=(link(path, SCRIPT_FILE)) {}
            script src=(link(path, SEARCH_SCRIPT_FILE)) defer {}
            script src=(link(path, bindings)) defer {}
            script type="module" src=(link(path, PAGE_SCRIPT_FILE)) {}
        },
        home: Some(link(path, SiteSection::Start.first_page())),
        navigation: navigation.links(path, SiteSection::Gpu),
        tools: find_button(),
        crumbs: html! {},
        footer: html! { "Made by layoutproof " (env!("CARGO_PKG_VERSION")) ", which runs here in the browser and sends nothing." },
    };
    let intro = html! {
        p.lead {
            "Runs every case that WGSL can express with WebGPU, on the GPU of this machine: shaders read and write each member, "
            "and each byte that comes back is compared with the case."
        }
        p {
            "A record has the browser with its version, and what WebGPU says about the adapter: names, limits and features. It "
            "has nothing else of you, and stays here until you save it."
        }
        noscript { p.verdict { "This needs JavaScript and WebGPU. " code { "layoutproof run" } " does the same without a browser." } }
        div.actions {
            button.button.primary #gpu-start type="button" disabled { "Run on this GPU" }
            button.button #gpu-stop type="button" disabled { "Stop" }
            button.button #gpu-save type="button" disabled { "Save record" }
            button.button #gpu-save-page type="button" disabled { "Save report" }
        }
        p #gpu-status role="status" { "Loading the program." }
        p.bad #gpu-hidden role="status" {}
        p.bad #gpu-lost role="status" {}
        p { progress #gpu-bar aria-label="Progress" value="0" max="1" {} " " span #gpu-count {} }
        p.dim #gpu-device {}
    };
    let content = html! {
        section #gpu-rules hidden {
            h2 { "By rule set" }
            div.scroll role="region" aria-label="Outcomes by rule set" tabindex="0" {
                table #gpu-table {
                    thead { tr { th scope="col" { "rule set" } @for outcome in OUTCOMES { th scope="col" { (outcome) } } } }
                    tbody {}
                }
            }
        }
        div #gpu-results {}
        section #hand-in {
            h2 { "What to do with a record" }
            p { code { "layoutproof report FILE" } " shows a saved record, " code { "--html" } " writes its page." }
            p {
                "If the GPU is not among those of " a href=(link(path, SiteSection::Compatibility.first_page())) { "Compatibility" }
                ", hand the record in: " code { ".github/CONTRIBUTING.md" } " has the steps."
            }
        }
    };
    PageFrame { title: "Run on this GPU", intro, content }.within(&surroundings)
}
