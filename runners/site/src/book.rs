//! The pages of the book, which is built into the program.

use layoutproof_core::book::{BOOK, CONTENTS};
use layoutproof_report::RECORDS_SCHEMA;
use maud::html;

use super::markdown::{MarkdownPage, MarkdownPlace};
use super::site_page::{SiteDraft, SiteFrame, SitePage, SiteSection};

/// Location of the book's pages.
const IN_BOOK: MarkdownPlace = MarkdownPlace { folder: "harness/book", to_book: "", to_start: "../index.html" };

/// The table of contents for the start page.
pub(super) fn contents() -> MarkdownPage {
    MarkdownPage::of(CONTENTS, MarkdownPlace { to_book: "book/", to_start: "index.html", ..IN_BOOK })
}

/// Every page of the book except the contents, and the page about the format of cases with the text
/// `case_format`.
pub(super) fn book_pages(case_format: &str) -> impl Iterator<Item = SiteDraft> {
    let book = BOOK.iter().map(|(name, text)| book_page(name, &MarkdownPage::of(text, IN_BOOK)));
    let of_cases = MarkdownPlace { folder: "cases", ..IN_BOOK };
    let cases = MarkdownPage { title: "Adding a case".to_owned(), ..MarkdownPage::of(case_format, of_cases) };
    book.chain([book_page("cases", &cases)])
}

fn book_page(name: &str, page: &MarkdownPage) -> SiteDraft {
    let path = format!("book/{name}.html");
    let content = html! { div.prose { (page.content) } };
    SiteFrame { path: &path, section: SiteSection::Start, title: &page.title, intro: html! {}, content }.into_draft()
}

/// Other files in the book's folder.
pub(super) fn book_files() -> [SitePage; 1] {
    [SitePage { path: "book/records.schema.json".to_owned(), text: RECORDS_SCHEMA.to_owned() }]
}
