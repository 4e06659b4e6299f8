//! What every page has around its content: style, script, heading, footer. One file, which loads nothing.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::byte_map::shared_parts;
use super::layout_sheet::MAP_STYLE;
use crate::report::style::one_line;

const PAGE_STYLE: &str = include_str!("page.css");
const PAGE_SCRIPT: &str = include_str!("page.js");

/// A page before it is text.
pub(super) struct PageFrame<'a> {
    /// Title of the window and first heading.
    pub title: &'a str,
    /// What stands below the first heading.
    pub intro: Markup,
    /// The sections.
    pub content: Markup,
}

impl PageFrame<'_> {
    /// The whole file.
    pub(super) fn into_text(self) -> String {
        let Self { title, intro, content } = self;
        let title = one_line(title);
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) }
                    style { (PreEscaped(MAP_STYLE)) (PreEscaped(PAGE_STYLE)) }
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    svg.bm.defs width="0" height="0" aria-hidden="true" { (shared_parts()) }
                    header { h1 { (title) } (intro) }
                    main #main { (content) }
                    footer { p { "Made by layoutproof " (env!("CARGO_PKG_VERSION")) ". This file loads nothing from elsewhere." } }
                    script { (PreEscaped(PAGE_SCRIPT)) }
                }
            }
        };
        page.into_string() + "\n"
    }
}
