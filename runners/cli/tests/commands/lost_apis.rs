//! If the devices of an API cannot be listed, the exit code is 3, whatever the results of the
//! others.

use super::folder::Folder;

/// One check, with records.
const RUN: &str = "run scalar_packs_behind --rules std140 --json r.jsonl";

#[cfg_attr(not(target_os = "linux"), ignore = "drivers can be hidden only from the loaders of Linux")]
#[test]
fn a_listing_that_dies_twice_is_an_error() {
    let folder = Folder::without_drivers(&[]).with_drivers();
    folder.run(&format!("{RUN} --plant-fault crash:ash")).exits(3).warns(
        "error: the devices of ash could not be listed, in 2 attempts: worker died of SIGABRT; last output: a crash was \
         planted",
    );
    folder
        .run(&format!("{RUN} --plant-fault oom:wgpu"))
        .exits(3)
        .warns("error: the devices of wgpu could not be listed");
    // This run needs no devices of an API.
    folder.run(&format!("{RUN} --device model --plant-fault crash:ash")).exits(0);
}

/// Records contain the results without the API, and a note that these are incomplete.
#[test]
fn records_say_that_an_api_is_missing() {
    let folder = Folder::with(&[]);
    folder.run(&format!("{RUN} --device model")).exits(0);
    let failed = r#""failed_listings":["the devices of ash could not be listed"]"#;
    let text = folder.read("r.jsonl");
    let (first, end) = text.rsplit_once("{\"type\":\"end\",").unwrap();
    folder.write("cut.jsonl", format!("{first}{{\"type\":\"end\",{failed},{end}").as_bytes());
    for words in ["report cut.jsonl", "report cut.jsonl r.jsonl cut.jsonl --json all.jsonl", "report all.jsonl"] {
        let answer = folder.run(words).exits(3);
        let answer = answer.prints("incomplete 1 device listing failed; 1 check agrees");
        answer.warns("error: the devices of ash could not be listed");
    }
    assert!(folder.read("all.jsonl").contains(failed));
}

#[cfg(target_os = "linux")]
mod drivers {
    use super::super::driver_library::add_driver;
    use super::super::folder::Folder;

    /// A machine whose only Vulkan driver runs `deed` when it is loaded.
    fn with_driver(deed: &str) -> Folder {
        let folder = Folder::without_drivers(&[]).with_drivers();
        add_driver(&folder, "drivers", "bad", deed);
        let manifest = folder.path("drivers/bad.json").display().to_string();
        folder.with_variable("VK_DRIVER_FILES", manifest)
    }

    /// Both APIs load the driver, and so does a Direct3D 12 that translates to Vulkan.
    #[test]
    fn a_driver_that_aborts_is_an_error_of_every_command_that_lists_devices() {
        let folder = with_driver("fputs(\"no such GPU\\n\", stderr); abort();");
        let sentence = |api: &str| {
            let how = "worker died of SIGABRT; last output: no such GPU";
            format!("the devices of {api} could not be listed, in 2 attempts: {how}")
        };
        for words in ["run scalar_packs_behind --rules std140", "doctor devices"] {
            let answer = folder.run(words).exits(3).warns(&format!("error: {}", sentence("ash")));
            answer.warns(&format!("error: {}", sentence("wgpu")));
        }
        folder.run("dev bench").exits(3).warns(&format!("error: {}", sentence("ash")));
        folder.run("doctor").exits(3).prints(&format!("Broken driver {}", sentence("ash")));
        let json = folder.run("doctor devices --format json").exits(3).json();
        let failed = json["failed_listings"].as_array().unwrap();
        assert_eq!(failed[..2], [sentence("ash"), sentence("wgpu")]);
        assert!(failed[2..].iter().all(|failure| *failure == sentence("d3d12")), "{failed:?}");
    }

    /// The driver does its work, except that it has no devices.
    #[test]
    fn a_driver_that_prints_is_named_in_a_note() {
        let folder = with_driver("fputs(\"GPU is in a low-power state\\n\", stderr);");
        let answer = folder.run("doctor devices");
        let note = "note: a driver printed while the devices of ash were listed: GPU is in a low-power state";
        assert!(answer.err.contains(note), "{answer}");
    }

    /// The evaluator of DXIL needs no driver, so some checks run, but not all.
    #[test]
    fn fuzzing_goes_on_without_the_api_and_says_so() {
        let folder = with_driver("abort();").with_variable("DXC", "./dxc");
        folder.write("dxc", b"#!/bin/sh\ncase \"$*\" in *--version*) echo dxc of a test; exit 0;; esac\nexit 1\n");
        super::super::driver_library::set_mode(&folder.path("dxc"), 0o755);
        let answer = folder.run("dev fuzz --compiler dxc --count 1 --json r.jsonl").exits(3);
        answer.prints("seed 0, 1 declaration").warns("error: the devices of ash could not be listed, in 2 attempts");
        assert!(folder.read("r.jsonl").contains("\"failed_listings\":[\"the devices of ash"));
    }

    /// The first of the two processes that load the driver creates the file and aborts.
    #[test]
    fn a_listing_that_dies_once_is_tried_again() {
        let folder = with_driver("if (open(MARK, O_CREAT | O_EXCL | O_WRONLY, 0644) >= 0) abort();");
        let answer = folder.run("doctor devices");
        assert!(answer.err.contains("failed and was tried again: worker died of SIGABRT"), "{answer}");
        assert!(!answer.err.contains("could not be listed"), "{answer}");
    }
}

#[test]
fn a_worker_is_for_other_commands() {
    let answer = Folder::with(&[]).run("worker").exits(2);
    assert!(answer.err.starts_with("error: `worker` is for other commands"), "{answer}");
}
