//! `layoutproof list`, `devices`, `compilers` and `doctor`: list what the program and this machine
//! have.

use std::path::PathBuf;

use clap::Args;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::lookup::CompilersOfMachine;
use layoutproof_compilers::spirv_val::SpirvVal;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_core::check::{Generator, SubjectShaders};
use layoutproof_core::results::coverage::{CoverageCells, planned};
use layoutproof_core::results::record::SCHEMA;
use layoutproof_core::results::summary::Exit;
use layoutproof_core::version::NAGA_VERSION;
use layoutproof_device::RunnerKind;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::drivers::{self, FetchedDrivers};
use layoutproof_executor::launch::Launch;
use layoutproof_executor::tools::MachineTools;
use layoutproof_layout::native::natives;
use layoutproof_layout::rules::Example;
use layoutproof_layout::{RuleSet, table};
use layoutproof_report::coverage_table;
use layoutproof_report::listing::{self, CaseLine, Finding, RuleSetLine, ToolHealth};
use layoutproof_show::Style;
use layoutproof_source::sources::SourceMap;
use serde_json::json;

use crate::args::{Format, FormatArgs};
use crate::output::{print, print_json, warn, warn_of_listing};
use crate::select::all_cases::{Cases, all_forms, sources, subjects};
use crate::select::refused_input::RefusedInput;

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
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
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
/// A path cannot be read, or a case has problems.
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

/// The cases as JSON.
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

/// Lists the devices that a run would use.
///
/// # Errors
/// A variable names the folder of fetched drivers by a relative path. The exit code is 3 without a
/// device, and also if the devices of an API could not be listed.
pub(crate) fn devices(args: &FormatArgs, style: Style) -> anyhow::Result<Exit> {
    let apis: Vec<RunnerKind> = RunnerKind::driven().collect();
    let listing = DeviceListing::of(&apis, &Launch::of(std::env::current_exe()?)?);
    let DeviceListing { devices, notes, failures } = &listing;
    match args.format {
        Format::Json => {
            let answer = json!({"schema": SCHEMA, "devices": devices, "notes": notes, "failed_listings": failures});
            print_json(&format!("{answer}\n"));
        }
        Format::Text => print(&listing::devices(devices, style)),
    }

    warn_of_listing(&listing);
    Ok(exit_of_listing(&listing))
}

fn exit_of_listing(listing: &DeviceListing) -> Exit {
    let is_complete = listing.failures.is_empty() && !listing.devices.is_empty();
    if is_complete { Exit::Agree } else { Exit::Missing }
}

/// Prints what this machine has, where it comes from, and what is missing.
///
/// # Errors
/// As [`devices`].
pub(crate) fn doctor(style: Style) -> anyhow::Result<Exit> {
    let tools = MachineTools::find()?;
    let launch = Launch::of(std::env::current_exe()?)?;
    let apis: Vec<RunnerKind> = RunnerKind::driven().collect();
    let listing = DeviceListing::of(&apis, &launch);

    let mut findings = tools_findings(&tools);
    findings.extend(driver_findings(&listing, &launch.drivers));
    findings.extend(direct3d_finding(&listing, &launch));
    findings.push(match SpirvVal::find() {
        Some(validator) => {
            let (version, program, origin) = (validator.version(), validator.program().display(), validator.origin());
            good("spirv-val", format!("{version}, {program}, {origin}"))
        }
        None => missing(
            "spirv-val",
            "modules go to devices unchecked",
            "`layoutproof setup spirv-tools` installs it; SPIRV_VAL names one of your own",
        ),
    });
    findings.extend(compiler_findings(&tools));
    print(&listing::doctor(&findings, style));
    Ok(exit_of_listing(&listing))
}

/// The tools folder, with a warning on systems where layoutproof cannot check who may change its
/// content.
fn tools_findings(tools: &MachineTools) -> Vec<Finding> {
    const NAME: &str = "tools folder";
    let Some(folder) = tools.folder() else {
        let reason = tools.absence().map(ToString::to_string).unwrap_or_default();
        return vec![missing(NAME, &reason, "")];
    };
    let unchecked = (!ToolsFolder::INSPECTS)
        .then(|| warning(NAME, "layoutproof cannot check on this system who may change its content".to_owned()));
    let found = good(NAME, format!("{}, {}", folder.path().display(), folder.origin().as_str()));
    [Some(found), unchecked].into_iter().flatten().collect()
}

/// The source of Direct3D 12; `None` on systems that cannot have it.
fn direct3d_finding(listing: &DeviceListing, launch: &Launch) -> Option<Finding> {
    const NAME: &str = "Direct3D 12";
    let has_device = listing.devices.iter().any(|device| device.direct3d.is_some());
    match &launch.vkd3d {
        Some(vkd3d) if has_device => {
            let versions = vkd3d.versions().lines().collect::<Vec<_>>().join(", ");
            Some(good(NAME, format!("vkd3d of Debian testing, from the tools folder: {versions}")))
        }
        None if has_device => Some(good(NAME, "from the system".to_owned())),
        Some(_) => Some(broken(NAME, "vkd3d was fetched, but it lists no device".to_owned())),
        None if cfg!(target_os = "macos") => None,
        None => Some(missing(
            NAME,
            "no library (vkd3d 2), or no device of it",
            "`layoutproof setup vkd3d` fetches vkd3d 2 on Debian",
        )),
    }
}

/// The devices, the sources of their drivers, and the problems with them.
fn driver_findings(listing: &DeviceListing, drivers: &FetchedDrivers) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for device in &listing.devices {
        let name = format!("{} via {}", device.id, device.runner.title());
        findings.push(good(&name, format!("{}, {}", device.driver, device.api)));
    }
    for id in ["lavapipe", "swiftshader"].iter().filter(|id| !listing.devices.iter().any(|device| device.id == **id)) {
        findings.push(missing(id, "no such device", &format!("`layoutproof setup {id}` installs it")));
    }

    findings.push(good(
        "Vulkan drivers",
        match (drivers::chosen(), drivers.manifests().len()) {
            (Some(variable), _) => format!("set by {variable}; none is added"),
            (None, 0) => "from the system".to_owned(),
            (None, fetched) => format!("from the system, and {fetched} from the tools folder"),
        },
    ));
    for manifest in drivers.manifests() {
        findings.push(good("Vulkan driver", format!("{}, in the tools folder", manifest.display())));
    }

    for note in &listing.notes {
        findings.push(if drivers.notes().contains(note) {
            warning("Vulkan driver", note.clone())
        } else {
            broken("driver", note.clone())
        });
    }
    findings.extend(listing.failures.iter().map(|failure| broken("driver", failure.clone())));
    findings
}

/// The compilers that were found, the problems with others, and the missing ones.
fn compiler_findings(tools: &MachineTools) -> Vec<Finding> {
    let CompilersOfMachine { compilers, notes } = Compiler::look(tools.folder());
    let mut findings: Vec<Finding> = compilers.iter().map(found).collect();
    findings.extend(notes.into_iter().map(|note| warning("compiler", note)));
    for known in Compiler::known() {
        if !compilers.iter().any(|compiler| compiler.name() == known.name) {
            findings.push(missing(known.name, "its decisions are not checked here", &known.advice()));
        }
    }
    findings
}

/// Lists the compilers that were found, and how to name the missing ones.
///
/// # Errors
/// A variable names the folder of fetched tools by a relative path.
pub(crate) fn compilers(args: &FormatArgs, style: Style) -> anyhow::Result<Exit> {
    let tools = MachineTools::find()?;
    let CompilersOfMachine { compilers: all, notes } = Compiler::look(tools.folder());

    match args.format {
        Format::Json => print_json(&compilers_json(&all)),
        Format::Text => {
            let absent = Compiler::known().filter(|known| !all.iter().any(|compiler| compiler.name() == known.name));
            let absent = absent.map(|known| missing(known.name, "not found", &known.advice()));
            let built_in = good("naga", format!("{NAGA_VERSION}, built in"));
            let findings: Vec<Finding> = all.iter().map(found).chain([built_in]).chain(absent).collect();
            print(&listing::doctor(&findings, style));
        }
    }

    for note in tools.note().into_iter().chain(notes) {
        warn(&format!("note: {note}\n"));
    }
    Ok(Exit::Agree)
}

fn compilers_json(all: &[Compiler]) -> String {
    let listed = all.iter().map(|compiler| {
        json!({
            "name": compiler.name(),
            "version": compiler.version(),
            "program": compiler.program().display().to_string(),
            "origin": compiler.origin().to_string(),
        })
    });
    let listed: Vec<_> = listed.chain([json!({"name": "naga", "version": NAGA_VERSION})]).collect();
    format!("{}\n", json!({"schema": SCHEMA, "compilers": listed}))
}

fn found(compiler: &Compiler) -> Finding {
    let (version, file, origin) = (compiler.version(), compiler.file().display(), compiler.origin());
    good(compiler.name(), format!("{version}, {file}, {origin}"))
}

fn good(name: &str, detail: String) -> Finding {
    Finding { health: ToolHealth::Good, name: name.to_owned(), detail, advice: String::new() }
}

fn warning(name: &str, detail: String) -> Finding {
    Finding { health: ToolHealth::Warning, name: name.to_owned(), detail, advice: String::new() }
}

fn broken(name: &str, detail: String) -> Finding {
    Finding { health: ToolHealth::Broken, name: name.to_owned(), detail, advice: String::new() }
}

fn missing(name: &str, detail: &str, advice: &str) -> Finding {
    Finding { health: ToolHealth::Missing, name: name.to_owned(), detail: detail.to_owned(), advice: advice.to_owned() }
}
