//! Requirements that are not met. Exit code 3: no device, a missing device or floor, a forbidden
//! skip. Exit code 4: nothing selected or nothing proved. Exit code 2: wrong arguments. 2 takes
//! precedence over 3, 3 over 1, 1 over 4.

use layoutproof_device::RunnerKind;

use super::folder::Folder;

/// Runs a case under one rule set on the model device.
const RUN: &str = "run scalar_packs_behind_the_last_element --rules std140 --device model";

/// Runs a file without anything to probe.
const SKIPPED: &str = "run textures.hlsl --rules std140 --device model";

/// A floor for a device that takes no part in a run on the model.
fn floors(leaves: u32) -> String {
    format!("[[floor]]\ndevice = \"lavapipe\"\nrunner = \"ash\"\nproves = \"decorations\"\nleaves = {leaves}\n")
}

#[cfg_attr(not(target_os = "linux"), ignore = "drivers can be hidden only from the loaders of Linux")]
#[test]
fn no_driver_is_exit_code_three_and_one_sentence() {
    let folder = Folder::without_drivers(&[]);
    for words in ["run scalar_packs_behind", "run scalar_packs_behind --runner ash", "run --runner wgpu,ash,model"] {
        let answer = folder.run(words).exits(3);
        let errors: Vec<&str> = answer.err.lines().filter(|line| line.starts_with("error: ")).collect();
        let [sentence] = errors[..] else { panic!("one error in {answer}") };
        assert!(sentence.starts_with("error: no device: no Vulkan or GL driver was found"), "{sentence}");
        assert!(sentence.contains("layoutproof doctor") && sentence.contains("--device model"), "{sentence}");
        assert_eq!(answer.out, "");
    }
    folder.run("doctor devices").exits(3).prints("Devices none found");
    assert_eq!(folder.run("doctor devices --format json").exits(3).json()["devices"], serde_json::json!([]));
}

#[cfg_attr(not(target_os = "linux"), ignore = "drivers can be hidden only from the loaders of Linux")]
#[test]
fn doctor_names_what_is_missing_and_how_to_get_it() {
    let doctor = Folder::without_drivers(&[]).run("doctor").exits(3);
    for missing in ["lavapipe", "swiftshader"] {
        let line = doctor.out.lines().find(|line| line.contains(missing)).unwrap_or_else(|| panic!("{doctor}"));
        assert!(line.contains("no such device"), "{line}");
    }
    assert!(doctor.out.contains("`layoutproof setup lavapipe`") && doctor.out.contains("spirv-val"), "{doctor}");
}

/// The model needs no driver, so it runs without one.
#[cfg_attr(not(target_os = "linux"), ignore = "drivers can be hidden only from the loaders of Linux")]
#[test]
fn the_model_runs_without_any_driver() {
    let folder = Folder::without_drivers(&[]);
    folder.run(RUN).exits(0).prints("ok 1 check agrees");
    folder.run("run scalar_packs_behind --rules std140 --runner model").exits(0).prints("ok 1 check agrees");
}

#[test]
fn a_device_that_is_required_and_missing() {
    // With drivers, the message lists the available devices: see `endings.rs`.
    let folder = Folder::without_drivers(&[]);
    let missing = "error: device `nosuch` is required and was not found";
    folder.run(&format!("{RUN} --require nosuch")).exits(3).warns(missing);
    folder.run(&format!("{RUN} --device nosuch")).exits(3).warns(missing);
    folder.run(&format!("{RUN} --require model")).exits(0);
}

/// `--compiler` names all that a run uses; `--require` demands one of those that it uses anyway.
#[test]
fn a_compiler_that_is_required_and_missing() {
    let folder = Folder::without_drivers(&[]);
    let missing = "error: compiler `dxc` is required and takes no part";
    folder.run(&format!("{RUN} --require dxc --junit r.xml")).exits(3).warns(missing);
    assert!(folder.read("r.xml").contains("compiler `dxc` is required and takes no part"));
    folder.run(&format!("{RUN} --require rspirv")).exits(0);
    // It takes part, and the model runs none of its shaders.
    folder
        .run(&format!("{RUN} --require naga"))
        .exits(3)
        .warns("error: compiler `naga` is required and gave no result");
}

#[test]
fn a_floor_that_is_not_met() {
    let folder = Folder::with(&[("high.toml", &floors(1))]);
    let missed = folder.run(&format!("{RUN} --floors high.toml")).exits(3);
    missed.warns(
        "error: floor not met: lavapipe via Vulkan answered for 0 leaves that prove `decorations`, the floor is 1",
    );
}

/// Every run would reach such a floor, so it can only be a mistake.
#[test]
fn a_floor_that_every_run_reaches_is_refused() {
    let folder = Folder::with(&[("zero.toml", &floors(0)), ("empty.toml", ""), ("comment.toml", "# later\n")]);
    std::fs::create_dir(folder.path("folder")).unwrap();
    for (list, place, message) in [
        ("zero.toml", "[zero.toml:5:10]", "error: every run reaches a floor of 0 leaves"),
        ("empty.toml", "[empty.toml:1:1]", "error: the file has no [[floor]]"),
        ("comment.toml", "[comment.toml:1:1]", "error: the file has no [[floor]]"),
        ("folder", "", "error: folder has no floor, so every run would pass"),
    ] {
        let answer = folder.run(&format!("{RUN} --floors {list}")).exits(2).warns(message);
        assert!(answer.err.contains(place), "{answer}");
    }
}

/// Exit code 3 takes precedence over 1.
#[test]
fn a_floor_that_is_not_met_by_a_run_that_differs() {
    let folder = Folder::with(&[("floors.toml", &floors(1))]);
    let differs = folder.run(&format!("{RUN} --plant-misreading idle --floors floors.toml")).exits(3);
    differs.prints("FAIL 1 differs").warns("error: floor not met:");
}

/// A check that no machine could run is neither a skip that --forbid-skip can match nor a proof.
/// `bad_compilers.rs` has skips that count.
#[test]
fn a_skip_that_lies_in_the_language_proves_nothing() {
    let folder = Folder::with(&[("textures.hlsl", "Texture2D a; SamplerState b;")]);
    let skipped = folder.run(&format!("{SKIPPED} --json r.jsonl -v")).exits(4).prints("N/A 1 nothing to probe (1)");
    let skipped = skipped.prints("nothing proved 0 checks agree (1 skipped");
    let why = "error: nothing was proved: no check applies: nothing to probe (1)";
    skipped.warns(why);
    assert!(folder.read("r.jsonl").contains(r#""skip_kind":"not-applicable""#));
    folder.run("report r.jsonl").exits(4).warns(why);
    folder.run(&format!("{SKIPPED} --forbid-skip=")).exits(4).warns(why);
    folder.run(&format!("{RUN} textures.hlsl --forbid-skip=")).exits(0);
    folder.run(&format!("{RUN} --forbid-skip=")).exits(0);
}

#[test]
fn nothing_selected() {
    let folder = Folder::with(&[]);
    folder.run("run no_such_case --device model").exits(4).warns("error: nothing is selected: no case or file matches");
    // The case has no numbers for this rule set.
    folder
        .run("run scalar_packs_behind --rules wgsl-uniform --device model")
        .exits(4)
        .warns("error: nothing is selected:");
    // naga's WGSL goes to wgpu and its SPIR-V to Vulkan; the model accepts neither.
    folder
        .run(&format!("{RUN} --producer naga"))
        .exits(4)
        .warns("error: nothing is selected: no device of this run takes what these compilers make of it");
}

/// Files of resources have bindings, but nothing whose layout a device could read.
#[test]
fn files_without_blocks() {
    let hlsl = "Texture2D t; SamplerState s;
        float4 main(float2 u : U) : SV_Target { return t.Sample(s, u); }";
    let slang = "Texture2D t; [shader(\"fragment\")] float4 main() : SV_Target { return t.Load(0); }";
    let folder = Folder::with(&[("t.hlsl", hlsl), ("t.slang", slang)]);
    for file in ["t.hlsl", "t.slang"] {
        let answer = folder.run(&format!("run {file} --device model"));
        answer.exits(4).warns(&format!("error: {file} declares no block, so there is no layout to check"));
    }
    let answer = folder.run("run t.hlsl t.slang --device model").exits(4);
    answer.warns("error: none of these files declares a block, so there is no layout to check: t.hlsl, t.slang");
    let answer = folder.run("run t.hlsl no_such_case --device model").exits(4);
    assert!(!answer.err.contains("`t.hlsl`"), "{answer}");
}

#[test]
fn words_that_mean_nothing() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float a; };")]);
    let apis: Vec<&str> = RunnerKind::ALL.iter().map(|api| api.api()).collect();
    for (words, message) in [
        ("run --nosuch", "error: `layoutproof run` has no option `--nosuch`; `layoutproof run -h` lists"),
        ("run --rules nosuch", "error: unknown rule set `nosuch`; `layoutproof list --rules` lists all"),
        ("run --rules std140,std140@nosuch", "error: unknown rule set `std140@nosuch`;"),
        (
            "run --producer nosuch",
            "error: unknown compiler `nosuch`; `layoutproof doctor compilers` lists those that were found",
        ),
        ("run --compiler nosuch", "error: unknown compiler `nosuch`;"),
        ("run --runner nosuch", &format!("error: unknown API `nosuch`; known are {}", apis.join(", "))),
        ("run --compiler slangcc", "error: unknown compiler `slangcc`: did you mean `slangc`?"),
        ("run --form nosuch", "error: unknown form `nosuch`; `layoutproof run --help` lists them"),
        ("run --plant-misreading nosuch", "error: unknown misreading `nosuch`; `layoutproof run --help` lists them"),
        ("run --plant-rules nosuch", "error: unknown rule set `nosuch`;"),
        ("run --cases nosuch.toml", "error: reading nosuch.toml:"),
        ("run a.hlsl --device model --json no/such/folder.jsonl", "error: writing no/such/folder.jsonl:"),
        ("show a.hlsl --rules nosuch", "error: unknown rule set `nosuch`;"),
        ("show a.hlsl --format yaml", "error: `--format` does not take `yaml`: did you mean `slang-yaml`?"),
        ("show a.hlsl --matrix diagonal", "error: `--matrix` does not take `diagonal`; known are row, column"),
        ("show", "error: the following required arguments were not provided:"),
        ("nosuch", "error: no command, file or case is called `nosuch`; `layoutproof -h` lists"),
    ] {
        folder.run(words).exits(2).warns(message);
    }
}

/// The report is printed even if its records file turns out not to be writable.
#[cfg_attr(not(target_os = "linux"), ignore = "there is no /dev/full")]
#[test]
fn a_records_file_that_cannot_be_written_does_not_cost_the_report() {
    let answer = Folder::with(&[]).run(&format!("{RUN} --json /dev/full")).exits(2);
    answer.prints("incomplete 1 check agrees");
}

/// Exit code 2 takes precedence over 3.
#[cfg_attr(not(target_os = "linux"), ignore = "drivers can be hidden only from the loaders of Linux")]
#[test]
fn a_bad_case_counts_more_than_a_missing_device() {
    let folder = Folder::without_drivers(&[("bad.toml", "schema = 2\n")]);
    folder.run("run bad.toml --require nosuch").exits(2).warns("error: schema is 2, this version reads 1");
}
