//! Placements on devices: shaders are written and validated, devices read what is bound, records come back.

use std::sync::Arc;
use std::time::Instant;

use layoutproof::check::{Placed, Producer, Proof, ProofCheck};
use layoutproof::record::CheckRecord;
use layoutproof::runner::{DeviceInfo, Job, Shader};
use layoutproof_compilers::spirv_val::SpirvVal;

use crate::pool::{self, Launch};

/// Every placement that one of `producers` can write shaders for, on every device that takes them.
pub(crate) fn plan(placed: &[Placed], producers: &[Producer], devices: &[DeviceInfo]) -> Vec<ProofCheck> {
    let proofs = placed.iter().filter_map(Proof::new).filter(|proof| producers.contains(&proof.producer));
    let validator = SpirvVal::find();
    let mut checks = Vec::new();
    for mut proof in proofs {
        let takers: Vec<&DeviceInfo> = devices.iter().filter(|device| proof.feeds(device)).collect();
        if let (Some(validator), false) = (&validator, takers.is_empty()) {
            validate(&mut proof, validator);
        }
        let proof = Arc::new(proof);
        checks
            .extend(takers.into_iter().map(|device| ProofCheck { proof: Arc::clone(&proof), device: device.clone() }));
    }
    checks
}

fn validate(proof: &mut Proof, validator: &SpirvVal) {
    for module in &mut proof.modules {
        match &module.shader {
            Shader::Spirv(words) => module.validation = validator.validate(words, &[]),
            Shader::Wgsl(_) | Shader::Dxbc(_) | Shader::Dxil(_) | Shader::Msl(_) => {}
        }
    }
}

/// Runs checks and gives each record to `done` as it comes, with the check's place in `checks`.
pub(crate) fn execute(checks: &[ProofCheck], launch: &Launch, done: impl FnMut((usize, CheckRecord))) {
    let work = |index: usize, workers: &mut pool::Workers<'_>| {
        let check = &checks[index];
        let started = Instant::now();
        let jobs = check.jobs();
        let wanted: Vec<Job> = jobs.jobs().cloned().collect();
        let results = if wanted.is_empty() { Vec::new() } else { workers.run(&check.device, &wanted) };
        (index, check.record(&jobs, &results, started.elapsed()))
    };
    pool::run((0..checks.len()).collect(), launch, work, done);
}
