//! Links to the explorer with the declarations of a case.

use std::fmt::Write;

use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use maud::{Markup, html};

use super::address::link;
use super::site_page::{SiteNavigation, SiteSection};
use layoutproof_core::check::Source;

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
    use layoutproof_layout::{LayoutOptions, Span};

    use super::*;
    use layoutproof_frontend::DeclareOptions;
    use layoutproof_source::sources::SourceMap;

    #[test]
    fn a_link_holds_the_text_and_how_it_is_read() {
        let text = "cbuffer S { float a[N]; }; // \u{e4} & b";
        let mut sources = SourceMap::default();
        let file = sources.add("a.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let options = LayoutOptions { matrix: MatrixOrder::Row, sixteen_bit: SixteenBit::Off };
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
