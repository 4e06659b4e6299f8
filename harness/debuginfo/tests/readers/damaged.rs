//! Damaged and hostile input leads to a result or an error, never to a panic or an endless loop.

use std::path::Path;

use crate::support::TestFolder;
use layoutproof_debuginfo::{DebugFile, DebugInfoError, DebugLimits, NoSiblings};

const SCENE: &str = include_str!("programs/scene.cpp");

/// Reads everything in a file and discards it.
fn read_all(bytes: &[u8]) {
    let limits = DebugLimits { threads: 1, ..DebugLimits::default() };
    let file = DebugFile::new("scene", bytes, &NoSiblings).with_limits(limits);
    let Ok(index) = file.index() else { return };
    let Ok(found) = file.read(&index, |_| true) else { return };
    for layout in found.named.iter().flat_map(|named| &named.layouts) {
        found.types.all_members(layout.ty);
    }
}

/// Flips, overwrites and cuts off bytes of a file.
fn damage(path: &Path, rounds: u32) {
    let intact = std::fs::read(path).unwrap();
    let mut random = fastrand::Rng::with_seed(18);
    for _ in 0..rounds {
        let mut bytes = intact.clone();
        for _ in 0..random.usize(1..20) {
            let position = random.usize(..bytes.len());
            bytes[position] = match random.u8(..3) {
                0 => 0,
                1 => 0xff,
                _ => random.u8(..),
            };
        }
        if random.u8(..8) == 0 {
            bytes.truncate(random.usize(..bytes.len()));
        }
        read_all(&bytes);
    }
}

#[test]
fn damaged_dwarf() {
    for arguments in [
        &["-gdwarf-5"][..],
        &["-gdwarf-4", "-fdebug-types-section"],
        &["-gdwarf-5", "-gz=zlib"],
        &["-gdwarf-5", "-gsplit-dwarf"],
    ] {
        let folder = TestFolder::new();
        folder.write("scene.cpp", SCENE);
        let all = [arguments, &["-c", "scene.cpp", "-o", "scene.o"]].concat();
        if folder.run("g++", &all).is_none() {
            return;
        }
        damage(&folder.path("scene.o"), 150);
        if folder.path("scene.dwo").exists() {
            damage(&folder.path("scene.dwo"), 150);
        }
    }
}

#[test]
fn damaged_codeview() {
    let folder = TestFolder::new();
    folder.write("scene.cpp", SCENE);
    let compile =
        ["-target", "x86_64-pc-windows-msvc", "-gcodeview", "-g", "-std=c++17", "-c", "scene.cpp", "-o", "scene.obj"];
    if folder.run("clang++", &compile).is_none() {
        return;
    }
    damage(&folder.path("scene.obj"), 150);
    let link = [
        "/debug",
        "/nodefaultlib",
        "/entry:main",
        "/subsystem:console",
        "/force",
        "/pdb:scene.pdb",
        "/out:scene.exe",
        "scene.obj",
    ];
    if folder.run("lld-link", &link).is_some() {
        damage(&folder.path("scene.pdb"), 150);
    }
}

/// Assembles a text of debug information and returns the object.
fn assemble(text: &str) -> Option<Vec<u8>> {
    let folder = TestFolder::new();
    folder.write("hostile.s", text);
    folder.run("gcc", &["-c", "hostile.s", "-o", "hostile.o"])?;
    Some(std::fs::read(folder.path("hostile.o")).unwrap())
}

/// A DWARF 4 unit with the entries in `body`. Abbreviations: 1 unit, 2 struct "Loop", 3 member, 4
/// typedef "Again", 5 array, 6 base type.
fn hostile_unit(body: &str) -> String {
    format!(
        ".section .debug_abbrev\n\
         .byte 1, 0x11, 1, 0, 0\n\
         .byte 2, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0, 0\n\
         .byte 3, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b, 0, 0\n\
         .byte 4, 0x16, 0, 0x03, 0x08, 0x49, 0x13, 0, 0\n\
         .byte 5, 0x01, 0, 0x49, 0x13, 0, 0\n\
         .byte 6, 0x24, 0, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0\n\
         .byte 0\n\
         .section .debug_info\n\
         start: .long end - version\n\
         version: .short 4\n .long 0\n .byte 8\n .byte 1\n{body}\n .byte 0\nend:\n"
    )
}

fn read_loop(text: &str) -> Option<Vec<DebugInfoError>> {
    let bytes = assemble(text)?;
    let file = DebugFile::new("hostile.o", &bytes, &NoSiblings);
    let index = file.index().unwrap();
    Some(file.read(&index, |name| name.name == "Loop").unwrap().problems)
}

#[test]
fn a_struct_that_holds_itself() {
    let text = hostile_unit(
        "loop: .byte 2\n .asciz \"Loop\"\n .byte 8\n .byte 3\n .asciz \"m\"\n .long again - start\n .byte 0\n .byte 0\n\
         again: .byte 4\n .asciz \"Again\"\n .long loop - start",
    );
    let Some(problems) = read_loop(&text) else { return };
    assert!(matches!(problems[..], [DebugInfoError::TooDeep { limit: 200, .. }]), "{problems:?}");
}

#[test]
fn a_typedef_of_itself() {
    let text = hostile_unit(
        "loop: .byte 2\n .asciz \"Loop\"\n .byte 8\n .byte 3\n .asciz \"m\"\n .long again - start\n .byte 0\n .byte 0\n\
         again: .byte 4\n .asciz \"Again\"\n .long again - start",
    );
    let Some(problems) = read_loop(&text) else { return };
    assert!(matches!(problems[..], [DebugInfoError::TooDeep { .. }]), "{problems:?}");
}

#[test]
fn a_million_arrays_in_each_other() {
    let text = hostile_unit(
        "loop: .byte 2\n .asciz \"Loop\"\n .byte 8\n .byte 3\n .asciz \"m\"\n .long arrays - start\n .byte 0\n .byte 0\n\
         arrays: .rept 1000000\n .byte 5\n .long . + 4 - start\n .endr",
    );
    let Some(problems) = read_loop(&text) else { return };
    assert!(matches!(problems[..], [DebugInfoError::TooDeep { .. }]), "{problems:?}");
}

#[test]
fn a_type_far_outside() {
    let text = hostile_unit(
        "loop: .byte 2\n .asciz \"Loop\"\n .byte 8\n .byte 3\n .asciz \"m\"\n .long 0x7fffffff\n .byte 0\n .byte 0",
    );
    let Some(problems) = read_loop(&text) else { return };
    assert!(matches!(problems[..], [DebugInfoError::DamagedType { .. }]), "{problems:?}");
}

/// A float is encoding 4 (DWARF 4, 7.8). The struct has 8 bytes with `m` at the first and `n` at `second`.
fn two_floats(second: u32) -> String {
    let member = |name: &str, offset| format!(".byte 3\n .asciz \"{name}\"\n .long float - start\n .byte {offset}\n");
    let members = member("m", 0) + &member("n", second);
    hostile_unit(&format!(".byte 2\n .asciz \"Loop\"\n .byte 8\n{members} .byte 0\n float: .byte 6, 4, 4"))
}

#[test]
fn sizes_that_contradict_each_other() {
    let Some(problems) = read_loop(&two_floats(4)) else { return };
    assert_eq!(problems, []);
    for (second, message) in [
        (2, "its member `m` and its member `n` share bytes"),
        (6, "its member `n` ends at byte 10, but it has 8 bytes"),
    ] {
        let problems = read_loop(&two_floats(second)).unwrap();
        assert!(
            matches!(&problems[..], [DebugInfoError::DamagedType { message: found, .. }] if found == message),
            "{problems:?}"
        );
    }
}

/// C++ lets these share bytes: an empty member, a member in the padding of another, a base's padding.
#[test]
fn members_that_may_share_bytes() {
    let folder = TestFolder::new();
    let text = "struct Empty {}; struct Tail { Tail(); int a; char b; }; struct Base { Base(); int a; char b; };\n\
                struct S : Base { char c; [[no_unique_address]] Empty e; [[no_unique_address]] Tail t; char d; \
                union { int i; float f; }; int bits : 3; int more : 4; int end[]; };\nunsigned long size = sizeof(S); S* s;";
    folder.write("shared.cpp", text);
    if folder.run("g++", &["-std=c++20", "-g", "-c", "shared.cpp", "-o", "shared.o"]).is_none() {
        return;
    }
    let bytes = std::fs::read(folder.path("shared.o")).unwrap();
    let file = DebugFile::new("shared.o", &bytes, &NoSiblings);
    let index = file.index().unwrap();
    let found = file.read(&index, |name| name.name == "S").unwrap();
    assert_eq!((found.problems, found.named[0].layouts.len()), (Vec::new(), 1));
}

#[test]
fn what_is_no_object() {
    for bytes in [&b""[..], b"\x7fELF", b"MZ", b"!<arch>\n", b"hello", b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0"] {
        let file = DebugFile::new("file", bytes, &NoSiblings);
        let outcome = file.index();
        let is_refused = match &outcome {
            Ok(index) => index.names().next().is_none() && index.absence().is_some(),
            Err(_) => true,
        };
        assert!(is_refused, "{bytes:?}: {outcome:?}");
    }
}

/// A compressed section that unpacks to much more than itself: zeros, as the assembler writes them.
#[test]
fn a_small_section_does_not_fill_the_memory() {
    let read = |folder: &TestFolder, limits: DebugLimits| {
        let bytes = std::fs::read(folder.path("a.o")).unwrap();
        let limits = DebugLimits { threads: 1, ..limits };
        let index = DebugFile::new("a.o", &bytes, &NoSiblings).with_limits(limits).index();
        index.map_or_else(Some, |index| index.problems().first().cloned())
    };
    for (compression, section) in [("zlib", ".debug_str"), ("zlib-gnu", ".debug_info"), ("zstd", ".debug_info")] {
        let folder = TestFolder::new();
        // 48 MiB of zeros; the second section makes the file one with debug information.
        let text = format!(
            ".section {section},\"\",@progbits\n.zero {}\n.section .debug_abbrev,\"\",@progbits\n.byte 0\n",
            48 << 20
        );
        folder.write("a.s", &text);
        let option = format!("-Wa,--compress-debug-sections={compression}");
        // Old assemblers have no Zstandard.
        let Some(Ok(_)) = folder.try_run("gcc", &["-c", option.as_str(), "a.s", "-o", "a.o"]) else { continue };
        let bytes = std::fs::metadata(folder.path("a.o")).unwrap().len();
        assert!(bytes < 100 << 10, "{compression}: {bytes} bytes");
        let problem = read(&folder, DebugLimits::default());
        let is_refused = |limit: u64| {
            matches!(&problem, Some(DebugInfoError::UnpacksTooLarge { section: found, size, limit: given, .. })
                if found == section && *size == 48 << 20 && *given == limit)
        };
        assert!(is_refused(16 << 20), "{compression}: {problem:?}");
    }
}
