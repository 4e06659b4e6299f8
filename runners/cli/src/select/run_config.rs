//! The validated arguments of a run: producers, devices, lists, and how shaders are made.
//!
//! `layoutproof run` builds it from the command line, before it reads or runs anything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof_bindings::Target;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::check::{BindingCheck, CompiledAccesses, Settings};
use layoutproof_core::results::floors::Floor;
use layoutproof_core::results::known::KnownFailure;
use layoutproof_device::devices::VISITOR;
use layoutproof_device::{DeviceInfo, JOB_LIMIT, Provider, RunnerKind};
use layoutproof_events::producer::Producer;
use layoutproof_events::{CheckRecord, OutcomeKind};
use layoutproof_executor::answer::{Answer, OneByOne};
use layoutproof_executor::batching::Batching;
use layoutproof_executor::compiler_devices::CompilerDevices;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::interrupt::Interrupt;
use layoutproof_executor::launch::Launch;
use layoutproof_executor::plan::ShaderProduction;
use layoutproof_inputs::rule_set::rule_set;
use layoutproof_layout::ElementChoice;
use layoutproof_model::{BINDING_MISREADINGS, MISREADINGS};
use layoutproof_probes::{AddressSpace, Form, Stage};
use layoutproof_readers::toolchain::{Compilers, RULES_TO_TRANSLATE, Toolchain, toolchains, translators};
use layoutproof_source::nearest_name::{did_you_mean, known_names};

use crate::answer_cache;
use crate::args::RunArgs;
use crate::compilers;
use crate::output::warn;
use crate::progress::Progress;
use crate::select::lists::{floors, known_of_run, of_compilers, text_of};
use crate::select::shipping::{self, FileChecks, ShippedTarget, targets_of};

/// The name that selects every space.
const ALL_SPACES: &str = "all";

/// Printed at the first Ctrl-C.
const INTERRUPTED: &str = "\nnote: interrupted: \
                                      the report of the finished checks follows; interrupt again to stop at once\n";

/// Listens for Ctrl-C and similar signals, and prints a note at the first.
pub(crate) fn listen_for_the_end() -> anyhow::Result<Interrupt> {
    Interrupt::listen(|| warn(INTERRUPTED))
}

/// True if compilers make the shaders of files. The model runs no compiler's code.
pub(crate) fn uses_compilers(args: &RunArgs) -> bool {
    !args.no_compiler && !names_model_only(&args.device)
}

/// True if the user names the model and no other device, so that no driver is used.
fn names_model_only(device_ids: &[String]) -> bool {
    !device_ids.is_empty() && device_ids.iter().all(|id| id == "model")
}

/// True if every compiler makes shaders of cases, because no option names some. Devices and APIs choose what runs the
/// shaders, not what makes them. A compiled shader has all of its forms, so a run of some forms has none.
fn makes_cases_with_all(args: &RunArgs, runners: &BTreeSet<RunnerKind>) -> bool {
    let names_makers = args.no_compiler || !args.producer.is_empty() || !args.translators().is_empty();
    let is_usual = !names_makers && !args.names_files() && has_devices(&args.device, runners);
    if is_usual && !args.form.is_empty() {
        warn(
            "note: --form chooses among the probes of `rspirv` and `naga`, so no compiler is run: --compiler names one\n",
        );
    }
    is_usual && args.form.is_empty()
}

/// True unless the user names the model alone.
fn has_devices(device_ids: &[String], runners: &BTreeSet<RunnerKind>) -> bool {
    !names_model_only(device_ids) && runners.iter().any(|runner| *runner != RunnerKind::Model)
}

pub(crate) struct RunConfig {
    pub(crate) producers: Vec<Producer>,
    /// The targets of a run of files that names no other checks; empty if it asks no compiler.
    pub(crate) shipped: Vec<ShippedTarget>,
    /// The compilers among the producers; empty if the run uses no compiler.
    pub(crate) toolchains: Toolchains,
    /// Forms, spaces, stages and array elements that generators probe.
    pub(crate) settings: Settings,
    /// How workers are started.
    pub(crate) launch: Launch,
    /// Shows what the run does.
    pub(crate) progress: Progress,
    /// Which devices run the output of compilers.
    pub(crate) compiler_devices: CompilerDevices,
    /// The number of the run; `None` if every check is answered by itself.
    batching: Option<u64>,
    device_ids: Vec<String>,
    runners: BTreeSet<RunnerKind>,
    /// The devices and compilers that must take part.
    required: Vec<String>,
    pub(crate) known: Vec<KnownFailure>,
    /// The same entries as text, regardless of the shard, for comparisons with another run.
    pub(crate) known_text: String,
    /// The floors that devices must reach.
    pub(crate) floors: Vec<Floor>,
    /// True if no flag selects devices, APIs, producers or forms, so that checks without these run
    /// too.
    pub(crate) all_witnesses: bool,
}

impl RunConfig {
    /// Validates the arguments. `progress` shows what the run does; `interrupt` is set when the
    /// user stops it.
    pub(crate) fn of(args: &RunArgs, progress: &Progress, interrupt: Interrupt) -> anyhow::Result<Self> {
        let cache = answer_cache::open(&args.cache);
        let all_witnesses =
            [&args.device, &args.runner, &args.producer, &args.form].iter().all(|named| named.is_empty());
        let named_translators = args.translators();
        let translates = !named_translators.is_empty();
        let all_witnesses = all_witnesses && !translates;
        let runners = runners(&args.runner)?;
        let forms = choose("form", &args.form, &Form::ALL.map(|form| (form.as_str(), form)))?;
        let asks_all = makes_cases_with_all(args, &runners);
        let find = |names: &[String]| compilers::find(names, args.compile_limit, cache.as_ref());
        let files = FileChecks::of_files(args)?;
        let targets = targets_of(&files);
        let (toolchains, producers, shipped) = if translates {
            let toolchains = find(&named_translators)?;
            let producers = translators_of_run(args, &named_translators, &toolchains)?;
            (toolchains, producers, Vec::new())
        } else if !targets.is_empty() && uses_compilers(args) {
            let toolchains = match args.producer.as_slice() {
                [] => shipping::find_compilers(&targets, find)?,
                named => find(named)?,
            };
            let shipped = shipping::shipped(&targets, &toolchains, &args.producer);
            let mut producers = shipping::compilers(&shipped);
            let has_others = files.len() < args.inputs.len() || files.contains(&FileChecks::Generated);
            if has_others && args.producer.is_empty() {
                producers.extend(Producer::BUILT_IN);
                producers.sort();
            }
            (toolchains, producers, shipped)
        } else {
            let asked = if asks_all { vec![compilers::ALL.to_owned()] } else { args.producer.clone() };
            let toolchains = find(&asked)?;
            let producers = producers(&asked, &toolchains)?;
            (toolchains, producers, Vec::new())
        };
        let toolchains = toolchains.keep(args.keep.clone());

        let misreadings = MISREADINGS.iter().chain(BINDING_MISREADINGS);
        let misreadings: Vec<_> = misreadings.map(|misreading| (misreading.name, *misreading)).collect();
        let planted = args.plant_misreading.iter().cloned().collect::<Vec<_>>();
        let misreading = if planted.is_empty() { None } else { choose("misreading", &planted, &misreadings)?.pop() };

        let known = known_of_run(args)?;
        let known_here = of_compilers(known.clone(), &toolchains);
        let planted_rules = args.plant_rules.as_deref().map(rule_set).transpose()?.cloned();

        Ok(Self {
            producers,
            shipped,
            toolchains,
            settings: Settings {
                forms: forms.into_iter().collect(),
                spaces: spaces(&args.space)?,
                stages: named("stage", &args.stage, &Stage::ALL.map(|stage| (stage.as_str(), stage)))?,
                compiled: CompiledAccesses::All,
                elements: if args.every_element { ElementChoice::Every } else { ElementChoice::Sample },
                planted_rules,
            },
            launch: Launch {
                misreading,
                fault: args.plant_fault.clone(),
                job_limit: args.time_limit.unwrap_or(JOB_LIMIT),
                threads: args.jobs,
                page: Launch::page_for(&[&args.device[..], &args.require].concat())?,
                interrupt,
                watcher: Arc::new(progress.clone()),
                spare_workers: Some(Arc::default()),
                cache,
                ..Launch::for_run(
                    std::env::current_exe()?,
                    &[&args.device[..], &args.require].concat(),
                    args.every_device && args.device.is_empty(),
                )?
            },
            progress: progress.clone(),
            compiler_devices: if (asks_all || translates) && !args.every_device {
                CompilerDevices::OneDriver { turn: args.rotation }
            } else {
                CompilerDevices::Every
            },
            batching: (!args.no_fuse).then_some(args.rotation),
            device_ids: args.device.clone(),
            runners,
            required: args.require.clone(),
            known_text: text_of(&known),
            known: match args.part.shard {
                None => known_here,
                Some(_) => known_here.into_iter().map(KnownFailure::of_shard).collect(),
            },
            floors: floors(&args.floors)?,
            all_witnesses,
        })
    }

    /// The compilers that the run uses.
    pub(crate) fn chosen_toolchains(&self) -> Vec<&'static Toolchain> {
        let chosen = self.producers.iter().filter_map(|producer| match producer {
            Producer::Generator(_) => None,
            Producer::Compiler(toolchain) => Some(*toolchain),
        });
        chosen.collect()
    }

    /// A message about each required compiler without a result in these records.
    pub(crate) fn silent_compilers(&self, records: &[CheckRecord]) -> Vec<String> {
        let answers = |record: &CheckRecord, name: &str| {
            let is_answer = !matches!(record.outcome.kind(), OutcomeKind::Skipped | OutcomeKind::Broken);
            is_answer && record.id.producer.producer().is_some_and(|producer| is_called(producer, name))
        };
        let required = self.required.iter().filter(|name| is_producer(name));
        let silent = required.filter(|name| !records.iter().any(|record| answers(record, name)));
        silent.map(|name| format!("compiler `{name}` is required and gave no result")).collect()
    }

    /// A message about a requested compiler that was not found.
    pub(crate) fn missing_compiler(&self) -> Option<String> {
        let takes_part = |name: &String| self.producers.iter().any(|producer| is_called(*producer, name));
        if let Some(absent) = self.required.iter().find(|name| is_producer(name) && !takes_part(name)) {
            let listing = "`layoutproof doctor compilers` lists those that were found";
            return Some(format!("compiler `{absent}` is required and takes no part ({listing})"));
        }
        let name = self.chosen_toolchains().into_iter().find_map(|toolchain| self.toolchains.missing(toolchain))?;
        if let Some(broken) = self.toolchains.broken().iter().find(|broken| broken.name == name) {
            return Some(format!("compiler `{name}` is broken: {}", broken.reason));
        }
        Some(format!("compiler `{name}` was not found (`layoutproof doctor compilers` says how to name one)"))
    }

    /// The options for making shaders. `compilers` may be more than those among the producers.
    pub(crate) fn making<'a>(&'a self, compilers: &'a Toolchains) -> ShaderProduction<'a> {
        let Self { producers, settings, compiler_devices, launch, .. } = self;
        ShaderProduction { producers, settings, compilers, compiler_devices: *compiler_devices, launch }
    }

    /// One job per check, or batches.
    pub(crate) fn answer(&self) -> Box<dyn Answer> {
        match self.batching {
            Some(turn) => Box::new(Batching::new(turn)),
            None => Box::new(OneByOne),
        }
    }

    /// The placements that are compared with the case without any device.
    pub(crate) fn checks_without_device<'a>(&self, placed: &'a [BindingCheck]) -> Vec<&'a BindingCheck> {
        placed.iter().filter(|placed| self.all_witnesses && placed.expected.is_some()).collect()
    }

    /// The compilers whose registers are checked on devices. These are the run's compilers. If the
    /// user chose none, and placements for Direct3D 12 can be proved, these are all compilers.
    pub(crate) fn compilers_of_registers(
        &self,
        args: &RunArgs,
        placed: &[BindingCheck],
        devices: &[DeviceInfo],
    ) -> anyhow::Result<Toolchains> {
        let is_chosen = !args.producer.is_empty() || args.no_compiler || !self.chosen_toolchains().is_empty();
        let has_device = devices.iter().any(|device| device.direct3d.is_some());
        let has_registers = placed.iter().any(|placed| placed.request.target == Target::D3d12);
        if is_chosen || !has_device || !has_registers {
            return Ok(self.toolchains.clone());
        }
        let all = [compilers::ALL.to_owned()];
        Ok(compilers::find(&all, args.compile_limit, self.launch.cache.as_ref())?.keep(args.keep.clone()))
    }

    /// The devices for the run: those of the selected APIs, the model, and the evaluators of what
    /// the producers make.
    pub(crate) fn devices(&self) -> ChosenDevices {
        let is_asked = |api: &RunnerKind| self.runners.contains(api) && !names_model_only(&self.device_ids);
        let mut apis: Vec<RunnerKind> = RunnerKind::driven().filter(is_asked).collect();
        apis.push(RunnerKind::Model);
        apis.extend(RunnerKind::ALL.iter().filter(|api| {
            api.provider() == Provider::Evaluator && self.producers.iter().any(|producer| producer.feeds(**api))
        }));

        if let Some(page) = &self.launch.page {
            self.progress.pause(|| {
                warn(&format!(
                    "note: open {page} in the browser to test; the run waits 10 minutes for it, and needs the tab to stay open\n"
                ));
            });
        }
        let mut listing = DeviceListing::of(&apis, &self.launch);

        let named = listing.devices.iter().map(|device| (device.id.clone(), device.runner.provider()));
        let mut found: BTreeMap<String, Provider> = named.collect();
        if listing.devices.iter().any(|device| device.is_named(VISITOR)) {
            found.insert(VISITOR.to_owned(), Provider::Driver);
        }
        listing.devices.retain(|device| {
            let is_chosen = self.device_ids.is_empty() || self.device_ids.iter().any(|id| device.is_named(id));
            self.runners.contains(&device.runner) && is_chosen
        });
        ChosenDevices { listing, found }
    }

    /// True unless the user names the model alone.
    pub(crate) fn has_devices(&self) -> bool {
        has_devices(&self.device_ids, &self.runners)
    }

    /// The ids of devices that the user chooses or requires.
    fn named_devices(&self) -> impl Iterator<Item = &String> {
        self.required.iter().filter(|name| !is_producer(name)).chain(&self.device_ids)
    }

    pub(crate) fn names_devices(&self) -> bool {
        self.named_devices().next().is_some()
    }

    /// A message about a missing device. The model follows the shader by definition, so it proves
    /// nothing; it is enough only if the user asks for the model alone.
    pub(crate) fn missing_device(&self, chosen: &ChosenDevices) -> Option<String> {
        let ChosenDevices { listing, found } = chosen;
        let devices = &listing.devices;
        let unknown = self.named_devices().find(|id| !found.contains_key(*id));
        let driven = found.iter().filter(|(_, provider)| **provider == Provider::Driver);
        let drivers = driven.map(|(id, _)| id.as_str()).collect::<Vec<_>>();
        if let Some(id) = unknown.filter(|_| !drivers.is_empty() && listing.failures.is_empty()) {
            return Some(format!("no device `{id}`; found {}{}", drivers.join(", "), did_you_mean(id, drivers)));
        }

        let asked_for_model = self.device_ids.iter().any(|id| id == "model") || self.runners.len() == 1;
        // The evaluator counts as a device if the user named compilers, whose code it reads. Among
        // the default participants it does not replace a driver.
        let is_real = |device: &DeviceInfo| match device.runner.provider() {
            Provider::Driver => true,
            Provider::Evaluator => !self.all_witnesses,
            Provider::Model => false,
        };
        let real = devices.iter().any(is_real);
        if devices.is_empty() || (!real && !asked_for_model) {
            if !listing.failures.is_empty() {
                return Some("no device is left, so nothing can be proved".to_owned());
            }
            return Some(
                "no device: no Vulkan or GL driver was found, so nothing can be proved (`layoutproof setup` fetches \
                 software drivers, `layoutproof doctor` says what is missing, --device model runs the CPU model)"
                    .to_owned(),
            );
        }

        let absent = |id: &&String| !devices.iter().any(|device| device.is_named(id));
        let missing = self.named_devices().find(absent);
        missing.map(|id| format!("device `{id}` is required and was not found"))
    }
}

/// The translators of a run. Notes say which are left out, and which rule sets the modules of cases
/// have.
fn translators_of_run(args: &RunArgs, named: &[String], found: &Toolchains) -> anyhow::Result<Vec<Producer>> {
    let mut producers = translator_producers(named)?;
    if args.every_translator {
        let is_here = |producer: &Producer| matches!(producer, Producer::Compiler(toolchain) if found.has(toolchain));
        let (here, absent): (Vec<Producer>, Vec<Producer>) = producers.into_iter().partition(is_here);
        producers = here;
        if !absent.is_empty() {
            let absent: Vec<String> = absent.iter().map(ToString::to_string).collect();
            warn(&format!("note: left out, since their programs are not here: {}\n", absent.join(", ")));
        }
    }
    if args.rules.is_empty() && !args.names_files() {
        let rules = RULES_TO_TRANSLATE.join(", ");
        warn(&format!("note: modules of cases have the offsets of {rules}; --rules names other rule sets\n"));
    }
    Ok(producers)
}

/// The devices of a run, and all that were found.
#[derive(Debug, Default)]
pub(crate) struct ChosenDevices {
    /// The devices that take part.
    pub(crate) listing: DeviceListing,
    /// The ids of all devices that were found, including excluded ones.
    pub(crate) found: BTreeMap<String, Provider>,
}

/// The producers of these names: generators, compilers, single toolchains, or `all`. Without names,
/// those that need no compiler.
fn producers(names: &[String], toolchains: &Toolchains) -> anyhow::Result<Vec<Producer>> {
    if names.is_empty() {
        return Ok(Producer::BUILT_IN.to_vec());
    }

    let mut found = Vec::new();
    for name in names {
        let built_in =
            Producer::BUILT_IN.into_iter().filter(|producer| name == compilers::ALL || producer.as_str() == name);
        let compilers = toolchains.named(name).into_iter().map(Producer::Compiler);
        let of_name: Vec<Producer> = built_in.chain(compilers).collect();
        if of_name.is_empty() {
            let known = known_producers();
            let listing = "`layoutproof doctor compilers` lists those that were found";
            bail!("unknown compiler `{name}`{}", known_names(name, known.iter().copied(), listing));
        }
        found.extend(of_name);
    }

    found.sort();
    found.dedup();
    Ok(found)
}

/// The translators of these names.
fn translator_producers(names: &[String]) -> anyhow::Result<Vec<Producer>> {
    let mut found = Vec::new();
    for name in names {
        let of_name: Vec<Producer> =
            translators().iter().filter(|it| it.is_named(name)).map(Producer::Compiler).collect();
        if of_name.is_empty() {
            let mut known: Vec<&str> = translators().iter().flat_map(|it| [it.compiler, it.name]).collect();
            known.sort_unstable();
            known.dedup();
            bail!("unknown translator `{name}`{}", known_names(name, known, "`layoutproof run --help` says more"));
        }
        found.extend(of_name);
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn is_producer(name: &str) -> bool {
    known_producers().contains(&name)
}

/// True for the name of a generator, of a compiler or of one of its toolchains.
fn is_called(producer: Producer, name: &str) -> bool {
    let is_compiler = matches!(producer, Producer::Compiler(toolchain) if toolchain.compiler == name);
    is_compiler || producer.as_str() == name
}

/// The names of all producers: the built-in ones, compilers, then single toolchains.
fn known_producers() -> Vec<&'static str> {
    let compilers = toolchains().iter().map(|toolchain| toolchain.compiler);
    let single = toolchains().iter().map(|toolchain| toolchain.name);
    let mut names = Vec::new();
    for name in Producer::BUILT_IN.iter().map(|producer| producer.as_str()).chain(compilers).chain(single) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The values that the user named, or all of them.
fn choose<T: Copy>(what: &str, named: &[String], all: &[(&str, T)]) -> anyhow::Result<Vec<T>> {
    if named.is_empty() {
        return Ok(all.iter().map(|(_, value)| *value).collect());
    }
    let find = |name: &String| {
        let found = all.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        found.with_context(|| {
            let known = all.iter().map(|(name, _)| *name);
            format!("unknown {what} `{name}`{}", known_names(name, known, "`layoutproof run --help` lists them"))
        })
    };
    named.iter().map(find).collect()
}

/// The APIs that the user named, or all of them. Records have other names for some of them.
fn runners(names: &[String]) -> anyhow::Result<BTreeSet<RunnerKind>> {
    let of_record = |name: &String| RunnerKind::ALL.iter().find(|kind| kind.as_str() == name);
    let names: Vec<String> =
        names.iter().map(|name| of_record(name).map_or_else(|| name.clone(), |kind| kind.api().to_owned())).collect();
    let known: Vec<_> = RunnerKind::ALL.iter().map(|kind| (kind.api(), *kind)).collect();
    Ok(choose("API", &names, &known)?.into_iter().collect())
}

/// The spaces that the user named; `None` if none.
fn spaces(names: &[String]) -> anyhow::Result<Option<BTreeSet<AddressSpace>>> {
    if names.iter().any(|name| name == ALL_SPACES) {
        return Ok(Some(AddressSpace::ALL.into()));
    }
    named("space", names, &AddressSpace::ALL.map(|space| (space.as_str(), space)))
}

/// The values that the user named; `None` if none.
fn named<T: Copy + Ord>(what: &str, named: &[String], all: &[(&str, T)]) -> anyhow::Result<Option<BTreeSet<T>>> {
    if named.is_empty() { Ok(None) } else { Ok(Some(choose(what, named, all)?.into_iter().collect())) }
}
