//! Runs of the site's page for the GPU, with answers in place of a browser's.

use std::collections::BTreeSet;
use std::time::Duration;

use layoutproof_events::Event;
use layoutproof_gpu_page::{GpuRun, Tally};
use layoutproof_webgpu_messages::Opened;
use serde_json::{Value, json};

/// What Chromium 156 says about `SwiftShader`, as far as checks need it.
fn opened() -> Opened {
    let limits = json!({
        "maxBindGroups": 4, "maxColorAttachments": 8, "maxColorAttachmentBytesPerSample": 128, "maxImmediateSize": 64,
        "maxComputeWorkgroupsPerDimension": 65535, "maxSampledTexturesPerShaderStage": 16, "maxSamplersPerShaderStage": 16,
        "maxStorageBufferBindingSize": 1_073_741_824, "maxStorageBuffersPerShaderStage": 10,
        "maxStorageTexturesPerShaderStage": 4, "maxUniformBufferBindingSize": 65536, "maxUniformBuffersPerShaderStage": 12,
        "minStorageBufferOffsetAlignment": 256, "minUniformBufferOffsetAlignment": 256,
    });
    let opened = json!({
        "implementation": "Chromium 156.0.8078.108",
        "adapter": {
            "vendor": "google", "architecture": "swiftshader", "device": "", "description": "", "isFallbackAdapter": true,
            "limits": limits,
        },
        "languageFeatures": ["immediate_address_space", "uniform_buffer_standard_layout"],
    });
    serde_json::from_value(opened).expect("what host.mjs sends")
}

/// Answers the next check's jobs, all alike; `None` at the end of the run.
fn answer_next(run: &mut GpuRun, answer: &Value) -> Option<String> {
    let next: Value = serde_json::from_str(&run.next_check()?).expect("JSON");
    let answers = vec![answer; next["jobs"].as_array().expect("jobs").len()];
    run.answer(&json!(answers).to_string(), Duration::from_millis(1)).expect("answers");
    Some(next["check"].as_str().expect("an id").to_owned())
}

fn sum(run: &GpuRun) -> Tally {
    let mut sum = Tally::default();
    for tally in run.progress().tallies.values() {
        sum.agree += tally.agree;
        sum.differ += tally.differ;
        sum.known += tally.known;
        sum.broken += tally.broken;
        sum.skipped += tally.skipped;
    }
    sum
}

#[test]
fn refused_shaders_are_answers_and_no_check_is_left_out() {
    let mut run = GpuRun::new(&opened()).expect("a device");
    let total = run.progress().total;
    let refused = json!({ "failed": { "kind": "shader", "call": "validation", "text": "1:1: not today" } });
    let mut asked = BTreeSet::new();
    while let Some(check) = answer_next(&mut run, &refused) {
        assert!(asked.insert(check.clone()), "{check} again");
    }
    assert!(asked.iter().all(|check| check.contains("::naga::browser-chromium::webgpu")), "{:?}", asked.first());

    let progress = run.progress();
    assert_eq!((progress.done, progress.total), (total, total));
    let Tally { agree, differ, known, broken, skipped } = sum(&run);
    assert_eq!((agree, differ), (0, 0), "nothing was read");
    // A check with the jobs of an earlier one of its case has its answers.
    assert!((asked.len()..total).contains(&usize::try_from(broken + known).expect("a few")), "{broken} {known}");
    assert_eq!(usize::try_from(broken + known + skipped).expect("a few"), total);
    assert!(run.failures().contains("not today"));

    let records = run.records(Duration::from_secs(2));
    let events: Vec<Event<'_>> = records.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let Some((Event::RunStarted(header), [checks @ .., Event::RunFinished(end)])) = events.split_first() else {
        panic!("a header, checks and an end");
    };
    assert_eq!(header.devices[0].webgpu.as_ref().map(|facts| facts.limits["maxImmediateSize"]), Some(64));
    assert_eq!((checks.len(), end.not_done, end.ms), (total, 0, 2000));
}

#[test]
fn a_lost_device_breaks_its_check_and_the_others_are_kept() {
    let mut run = GpuRun::new(&opened()).expect("a device");
    let lost = json!({ "failed": { "kind": "lost", "call": "", "text": "the GPU hangs" } });
    answer_next(&mut run, &lost).expect("a check");
    assert_eq!(sum(&run).broken, 1);
    assert!(run.failures().contains("the GPU hangs"));

    // The page is closed while the next check runs.
    run.next_check().expect("a check");
    let records = run.records(Duration::ZERO);
    let last = serde_json::from_str(records.lines().last().expect("lines")).expect("an event");
    let Event::RunFinished(end) = last else { panic!("an end: {last:?}") };
    assert_eq!(end.broken, 1);
    assert_eq!(usize::try_from(end.not_done).expect("a few"), run.progress().total - run.progress().done);
}

/// Answers of another shape, with the wrong number of words, or that are no JSON.
#[test]
fn wrong_words_are_noticed() {
    for answer in [
        json!({ "ran": { "words": [1, 2, 3] } }),
        json!({ "failed": { "kind": "call", "call": "mapAsync", "text": "unmapped" } }),
        json!({ "opened": { "implementation": "Firefox 153.0" } }),
    ] {
        let mut run = GpuRun::new(&opened()).expect("a device");
        answer_next(&mut run, &answer).expect("a check");
        let sum = sum(&run);
        assert_eq!((sum.agree, sum.broken), (0, 1), "{answer}");
    }
    let mut run = GpuRun::new(&opened()).expect("a device");
    run.next_check().expect("a check");
    assert!(run.answer("{", Duration::ZERO).is_err());
}

/// A job's buffers come back unchanged: nothing was read, and the device wrote nothing.
#[test]
fn a_device_that_does_nothing_never_agrees() {
    let mut run = GpuRun::new(&opened()).expect("a device");
    for _ in 0..20 {
        let next: Value = serde_json::from_str(&run.next_check().expect("a check")).expect("JSON");
        let unchanged = |job: &Value| {
            let targets = job["program"]["draw"]["targets"].as_array().map_or(0, Vec::len);
            let words =
                job["buffers"].as_array().expect("buffers").iter().flat_map(|buffer| buffer.as_array().expect("words"));
            let texels = vec![json!(0); 4 * targets];
            json!({ "ran": { "words": texels.iter().chain(words).collect::<Vec<_>>() } })
        };
        let answers: Vec<Value> = next["jobs"].as_array().expect("jobs").iter().map(unchanged).collect();
        run.answer(&json!(answers).to_string(), Duration::ZERO).expect("answers");
    }
    assert_eq!(sum(&run).agree, 0);
}

#[test]
fn without_an_adapter_there_is_no_run() {
    let none = Opened { implementation: "Firefox 153.0".to_owned(), ..Opened::default() };
    assert_eq!(GpuRun::new(&none).expect_err("no adapter").to_string(), "this browser has no adapter for WebGPU");
}
