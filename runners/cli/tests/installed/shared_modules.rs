//! Runs with and without shared modules on the Vulkan devices of this machine: the results are the
//! same.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::trial;

/// Some thirty checks of vectors.
const RUN: &str = "run vectors/ --rules std140,std430 --producer rspirv --runner ash";
/// One of these cases, in which a fault is planted.
const GUILTY: &str = "vectors/three_component_vector_behind_a_scalar";

type Trialled = fn(&str) -> Result<(), Failed>;

const TRIALS: [(&str, Trialled); 4] = [
    ("checks_end_as_others", ends_as_others),
    ("a_planted_layout_is_found", planted_layout),
    ("a_crash_breaks_its_case_alone", crash),
    ("garbage_is_the_fault_of_its_case_alone", garbage),
];

pub(crate) fn trials() -> Vec<Trial> {
    let devices = devices();
    if devices.is_empty() {
        let no_device = Some("no Vulkan device is there".to_owned());
        return TRIALS.map(|(name, _)| trial(&format!("shared_modules::{name}"), no_device.clone(), || Ok(()))).into();
    }
    let of_device = |id: &String| {
        TRIALS.map(|(name, trialled)| {
            let device = id.clone();
            trial(&format!("shared_modules::{name}::{id}"), None, move || trialled(&device))
        })
    };
    devices.iter().flat_map(of_device).collect()
}

/// The ids of the Vulkan devices.
fn devices() -> Vec<String> {
    let answer = layoutproof(Path::new("."), "doctor devices --format json");
    let json: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let devices = json["devices"].as_array().into_iter().flatten().filter(|device| device["runner"] == "ash");
    devices.filter_map(|device| device["id"].as_str().map(str::to_owned)).collect()
}

fn layoutproof(folder: &Path, words: &str) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    command.env("LAYOUTPROOF_CACHE", folder.join("cache"));
    command.args(words.split_whitespace()).current_dir(folder).output().expect("the command was just built")
}

/// The records of a run's checks by case and rule set.
type Records = BTreeMap<String, Value>;

/// Runs on a device with these options and reads the records.
fn records(device: &str, words: &str) -> Result<Records, Failed> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let answer = layoutproof(folder.path(), &format!("{RUN} --device {device} --json r.jsonl --records full {words}"));
    let text = std::fs::read_to_string(folder.path().join("r.jsonl"))
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&answer.stderr)))?;
    let lines = text.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>();
    let checks = lines.map_err(|error| error.to_string())?.into_iter().filter(|line| line["type"] == "check");
    Ok(checks.map(|check| (format!("{} {}", check["case"], check["rules"]), check)).collect())
}

/// True if a shared module answered for any row of a check.
fn is_fused(check: &Value) -> bool {
    check["rows"].as_array().into_iter().flatten().any(|row| row["fused"] == true)
}

/// A check without what may differ: its time, how it was answered, the faults of modules that it shares, and the command
/// that repeats it.
fn bare(mut check: Value) -> Value {
    if let Some(story) = check["story"].as_object_mut() {
        story.remove("again");
    }

    let keys = check.as_object_mut().into_iter();
    for key in keys {
        key.remove("ms");
        key.remove("fast");
        key.remove("faults");
        key.remove("thorough");
    }
    for row in check["rows"].as_array_mut().into_iter().flatten() {
        row.as_object_mut().map(|row| row.remove("fused"));
    }
    check
}

fn ensure(holds: bool, message: impl Fn() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(message().into()) }
}

/// Asserts that the same checks have the same results, row by row; `but` is a case to leave out.
fn ensure_same(shared: &Records, alone: &Records, but: Option<&str>) -> Result<(), Failed> {
    ensure(shared.len() == alone.len() && !alone.is_empty(), || format!("{} checks", shared.len()))?;
    for (name, check) in alone.iter().filter(|(_, check)| Some(check["case"].as_str()) != Some(but) || but.is_none()) {
        let (check, other) = (bare(check.clone()), shared.get(name).cloned().map(bare));
        ensure(Some(&check) == other.as_ref(), || format!("{check}\nis not\n{other:?}"))?;
    }
    Ok(())
}

/// The run without shared modules answers for every leaf of the other run, with the same numbers.
fn ends_as_others(device: &str) -> Result<(), Failed> {
    let (shared, alone) = (records(device, "")?, records(device, "--no-fuse")?);
    ensure(!alone.values().any(is_fused), || "a run without shared modules has some".to_owned())?;
    let count = shared.values().filter(|check| is_fused(check)).count();
    ensure(2 * count > shared.len(), || format!("{count} of {} checks share modules", shared.len()))?;
    ensure(alone.values().all(|check| check["outcome"] == "agree"), || "a check does not agree".to_owned())?;
    ensure_same(&shared, &alone, None)
}

/// Shaders with the offsets of other rules get a wrong hash. The verdict comes from the jobs that
/// show every leaf.
fn planted_layout(device: &str) -> Result<(), Failed> {
    let words = "--plant-rules scalar";
    let (shared, alone) = (records(device, words)?, records(device, &format!("{words} --no-fuse"))?);
    let differing = alone.values().filter(|check| check["outcome"] == "differ").count();
    ensure(differing > 5, || format!("{differing} checks differ"))?;
    ensure_same(&shared, &alone, None)
}

/// The case shares modules with others, which fail with it. Then all of them run alone, and only
/// this case is broken.
fn crash(device: &str) -> Result<(), Failed> {
    guilty_alone(device, "crash", "broken")
}

fn garbage(device: &str) -> Result<(), Failed> {
    guilty_alone(device, "garbage", "differ")
}

fn guilty_alone(device: &str, fault: &str, outcome: &str) -> Result<(), Failed> {
    let undisturbed = records(device, "")?;
    let disturbed = records(device, &format!("--plant-fault {fault}@{GUILTY}"))?;
    let of_guilty = |records: &Records| -> Vec<Value> {
        records.values().filter(|check| check["case"] == GUILTY).cloned().collect()
    };
    ensure(of_guilty(&undisturbed).iter().any(is_fused), || format!("{GUILTY} shares no module"))?;
    let ends = of_guilty(&disturbed);
    ensure(ends.iter().all(|check| check["outcome"] == outcome), || format!("{ends:?} are not {outcome}"))?;
    ensure_same(&disturbed, &undisturbed, Some(GUILTY))
}
