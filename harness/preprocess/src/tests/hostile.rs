//! Sources that would fill the memory or never end must fail quickly.

use std::time::{Duration, Instant};

use super::{options, said};

const PATIENCE: Duration = Duration::from_secs(20);

#[track_caller]
fn too_much(source: &str, files: &[(&str, &str)], expected: &str) {
    let start = Instant::now();
    let found = said(source, &options(files, &[]));
    assert!(found.first().is_some_and(|problem| problem.contains(expected)), "{found:?}");
    assert!(start.elapsed() < PATIENCE, "{expected}: {:?}", start.elapsed());
}

fn many(count: usize, unit: &dyn Fn(usize) -> String) -> String {
    (0..count).map(unit).collect()
}

#[test]
fn macros_that_double() {
    let objects = many(60, &|n| format!("#define A{n} A{} A{}\n", n + 1, n + 1));
    too_much(&format!("{objects}A0"), &[], "more than 2^19 tokens");
    let functions = many(60, &|n| format!("#define F{n}(x) F{}(x x)\n", n + 1));
    too_much(&format!("{functions}F0(a)"), &[], "more than 2^19 tokens");
    let empty = many(60, &|n| format!("#define E{n} E{} E{}\n", n + 1, n + 1));
    too_much(&format!("{empty}#define E60\nE0"), &[], "more than 2^19 tokens");
    let pasted = many(60, &|n| format!("#define P{n}(x) P{}(x##x)\n", n + 1));
    too_much(&format!("{pasted}P0(a)"), &[], "more than 16 MiB");
    too_much(&format!("{objects}#if A0\n#endif"), &[], "more than 2^19 tokens");
}

#[test]
fn files_that_include_themselves() {
    too_much("#include \"x.h\"", &[("a/x.h", "#include \"x.h\"\n")], "more than 200 levels");
    too_much("#include \"main.hlsl\"", &[("a/main.hlsl", "#include \"main.hlsl\"")], "more than 200 levels");
    let files: Vec<(String, String)> =
        (0..60).map(|n| (format!("a/{n}.h"), format!("#include \"{0}.h\"\n#include \"{0}.h\"\n", n + 1))).collect();
    let mut files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.push(("a/60.h", ""));
    too_much("#include \"0.h\"", &files, "more than 64 MiB");
}

#[test]
fn deep_nesting() {
    let arguments = format!("#define F(x) x\n{}1{}", "F(".repeat(1000), ")".repeat(1000));
    too_much(&arguments, &[], "levels deep");
    too_much(&format!("#if {}1{}\n#endif", "(".repeat(5000), ")".repeat(5000)), &[], "levels deep");
    too_much(&format!("#if 1{}\n#endif", "?1:1".repeat(5000)), &[], "levels deep");
    too_much(&"#if 1\n".repeat(1 << 16), &[], "no `#endif`");
    too_much(&format!("#if 0\n{}", "#if 1\n".repeat(1 << 16)), &[], "no `#endif`");
    too_much(&format!("#if {}\n#error done\n#endif", "!".repeat(1 << 20)), &[], "expected an expression");
}

#[test]
fn long_files() {
    too_much(&format!("#define F(x) x\nF({}", "a,".repeat(1 << 18)), &[], "never closed");
    too_much(&"a ".repeat(3 << 20), &[], "more than 2097152 tokens");
}
