//! Addresses of the site's pages, and links between them.

use std::collections::BTreeSet;

use maud::{Markup, html};

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

#[cfg(test)]
mod tests {
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
}
