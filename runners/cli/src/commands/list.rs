//! `layoutproof list`: lists the cases, the rule sets, or what the cases probe.

use std::path::PathBuf;

use clap::Args;
use layoutproof_core::check::SubjectShaders;
use layoutproof_core::results::coverage::{CoverageCells, planned};
use layoutproof_events::SCHEMA;
use layoutproof_events::producer::Generator;
use layoutproof_events::summary::Exit;
use layoutproof_inputs::all_cases::{Cases, all_forms, sources, subjects};
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_layout::native::natives;
use layoutproof_layout::rules::Example;
use layoutproof_layout::{RuleSet, table};
use layoutproof_report::coverage_table;
use layoutproof_report::listing::{self, CaseLine, RuleSetLine};
use layoutproof_show::Style;
use layoutproof_source::sources::SourceMap;
use serde_json::json;

use crate::args::Format;
use crate::output::{print, print_json, warn};

/// `layoutproof list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List the rule sets instead.
    ///
    /// What each is, where it comes from, one worked example.
    #[arg(long, conflicts_with = "coverage")]
    pub rules: bool,
    /// Count what the cases have devices read instead.
    ///
    /// Leaves by type, predecessor, rule set, space, stage, direction, form and kind of proof. Needs no GPU.
    #[arg(long)]
    pub coverage: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Only cases whose id contains this text.
    ///
    /// Or matches it as a pattern with * and ?.
    pub filter: Vec<String>,
    /// Read cases from this file or folder, too.
    #[arg(long, value_name = "PATH")]
    pub cases: Vec<PathBuf>,
}

/// Lists cases or rule sets.
pub(crate) fn list(args: &ListArgs, style: Style) -> anyhow::Result<Exit> {
    if args.rules {
        match args.format {
            Format::Json => print_json(&rule_sets_json()),
            Format::Text => {
                let lines: Vec<RuleSetLine> = table().iter().map(rule_set_line).collect();
                print(&listing::rule_sets(&lines, style));
            }
        }
        return Ok(Exit::Agree);
    }
    if args.coverage {
        return coverage(args, style);
    }

    let all = Cases::load(&args.cases)?;
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    let cases = all.read(&all.matching(&args.filter), &mut sources, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(RefusedInput { diagnostics, sources }.into());
    }

    let lines: Vec<_> = cases.into_iter().map(|case| CaseLine { id: case.id, summary: case.summary }).collect();
    match args.format {
        Format::Json => print_json(&cases_json(&lines)),
        Format::Text => print(&listing::cases(&lines, style)),
    }
    for filter in args.filter.iter().filter(|filter| all.matching(std::slice::from_ref(*filter)).is_empty()) {
        warn(&format!("error: no case is called `{filter}`{}\n", all.suggestion(filter)));
    }
    Ok(if lines.is_empty() { Exit::NothingSelected } else { Exit::Agree })
}

/// Counts the leaves that the cases have devices read.
fn coverage(args: &ListArgs, style: Style) -> anyhow::Result<Exit> {
    let mut cells = CoverageCells::new();
    for subject in subjects(&sources(&args.cases, &args.filter)?) {
        for generator in Generator::ALL {
            planned(&subject, &SubjectShaders::new(&subject, generator, &all_forms()), &mut cells);
        }
    }

    match args.format {
        Format::Json => {
            let listed = cells.iter().map(|(cell, leaves)| json!({"cell": cell, "leaves": leaves}));
            let answer = json!({"schema": SCHEMA, "cells": listed.collect::<Vec<_>>()});
            print_json(&format!("{answer}\n"));
        }
        Format::Text => {
            let names: Vec<&str> = table().iter().map(|rules| rules.name).collect();
            print(&coverage_table::coverage_table(&cells, &names, style));
        }
    }
    Ok(if cells.is_empty() { Exit::NothingSelected } else { Exit::Agree })
}

fn cases_json(lines: &[CaseLine]) -> String {
    let listed = lines.iter().map(|CaseLine { id, summary }| json!({"id": id, "summary": summary}));
    format!("{}\n", json!({"schema": SCHEMA, "cases": listed.collect::<Vec<_>>()}))
}

/// The rule sets as JSON, with the rules that each compiler uses per kind of block under one name.
fn rule_sets_json() -> String {
    let listed = table().iter().map(|rules| {
        let Example { declaration, offsets, size } = &rules.example;
        let example = json!({"declaration": declaration, "offsets": offsets, "size": size});
        json!({"name": rules.name, "summary": rules.summary, "source": rules.source, "example": example})
    });
    let native = natives().iter().map(|native| json!({"name": native.name, "summary": native.summary}));
    let answer = json!({
        "schema": SCHEMA,
        "rules": listed.collect::<Vec<_>>(),
        "native": native.collect::<Vec<_>>(),
    });
    format!("{answer}\n")
}

fn rule_set_line(rules: &RuleSet) -> RuleSetLine {
    let Example { declaration, offsets, size } = rules.example;
    RuleSetLine {
        name: rules.name.to_owned(),
        what: rules.summary.to_owned(),
        source: rules.source.to_owned(),
        example: format!("{declaration} at {offsets:?}, {size} bytes"),
    }
}
