//! A page of the site: its address, and what stands around its content.

use maud::{Markup, html};

use super::address::link;
use crate::report::html::page_frame::{PageFrame, PageSurroundings};

/// The file with the style of all pages.
pub(super) const STYLE_FILE: &str = "style.css";
/// The file with the script of all pages.
pub(super) const SCRIPT_FILE: &str = "page.js";

/// A file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePage {
    /// Its address from the start of the site, with `/` between folders. It holds letters, digits, `.`, `_` and `-`.
    pub path: String,
    /// What is in it.
    pub text: String,
}

impl SitePage {
    /// Returns true for a page, false for a file that pages load.
    pub fn is_html(&self) -> bool {
        self.path.rsplit('.').next() == Some("html")
    }
}

/// A part of the site, as the line of links at the top names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteSection {
    /// What this is, and the book.
    Start,
    /// Rule sets.
    Rules,
    /// One declaration under all rule sets.
    Surprises,
    /// Compilers and drivers with their known differences.
    Compilers,
    /// Records of runs.
    Compatibility,
    /// Cases.
    Cases,
}

impl SiteSection {
    const ALL: [Self; 6] =
        [Self::Start, Self::Rules, Self::Surprises, Self::Compilers, Self::Compatibility, Self::Cases];

    /// The address of its first page.
    pub(super) fn first_page(self) -> &'static str {
        match self {
            Self::Start => "index.html",
            Self::Rules => "rules/index.html",
            Self::Surprises => "surprises.html",
            Self::Compilers => "compilers/index.html",
            Self::Compatibility => "compatibility/index.html",
            Self::Cases => "cases/index.html",
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
        }
    }
}

/// A page before it is text.
pub(super) struct SiteFrame<'a> {
    /// Address.
    pub path: &'a str,
    /// The part of the site that it belongs to.
    pub section: SiteSection,
    /// Title of the window and first heading.
    pub title: &'a str,
    /// What stands below the first heading.
    pub intro: Markup,
    /// The sections.
    pub content: Markup,
}

impl SiteFrame<'_> {
    /// The page.
    pub(super) fn into_page(self) -> SitePage {
        let Self { path, section, title, intro, content } = self;
        let surroundings = PageSurroundings {
            style: html! { link rel="stylesheet" href=(link(path, STYLE_FILE)); },
            navigation: navigation(path, section),
            footer: html! {
                "Made by layoutproof " (env!("CARGO_PKG_VERSION")) " from its own data. The site loads nothing from elsewhere."
            },
            script: html! { script src=(link(path, SCRIPT_FILE)) {} },
        };
        let text = PageFrame { title, intro, content }.within(&surroundings);
        SitePage { path: path.to_owned(), text }
    }
}

fn navigation(path: &str, current: SiteSection) -> Markup {
    html! {
        nav.site aria-label="Site" {
            @for section in SiteSection::ALL {
                a href=(link(path, section.first_page())) aria-current=[(section == current).then_some("true")] { (section.name()) }
            }
        }
    }
}
