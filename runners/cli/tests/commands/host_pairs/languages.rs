//! Members are written in the language of the program.

use std::process::Command;

use super::folder_of;

/// Zig 0.17.1 says in its debug information that a unit is in Zig (`DW_LANG_Zig`, 0x27), and not whether a struct is `extern`.
/// This is GCC's object with that number.
#[test]
fn structs_of_zig_are_written_as_in_zig() {
    let shader = "struct Bloom { strength: f32, offset: vec2f }\n\
                  @group(0) @binding(0) var<uniform> bloom: Bloom;\n";
    let host = "struct Bloom { float strength; float offset[2]; } bloom;";
    let Some(folder) = folder_of(("a.wgsl", shader), host) else { return };
    let compile = |arguments: &[&str]| {
        assert!(Command::new("g++").args(arguments).current_dir(folder.path(".")).status().unwrap().success());
    };
    compile(&["-g", "-dA", "-S", "host.cpp", "-o", "host.s"]);
    let text = folder.read("host.s");
    let line = text.lines().find(|line| line.contains("DW_AT_language")).expect("GCC names its language");
    folder.write("host.s", text.replacen(line, "\t.byte\t0x27", 1).as_bytes());
    compile(&["-c", "host.s", "-o", "host.o"]);
    let answer = folder.run("check a.wgsl host.o").exits(1);
    assert!(answer.out.contains("offset: [2]float"), "{answer}");
    assert!(answer.out.contains("debug information does not say whether this Zig struct is `extern`"), "{answer}");
}
