//! The execution of a module as JSON.

use std::collections::BTreeMap;

use layoutproof_readers::spirv::accesses::SourcePlace;
use layoutproof_readers::spirv::accesses::instrument::NotLogged;
use layoutproof_readers::spirv::accesses::own_log::Observed;
use serde::Serialize;

use super::{Culprit, OwnOutcome, OwnReport, PlainRun};

const SCHEMA: u32 = 1;

/// Writes the report as one line of JSON, newline included.
pub fn json(report: &OwnReport) -> String {
    let answer = JsonAnswer {
        schema: SCHEMA,
        source: &report.file,
        compiler: report.compiler.as_deref(),
        entry: &report.module.entry,
        workgroups: report.dispatch,
        headline: report.headline(),
        buffers: buffers(report),
        faults: faults(report),
        devices: report.devices.iter().map(|device| device_of(report, &device.name, &device.outcome)).collect(),
        account: JsonAccount {
            logged: report.module.log.sites().len(),
            never_executed: report.never_executed(),
            not_logged: &report.module.not_logged,
            not_validated: report.not_validated.as_deref(),
        },
    };
    serde_json::to_string(&answer).expect("all keys are strings, and writing to memory does not fail") + "\n"
}

#[derive(Debug, Serialize)]
struct JsonAnswer<'a> {
    schema: u32,
    source: &'a str,
    compiler: Option<&'a str>,
    entry: &'a str,
    workgroups: [u32; 3],
    headline: String,
    buffers: Vec<JsonBuffer<'a>>,
    faults: Vec<JsonFault<'a>>,
    devices: Vec<JsonDevice<'a>>,
    account: JsonAccount<'a>,
}

#[derive(Debug, Serialize)]
struct JsonBuffer<'a> {
    name: &'a str,
    kind: &'static str,
    set: u32,
    binding: u32,
    bytes: u64,
    /// True if the module or the user states the size.
    stated: bool,
}

#[derive(Debug, Serialize)]
struct JsonFault<'a> {
    culprit: Option<&'static str>,
    fault: &'static str,
    /// `null` for a fault that the code has on every device.
    device: Option<&'a str>,
    message: String,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
}

#[derive(Debug, Serialize)]
struct JsonDevice<'a> {
    device: &'a str,
    outcome: &'static str,
    reason: Option<&'a str>,
    /// Whether the module wrote the same bytes without the log.
    plain: Option<&'static str>,
    accesses: Vec<JsonSite<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonSite<'a> {
    access: String,
    /// The bytes by the static answer.
    at: Option<String>,
    count: u32,
    beyond: u32,
    misaligned: u32,
    least: Option<u32>,
    most: Option<u32>,
    indices: Vec<JsonIndex<'a>>,
    line: Option<u32>,
}

#[derive(Debug, Serialize)]
struct JsonIndex<'a> {
    name: &'a str,
    least: i64,
    most: i64,
}

#[derive(Debug, Serialize)]
struct JsonAccount<'a> {
    logged: usize,
    /// Of these, those that no device got to.
    never_executed: usize,
    not_logged: &'a BTreeMap<NotLogged, u64>,
    /// Why spirv-val did not judge the module.
    not_validated: Option<&'a str>,
}

fn buffers(report: &OwnReport) -> Vec<JsonBuffer<'_>> {
    let all = report.module.buffers.iter().zip(&report.sizes);
    let buffer = all.map(|(buffer, (bytes, is_chosen))| JsonBuffer {
        name: &buffer.name,
        kind: buffer.kind.as_str(),
        set: buffer.set,
        binding: buffer.binding,
        bytes: *bytes,
        stated: *is_chosen || buffer.unsized_array.is_none(),
    });
    buffer.collect()
}

fn faults(report: &OwnReport) -> Vec<JsonFault<'_>> {
    let fault = |culprit: Option<Culprit>, fault, device, message, place: Option<&'_ SourcePlace>| JsonFault {
        culprit: culprit.map(Culprit::id),
        fault,
        device,
        message,
        file: None,
        line: place.map(|place| place.line),
        column: place.and_then(|place| place.column),
    };
    let invalid = report.invalid.iter();
    let invalid = invalid.map(|said| fault(Some(report.invalid_culprit()), "invalid", None, said.clone(), None));
    let of_code = report.static_faults().map(|(own, said)| {
        let of_place = own.place.as_ref();
        let found = fault(Some(Culprit::YourCode), own.kind.name(), None, said, of_place);
        JsonFault { file: of_place.map(|place| place.file.as_str()), ..found }
    });
    let of_devices = report.differences().map(|(device, difference)| {
        let place = report.place_of(difference);
        let said = report.difference_text(difference);
        let found = fault(difference.culprit(), difference.name(), Some(device), said, place);
        JsonFault { file: place.map(|place| place.file.as_str()), ..found }
    });
    invalid.chain(of_code).chain(of_devices).collect()
}

fn device_of<'a>(report: &'a OwnReport, device: &'a str, outcome: &'a OwnOutcome) -> JsonDevice<'a> {
    let (outcome, reason, plain, accesses) = match outcome {
        OwnOutcome::Skipped(reason) => ("skipped", Some(reason.as_str()), None, Vec::new()),
        OwnOutcome::Broken(reason) => ("broken", Some(reason.as_str()), None, Vec::new()),
        OwnOutcome::Ran { log, plain, .. } => {
            let reason = if let PlainRun::Broken(reason) = plain { Some(reason.as_str()) } else { None };
            let plain = match plain {
                PlainRun::Same => "same",
                PlainRun::Differs => "differs",
                PlainRun::Varies => "varies",
                PlainRun::Broken(_) => "broken",
                PlainRun::NoBuffer => "no-buffer",
                PlainRun::NotRun => "not-run",
            };
            let sites = (0..).zip(&log.sites).map(|(number, seen)| site(report, number, seen));
            ("ran", reason, Some(plain), sites.collect())
        }
    };
    JsonDevice { device, outcome, reason, plain, accesses }
}

fn site<'a>(report: &OwnReport, number: u32, seen: &'a Observed) -> JsonSite<'a> {
    let is_reached = seen.count > 0;
    JsonSite {
        access: report.access_name(number),
        at: report.access(number).map(|access| access.at.to_string()),
        count: seen.count,
        beyond: seen.beyond.saturating_add(seen.left),
        misaligned: seen.misaligned,
        least: is_reached.then_some(seen.least),
        most: is_reached.then_some(seen.most),
        indices: seen.filled.iter().map(|(name, least, most)| JsonIndex { name, least: *least, most: *most }).collect(),
        line: report.place(number).map(|place| place.line),
    }
}
