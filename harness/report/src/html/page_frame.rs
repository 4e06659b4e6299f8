//! The parts around a page's content: style, script, header, footer. A stand-alone page is one
//! file that loads nothing; pages of a site load a shared style and script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::byte_map::shared_parts;
use super::style_sheet::style_sheet;
use layoutproof_show::style::one_line;

/// The script, which adds features where the browser runs scripts.
pub const PAGE_SCRIPT: &str = include_str!("page.js");

/// A page before it is rendered.
#[derive(Debug)]
pub struct PageFrame<'a> {
    /// Title of the window and first heading.
    pub title: &'a str,
    /// Text below the first heading.
    pub intro: Markup,
    /// The sections.
    pub content: Markup,
}

/// The parts around a page that depend on whether it belongs to a site.
#[derive(Debug)]
pub struct PageSurroundings {
    /// The element with the style or the link to it.
    pub style: Markup,
    /// The element with the script or the link to it. It runs before the page appears, so that the
    /// page appears in the reader's theme.
    pub script: Markup,
    /// Address of the site's start page; `None` on a stand-alone page.
    pub home: Option<String>,
    /// Links to other pages, in the header.
    pub navigation: Markup,
    /// Buttons in the header, before that of the theme.
    pub tools: Markup,
    /// Links to the pages above this one, before the heading.
    pub crumbs: Markup,
    /// The sentence at the end.
    pub footer: Markup,
}

impl PageFrame<'_> {
    /// The page as a file that loads nothing.
    pub(super) fn into_text(self) -> String {
        self.within(&PageSurroundings {
            style: html! { style { (PreEscaped(style_sheet())) } },
            script: html! { script { (PreEscaped(PAGE_SCRIPT)) } },
            home: None,
            navigation: html! {},
            tools: html! {},
            crumbs: html! {},
            footer: html! { "Made by layoutproof " (env!("CARGO_PKG_VERSION")) ". This file loads nothing from elsewhere." },
        })
    }

    pub fn within(self, surroundings: &PageSurroundings) -> String {
        let Self { title, intro, content } = self;
        let PageSurroundings { style, script, crumbs, footer, .. } = surroundings;
        let title = one_line(title);

        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) }
                    (style)
                    (script)
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    svg.bm.defs width="0" height="0" aria-hidden="true" { (shared_parts()) }
                    (surroundings.header())
                    main #main.wrap {
                        div.intro { (crumbs) h1 { (title) } (intro) }
                        (content)
                    }
                    footer { div.wrap { p { (footer) } } }
                }
            }
        };
        without_optional_ends(&page.into_string()) + "\n"
    }
}

impl PageSurroundings {
    fn header(&self) -> Markup {
        html! {
            header.top {
                div.wrap {
                    @match &self.home {
                        Some(address) => { a.wordmark href=(address) { (wordmark()) } },
                        None => { span.wordmark { (wordmark()) } },
                    }
                    (self.navigation)
                    div.tools {
                        (self.tools)
                        button.theme-button.js-only type="button" aria-label="Theme" {
                            svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" {
                                circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5" {}
                                path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" {}
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The name of the project with its sign: a small byte map.
fn wordmark() -> Markup {
    html! {
        svg.sign width="22" height="20" viewBox="0 0 22 20" aria-hidden="true" {
            path class="s1" d="M1 1h14v8h-14z" {}
            path class="s2" d="M16 1h5v8h-5z" {}
            path class="s3" d="M1 11h5v8h-5z" {}
            path class="s0" d="M7.5 11.5h13v7h-13z" {}
        }
        "layoutproof"
    }
}

/// End tags that HTML makes optional, because the next tag ends the element, and end tags of empty
/// SVG elements. Texts contain no `<`, because templates escape it; style and script contain none
/// of these tags. Source: HTML, "Optional tags".
const OPTIONAL_ENDS: [&str; 8] = ["</td>", "</th>", "</tr>", "</thead>", "</tbody>", "</li>", "</dt>", "</dd>"];
const EMPTY_ELEMENTS: [&str; 3] = ["></path>", "></rect>", "></use>"];

/// Removes optional end tags, so that the page has fewer bytes.
fn without_optional_ends(page: &str) -> String {
    let page = OPTIONAL_ENDS.iter().fold(page.to_owned(), |page, end| page.replace(end, ""));
    EMPTY_ELEMENTS.iter().fold(page, |page, end| page.replace(end, "/>"))
}
