//! The page of a run: how it ended, failures by cause, known bugs by compiler, a matrix per device, and
//! every case with its byte maps.
//!
//! `report --html` and `run --html` write it. It works without JavaScript, which adds filters, makes
//! tabs of the parts of a failure, and unfolds the targets of links.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use layoutproof_device::DeviceInfo;
use layoutproof_events::producer::Producer;
use layoutproof_layout::ShaderCompiler;
use maud::{Markup, html};

use super::case_part::{CaseSurroundings, case_parts};
use super::components::command;
use super::failure_card::failure_card;
use super::known_part::KnownEntries;
use super::outcome_matrix::{CheckPlaces, device_matrices, driver_and_api};
use super::page_frame::PageFrame;
use super::page_shaders::PageShaders;
use crate::failure::cause::{FailureCause, causes};
use crate::faults;
use crate::headline::Headline;
use crate::reporter::{Destination, FinishedRun, Reporter};
use layoutproof_events::{CheckRecord, LeftOutChecks, OutcomeKind, ReasonKind, SkipKind};
use layoutproof_show::style::{counted, grouped, one_line};

#[derive(Clone, Copy, Debug)]
pub struct RunPage;

impl Reporter for RunPage {
    fn destination(&self) -> Destination {
        Destination::FileOfOption { name: "html", help: "Write a page with each failure, known bugs and byte maps" }
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        let FinishedRun { devices, checks, end, .. } = *run;
        let places = CheckPlaces::of(checks, &end.left_out);
        let causes = causes(checks);
        let known = KnownEntries::of(checks, OutcomeKind::Known);
        let failed = causes.iter().flat_map(|cause| &cause.failures).map(|failure| failure.record);
        let shaders = PageShaders::of(failed.chain(known.first_checks()));

        let content = html! {
            (failures(&causes, &shaders))
            (flaky(checks))
            (KnownEntries::of(checks, OutcomeKind::Stale).stale_section())
            (known.section(&shaders))
            (device_matrices(&places, devices, checks, &end.left_out))
            (skips(checks, &end.left_out))
            (case_parts(&places, checks, CaseSurroundings { sources: &end.sources, known: &known }))
        };
        let Headline { lead, sentence, .. } = Headline::of(run);
        let title = format!("{lead}: {sentence}");
        PageFrame { title: &title, intro: intro(run), content }.into_text()
    }
}

fn intro(run: &FinishedRun<'_>) -> Markup {
    let end = run.end;
    let outcomes = [
        (OutcomeKind::Differ, end.differ, "differ"),
        (OutcomeKind::Broken, end.broken, "broken"),
        (OutcomeKind::Stale, end.stale, if end.stale == 1 { "known bug gone" } else { "known bugs gone" }),
        (OutcomeKind::Known, end.known, if end.known == 1 { "known bug" } else { "known bugs" }),
        (OutcomeKind::Agree, end.agree, "agree"),
        (OutcomeKind::Skipped, end.skipped, "skipped"),
    ];
    html! {
        a.skip.js-only href="#search" { "Skip to the search" }
        ul.totals {
            li { span.badge { (counted(end.checks.into(), "check")) } }
            @for (outcome, count, words) in outcomes.into_iter().filter(|(_, count, _)| *count > 0) {
                li {
                    a class=(format!("badge {}", outcome.as_str())) href=(section_about(outcome)) {
                        (grouped(count.into())) " " (words)
                    }
                }
            }
        }
        @if end.not_done > 0 { p.bad { (counted(end.not_done.into(), "check")) " of the run not done: it was interrupted." } }
        @for sentence in faults::changed_answers(end).into_iter().chain(faults::absorbed(end)) { p.bad { (sentence) "." } }
        @for listing in &end.failed_listings { p.bad { (one_line(listing)) } }
        (facts(run))
        @if end.sources.is_empty() {
            p.dim { "These records hold no declarations, so only failures are drawn." }
        }
    }
}

/// The commands, the time, and what took part in which version.
fn facts(run: &FinishedRun<'_>) -> Markup {
    let FinishedRun { runs, commands, devices, checks, end, .. } = *run;
    let versions: BTreeSet<&str> = runs.iter().map(|run| run.layoutproof.as_str()).collect();
    let builds: BTreeSet<(&str, String)> =
        runs.iter().flat_map(|run| &run.tools).map(|(tool, build)| (tool.as_str(), build.to_string())).collect();
    let tools: BTreeSet<(&str, &str)> = builds.iter().map(|(tool, build)| (*tool, build.as_str())).collect();
    let variables: BTreeSet<(&str, &str)> =
        runs.iter().flat_map(|run| &run.environment).map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let names: BTreeSet<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    let compilers = compilers(checks, &end.left_out);
    let list = |names: Vec<&str>| one_line(&names.join(", "));
    html! {
        dl.facts {
            @for words in commands { dt { "command" } dd { (command(&one_line(words))) } }
            @if end.ms > 0 { dt { "duration" } dd { (time(Duration::from_millis(end.ms.into()))) } }
            @if !names.is_empty() { dt { (if names.len() == 1 { "device" } else { "devices" }) } dd { (list(names.into_iter().collect())) } }
            @if !compilers.is_empty() {
                dt { (if compilers.len() == 1 { "compiler" } else { "compilers" }) } dd { (list(compilers.iter().map(String::as_str).collect())) }
            }
            @if end.leaves > 0 { dt { "read back" } dd { (counted(end.leaves.into(), "scalar")) } }
            @if !versions.is_empty() {
                dt { "versions" }
                dd {
                    details.inner {
                        summary {
                            "layoutproof " (list(versions.into_iter().collect())) ", "
                            (counted(devices.len() as u64, "driver")) ", " (counted(tools.len() as u64, "tool"))
                        }
                        (device_table(devices))
                        (pairs("Tools", "tool", "version", &tools))
                        (pairs("Variables", "variable", "value", &variables))
                    }
                }
            }
        }
    }
}

/// The compilers whose code was checked, each build once: `DXC`, `DXC 1.9`.
fn compilers(checks: &[CheckRecord], left_out: &[LeftOutChecks]) -> BTreeSet<String> {
    let makers = checks.iter().map(|check| &check.id.producer).chain(left_out.iter().map(|group| &group.producer));
    let mut titles: BTreeMap<&str, String> = BTreeMap::new();
    for maker in makers {
        let Some(Producer::Compiler(toolchain)) = maker.producer() else { continue };
        let Some(column) = toolchain.column() else { continue };
        let words = column.compiler.map(ShaderCompiler::title).into_iter().chain(column.version);
        titles.entry(toolchain.compiler).or_insert_with(|| words.collect::<Vec<_>>().join(" "));
    }
    // naga's two ways to code have one title.
    titles.into_values().collect()
}

/// `64.6 s`, `5 min 12 s`.
fn time(time: Duration) -> String {
    match time.as_secs() {
        0..120 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 120..7200 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

fn device_table(devices: &[DeviceInfo]) -> Markup {
    html! {
        @if !devices.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Devices" {
                table.words {
                    thead { tr { th scope="col" { "device" } th scope="col" { "driver" } th scope="col" { "via" } } }
                    tbody {
                        @for device in devices {
                            tr {
                                th scope="row" { (one_line(&device.name)) " " code { (one_line(&device.id)) } }
                                td { (driver_and_api(device)) }
                                td { (device.runner.title()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pairs(title: &str, name: &str, value: &str, pairs: &BTreeSet<(&str, &str)>) -> Markup {
    html! {
        @if !pairs.is_empty() {
            div.scroll tabindex="0" role="region" aria-label=(title) {
                table.words {
                    thead { tr { th scope="col" { (name) } th scope="col" { (value) } } }
                    tbody { @for (name, value) in pairs { tr { th scope="row" { (one_line(name)) } td { (one_line(value)) } } } }
                }
            }
        }
    }
}

/// The id of the section about checks with this outcome.
fn section_about(outcome: OutcomeKind) -> &'static str {
    match outcome {
        OutcomeKind::Differ | OutcomeKind::Broken => "#failures",
        OutcomeKind::Stale => "#stale",
        OutcomeKind::Known => "#known",
        OutcomeKind::Skipped => "#skipped",
        OutcomeKind::Agree => "#matrix",
    }
}

/// The failures by cause, with byte maps, and the known bugs, for a page that shows them while a run goes on.
pub fn failures_part(checks: &[CheckRecord]) -> Markup {
    let causes = causes(checks);
    let known = KnownEntries::of(checks, OutcomeKind::Known);
    let failed = causes.iter().flat_map(|cause| &cause.failures).map(|failure| failure.record);
    let shaders = PageShaders::of(failed.chain(known.first_checks()));
    html! { (failures(&causes, &shaders)) (known.section(&shaders)) }
}

/// One card per cause; those that differ come before those that broke.
fn failures(causes: &[FailureCause<'_>], shaders: &PageShaders<'_>) -> Markup {
    let failures: usize = causes.iter().map(|cause| cause.failures.len()).sum();
    html! {
        section id="failures" {
            h2 { "Failures" }
            @match causes.len() {
                0 => p { "Nothing differs but known bugs." },
                count if failures > count => p.dim {
                    (counted(failures as u64, "failure")) " of " (counted(count as u64, "cause"))
                    "; the first of each is shown, the others are listed below it."
                },
                _ => {},
            }
            @for cause in causes { (failure_card(cause, shaders)) }
        }
    }
}

/// The checks of which an answer changed on repeat, with both answers.
fn flaky(checks: &[CheckRecord]) -> Markup {
    let flaky: Vec<&CheckRecord> = checks.iter().filter(|check| check.is_flaky()).collect();
    html! {
        @if !flaky.is_empty() {
            section id="flaky" {
                h2 { "Answers that changed on repeat" }
                ul { @for check in flaky { li { code { (one_line(&check.id.to_string())) } ": " (one_line(&faults::both_answers(check))) } } }
            }
        }
    }
}

/// Reasons for skips, the most frequent first.
fn skips(checks: &[CheckRecord], left_out: &[LeftOutChecks]) -> Markup {
    let mut reasons: BTreeMap<(bool, ReasonKind), u64> = BTreeMap::new();
    for check in checks.iter().filter(|check| check.outcome.kind() == OutcomeKind::Skipped) {
        let is_not_applicable = check.outcome.skip_kind() == Some(SkipKind::NotApplicable);
        *reasons.entry((is_not_applicable, ReasonKind::of(check.outcome.reasons()))).or_default() += 1;
    }
    for group in left_out.iter().filter(|group| group.outcome == OutcomeKind::Skipped) {
        let is_not_applicable = group.skip_kind == Some(SkipKind::NotApplicable);
        let reason = group.skip_reason.clone().unwrap_or_else(|| ReasonKind::of(None));
        *reasons.entry((is_not_applicable, reason)).or_default() += u64::from(group.checks);
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));

    html! {
        @if !reasons.is_empty() {
            section id="skipped" {
                h2 { "Not possible here" }
                details {
                    summary { (counted(reasons.len() as u64, "reason")) }
                    div.scroll tabindex="0" role="region" aria-label="Reasons for skips" {
                        table {
                            thead { tr { th scope="col" { "reason" } th scope="col" { "checks" } th scope="col" { "kind" } } }
                            tbody {
                                @for ((is_not_applicable, reason), count) in &reasons {
                                    tr {
                                        th scope="row" { (one_line(&reason.to_string())) }
                                        td { (grouped(*count)) }
                                        td { (if *is_not_applicable { "not applicable" } else { "skipped" }) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
