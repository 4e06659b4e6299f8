//! `layoutproof accesses` on files that need no compiler of this machine.
//!
//! Expected offsets: WGSL's own, "Alignment and Size".

use serde_json::{Value, json};

use super::folder::Folder;

const PARTICLES: &str = "struct Particle { place: vec3f, mass: f32, speed: vec3f }
@group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
struct Params { step: f32, count: u32, scale: mat3x3f }
@group(0) @binding(1) var<uniform> params: Params;

@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < params.count {
        particles[id.x].speed = params.scale[1] * params.step;
    }
}
";

/// The values of a key in all objects of a list.
fn all<'a>(answer: &'a Value, list: &str, key: &str) -> Vec<&'a Value> {
    answer["files"][0][list].as_array().unwrap().iter().map(|entry| &entry[key]).collect()
}

#[test]
fn each_access_has_its_member_bytes_and_line() {
    let folder = Folder::with(&[("particles.wgsl", PARTICLES)]);
    let answer = folder.run("accesses particles.wgsl --format json").exits(0).json();
    assert_eq!(answer["account"], json!({"accesses": 4, "followed": 4, "open": {}}));
    assert_eq!(all(&answer, "views", "name"), ["particles", "params"]);
    assert_eq!(all(&answer, "accesses", "member"), ["count", "scale[1]", "step", "[].speed"]);
    assert_eq!(all(&answer, "accesses", "offset"), [4, 32, 0, 16]);
    assert_eq!(all(&answer, "accesses", "size"), [4, 12, 4, 12]);
    assert_eq!(all(&answer, "accesses", "line"), [7, 8, 8, 8]);
    assert_eq!(all(&answer, "accesses", "kind"), ["load", "load", "load", "store"]);
    let strides = json!([{"bytes": 32, "index": "GlobalInvocationId.x"}]);
    assert_eq!(answer["files"][0]["accesses"][3]["strides"], strides);
    assert_eq!(all(&answer, "views", "untouched")[0], &json!(["[].place", "[].mass"]));
    assert_eq!(answer["headline"], "no fault: 4 accesses, 4 followed to a member");
}

#[test]
fn text_lists_accesses_and_what_no_code_touches() {
    let folder = Folder::with(&[("particles.wgsl", PARTICLES)]);
    let answer = folder.run("accesses particles.wgsl").exits(0);
    let line = "store particles[].speed vec3<f32> 16 + 32*GlobalInvocationId.x, 12 bytes particles.wgsl:8:9";
    let answer = answer.prints(line);
    answer
        .prints("no access: particles[].place, particles[].mass")
        .prints("no fault: 4 accesses, 4 followed to a member");
}

/// Invocations begin at 0, so the index is at least 64.
const BEYOND: &str = "struct Table { first: array<u32, 64>, second: array<u32, 64> }
@group(0) @binding(0) var<storage, read_write> table: Table;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) index: u32) {
    table.first[index + 64] = 1;
}
";

#[test]
fn faults_are_at_their_lines_in_every_format() {
    let folder = Folder::with(&[("beyond.wgsl", BEYOND)]);
    let words = "store of `table.first[]` has an index of at least 64 in an array of 64 elements";
    let answer = folder.run("accesses beyond.wgsl").exits(1);
    answer.prints(&format!("fault (beyond-end): {words}")).prints("at beyond.wgsl:4:5");
    let answer = folder.run("accesses beyond.wgsl --format json").exits(1).json();
    let fault = &answer["files"][0]["faults"][0];
    assert_eq!((&fault["fault"], &fault["line"]), (&json!("beyond-end"), &json!(4)));
    assert_eq!(fault["detail"], json!({"least": 64, "length": 64}));
    let answer = folder.run("accesses beyond.wgsl --format github").exits(1);
    answer.prints(&format!("::error file=beyond.wgsl,line=4,title=beyond-end::{words}"));
    let sarif = folder.run("accesses beyond.wgsl --format sarif").exits(1).json();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["message"]["text"], format!("beyond-end: {words}"));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(*place, json!({"artifactLocation": {"uri": "beyond.wgsl"}, "region": {"startLine": 4}}));
    let answer = folder.run("accesses beyond.wgsl --format junit").exits(1);
    assert!(answer.out.contains(&format!("<failure message=\"{words}\" type=\"beyond-end\">")), "{answer}");
}

#[test]
fn files_that_cannot_be_followed_end_with_2() {
    let container = String::from("DXBC") + &"\0".repeat(60);
    let folder = Folder::with(&[("good.wgsl", PARTICLES), ("bad.wgsl", "fn main( {}"), ("a.dxil", &container)]);
    folder.write("short.spv", &[3, 2, 35, 7, 0]);
    for file in ["bad.wgsl", "short.spv", "a.dxil", "absent.wgsl"] {
        let answer = folder.run(&format!("accesses {file} --format json")).exits(2).json();
        assert!(!answer["errors"].as_array().unwrap().is_empty(), "{answer}");
    }
    let answer = folder.run("accesses good.wgsl bad.wgsl --format json").exits(2).json();
    assert_eq!(answer["account"]["accesses"], 4);
    assert_eq!(answer["unread"][0]["file"], "bad.wgsl");
    folder.run("accesses notes.txt").exits(2);
}

#[test]
fn code_that_touches_nothing_proves_nothing() {
    let text = "@compute @workgroup_size(1) fn main() {}\n";
    let answer = Folder::with(&[("empty.wgsl", text)]).run("accesses empty.wgsl").exits(4);
    answer.prints("no fault: 0 accesses, 0 followed to a member");
}

/// naga 30.0.1 forgets the `@align` of a member of a nested struct: it gives `b.n` the offset 4, WGSL 14.4.1 32.
#[test]
fn code_whose_members_naga_has_elsewhere_is_refused() {
    let text = "struct A { @align(32) a: f32 }\nstruct B { h: f32, n: A }\n@group(0) @binding(0) var<storage> b: B;\n\
                @group(0) @binding(1) var<storage, read_write> o: array<f32>;\n\
                @compute @workgroup_size(1) fn main() { o[0] = b.n.a; }\n";
    let folder = Folder::with(&[("a.wgsl", text)]);
    folder.run("accesses a.wgsl").exits(2).warns("error: naga 30.0.1 gives `b.n` the offset 4, WGSL 32");
}
