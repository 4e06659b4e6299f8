//! `compare` with compilers that are shell scripts, see `regress`, and with the saved decisions that the
//! program contains.
#![cfg(unix)]

use expect_test::{Expect, expect};

use super::folder::{Answer, Folder};
use super::regress::{LISTING, REFUSES, build, case, moved};

const OPTIONS: &str = "--cases c --compile-limit 2 --no-cache";

/// A folder with two cases, a user's file, and the decisions of a first build about them in `set`.
fn saved() -> Folder {
    let folder = Folder::with(&[("pair.hlsl", "cbuffer S\n{\n    float a;\n    float2 b;\n};\n")]).with_drivers();
    std::fs::create_dir_all(folder.path("c/moons")).unwrap();
    folder.write("c/moons/pair.toml", case("cbuffer S { float a; float2 b; };").as_bytes());
    folder.write("c/moons/other.toml", case("cbuffer S { float other; };").as_bytes());
    build(&folder, "1.8.2405", (LISTING, REFUSES));
    let answer = compare(&folder, "dxc=./my-dxc dxc=./my-dxc moons/ pair.hlsl --save set").exits(0);
    answer.prints("compared 52 decisions of 3 sources: no change").prints("both reject 26 in 3 sources");
    folder
}

fn compare(folder: &Folder, words: &str) -> Answer {
    folder.run(&format!("compare {words} {OPTIONS}"))
}

/// The whole report.
#[track_caller]
fn prints(answer: &Answer, expected: &Expect) {
    expected.assert_eq(&answer.out);
}

#[test]
fn a_member_that_moves_is_one_line() {
    let folder = saved();
    build(&folder, "1.8.2502", (&moved(), REFUSES));
    prints(
        &compare(&folder, "set dxc=./my-dxc moons/").exits(1),
        &expect![[r"
            old  set  libdxcompiler.so: 1.8 - 1.8.2405 (test)
            new  dxc=./my-dxc  libdxcompiler.so: 1.8 - 1.8.2502 (test)

            compared 31 decisions of 2 cases: 1 changed
              moved            1 in 1 case
              both reject      18 in 2 cases

            moved
              S.b  4 → 8 (+4)    d3d12
                  moons/pair
        "]],
    );
    let verbose = compare(&folder, "set dxc=./my-dxc moons/ -v").exits(1);
    verbose.prints("moons/pair").prints("moved S.b 4 → 8 (+4)").prints("d3d12");

    let answer = compare(&folder, "set dxc=./my-dxc moons/ --format json").exits(1).json();
    let first = &answer["changes"][0];
    assert_eq!((&first["name"], &first["kind"]), (&"moons/pair:dxc-dxil:S.b:offset".into(), &"moved".into()));
    assert_eq!((&first["target"], &first["at"]), (&"d3d12".into(), &serde_json::Value::Null));
    assert_eq!((&first["old"], &first["new"]), (&"4".into(), &"8".into()));
    assert_eq!(answer["totals"]["moved"]["changes"], 1);
}

/// Both builds get a user's file like a case, and its changes are at lines of the file. Without words, `compare`
/// asks again about the files that were saved.
#[test]
fn a_users_file_changes_at_its_lines() {
    let folder = saved();
    build(&folder, "1.8.2502", (&moved(), REFUSES));
    prints(
        &compare(&folder, "set dxc=./my-dxc pair.hlsl").exits(1),
        &expect![[r"
            old  set  libdxcompiler.so: 1.8 - 1.8.2405 (test)
            new  dxc=./my-dxc  libdxcompiler.so: 1.8 - 1.8.2502 (test)

            compared 21 decisions of 1 file: 1 changed
              moved            1 in 1 file
              both reject      8 in 1 file: refused: SPIR-V CodeGen not available

            moved
              S.b  4 → 8 (+4)    d3d12
                  pair.hlsl:4
        "]],
    );
    let answer = compare(&folder, "set dxc=./my-dxc").exits(1);
    answer.prints("moved 2 in 2 sources").prints("2 sources: moons/pair, pair.hlsl:4");

    folder.write("pair.hlsl", b"cbuffer S { float a; float2 b; float c; };");
    let answer = compare(&folder, "set dxc=./my-dxc pair.hlsl").exits(4);
    answer.warns("error: nothing is compared: the sources changed since the decisions were saved");
}

#[test]
fn files_that_cannot_be_read_are_a_line_each() {
    let folder = saved();
    folder.write("bad.hlsl", b"cbuffer S {\n    flaot a;\n};");
    folder.write("a.wgsl", b"@group(0) @binding(0) var<uniform> a: f32;");
    let answer = compare(&folder, "set dxc=./my-dxc bad.hlsl pair.hlsl a.wgsl").exits(2);
    let answer = answer.warns("error: bad.hlsl:2: ").warns("error: a.wgsl is WGSL, which dxc does not read");
    answer.prints("compared 21 decisions of 1 file: no change");
}

/// Other words of a compiler are no change for the source's author.
#[test]
fn messages_alone_do_not_fail() {
    let folder = saved();
    build(&folder, "1.8.2502", (LISTING, "echo 'probe.hlsl:1:1: error: late moon' >&2; exit 1"));
    let answer = compare(&folder, "set dxc=./my-dxc moons/").exits(0);
    answer.prints("compared 31 decisions of 2 cases: only messages changed").prints("message changed 1 in 1 case");
    let verbose = compare(&folder, "set dxc=./my-dxc moons/ -v").exits(0);
    verbose.prints("message changed refused: late moon; before: refused: unknown moon");
}

#[test]
fn what_a_build_takes_and_refuses_has_its_kind() {
    let folder = saved();
    for (deed, title, line) in [
        ("kill -SEGV $$", "crashes 1 in 1 case", "broken: dxc died of SIGSEGV; before: refused: unknown moon"),
        ("true", "newly accepted 1 in 1 case", "before: refused: unknown moon"),
    ] {
        build(&folder, "1.8.2502", (LISTING, deed));
        compare(&folder, "set dxc=./my-dxc moons/").exits(1).prints(title).prints(line);
        // In the other direction, from the saved set of this build.
        compare(&folder, "dxc=./my-dxc dxc=./my-dxc moons/ --save now").exits(0);
    }
    let back = compare(&folder, "now set moons/").exits(1);
    back.prints("newly rejected 1 in 1 case").prints("refused: unknown moon");
}

#[test]
fn accepted_changes_are_kept_beside_the_saved_decisions() {
    let folder = saved();
    build(&folder, "1.8.2502", (&moved(), REFUSES));
    let words = "set dxc=./my-dxc moons/ --accept moons/pair:*:S.b:* --reason rounded";
    compare(&folder, words).exits(0).prints("compared").prints("accepted 2 decisions");
    build(&folder, "1.8.2502", (LISTING, REFUSES));
    let stale = compare(&folder, "set dxc=./my-dxc moons/").exits(1);
    stale.prints("stale moons/pair:*:S.b:* (accepted: rounded) no longer differs");
    compare(&folder, "set dxc=./my-dxc moons/ --allow-stale").exits(0);
    let refused = compare(&folder, "dxc=./my-dxc dxc=./my-dxc moons/ --accept moons/* --reason no").exits(2);
    refused.warns("error: --accept writes to the folder OLD, and dxc=./my-dxc is a compiler");
}

#[test]
fn mistakes_get_the_nearest_names() {
    let folder = saved();
    let refused = |words: &str, code: i32| compare(&folder, words).exits(code);
    refused("dcx set", 2)
        .warns("error: `dcx` is no compiler, no file and no folder of saved decisions: did you mean `dxc`?");
    refused("dcx=./my-dxc set", 2).warns("error: no compiler of HLSL or Slang is called `dcx`: did you mean `dxc`?");
    refused("c set", 2).warns("error: c holds no saved decisions: `layoutproof compare ... --save c` writes some");
    refused("./listing set", 2)
        .warns("error: ./listing: the file name does not show which compiler this is: write dxc=");
    refused("dxc=./none set", 3).warns("error: ./none: no such file");
    refused("set slang@2026", 2).warns("error: set is a build of dxc, slang@2026 one of slang");
    refused("dxc=./my-dxc moons/ --save now", 0)
        .prints("libdxcompiler.so: 1.8 - 1.8.2405 (test): 2 cases, 5 targets, in now");
    refused("set set moons/nothing", 2).warns("error: no file and no case is called `moons/nothing`");
    refused("tint set", 2).warns("error: `tint` does not compile the cases' own text; these compilers do: dxc, slangc");
    // Other builds may be installed here.
    let tools = folder.path("no-tools").display().to_string();
    let folder = folder.with_variable("LAYOUTPROOF_TOOLS", tools);
    compare(&folder, "dxc@3.1 set")
        .exits(3)
        .warns("error: dxc@3.1 was not found; known here: 1.7.3435, 1.7.4006, 1.9.2602.17");
}

/// Versions that are not installed are answered by the decisions in the program, which are about the
/// cases only. The list of accepted changes explains all of them.
#[test]
fn versions_that_are_missing_are_known_by_their_decisions() {
    let folder = saved();
    let tools = folder.path("no-tools").display().to_string();
    let folder = folder.with_variable("LAYOUTPROOF_TOOLS", tools);
    let answer = folder.run("compare dxc@1.7.2308 dxc@1.9").exits(0);
    let answer = answer.warns("note: dxc@1.9 is not installed; using its recorded decisions in shaders/frozen/dxc-1.9");
    answer.prints("compared 41,338 decisions of 545 cases: only accepted changes").prints("accepted 945 decisions");
    let answer = folder.run("compare dxc@1.7.2308 dxc@1.9 pair.hlsl").exits(4);
    answer.warns("error: nothing is compared: the saved decisions are not about these sources");
}
