//! A page of the site: its address, and the parts around its content.

use maud::{Markup, html};

use super::address::link;
use super::explorer_page::{EXPLORER_PAGE, explorer_head, explorer_scripts};
use super::search::{FoundPlace, SEARCH_SCRIPT_FILE, find_button};
use layoutproof_report::html::page_frame::{PageFrame, PageSurroundings};

pub(super) const STYLE_FILE: &str = "style.css";
pub(super) const SCRIPT_FILE: &str = "page.js";

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteSection {
    Start,
    /// Type declarations, see their layouts.
    Explorer,
    /// The cases on the visitor's GPU.
    Gpu,
    /// Declarations whose layouts differ between targets.
    Surprises,
    /// Compilers and drivers with their known bugs.
    Compilers,
    /// Surprises by target, and records of runs.
    Compatibility,
    /// The book.
    Docs,
    Rules,
    Cases,
    /// Other libraries.
    Peers,
}

impl SiteSection {
    /// The parts that the header links to.
    const IN_HEADER: [Self; 5] = [Self::Explorer, Self::Surprises, Self::Compilers, Self::Compatibility, Self::Docs];

    pub(super) fn first_page(self) -> &'static str {
        match self {
            Self::Start => "index.html",
            Self::Explorer => EXPLORER_PAGE,
            Self::Gpu => "gpu.html",
            Self::Surprises => "surprises.html",
            Self::Compilers => "compilers/index.html",
            Self::Compatibility => "compatibility/index.html",
            Self::Docs => "book/index.html",
            Self::Rules => "rules/index.html",
            Self::Cases => "cases/index.html",
            Self::Peers => "peers.html",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Start => "layoutproof",
            Self::Explorer => "Explorer",
            Self::Gpu => "Run on this GPU",
            Self::Surprises => "Surprises",
            Self::Compilers => "Compilers",
            Self::Compatibility => "Compatibility",
            Self::Docs => "Docs",
            Self::Rules => "Rules",
            Self::Cases => "Cases",
            Self::Peers => "Peers",
        }
    }

    /// The part whose link in the header leads here.
    fn in_header(self) -> Self {
        match self {
            Self::Rules | Self::Cases | Self::Peers => Self::Docs,
            Self::Gpu => Self::Compatibility,
            other => other,
        }
    }

    /// The parts above a page of this part, from the widest.
    fn above(self, path: &str) -> Vec<Self> {
        let mut above: Vec<Self> = [self.in_header(), self].into_iter().filter(|it| it.first_page() != path).collect();
        above.dedup();
        above.retain(|part| *part != Self::Start);
        above
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
    found: Vec<FoundPlace>,
    /// Pages above this one, after those of its part: address and name.
    above: Vec<(String, String)>,
}

/// The parts of the site that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SiteNavigation {
    pub has_explorer: bool,
}

impl SiteFrame<'_> {
    /// The page without the links to other parts. The search finds it by its title.
    pub(super) fn into_draft(self) -> SiteDraft {
        self.found_by("")
    }

    /// The page, which the search finds by its title and by these words.
    pub(super) fn found_by(self, words: &str) -> SiteDraft {
        let found = vec![FoundPlace {
            part: self.section.name(),
            title: self.title.to_owned(),
            path: self.path.to_owned(),
            words: words.to_owned(),
        }];
        SiteDraft { found, ..self.unlisted() }
    }

    /// The page, which the search does not find.
    pub(super) fn unlisted(self) -> SiteDraft {
        let Self { path, section, title, intro, content } = self;
        let (path, title) = (path.to_owned(), title.to_owned());
        SiteDraft { path, section, title, intro, content, found: Vec::new(), above: Vec::new() }
    }
}

impl SiteDraft {
    /// The page, in which the search finds a part under this heading.
    pub(super) fn with_place(mut self, anchor: &str, title: &str, words: &str) -> Self {
        let path = format!("{}#{anchor}", self.path);
        let (title, words) = (title.to_owned(), words.to_owned());
        self.found.push(FoundPlace { part: self.section.name(), title, path, words });
        self
    }

    /// The page, below another page of its part.
    pub(super) fn below(mut self, path: &str, name: &str) -> Self {
        self.above.push((path.to_owned(), name.to_owned()));
        self
    }

    /// The places that the search finds.
    pub(super) fn found(&self) -> &[FoundPlace] {
        &self.found
    }

    pub(super) fn into_page(self, navigation: SiteNavigation) -> SitePage {
        let Self { path, section, title, intro, content, above, .. } = self;
        let has_explorer = navigation.has_explorer && path == SiteSection::Start.first_page();
        let surroundings = PageSurroundings {
            style: html! {
                link rel="stylesheet" href=(link(&path, STYLE_FILE));
                @if has_explorer { (explorer_head(&path)) }
            },
            script: html! {
                script src=(link(&path, SCRIPT_FILE)) {}
                script src=(link(&path, SEARCH_SCRIPT_FILE)) defer {}
                @if has_explorer { (explorer_scripts(&path)) }
            },
            home: Some(link(&path, SiteSection::Start.first_page())),
            navigation: navigation.links(&path, section),
            tools: find_button(),
            crumbs: crumbs(&path, section, &above),
            footer: html! {
                "Made by layoutproof " (env!("CARGO_PKG_VERSION")) " from its own data. The site loads nothing from elsewhere."
            },
        };
        let text = PageFrame { title: &title, intro, content }.within(&surroundings);
        SitePage { path, text }
    }
}

/// Links to the parts and pages above a page.
fn crumbs(path: &str, section: SiteSection, above: &[(String, String)]) -> Markup {
    let parts = section.above(path);
    html! {
        @if !parts.is_empty() {
            p.crumbs {
                @for part in parts { a href=(link(path, part.first_page())) { (part.name()) } " / " }
                @for (page, name) in above { a href=(link(path, page)) { (name) } " / " }
            }
        }
    }
}

impl SiteNavigation {
    /// The line of links on the page `path`, which belongs to the part `current`.
    pub(super) fn links(self, path: &str, current: SiteSection) -> Markup {
        let is_there = |section: &SiteSection| *section != SiteSection::Explorer || self.has_explorer;
        html! {
            nav aria-label="Site" {
                @for section in SiteSection::IN_HEADER.into_iter().filter(is_there) {
                    a href=(link(path, section.first_page())) aria-current=[(section == current.in_header()).then_some("true")] {
                        (section.name())
                    }
                }
            }
        }
    }
}
