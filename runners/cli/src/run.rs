//! `layoutproof run`: select, find devices, carry out, judge, report.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use layoutproof::check::{Check, Placed, Producer, ProofCheck, Settings};
use layoutproof::coverage::subject_kinds;
use layoutproof::diagnostics::render;
use layoutproof::dxil::Evaluator;
use layoutproof::floors::{self, Floor};
use layoutproof::known::{self, Known};
use layoutproof::layout::DECLARED;
use layoutproof::model::{BINDING_MISREADINGS, MISREADINGS, Model};
use layoutproof::record::{CheckRecord, Form, Line, Outcome, RunEnd, RunHeader, SCHEMA, Space, Stage};
use layoutproof::report::summary::{Exit, Shortfalls, exit_of_run, fold};
use layoutproof::report::terminal::{RunFacts, check_line, failure_report, summary};
use layoutproof::report::{Style, github, json_lines, junit, matrix};
use layoutproof::runner::{DeviceInfo, Runner, RunnerKind};
use layoutproof::toolchain::{Compile, Toolchain, toolchains};
use layoutproof_compilers::spirv_val::SpirvVal;
use layoutproof_compilers::toolchains::Toolchains;

use crate::args::RunArgs;
use crate::execute::Making;
use crate::lists::{BuiltInKnown, known_lists, lists};
use crate::output::{print, warn};
use crate::pool::{self, Launch};
use crate::selection::{Selection, rule_set, select};
use crate::{drivers, execute, proofs};

/// The file that a failure report names where the user asked for none.
const DEFAULT_RECORDS: &str = "the records that --json FILE writes";

/// Runs and reports.
///
/// # Errors
/// What kept it from running.
pub(crate) fn run(args: &RunArgs, style: Style) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let wanted = Wanted::of(args)?;
    if let Some(absent) = wanted.missing_compiler() {
        warn(&format!("error: {absent}\n"));
        return Ok(Exit::Missing);
    }
    let selection = select(args, &wanted.chosen_toolchains())?;
    warn(&render(&selection.warnings, &selection.sources, style.colour));
    if selection.subjects.is_empty() && selection.placed.is_empty() {
        warn("nothing is selected: no case or file matches, or none speaks of these rule sets\n");
        return Ok(Exit::NothingSelected);
    }
    if let Some(module) = selection.subjects.iter().find(|subject| subject.rules == DECLARED) {
        if let Some(rules) = &wanted.settings.planted_rules {
            bail!("{} says its own offsets: it cannot be laid out under `{}`", module.source.id, rules.name);
        }
    }
    let (devices, notes) = if selection.needs_device() { wanted.devices() } else { Default::default() };
    for note in &notes {
        warn(&format!("note: {note}\n"));
    }
    if let Some(missing) = wanted.missing_device(&devices).filter(|_| selection.needs_device()) {
        warn(&format!("error: {missing}\n"));
        return Ok(Exit::Missing);
    }
    let compilers: Vec<Producer> = wanted.chosen_toolchains().into_iter().map(Producer::Compiler).collect();
    let mut checks = execute::plan(&selection.subjects, &devices, wanted.making(&wanted.producers));
    checks.extend(execute::plan(&selection.native, &devices, wanted.making(&compilers)));
    let proofs = proofs::plan(&selection.placed, &wanted.producers, &devices);
    let placed = selection.placed.iter().filter(|placed| wanted.all_witnesses && placed.expected.is_some());
    let placed: Vec<&Placed> = placed.collect();
    if checks.is_empty() && proofs.is_empty() && placed.is_empty() {
        warn("nothing is selected: no device takes what these producers make\n");
        return Ok(Exit::NothingSelected);
    }
    let mut records = carry_out((&checks, &proofs), &wanted);
    records.extend(placed.into_iter().map(Placed::record));
    known::apply(&wanted.known, &mut records, &devices);
    let missed = missed_floors(&wanted.floors, &selection, &records);
    let compilers = !compilers.is_empty();
    let report = Report { args, devices, records, cases: selection.cases, compilers, started, style };
    report.finish(&missed)
}

/// The floors that the records do not reach.
fn missed_floors(floors: &[Floor], selection: &Selection, records: &[CheckRecord]) -> Vec<String> {
    if floors.is_empty() {
        return Vec::new();
    }
    let kinds = selection.subjects.iter().map(|subject| {
        let check = (subject.source.id.clone(), subject.rules.to_owned());
        (check, subject_kinds(subject))
    });
    floors::missed(floors, records, &kinds.collect())
}

/// What the arguments ask for, checked.
struct Wanted {
    producers: Vec<Producer>,
    toolchains: Toolchains,
    settings: Settings,
    launch: Launch,
    device_ids: Vec<String>,
    runners: BTreeSet<RunnerKind>,
    required: Vec<String>,
    known: Vec<Known>,
    floors: Vec<Floor>,
    /// Whether no flag picks devices, APIs, producers or forms, so that checks without any of them take part.
    all_witnesses: bool,
}

impl Wanted {
    fn of(args: &RunArgs) -> anyhow::Result<Self> {
        let toolchains = if args.producer.is_empty() {
            Toolchains::default()
        } else {
            Toolchains::find(drivers::fetched_root().as_deref()).keep(args.keep.clone())
        };
        let producers = producers(&args.producer, &toolchains)?;
        let runners =
            [RunnerKind::Ash, RunnerKind::Wgpu, RunnerKind::Dxil, RunnerKind::Model].map(|kind| (kind.as_str(), kind));
        let forms = Form::ALL.map(|form| (form.as_str(), form));
        let misreadings = MISREADINGS.iter().chain(BINDING_MISREADINGS);
        let misreadings: Vec<_> = misreadings.map(|misreading| (misreading.name, *misreading)).collect();
        let planted = args.plant_misreading.iter().cloned().collect::<Vec<_>>();
        let misreading = if planted.is_empty() { None } else { choose("misreading", &planted, &misreadings)?.pop() };
        let planted_rules = args.plant_rules.as_deref().map(rule_set).transpose()?.cloned();
        Ok(Self {
            producers,
            toolchains,
            settings: Settings {
                forms: choose("form", &args.form, &forms)?.into_iter().collect(),
                spaces: named("space", &args.space, &Space::ALL.map(|space| (space.as_str(), space)))?,
                stages: named("stage", &args.stage, &Stage::ALL.map(|stage| (stage.as_str(), stage)))?,
                planted_rules,
            },
            launch: Launch { program: std::env::current_exe()?, misreading },
            device_ids: args.device.clone(),
            runners: choose("runner", &args.runner, &runners)?.into_iter().collect(),
            required: args.require.clone(),
            known: known_lists(&args.known, BuiltInKnown::of(args))?,
            floors: lists(args.floors.as_slice(), floors::read)?,
            all_witnesses: [&args.device, &args.runner, &args.producer, &args.form]
                .iter()
                .all(|named| named.is_empty()),
        })
    }

    /// The compilers that the user asks for.
    fn chosen_toolchains(&self) -> Vec<&'static Toolchain> {
        let chosen = self.producers.iter().filter_map(|producer| match producer {
            Producer::Generator(_) => None,
            Producer::Compiler(toolchain) => Some(*toolchain),
        });
        chosen.collect()
    }

    fn missing_compiler(&self) -> Option<String> {
        let absent = self.chosen_toolchains().into_iter().find(|toolchain| !self.toolchains.has(toolchain))?;
        let name = absent.compiler;
        Some(format!("compiler `{name}` is asked for and not here (`layoutproof compilers` says how to name one)"))
    }

    /// How shaders are made, by those of the producers that `who` takes.
    fn making<'a>(&'a self, producers: &'a [Producer]) -> Making<'a> {
        Making { producers, settings: &self.settings, compilers: &self.toolchains }
    }

    /// The devices to run on: those of every API, and the model.
    fn devices(&self) -> (Vec<DeviceInfo>, Vec<String>) {
        let real = self.runners.iter().any(|kind| *kind != RunnerKind::Model);
        let named_model_only = !self.device_ids.is_empty() && self.device_ids.iter().all(|id| id == "model");
        let (mut devices, notes) =
            if real && !named_model_only { pool::enumerate(&self.launch.program) } else { (Vec::new(), Vec::new()) };
        devices.push(Model::new().device().clone());
        if self.producers.iter().any(|producer| producer.feeds(RunnerKind::Dxil)) {
            devices.push(Evaluator::new().device().clone());
        }
        devices.retain(|device| {
            self.runners.contains(&device.runner)
                && (self.device_ids.is_empty() || self.device_ids.contains(&device.id))
        });
        (devices, notes)
    }

    /// The model follows the shader by definition, so it proves nothing alone unless the user asks for it alone.
    fn missing_device(&self, devices: &[DeviceInfo]) -> Option<String> {
        let asked_for_model = self.device_ids.iter().any(|id| id == "model") || self.runners.len() == 1;
        let real = devices.iter().any(|device| device.runner != RunnerKind::Model);
        if devices.is_empty() || (!real && !asked_for_model) {
            return Some(
                "no device: no Vulkan or GL driver was found, so nothing can be proved (ci/setup.sh fetches software \
                 drivers, `layoutproof doctor` says what is missing, --device model runs the CPU model)"
                    .to_owned(),
            );
        }
        let absent = |id: &&String| !devices.iter().any(|device| device.id == **id);
        let missing = self.required.iter().chain(&self.device_ids).find(absent);
        missing.map(|id| format!("device `{id}` is required and not here"))
    }
}

/// Those that need no compiler, or those of these names: generators, compilers, single toolchains, or `all`.
fn producers(names: &[String], toolchains: &Toolchains) -> anyhow::Result<Vec<Producer>> {
    if names.is_empty() {
        return Ok(Producer::BUILT_IN.to_vec());
    }
    let mut found = Vec::new();
    for name in names {
        let built_in = Producer::BUILT_IN.into_iter().filter(|producer| name == "all" || producer.as_str() == name);
        let compilers = toolchains.named(name).into_iter().map(Producer::Compiler);
        let named: Vec<Producer> = built_in.chain(compilers).collect();
        if named.is_empty() {
            bail!("unknown producer `{name}`; known are all, {}", known_producers());
        }
        found.extend(named);
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The names of all producers: first the compilers', then each with its options.
fn known_producers() -> String {
    let compilers = toolchains().iter().map(|toolchain| toolchain.compiler);
    let single = toolchains().iter().map(|toolchain| toolchain.name);
    let mut names: Vec<&str> = Vec::new();
    for name in Producer::BUILT_IN.iter().map(|producer| producer.as_str()).chain(compilers).chain(single) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// The values that the user named, or all.
fn choose<T: Copy>(what: &str, named: &[String], all: &[(&str, T)]) -> anyhow::Result<Vec<T>> {
    if named.is_empty() {
        return Ok(all.iter().map(|(_, value)| *value).collect());
    }
    let find = |name: &String| {
        let found = all.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        let known = || all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        found.with_context(|| format!("unknown {what} `{name}`; known are {}", known()))
    };
    named.iter().map(find).collect()
}

/// The values that the user named; `None` for none.
fn named<T: Copy + Ord>(what: &str, named: &[String], all: &[(&str, T)]) -> anyhow::Result<Option<BTreeSet<T>>> {
    if named.is_empty() { Ok(None) } else { Ok(Some(choose(what, named, all)?.into_iter().collect())) }
}

fn carry_out((checks, proofs): (&[Check], &[ProofCheck]), wanted: &Wanted) -> Vec<CheckRecord> {
    let progress = progress(checks.len() + proofs.len());
    let mut records: Vec<Option<CheckRecord>> = vec![None; checks.len() + proofs.len()];
    let mut keep = |index: usize, record: CheckRecord| {
        progress.set_message(format!("{}/{}  {}", record.device, record.runner.as_str(), record.case));
        progress.inc(1);
        records[index] = Some(record);
    };
    execute::execute(checks, &wanted.launch, &mut keep);
    proofs::execute(proofs, &wanted.launch, |index, record| keep(checks.len() + index, record));
    progress.finish_and_clear();
    records.into_iter().flatten().collect()
}

/// A bar on a terminal, nothing elsewhere.
fn progress(length: usize) -> ProgressBar {
    let hidden = std::env::var_os("CI").is_some();
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
    let bar = ProgressBar::with_draw_target(Some(length as u64), target);
    let style = ProgressStyle::with_template("   Running {human_pos}/{human_len}  {bar:20}  {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A run that is over.
struct Report<'a> {
    args: &'a RunArgs,
    devices: Vec<DeviceInfo>,
    records: Vec<CheckRecord>,
    cases: usize,
    /// Whether compilers took part.
    compilers: bool,
    started: Instant,
    style: Style,
}

impl Report<'_> {
    fn finish(&self, missed_floors: &[String]) -> anyhow::Result<Exit> {
        let end = fold(&self.records);
        // A file that cannot be written must not cost the user the report.
        self.print(&end);
        self.write_files(&end)?;
        for sentence in missed_floors {
            warn(&format!("error: floor not met: {sentence}\n"));
        }
        let forbidden = self.forbidden_skips();
        if forbidden > 0 {
            warn(&format!("error: {forbidden} checks were skipped for a reason that --forbid-skip names\n"));
        }
        let shortfalls = Shortfalls { could_not_run: false, missing: !missed_floors.is_empty() || forbidden > 0 };
        Ok(exit_of_run(&end, shortfalls))
    }

    fn forbidden_skips(&self) -> usize {
        let Some(text) = &self.args.forbid_skip else { return 0 };
        let skipped = self.records.iter().filter(|record| record.outcome == Outcome::Skipped);
        skipped.filter(|record| record.skip_reason.as_deref().unwrap_or("").contains(text)).count()
    }

    fn print(&self, end: &RunEnd) {
        if self.args.verbose > 0 {
            self.records.iter().for_each(|record| print(&check_line(record, self.style)));
        }
        let file = self.args.json.as_ref().map_or(DEFAULT_RECORDS.to_owned(), |path| path.display().to_string());
        print(&failure_report(&self.records, &file, self.style));
        let seconds = Some(self.started.elapsed().as_secs_f64());
        let facts = RunFacts { devices: &self.devices, checks: &self.records, end, seconds };
        print(&summary(&facts, self.style));
        if self.compilers {
            print(&format!("\n{}", matrix::matrix(&self.records, self.style)));
        }
        if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
            print(&github::annotations(&self.records));
        }
    }

    fn write_files(&self, end: &RunEnd) -> anyhow::Result<()> {
        if let Some(path) = &self.args.json {
            let header = Line::Run(self.header());
            let checks = self.records.iter().cloned().map(|record| Line::Check(Box::new(record)));
            let lines = std::iter::once(header).chain(checks).chain([Line::End(end.clone())]);
            let text: String = lines.map(|line| json_lines::write(&line)).collect();
            write(path, &text)?;
        }
        if let Some(path) = &self.args.junit {
            write(path, &junit::junit(&self.records))?;
        }
        if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") {
            let matrix = if self.compilers { matrix::markdown(&self.records) } else { String::new() };
            write(Path::new(&path), &(github::markdown(&self.records) + &matrix))?;
        }
        Ok(())
    }

    fn header(&self) -> RunHeader {
        let validator = SpirvVal::find().map_or("missing".to_owned(), |validator| validator.version().to_owned());
        RunHeader {
            schema: SCHEMA,
            layoutproof: env!("CARGO_PKG_VERSION").to_owned(),
            devices: self.devices.clone(),
            tools: [
                ("spirv-val", validator.as_str()),
                ("naga", env!("NAGA_VERSION")),
                ("rspirv", env!("RSPIRV_VERSION")),
            ]
            .map(|(tool, version)| (tool.to_owned(), version.to_owned()))
            .into(),
            environment: drivers::recorded(),
            cases: u32::try_from(self.cases).unwrap_or(u32::MAX),
        }
    }
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}
