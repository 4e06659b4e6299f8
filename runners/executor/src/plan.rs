//! Plans a run: pairs what is checked with the producers and devices that fit. No shader exists yet,
//! except for our own shaders of bindings, whose number follows from the source.

use std::collections::BTreeSet;
use std::sync::Arc;

use layoutproof_core::check::{BindingCheck, Check, Proof, ProofCheck, Settings, Subject, TranslatedBinding};
use layoutproof_device::DeviceInfo;
use layoutproof_events::CheckId;
use layoutproof_events::producer::Producer;
use layoutproof_readers::toolchain::Compilers;

use crate::compiler_devices::CompilerDevices;
use crate::launch::Launch;

/// The producers, compilers and settings that make a run's shaders.
#[derive(Clone, Copy, Debug)]
pub struct ShaderProduction<'a> {
    /// The generators and compilers that make the shaders.
    pub producers: &'a [Producer],
    /// The forms, spaces, stages and elements that our generators probe.
    pub settings: &'a Settings,
    /// Runs the compilers among `producers`, and those that prove bindings.
    pub compilers: &'a dyn Compilers,
    /// The devices that run compiler output.
    pub compiler_devices: CompilerDevices,
    /// The settings of workers.
    pub launch: &'a Launch,
}

/// A check before its shaders are made.
#[derive(Clone, Debug)]
pub enum PlannedCheck<'a> {
    /// The offsets of a block's leaves.
    Bytes { subject: &'a Arc<Subject>, producer: Producer, device: &'a DeviceInfo },
    /// The registers, sets or locations of parameters.
    Bindings(Box<ProofCheck>),
}

impl PlannedCheck<'_> {
    pub fn id(&self) -> CheckId {
        match self {
            Self::Bytes { subject, producer, device } => Check::planned_id(subject, *producer, device),
            Self::Bindings(check) => check.id(),
        }
    }
}

/// Number of cases whose shaders are in memory together: enough for the whole suite that comes with
/// the program. The order of records in a file depends on it.
pub const CASES_AT_ONCE: usize = 640;

/// Every check of these subjects and placements, in the order of the run: portions of
/// [`CASES_AT_ONCE`] neighbouring cases, then the placements.
pub fn checks<'a>(
    subjects: &'a [Arc<Subject>],
    placed: &[BindingCheck],
    devices: &'a [DeviceInfo],
    making: ShaderProduction<'_>,
) -> Vec<Vec<PlannedCheck<'a>>> {
    let checked: Vec<&Arc<Subject>> = subjects
        .iter()
        .filter(|subject| {
            let pairs = |producer| devices.iter().any(|device| making.pairs(subject, producer, device, devices));
            making.producers.iter().any(|producer| pairs(*producer))
        })
        .collect();
    let mut plan: Vec<_> =
        portions(&checked).into_iter().map(|portion| bytes(portion.iter().copied(), devices, making)).collect();
    plan.push(of_bindings(bindings(placed, devices, making)));
    plan
}

/// Splits subjects into parts of [`CASES_AT_ONCE`] neighbouring cases.
fn portions<'a, 's>(subjects: &'s [&'a Arc<Subject>]) -> Vec<&'s [&'a Arc<Subject>]> {
    let mut portions = Vec::new();
    let mut rest = subjects;
    while !rest.is_empty() {
        let cases = rest.chunk_by(|one, other| one.source.id == other.source.id);
        let (portion, later) = rest.split_at(cases.take(CASES_AT_ONCE).map(<[_]>::len).sum());
        portions.push(portion);
        rest = later;
    }
    portions
}

/// Every check of the bytes of these subjects.
pub fn bytes<'a>(
    subjects: impl IntoIterator<Item = &'a Arc<Subject>, IntoIter: Clone>,
    devices: &'a [DeviceInfo],
    making: ShaderProduction<'_>,
) -> Vec<PlannedCheck<'a>> {
    let subjects = subjects.into_iter();
    let producers: BTreeSet<Producer> = making.producers.iter().copied().collect();
    let mut plan = Vec::new();
    for device in devices {
        for &producer in &producers {
            let fitting = subjects.clone().filter(|subject| making.pairs(subject, producer, device, devices));
            plan.extend(fitting.map(|subject| PlannedCheck::Bytes { subject, producer, device }));
        }
    }
    plan
}

pub fn of_bindings<'a>(checks: impl IntoIterator<Item = ProofCheck>) -> Vec<PlannedCheck<'a>> {
    checks.into_iter().map(|check| PlannedCheck::Bindings(Box::new(check))).collect()
}

/// Every placement for which a generator can write shaders or a compiler can compile them, on every
/// device that accepts those shaders. Without compilers among the producers, all compilers that
/// were found take part: only they can bind registers.
pub fn bindings(placed: &[BindingCheck], devices: &[DeviceInfo], making: ShaderProduction<'_>) -> Vec<ProofCheck> {
    let ShaderProduction { producers, compilers, .. } = making;
    let names_compilers = producers.iter().any(|producer| matches!(producer, Producer::Compiler(_)));
    let takes_part = |proof: &Proof| match proof.producer {
        Producer::Generator(_) => producers.contains(&proof.producer),
        Producer::Compiler(toolchain) => {
            compilers.has(toolchain) && (!names_compilers || producers.contains(&proof.producer))
        }
    };

    let mut plan = Vec::new();
    for placed in placed {
        for proof in [Proof::new(placed), Proof::of_registers(placed)].into_iter().flatten().filter(takes_part) {
            let proof = Arc::new(proof);
            let fitting = devices.iter().filter(|device| proof.feeds(device));
            plan.extend(fitting.map(|device| ProofCheck { proof: Arc::clone(&proof), device: device.clone() }));
        }
    }
    plan
}

/// Every placement with each translator that was found.
pub fn translated_bindings(placed: &[BindingCheck], making: ShaderProduction<'_>) -> Vec<TranslatedBinding> {
    let found = making.producers.iter().filter_map(|producer| match producer {
        Producer::Compiler(toolchain) if toolchain.is_translator() && making.compilers.has(toolchain) => {
            Some(*toolchain)
        }
        Producer::Compiler(_) | Producer::Generator(_) => None,
    });
    found.flat_map(|toolchain| placed.iter().filter_map(|placed| TranslatedBinding::new(placed, toolchain))).collect()
}

impl ShaderProduction<'_> {
    /// Returns true if `device`, one of `devices`, runs the output of `producer` for `subject`.
    fn pairs(&self, subject: &Subject, producer: Producer, device: &DeviceInfo, devices: &[DeviceInfo]) -> bool {
        producer.feeds_device(device)
            && subject.is_taken_by(producer)
            && self.compiler_devices.include(device, &subject.source.id, producer, devices)
    }
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
        let subjects: Vec<_> = subjects.iter().collect();
        assert_eq!(portions(&subjects).iter().map(|portion| portion.len()).collect::<Vec<_>>(), [1280, 20]);
        assert!(portions(&[]).is_empty());
    }
}
