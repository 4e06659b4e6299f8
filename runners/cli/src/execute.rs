//! Carrying checks out: shaders are written and validated, devices run them, records come back.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use layoutproof::check::{Check, Produced, Producer, Settings, Subject};
use layoutproof::record::CheckRecord;
use layoutproof::runner::DeviceInfo;
use layoutproof_compilers::spirv_val::SpirvVal;

use crate::pool::{self, Launch};

/// Pairs every subject with every producer and device that go together; shaders are written here, in parallel.
pub(crate) fn plan(
    subjects: &[Arc<Subject>],
    producers: &[Producer],
    devices: &[DeviceInfo],
    settings: &Settings,
) -> Vec<Check> {
    let launch = Launch { program: PathBuf::new(), misreading: None };
    let used = |producer: &&Producer| devices.iter().any(|device| producer.feeds(device.runner));
    let pairs: Vec<(usize, Producer)> = producers
        .iter()
        .filter(used)
        .flat_map(|producer| (0..subjects.len()).map(move |subject| (subject, *producer)))
        .collect();
    let validator = SpirvVal::find();
    let mut produced = BTreeMap::new();
    let work = |(subject, producer): (usize, Producer), _: &mut pool::Workers<'_>| {
        ((producer, subject), Arc::new(produce(&subjects[subject], producer, settings, validator.as_ref())))
    };
    pool::run(pairs, &launch, work, |(key, made)| drop(produced.insert(key, made)));
    let mut checks = Vec::new();
    for device in devices {
        for ((producer, subject), made) in produced.iter().filter(|((producer, _), _)| producer.feeds(device.runner)) {
            debug_assert_eq!(*producer, made.producer, "shaders are kept under their producer");
            let (subject, produced) = (Arc::clone(&subjects[*subject]), Arc::clone(made));
            checks.push(Check { subject, produced, device: device.clone() });
        }
    }
    checks
}

fn produce(subject: &Subject, producer: Producer, settings: &Settings, validator: Option<&SpirvVal>) -> Produced {
    let mut produced = Produced::new(subject, producer, settings);
    if let Some(validator) = validator {
        for module in &mut produced.modules {
            module.validation = validator.validate(&module.spirv, &module.validator_flags);
        }
    }
    produced
}

/// Runs checks and gives each record to `done` as it comes, with the check's place in `checks`.
pub(crate) fn execute(checks: &[Check], launch: &Launch, mut done: impl FnMut(usize, CheckRecord)) {
    let work = |index: usize, workers: &mut pool::Workers<'_>| {
        let check: &Check = &checks[index];
        let started = Instant::now();
        let jobs = check.jobs();
        let wanted: Vec<_> = jobs.jobs.iter().map(|job| job.job().clone()).collect();
        let results = if wanted.is_empty() { Vec::new() } else { workers.run(&check.device, &wanted) };
        (index, check.record(&jobs, &results, started.elapsed()))
    };
    pool::run((0..checks.len()).collect(), launch, work, |(index, record)| done(index, record));
}
