//! The search of the site: a list of its pages and their parts, which the script `search.js` loads when
//! a reader first opens the search.

use maud::{Markup, html};
use serde_json::json;

use super::site_page::SitePage;

pub(super) const SEARCH_SCRIPT_FILE: &str = "search.js";
/// The list as a script, because a page that is opened from a file may load no data.
const INDEX_FILE: &str = "search-index.js";

/// A page or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundPlace {
    /// The name of its part of the site.
    pub part: &'static str,
    pub title: String,
    /// From the site's root.
    pub path: String,
    /// Words by which it is found as well.
    pub words: String,
}

pub(super) fn find_button() -> Markup {
    html! {
        button.find-button.js-only type="button" aria-keyshortcuts="/" { span { "Search" } kbd aria-hidden="true" { "/" } }
    }
}

pub(super) fn search_files<'a>(places: impl Iterator<Item = &'a FoundPlace>) -> [SitePage; 2] {
    let list: Vec<_> =
        places.map(|FoundPlace { part, title, path, words }| json!([part, title, path, words])).collect();
    let text = format!("window.layoutproofPlaces = {};\n", json!(list));
    [
        SitePage { path: INDEX_FILE.to_owned(), text },
        SitePage { path: SEARCH_SCRIPT_FILE.to_owned(), text: include_str!("search.js").to_owned() },
    ]
}
