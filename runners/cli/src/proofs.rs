//! Placements on devices: shaders are written and validated, devices read what is bound, records come back.

use std::sync::Arc;
use std::time::Instant;

use layoutproof::check::{Placed, Producer, Proof, ProofCheck};
use layoutproof::layout::BlockRules;
use layoutproof::record::CheckRecord;
use layoutproof::runner::{DeviceInfo, Job, Shader};
use layoutproof_compilers::spirv_val::SpirvVal;

use crate::pool::{self, Launch};

/// Every placement that one of `producers` can write shaders for, on every device that takes them, unvalidated.
pub(crate) fn plan(placed: &[Placed], producers: &[Producer], devices: &[DeviceInfo]) -> Vec<ProofCheck> {
    let proofs =
        placed.iter().filter_map(Proof::new).filter(|proof| producers.contains(&Producer::Generator(proof.producer)));
    let checks = proofs.flat_map(|proof| {
        let proof = Arc::new(proof);
        let takers = devices.iter().filter(|device| proof.feeds(device));
        takers.map(|device| ProofCheck { proof: Arc::clone(&proof), device: device.clone() }).collect::<Vec<_>>()
    });
    checks.collect()
}

/// Runs checks and gives each record to `done` as it comes, with the check's place in `checks`.
pub(crate) fn execute(checks: &[ProofCheck], launch: &Launch, mut done: impl FnMut(usize, CheckRecord)) {
    let validator = SpirvVal::find();
    let work = |group: Vec<usize>, workers: &mut pool::Workers<'_>| {
        let proof = Arc::new(validated(&checks[group[0]].proof, validator.as_ref()));
        let check = |index: usize| ProofCheck { proof: Arc::clone(&proof), device: checks[index].device.clone() };
        group.into_iter().map(|index| (index, run(&check(index), workers))).collect::<Vec<_>>()
    };
    pool::run(groups(checks), launch, work, |records| {
        for (index, record) in records {
            done(index, record);
        }
    });
}

/// Neighbours with the same shaders, which are validated once.
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

fn validated(proof: &Proof, validator: Option<&SpirvVal>) -> Proof {
    let mut proof = proof.clone();
    for module in &mut proof.modules {
        match (&module.shader, validator) {
            (Shader::Spirv(words), Some(validator)) => {
                module.validation = validator.validate(words, BlockRules::Relaxed);
            }
            (
                Shader::Spirv(_)
                | Shader::Wgsl(_)
                | Shader::Dxbc(_)
                | Shader::Dxil(_)
                | Shader::ClangIr(_)
                | Shader::Msl(_),
                _,
            ) => {}
        }
    }
    proof
}

fn run(check: &ProofCheck, workers: &mut pool::Workers<'_>) -> CheckRecord {
    let started = Instant::now();
    let jobs = check.jobs();
    let wanted: Vec<Job> = jobs.jobs().cloned().collect();
    let case = &check.proof.placed.source.id;
    let results = if wanted.is_empty() { Vec::new() } else { workers.run(&check.device, case, &wanted) };
    check.record(&jobs, &results, started.elapsed())
}
