//! The pages of the book, which is built into the program.

use maud::html;

use super::markdown::{MarkdownPage, MarkdownPlace};
use super::site_page::{SiteDraft, SiteFrame, SitePage, SiteSection};

/// A page of the book.
#[derive(Clone, Copy, Debug)]
struct BookPage {
    /// Name of the file without its extension.
    name: &'static str,
    /// Markdown.
    text: &'static str,
}

/// A page of `harness/book`, by the name of its file.
macro_rules! book_page {
    ($name:literal) => {
        BookPage { name: $name, text: include_str!(concat!("../../../../book/", $name, ".md")) }
    };
}

/// The table of contents, which the start page shows.
const CONTENTS: BookPage = book_page!("README");

/// All other pages.
const BOOK: &[BookPage] = &[
    book_page!("ci"),
    book_page!("command-line"),
    book_page!("compilers"),
    book_page!("drivers-and-fleets"),
    book_page!("engines"),
    book_page!("explorer"),
    book_page!("failures"),
    book_page!("proof"),
    book_page!("records"),
    book_page!("reliability"),
    book_page!("report"),
    book_page!("site"),
    book_page!("tutorial"),
];

/// The JSON schema of records, which the book's page about records links to.
const RECORDS_SCHEMA: &str = include_str!("../../formats/records.schema.json");

/// Location of the book's pages.
const IN_BOOK: MarkdownPlace = MarkdownPlace { folder: "harness/book", to_book: "", to_start: "../index.html" };

/// The table of contents for the start page.
pub(super) fn contents() -> MarkdownPage {
    MarkdownPage::of(CONTENTS.text, MarkdownPlace { to_book: "book/", to_start: "index.html", ..IN_BOOK })
}

/// Every page of the book except the contents, and the page about the format of cases with the text
/// `case_format`.
pub(super) fn book_pages(case_format: &str) -> impl Iterator<Item = SiteDraft> {
    let book = BOOK.iter().map(|page| book_page(page.name, &MarkdownPage::of(page.text, IN_BOOK)));
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_page_of_the_folder_is_brought_along() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("book");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let names: BTreeSet<String> =
            files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
        let ours = BOOK.iter().chain([&CONTENTS]).map(|page| page.name.to_owned());
        assert_eq!(ours.collect::<BTreeSet<_>>(), names);
    }
}
