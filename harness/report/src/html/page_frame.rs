//! The parts around a page's content: style, script, heading, footer. A stand-alone page is one
//! file that loads nothing; pages of a site load a shared style and script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::byte_map::shared_parts;
use super::layout_sheet::MAP_STYLE;
use layoutproof_show::style::one_line;

/// Style of all classes except those in byte maps.
pub const PAGE_STYLE: &str = include_str!("page.css");
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
    /// Links to other pages, above the heading.
    pub navigation: Markup,
    /// The sentence at the end.
    pub footer: Markup,
    /// The element with the script or the link to it.
    pub script: Markup,
}

impl PageFrame<'_> {
    /// The page as a file that loads nothing.
    pub(super) fn into_text(self) -> String {
        self.within(&PageSurroundings {
            style: html! { style { (PreEscaped(MAP_STYLE)) (PreEscaped(PAGE_STYLE)) } },
            navigation: html! {},
            footer: html! { "Made by layoutproof " (env!("CARGO_PKG_VERSION")) ". This file loads nothing from elsewhere." },
            script: html! { script { (PreEscaped(PAGE_SCRIPT)) } },
        })
    }

    /// The page with these surroundings.
    pub fn within(self, surroundings: &PageSurroundings) -> String {
        let Self { title, intro, content } = self;
        let PageSurroundings { style, navigation, footer, script } = surroundings;
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
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    svg.bm.defs width="0" height="0" aria-hidden="true" { (shared_parts()) }
                    (navigation)
                    header { h1 { (title) } (intro) }
                    main #main { (content) }
                    footer { p { (footer) } }
                    (script)
                }
            }
        };
        without_optional_ends(&page.into_string()) + "\n"
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
