//! Runs on the drivers of this machine: a fault in a worker breaks only its own case, and lavapipe
//! compiles fast where it may.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::folder::Folder;
use crate::fuzz::Here;
use crate::outcomes::outcomes;

const CASE: &str = "arrays/scalar_packs_behind_the_last_element";

pub(crate) fn trials() -> Vec<Trial> {
    let listed = Folder::with(&[]).with_drivers().run("doctor devices --format json").json();
    let devices = || listed["devices"].as_array().into_iter().flatten();
    let has_vulkan = devices().any(|device| device["runner"] == "ash");
    let has_wgpu = devices().any(|device| device["runner"] == "wgpu");
    let has_lavapipe = devices().any(|device| device["runner"] == "ash" && device["id"] == "lavapipe");
    let current = devices().find(|device| device["runner"] == "ash" && device["id"] == "lavapipe-current").cloned();
    let no_current = current.is_none().then_some("the lavapipe of Debian sid is not there");
    let no_device = (!has_vulkan).then_some("no Vulkan device is there");
    let no_words = cfg!(not(unix)).then_some("the message about a dead process is the one of Unix");
    let no_adapter = (!has_wgpu).then_some("no adapter of wgpu is there");
    let no_dxc = Here::look().lacks_compiler("dxc-1.9");
    let no_compiler = Here::look().lacks_compiler("dxc");
    let no_glslang = Here::look().lacks_compiler("glslang-current");
    let no_lavapipe = (!has_lavapipe).then_some("lavapipe is not there");
    vec![
        trial("a_fault_breaks_its_case_alone", no_words.or(no_device), a_fault_breaks_its_case_alone),
        trial(
            "an_api_that_is_lost_is_exit_code_three",
            no_words.or(no_adapter),
            an_api_that_is_lost_is_exit_code_three,
        ),
        trial("lavapipe_compiles_fast_but_for_the_share", no_lavapipe, lavapipe_compiles_fast_but_for_the_share),
        trial("lavapipe_compiles_as_the_user_says", no_lavapipe, lavapipe_compiles_as_the_user_says),
        trial("a_newer_lavapipe_takes_part_on_request", no_current, move || {
            a_newer_lavapipe_takes_part_on_request(&current.unwrap());
        }),
        trial("code_of_a_compiler_reads_descriptor_heaps", no_current.or(no_glslang.as_deref()), || {
            code_of_a_compiler_reads_descriptor_heaps();
        }),
        trial(
            "a_device_that_is_named_runs_what_compilers_make",
            no_lavapipe.or(no_compiler.as_deref()),
            a_device_that_is_named_runs_what_compilers_make,
        ),
        trial("one_folder_has_all_results", no_lavapipe, one_folder_has_all_results),
        trial("a_variable_may_name_a_library", no_compiler.as_deref(), a_variable_may_name_a_library),
        trial("elements_that_no_pointer_reaches_are_named", no_dxc.as_deref().or(no_lavapipe), || {
            elements_that_no_pointer_reaches_are_named();
        }),
    ]
}

fn trial(name: &str, lacking: Option<&str>, test: impl FnOnce() + Send + 'static) -> Trial {
    let test = move || {
        test();
        Ok(())
    };
    crate::trial(&format!("drivers::{name}"), lacking.map(str::to_owned), test)
}

fn a_fault_breaks_its_case_alone() {
    // A hang takes the time limit once for each entry point, form and device.
    let folder = Folder::with(&[]).with_drivers().within(Duration::from_secs(240));
    let words = "run scalar_packs vectors/two_pairs --rules std140 --space push-constant --runner ash --json r.jsonl";
    let before = folder.run(words).exits(0);
    let undisturbed = outcomes(&folder.read("r.jsonl"));
    assert!(undisturbed.iter().any(|ended| ended.0 == CASE), "{before}");
    for (fault, word) in [("crash", "broken"), ("hang", "broken"), ("garbage", "differ"), ("oom", "broken")] {
        let words = format!("{words} --plant-fault {fault}@scalar_packs --time-limit 2");
        let answer = folder.run(&words).exits(1);
        let after = outcomes(&folder.read("r.jsonl"));
        assert_eq!(after.len(), undisturbed.len(), "{before}{answer}");
        for (before, after) in undisturbed.iter().zip(&after) {
            let expected = if before.0 == CASE { word } else { &before.1 };
            assert_eq!(after.1, expected, "{after:?} in {answer}");
        }
    }
}

/// `vk::BufferPointer` has no arithmetic, so nothing shows the distance of its elements.
fn elements_that_no_pointer_reaches_are_named() {
    let folder = Folder::with(&[]).with_drivers();
    folder.run("run pointers/buffer_pointer_of_dxc --compiler dxc-1.9 --device lavapipe --json r.jsonl").exits(0);
    let records = folder.read("r.jsonl");
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let compiled: Vec<Value> = records.filter(|record| record["producer"] == "dxc-1.9-spirv").collect();
    assert!(!compiled.is_empty());
    for record in compiled {
        let words = "the second element behind the pointer is not read";
        let gaps = record["not_checked"].as_array().into_iter().flatten();
        assert!(gaps.filter_map(Value::as_str).any(|gap| gap.starts_with(words)), "{record}");
    }
    // A compiler that refuses the pointer says enough.
    folder.run("run pointers/pointee_of_slang --compiler dxc-1.9 --device lavapipe --json r.jsonl").exits(4);
    assert!(!folder.read("r.jsonl").contains("is not read, because"));
}

/// Naming a device drops no compiler; naming a form of access does, and the run says so.
fn a_device_that_is_named_runs_what_compilers_make() {
    let folder = Folder::with(&[]).with_drivers();
    let makers = |words: &str| {
        folder.run(&format!("run {CASE} {words} --require lavapipe --json r.jsonl")).exits(0);
        let text = folder.read("r.jsonl");
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let checks = lines.filter(|line| line["type"] == "check" && line["device"] == "lavapipe");
        checks.map(|check| check["producer"].as_str().unwrap_or_default().to_owned()).collect::<BTreeSet<_>>()
    };
    let named = makers("--device lavapipe --api vulkan");
    assert!(named.contains("dxc-spirv") && named.contains("rspirv"), "{named:?}");
    assert!(!makers("--device lavapipe --no-compiler").contains("dxc-spirv"));
    let answer = folder.run(&format!("run {CASE} --device lavapipe --form leaf")).exits(0);
    answer.warns("note: --form chooses among the probes of `rspirv` and `naga`, so no compiler is run");
}

/// The run uses the devices of the other API, and its records show that these are not all.
fn an_api_that_is_lost_is_exit_code_three() {
    let folder = Folder::with(&[]).with_drivers();
    let words = format!("run {CASE} --rules std140 --form leaf --plant-fault crash:ash --json r.jsonl");
    let answer = folder.run(&words).exits(3).prints("incomplete 1 device listing failed; ");
    let answer = answer.warns("error: the devices of ash could not be listed, in 2 attempts: worker died of SIGABRT");
    let after = outcomes(&folder.read("r.jsonl"));
    assert!(after.iter().any(|ended| matches!(ended.1.as_str(), "agree" | "known")), "{answer}");
    let end: Value = serde_json::from_str(folder.read("r.jsonl").lines().last().unwrap()).unwrap();
    assert_eq!(end["failed_listings"].as_array().map(Vec::len), Some(1), "{end}");
    folder.run("report r.jsonl").exits(3).prints("incomplete 1 device listing failed; ");
}

/// The run's records name the version of the driver, and nothing but a request brings it in.
fn a_newer_lavapipe_takes_part_on_request(current: &Value) {
    let folder = Folder::with(&[]).with_drivers();
    let devices_of = |words: &str| {
        folder.run(&format!("run {CASE} --rules std140 --form leaf {words} --json c.jsonl")).exits(0);
        let text = folder.read("c.jsonl");
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let of_newer = |device: &&Value| device["id"] == "lavapipe-current";
        first["devices"].as_array().unwrap().iter().filter(of_newer).cloned().collect::<Vec<_>>()
    };
    assert_eq!(devices_of("--runner vulkan"), Vec::<Value>::new());
    // What a run requires does not choose its devices.
    for words in [
        "--runner vulkan --every-device",
        "--runner vulkan --every-device --require lavapipe",
        "--runner vulkan --device lavapipe-current",
    ] {
        let devices = devices_of(words);
        assert_eq!(devices.len(), 1, "{words}");
        assert_eq!(devices[0]["driver"], current["driver"], "{words}");
        assert!(devices[0]["driver"].as_str().is_some_and(|driver| driver.contains("Mesa ")), "{words}");
    }
}

/// glslang's code finds the blocks of heap cases, and of others on request, as descriptor 3.
fn code_of_a_compiler_reads_descriptor_heaps() {
    let folder = Folder::with(&[]).with_drivers();
    let leaves = |words: &str| {
        folder
            .run(&format!("run {words} --device lavapipe-current --compiler glslang-current --json h.jsonl"))
            .exits(0);
        let end: Value = serde_json::from_str(folder.read("h.jsonl").lines().last().unwrap()).unwrap();
        let cells = end["cells"][0]["cells"].as_array().unwrap().clone();
        let spaces = cells.iter().filter(|cell| cell["proves"] == "compiler");
        spaces.map(|cell| cell["space"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let both = BTreeSet::from(["heap-storage", "heap-uniform"].map(str::to_owned));
    assert_eq!(leaves("descriptor_heaps/"), both);
    assert!(leaves(&format!("{CASE} --space heap-uniform,heap-storage")).is_superset(&both));

    // What comes back counts.
    let planted = "run descriptor_heaps/ --device lavapipe-current --compiler glslang-current --plant-fault garbage@descriptor_heaps/";
    folder.run(planted).exits(1);
}

/// The value of `fast` in the one record that a run on lavapipe with these words writes.
fn fast(folder: &Folder, words: &str) -> Value {
    let run = format!("run {CASE} --rules std140 --producer rspirv --form leaf --device lavapipe --runner ash");
    folder.run(&format!("{run} {words} --json a.jsonl")).exits(0);
    let text = folder.read("a.jsonl");
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let checks: Vec<&Value> = records.iter().filter(|record| record["type"] == "check").collect();
    let [check] = checks[..] else { panic!("one check in {text}") };
    check["fast"].clone()
}

/// In at least one of two rotations it is not the check's turn.
const ROTATIONS: [&str; 2] = ["--rotation 0", "--rotation 1"];

fn lavapipe_compiles_fast_but_for_the_share() {
    let folder = Folder::with(&[]).with_drivers();
    assert_eq!(fast(&folder, "--no-fuse"), Value::Null);
    assert!(ROTATIONS.iter().any(|words| fast(&folder, words) == Value::Bool(true)));
}

fn lavapipe_compiles_as_the_user_says() {
    let folder = Folder::with(&[]).with_drivers().with_variable("GALLIVM_PERF", "no_brilinear");
    assert!(ROTATIONS.iter().all(|words| fast(&folder, words) == Value::Null));
}

/// A few cases, declarations and programs: what `ci/kit` does on a machine without a network.
fn one_folder_has_all_results() {
    let folder = Folder::with(&[]).with_drivers().within(Duration::from_secs(300));
    let words = "dev hardware vectors/two --with-cpu --device lavapipe --declarations 4 --programs 24 --out results";
    let answer = folder.run(words).exits(0);
    let summary = folder.read("results/summary.txt");
    for start in ["layoutproof ", "machine ", "suite ", "declarations ", "programs "] {
        assert!(summary.lines().any(|line| line.starts_with(start)), "{start} in {summary}\n{answer}");
    }
    assert!(summary.contains("  ok   "), "{summary}");
    for name in ["machine.txt", "suite.txt", "suite.html", "suite.jsonl.zst", "baseline.toml", "devices.jsonl.zst"] {
        assert!(folder.path(&format!("results/{name}")).is_file(), "{name}\n{answer}");
    }
    assert!(!folder.path("results/scratch").exists());
    folder.run(words).exits(2).warns("error: results is not empty: name an empty folder with --out");
}

/// As `--compiler dxc=PATH` takes one: a kit for Windows has DXC as a library alone.
fn a_variable_may_name_a_library() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ci/tools-folder");
    let answer = Command::new(script).output().unwrap();
    let library = format!("{}/tools/dxc-lib/libdxcompiler.so", String::from_utf8(answer.stdout).unwrap().trim());
    let folder = Folder::with(&[]).with_variable("DXC", &library);
    let found = folder.run("doctor compilers --format json").json();
    let dxc = found["compilers"].as_array().unwrap().iter().find(|compiler| compiler["name"] == "dxc").unwrap();
    assert_eq!(dxc["origin"], "DXC names it", "{found}");
    assert!(dxc["version"].as_str().unwrap().starts_with("libdxcompiler: "), "{found}");
}
