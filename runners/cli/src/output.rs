//! The one place that prints: reports to standard output, everything else to standard error.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use layoutproof::report::Style;

use crate::args::Colour;

/// Prints a part of the report; a reader that has gone away is no error.
pub(crate) fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

/// Prints what is not part of the report.
pub(crate) fn warn(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
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
