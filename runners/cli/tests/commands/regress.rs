//! Saved decisions of `compare`, with a compiler that is a shell script.
//!
//! The script knows two cases. For `moons/pair` it prints the listing that DXC 1.7.2308 made of its
//! probe; each test defines its behaviour for `moons/other`. It does not support SPIR-V, like a DXC
//! built without it.
#![cfg(unix)]

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use expect_test::expect;

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

const WORDS: &str = "./my-dxc --cases c --compile-limit 2 --no-cache moons/";

/// A folder with two cases and the saved decisions of a first build.
fn frozen() -> Folder {
    let folder = Folder::with(&[]).with_drivers();
    std::fs::create_dir_all(folder.path("c/moons")).unwrap();
    folder.write("c/moons/pair.toml", case("cbuffer S { float a; float2 b; };").as_bytes());
    folder.write("c/moons/other.toml", case("cbuffer S { float other; };").as_bytes());
    build(&folder, "1.8.2405", (LISTING, REFUSES));
    let answer = folder.run(&format!("compare {WORDS} --save set")).exits(0);
    answer.prints("libdxcompiler.so: 1.8 - 1.8.2405 (test): 2 cases, 5 targets, in set");
    folder
}

fn regress(folder: &Folder, options: &str) -> Answer {
    folder.run(&format!("compare set {WORDS}{options}"))
}

#[test]
fn decisions_are_text_that_is_the_same_each_time() {
    let folder = frozen();
    let decisions = folder.read("set/decisions.txt");
    let (listed, others) = decisions.split_once("toolchain dxc-spirv\n").unwrap();
    expect![[r"
        toolchain dxc-dxil
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
    .assert_eq(listed);
    assert!(others.contains("program refused: SPIR-V CodeGen not available\n"), "{others}");
    assert_eq!(folder.run("compare set").exits(0).out, decisions);
    assert_eq!(folder.run(&format!("compare {WORDS}")).exits(0).out, decisions);
    let one = folder.run("compare set moons/pair --cases c").exits(0).out;
    assert_eq!(one.matches("case ").count(), 5, "{one}");
    let manifest = folder.read("set/manifest.toml");
    for line in ["family = \"dxc\"", "version = \"1.8.2405\"", "name = \"dxc-spirv-gl\"", "digest = \""] {
        assert!(manifest.contains(line), "{manifest}");
    }
    folder.run(&format!("compare {WORDS} --save again")).exits(0);
    for file in ["manifest.toml", "decisions.txt"] {
        assert_eq!(folder.read(&format!("set/{file}")), folder.read(&format!("again/{file}")));
    }
    regress(&folder, "").exits(0).prints("compared 31 decisions of 2 cases: no change");
}

/// In this build, the member that DXC lists and reads at byte 4 is at byte 8.
pub(super) fn moved() -> String {
    let listed =
        LISTING.replace("float2 b;                                     ; Offset:    4", "float2 b; ; Offset:    8");
    assert_ne!(listed, LISTING);
    listed
}

#[test]
fn an_intended_change_is_recorded_until_it_is_stale() {
    let folder = frozen();
    build(&folder, "1.8.2502", (&moved(), REFUSES));
    let answer = regress(&folder, " --accept moons/pair:*:S.a:* --reason nothing").exits(2);
    answer.warns("error: `moons/pair:*:S.a:*` matches no difference; one is `moons/pair:dxc-dxil:S.b:offset`");
    regress(&folder, " --accept moons/pair:*:S.b:offset --reason rounded").exits(0).prints("accepted 2 decisions");
    // The same version without the change.
    build(&folder, "1.8.2502", (LISTING, REFUSES));
    let stale = "stale moons/pair:*:S.b:offset (accepted: rounded) no longer differs";
    regress(&folder, "").exits(1).prints(stale);
    regress(&folder, " --allow-stale").exits(0);
    let other = folder.run("compare set ./my-dxc --cases c --no-cache moons/other").exits(0);
    assert!(!other.out.contains("stale"), "{other}");
    // The entry does not cover another version.
    build(&folder, "1.8.2505", (&moved(), REFUSES));
    regress(&folder, "").exits(1).prints("compared 31 decisions of 2 cases:");
}

/// A compiler runs `deed` for one of the two cases; the other case is unchanged.
#[track_caller]
fn breaks(deed: &str, answer: &str) {
    let folder = frozen();
    build(&folder, "1.8.2502", (LISTING, deed));
    let told = regress(&folder, " --format json").exits(1).json();
    for change in told["changes"].as_array().unwrap() {
        let (name, new) = (change["name"].as_str().unwrap(), change["new"].as_str().unwrap());
        assert!(name.starts_with("moons/other:") && new.starts_with(answer), "{told}");
        assert_eq!((&change["kind"], &change["old"]), (&"crashes".into(), &"refused: unknown moon".into()));
    }
}

#[test]
fn compilers_that_misbehave_are_crashes() {
    breaks("kill -SEGV $$", "broken: dxc died of SIGSEGV");
    breaks("exec sleep 1000", "broken: dxc gave no answer within 2s");
    breaks("echo lorem ipsum; exit 0", "broken: dxc-dxil: it printed no whole listing but 12 bytes: lorem ipsum");
}

#[test]
fn cases_of_one_side_are_named_and_not_compared() {
    let folder = frozen();
    folder.write("c/moons/pair.toml", case("cbuffer S { float a; };").as_bytes());
    let answer = regress(&folder, "").exits(0);
    answer.prints("not compared, changed since the decisions were saved: moons/pair");
    std::fs::remove_file(folder.path("c/moons/other.toml")).unwrap();
    folder.run(&format!("compare set {WORDS}")).exits(4).warns("error: nothing is compared");
    folder.run(&format!("compare {WORDS}nothing --save set")).exits(2).warns("error: `moons/nothing` is no compiler");
}

#[test]
fn what_is_missing_has_its_exit_code() {
    let folder = frozen();
    let run = |compiler: &str| folder.run(&format!("compare set {compiler} --cases c --no-cache moons/"));
    run("dxc=./no-dxc").exits(3).warns("error: ./no-dxc: no such file");
    run("./listing").exits(2).warns("error: ./listing: the file name does not show which compiler this is");
    run("dxc=./listing").exits(3).warns("error:");
    run("tint").exits(2).warns("error: `tint` does not compile the cases' own text");
    folder.write("set/decisions.txt", b"lorem\n");
    run("./my-dxc").exits(2).warns("error: set: decisions.txt: line 1: `lorem` is no line of frozen decisions");
    folder.write("set/decisions.txt", b"toolchain dxc-dxil\n");
    run("./my-dxc").exits(2).warns("error: set: decisions.txt: no decisions of `dxc-spirv`");
}

/// A version that is not here is one of those whose decisions the program has.
#[test]
fn a_set_is_built_in() {
    let folder = frozen();
    let folder = folder.with_variable("LAYOUTPROOF_TOOLS", "/no/tools");
    let answer = folder.run("compare dxc@1.9.2602.17 ./my-dxc --no-cache vectors/two_pairs_fill_a_register").exits(1);
    answer.prints("old dxc@1.9.2602.17").prints("new ./my-dxc libdxcompiler.so: 1.8 - 1.8.2405 (test)");
}

/// Two builds can be compared without having either.
#[test]
fn a_frozen_set_stands_for_its_compiler() {
    let folder = frozen();
    build(&folder, "1.8.2502", (&moved(), REFUSES));
    folder.run(&format!("compare {WORDS} --save new")).exits(0);
    let answer = folder.run("compare set new moons/ --cases c").exits(1);
    answer.prints("new new libdxcompiler.so: 1.8 - 1.8.2502 (test)").prints("S.b 4 → 8 (+4)");
    folder.run("compare set set moons/ --cases c").exits(0).warns("note: OLD and NEW are the same build");
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
