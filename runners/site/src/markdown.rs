//! Renders Markdown as a part of a page. HTML in it becomes text.
//!
//! Links between pages of the book lead to their pages on the site, as do links to the format of
//! cases and to the schema of records. The site has no other files of the repository: a link to one
//! becomes its text with the file's name, and pictures are left out.

use layoutproof_report::html::code_colours::coloured_as;
use maud::{PreEscaped, html};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::address::GivenNames;

/// A rendered text whose first heading is separate.
pub(super) struct MarkdownPage {
    /// The first heading.
    pub title: String,
    /// Everything below it.
    pub content: PreEscaped<String>,
    /// The anchor and the text of each further heading.
    pub headings: Vec<(String, String)>,
}

impl MarkdownPage {
    /// Renders `text`, which is at `place`.
    pub(crate) fn of(text: &str, place: MarkdownPlace) -> Self {
        let mut reader = MarkdownReader::new(place);
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            reader.take(event);
        }

        let mut content = String::new();
        pulldown_cmark::html::push_html(&mut content, reader.events.into_iter());
        Self { title: reader.title, content: PreEscaped(content), headings: reader.headings }
    }
}

/// A paragraph without links.
pub(super) fn paragraph(text: &str) -> PreEscaped<String> {
    MarkdownPage::of(text, MarkdownPlace { folder: "", to_book: "", to_start: "" }).content
}

/// The location of a text and of its page.
#[derive(Clone, Copy, Debug)]
pub(super) struct MarkdownPlace {
    /// The folder of the text in the repository.
    pub folder: &'static str,
    /// Relative path from the page to the pages of the book.
    pub to_book: &'static str,
    /// Relative path from the page to the start page.
    pub to_start: &'static str,
}

/// Converts the events of the parser for the page.
struct MarkdownReader<'t> {
    place: MarkdownPlace,
    title: String,
    events: Vec<Event<'t>>,
    /// Names of headings, which links can target.
    anchors: GivenNames,
    headings: Vec<(String, String)>,
    /// Start of the current heading.
    heading: Option<usize>,
    /// Language and text of the current code block.
    code: Option<(String, String)>,
    /// The targets of the links that are currently open.
    links: Vec<ReadLink>,
    /// True inside a picture, whose description is left out with it.
    is_in_picture: bool,
}

/// The target of an open link.
enum ReadLink {
    /// Another page of the site, or another web site.
    Address,
    RepositoryFile(String),
}

/// The first word after the fence: ```` ```hlsl scene.hlsl ````.
fn language_of(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Fenced(words) => words.split_whitespace().next().unwrap_or_default().to_owned(),
        CodeBlockKind::Indented => String::new(),
    }
}

impl<'t> MarkdownReader<'t> {
    fn new(place: MarkdownPlace) -> Self {
        Self {
            place,
            title: String::new(),
            events: Vec::new(),
            anchors: GivenNames::default(),
            headings: Vec::new(),
            heading: None,
            code: None,
            links: Vec::new(),
            is_in_picture: false,
        }
    }

    fn take(&mut self, event: Event<'t>) {
        match event {
            Event::Start(Tag::Image { .. }) => self.is_in_picture = true,
            Event::End(TagEnd::Image) => self.is_in_picture = false,
            _ if self.is_in_picture => {}
            Event::Start(Tag::Heading { .. }) => {
                self.heading = Some(self.events.len());
                self.events.push(event);
            }
            Event::End(TagEnd::Heading(level)) => self.end_heading(level),
            Event::Start(Tag::CodeBlock(kind)) => self.code = Some((language_of(&kind), String::new())),
            Event::End(TagEnd::CodeBlock) => {
                let (language, text) = self.code.take().unwrap_or_default();
                let block = html! { pre tabindex="0" { code { (coloured_as(&text, &language)) } } };
                self.events.push(Event::Html(block.into_string().into()));
            }
            Event::Text(text) if self.code.is_some() => {
                self.code.iter_mut().for_each(|(_, code)| code.push_str(&text));
            }
            Event::Start(Tag::Table(_)) => {
                self.events.extend([Event::Html("<div class=\"scroll\" tabindex=\"0\">".into()), event]);
            }
            Event::End(TagEnd::Table) => self.events.extend([event, Event::Html("</div>".into())]),
            Event::Start(Tag::Link { dest_url, title, .. }) => self.start_link(&dest_url, title),
            Event::End(TagEnd::Link) => self.end_link(event),
            Event::Html(markup) | Event::InlineHtml(markup) => self.events.push(Event::Text(markup)),
            other => self.events.push(other),
        }
    }

    /// The first heading becomes the title; others get an anchor.
    fn end_heading(&mut self, level: HeadingLevel) {
        let Some(start) = self.heading.take() else { return };
        let words = |event: &Event<'_>| match event {
            Event::Text(text) | Event::Code(text) => Some(text.to_string()),
            _ => None,
        };
        let text: String = self.events[start..].iter().filter_map(words).collect();
        if level == HeadingLevel::H1 && self.title.is_empty() {
            self.title = text;
            self.events.truncate(start);
            return;
        }

        let name = self.anchors.give(&anchor(&text));
        self.headings.push((name.clone(), text));
        let name = CowStr::from(name);
        self.events[start] =
            Event::Start(Tag::Heading { level, id: Some(name), classes: Vec::new(), attrs: Vec::new() });
        self.events.push(Event::End(TagEnd::Heading(level)));
    }

    fn start_link(&mut self, target: &str, title: CowStr<'t>) {
        let link = match page_address(target, self.place) {
            Some(address) => {
                let (link_type, id) = (LinkType::Inline, CowStr::from(""));
                self.events.push(Event::Start(Tag::Link { link_type, dest_url: address.into(), title, id }));
                ReadLink::Address
            }
            None => ReadLink::RepositoryFile(repository_path(self.place.folder, target)),
        };
        self.links.push(link);
    }

    fn end_link(&mut self, end: Event<'t>) {
        match self.links.pop() {
            Some(ReadLink::RepositoryFile(path)) => {
                let behind = html! { " (" code { (path) } ")" };
                self.events.push(Event::InlineHtml(behind.into_string().into()));
            }
            Some(ReadLink::Address) | None => self.events.push(end),
        }
    }
}

/// The address on the site of a link's target; `None` for files that the site does not have.
fn page_address(target: &str, place: MarkdownPlace) -> Option<String> {
    let is_web = ["https://", "http://", "#"].iter().any(|start| target.starts_with(start));
    if is_web {
        return Some(target.to_owned());
    }
    let (file, anchor) = target.split_once('#').map_or((target, String::new()), |(file, it)| (file, format!("#{it}")));
    match repository_path(place.folder, file).as_str() {
        "cases/README.md" => return Some(format!("{}cases.html{anchor}", place.to_book)),
        "harness/report/src/formats/records.schema.json" => {
            return Some(format!("{}records.schema.json", place.to_book));
        }
        _ => {}
    }
    let page = file.strip_suffix(".md").filter(|page| !page.contains('/'))?;
    Some(match page {
        "README" => format!("{}{anchor}", place.to_start),
        _ => format!("{}{page}.html{anchor}", place.to_book),
    })
}

/// The path of a link's file from the root of the repository.
fn repository_path(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." => {}
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The anchor of a heading, as GitHub and GitLab form it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const IN_BOOK: MarkdownPlace = MarkdownPlace { folder: "harness/book", to_book: "", to_start: "../index.html" };

    fn shown(text: &str) -> String {
        MarkdownPage::of(text, IN_BOOK).content.into_string()
    }

    #[test]
    fn the_first_heading_is_the_title_and_others_can_be_linked() {
        let page = MarkdownPage::of("# A `b`\n\n## What is *there*, and why\n\n## What is there, and why", IN_BOOK);
        assert_eq!(page.title, "A b");
        let content = page.content.into_string();
        for id in ["what-is-there-and-why", "what-is-there-and-why-2"] {
            assert!(content.contains(&format!("<h2 id=\"{id}\">")), "{content}");
        }
    }

    #[test]
    fn links_lead_to_pages_of_the_site_or_stay_words() {
        for (text, expected) in [
            ("[a](ci.md)", "<a href=\"ci.html\">a</a>"),
            ("[a](ci.md#b)", "<a href=\"ci.html#b\">a</a>"),
            ("[a](README.md)", "<a href=\"../index.html\">a</a>"),
            ("[a](https://x.org/b.md)", "<a href=\"https://x.org/b.md\">a</a>"),
            ("[a](../../cases/README.md#paths)", "<a href=\"cases.html#paths\">a</a>"),
            ("[a](../report/src/formats/records.schema.json)", "<a href=\"records.schema.json\">a</a>"),
            ("[a](../../ci/README.md)", "<p>a (<code>ci/README.md</code>)</p>"),
            ("[a](javascript:alert(1))", "a (<code>"),
        ] {
            assert!(shown(text).contains(expected), "{text}: {}", shown(text));
        }
    }

    #[test]
    fn pictures_are_left_out() {
        assert_eq!(shown("a ![a `picture`](../../.github/images/a.png) b"), "<p>a  b</p>\n");
    }

    #[test]
    fn markup_is_text() {
        for text in ["<script>alert(1)</script>", "a <b onclick=x>c</b>", "```console\n<script>\n```", "`<script>`"] {
            let page = shown(text);
            assert!(!page.contains("<script") && !page.contains("<b "), "{page}");
            assert!(page.contains("&lt;"), "{page}");
        }
    }

    #[test]
    fn code_and_tables_can_be_reached_by_the_keyboard() {
        assert_eq!(shown("```hlsl a.hlsl\na < b\n```"), "<pre tabindex=\"0\"><code>a &lt; b\n</code></pre>");
        assert!(shown("| a |\n|---|\n| b |").starts_with("<div class=\"scroll\" tabindex=\"0\"><table>"));
    }
}
