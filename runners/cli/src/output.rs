//! The one place that prints: reports to standard output, everything else to standard error.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use layoutproof::plain_text::{escape_all_but_colours, escape_controls, escape_json};
use layoutproof::report::Style;

use crate::args::Colour;

/// Prints a part of the report; a reader that has gone away is no error.
///
/// Reports escape what is foreign in them; what they forgot does not reach the terminal either, but for colours.
pub(crate) fn print(text: &str) {
    let _ = io::stdout().lock().write_all(escape_all_but_colours(text).as_bytes());
}

/// Prints JSON, with characters that a terminal could obey as JSON's escapes.
pub(crate) fn print_json(json: &str) {
    let _ = io::stdout().lock().write_all(escape_json(json).as_bytes());
}

/// Prints a message, which may hold foreign text: control characters are shown as escapes.
pub(crate) fn warn(text: &str) {
    let _ = io::stderr().lock().write_all(escape_controls(text).as_bytes());
}

/// Prints rendered diagnostics, which may have colours and have escaped the rest.
pub(crate) fn warn_rendered(text: &str) {
    let _ = io::stderr().lock().write_all(escape_all_but_colours(text).as_bytes());
}

/// How to draw: `NO_COLOR`, `CLICOLOR_FORCE` and the terminal decide where the user does not.
pub(crate) fn style(colour: Colour, ascii: bool) -> Style {
    let colour = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => !matches!(AutoStream::choice(&io::stdout()), ColorChoice::Never),
    };
    Style { colour, ascii: ascii || plain_locale() }
}

/// Whether the locale is C or POSIX, which promises no more than ASCII.
fn plain_locale() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    locale.is_some_and(|locale| locale == "C" || locale == "POSIX")
}
