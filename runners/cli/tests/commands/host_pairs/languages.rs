//! Members are written in the language of the program.

use std::process::Command;

use super::super::folder::Folder;
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

/// rustc 1.95 writes no lines of types into its debug information; the declaration is in the crate's sources.
#[test]
fn structs_of_rust_have_their_lines() {
    let shader = "struct Light { position: vec3f, kind: u32 }\n@group(0) @binding(0) var<uniform> light: Light;\n";
    let folder = Folder::with(&[("a.wgsl", shader)]);
    std::fs::create_dir_all(folder.path("src/scene")).unwrap();
    folder.write(
        "src/lib.rs",
        b"pub mod scene;\n// struct Light { position, kind }\npub struct LightList { pub all: [u8; 4] }\n",
    );
    let scene = "// Lights\n#[repr(C)]\npub struct Light {\n    pub kind: u32, // position: first\n    pub position: [f32; 3],\n}\n\
                 #[unsafe(no_mangle)]\npub static LIGHT: Light = Light { kind: 1, position: [0.0; 3] };\n";
    folder.write("src/scene/mod.rs", scene.as_bytes());
    if !compile_rust(&folder) {
        return;
    }
    let answer = folder.run("check a.wgsl host.o --format json").exits(1).json();
    let first = &answer["pairs"][0]["mismatches"][0];
    assert_eq!([&first["path"], &first["host_at"]], ["position", "src/scene/mod.rs:5"], "{answer}");
    // Another declaration with the same members: neither is certain.
    folder.write("src/other.rs", b"struct Light { kind: u32, position: u32 }");
    let answer = folder.run("check a.wgsl host.o --format json").exits(1).json();
    assert_eq!(answer["pairs"][0]["mismatches"][0]["host_at"], serde_json::Value::Null, "{answer}");
}

/// Compiles `src/lib.rs` to `host.o`; false without a compiler.
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn compile_rust(folder: &Folder) -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["-g", "--edition", "2024", "--crate-type", "lib", "--emit", "obj", "src/lib.rs", "-o", "host.o"]);
    match rustc.current_dir(folder.path(".")).status() {
        Ok(status) => assert!(status.success()),
        Err(error) => println!("skipped: rustc is not here ({error})"),
    }
    folder.path("host.o").is_file()
}

/// rustc 1.95 names the types of generic functions. With `-O`, functions that leave no code are gone.
#[test]
fn what_rust_casts_to_bytes_breaks_ties() {
    let shader = "struct Block { rows: u32, columns: u32, stride: u32, scale: f32 }\n@group(0) @binding(0) var<uniform> u: Block;\n";
    let folder = Folder::with(&[("a.wgsl", shader)]);
    std::fs::create_dir_all(folder.path("src")).unwrap();
    let host = "#[repr(C)] pub struct Cpu { rows: u32, columns: u32, stride: u32, scale: f32 }\n\
                #[repr(C)] pub struct Sent { rows: u32, columns: u32, stride: u32, scale: f32 }\n\
                mod bytemuck {\n\
                    pub fn bytes_of<T>(value: &T) -> &[u8] { cast(std::slice::from_ref(value)) }\n\
                    pub fn cast_slice<A, B>(all: &[A]) -> &[u8] { cast(all) }\n\
                    fn cast<T>(all: &[T]) -> &[u8] { unsafe { std::slice::from_raw_parts(all.as_ptr().cast(), size_of_val(all)) } }\n\
                }\n\
                #[unsafe(no_mangle)] pub fn draw(cpu: &[Cpu], sent: &[Sent], write: fn(&[u8])) { write(CALL); drop(vec![cpu, &[]]); sent.iter(); }\n";
    for (call, expected) in [
        ("bytemuck::bytes_of(&sent[0])", "u lib::Sent agree"),
        ("bytemuck::cast_slice::<Cpu, u8>(cpu)", "u lib::Cpu agree"),
    ] {
        folder.write("src/lib.rs", host.replace("CALL", call).as_bytes());
        if !compile_rust(&folder) {
            return;
        }
        let answer = folder.run("check a.wgsl host.o --format json").exits(0);
        assert_eq!(super::pairs(&answer), [expected], "{call}");
    }
}
