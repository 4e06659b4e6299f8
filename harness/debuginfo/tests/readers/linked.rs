//! Output of linkers and librarians: executables, libraries, packages, stripped programs, PDBs;
//! also languages other than C++. As in `cpp.rs`, compilers check the result where they can.

use crate::support::{TestFolder, find_tool, read_names, try_read_names};
use std::fmt::Write as _;

use layoutproof_debuginfo::{
    DebugInfoError, ElementCount, HostLanguage, HostShape, LayoutContract, NoTypesReason, ScalarClass,
};

const SCENE: &str = include_str!("programs/scene.cpp");
const PER_FRAME: &str =
    "view@0 sun@64 time@76 flags@80 ?@84 factors@88 enabled@100 exposure@104 user@112 undefined@120";

fn scene() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("scene.cpp", SCENE);
    folder
}

#[test]
fn executable_and_shared_library() {
    let folder = scene();
    if folder.run("g++", &["-g", "scene.cpp", "-o", "scene"]).is_none() {
        return;
    }
    folder.run("g++", &["-g", "-shared", "-fPIC", "scene.cpp", "-o", "libscene.so"]).unwrap();
    for file in ["scene", "libscene.so"] {
        let read = read_names(&folder.path(file), &["engine::PerFrame"]);
        assert_eq!(read.offsets("engine::PerFrame"), PER_FRAME);
    }
}

#[test]
fn windows_executable_with_dwarf() {
    let folder = scene();
    if folder.run("x86_64-w64-mingw32-g++", &["-g", "scene.cpp", "-o", "scene.exe"]).is_none() {
        return;
    }
    assert_eq!(read_names(&folder.path("scene.exe"), &["engine::PerFrame"]).offsets("engine::PerFrame"), PER_FRAME);
}

#[test]
fn split_executable_with_files_and_with_a_package() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        for extra in ["-fno-debug-types-section", "-fdebug-types-section"] {
            let folder = scene();
            let arguments = [version, extra, "-gsplit-dwarf", "-c", "scene.cpp", "-o", "scene.o"];
            if folder.run("g++", &arguments).is_none() {
                return;
            }
            folder.run("g++", &["scene.o", "-o", "scene"]).unwrap();
            let read = read_names(&folder.path("scene"), &["engine::PerFrame", "engine::Outer"]);
            assert_eq!(read.offsets("engine::PerFrame"), PER_FRAME);
            let place = read.found.types[read.only("engine::PerFrame")].place.clone().unwrap();
            assert!(place.file.ends_with("scene.cpp"), "{place:?}");

            // Packagers of 2022 fail on type units of DWARF 5.
            if (version, extra) == ("-gdwarf-5", "-fdebug-types-section") {
                continue;
            }
            if folder.run("llvm-dwp", &["-e", "scene", "-o", "scene.dwp"]).is_none() {
                return;
            }
            std::fs::remove_file(folder.path("scene.dwo")).unwrap();
            let read = read_names(&folder.path("scene"), &["engine::PerFrame", "engine::Outer"]);
            assert_eq!(read.offsets("engine::PerFrame"), PER_FRAME, "{version} {extra}");

            std::fs::remove_file(folder.path("scene.dwp")).unwrap();
            let read = try_read_names(&folder.path("scene"), &["engine::PerFrame"]);
            assert!(matches!(read.index.absence(), Some(NoTypesReason::Elsewhere { .. })));
            assert!(matches!(read.index.problems(), [DebugInfoError::SiblingMissing { .. }]));
        }
    }
}

#[test]
fn static_library_with_two_layouts_of_one_name() {
    let folder = TestFolder::new();
    let shared = "struct Same { int a; float b; } same;\nstruct Camera { float near_plane; ";
    folder.write("one.cpp", &format!("{shared} float far_plane; }} camera; struct Later; Later *later;"));
    folder.write("two.cpp", &format!("{shared} double far_plane; }} camera; struct Later {{ int x; }} later;"));
    for name in ["one", "two"] {
        let (source, object) = (format!("{name}.cpp"), format!("{name}.o"));
        if folder.run("g++", &["-g", "-c", &source, "-o", &object]).is_none() {
            return;
        }
    }
    folder.run("ar", &["rcs", "libboth.a", "one.o", "two.o"]).unwrap();

    let read = read_names(&folder.path("libboth.a"), &["Camera", "Same", "Later"]);
    let camera = read.found.find("Camera").unwrap();
    let sizes: Vec<_> = camera.layouts.iter().map(|layout| read.found.types[layout.ty].size.unwrap()).collect();
    assert_eq!(sizes, [8, 16]);
    assert_eq!(read.found.unit(camera.layouts[1].units[0]).object, "libboth.a(two.o)");

    let same = read.found.find("Same").unwrap();
    assert_eq!(same.layouts.len(), 1);
    assert_eq!(same.layouts[0].units.len(), 2);
    assert_eq!(same.layouts[0].places.len(), 2);

    let later = read.found.find("Later").unwrap();
    assert_eq!((later.layouts.len(), later.declared_in.len()), (1, 1));
}

#[test]
fn bit_fields_are_where_the_program_finds_them() {
    let folder = TestFolder::new();
    let text = "struct Bits { unsigned low : 3; unsigned middle : 7; unsigned : 0; unsigned high : 20; \
                unsigned long long wide : 40; unsigned char tail : 5; } bits;\n";
    folder.write("bits.c", text);
    let mut program = format!("#include <stdio.h>\n#include <string.h>\n{text}int main(void) {{ unsigned char *b;\n");
    for member in ["low", "middle", "high", "wide", "tail"] {
        program.push_str("memset(&bits, 0, sizeof bits);\n");
        writeln!(program, "bits.{member} = ~0ull; b = (unsigned char *)&bits; int {member}_n = 0, {member}_f = -1;")
            .unwrap();
        write!(program,
            "for (int i = 0; i < 8 * (int)sizeof bits; i++) if (b[i / 8] >> (i % 8) & 1) {{ {member}_n++; \
             if ({member}_f < 0) {member}_f = i; }}\n printf(\"{member}@%d:%d+%d \", {member}_f / 8, {member}_f, {member}_n);\n"
        ).unwrap();
    }
    program.push_str("return 0; }\n");
    folder.write("main.c", &program);
    if folder.run("gcc", &["-w", "main.c", "-o", "main"]).is_none() {
        return;
    }
    let expected = String::from_utf8(std::process::Command::new(folder.path("main")).output().unwrap().stdout).unwrap();

    for version in ["-gdwarf-3", "-gdwarf-4", "-gdwarf-5"] {
        folder.run("gcc", &[version, "-gstrict-dwarf", "-c", "bits.c", "-o", "bits.o"]).unwrap();
        assert_eq!(read_names(&folder.path("bits.o"), &["Bits"]).offsets("Bits"), expected.trim(), "{version}");
    }
}

#[test]
fn c_typedefs_of_unnamed_structs() {
    let folder = TestFolder::new();
    folder.write(
        "light.c",
        "typedef struct { float color[3]; _Bool on; unsigned char mode; } Light;\n\
         typedef struct tag { Light lights[2][3]; int count; } Scene;\nScene scene;\n",
    );
    if folder.run("gcc", &["-g", "-c", "light.c", "-o", "light.o"]).is_none() {
        return;
    }
    let read = read_names(&folder.path("light.o"), &["Light", "Scene", "tag"]);
    assert_eq!(read.offsets("Light"), "color@0 on@12 mode@13");
    assert_eq!(read.only("Scene"), read.only("tag"));

    let members = read.found.types.all_members(read.only("Light"));
    let classes: Vec<_> = members.iter().map(|placed| &read.found.types[placed.member.ty].shape).collect();
    assert!(matches!(classes[1], HostShape::Scalar(scalar) if scalar.class == ScalarClass::Bool && scalar.size == 1));
    let lights = read.found.types.all_members(read.only("Scene"))[0].member.ty;
    let HostShape::Array(array) = &read.found.types[lights].shape else { panic!("not an array") };
    assert_eq!(array.counts, [ElementCount::Finite(2), ElementCount::Finite(3)]);
    assert_eq!(array.stride, Some(16));
    let unit = read.found.unit(read.found.find("Light").unwrap().layouts[0].units[0]);
    assert_eq!(unit.language, HostLanguage::C);
}

#[test]
fn rust_library() {
    let folder = TestFolder::new();
    let program = "pub mod engine {\n\
        #[repr(C)] pub struct PerFrame { pub small: u8, pub view: [[f32; 4]; 4], pub time: f64, pub flag: bool }\n\
        pub struct Loose { pub small: u8, pub large: u64, pub last: u8 }\n\
        pub enum Choice { One(u32), Two { x: f32 } }\n}\n\
        pub static A: engine::PerFrame = engine::PerFrame { small: 0, view: [[0.0; 4]; 4], time: 0.0, flag: false };\n\
        #[inline(never)] pub fn touch(loose: &engine::Loose, c: &engine::Choice) -> u64 {\n\
        let kept = &A; if let engine::Choice::One(x) = c { loose.large + u64::from(*x) } else { kept.small.into() } }\n";
    folder.write("scene.rs", program);
    let arguments = ["-g", "--edition=2021", "--crate-type=rlib", "scene.rs", "-o", "libscene.rlib"];
    if folder.run("rustc", &arguments).is_none() {
        return;
    }
    let names = ["scene::engine::PerFrame", "scene::engine::Loose", "scene::engine::Choice"];
    let read = read_names(&folder.path("libscene.rlib"), &names);

    let mut judge = program.to_owned();
    for name in &names[..2] {
        for placed in read.found.types.all_members(read.only(name)) {
            let (name, member) = (name.trim_start_matches("scene::"), placed.member.name.as_deref().unwrap());
            writeln!(judge, "const _: () = assert!(std::mem::offset_of!({name}, {member}) == {});", placed.offset)
                .unwrap();
        }
    }
    folder.write("judge.rs", &judge);
    folder.run("rustc", &["--edition=2021", "--crate-type=rlib", "--emit=metadata", "judge.rs"]).unwrap();

    let contract = |name: &str| match &read.found.types[read.only(name)].shape {
        HostShape::Record(record) => (record.contract, record.has_variants),
        other => panic!("{other:?}"),
    };
    assert_eq!(contract(names[0]), (LayoutContract::RustUnknown, false));
    assert_eq!(contract(names[1]), (LayoutContract::RustReordered, false));
    assert!(contract(names[2]).1);
}

#[test]
fn stripped_program_and_its_debug_file() {
    let folder = scene();
    if folder.run("g++", &["-g", "scene.cpp", "-o", "scene"]).is_none() {
        return;
    }
    folder.run("objcopy", &["--only-keep-debug", "scene", "scene.debug"]).unwrap();
    folder.run("objcopy", &["--strip-debug", "--add-gnu-debuglink=scene.debug", "scene"]).unwrap();
    assert_eq!(read_names(&folder.path("scene"), &["engine::PerFrame"]).offsets("engine::PerFrame"), PER_FRAME);

    std::fs::remove_file(folder.path("scene.debug")).unwrap();
    let read = read_names(&folder.path("scene"), &[]);
    assert_eq!(read.index.absence(), Some(&NoTypesReason::Elsewhere { sibling: "scene.debug".to_owned() }));
}

#[test]
fn what_has_no_types_says_why() {
    let folder = scene();
    if folder.run("g++", &["-g0", "-c", "scene.cpp", "-o", "none.o"]).is_none() {
        return;
    }
    folder.run("g++", &["-g1", "-c", "scene.cpp", "-o", "lines.o"]).unwrap();
    assert_eq!(read_names(&folder.path("none.o"), &[]).index.absence(), Some(&NoTypesReason::NoDebugInformation));
    assert_eq!(read_names(&folder.path("lines.o"), &[]).index.absence(), Some(&NoTypesReason::LinesOnly));
    // GCC leaves out a struct of which only the size is used.
    folder.write("size.cpp", "struct Frame { float a; };\nunsigned long size = sizeof(Frame);\n");
    folder.run("g++", &["-g", "-c", "size.cpp", "-o", "size.o"]).unwrap();
    assert_eq!(read_names(&folder.path("size.o"), &[]).index.absence(), Some(&NoTypesReason::NoNamedTypes));
    if folder.run("clang++", &["-gline-tables-only", "-c", "scene.cpp", "-o", "lines.o"]).is_some() {
        assert_eq!(read_names(&folder.path("lines.o"), &[]).index.absence(), Some(&NoTypesReason::LinesOnly));
    }
}

#[test]
fn partial_units_of_dwz() {
    let folder = scene();
    if folder.run("g++", &["-gdwarf-4", "scene.cpp", "-o", "scene"]).is_none() {
        return;
    }
    folder.write("other.cpp", &SCENE.replace("int main", "int not_main"));
    folder.run("g++", &["-gdwarf-4", "-Wl,-z,muldefs", "scene.cpp", "other.cpp", "-o", "both"]).unwrap();
    if folder.run("dwz", &["both"]).is_none() {
        return;
    }
    assert_eq!(read_names(&folder.path("both"), &["engine::PerFrame"]).offsets("engine::PerFrame"), PER_FRAME);
}

#[test]
fn mac_bundle_and_universal_binary() {
    let folder = scene();
    for (target, object) in [("x86_64-apple-macos11", "intel.o"), ("arm64-apple-macos11", "arm.o")] {
        if folder.run("clang++", &["-target", target, "-g", "-c", "scene.cpp", "-o", object]).is_none() {
            return;
        }
    }
    if folder.run("llvm-lipo", &["-create", "intel.o", "arm.o", "-output", "fat.o"]).is_some() {
        let read = read_names(&folder.path("fat.o"), &["engine::PerFrame"]);
        assert_eq!(read.offsets("engine::PerFrame"), PER_FRAME);
        let layout = &read.found.find("engine::PerFrame").unwrap().layouts[0];
        let objects: Vec<_> = layout.units.iter().map(|&unit| read.found.unit(unit).object.as_str()).collect();
        assert_eq!(objects, ["fat.o(x86_64)", "fat.o(aarch64)"]);
    }

    if find_tool("ld64.lld").is_none() || find_tool("dsymutil").is_none() {
        eprintln!("skipped: ld64.lld or dsymutil is not installed");
        return;
    }
    let link = [
        "-arch",
        "x86_64",
        "-platform_version",
        "macos",
        "11.0",
        "11.0",
        "-dylib",
        "-undefined",
        "dynamic_lookup",
        "intel.o",
        "-o",
        "scene.dylib",
    ];
    folder.run("ld64.lld", &link).unwrap();
    assert_eq!(read_names(&folder.path("scene.dylib"), &[]).index.absence(), Some(&NoTypesReason::MacDebugMap));
    folder.run("dsymutil", &["scene.dylib", "-o", "scene.dylib.dSYM"]).unwrap();
    let read = read_names(&folder.path("scene.dylib"), &["engine::PerFrame"]);
    assert_eq!(read.offsets("engine::PerFrame"), PER_FRAME);
}

#[test]
fn pdb_of_lld() {
    let folder = scene();
    let target = ["-target", "x86_64-pc-windows-msvc"];
    let compile = [&target[..], &["-gcodeview", "-g", "-std=c++17", "-c", "scene.cpp", "-o", "scene.obj"]].concat();
    if folder.run("clang++", &compile).is_none() {
        return;
    }
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
    if folder.run("lld-link", &link).is_none() {
        return;
    }
    let names = ["engine::PerFrame", "engine::Derived", "engine::Outer", "engine::Unnamed", "engine::DeclaredOnly"];
    // The program names its PDB, which is next to it.
    for file in ["scene.pdb", "scene.exe"] {
        let read = read_names(&folder.path(file), &names);
        let mut judge = SCENE.to_owned();
        for name in &names[..4] {
            judge.push_str(&read.cpp_asserts(name));
        }
        folder.write("judge.cpp", &judge);
        let check = [&target[..], &["-std=c++17", "-w", "-fsyntax-only", "judge.cpp"]].concat();
        folder.run("clang++", &check).unwrap();

        let place = read.found.types[read.only("engine::PerFrame")].place.clone().unwrap();
        assert!(place.file.ends_with("scene.cpp") && place.line == Some(25), "{place:?}");
        assert!(read.found.find("engine::DeclaredOnly").unwrap().layouts.is_empty());
        let unit = read.found.unit(read.found.find("engine::PerFrame").unwrap().layouts[0].units[0]);
        assert_eq!(unit.language, HostLanguage::Cpp);
    }

    // Another link, without the program.
    std::fs::copy(folder.path("scene.exe"), folder.path("first.exe")).unwrap();
    folder.write("scene.cpp", &(SCENE.to_owned() + "\nstruct More { int i; } more;\n"));
    folder.run("clang++", &compile).unwrap();
    folder.run("lld-link", &link).unwrap();
    let read = try_read_names(&folder.path("first.exe"), &names);
    assert!(matches!(read.index.absence(), Some(NoTypesReason::OtherBuild { .. })), "{:?}", read.index.absence());
    assert!(matches!(read.index.problems(), [DebugInfoError::SiblingStale { .. }]), "{:?}", read.index.problems());
}
