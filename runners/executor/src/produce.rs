//! Makes and validates the shaders of planned checks, in parallel.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use layoutproof_compilers::spirv_val::{ModuleOrigin, ValidatorAnswer};
use layoutproof_core::check::verdict::Validation;
use layoutproof_core::check::{
    Check, DeviceCheck, Proof, ProofCheck, Source, SubjectShaders, TranslatedBinding, share_shaders,
};
use layoutproof_device::Shader;
use layoutproof_events::CheckRecord;
use layoutproof_events::producer::Producer;
use layoutproof_layout::BlockRules;
use layoutproof_readers::toolchain::CodeTarget;

use crate::plan::{PlannedCheck, ShaderProduction};
use crate::pool;
use crate::validator::Validator;

/// Makes the shaders of these checks; checks that need the same shaders share them. If the user
/// interrupts the run, checks without shaders are left out.
pub fn shaders(planned: &[PlannedCheck<'_>], making: ShaderProduction<'_>) -> Vec<DeviceCheck> {
    shaders_within(Duration::MAX, planned, making).0
}

/// The outcome of the time for a group of checks.
enum Production {
    Made(Vec<(usize, DeviceCheck)>),
    /// Not begun within the time.
    Left(Vec<usize>),
}

/// Makes shaders like [`shaders`], but begins nothing after this time. Returns the checks with shaders and
/// the others.
pub fn shaders_within<'p>(
    time: Duration,
    planned: &[PlannedCheck<'p>],
    making: ShaderProduction<'_>,
) -> (Vec<DeviceCheck>, Vec<PlannedCheck<'p>>) {
    if planned.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let started = Instant::now();
    let validator = Validator::find(making.launch.cache.as_ref());
    let mut checks: Vec<Option<DeviceCheck>> = vec![None; planned.len()];
    let mut made = 0;
    let watcher = &making.launch.watcher;
    watcher.phase(&format!("writing shaders: 0 of {}", planned.len()));

    let work = |group: Vec<usize>, _: &mut pool::Workers<'_>, done: &mut dyn FnMut(_)| {
        if started.elapsed() > time {
            return done(Production::Left(group));
        }
        let group: Vec<(usize, &PlannedCheck<'_>)> = group.into_iter().map(|index| (index, &planned[index])).collect();
        done(Production::Made(make(&group, making, validator.as_ref())));
    };
    let mut left: Vec<usize> = Vec::new();
    pool::run(groups(planned, making), making.launch, work, |group| match group {
        Production::Made(group) => {
            made += group.len();
            for (index, check) in group {
                checks[index] = Some(check);
            }
            watcher.phase(&format!("writing shaders: {made} of {}", planned.len()));
        }
        Production::Left(group) => left.extend(group),
    });
    left.sort_unstable();
    (checks.into_iter().flatten().collect(), left.into_iter().map(|index| planned[index].clone()).collect())
}

/// Makes the records of these checks, which need no device.
pub fn translated_bindings(
    checks: Vec<TranslatedBinding>,
    making: ShaderProduction<'_>,
    mut keep: impl FnMut(CheckRecord),
) {
    let total = checks.len();
    let mut made = 0;
    let work = |check: TranslatedBinding, _: &mut pool::Workers<'_>, done: &mut dyn FnMut(_)| {
        done(check.record(making.compilers));
    };
    pool::run(checks, making.launch, work, |record| {
        made += 1;
        making.launch.watcher.phase(&format!("translating bindings: {made} of {total}"));
        keep(record);
    });
}

/// Checks with equal values may share shaders.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// The address of the source.
    Bytes(Producer, CodeTarget, usize),
    /// The address of the proof.
    Bindings(usize),
}

impl Origin {
    fn of(check: &PlannedCheck<'_>) -> Self {
        match check {
            PlannedCheck::Bytes { subject, producer, device } => {
                Self::Bytes(*producer, CodeTarget::of(device), Arc::as_ptr(&subject.source).addr())
            }
            PlannedCheck::Bindings(check) => Self::Bindings(Arc::as_ptr(&check.proof).addr()),
        }
    }
}

fn groups(planned: &[PlannedCheck<'_>], making: ShaderProduction<'_>) -> Vec<Vec<usize>> {
    let share = |one: &PlannedCheck<'_>, other: &PlannedCheck<'_>| match (one, other) {
        (PlannedCheck::Bytes { subject: one, producer, .. }, PlannedCheck::Bytes { subject: other, .. }) => {
            Arc::ptr_eq(one, other)
                || matches!(producer, Producer::Generator(generator)
                    if share_shaders(one, other, *generator, making.settings))
        }
        _ => true,
    };

    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut of_origin: BTreeMap<Origin, Vec<usize>> = BTreeMap::new();
    for (index, check) in planned.iter().enumerate() {
        let known = of_origin.entry(Origin::of(check)).or_default();
        match known.iter().find(|group| share(&planned[groups[**group][0]], check)) {
            Some(group) => groups[*group].push(index),
            None => {
                known.push(groups.len());
                groups.push(vec![index]);
            }
        }
    }
    groups
}

fn make(
    group: &[(usize, &PlannedCheck<'_>)],
    making: ShaderProduction<'_>,
    validator: Option<&Validator>,
) -> Vec<(usize, DeviceCheck)> {
    // The parts that the checks of the group share, made for the first.
    let mut shaders: Option<Arc<SubjectShaders>> = None;
    let mut validated: Option<Arc<Proof>> = None;
    let mut made = Vec::with_capacity(group.len());
    for &(index, check) in group {
        if making.launch.interrupt.is_set() {
            break;
        }
        let check = match check {
            PlannedCheck::Bytes { subject, producer, device } if !device.lacks.is_empty() => {
                let produced = Arc::new(SubjectShaders::empty(*producer, making.settings.elements));
                DeviceCheck::Bytes(Check { subject: Arc::clone(subject), produced, device: (*device).clone() })
            }
            PlannedCheck::Bindings(check) if !check.device.lacks.is_empty() => DeviceCheck::Bindings((**check).clone()),
            PlannedCheck::Bytes { subject, producer, device } => {
                let made = || match producer {
                    Producer::Generator(generator) => SubjectShaders::new(subject, *generator, making.settings),
                    Producer::Compiler(toolchain) if toolchain.reads_modules() => {
                        let target = CodeTarget::of(device);
                        SubjectShaders::translated(subject, toolchain, making.compilers, target, making.settings)
                    }
                    Producer::Compiler(toolchain) => {
                        let target = CodeTarget::of(device);
                        SubjectShaders::compiled(subject, toolchain, making.compilers, target, making.settings)
                    }
                };
                let produced = shaders
                    .get_or_insert_with(|| Arc::new(validated_shaders(made(), origin(&subject.source), validator)));
                let (subject, produced) = (Arc::clone(subject), Arc::clone(produced));
                DeviceCheck::Bytes(Check { subject, produced, device: (*device).clone() })
            }
            PlannedCheck::Bindings(check) => {
                let ProofCheck { proof, device } = &**check;
                let proof = validated.get_or_insert_with(|| Arc::new(validated_proof(proof, validator)));
                // A compiler makes shaders for one device, a generator makes them for all devices.
                let proof = match proof.producer {
                    Producer::Generator(_) => Arc::clone(proof),
                    Producer::Compiler(_) => Arc::new(Proof::clone(proof).compiled(making.compilers, device)),
                };
                DeviceCheck::Bindings(ProofCheck { proof, device: device.clone() })
            }
        };
        made.push((index, check));
    }
    made
}

fn origin(source: &Source) -> ModuleOrigin {
    if source.is_case { ModuleOrigin::Case } else { ModuleOrigin::UserFile }
}

fn validated_shaders(
    mut shaders: SubjectShaders,
    made_of: ModuleOrigin,
    validator: Option<&Validator>,
) -> SubjectShaders {
    for module in &mut shaders.modules {
        let Some((words, validator)) = module.code.spirv().zip(validator) else { continue };
        let ValidatorAnswer { validation, origin } = validator.validate(words, module.block_rules, made_of);
        let feature = match &validation {
            Validation::ValidOnlyWith { feature, .. } => Some(*feature),
            Validation::Valid | Validation::NotRun(_) | Validation::Invalid(_) => None,
        };
        // The validator does not compare promised alignments, which may have made it invalid before.
        module.validation = module.validation.clone().and(validation);
        shaders.origin = shaders.origin.and(origin);
        // The verdict on the module stays. A device with the feature still shows what the code
        // does.
        module.requires.extend(feature);
    }
    shaders
}

fn validated_proof(proof: &Proof, validator: Option<&Validator>) -> Proof {
    let mut proof = proof.clone();
    for module in &mut proof.modules {
        let (Shader::Spirv(words), Some(validator)) = (&module.shader, validator) else { continue };
        let ValidatorAnswer { validation, origin } =
            validator.validate(words, BlockRules::Relaxed, origin(&proof.placed.source));
        module.validation = validation;
        proof.origin = proof.origin.and(origin);
    }
    proof
}
