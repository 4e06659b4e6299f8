//! The pages of the book, which is built into the program.

use layoutproof_core::book::{BOOK, CONTENTS};
use layoutproof_report::RECORDS_SCHEMA;
use maud::html;

use super::address::link;
use super::markdown::{MarkdownPage, MarkdownPlace};
use super::rule_table_page::RULE_TABLE_PAGE;
use super::site_page::{SiteDraft, SiteFrame, SitePage, SiteSection};

/// Location of the book's pages.
const IN_BOOK: MarkdownPlace = MarkdownPlace { folder: "harness/book", to_book: "", to_start: "../index.html" };

/// The first page: the table of contents, and links to the parts of the site that explain.
fn contents() -> SiteDraft {
    let path = SiteSection::Docs.first_page();
    let card = |page: &str, name: &str, words: &str| {
        html! { a.card href=(link(path, page)) { b { (name) } p { (words) } } }
    };
    let content = html! {
        div.cards.four {
            (card(SiteSection::Rules.first_page(), "Layout rules", "I compile with …: the rules of each compiler and target."))
            (card(RULE_TABLE_PAGE, "The rule table", "Every column, source and worked example, also as data."))
            (card(SiteSection::Cases.first_page(), "Cases", "Every claim, with the sources of its numbers."))
            (card(SiteSection::Peers.first_page(), "Peers", "Other layout and reflection libraries, run through the same vectors."))
        }
        h2 { "The book" }
        div.prose { (MarkdownPage::of(CONTENTS, IN_BOOK).content) }
    };
    SiteFrame { path, section: SiteSection::Docs, title: "Docs", intro: html! {}, content }.into_draft()
}

/// Every page of the book, and the page about the format of cases with the text
/// `case_format`.
pub(super) fn book_pages(case_format: &str) -> impl Iterator<Item = SiteDraft> {
    let book = BOOK.iter().map(|(name, text)| book_page(name, &MarkdownPage::of(text, IN_BOOK)));
    let of_cases = MarkdownPlace { folder: "cases", ..IN_BOOK };
    let cases = MarkdownPage { title: "Adding a case".to_owned(), ..MarkdownPage::of(case_format, of_cases) };
    [contents()].into_iter().chain(book).chain([book_page("cases", &cases)])
}

fn book_page(name: &str, page: &MarkdownPage) -> SiteDraft {
    let path = format!("book/{name}.html");
    let content = html! { div.prose { (page.content) } };
    let draft = SiteFrame { path: &path, section: SiteSection::Docs, title: &page.title, intro: html! {}, content };
    page.headings
        .iter()
        .fold(draft.into_draft(), |draft, (anchor, heading)| draft.with_place(anchor, heading, &page.title))
}

/// Other files in the book's folder.
pub(super) fn book_files() -> [SitePage; 1] {
    [SitePage { path: "book/records.schema.json".to_owned(), text: RECORDS_SCHEMA.to_owned() }]
}
