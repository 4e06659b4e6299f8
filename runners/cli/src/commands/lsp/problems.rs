//! Diagnostics: what the reader of the language says, and what `check` found in the programs that fill the blocks.

use std::path::Path;

use layoutproof_source::diagnostics::{Diagnostic, Severity};
use lsp_types::{DiagnosticSeverity, NumberOrString};

use crate::commands::lsp::host_check::HostPairs;
use crate::commands::lsp::positions::Encoding;
use crate::commands::lsp::reading::Reading;
use crate::help::PROGRAM;

pub(super) fn problems(reading: &Reading, host: &HostPairs, encoding: Encoding) -> Vec<lsp_types::Diagnostic> {
    let failure = reading.failure.iter().map(|message| lsp_types::Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(PROGRAM.to_owned()),
        message: message.clone(),
        ..lsp_types::Diagnostic::default()
    });
    let own = reading.diagnostics.iter().map(|problem| of_reader(problem, reading, encoding));
    failure.chain(own).chain(host.differences(reading, encoding)).collect()
}

fn of_reader(problem: &Diagnostic, reading: &Reading, encoding: Encoding) -> lsp_types::Diagnostic {
    let span = problem.span();
    let mut message = problem.message.clone();
    if let Some(help) = &problem.help {
        message = format!("{message}\nhelp: {help}");
    }
    let range = if span.file == reading.file {
        encoding.range(reading.text(), span.start as usize..span.end as usize)
    } else {
        // The mark is at the line that includes the file.
        let (name, place) = (&reading.sources.file(span.file).name, reading.sources.position(span));
        message = format!("{name}:{}:{}: {message}", place.line, place.column);
        reading.include_of(Path::new(name)).unwrap_or_default()
    };
    lsp_types::Diagnostic {
        range,
        severity: Some(match problem.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(problem.code.to_string())),
        source: Some(PROGRAM.to_owned()),
        message,
        ..lsp_types::Diagnostic::default()
    }
}
