//! `layoutproof list`, `devices`, `compilers` and `doctor`: what there is.

use std::path::PathBuf;

use clap::Args;
use layoutproof::check::{Generator, Produced};
use layoutproof::coverage::{Cells, planned};
use layoutproof::layout::rules::Example;
use layoutproof::layout::{RuleSet, table};
use layoutproof::report::listing::{self, CaseLine, Finding, Health, RuleSetLine};
use layoutproof::report::summary::Exit;
use layoutproof::report::{Style, coverage_table};
use layoutproof::sources::SourceMap;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::spirv_val::SpirvVal;

use crate::args::{Format, FormatArgs};
use crate::drivers;
use crate::inputs::Cases;
use crate::output::{print, print_json, warn};
use crate::pool::{self, Launch};
use crate::selection::{Refused, all_forms, sources, subjects};

/// `layoutproof list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List the rule sets instead: what each is, where it comes from, one worked example.
    #[arg(long, conflicts_with = "coverage")]
    pub rules: bool,
    /// Count instead what the cases ask of devices: leaves by type, predecessor, rule set, space, stage, direction, form
    /// and kind of proof. No GPU needed.
    #[arg(long)]
    pub coverage: bool,
    /// Output format of --coverage.
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "coverage")]
    pub format: Format,
    /// Only cases whose id contains this text, or matches it as a pattern with * and ?.
    pub filter: Vec<String>,
    /// Read cases from this file or folder too.
    #[arg(long, value_name = "PATH")]
    pub cases: Vec<PathBuf>,
}

/// Lists cases or rule sets.
///
/// # Errors
/// A path that cannot be read, and every problem of the cases.
pub(crate) fn list(args: &ListArgs, style: Style) -> anyhow::Result<Exit> {
    if args.rules {
        let lines: Vec<RuleSetLine> = table().iter().map(rule_set_line).collect();
        print(&listing::rule_sets(&lines, style));
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
        return Err(Refused { diagnostics, sources }.into());
    }
    let lines: Vec<_> = cases.into_iter().map(|case| CaseLine { id: case.id, summary: case.summary }).collect();
    print(&listing::cases(&lines, style));
    Ok(if lines.is_empty() { Exit::NothingSelected } else { Exit::Agree })
}

/// Counts what the cases ask of devices.
fn coverage(args: &ListArgs, style: Style) -> anyhow::Result<Exit> {
    let mut cells = Cells::new();
    for subject in subjects(&sources(&args.cases, &args.filter)?) {
        for generator in Generator::ALL {
            planned(&subject, &Produced::new(&subject, generator, &all_forms()), &mut cells);
        }
    }
    match args.format {
        Format::Json => {
            let listed = cells.iter().map(|(cell, leaves)| serde_json::json!({"cell": cell, "leaves": leaves}));
            let listed: Vec<_> = listed.collect();
            print_json(&format!("{}\n", serde_json::json!({"schema": layoutproof::record::SCHEMA, "cells": listed})));
        }
        Format::Text => {
            let names: Vec<&str> = table().iter().map(|rules| rules.name).collect();
            print(&coverage_table::coverage_table(&cells, &names, style));
        }
    }
    Ok(if cells.is_empty() { Exit::NothingSelected } else { Exit::Agree })
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

/// Lists the devices that a run would use.
///
/// # Errors
/// None; no device is exit code 3.
pub(crate) fn devices(args: &FormatArgs, style: Style) -> anyhow::Result<Exit> {
    let (devices, notes) = pool::enumerate(&pool::DRIVEN, &Launch::of(std::env::current_exe()?));
    match args.format {
        Format::Json => {
            let answer = serde_json::json!({"schema": layoutproof::record::SCHEMA, "devices": devices, "notes": notes});
            print_json(&format!("{answer}\n"));
        }
        Format::Text => print(&listing::devices(&devices, style)),
    }
    for note in &notes {
        warn(&format!("note: {note}\n"));
    }
    Ok(if devices.is_empty() { Exit::Missing } else { Exit::Agree })
}

/// Says what is there and what is missing.
///
/// # Errors
/// None; a missing device is exit code 3.
pub(crate) fn doctor(style: Style) -> anyhow::Result<Exit> {
    let (devices, notes) = pool::enumerate(&pool::DRIVEN, &Launch::of(std::env::current_exe()?));
    let mut findings: Vec<Finding> = devices
        .iter()
        .map(|device| {
            good(&format!("{} via {}", device.id, device.runner.as_str()), format!("{}, {}", device.driver, device.api))
        })
        .collect();
    for id in ["lavapipe", "swiftshader"].iter().filter(|id| !devices.iter().any(|device| device.id == **id)) {
        findings.push(missing(id, "no such device", "ci/setup.sh fetches it"));
    }
    findings.extend(notes.into_iter().map(|note| Finding {
        health: Health::Broken,
        name: "driver".to_owned(),
        detail: note,
        advice: String::new(),
    }));
    findings.push(match SpirvVal::find() {
        Some(validator) => good("spirv-val", validator.version().to_owned()),
        None => missing("spirv-val", "modules go to devices unchecked", "install spirv-tools, or set SPIRV_VAL"),
    });
    let fetched = drivers::fetched_root();
    for name in ["dxc", "slangc"] {
        findings.push(match Compiler::named(name, fetched.as_deref()) {
            Some(compiler) => found(&compiler),
            None => missing(name, "expected numbers that it gave cannot be derived again", "ci/setup.sh fetches it"),
        });
    }
    print(&listing::doctor(&findings, style));
    Ok(if devices.is_empty() { Exit::Missing } else { Exit::Agree })
}

/// Lists the compilers that are there, and how to name those that are not.
pub(crate) fn compilers(args: &FormatArgs, style: Style) -> Exit {
    let fetched = drivers::fetched_root();
    let all = Compiler::all(fetched.as_deref());
    match args.format {
        Format::Json => {
            let listed = all.iter().map(|compiler| {
                serde_json::json!({
                    "name": compiler.name(),
                    "version": compiler.version(),
                    "program": compiler.program().display().to_string(),
                })
            });
            let listed: Vec<_> = listed.chain([serde_json::json!({"name": "naga", "version": NAGA})]).collect();
            print_json(&format!(
                "{}\n",
                serde_json::json!({"schema": layoutproof::record::SCHEMA, "compilers": listed})
            ));
        }
        Format::Text => {
            let absent = Compiler::known().filter(|(name, _)| !all.iter().any(|compiler| compiler.name() == *name));
            let absent = absent.map(|(name, advice)| missing(name, "not found", &advice));
            let built_in = good("naga", format!("{NAGA}, built in"));
            let findings: Vec<Finding> = all.iter().map(found).chain([built_in]).chain(absent).collect();
            print(&listing::doctor(&findings, style));
        }
    }
    Exit::Agree
}

/// Version of the naga that is part of this program.
const NAGA: &str = env!("NAGA_VERSION");

fn found(compiler: &Compiler) -> Finding {
    good(compiler.name(), format!("{}, {}", compiler.version(), compiler.program().display()))
}

fn good(name: &str, detail: String) -> Finding {
    Finding { health: Health::Good, name: name.to_owned(), detail, advice: String::new() }
}

fn missing(name: &str, detail: &str, advice: &str) -> Finding {
    Finding { health: Health::Missing, name: name.to_owned(), detail: detail.to_owned(), advice: advice.to_owned() }
}
