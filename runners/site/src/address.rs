//! Addresses of the site's pages, and links between them.

use std::collections::BTreeSet;
use std::fmt::Write;

use layoutproof_core::check::Source;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_source::shader_language::ShaderLanguage;
use maud::{Markup, html};

use super::site_page::{SiteNavigation, SiteSection};

/// Words of a mechanism's reason to keep in the name of its page.
const NAMING_WORDS: usize = 8;

/// `text` as a part of an address: lowercase letters, digits, `.`, `_` and `-`; anything else
/// becomes one `-`.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.chars() {
        let is_kept = letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_');
        match (is_kept, slug.ends_with('-')) {
            (true, _) => slug.push(letter.to_ascii_lowercase()),
            (false, false) => slug.push('-'),
            (false, true) => {}
        }
    }

    // A name of only full stops would lead to another folder.
    let slug = slug.trim_matches(['-', '.']);
    if slug.is_empty() { "unnamed".to_owned() } else { slug.to_owned() }
}

/// The first words of a sentence as a part of an address.
pub(super) fn slug_of_sentence(sentence: &str) -> String {
    slug(&sentence.split_whitespace().take(NAMING_WORDS).collect::<Vec<_>>().join(" "))
}

pub(super) fn rule_page(name: &str) -> String {
    format!("rules/{}.html", slug(name))
}

pub(super) fn case_page(id: &str) -> String {
    let parts: Vec<String> = id.split('/').map(slug).collect();
    format!("cases/{}.html", parts.join("/"))
}

pub(super) fn compiler_page(list: &str) -> String {
    format!("compilers/{}.html", slug(list))
}

/// The relative address of `target` on the page `from`; both start at the site's root.
pub(super) fn link(from: &str, target: &str) -> String {
    format!("{}{target}", "../".repeat(from.matches('/').count()))
}

pub(super) fn rule_link(from: &str, name: &str) -> Markup {
    html! { a href=(link(from, &rule_page(name))) { code { (name) } } }
}

/// Makes names unique: the second use of a name ends in `-2`.
#[derive(Clone, Debug, Default)]
pub(super) struct GivenNames {
    given: BTreeSet<String>,
}

impl GivenNames {
    /// `name`, or a variant of it that is not in use.
    pub(super) fn give(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2;
        while !self.given.insert(free.clone()) {
            free = format!("{name}-{number}");
            number += 1;
        }
        free
    }
}

/// Declarations with everything that the explorer needs to lay them out as the case does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplorerText {
    /// The part of the address after `#`.
    fragment: String,
}

impl ExplorerText {
    /// The declarations of a source; `None` if it has no text.
    pub fn of(source: &Source) -> Option<Self> {
        let text = source.text.as_ref()?;
        let is_of_dxc = source.expect.iter().any(|expectation| expectation.rules.starts_with("hlsl-"));
        let language = if is_of_dxc { "hlsl" } else { "slang" };

        let declared = format!("language={language}&text={}", form_encoded(text.text.trim_matches('\n')));
        let mut parts = vec![declared];
        let defined = text.defines.iter().map(|(name, value)| form_encoded(&format!("{name}={value}")));
        parts.extend(defined.map(|macros| format!("&defines={macros}")));
        parts.extend(source.invocation.entry.as_ref().map(|entry| format!("&entry={}", form_encoded(entry))));
        match source.options.matrix {
            MatrixOrder::Row => parts.push("&matrix=row".to_owned()),
            MatrixOrder::Column => {}
        }
        match source.options.sixteen_bit {
            SixteenBit::Off => parts.push("&wideHalf=true".to_owned()),
            SixteenBit::On => {}
        }
        Some(Self { fragment: parts.concat() })
    }

    /// A whole text in one of the languages.
    pub fn of_file(language: ShaderLanguage, text: &str) -> Self {
        Self { fragment: format!("language={}&text={}", language.as_str(), form_encoded(text)) }
    }

    /// The part of the explorer's address after `#`: letters, digits, `%` and the signs of a form.
    pub fn fragment(&self) -> &str {
        &self.fragment
    }

    /// A link on the page `path`; empty if the site has no explorer.
    pub(super) fn link(&self, path: &str, navigation: SiteNavigation) -> Markup {
        let address = format!("{}#{}", link(path, SiteSection::Explorer.first_page()), self.fragment);
        html! { @if navigation.has_explorer { a.button.mini href=(address) { "Open in explorer" } } }
    }
}

/// Encodes a value for `URLSearchParams`.
///
/// Source: WHATWG URL, application/x-www-form-urlencoded percent-encode set.
fn form_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b' ' => encoded.push('+'),
            _ if byte.is_ascii_alphanumeric() || b"*-._".contains(&byte) => encoded.push(char::from(byte)),
            // Writing to a string does not fail.
            _ => write!(encoded, "%{byte:02X}").unwrap_or_default(),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use layoutproof_frontend::DeclareOptions;
    use layoutproof_layout::{LayoutOptions, Span};
    use layoutproof_source::sources::SourceMap;

    use super::*;

    #[test]
    fn an_address_holds_nothing_that_leads_elsewhere() {
        for (text, expected) in [
            ("std140@dxc", "std140-dxc"),
            ("scalar@dxc-1.9", "scalar-dxc-1.9"),
            ("../../etc/passwd", "etc-passwd"),
            ("..", "unnamed"),
            ("a<script> b", "a-script-b"),
            ("Grün", "gr-n"),
        ] {
            assert_eq!(slug(text), expected, "{text}");
        }
        assert_eq!(case_page("arrays/../x"), "cases/arrays/unnamed/x.html");
    }

    #[test]
    fn links_go_up_as_far_as_the_page_lies_deep() {
        assert_eq!(link("index.html", "rules/c.html"), "rules/c.html");
        assert_eq!(link("cases/a/b.html", "rules/c.html"), "../../rules/c.html");
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names = GivenNames::default();
        let given = ["a", "a", "b", "a"].map(|name| names.give(name));
        assert_eq!(given, ["a", "a-2", "b", "a-3"]);
    }

    #[test]
    fn a_link_holds_the_text_and_how_it_is_read() {
        let text = "cbuffer S { float a[N]; }; // \u{e4} & b";
        let mut sources = SourceMap::default();
        let file = sources.add("a.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let options =
            LayoutOptions { matrix: MatrixOrder::Row, sixteen_bit: SixteenBit::Off, ..LayoutOptions::default() };
        let declared = DeclareOptions { defines: vec![("N".to_owned(), "2".to_owned())], ..DeclareOptions::default() };
        let source = Source::of_file(span, options, &declared, &mut sources).unwrap();

        let link = ExplorerText::of(&source).unwrap().link("cases/a/b.html", SiteNavigation { has_explorer: true });
        let expected = "../../explorer.html#language=slang&amp;text=cbuffer+S+%7B+float+a%5BN%5D%3B+%7D%3B+%2F%2F+%C3%A4+\
                        %26+b&amp;defines=N%3D2&amp;matrix=row&amp;wideHalf=true";
        assert!(link.into_string().contains(expected));
        let none = ExplorerText::of(&source).unwrap().link("a.html", SiteNavigation { has_explorer: false });
        assert_eq!(none.into_string(), "");
    }
}
