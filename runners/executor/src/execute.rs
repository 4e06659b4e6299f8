//! Carries out checks: makes and validates shaders, runs them on devices and judges the results.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use layoutproof_compilers::spirv_val::ValidatorAnswer;
use layoutproof_core::check::verdict::Validation;
use layoutproof_core::check::{Check, CheckId, ProbeSet, Producer, Settings, Subject, SubjectShaders, share_shaders};
use layoutproof_core::results::record::{CheckRecord, OutcomeKind};
use layoutproof_device::{DeviceInfo, Job};
use layoutproof_readers::toolchain::{CodeTarget, Compilers};

use crate::compiler_devices::CompilerDevices;
use crate::device_workers::JobResult;
use crate::drivers::DriverCompilation;
use crate::launch::Launch;
use crate::pool;
use crate::rotation::{self, Rotation, SparedKinds};
use crate::screen::{self, CheckProbes};
use crate::validator::Validator;

/// The inputs for making shaders and running them.
#[derive(Clone, Copy, Debug)]
pub struct ShaderProduction<'a> {
    /// The generators and compilers that make the shaders.
    pub producers: &'a [Producer],
    /// The forms, spaces, stages and elements that our generators probe.
    pub settings: &'a Settings,
    /// Runs the compilers among `producers`.
    pub compilers: &'a dyn Compilers,
    /// The devices that run compiler output.
    pub compiler_devices: CompilerDevices,
    /// The settings of workers.
    pub launch: &'a Launch,
}

impl ShaderProduction<'_> {
    /// Returns true if `device`, one of `devices`, runs the output of `producer` for `subject`.
    fn pairs(&self, subject: &Subject, producer: Producer, device: &DeviceInfo, devices: &[DeviceInfo]) -> bool {
        producer.feeds(device.runner)
            && producer.takes(subject)
            && self.compiler_devices.include(device, &subject.source.id, producer, devices)
    }
}

/// Number of cases that are planned together, with all their shaders in memory: enough for the
/// whole suite that comes with the program. The order of records in a file depends on it.
pub const CASES_AT_ONCE: usize = 640;

/// The subjects that have at least one check.
pub fn checked(subjects: &[Arc<Subject>], devices: &[DeviceInfo], making: ShaderProduction<'_>) -> Vec<Arc<Subject>> {
    let is_checked = |subject: &&Arc<Subject>| {
        making
            .producers
            .iter()
            .any(|producer| devices.iter().any(|device| making.pairs(subject, *producer, device, devices)))
    };
    subjects.iter().filter(is_checked).cloned().collect()
}

/// Splits the subjects of a run into parts of [`CASES_AT_ONCE`] neighbouring cases, which are
/// planned one after the other.
pub fn portions(subjects: &[Arc<Subject>]) -> Vec<&[Arc<Subject>]> {
    let of_one_case = |one: &Arc<Subject>, other: &Arc<Subject>| one.source.id == other.source.id;
    let mut portions = Vec::new();
    let mut rest = subjects;
    while !rest.is_empty() {
        let length = rest.chunk_by(of_one_case).take(CASES_AT_ONCE).map(<[_]>::len).sum();
        let (portion, behind) = rest.split_at(length);
        portions.push(portion);
        rest = behind;
    }
    portions
}

/// The id of every check that [`plan`] can make from the portions of these subjects, in the same
/// order.
pub fn ids(subjects: &[Arc<Subject>], devices: &[DeviceInfo], making: ShaderProduction<'_>) -> Vec<CheckId> {
    portions(subjects).into_iter().flat_map(|portion| ids_of_portion(portion, devices, making)).collect()
}

fn ids_of_portion(subjects: &[Arc<Subject>], devices: &[DeviceInfo], making: ShaderProduction<'_>) -> Vec<CheckId> {
    let producers: BTreeSet<Producer> = making.producers.iter().copied().collect();
    let of_device = |device: &DeviceInfo| {
        let of_producer = |producer: &Producer| {
            let taken = subjects.iter().filter(|subject| making.pairs(subject, *producer, device, devices));
            taken.map(|subject| Check::planned_id(subject, *producer, device)).collect::<Vec<_>>()
        };
        producers.iter().flat_map(of_producer).collect::<Vec<_>>()
    };
    devices.iter().flat_map(of_device).collect()
}

/// A check before its shaders are made.
#[derive(Clone, Copy, Debug)]
pub struct CheckPlan<'a> {
    pub subject: &'a Subject,
    pub producer: Producer,
    pub device: &'a DeviceInfo,
}

impl CheckPlan<'_> {
    pub fn id(&self) -> CheckId {
        Check::planned_id(self.subject, self.producer, self.device)
    }
}

/// Pairs every subject with every producer and device that fit, and keeps the checks that `takes`
/// accepts. Makes their shaders, in parallel.
pub fn plan(
    subjects: &[Arc<Subject>],
    devices: &[DeviceInfo],
    making: ShaderProduction<'_>,
    takes: impl Fn(CheckPlan<'_>) -> bool,
) -> Vec<Check> {
    let takes = |subject: usize, producer: Producer, device: &DeviceInfo| {
        let subject = &subjects[subject];
        making.pairs(subject, producer, device, devices) && takes(CheckPlan { subject, producer, device })
    };
    let producers = making.producers.iter();
    let orders: BTreeSet<ShaderOrder> = devices
        .iter()
        .flat_map(|device| {
            let of_producer = |producer: &Producer| {
                let producer = *producer;
                let own = (0..subjects.len()).filter(move |subject| takes(*subject, producer, device));
                own.map(move |subject| ShaderOrder { producer, target: CodeTarget::of(device), subject })
            };
            producers.clone().flat_map(of_producer).collect::<Vec<_>>()
        })
        .collect();

    let validator = Validator::find(making.launch.cache.as_ref());
    let mut produced = BTreeMap::new();
    let work = |alike: OrdersAlike, _: &mut pool::Workers<'_>| {
        let first = alike[0];
        let made = produce(&subjects[first.subject], first, making, validator.as_ref());
        (alike, Arc::new(made))
    };
    let all = orders.len();
    let watcher = &making.launch.watcher;
    watcher.phase(&format!("writing shaders: 0 of {all}"));
    pool::run(alike(orders, subjects, making.settings), making.launch, work, |(alike, made)| {
        produced.extend(alike.into_iter().map(|order| (order, Arc::clone(&made))));
        watcher.phase(&format!("writing shaders: {} of {all}", produced.len()));
    });

    let mut checks = Vec::new();
    for device in devices {
        let target = CodeTarget::of(device);
        let is_wanted = |order: &ShaderOrder| order.target == target && takes(order.subject, order.producer, device);
        for (order, made) in produced.iter().filter(|(order, _)| is_wanted(order)) {
            debug_assert_eq!(order.producer, made.producer, "shaders are kept under their producer");
            let (subject, produced) = (Arc::clone(&subjects[order.subject]), Arc::clone(made));
            checks.push(Check { subject, produced, device: device.clone() });
        }
    }
    checks
}

/// A request for shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ShaderOrder {
    producer: Producer,
    target: CodeTarget,
    /// Index into the list of subjects.
    subject: usize,
}

/// Orders that share the shaders of the first one.
type OrdersAlike = Vec<ShaderOrder>;

/// Groups the orders that share their shaders.
fn alike(orders: BTreeSet<ShaderOrder>, subjects: &[Arc<Subject>], settings: &Settings) -> Vec<OrdersAlike> {
    let of_one_source = |one: ShaderOrder, other: ShaderOrder| {
        let sources = [one, other].map(|order| &subjects[order.subject].source);
        (one.producer, one.target) == (other.producer, other.target) && Arc::ptr_eq(sources[0], sources[1])
    };
    let share = |one: ShaderOrder, other: ShaderOrder| match one.producer {
        Producer::Generator(generator) => {
            share_shaders(&subjects[one.subject], &subjects[other.subject], generator, settings)
        }
        Producer::Compiler(_) => false,
    };

    let mut all: Vec<OrdersAlike> = Vec::new();
    for order in orders {
        let mut of_source = all.iter_mut().rev().take_while(|alike| of_one_source(alike[0], order));
        match of_source.find(|alike| share(alike[0], order)) {
            Some(alike) => alike.push(order),
            None => all.push(vec![order]),
        }
    }
    all
}

fn produce(
    subject: &Subject,
    order: ShaderOrder,
    making: ShaderProduction<'_>,
    validator: Option<&Validator>,
) -> SubjectShaders {
    let mut shaders = match order.producer {
        Producer::Generator(generator) => SubjectShaders::new(subject, generator, making.settings),
        Producer::Compiler(toolchain) => {
            SubjectShaders::compiled(subject, toolchain, making.compilers, order.target, making.settings)
        }
    };
    for module in &mut shaders.modules {
        if let Some((words, validator)) = module.code.spirv().zip(validator) {
            let ValidatorAnswer { validation, origin } = validator.validate(words, module.block_rules);
            module.validation = validation;
            shaders.origin = shaders.origin.and(origin);
            // The verdict on the module stays. A device with the feature still shows what the code
            // does.
            if let Validation::ValidOnlyWith { feature, .. } = module.validation {
                module.requires.insert(feature);
            }
        }
    }
    shaders
}

/// Runs checks and passes the records of each finished batch to `done`, each with the index of its
/// check in `checks`.
pub fn execute(checks: &[Check], launch: &Launch, rotation: Rotation, done: impl FnMut(Vec<(usize, CheckRecord)>)) {
    execute_part(checks, launch, rotation, &mut SparedKinds::default(), done);
}

/// Runs a part of a run's checks. `spared` holds the access kinds that earlier parts ran without
/// the screen; this function adds those of this part.
pub fn execute_part(
    checks: &[Check],
    launch: &Launch,
    rotation: Rotation,
    spared: &mut SparedKinds,
    done: impl FnMut(Vec<(usize, CheckRecord)>),
) {
    match rotation {
        Rotation::All => {
            let work = |group: Vec<usize>, workers: &mut pool::Workers<'_>| run_thoroughly(checks, &group, workers);
            pool::run(groups(checks), launch, work, done);
        }
        Rotation::Turn(turn) => {
            let spared = rotation::spared(turn, checks, spared);
            let work = |bundle: Bundle, workers: &mut pool::Workers<'_>| run_bundle(checks, &bundle, &spared, workers);
            pool::run(bundles(checks), launch, work, done);
        }
    }
}

/// Groups of checks whose probes can share modules. One thread runs a bundle.
type Bundle = Vec<Vec<usize>>;

/// Number of checks in a bundle: enough to fill shared modules, few enough for all threads to
/// finish at about the same time.
const BUNDLE: usize = 256;

/// Bundles the groups that one device can screen together.
fn bundles(checks: &[Check]) -> Vec<Bundle> {
    let key = |group: &[usize]| (checks[group[0]].device.clone(), checks[group[0]].produced.producer);
    let is_full = |bundle: &[Vec<usize>]| bundle.iter().map(Vec::len).sum::<usize>() >= BUNDLE;
    let joins = |group: &[usize], bundle: &[Vec<usize>]| {
        screen::takes(&checks[group[0]]) && key(&bundle[0]) == key(group) && !is_full(bundle)
    };

    let mut bundles: Vec<Bundle> = Vec::new();
    for group in groups(checks) {
        match bundles.last_mut() {
            Some(bundle) if joins(&group, bundle) => bundle.push(group),
            Some(_) | None => bundles.push(vec![group]),
        }
    }
    bundles
}

/// Groups neighbouring checks of one case on one device, because rule sets that agree on a layout
/// have the same jobs, and so do compiler options. Each generator has its own groups, because it
/// can share modules with other cases.
fn groups(checks: &[Check]) -> Vec<Vec<usize>> {
    let generator = |producer: Producer| match producer {
        Producer::Generator(_) => Some(producer),
        Producer::Compiler(_) => None,
    };
    let key =
        |check: &Check| (check.device.clone(), generator(check.produced.producer), check.subject.source.id.clone());
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, check) in checks.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if key(&checks[group[0]]) == key(check) => group.push(index),
            Some(_) | None => groups.push(vec![index]),
        }
    }
    groups
}

fn run_bundle(
    checks: &[Check],
    bundle: &Bundle,
    spared: &CheckProbes,
    workers: &mut pool::Workers<'_>,
) -> Vec<(usize, CheckRecord)> {
    let answered = screen::ask(checks, &bundle.concat(), spared, workers);
    bundle
        .iter()
        .flat_map(|group| run_screened(checks, group, ScreenedProbes { answered: &answered, spared }, workers))
        .collect()
}

/// The probes of checks that do not run as single, fast compiled jobs.
#[derive(Clone, Copy)]
struct ScreenedProbes<'a> {
    /// Probes that the screen has answered.
    answered: &'a CheckProbes,
    /// Probes that run with the driver's default settings.
    spared: &'a CheckProbes,
}

/// Runs the checks of a group, except for answered probes, with fast compilation. Reruns in full
/// each check that does not agree, with the driver's default settings; the second result counts.
fn run_screened(
    checks: &[Check],
    group: &[usize],
    probes: ScreenedProbes<'_>,
    workers: &mut pool::Workers<'_>,
) -> Vec<(usize, CheckRecord)> {
    let fastest = DriverCompilation::fastest(&checks[group[0]].device);
    let records = run_alike(checks, group, probes, fastest, workers);

    let is_suspect = |(index, record): &(usize, CheckRecord)| {
        let was_fast = fastest == DriverCompilation::Fast || probes.answered.contains_key(index);
        was_fast && matches!(record.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Broken)
    };
    let (suspects, fine): (Vec<_>, Vec<_>) = records.into_iter().partition(is_suspect);
    let suspects: Vec<usize> = suspects.into_iter().map(|(index, _)| index).collect();

    let is_screened = fastest == DriverCompilation::Fast || screen::takes(&checks[group[0]]);
    let fine = fine.into_iter().map(|(index, record)| {
        let fast = fastest == DriverCompilation::Fast && record.outcome.kind() != OutcomeKind::Skipped;
        let spared = probes.spared.get(&index).filter(|_| is_screened).into_iter().flat_map(ProbeSet::entries);
        let thorough = spared.map(str::to_owned).collect();
        (index, CheckRecord { fast, thorough, ..record })
    });
    fine.chain(run_thoroughly(checks, &suspects, workers)).collect()
}

/// Runs the checks of a group in full, with the driver's default settings.
fn run_thoroughly(checks: &[Check], group: &[usize], workers: &mut pool::Workers<'_>) -> Vec<(usize, CheckRecord)> {
    let none = CheckProbes::new();
    let probes = ScreenedProbes { answered: &none, spared: &none };
    run_alike(checks, group, probes, DriverCompilation::Own, workers)
}

/// Jobs and their results.
struct JobsDone {
    jobs: Vec<Job>,
    /// For each job: true if the driver compiled it with its default settings, whatever the other
    /// jobs used.
    spared: Vec<bool>,
    results: Vec<JobResult>,
}

/// Runs checks, except for answered probes. Byte-identical jobs run once; their results count for
/// each check.
fn run_alike(
    checks: &[Check],
    group: &[usize],
    probes: ScreenedProbes<'_>,
    compilation: DriverCompilation,
    workers: &mut pool::Workers<'_>,
) -> Vec<(usize, CheckRecord)> {
    let mut done: Vec<JobsDone> = Vec::new();
    let mut records = Vec::new();
    for &index in group {
        let check = &checks[index];
        let started = Instant::now();
        let jobs = check.jobs();
        let jobs = match probes.answered.get(&index) {
            Some(answered) => jobs.without(answered),
            None => jobs,
        };
        let wanted: Vec<Job> = jobs.jobs().cloned().collect();
        let spared = probes.spared.get(&index).map_or_else(|| vec![false; wanted.len()], |probes| jobs.are_of(probes));

        let place = done.iter().position(|same| same.jobs == wanted && same.spared == spared).unwrap_or_else(|| {
            let results = run_jobs(check, &wanted, &spared, compilation, workers);
            workers.tell_accessed(jobs.accesses());
            done.push(JobsDone { jobs: wanted, spared, results });
            done.len() - 1
        });
        records.push((index, check.record(&jobs, &done[place].results, started.elapsed())));
    }
    records
}

/// Runs jobs of a check, spared jobs with the driver's default settings. Results are in the order
/// of the jobs.
fn run_jobs(
    check: &Check,
    jobs: &[Job],
    spared: &[bool],
    compilation: DriverCompilation,
    workers: &mut pool::Workers<'_>,
) -> Vec<JobResult> {
    let mut results: Vec<Option<JobResult>> = vec![None; jobs.len()];
    for (is_spared, compilation) in [(false, compilation), (true, DriverCompilation::Own)] {
        let places: Vec<usize> = (0..jobs.len()).filter(|place| spared[*place] == is_spared).collect();
        let part: Vec<Job> = places.iter().map(|place| jobs[*place].clone()).collect();
        workers.compile(compilation);
        let part = workers.run(&check.device, &check.subject.source.id, &part);
        for (place, result) in places.into_iter().zip(part) {
            results[place] = Some(result);
        }
    }
    workers.compile(DriverCompilation::Own);
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use layoutproof_core::check::Source;
    use layoutproof_layout::find;

    use super::*;

    #[test]
    fn a_portion_has_whole_cases() {
        let [std140, scalar] = ["std140", "scalar"].map(|name| find(name).expect("a row of the table"));
        let subject =
            |number: usize, rules| Arc::new(Subject::new(Arc::new(Source::of_module(&format!("a/{number}"))), rules));
        let subjects: Vec<_> = (0..650).flat_map(|number| [subject(number, std140), subject(number, scalar)]).collect();
        assert_eq!(portions(&subjects).iter().map(|portion| portion.len()).collect::<Vec<_>>(), [1280, 20]);
        assert!(portions(&[]).is_empty());
    }
}
