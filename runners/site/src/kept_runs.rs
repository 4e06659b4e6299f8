//! Results of devices that the repository keeps in `ci/devices`, so that the site shows hardware that
//! no hosted machine has.

use std::collections::BTreeMap;

use layoutproof_device::devices::CURRENT_LAVAPIPE;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_events::CheckDevice;
use layoutproof_events::{CheckRecord, OutcomeKind, RunEnd, RunHeader};
use layoutproof_show::style::{grouped, one_line};
use maud::{Markup, html};

use super::address::{link, slug};
use super::case_page::case_link;
use super::compatibility_pages::badge_legend;
use super::evidence_page::EvidenceLinks;
use super::known_differences::{Mechanism, mechanism_of};

#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    /// The name of its file without day and suffix: `nvidia-h200`.
    pub name: String,
    /// The day of the run, in UTC: `2026-11-26`. Records do not store a time, so the file's name does.
    pub date: String,
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

/// A device by the name that people use, with its results through each API.
pub(super) struct SeenGroup<'a> {
    pub name: &'a str,
    is_gpu: bool,
    seen: Vec<(&'a KeptRun, SeenDevice<'a>)>,
}

impl SeenGroup<'_> {
    /// Its place on the page.
    pub(super) fn anchor(&self) -> String {
        format!("seen-on-{}", slug(self.name))
    }

    /// Words by which the search finds it: drivers and APIs.
    pub(super) fn words(&self) -> String {
        let words = self.seen.iter().map(|(_, device)| format!("{} {}", device.info.driver, device.info.api));
        one_line(&words.collect::<Vec<_>>().join(" "))
    }
}

/// The devices of all runs, hardware first.
pub(super) fn seen_groups(runs: &[KeptRun]) -> Vec<SeenGroup<'_>> {
    let mut groups: Vec<SeenGroup<'_>> = Vec::new();
    for run in runs {
        for device in run.devices() {
            let is_gpu = device.info.hardware && device.info.direct3d.as_ref().is_none_or(|it| it.translator.is_none());
            let name = common_name(device.info);
            match groups.iter_mut().find(|group| (group.is_gpu, group.name) == (is_gpu, name)) {
                Some(group) => group.seen.push((run, device)),
                None => groups.push(SeenGroup { name, is_gpu, seen: vec![(run, device)] }),
            }
        }
    }
    groups.sort_by_key(|group| (!group.is_gpu, group.name));
    groups
}

/// The names of all devices, each once whatever the number of its APIs: hardware first.
pub fn seen_on(runs: &[KeptRun]) -> Vec<&str> {
    seen_groups(runs).into_iter().map(|group| group.name).collect()
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

/// The devices of all kept runs, with the bugs that they showed.
pub(super) fn seen_on_section(path: &str, groups: &[SeenGroup<'_>], links: EvidenceLinks<'_>) -> Markup {
    let signs =
        [("agree", "12", "agree"), ("known", "~3", "differ by a known bug"), ("differ", "≠1", "differ or broke")];
    html! {
        section id="seen-on" {
            h2 { "Seen on" }
            p {
                "Every case was run on these devices. The numbers are checks: a case under a rule set, in a shader of one compiler, "
                "where each value that the device read or wrote is at the byte that the case expects."
            }
            (badge_legend(&signs))
            ol.rows.seen {
                @for group in groups {
                    li id=(group.anchor()) {
                        div {
                            h3 { (one_line(group.name)) }
                            span.badge { @if group.is_gpu { "GPU" } @else { "in software" } }
                        }
                        div {
                            (result_table(group))
                            (bugs_met(path, group, links))
                        }
                    }
                }
            }
        }
    }
}

fn result_table(group: &SeenGroup<'_>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Results of {}", one_line(group.name))) {
            table {
                thead {
                    tr {
                        @for head in ["API and driver", "run on", "agree", "known", "differ", "values read"] { th scope="col" { (head) } }
                    }
                }
                tbody {
                    @for (run, SeenDevice { info, counts, .. }) in &group.seen {
                        tr {
                            th scope="row" {
                                (one_line(&info.api))
                                @if matches!(info.runner, RunnerKind::Wgpu | RunnerKind::WebGpu) { " through " (info.runner.title()) }
                                span.note { (one_line(&info.driver)) }
                            }
                            td { time { (one_line(&run.date)) } }
                            td { (count("agree", "", counts.agree)) }
                            td { (count("known", "~", counts.known)) }
                            td { (count("differ", "≠", counts.differ + counts.broken)) }
                            td { (grouped(counts.leaves)) }
                        }
                    }
                }
            }
        }
    }
}

/// A number as a badge; zero is dim text.
pub(super) fn count(class: &str, sign: &str, count: u64) -> Markup {
    html! {
        @if count == 0 { span.dim { "0" } } @else { span class=(format!("badge {class}")) { (sign) (grouped(count)) } }
    }
}

/// The bugs that explain the checks that the device got wrong, and the cases that no bug explains.
fn bugs_met(path: &str, group: &SeenGroup<'_>, links: EvidenceLinks<'_>) -> Markup {
    let mut bugs: Vec<(&Mechanism<'_>, u64)> = Vec::new();
    // Cases with their number of checks, and whether a list explained them when the run was made.
    let mut cases: BTreeMap<(&str, bool), u64> = BTreeMap::new();
    for check in group.seen.iter().flat_map(|(_, device)| &device.wrong) {
        match mechanism_of(check, links.mechanisms) {
            None => *cases.entry((check.id.case.as_str(), check.outcome.entry().is_some())).or_default() += 1,
            Some(bug) => match bugs.iter_mut().find(|(known, _)| known.id == bug.id) {
                Some((_, checks)) => *checks += 1,
                None => bugs.push((bug, 1)),
            },
        }
    }
    bugs.sort_by_key(|(_, checks)| std::cmp::Reverse(*checks));
    html! {
        @if !bugs.is_empty() || !cases.is_empty() {
            p.note { "Wrong on this device, although its compiled code is right or could not be read:" }
            ul.met {
                @for (bug, checks) in &bugs {
                    li {
                        (count("known", "~", *checks)) " "
                        span { a href=(link(path, &bug.path)) { (bug.title) } " " span.dim { (bug.list.title) } }
                    }
                }
                @for ((case, is_known), checks) in &cases {
                    li {
                        @if *is_known { (count("known", "~", *checks)) } @else { (count("differ", "≠", *checks)) } " "
                        span { @if links.cases.contains(case) { (case_link(path, case)) } @else { (one_line(case)) } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use layoutproof_device::{Direct3d, ShaderModel};
    use layoutproof_events::{Host, RecordsFilter, SCHEMA};

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
            webgpu: None,
            lacks: BTreeSet::new(),
        }
    }

    fn run(devices: Vec<DeviceInfo>) -> KeptRun {
        let run = RunHeader {
            schema: SCHEMA,
            layoutproof: "0.1.0".to_owned(),
            host: Host::default(),
            devices,
            tools: BTreeMap::new(),
            environment: BTreeMap::new(),
            cases: 1,
            records: RecordsFilter::Devices,
            arguments: BTreeMap::new(),
            outputs: Vec::new(),
            inputs: String::new(),
        };
        KeptRun { name: "a".to_owned(), date: "2026-11-26".to_owned(), run, checks: Vec::new(), end: RunEnd::default() }
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
