//! A page of the site: its address, and the parts around its content.

use maud::{Markup, html};

use super::address::link;
use layoutproof_report::html::page_frame::{PageFrame, PageSurroundings};

/// The file with the style of all pages.
pub(super) const STYLE_FILE: &str = "style.css";
/// The file with the script of all pages.
pub(super) const SCRIPT_FILE: &str = "page.js";

/// A file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePage {
    /// Address from the site's root, with `/` between folders. It contains only letters, digits,
    /// `.`, `_` and `-`.
    pub path: String,
    /// The file's content.
    pub text: String,
}

impl SitePage {
    /// True for a page, false for a file that pages load.
    pub fn is_html(&self) -> bool {
        self.path.rsplit('.').next() == Some("html")
    }
}

/// A part of the site, in the order of the links at the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteSection {
    /// Introduction and the book.
    Start,
    /// Rule sets.
    Rules,
    /// One declaration under all rule sets.
    Surprises,
    /// Compilers and drivers with their known differences.
    Compilers,
    /// Records of runs.
    Compatibility,
    Cases,
    /// Type declarations, see their layouts.
    Explorer,
}

impl SiteSection {
    const ALL: [Self; 7] =
        [Self::Start, Self::Explorer, Self::Rules, Self::Surprises, Self::Compilers, Self::Compatibility, Self::Cases];

    /// Address of its first page.
    pub(super) fn first_page(self) -> &'static str {
        match self {
            Self::Start => "index.html",
            Self::Rules => "rules/index.html",
            Self::Surprises => "surprises.html",
            Self::Compilers => "compilers/index.html",
            Self::Compatibility => "compatibility/index.html",
            Self::Cases => "cases/index.html",
            Self::Explorer => "explorer.html",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Start => "layoutproof",
            Self::Rules => "Rules",
            Self::Surprises => "float3, then float",
            Self::Compilers => "Compilers",
            Self::Compatibility => "Compatibility",
            Self::Cases => "Cases",
            Self::Explorer => "Explorer",
        }
    }
}

/// A page before it is rendered.
pub(super) struct SiteFrame<'a> {
    /// Address.
    pub path: &'a str,
    /// The part of the site that it belongs to.
    pub section: SiteSection,
    /// Title of the window and first heading.
    pub title: &'a str,
    /// Text below the first heading.
    pub intro: Markup,
    /// The sections.
    pub content: Markup,
}

/// A page before the links to other parts are known.
#[derive(Clone, Debug)]
pub(super) struct SiteDraft {
    path: String,
    section: SiteSection,
    title: String,
    intro: Markup,
    content: Markup,
}

/// The parts of the site that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SiteNavigation {
    /// True if the site has the explorer.
    pub has_explorer: bool,
}

impl SiteFrame<'_> {
    /// The page without the links to other parts.
    pub(super) fn into_draft(self) -> SiteDraft {
        let Self { path, section, title, intro, content } = self;
        SiteDraft { path: path.to_owned(), section, title: title.to_owned(), intro, content }
    }
}

impl SiteDraft {
    /// The complete page.
    pub(super) fn into_page(self, navigation: SiteNavigation) -> SitePage {
        let Self { path, section, title, intro, content } = self;
        let surroundings = PageSurroundings {
            style: html! { link rel="stylesheet" href=(link(&path, STYLE_FILE)); },
            script: html! { script src=(link(&path, SCRIPT_FILE)) {} },
            home: Some(link(&path, SiteSection::Start.first_page())),
            navigation: navigation.links(&path, section),
            tools: html! {},
            footer: html! {
                "Made by layoutproof " (env!("CARGO_PKG_VERSION")) " from its own data. The site loads nothing from elsewhere."
            },
        };
        let text = PageFrame { title: &title, intro, content }.within(&surroundings);
        SitePage { path, text }
    }
}

impl SiteNavigation {
    /// The line of links on the page `path`, which belongs to the part `current`.
    pub(super) fn links(self, path: &str, current: SiteSection) -> Markup {
        let is_there = |section: &SiteSection| *section != SiteSection::Explorer || self.has_explorer;
        html! {
            nav aria-label="Site" {
                @for section in SiteSection::ALL.into_iter().filter(is_there) {
                    a href=(link(path, section.first_page())) aria-current=[(section == current).then_some("true")] { (section.name()) }
                }
            }
        }
    }
}
