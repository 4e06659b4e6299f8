//! The one place that prints: reports to standard output, everything else to standard error.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anstream::{AutoStream, ColorChoice};
use anyhow::Context;
use layoutproof_compilers::own_streams;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_show::Style;
use layoutproof_show::show_json::Shown;
use layoutproof_show::struct_text::PLAIN_COLUMNS;
use layoutproof_source::diagnostics::Code;
use layoutproof_source::encoding::BadEncoding;
use layoutproof_source::plain_text::{escape_all_but_colours, escape_commands, escape_controls, escape_json};

use crate::args::Colour;
use crate::step_events;

/// The first error of writing standard output. A static, like standard output itself: returning the
/// error at once would cost the user the files that the command writes after the report.
static FIRST_ERROR: Mutex<Option<io::Error>> = Mutex::new(None);

/// True if a report was printed.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Prints a part of the report; [`finish`] reports errors.
///
/// Reports already escape foreign text. This escapes everything else that a terminal could obey,
/// except colours.
pub(crate) fn print(text: &str) {
    note(io::stdout().lock().write_all(escape_all_but_colours(text).as_bytes()));
}

pub(crate) fn finish() -> anyhow::Result<()> {
    let flushed = io::stdout().lock().flush();
    if PRINTED.load(Ordering::Relaxed) && own_streams::began_without_output() {
        note(Err(io::Error::other("it is closed")));
    }
    note(flushed);
    let first = FIRST_ERROR.lock().unwrap_or_else(PoisonError::into_inner).take();
    first.map_or(Ok(()), Err).context("writing to standard output")
}

fn note(written: io::Result<()>) {
    PRINTED.store(true, Ordering::Relaxed);
    if let Err(error) = written {
        if error.kind() != io::ErrorKind::BrokenPipe {
            FIRST_ERROR.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

/// Prints clap's own output: help and version to standard output, usage errors to standard error.
pub(crate) fn print_usage(usage: &clap::Error) {
    let written = usage.print();
    if !usage.use_stderr() {
        note(written);
    }
}

/// Prints JSON; characters that a terminal could obey become JSON escapes.
pub(crate) fn print_json(json: &str) {
    note(io::stdout().lock().write_all(escape_json(json).as_bytes()));
}

/// Prints a message to standard error. It may hold foreign text: control characters, and what a CI
/// service would obey, are escaped.
pub(crate) fn warn(text: &str) {
    let _ = io::stderr().lock().write_all(escape_commands(&escape_controls(text)).as_bytes());
}

/// Prints rendered diagnostics to standard error. They may have colours; other control characters
/// are escaped.
pub(crate) fn warn_rendered(text: &str) {
    let _ = io::stderr().lock().write_all(escape_commands(&escape_all_but_colours(text)).as_bytes());
}

/// Prints a refusal as JSON, for programs; the caller prints it for people.
pub(crate) fn print_refusal(source: &str, code: Code, error: &anyhow::Error) {
    print_json(&refusal(source, code, error).to_json());
}

/// A refusal as data. If the error is not about the text of a file, `source` names the input and
/// `code` gives the kind of error.
pub(crate) fn refusal(source: &str, code: Code, error: &anyhow::Error) -> Shown {
    let refused = error.downcast_ref::<RefusedInput>();
    if let Some((first, refused)) = refused.and_then(|it| it.diagnostics.first().zip(Some(it))) {
        let file = &refused.sources.file(first.span().file).name;
        Shown::refused(file.clone(), &refused.diagnostics, &refused.sources)
    } else {
        let place = error.downcast_ref::<BadEncoding>().map(|bad| (bad.line, bad.column));
        Shown::not_read(source, code, format!("{error:#}"), place)
    }
}

pub(crate) fn warn_of_error(error: &anyhow::Error, style: Style) {
    match error.downcast_ref::<RefusedInput>() {
        Some(refused) => warn_rendered(&refused.text(style.colour)),
        None => warn_of_end(&format!("{error:#}")),
    }
}

/// Prints an error that decides how the command ends.
pub(crate) fn warn_of_end(sentence: &str) {
    warn(&format!("error: {sentence}\n"));
    step_events::conclude(&format!("error: {sentence}"));
}

/// How to draw reports. With `--color auto`, `NO_COLOR`, `CLICOLOR_FORCE` and the terminal decide
/// about colours.
pub(crate) fn style(colour: Colour, ascii: bool) -> Style {
    let colour = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => !matches!(AutoStream::choice(&io::stdout()), ColorChoice::Never),
    };
    Style { colour, ascii: ascii || plain_locale() }
}

/// The width of a line: that of the terminal, or 80 for a file or another program.
pub(crate) fn columns() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stdout());
    terminal.map_or(PLAIN_COLUMNS, |(columns, _)| usize::from(columns.0).clamp(60, 200))
}

/// Width of the terminal, at least that of a plain text; that width if standard output is none.
pub(crate) fn text_columns() -> usize {
    columns().max(PLAIN_COLUMNS)
}

/// True if the locale is C or POSIX, which guarantees ASCII only.
fn plain_locale() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    locale.is_some_and(|locale| locale == "C" || locale == "POSIX")
}

/// Prints the notes of a device listing, and an error for each API whose devices could not be
/// listed.
pub(crate) fn warn_of_listing(listing: &DeviceListing) {
    for note in &listing.notes {
        warn(&format!("note: {note}\n"));
    }
    for failure in &listing.failures {
        warn_of_end(failure);
    }
}
