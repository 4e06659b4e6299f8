//! `layoutproof export`: writes a case as a test of another suite.

use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use layoutproof_core::check::{Source, Subject};
use layoutproof_core::export::{NotExported, amber, offload_test};
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::report::summary::Exit;
use layoutproof_layout::{RuleSet, find};

use crate::output::print;
use crate::select::inputs::{Cases, InputWord};
use crate::select::refused_input::RefusedInput;
use crate::select::rule_set::rule_set;

/// `layoutproof export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The id of a built-in case, or a case file.
    pub case: String,
    /// The suite.
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// The rule set whose numbers are expected; without it the first of the case's for which the suite has a test.
    #[arg(long)]
    pub rules: Option<String>,
}

/// A suite that a case can be written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// `AmberScript`, with SPIR-V assembly: asks the driver.
    Amber,
    /// A test of llvm/offload-test-suite, with HLSL: asks compiler and driver.
    OffloadTest,
}

/// Prints the test.
///
/// # Errors
/// A case that cannot be read, and why there is no such test of it.
pub(crate) fn export(args: &ExportArgs) -> anyhow::Result<Exit> {
    let source = Arc::new(read(&args.case)?);
    let own = source.expect.iter().filter_map(|expectation| find(&expectation.rules));
    let rules: Vec<&RuleSet> = match &args.rules {
        Some(name) => vec![rule_set(name)?],
        None => own.collect(),
    };
    let write: fn(&Subject) -> Result<String, NotExported> = match args.format {
        ExportFormat::Amber => amber,
        ExportFormat::OffloadTest => offload_test,
    };

    let mut reasons = Vec::new();
    for rules in rules {
        match write(&Subject::new(Arc::clone(&source), rules)) {
            Ok(text) => {
                print(&text);
                return Ok(Exit::Agree);
            }
            Err(reason) => reasons.push(reason.to_string()),
        }
    }

    if reasons.is_empty() {
        bail!("{} expects no offsets", source.id)
    }
    bail!("no test was written\n  {}", reasons.join("\n  "))
}

fn read(word: &str) -> anyhow::Result<Source> {
    let mut sources = SourceMap::default();
    let mut cases = Cases::load(&[])?;
    let mut diagnostics = Vec::new();
    let id = match InputWord::of(word, None) {
        InputWord::CaseFile(path) => cases.add_file(&path)?,
        InputWord::Filter(filter) => cases.only(&filter)?,
        InputWord::Declarations(_) | InputWord::LaidOut(_) => bail!("{word} is not a case: only cases expect offsets"),
    };

    let case = cases.read(std::slice::from_ref(&id), &mut sources, &mut diagnostics).pop();
    let found = match case.as_ref().map(|case| Source::of_case(case, &mut sources)) {
        Some(Ok(source)) => return source.with_context(|| format!("{id} declares nothing: it must be refused")),
        Some(Err(found)) => found,
        None => diagnostics,
    };
    Err(RefusedInput { diagnostics: found, sources }.into())
}
