//! Results of devices that the repository keeps in `ci/devices`, so that the site shows hardware that
//! no hosted machine has.

use layoutproof_core::check::CheckDevice;
use layoutproof_core::results::record::{CheckRecord, OutcomeKind, RunEnd, RunHeader};
use layoutproof_device::devices::CURRENT_LAVAPIPE;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_show::style::{counted, one_line};
use maud::{Markup, html};

/// A kept run of the whole suite.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    /// The name of its file without suffix: `nvidia-h200`.
    pub name: String,
    /// Versions and devices.
    pub run: RunHeader,
    /// The checks that devices got wrong, with today's known differences.
    pub checks: Vec<CheckRecord>,
    /// Totals. `left_out` has those of all other checks.
    pub end: RunEnd,
}

/// A device of a kept run through one API, and its results.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenDevice<'a> {
    pub info: &'a DeviceInfo,
    pub counts: SeenCounts,
    /// The checks that it got wrong, known or not.
    pub wrong: Vec<&'a CheckRecord>,
}

/// The number of a device's checks by outcome, and the leaves that it answered for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenCounts {
    pub agree: u64,
    pub differ: u64,
    pub known: u64,
    pub skipped: u64,
    pub broken: u64,
    pub leaves: u64,
}

impl KeptRun {
    /// The devices with their results, without our evaluator and our model.
    pub fn devices(&self) -> Vec<SeenDevice<'_>> {
        let is_device = |info: &&DeviceInfo| !matches!(info.runner, RunnerKind::Dxil | RunnerKind::Model);
        self.run.devices.iter().filter(is_device).map(|info| self.device(info)).collect()
    }

    fn device<'a>(&'a self, info: &'a DeviceInfo) -> SeenDevice<'a> {
        let id = CheckDevice::from(info);
        let wrong: Vec<&CheckRecord> = self.checks.iter().filter(|check| check.id.is_on(info)).collect();
        let mut counts = SeenCounts::default();
        for check in &wrong {
            counts.add(check.outcome.kind(), 1, check.leaves);
        }
        for group in self.end.left_out.iter().filter(|group| group.device.as_ref() == Some(&id)) {
            counts.add(group.outcome, group.checks, group.leaves);
        }
        SeenDevice { info, counts, wrong }
    }
}

impl SeenCounts {
    fn add(&mut self, outcome: OutcomeKind, checks: u32, leaves: u32) {
        let count = match outcome {
            OutcomeKind::Agree => &mut self.agree,
            OutcomeKind::Differ | OutcomeKind::Stale => &mut self.differ,
            OutcomeKind::Known => &mut self.known,
            OutcomeKind::Skipped => &mut self.skipped,
            OutcomeKind::Broken => &mut self.broken,
        };
        *count += u64::from(checks);
        self.leaves += u64::from(leaves);
    }
}

/// The names of all devices, each once whatever the number of its APIs: hardware first.
pub fn seen_on(runs: &[KeptRun]) -> Vec<&str> {
    let mut names: Vec<(bool, &str)> = Vec::new();
    for device in runs.iter().flat_map(KeptRun::devices) {
        let is_gpu = device.info.hardware && device.info.direct3d.as_ref().is_none_or(|it| it.translator.is_none());
        let name = (!is_gpu, common_name(device.info));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.sort_unstable();
    names.into_iter().map(|(_, name)| name).collect()
}

/// What people call the device. Drivers in software report their version in place of a name.
fn common_name(info: &DeviceInfo) -> &str {
    match info.id.as_str() {
        "lavapipe" | CURRENT_LAVAPIPE => "lavapipe",
        "llvmpipe-gl" => "llvmpipe",
        "swiftshader" | "swiftshader-gl" => "SwiftShader",
        _ if info.direct3d.as_ref().is_some_and(|it| it.translator.is_some()) => "vkd3d",
        _ => &info.name,
    }
}

/// The devices of all kept runs, with what each of them got wrong.
pub(super) fn seen_on_section(runs: &[KeptRun]) -> Markup {
    html! {
        section id="seen-on" {
            h2 { "Seen on" }
            p { "Every case was run on these devices: " (seen_on(runs).join(", ")) "." }
            div.scroll tabindex="0" {
                table.words {
                    thead { tr {
                        @for head in ["device", "driver", "API", "layoutproof", "agree", "differ", "known", "broken", "leaves"] {
                            th scope="col" { (head) }
                        }
                    } }
                    tbody {
                        @for run in runs {
                            @for SeenDevice { info, counts, .. } in run.devices() {
                                tr {
                                    th scope="row" { (one_line(&info.name)) }
                                    td { (one_line(&info.driver)) }
                                    td { (one_line(&info.api)) ", " (info.runner.title()) }
                                    td { (one_line(&run.run.layoutproof)) }
                                    @for count in [counts.agree, counts.differ, counts.known, counts.broken, counts.leaves] {
                                        td { (count) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @for run in runs {
                @for SeenDevice { info, wrong, .. } in run.devices().into_iter().filter(|device| !device.wrong.is_empty()) {
                    details {
                        summary {
                            (one_line(&info.name)) ", " (info.runner.title()) ": " (counted(wrong.len() as u64, "check"))
                            " that the device got wrong"
                        }
                        ul {
                            @for check in wrong {
                                li {
                                    code { (check.id.to_string()) }
                                    @if let Some(entry) = check.outcome.entry() { ": " (one_line(&entry.reason)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use layoutproof_core::results::record::{RecordsFilter, SCHEMA};
    use layoutproof_device::{Direct3d, ShaderModel};

    use super::*;

    fn device(id: &str, name: &str, runner: RunnerKind, hardware: bool) -> DeviceInfo {
        let translated = Direct3d {
            translator: Some("vkd3d 2.1".to_owned()),
            shader_model: ShaderModel { major: 6, minor: 0 },
            binding_tier: 3,
        };
        DeviceInfo {
            id: id.to_owned(),
            name: name.to_owned(),
            driver: String::new(),
            api: String::new(),
            runner,
            index: 0,
            hardware,
            features: BTreeSet::new(),
            max_uniform_range: 0,
            max_push_constants: 0,
            direct3d: (runner == RunnerKind::D3d12).then_some(translated),
            lacks: BTreeSet::new(),
        }
    }

    fn run(devices: Vec<DeviceInfo>) -> KeptRun {
        let run = RunHeader {
            schema: SCHEMA,
            layoutproof: "0.1.0".to_owned(),
            devices,
            tools: BTreeMap::new(),
            environment: BTreeMap::new(),
            cases: 1,
            records: RecordsFilter::Devices,
            arguments: BTreeMap::new(),
            inputs: String::new(),
        };
        KeptRun { name: "a".to_owned(), run, checks: Vec::new(), end: RunEnd::default() }
    }

    #[test]
    fn a_device_of_several_apis_is_seen_once_and_hardware_first() {
        let software = run(vec![
            device("lavapipe", "llvmpipe (LLVM 15.0.6, 256 bits)", RunnerKind::Ash, false),
            device("llvmpipe-gl", "llvmpipe (LLVM 15.0.6, 256 bits)", RunnerKind::Wgpu, false),
            device("vkd3d", "vkd3d on llvmpipe (LLVM 15.0.6, 256 bits)", RunnerKind::D3d12, false),
            device("dxil", "layoutproof's evaluator of DXIL", RunnerKind::Dxil, false),
        ]);
        let gpu = run(vec![
            device("nvidia-h200", "NVIDIA H200", RunnerKind::Ash, true),
            device("nvidia-h200", "NVIDIA H200", RunnerKind::Wgpu, true),
            device("vkd3d-nvidia-h200", "vkd3d on NVIDIA H200", RunnerKind::D3d12, true),
        ]);
        assert_eq!(seen_on(&[software, gpu]), ["NVIDIA H200", "lavapipe", "llvmpipe", "vkd3d"]);
    }
}
