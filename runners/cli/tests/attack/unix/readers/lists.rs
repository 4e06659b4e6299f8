//! Readers of lists that judge a run, of records and of frozen sets.

use super::Reader;
use super::corpus::{file, files};
use crate::unix::program::Call;
use crate::unix::sandbox::Sandbox;

/// Two cases, one of which differs on a model device that gives every array element 16 bytes.
const RUN: &str = "run arrays/scalar_packs_behind_the_last_element vectors/two_pairs --rules std140,scalar --form leaf \
                   --device model --plant-misreading array-stride-sixteen";

/// The same run, resuming from records.
const RESUME: &str = "run arrays/scalar_packs_behind_the_last_element vectors/two_pairs --rules std140,scalar --form leaf \
                      --device model --plant-misreading array-stride-sixteen --resume r.jsonl";

/// Keys of lists.
const LIST_WORDS: &[&str] = &[
    "[[known]]",
    "[[floor]]",
    "case",
    "rules",
    "producer",
    "device",
    "runner",
    "driver",
    "culprit",
    "says",
    "reason",
    "shape",
    "form",
    "moves",
    "pinned_by",
    "leaves",
    "cell",
    "\"*\"",
    "\"model\"",
    "= 0",
];

/// Keys and values of records.
const RECORD_WORDS: &[&str] = &[
    "agree", "differ", "known", "stale", "skipped", "broken", "null", "true", "false", "leaves", "outcome", "expected",
    "observed", "culprit", "rows", "check", "run", "end", "not_done", "shard", "seen",
];

/// Words of frozen sets.
const FROZEN_WORDS: &[&str] =
    &["case", "block", "program", "refused:", "report", "code", "schema", "family", "[[accepted]]", "pattern"];

/// Readers of lists, records and frozen sets.
pub(super) fn readers() -> Vec<Reader> {
    let records = records_of_a_failed_run();
    let frozen = frozen_set();
    let of_set = |name: &'static str, file: &'static str| {
        let (own, others): (Vec<_>, Vec<_>) = frozen.iter().cloned().partition(|(other, _)| *other == file);
        let corpus = own.into_iter().map(|(_, bytes)| bytes).collect();
        let others = others.into_iter().chain(frozen_cases()).collect();
        Reader::new(name, corpus, file, &COMPARE).words(FROZEN_WORDS).others(others).compiler("DXC", &pair_compiler())
    };
    vec![
        Reader::new("known", files("ci/known", ".toml"), "known.toml", &KNOWN).words(LIST_WORDS),
        Reader::new("floors", vec![file("ci/floors.toml")], "floors.toml", &FLOORS).words(LIST_WORDS),
        Reader::new("caselist", caselists(), "work.txt", &CASELIST).words(&["#", "::", "std140", "model", "arrays/"]),
        Reader::new("records", vec![records.clone()], "r.jsonl", &REPORT).words(RECORD_WORDS).never_green(),
        Reader::new("resume", vec![records], "r.jsonl", &[RESUME]).words(RECORD_WORDS).never_green(),
        of_set("frozen-manifest", MANIFEST),
        of_set("frozen-decisions", DECISIONS),
        of_set("frozen-accepted", ACCEPTED),
    ]
}

const KNOWN: [&str; 2] = [
    "run vectors/two_pairs --rules std140 --form leaf --device model --known known.toml",
    "run arrays/scalar_packs --rules std140 --form leaf --device model --known known.toml --no-known",
];
const FLOORS: [&str; 1] = ["run vectors/two_pairs --rules std140 --form leaf --device model --floors floors.toml"];
const CASELIST: [&str; 1] = ["run --caselist work.txt --rules std140 --form leaf --device model"];
const REPORT: [&str; 2] = ["report r.jsonl", "report r.jsonl -v --json all.jsonl --junit all.xml --csv all.csv"];
const COMPARE: [&str; 2] = [
    "compare set dxc=./compiler --no-cache --cases c moons/",
    "compare set dxc=./compiler --no-cache --cases c moons/ --allow-stale -v --format json",
];

const MANIFEST: &str = "set/manifest.toml";
const DECISIONS: &str = "set/decisions.txt";
const ACCEPTED: &str = "set/accepted.toml";

fn caselists() -> Vec<Vec<u8>> {
    let ids = "# Two cases and a trial.\narrays/scalar_packs_behind_the_last_element\nvectors::two_pairs_fill_a_register\n\
               arrays::scalar_packs_behind_the_last_element::std140::rspirv::model::model\n";
    vec![ids.as_bytes().to_vec()]
}

/// The records of a run with differences.
fn records_of_a_failed_run() -> Vec<u8> {
    let sandbox = Sandbox::new();
    let end = Call::new(&sandbox, RUN).word("--json").word("r.jsonl").run();
    assert_eq!(end.code(), Some(1), "{}", end.told("no run to mutate the records of"));
    sandbox.read("r.jsonl").into_bytes()
}

/// A compiler that prints the same listing for every source, and has no SPIR-V.
fn pair_compiler() -> String {
    let listing = String::from_utf8(file("runners/cli/tests/files/pair.dxil.txt")).unwrap();
    format!(
        "case \"$*\" in\n\
         *--version*) echo 'libdxcompiler.so: 1.8 - 1.8.2405 (test)'; exit 0;;\n\
         *-spirv*) echo 'probe.hlsl:1:1: error: SPIR-V CodeGen not available' >&2; exit 1;;\n\
         esac\n\
         cat <<'LISTING'\n{listing}\nLISTING"
    )
}

/// The case of the frozen set.
pub(super) fn frozen_cases() -> Vec<(&'static str, Vec<u8>)> {
    let case = "schema = 1\nsummary = \"a pair\"\ndeclare = \"cbuffer S { float a; float2 b; };\"\n[expect.std430]\n\
                authority = { spec = \"OpenGL 4.6, 7.6.2.2\" }\noffsets = { \"S.a\" = 0, \"S.b\" = 8 }\n\
                sizes = { \"S\" = 16 }\n";
    vec![("c/moons/pair.toml", case.as_bytes().to_vec())]
}

/// The frozen set of that compiler, with a list of accepted changes.
fn frozen_set() -> Vec<(&'static str, Vec<u8>)> {
    let sandbox = Sandbox::new();
    for (name, bytes) in frozen_cases() {
        sandbox.write(name, bytes);
    }
    sandbox.write_script("compiler", &pair_compiler());
    let end = Call::new(&sandbox, "compare dxc=./compiler --no-cache --cases c moons/ --save set").run();
    assert_eq!(end.code(), Some(0), "{}", end.told("no frozen set to mutate"));
    let accepted = file("shaders/frozen/dxc-1.7.3435/accepted.toml");
    let read = |name: &str| sandbox.read(name).into_bytes();
    vec![(MANIFEST, read(MANIFEST)), (DECISIONS, read(DECISIONS)), (ACCEPTED, accepted)]
}
