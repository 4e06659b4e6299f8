//! The parts that pages are made of: code, tabs, legends. `page.css` has their style.
//!
//! All work without scripts: tabs are sections below each other.

use maud::{Markup, html};

use super::code_colours::coloured_as;
use layoutproof_source::shader_language::ShaderLanguage;

/// A sign in a legend: the class of its swatch, and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Member,
    /// Bytes that no member owns.
    Padding,
    /// The first member that is at another place than in the reference.
    Moved,
    /// Members after it that are at another place, too.
    Follows,
    /// The answer that most columns give.
    Most,
    /// An answer that few columns give.
    Other,
    /// No answer, because the compiler or the rules refuse the declaration.
    Refused,
    Agree,
    /// Checks that differ or broke.
    Wrong,
    /// Checks that differ as a list of known bugs says.
    Known,
    /// Checks that were not possible.
    Skipped,
}

impl Sign {
    const fn class(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Padding => "padding",
            Self::Moved => "root",
            Self::Follows => "follower",
            Self::Most => "most",
            Self::Other => "other",
            Self::Refused => "refused",
            Self::Agree => "agree",
            Self::Wrong => "differ",
            Self::Known => "known",
            Self::Skipped => "skipped",
        }
    }

    /// The sign in the swatch, as in the part of the page that the legend explains.
    const fn mark(self) -> &'static str {
        match self {
            Self::Moved | Self::Wrong => "≠",
            Self::Known => "~",
            Self::Skipped | Self::Follows => "·",
            Self::Member | Self::Padding | Self::Most | Self::Other | Self::Refused | Self::Agree => "",
        }
    }
}

/// A legend: a swatch and a few words for each sign.
pub fn legend_of(signs: &[(Sign, &str)]) -> Markup {
    html! {
        ul.legend {
            @for (sign, words) in signs {
                li { span class=(format!("swatch {}", sign.class())) aria-hidden="true" { (sign.mark()) } (words) }
            }
        }
    }
}

/// A block of code in a shader language, with colours and a button that copies it. `label` is a short
/// heading, such as the language or the file.
pub fn shader_code(label: &str, text: &str, language: ShaderLanguage) -> Markup {
    code_frame(label, &coloured_as(text, language.as_str()))
}

/// A block of other text: commands, host code, messages.
pub fn plain_code(label: &str, text: &str) -> Markup {
    code_frame(label, &html! { (text) })
}

fn code_frame(label: &str, text: &Markup) -> Markup {
    html! {
        div.code {
            div.code-head { span { (label) } button.copy.js-only type="button" { "copy" } }
            pre tabindex="0" { code { (text) } }
        }
    }
}

/// Sections of which a browser with scripts shows one at a time. Without scripts and in print, they
/// are below each other. `label` names the group for screen readers.
pub fn tabs(label: &str, sections: &[(&str, Markup)]) -> Markup {
    html! {
        div.tabs data-label=(label) {
            @for (name, content) in sections { section.tab { h4.tab-name { (name) } (content) } }
        }
    }
}

/// A command with a button that copies it. Lines break between its words only.
pub(super) fn command(words: &str) -> Markup {
    html! {
        code.command { @for (index, word) in words.split(' ').enumerate() { @if index > 0 { " " } span { (word) } } }
        button.copy.js-only type="button" { "copy" }
    }
}

/// A sentence whose parts between backticks are code.
pub(super) fn with_code(sentence: &str) -> Markup {
    if sentence.matches('`').count() % 2 == 1 {
        return html! { (sentence) };
    }
    html! {
        @for (index, part) in sentence.split('`').enumerate() { @if index % 2 == 1 { code { (part) } } @else { (part) } }
    }
}
