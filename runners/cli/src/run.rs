//! `layoutproof run`: select, find devices, carry out, judge, report.

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use layoutproof::check::{Check, Placed, Producer, ProofCheck, Settings};
use layoutproof::coverage::subject_kinds;
use layoutproof::diagnostics::render;
use layoutproof::dxil::Evaluator;
use layoutproof::floors::{self, Floor};
use layoutproof::known::Known;
use layoutproof::layout::DECLARED;
use layoutproof::model::{BINDING_MISREADINGS, MISREADINGS, Model};
use layoutproof::record::{CheckRecord, Form, Outcome, RunEnd, Space, Stage};
use layoutproof::report::Style;
use layoutproof::report::summary::Exit;
use layoutproof::runner::{DeviceInfo, Runner, RunnerKind};
use layoutproof::toolchain::{Compile, Toolchain, toolchains};
use layoutproof_compilers::toolchains::Toolchains;

use crate::args::RunArgs;
use crate::execute::Making;
use crate::final_report::FinalReport;
use crate::interrupt::Interrupt;
use crate::ledger::{Closed, Ledger};
use crate::lists::{BuiltInKnown, known_lists, lists};
use crate::output::warn;
use crate::pool::{self, JOB_LIMIT, Launch};
use crate::records_file::{self, RecordsFile};
use crate::rotation::Rotation;
use crate::selection::{Selection, rule_set, select};
use crate::shader_cache::ShaderCache;
use crate::{compilers, execute, proofs, resume};

/// Runs and reports.
///
/// # Errors
/// What kept it from running.
pub(crate) fn run(args: &RunArgs, style: Style) -> anyhow::Result<Exit> {
    let started = Instant::now();
    // Listing devices already makes Mesa set a cache up.
    let cache = ShaderCache::look();
    let wanted = Wanted::of(args)?;
    if let Some(absent) = wanted.missing_compiler() {
        warn(&format!("error: {absent}\n"));
        return Ok(Exit::Missing);
    }
    let selection = select(args, &wanted.chosen_toolchains())?;
    warn(&render(&selection.warnings, &selection.sources, style.colour));
    // A shard may be empty, and still the report of all shards waits for its records.
    if selection.subjects.is_empty() && selection.placed.is_empty() && args.part.shard.is_none() {
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
    let run = Run { args, wanted: &wanted, selection: &selection, devices: &devices, cache };
    run.carry_out(started, style)
}

/// A run that is going to happen: what is asked for, of what, on which devices.
struct Run<'a> {
    args: &'a RunArgs,
    wanted: &'a Wanted,
    selection: &'a Selection,
    devices: &'a [DeviceInfo],
    cache: ShaderCache,
}

impl Run<'_> {
    fn carry_out(&self, started: Instant, style: Style) -> anyhow::Result<Exit> {
        let Self { args, wanted, selection, devices, .. } = *self;
        let mut proofs = proofs::plan(&selection.placed, &wanted.producers, devices);
        let placed = selection.placed.iter().filter(|placed| wanted.all_witnesses && placed.expected.is_some());
        let placed: Vec<&Placed> = placed.collect();
        let mut names = execute::names(&selection.subjects, &wanted.producers, devices);
        names.extend(proofs.iter().map(ProofCheck::name));
        names.extend(placed.iter().map(|placed| placed.name()));
        names.retain(|name| selection.part.takes_trial(name));
        if names.is_empty() && args.part.shard.is_none() {
            warn("nothing is selected: no device takes what these producers make\n");
            return Ok(Exit::NothingSelected);
        }
        let mut ledger = Ledger::new(&names, &wanted.known, devices);
        self.begin_records(&mut ledger)?;
        let lacks = |name: &str| ledger.lacks(name);
        let checks = execute::plan(&selection.subjects, devices, wanted.making(), lacks);
        proofs.retain(|proof| ledger.lacks(&proof.name()));
        let static_records: Vec<CheckRecord> =
            placed.iter().filter(|placed| ledger.lacks(&placed.name())).map(|placed| placed.record()).collect();
        run_checks((&checks, &proofs), wanted, &mut ledger);
        for record in static_records {
            ledger.add(record);
        }
        let Closed { records, end, file } = ledger.close();
        let end = RunEnd { shader_cache: self.cache.state(devices).map(str::to_owned), ..end };
        let seconds = Some(started.elapsed().as_secs_f64());
        let report = FinalReport { outputs: &args.outputs, devices, records: &records, end: &end, seconds, style };
        // A file that cannot be written must cost the user neither the report nor the other files.
        report.print();
        let ended = file.end(&records, &end);
        report.write_files()?;
        ended?;
        Ok(report.exit(&self.missing(&records)))
    }

    /// Takes over what an earlier run has done, and begins the records file.
    fn begin_records(&self, ledger: &mut Ledger<'_>) -> anyhow::Result<()> {
        let texts = format!("{}{}", self.selection.texts, self.wanted.known_text);
        let header = records_file::header(self.devices, self.selection.cases, &texts);
        if let Some(path) = &self.args.resume {
            ledger.resume(resume::read(path, &header)?)?;
        }
        if let Some(path) = self.args.outputs.json.as_ref().or(self.args.resume.as_ref()) {
            ledger.write_to(RecordsFile::begin(path, header, &ledger.so_far()));
        }
        Ok(())
    }

    /// What the run was to show and did not, a sentence each.
    fn missing(&self, records: &[CheckRecord]) -> Vec<String> {
        let floors = missed_floors(&self.wanted.floors, self.selection, records);
        let mut missing: Vec<String> = floors.into_iter().map(|floor| format!("floor not met: {floor}")).collect();
        let skipped = records.iter().filter(|record| record.outcome == Outcome::Skipped);
        let reasons = skipped.map(|record| record.skip_reason.as_deref().unwrap_or(""));
        let named = |reason: &&str| self.args.forbid_skip.as_ref().is_some_and(|text| reason.contains(text));
        let forbidden = reasons.filter(named).count();
        if forbidden > 0 {
            missing.push(format!("{forbidden} checks were skipped for a reason that --forbid-skip names"));
        }
        missing
    }
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
    rotation: Rotation,
    device_ids: Vec<String>,
    runners: BTreeSet<RunnerKind>,
    required: Vec<String>,
    known: Vec<Known>,
    /// The same entries, whatever the shard, for comparisons with another run.
    known_text: String,
    floors: Vec<Floor>,
    /// Whether no flag picks devices, APIs, producers or forms, so that checks without any of them take part.
    all_witnesses: bool,
}

impl Wanted {
    fn of(args: &RunArgs) -> anyhow::Result<Self> {
        let toolchains = if args.producer.is_empty() {
            Toolchains::default()
        } else {
            compilers::find(args.compile_limit).keep(args.keep.clone())
        };
        let producers = producers(&args.producer, &toolchains)?;
        let runners =
            [RunnerKind::Ash, RunnerKind::Wgpu, RunnerKind::Dxil, RunnerKind::Model].map(|kind| (kind.as_str(), kind));
        let forms = Form::ALL.map(|form| (form.as_str(), form));
        let misreadings = MISREADINGS.iter().chain(BINDING_MISREADINGS);
        let misreadings: Vec<_> = misreadings.map(|misreading| (misreading.name, *misreading)).collect();
        let planted = args.plant_misreading.iter().cloned().collect::<Vec<_>>();
        let misreading = if planted.is_empty() { None } else { choose("misreading", &planted, &misreadings)?.pop() };
        let known = known_lists(&args.known, BuiltInKnown::of(args))?;
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
            launch: Launch {
                misreading,
                fault: args.plant_fault.clone(),
                job_limit: args.time_limit.unwrap_or(JOB_LIMIT),
                interrupt: Interrupt::listen()?,
                ..Launch::of(std::env::current_exe()?)
            },
            rotation: if args.no_fuse { Rotation::All } else { Rotation::Turn(args.rotation) },
            device_ids: args.device.clone(),
            runners: choose("runner", &args.runner, &runners)?.into_iter().collect(),
            required: args.require.clone(),
            known_text: format!("{known:?}"),
            known: match args.part.shard {
                None => known,
                Some(_) => known.into_iter().map(Known::of_shard).collect(),
            },
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

    /// How shaders are made.
    fn making(&self) -> Making<'_> {
        let Self { producers, settings, toolchains, launch, .. } = self;
        Making { producers, settings, compilers: toolchains, launch }
    }

    /// The devices to run on: those of every API, and the model.
    fn devices(&self) -> (Vec<DeviceInfo>, Vec<String>) {
        let named_model_only = !self.device_ids.is_empty() && self.device_ids.iter().all(|id| id == "model");
        let wanted = |api: &RunnerKind| self.runners.contains(api) && !named_model_only;
        let apis: Vec<RunnerKind> = pool::DRIVEN.into_iter().filter(wanted).collect();
        let (mut devices, notes) = pool::enumerate(&apis, &self.launch);
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
        let of_name: Vec<Producer> = built_in.chain(compilers).collect();
        if of_name.is_empty() {
            bail!("unknown producer `{name}`; known are all, {}", known_producers());
        }
        found.extend(of_name);
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

fn run_checks((checks, proofs): (&[Check], &[ProofCheck]), wanted: &Wanted, ledger: &mut Ledger<'_>) {
    let progress = progress(checks.len() + proofs.len());
    let mut keep = |_: usize, record: CheckRecord| {
        progress.set_message(format!("{}/{}  {}", record.device, record.runner.as_str(), record.case));
        progress.inc(1);
        ledger.add(record);
    };
    execute::execute(checks, &wanted.launch, wanted.rotation, &mut keep);
    proofs::execute(proofs, &wanted.launch, keep);
    progress.finish_and_clear();
}

/// A bar on a terminal, nothing elsewhere.
pub(crate) fn progress(length: usize) -> ProgressBar {
    let hidden = std::env::var_os("CI").is_some();
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
    let bar = ProgressBar::with_draw_target(Some(length as u64), target);
    let style = ProgressStyle::with_template("   Running {human_pos}/{human_len}  {bar:20}  {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
