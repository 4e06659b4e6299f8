//! The one style sheet of the report, the site and the explorer: palette, fonts, components, byte maps.
//!
//! The rules of `page.css` and `byte_map.css` name colours as `var(--NAME)`. Pages define the names; a stand-alone
//! picture contains the values instead, because programs other than browsers cannot look them up.

use std::fmt::Write;

/// A colour in the light and in the dark theme.
struct Colour {
    name: &'static str,
    light: &'static str,
    dark: &'static str,
}

const fn colour(name: &'static str, light: &'static str, dark: &'static str) -> Colour {
    Colour { name, light, dark }
}

/// Text colours have a contrast of at least 4.5 on every surface, borders of controls at least 3.
/// Source: WCAG 2.2, 1.4.3 and 1.4.11.
///
/// The hues of members are those of Okabe and Ito, "Color Universal Design", which people with any
/// colour vision can distinguish.
const PALETTE: [Colour; 34] = [
    colour("paper", "#ffffff", "#0f1318"),
    colour("panel", "#f4f6f9", "#171c23"),
    colour("raised", "#ffffff", "#141920"),
    colour("edge", "#dce1e8", "#2b323c"),
    colour("control", "#7b8696", "#717c8b"),
    colour("ink", "#161b22", "#e6eaf0"),
    colour("dim", "#556070", "#a2acb9"),
    colour("link", "#1a56c4", "#82b1ff"),
    colour("tint", "#e9f0fd", "#172740"),
    colour("bad", "#b3261e", "#ff8f85"),
    colour("bad-bg", "#fdebe9", "#381b1c"),
    colour("good", "#136a32", "#67d48a"),
    colour("good-bg", "#e3f4e8", "#12291b"),
    colour("known", "#0b5a78", "#7fcdf1"),
    colour("known-bg", "#e1f1f8", "#0f2e3a"),
    colour("skip", "#6a5000", "#e2c264"),
    colour("skip-bg", "#fbf2d2", "#2e270f"),
    colour("keyword", "#7a3fc8", "#d0a8ff"),
    colour("type", "#0a53a8", "#83c1ff"),
    colour("comment", "#5c6675", "#9aa5b3"),
    colour("string", "#14602f", "#9fd8ae"),
    colour("number", "#8f3b00", "#ffae70"),
    colour("directive", "#6a5000", "#e2c264"),
    colour("map-line", "#5f6b7a", "#93a0af"),
    colour("map-hatch", "#98a2b0", "#5e6977"),
    colour("h0", "#e69f00", "#e69f00"),
    colour("h1", "#56b4e9", "#56b4e9"),
    colour("h2", "#009e73", "#009e73"),
    colour("h3", "#f0e442", "#f0e442"),
    colour("h4", "#0072b2", "#3b93cc"),
    colour("h5", "#d55e00", "#e0722a"),
    colour("h6", "#cc79a7", "#cc79a7"),
    colour("fill", ".42", ".4"),
    colour("fill-odd", ".24", ".24"),
];

const PAGE_RULES: &str = include_str!("page.css");
const MAP_RULES: &str = include_str!("byte_map.css");
/// Inter and `JetBrains` Mono, SIL Open Font License 1.1, made by `ci/fonts`.
const FONTS: &str = include_str!("fonts/fonts.css");

pub fn style_sheet() -> String {
    let (light, dark) = (values(|colour| colour.light), values(|colour| colour.dark));
    // The reader's choice of a theme wins over that of the system.
    format!(
        "{FONTS}:root{{color-scheme:light dark;{light}}}\n\
         @media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n\
         :root[data-theme=light]{{color-scheme:light}}\n\
         :root[data-theme=dark]{{color-scheme:dark;{dark}}}\n\
         {MAP_RULES}{PAGE_RULES}"
    )
}

/// The style of byte maps in a picture without a page.
pub(super) fn picture_style() -> String {
    let dark = with_values(|colour| colour.dark);
    format!("{}@media (prefers-color-scheme:dark){{\n{dark}}}\n", with_values(|colour| colour.light))
}

fn values(value: fn(&Colour) -> &'static str) -> String {
    PALETTE.iter().fold(String::new(), |mut text, colour| {
        // Writing to a string does not fail.
        let _ = write!(text, "--{}:{};", colour.name, value(colour));
        text
    })
}

fn with_values(value: fn(&Colour) -> &'static str) -> String {
    PALETTE
        .iter()
        .fold(MAP_RULES.to_owned(), |rules, colour| rules.replace(&format!("var(--{})", colour.name), value(colour)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `var(--NAME)` of the rules, except those that the rules define themselves.
    #[test]
    fn rules_use_only_colours_of_the_palette() {
        let rules = format!("{MAP_RULES}{PAGE_RULES}");
        for used in rules.split("var(--").skip(1).filter_map(|rest| rest.split([')', ',']).next()) {
            let is_defined = PALETTE.iter().any(|colour| colour.name == used) || rules.contains(&format!("--{used}:"));
            assert!(is_defined, "{used}");
        }
        assert!(!picture_style().contains("var("));
    }

    /// 60 KB of a page, as in `ci/fonts`.
    #[test]
    fn fonts_are_small() {
        assert!(FONTS.len() <= 61_440, "{}", FONTS.len());
    }
}
