//! Proves placements on devices: writes and validates shaders, runs them on devices that read the
//! bound resources, and returns records.

use std::sync::Arc;
use std::time::Instant;

use layoutproof_compilers::spirv_val::ValidatorAnswer;
use layoutproof_core::check::{BindingCheck, Producer, Proof, ProofCheck};
use layoutproof_core::results::record::{CheckRecord, OutcomeKind};
use layoutproof_device::{DeviceInfo, Job, Shader};
use layoutproof_layout::BlockRules;
use layoutproof_random::stable_hash::stable_hash;
use layoutproof_readers::toolchain::Compilers;

use crate::drivers::DriverCompilation;
use crate::launch::Launch;
use crate::pool;
use crate::rotation::Rotation;
use crate::validator::Validator;

/// After this many runs in a row, every proof has run once with the driver's default settings.
const TURNS: u64 = 16;

/// Every placement for which one of `producers` can write shaders or one of `compilers` can compile
/// them, on every device that accepts those shaders. Compiles and validates nothing yet.
pub fn plan(
    placed: &[BindingCheck],
    producers: &[Producer],
    devices: &[DeviceInfo],
    compilers: &dyn Compilers,
) -> Vec<ProofCheck> {
    let names_compilers = producers.iter().any(|producer| matches!(producer, Producer::Compiler(_)));
    let takes_part = |proof: &Proof| match proof.producer {
        Producer::Generator(_) => producers.contains(&proof.producer),
        Producer::Compiler(toolchain) => {
            compilers.has(toolchain) && (!names_compilers || producers.contains(&proof.producer))
        }
    };

    let proofs = placed.iter().flat_map(|placed| [Proof::new(placed), Proof::of_registers(placed)]).flatten();
    let checks = proofs.filter(takes_part).flat_map(|proof| {
        let proof = Arc::new(proof);
        let takers = devices.iter().filter(|device| proof.feeds(device));
        takers.map(|device| ProofCheck { proof: Arc::clone(&proof), device: device.clone() }).collect::<Vec<_>>()
    });
    checks.collect()
}

/// Runs checks and passes the records of each finished batch to `done`, each with the index of its
/// check in `checks`.
pub fn execute(
    checks: &[ProofCheck],
    launch: &Launch,
    rotation: Rotation,
    compilers: &dyn Compilers,
    done: impl FnMut(Vec<(usize, CheckRecord)>),
) {
    let validator = Validator::find(launch.cache.as_ref());
    let work = |group: Vec<usize>, workers: &mut pool::Workers<'_>| {
        let proof = Arc::new(validated(&checks[group[0]].proof, validator.as_ref()));

        // A compiler makes shaders for one device, a generator makes them for all devices.
        let check = |index: usize| {
            let device = checks[index].device.clone();
            let proof = match proof.producer {
                Producer::Generator(_) => Arc::clone(&proof),
                Producer::Compiler(_) => Arc::new(Proof::clone(&proof).compiled(compilers, &device)),
            };
            ProofCheck { proof, device }
        };
        group.into_iter().map(|index| (index, run(&check(index), rotation, workers))).collect::<Vec<_>>()
    };

    pool::run(groups(checks), launch, work, done);
}

/// Groups neighbouring checks that share their shaders, so that those are validated once.
fn groups(checks: &[ProofCheck]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, check) in checks.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if Arc::ptr_eq(&checks[group[0]].proof, &check.proof) => group.push(index),
            Some(_) | None => groups.push(vec![index]),
        }
    }
    groups
}

fn validated(proof: &Proof, validator: Option<&Validator>) -> Proof {
    let mut proof = proof.clone();
    for module in &mut proof.modules {
        if let (Shader::Spirv(words), Some(validator)) = (&module.shader, validator) {
            let ValidatorAnswer { validation, origin } = validator.validate(words, BlockRules::Relaxed);
            module.validation = validation;
            proof.origin = proof.origin.and(origin);
        }
    }
    proof
}

/// Runs a check with fast compilation, unless it is the check's turn for the default settings. If
/// the result does not agree, reruns the check with the driver's default settings; the second
/// result counts.
fn run(check: &ProofCheck, rotation: Rotation, workers: &mut pool::Workers<'_>) -> CheckRecord {
    let compilation = match rotation {
        Rotation::Turn(turn) if !is_turn(turn, check) => DriverCompilation::fastest(&check.device),
        Rotation::Turn(_) | Rotation::All => DriverCompilation::Own,
    };
    let record = run_compiled(check, compilation, workers);
    match (compilation, record.outcome.kind()) {
        (DriverCompilation::Fast, OutcomeKind::Differ | OutcomeKind::Broken) => {
            run_compiled(check, DriverCompilation::Own, workers)
        }
        (DriverCompilation::Fast, OutcomeKind::Agree | OutcomeKind::Known | OutcomeKind::Stale) => {
            CheckRecord { fast: true, ..record }
        }
        (DriverCompilation::Fast, OutcomeKind::Skipped) | (DriverCompilation::Own, _) => record,
    }
}

/// Returns true if a check uses the driver's default settings in the run with this number.
fn is_turn(turn: u64, check: &ProofCheck) -> bool {
    // The upper half of the hash depends on every character.
    (stable_hash(&check.id().to_string()) >> 32) % TURNS == turn % TURNS
}

fn run_compiled(check: &ProofCheck, compilation: DriverCompilation, workers: &mut pool::Workers<'_>) -> CheckRecord {
    let started = Instant::now();
    let jobs = check.jobs();
    let wanted: Vec<Job> = jobs.jobs().cloned().collect();
    workers.compile(compilation);
    let results = workers.run(&check.device, &check.proof.placed.source.id, &wanted);
    workers.compile(DriverCompilation::Own);
    check.record(&jobs, &results, started.elapsed())
}
