//! C++ programs for several compilers, versions of DWARF and formats. The compiler itself is the
//! judge: the test appends what it read to the program as `static_assert` statements, and the same
//! compiler has to accept them.
//!
//! Missing tools are skipped, with a printed reason.

use crate::support::{TestFolder, read_names};

const SCENE: &str = include_str!("programs/scene.cpp");

const NAMES: &[&str] = &[
    "engine::Vec3",
    "engine::PerFrame",
    "engine::Derived",
    "engine::Bits",
    "engine::Outer",
    "engine::Outer::Inner",
    "engine::Unnamed",
    "engine::(anonymous namespace)::Hidden",
    "engine::WithVector",
    "engine::Array<float, 3>",
    "engine::DeclaredOnly",
];

/// Compiles the program to an object, reads it, and lets the compiler check the result.
fn check_object(compiler: &str, arguments: &[&str]) {
    let folder = TestFolder::new();
    folder.write("scene.cpp", SCENE);
    let object = folder.path("scene.o");

    let mut all: Vec<&str> = arguments.to_vec();
    all.extend(["-std=c++17", "-c", "scene.cpp", "-o", "scene.o"]);
    let Some(outcome) = folder.try_run(compiler, &all) else { return };
    if let Err(error) = outcome {
        eprintln!("skipped: {error}");
        return;
    }
    judge(&folder, &object, compiler, arguments);
}

/// Reads a file, and compiles the result as assertions.
fn judge(folder: &TestFolder, file: &std::path::Path, compiler: &str, arguments: &[&str]) {
    let read = read_names(file, NAMES);
    let mut program = SCENE.to_owned();
    program.push_str("namespace engine {\nusing HiddenAlias = Hidden;\n}\n");
    for name in NAMES.iter().filter(|name| !name.ends_with("DeclaredOnly")) {
        let asserts = read.cpp_asserts(name);
        assert!(asserts.lines().count() > 2, "{name}: {asserts}");
        program.push_str(&asserts.replace("engine::(anonymous namespace)::Hidden", "engine::HiddenAlias"));
    }
    folder.write("judge.cpp", &program);
    let plain = arguments.iter().filter(|argument| !argument.starts_with("-g"));
    let mut all: Vec<&str> = plain.copied().collect();
    all.extend(["-std=c++17", "-w", "-fsyntax-only", "judge.cpp"]);
    folder.run(compiler, &all).unwrap();

    let declared = read.found.find("engine::DeclaredOnly").unwrap();
    assert!(declared.layouts.is_empty(), "{declared:?}");
    assert_eq!(declared.declared_in.len(), 1);
}

#[test]
fn gcc_dwarf_5() {
    check_object("g++", &["-gdwarf-5"]);
}

#[test]
fn gcc_dwarf_4() {
    check_object("g++", &["-gdwarf-4"]);
}

#[test]
fn gcc_dwarf_3() {
    check_object("g++", &["-gdwarf-3", "-gstrict-dwarf"]);
}

#[test]
fn gcc_dwarf_2() {
    check_object("g++", &["-gdwarf-2"]);
}

#[test]
fn gcc_optimised() {
    check_object("g++", &["-gdwarf-5", "-O2"]);
}

#[test]
fn gcc_compressed() {
    check_object("g++", &["-gdwarf-5", "-gz=zlib"]);
}

#[test]
fn gcc_compressed_the_old_way() {
    check_object("g++", &["-gdwarf-4", "-gz=zlib-gnu"]);
}

#[test]
fn gcc_type_units_4() {
    check_object("g++", &["-gdwarf-4", "-fdebug-types-section"]);
}

#[test]
fn gcc_type_units_5() {
    check_object("g++", &["-gdwarf-5", "-fdebug-types-section"]);
}

#[test]
fn gcc_split_4() {
    check_object("g++", &["-gdwarf-4", "-gsplit-dwarf"]);
}

#[test]
fn gcc_split_5() {
    check_object("g++", &["-gdwarf-5", "-gsplit-dwarf"]);
}

#[test]
fn gcc_split_type_units() {
    check_object("g++", &["-gdwarf-5", "-gsplit-dwarf", "-fdebug-types-section"]);
    check_object("g++", &["-gdwarf-4", "-gsplit-dwarf", "-fdebug-types-section"]);
}

#[test]
fn clang_dwarf_4_and_5() {
    check_object("clang++", &["-gdwarf-5"]);
    check_object("clang++", &["-gdwarf-4"]);
}

#[test]
fn clang_dwarf_64_bit() {
    check_object("clang++", &["-gdwarf-5", "-gdwarf64"]);
}

#[test]
fn clang_compressed() {
    check_object("clang++", &["-gdwarf-5", "-gz=zstd"]);
    check_object("clang++", &["-gdwarf-5", "-gz=zlib"]);
}

#[test]
fn clang_type_units() {
    check_object("clang++", &["-gdwarf-5", "-fdebug-types-section"]);
    check_object("clang++", &["-gdwarf-4", "-fdebug-types-section"]);
}

#[test]
fn clang_split() {
    check_object("clang++", &["-gdwarf-5", "-gsplit-dwarf"]);
    check_object("clang++", &["-gdwarf-4", "-gsplit-dwarf", "-fdebug-types-section"]);
}

#[test]
fn clang_simple_template_names() {
    check_object("clang++", &["-gdwarf-5", "-gsimple-template-names"]);
}

#[test]
fn clang_other_machines() {
    for target in
        ["i386-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu", "powerpc64-linux-gnu", "armv7-linux-gnueabi"]
    {
        check_object("clang++", &["-target", target, "-g"]);
    }
}

#[test]
fn clang_mac() {
    check_object("clang++", &["-target", "x86_64-apple-macos11", "-gdwarf-4"]);
    check_object("clang++", &["-target", "arm64-apple-macos11", "-gdwarf-5"]);
}

#[test]
fn clang_windows_dwarf() {
    check_object("clang++", &["-target", "x86_64-pc-windows-gnu", "-gdwarf-5"]);
}

#[test]
fn mingw() {
    check_object("x86_64-w64-mingw32-g++", &["-gdwarf-4"]);
    check_object("x86_64-w64-mingw32-g++", &["-gdwarf-5"]);
}

#[test]
fn clang_codeview_object() {
    check_object("clang++", &["-target", "x86_64-pc-windows-msvc", "-gcodeview", "-g", "-fno-exceptions"]);
}

/// Types that are local to functions have the function's name in front, and unnamed structs the name
/// of the variable or member that has them. The offsets are those of the Itanium C++ ABI.
#[test]
fn local_and_unnamed_structs_have_names() {
    const TEXT: &str = "\
        struct Mat4 { float m[16]; };\n\
        void push(const void*, int);\n\
        class Renderer { public: int x; void irradiance(); void prefilter(); };\n\
        void Renderer::irradiance() { struct Push { Mat4 mvp; float phi, theta; } b{}; push(&b, sizeof b); }\n\
        void Renderer::prefilter() { struct Push { Mat4 mvp; float roughness; } b{}; push(&b, sizeof b); }\n\
        Renderer renderer;\n\
        namespace engine {\n\
        void draw() { struct Push { float a; struct Inner { float b, c; } inner; } b{}; push(&b, sizeof b); }\n\
        struct Example { struct { Mat4 projection; Mat4 view; } uboVS; int other; };\n\
        Example example;\n\
        struct { float d; float e; } globals;\n\
        typedef struct { float f, g; } Typed;\n\
        Typed typed;\n\
        const void* all[] = {&globals, &typed, &example};\n\
        }\n";
    let expected = [
        ("Renderer::irradiance::Push", "mvp@0 phi@64 theta@68"),
        ("Renderer::prefilter::Push", "mvp@0 roughness@64"),
        ("engine::draw::Push", "a@0 inner@4"),
        ("engine::draw::Push::Inner", "b@0 c@4"),
        ("engine::Example::uboVS", "projection@0 view@64"),
        ("engine::globals", "d@0 e@4"),
        ("engine::Typed", "f@0 g@4"),
    ];
    for arguments in [
        ["g++", "-O0", "-gdwarf-4"],
        ["g++", "-O0", "-gdwarf-5"],
        ["clang++", "-O0", "-gdwarf-5"],
        ["clang++", "-O0", "-gdwarf-4"],
    ] {
        let folder = TestFolder::new();
        folder.write("scene.cpp", TEXT);
        let [compiler, first, second] = arguments;
        if folder.run(compiler, &[first, second, "-std=c++17", "-c", "scene.cpp", "-o", "scene.o"]).is_none() {
            continue;
        }
        let read = read_names(&folder.path("scene.o"), &expected.map(|(name, _)| name));
        for (name, offsets) in expected {
            assert_eq!(read.offsets(name), offsets, "{arguments:?}: {name}");
        }
    }
}

/// Parameters of function and variable templates are one level below the previous entry, like those
/// of a class template. They must not make a template of a struct that happens to come before.
#[test]
fn a_struct_before_a_function_template_is_no_template() {
    const TEXT: &str = "\
        template<class T> T twice(T a) { return a + a; }\n\
        struct Frame { float exposure; float gamma; };\n\
        Frame frame;\n\
        int use() { return twice(1); }\n\
        namespace engine {\n\
        template<int N> struct Wide { float values[N]; };\n\
        struct Outer { struct View { float m[16]; } view; template<class T> T read(T a) { return a; } };\n\
        template<class T, int N> T add(T a) { return a + N; }\n\
        struct Material { float roughness; };\n\
        template<class T> T zero = T(0);\n\
        Wide<3> wide; Outer outer; Material material;\n\
        float all() { return outer.read(1.0f) + add<int, 4>(2) + zero<float> + wide.values[0]; }\n\
        }\n";
    let names =
        ["Frame", "engine::Outer", "engine::Outer::View", "engine::Material", "engine::Wide<3>"].map(str::to_owned);
    for arguments in [
        ["g++", "-g", "-gdwarf-4"],
        ["g++", "-g", "-gdwarf-5"],
        ["clang++", "-g", "-gdwarf-5"],
        ["clang++", "-g", "-gsimple-template-names"],
    ] {
        let folder = TestFolder::new();
        folder.write("scene.cpp", TEXT);
        let [compiler, first, second] = arguments;
        if folder.run(compiler, &[first, second, "-std=c++17", "-c", "scene.cpp", "-o", "scene.o"]).is_none() {
            continue;
        }
        let read = read_names(&folder.path("scene.o"), &names.each_ref().map(String::as_str));
        for name in &names {
            assert!(read.found.find(name).is_some(), "{arguments:?}: `{name}` is not in the index");
        }
        assert_eq!(read.offsets("Frame"), "exposure@0 gamma@4", "{arguments:?}");
    }
}
