//! The screen of a run. It runs modules that serve many checks first, so that a check only needs
//! jobs for the probes that these modules did not answer.

use std::collections::BTreeMap;

use layoutproof_core::check::{Check, ProbeSet, Screen};
use layoutproof_device::RunnerKind;

use crate::drivers::DriverCompilation;
use crate::pool::{CasesScreen, Workers};

/// Probes of many checks, by the check's index.
pub(crate) type CheckProbes = BTreeMap<usize, ProbeSet>;

/// Returns true if this check can share modules with other checks of the same device and producer.
/// The model compiles nothing, so sharing would gain nothing there.
pub(crate) fn takes(check: &Check) -> bool {
    let runs = match check.device.runner {
        RunnerKind::Ash => true,
        RunnerKind::Wgpu | RunnerKind::Dxil | RunnerKind::D3d12 | RunnerKind::Model => false,
    };
    runs && check.produced.producer.can_share_modules()
}

/// Runs modules that serve many checks of one device, and returns the probes that they answer.
/// `group` holds indices into `checks`; the modules leave out the probes in `spared`.
pub(crate) fn ask(checks: &[Check], group: &[usize], spared: &CheckProbes, workers: &mut Workers<'_>) -> CheckProbes {
    let taken = group.iter().map(|index| (*index, &checks[*index])).filter(|(_, check)| takes(check));
    let taken: Vec<(usize, &Check)> = taken.collect();
    let mut answered = CheckProbes::new();
    let Some((_, first)) = taken.first() else { return answered };

    workers.compile(DriverCompilation::fastest(&first.device));
    let screens = Screen::all(&taken, spared).into_iter().map(|screen| {
        let cases = screen.probes().map(|probe| checks[probe.check].subject.source.id.as_str()).collect();
        CasesScreen { screen, cases }
    });
    let screens: Vec<CasesScreen<'_>> = screens.collect();
    let answers = workers.screens(&first.device, &screens);
    for (CasesScreen { screen, .. }, answers) in screens.iter().zip(answers) {
        if answers.is_some() {
            workers.tell_accessed(screen.accesses());
        }
        for probe in answers.iter().flat_map(|answers| screen.answered(answers)) {
            answered.entry(probe.check).or_default().add(probe);
        }
    }
    answered
}
