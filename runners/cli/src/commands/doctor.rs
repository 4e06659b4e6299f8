//! `layoutproof doctor`: shows what this machine has for layoutproof, and how to get what is missing.

use clap::{Args, ValueEnum};
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::lookup::{BrokenCompiler, CompilersOfMachine, ProgramLookup};
use layoutproof_compilers::spirv_val::SpirvVal;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_device::RunnerKind;
use layoutproof_device::devices::CURRENT_LAVAPIPE;
use layoutproof_events::SCHEMA;
use layoutproof_events::summary::Exit;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::drivers::{self, FetchedDrivers};
use layoutproof_executor::launch::Launch;
use layoutproof_executor::tools::MachineTools;
use layoutproof_readers::version::NAGA_VERSION;
use layoutproof_report::listing::{self, Finding, ToolHealth};
use layoutproof_show::Style;
use serde_json::{Value, json};

use crate::args::{Format, FormatArgs};
use crate::output::{print, print_json, warn, warn_of_listing};

/// `layoutproof doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Show only this part.
    #[arg(value_enum)]
    pub part: Option<DoctorPart>,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// A part of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DoctorPart {
    /// The devices that a run can use.
    Devices,
    /// The compilers that were found, with their versions.
    Compilers,
}

/// Prints what this machine has, where it comes from, and what is missing.
///
/// # Errors
/// A variable names the folder of fetched tools by a relative path. The exit code is 3 without a
/// device, and also if the devices of an API could not be listed.
pub(crate) fn doctor(args: &DoctorArgs, style: Style) -> anyhow::Result<Exit> {
    let format = args.format.format;
    match args.part {
        None => everything(format, style),
        Some(DoctorPart::Devices) => devices(format, style),
        Some(DoctorPart::Compilers) => compilers(format, style),
    }
}

fn devices(format: Format, style: Style) -> anyhow::Result<Exit> {
    let apis: Vec<RunnerKind> = RunnerKind::driven().collect();
    let listing = DeviceListing::of(&apis, &Launch::for_run(std::env::current_exe()?, &[], true)?);
    match format {
        Format::Json => {
            let DeviceListing { devices, notes, failures, .. } = &listing;
            let answer = json!({"schema": SCHEMA, "devices": devices, "notes": notes, "failed_listings": failures});
            print_json(&format!("{answer}\n"));
        }
        Format::Text => print(&listing::devices(&listing.devices, style)),
    }

    warn_of_listing(&listing);
    Ok(exit_of_listing(&listing))
}

fn exit_of_listing(listing: &DeviceListing) -> Exit {
    let is_complete = listing.failures.is_empty() && !listing.devices.is_empty();
    if is_complete { Exit::Agree } else { Exit::Missing }
}

fn everything(format: Format, style: Style) -> anyhow::Result<Exit> {
    let tools = MachineTools::find()?;
    let launch = Launch::for_run(std::env::current_exe()?, &[], true)?;
    let apis: Vec<RunnerKind> = RunnerKind::driven().collect();
    let listing = DeviceListing::of(&apis, &launch);

    let mut findings = tools_findings(&tools);
    findings.extend(driver_findings(&listing, &launch.drivers));
    findings.extend(direct3d_finding(&listing, &launch));
    findings.push(match SpirvVal::find() {
        Some(validator) => {
            let (version, program, origin) = (validator.version(), validator.program().display(), validator.origin());
            let newer = validator
                .newer_version()
                .map(|newer| format!("; {newer} for modules of files, and those that it does not know"));
            good("spirv-val", format!("{version}, {program}, {origin}{}", newer.unwrap_or_default()))
        }
        None => missing(
            "spirv-val",
            "modules go to devices unchecked",
            "`layoutproof setup spirv-tools` installs it; SPIRV_VAL names one of your own",
        ),
    });
    let found = Compiler::look(tools.folder());
    findings.extend(compiler_findings(&found));
    match format {
        Format::Json => {
            let DeviceListing { devices, notes, failures, .. } = &listing;
            let findings: Vec<Value> = findings.iter().map(finding_json).collect();
            let answer = json!({
                "schema": SCHEMA,
                "findings": findings,
                "devices": devices,
                "notes": notes,
                "failed_listings": failures,
                "compilers": compilers_json(&found.compilers),
                "broken": broken_json(&found),
            });
            print_json(&format!("{answer}\n"));
        }
        Format::Text => print(&listing::doctor(&findings, style)),
    }
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
    for id in ["lavapipe", "swiftshader", CURRENT_LAVAPIPE]
        .iter()
        .filter(|id| !listing.devices.iter().any(|device| device.id == **id))
    {
        findings.push(missing(id, "no such device", &format!("`layoutproof setup {id}` installs it")));
    }

    if !listing.devices.iter().any(|device| device.runner == RunnerKind::WebGpu) {
        let advice = "`layoutproof setup tint` fetches the library of Dawn, which Node.js runs";
        findings.push(missing("dawn", "no such device", advice));
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
fn compiler_findings(machine: &CompilersOfMachine) -> Vec<Finding> {
    let CompilersOfMachine { compilers, broken, notes } = machine;
    let mut findings: Vec<Finding> = compilers.iter().map(found).collect();
    findings.extend(notes.iter().map(|note| warning("compiler", note.clone())));
    findings.extend(broken.iter().map(broken_compiler));
    findings.extend(absent(machine).map(|known| missing(known.name, "not found", &known.advice())));
    findings
}

/// The compilers that are not on this machine.
fn absent(machine: &CompilersOfMachine) -> impl Iterator<Item = &'static ProgramLookup> {
    Compiler::known().filter(move |known| {
        !machine.compilers.iter().any(|compiler| compiler.name() == known.name)
            && !machine.broken.iter().any(|broken| broken.name == known.name)
    })
}

fn broken_compiler(compiler: &BrokenCompiler) -> Finding {
    broken(compiler.name, compiler.reason.clone())
}

fn compilers(format: Format, style: Style) -> anyhow::Result<Exit> {
    let tools = MachineTools::find()?;
    let machine = Compiler::look(tools.folder());
    let all = &machine.compilers;

    match format {
        Format::Json => {
            let answer = json!({"schema": SCHEMA, "compilers": compilers_json(all), "broken": broken_json(&machine)});
            print_json(&format!("{answer}\n"));
        }
        Format::Text => {
            let absent = absent(&machine).map(|known| missing(known.name, "not found", &known.advice()));
            let broken = machine.broken.iter().map(broken_compiler);
            let built_in = good("naga", format!("{NAGA_VERSION}, built in"));
            let findings: Vec<Finding> = all.iter().map(found).chain([built_in]).chain(broken).chain(absent).collect();
            print(&listing::doctor(&findings, style));
        }
    }

    for note in tools.note().into_iter().chain(machine.notes) {
        warn(&format!("note: {note}\n"));
    }
    Ok(Exit::Agree)
}

fn broken_json(machine: &CompilersOfMachine) -> Vec<Value> {
    machine.broken.iter().map(|broken| json!({"name": broken.name, "reason": broken.reason})).collect()
}

fn compilers_json(all: &[Compiler]) -> Vec<Value> {
    let listed = all.iter().map(|compiler| {
        json!({
            "name": compiler.name(),
            "version": compiler.version(),
            "program": compiler.program().display().to_string(),
            "origin": compiler.origin().to_string(),
        })
    });
    listed.chain([json!({"name": "naga", "version": NAGA_VERSION})]).collect()
}

fn finding_json(finding: &Finding) -> Value {
    let Finding { health, name, detail, advice } = finding;
    let health = match health {
        ToolHealth::Good => "found",
        ToolHealth::Warning => "warning",
        ToolHealth::Missing => "missing",
        ToolHealth::Broken => "broken",
    };
    json!({"health": health, "name": name, "detail": detail, "advice": advice})
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
