//! `layoutproof report --repro`: a check made again, and the folder about it.

use std::fs;

use super::folder::Folder;

const CHECK: &str = "vectors::two_pairs_fill_a_register::std140::rspirv::model::model";
const RUN: &str = "run vectors/two_pairs_fill_a_register --rules std140 --device model --json r.jsonl --plant-misreading \
                   neighbours-swapped";

#[test]
fn a_failure_names_the_command_that_writes_its_shader_and_buffers() {
    let folder = Folder::with(&[]);
    let failed = folder.run(RUN).exits(1).prints(&format!("repro layoutproof report r.jsonl --repro {CHECK}"));
    assert!(failed.out.contains("verdict  device"), "{failed}");

    let made = folder.run(&format!("report r.jsonl --repro {CHECK} --out made")).exits(1);
    let made = made.prints("The check ends here as in the record: differ (device).");
    assert!(!made.out.contains("What has changed"), "{made}");

    // SPIR-V begins with its magic number (SPIR-V, 2.3).
    let shader = fs::read(folder.path("made/shader.spv")).unwrap();
    assert_eq!(shader[..4], 0x0723_0203_u32.to_le_bytes());
    assert!(folder.read("made/readable.spvasm").contains("OpEntryPoint GLCompute"));
    let block = fs::read(folder.path("made/dispatch1/set0_binding0.bin")).unwrap();
    assert_eq!(block[4..8], 0xC0DE_0004_u32.to_le_bytes());
    assert!(folder.read("made/dispatch1/set0_binding0.txt").contains("0xC0DE0004  data at byte 4"));
    // OpenGL 4.6, 7.6.2.2: `b` is at byte 8, so its second component is at 12.
    let script = folder.read("made/probe.amber");
    assert!(script.contains("BIND BUFFER set0_binding0 AS uniform DESCRIPTOR_SET 0 BINDING 0"), "{script}");
    assert!(script.contains("EQ 0xC0DE000C"), "{script}");
    let readme = folder.read("made/README.md");
    assert!(readme.contains("layoutproof run vectors/two_pairs_fill_a_register --rules std140"), "{readme}");
    assert!(
        readme.contains("| device | ") && readme.contains("| rspirv | ") && !readme.contains("| dxc | "),
        "{readme}"
    );

    folder.run(&format!("report r.jsonl --repro {CHECK} --out made")).exits(2).warns("error: made is not empty");
    let near = CHECK.replace("std140", "std14");
    folder.run(&format!("report r.jsonl --repro {near} --out b")).exits(2).warns("error: these records have no check");
    folder
        .run("report r.jsonl --repro nonsense --out b")
        .exits(2)
        .warns("error: `nonsense` is not the name of a check");
}

/// The records are of another build and another driver, and of declarations that have changed.
#[test]
fn what_has_changed_since_the_record_is_said() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float2 a; float2 b; };")]);
    let run = "run a.hlsl --rules std140 --device model --plant-misreading neighbours-swapped --json r.jsonl";
    folder.run(run).exits(1);
    let records = folder.read("r.jsonl");
    let driver = records.split("\"driver\":\"").nth(1).unwrap().split('"').next().unwrap();
    let older = records.replace(&format!("\"driver\":\"{driver}\""), "\"driver\":\"driver of yesterday\"");
    folder.write("older.jsonl", older.as_bytes());
    folder.write("a.hlsl", b"cbuffer S { float2 a; float2 c; };");

    let check = "a.hlsl::std140::rspirv::model::model";
    let made = folder.run(&format!("report older.jsonl --repro {check} --out made")).exits(1);
    let made = made.prints("The check ends here as in the record, differ (device), but with other numbers.");
    assert!(made.out.contains("driver of yesterday"), "{made}");
    made.prints("declarations of a.hlsl: others than in the record");
}

/// A machine without the device makes the shaders all the same.
#[test]
fn a_device_that_is_elsewhere_gets_its_shaders() {
    let folder = Folder::with(&[]);
    folder.run(RUN).exits(1);
    let elsewhere = folder
        .read("r.jsonl")
        .replace("\"id\":\"model\"", "\"id\":\"far\"")
        .replace("\"device\":\"model\"", "\"device\":\"far\"");
    folder.write("far.jsonl", elsewhere.as_bytes());
    let check = CHECK.replace("::model::model", "::far::model");
    let made = folder.run(&format!("report far.jsonl --repro {check} --out made")).exits(3);
    made.prints("The device is not here, so the check did not run again.");
    assert!(folder.path("made/shader.spv").exists());
}
