//! The screen of a run: modules of many checks first, so that checks whose probes they answer are left with other jobs.

use std::collections::BTreeMap;

use layoutproof_core::check::{Check, ProbeSet, Screen};
use layoutproof_device::RunnerKind;

use crate::drivers::DriverCompilation;
use crate::pool::{CasesScreen, Workers};

/// Probes of many checks, by the check's place among all.
pub(crate) type CheckProbes = BTreeMap<usize, ProbeSet>;

/// True if checks of the same device and producer can share modules with this one. On the model nothing would be gained: it
/// compiles nothing.
pub(crate) fn takes(check: &Check) -> bool {
    let runs = match check.device.runner {
        RunnerKind::Ash => true,
        RunnerKind::Wgpu | RunnerKind::Dxil | RunnerKind::D3d12 | RunnerKind::Model => false,
    };
    runs && check.produced.producer.can_share_modules()
}

/// Runs modules of many checks on the device of all of them, and says which probes they answer; `group` are indices of
/// `checks`, and `spared` has the probes that are in none of these modules.
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
