//! Readers of compiler output: listings, IR, reflection, modules. `freeze` runs shell scripts in
//! place of the compilers, and needs no device.

use super::Reader;
use super::corpus::{file, files};
use super::lists::frozen_cases;

/// Prints a version, then `answer`.
const PRINTS: &str = "case \"$*\" in *-version*) echo '1.7 - 1.7.2308 (test)'; exit 0;; esac\n\
                      cat \"$(dirname \"$0\")/answer\"";

/// Writes `answer` as the module.
const WRITES_MODULE: &str = "case \"$*\" in *-version*) echo '1.7 - 1.7.2308 (test)'; exit 0;; esac\n\
                             for word; do\n\
                             case $before in -Fo) cat \"$(dirname \"$0\")/answer\" >\"$word\";; esac\n\
                             before=$word\n\
                             done";

/// Writes `answer` as the reflection, next to a valid module.
const WRITES_REFLECTION: &str = "case $1 in -v) echo '2026.14.1'; exit 0;; esac\n\
                                 here=$(dirname \"$0\")\n\
                                 for word; do\n\
                                 case $before in\n\
                                 -o) cat \"$here/module\" >\"$word\";;\n\
                                 -reflection-json) cat \"$here/answer\" >\"$word\";;\n\
                                 esac\n\
                                 before=$word\n\
                                 done";

/// Words of LLVM's IR.
const IR: &[&str] = &[
    "define",
    "call",
    "load",
    "getelementptr",
    "extractvalue",
    "i32",
    "i64",
    "float",
    "double",
    "%dx.types.Handle",
    "ret",
    "br",
    "phi",
    "null",
    "undef",
    "zeroinitializer",
    "4294967295",
    "-1",
    "@dx.op.cbufferLoadLegacy.f32",
    "Offset:",
];

/// The readers of compiler output.
pub(super) fn readers() -> Vec<Reader> {
    let pair = vec![file("runners/cli/tests/files/pair.dxil.txt")];
    let listings = [pair, files("harness/fuzz/corpus/listings", ".ll")].concat();
    let spirv = files("harness/fuzz/corpus/spirv", ".spv");
    let module = vec![("module", spirv[0].clone())];
    let reflection = answer("slang-reflection", files("harness/fuzz/corpus/reflection", ".json"), &SLANG, module);
    vec![
        answer("dxil-listing", listings, &DXC, Vec::new()).words(IR).compiler("DXC", PRINTS),
        answer("clang-ir", files("harness/fuzz/corpus/clang_ir", ".ll"), &CLANG, Vec::new())
            .words(IR)
            .compiler("CLANG_DXC", PRINTS),
        reflection.compiler("SLANGC", WRITES_REFLECTION),
        answer("compilers-spirv", spirv, &[SAVE_DXC], Vec::new()).compiler("DXC", WRITES_MODULE),
    ]
}

const SAVE_DXC: &str = "compare dxc=./compiler --no-cache --cases c moons/ --save out --compile-limit 5";
const DXC: [&str; 2] =
    ["run pair.hlsl --rules hlsl-cbuffer --compiler dxc-dxil --runner dxil --compile-limit 5", SAVE_DXC];
const CLANG: [&str; 2] = [
    "run pair.hlsl --rules hlsl-cbuffer --compiler clang-dxc --runner dxil --compile-limit 5",
    "compare clang=./compiler --no-cache --cases c moons/ --save out --compile-limit 5",
];
const SLANG: [&str; 1] = ["compare slang=./compiler --no-cache --cases c moons/ --save out --compile-limit 5"];

fn answer(
    name: &'static str,
    corpus: Vec<Vec<u8>>,
    commands: &'static [&'static str],
    more: Vec<(&'static str, Vec<u8>)>,
) -> Reader {
    let pair = ("pair.hlsl", b"cbuffer S { float a; float2 b; };\n".to_vec());
    let others = frozen_cases().into_iter().chain(more).chain([pair]).collect();
    Reader::new(name, corpus, "answer", commands).others(others)
}
