//! `freeze` and `regress`, the old names of `compare`, with a compiler that is a shell script: `freeze` keeps its decisions as
//! text, and `regress` reports the differing decisions of another build.
//!
//! The script knows two cases. For `moons/pair` it prints the listing that DXC 1.7.2308 made of its
//! probe; each test defines its behaviour for `moons/other`. It does not support SPIR-V, like a DXC
//! built without it.
#![cfg(unix)]

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use expect_test::{Expect, expect};

use super::folder::{Answer, Folder};

/// DXC 1.7.2308, `-T cs_6_6 -HV 2021 -Vd -E read_uniform -Zpc -enable-16bit-types`, of a probe of `cbuffer S { float a;
/// float2 b; };`.
pub(super) const LISTING: &str = include_str!("../files/pair.dxil.txt");

pub(super) const REFUSES: &str = "echo 'probe.hlsl:1:1: error: unknown moon' >&2; exit 1";
const SPIRV: &str = "-spirv";

/// A case with these declarations.
pub(super) fn case(declare: &str) -> String {
    format!(
        "schema = 1\nsummary = \"a moon\"\ndeclare = \"{declare}\"\n[expect.std140]\npartial = true\n\
         sizes = {{ S = 16 }}\nauthority = {{ spec = \"OpenGL 4.6, 7.6.2.2\" }}\n"
    )
}

/// A build of the compiler: it prints `listing` for `moons/pair` and runs `deed` for `moons/other`.
pub(super) fn build(folder: &Folder, version: &str, (listing, deed): (&str, &str)) {
    folder.write("listing", listing.as_bytes());
    let script = format!(
        "#!/bin/sh\n\
         case \"$*\" in\n\
         *--version*) echo 'libdxcompiler.so: 1.8 - {version} (test)'; exit 0;;\n\
         *{SPIRV}*) echo 'probe.hlsl:1:1: error: SPIR-V CodeGen not available' >&2; exit 1;;\n\
         esac\n\
         if grep -q other probe.hlsl; then {deed}; fi\n\
         cat \"$(dirname \"$0\")/listing\"\n"
    );
    folder.write("my-dxc", script.as_bytes());
    set_permissions(folder.path("my-dxc"), Permissions::from_mode(0o755)).unwrap();
}

const WORDS: &str = "--compiler ./my-dxc --cases c --time-limit 2 moons/";

/// A folder with two cases and the frozen set of a first build.
fn frozen() -> Folder {
    let folder = Folder::with(&[]).with_drivers();
    std::fs::create_dir_all(folder.path("c/moons")).unwrap();
    folder.write("c/moons/pair.toml", case("cbuffer S { float a; float2 b; };").as_bytes());
    folder.write("c/moons/other.toml", case("cbuffer S { float other; };").as_bytes());
    build(&folder, "1.8.2405", (LISTING, REFUSES));
    let answer = folder.run(&format!("freeze {WORDS} --to set")).exits(0);
    answer.prints("libdxcompiler.so: 1.8 - 1.8.2405 (test): 2 cases, 5 toolchains, in set");
    folder
}

fn regress(folder: &Folder, options: &str) -> Answer {
    folder.run(&format!("regress {WORDS} --against set{options}"))
}

/// The whole report.
#[track_caller]
fn prints(answer: &Answer, expected: &Expect) {
    expected.assert_eq(&answer.out);
}

#[test]
fn decisions_are_text_that_is_the_same_each_time() {
    let folder = frozen();
    let listed = folder.read("set/dxc-dxil.txt");
    expect![[r"
        case moons/other 2f672c15cb90b6be
        block S refused: unknown moon
        program refused: unknown moon
        case moons/pair e0bfb1f0016ecd54
        block S
          S size 12
          S bound b0
          S.a offset 0 code 0
          S.b offset 4
          S.b.x code 4
          S.b.y code 8
        program
          S size 12
          S bound b0
          S.a offset 0
          S.b offset 4
    "]]
    .assert_eq(&listed);
    let refused = folder.read("set/dxc-spirv.txt");
    assert!(refused.contains("program refused: SPIR-V CodeGen not available\n"), "{refused}");
    let manifest = folder.read("set/manifest.toml");
    for line in ["family = \"dxc\"", "version = \"1.8.2405\"", "name = \"dxc-spirv-gl\"", "digest = \""] {
        assert!(manifest.contains(line), "{manifest}");
    }
    folder.run(&format!("freeze {WORDS} --to again")).exits(0);
    for file in ["manifest.toml", "dxc-dxil.txt", "dxc-spirv.txt"] {
        assert_eq!(folder.read(&format!("set/{file}")), folder.read(&format!("again/{file}")));
    }
    prints(
        &regress(&folder, "").exits(0),
        &expect![[r"
        libdxcompiler.so: 1.8 - 1.8.2405 (test) (./my-dxc)
        against libdxcompiler.so: 1.8 - 1.8.2405 (test) (set)

              Same 31 decisions of 2 cases: 0 differ, 0 accepted, 0 stale
    "]],
    );
}

/// In this build, the member that DXC lists and reads at byte 4 is at byte 8.
pub(super) fn moved() -> String {
    let listed =
        LISTING.replace("float2 b;                                     ; Offset:    4", "float2 b; ; Offset:    8");
    assert_ne!(listed, LISTING);
    listed
}

#[test]
fn a_member_that_moves_is_told_leaf_by_leaf() {
    let folder = frozen();
    build(&folder, "1.8.2502", (&moved(), REFUSES));
    prints(
        &regress(&folder, "").exits(1),
        &expect![[r"
        libdxcompiler.so: 1.8 - 1.8.2502 (test) (./my-dxc)
        against libdxcompiler.so: 1.8 - 1.8.2405 (test) (set)

        moons/pair
          S.b of block S  offset         4 → 8
                          dxc-dxil
          S.b of program  offset         4 → 8
                          dxc-dxil

            Differ 31 decisions of 2 cases: 2 differ, 0 accepted, 0 stale
    "]],
    );
    let answer = regress(&folder, " --format json").exits(1).json();
    assert_eq!((&answer["differ"], &answer["cases"]["compared"]), (&2.into(), &2.into()));
    let first = &answer["differences"][0];
    assert_eq!(first["name"], "moons/pair:dxc-dxil:S.b:offset");
    assert_eq!(
        (&first["old"], &first["new"], &first["accepted"]),
        (&"4".into(), &"8".into(), &serde_json::Value::Null)
    );
}

#[test]
fn an_intended_change_is_recorded_until_it_is_stale() {
    let folder = frozen();
    build(&folder, "1.8.2502", (&moved(), REFUSES));
    let answer = regress(&folder, " --accept moons/pair:*:S.a:* --reason nothing").exits(2);
    answer.warns("error: `moons/pair:*:S.a:*` matches no difference; one is `moons/pair:dxc-dxil:S.b:offset`");
    regress(&folder, " --accept moons/pair:*:S.b:offset --reason rounded").exits(0).prints("2 rounded");
    let answer = regress(&folder, " --verbose").exits(0).prints("2 rounded");
    answer.prints("S.b of program offset 4 → 8").prints("Same 31 decisions of 2 cases: 0 differ, 2 accepted, 0 stale");
    // The same version without the change.
    build(&folder, "1.8.2502", (LISTING, REFUSES));
    let stale = "Stale moons/pair:*:S.b:offset (accepted: rounded) no longer differs";
    regress(&folder, "").exits(1).prints(stale);
    regress(&folder, " --allow-stale").exits(0).prints(stale);
    let other = folder.run("regress --compiler ./my-dxc --cases c --against set moons/other").exits(0);
    assert!(!other.out.contains("Stale"), "{other}");
    // The entry does not cover another version.
    build(&folder, "1.8.2505", (&moved(), REFUSES));
    regress(&folder, "").exits(1).prints("Differ 31 decisions of 2 cases: 2 differ, 0 accepted, 0 stale");
}

/// A compiler runs `deed` for one of the two cases: a line reports it, and the other case is
/// unchanged.
#[track_caller]
fn breaks(deed: &str, answer: &str) {
    let folder = frozen();
    build(&folder, "1.8.2502", (LISTING, deed));
    let told = regress(&folder, "").exits(1);
    let line = |question: &str| format!("{question} answer refused: unknown moon → {answer}");
    let told = told.prints("moons/other").prints(&line("block S")).prints(&line("program"));
    assert!(!told.out.contains("moons/pair"), "{told}");
    told.prints("Differ").exits(1);
}

#[test]
fn compilers_that_misbehave_are_a_line_each() {
    breaks("kill -SEGV $$", "broken: dxc died of SIGSEGV");
    breaks("exec sleep 1000", "broken: dxc gave no answer within 2s");
    breaks("echo lorem ipsum; exit 0", "broken: dxc-dxil: it printed no whole listing but 12 bytes: lorem ipsum");
    breaks("echo 'probe.hlsl:1:1: error: late moon' >&2; exit 1", "refused: late moon");
}

#[test]
fn cases_of_one_side_are_named_and_not_compared() {
    let folder = frozen();
    folder.write("c/moons/new.toml", case("cbuffer S { float a; float2 b; int c; };").as_bytes());
    folder.write("c/moons/pair.toml", case("cbuffer S { float a; };").as_bytes());
    let answer = regress(&folder, "").exits(0).prints("not compared").prints("not in the frozen set: moons/new");
    answer.prints("changed since they were frozen: moons/pair");
    std::fs::remove_file(folder.path("c/moons/other.toml")).unwrap();
    folder.run(&format!("regress {WORDS} --against set")).exits(4).warns("nothing is compared");
    folder.run(&format!("freeze {WORDS}nothing")).exits(4).warns("error: nothing is selected");
}

#[test]
fn what_is_missing_has_its_exit_code() {
    let folder = frozen();
    let run = |compiler: &str| folder.run(&format!("regress --compiler {compiler} --cases c --against set moons/"));
    run("./no-dxc").exits(3).warns("error: ./no-dxc: no such file");
    run("./listing").exits(2).warns("error: ./listing: the file name does not show whether it is dxc, slang or clang");
    run("./listing --family dxc").exits(3).warns("error:");
    run("tint").exits(2).warns("error: `tint` does not compile the cases' own text");
    run("./my-dxc --family slang").exits(2).warns("error: set was frozen from dxc");
    let nowhere = folder.run("regress --compiler ./my-dxc --cases c --against nowhere moons/").exits(2);
    nowhere.warns("error: nowhere has no manifest.toml, so it is not a frozen set");
    folder.write("set/dxc-dxil.txt", b"lorem\n");
    run("./my-dxc").exits(2).warns("error: set: dxc-dxil.txt: line 1: `lorem` is no line of frozen decisions");
}

/// Without `--against`, the newest built-in set of the family is used.
#[test]
fn a_set_is_built_in() {
    let folder = frozen();
    let answer = folder.run("regress --compiler ./my-dxc vectors/two_pairs_fill_a_register").exits(1);
    assert!(answer.out.contains("shaders/frozen/dxc-1.9.2602.17 (built in)"), "{answer}");
}

/// Two builds can be compared without having either, but a set is not compared with itself.
#[test]
fn a_frozen_set_stands_for_its_compiler() {
    let folder = frozen();
    folder.run("freeze --compiler ./my-dxc --cases c --time-limit 2 moons/ --to old").exits(0);
    build(&folder, "1.8.2502", (&moved(), REFUSES));
    folder.run("freeze --compiler ./my-dxc --cases c --time-limit 2 moons/ --to new").exits(0);
    let answer = folder.run("regress --compiler new --cases c --against old moons/").exits(1);
    answer.prints("libdxcompiler.so: 1.8 - 1.8.2502 (test) (frozen, new)").prints("S.b of program offset 4 → 8");
    let same = folder.run("regress --compiler old --cases c --against old moons/").exits(3);
    same.warns("error: old cannot be compared with itself: no other build of the compiler was found");
}

/// git's rules: 0 good, 1 bad, 125 cannot be tested, 255 ends the bisection.
#[test]
fn a_bisection_is_told_good_bad_or_untestable() {
    let folder = frozen();
    let step = |arguments: &[&str]| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ci/bisect.sh");
        let mut command = Command::new(script);
        let command = command.args(arguments).current_dir(folder.path("."));
        command.env("LAYOUTPROOF", env!("CARGO_BIN_EXE_layoutproof")).output().unwrap().status.code().unwrap()
    };
    let words = ["dxc=./my-dxc", "set", "--cases", "c", "moons/", "--"];
    let with = |build: &'static str| step(&[&words[..], &["sh", "-c", build]].concat());
    assert_eq!(with("true"), 0);
    assert_eq!(with("false"), 125);
    assert_eq!(with("echo 'int nonsense;' > listing"), 1);
    assert_eq!(with("rm my-dxc"), 125);
    folder.write("set/manifest.toml", b"");
    build(&folder, "1.8.2502", (LISTING, REFUSES));
    assert_eq!(with("true"), 255);
    assert_eq!(step(&["./my-dxc", "set", "true"]), 255);
}
