//! Containers made by DXC and FXC, read by `show` and `check`. The expected offsets come from the
//! compilers: a container from DXC must give the same layout as `native:dxc-dxil` for its source.

use layoutproof_compilers::compiler::{Compiler, CompilerAnswer};
use layoutproof_executor::tools::MachineTools;
use serde_json::Value;

use super::folder::{Answer, Folder};

const SOURCE: &str = include_str!("../files/containers/source.hlsl");

/// Made by FXC 10.0.22621.2428, `cs_5_1`.
const FXC: &[u8] = include_bytes!("../../../../harness/readers/src/fxc/source.cso");

/// Compiles `source.hlsl` with these options to `source.dxil`; returns false if DXC was not found.
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn compiles(folder: &Folder, options: &str) -> bool {
    let dxc = match Compiler::named("dxc", MachineTools::find().unwrap().folder()).compiler {
        Ok(dxc) => dxc,
        Err(absent) => {
            println!("skipped: {absent}");
            return false;
        }
    };

    let always = ["-T", "cs_6_6", "-HV", "2021", "-Fo", "source.dxil", "-Fc", "source.ll"];
    let words = always.into_iter().chain(options.split_whitespace()).chain(["source.hlsl"]);
    match dxc.ask(&folder.path("."), &words.collect::<Vec<_>>()) {
        CompilerAnswer::Accepted(_) => true,
        CompilerAnswer::Refused(output) => panic!("{}", output.stderr),
        CompilerAnswer::Broken(how) => panic!("{how}"),
    }
}

fn folder() -> Folder {
    Folder::with(&[("source.hlsl", SOURCE)]).within(std::time::Duration::from_secs(60))
}

/// The blocks in the output of `show --format json`, by name, without what only rule sets have.
fn blocks(answer: &Answer) -> Vec<Value> {
    let json: Value = serde_json::from_str(&answer.out).unwrap();
    let mut blocks = json["layouts"][0]["blocks"].as_array().unwrap().clone();
    for block in &mut blocks {
        block["alignment"].take();
        for member in block["members"].as_array_mut().unwrap() {
            member["alignment"].take();
            member["type"].take();
        }
    }
    blocks.sort_by_key(|block| block["name"].to_string());
    blocks
}

#[test]
fn a_container_says_what_the_rules_of_its_compiler_say() {
    for (options, flags) in [
        ("-enable-16bit-types", "--16bit on"),
        ("", "--16bit off"),
        ("-Zpr -Zi -Qembed_debug", "--16bit off --matrix row"),
    ] {
        let folder = folder();
        if !compiles(&folder, options) {
            return;
        }
        let container = blocks(&folder.run("show source.dxil --format json").exits(0));
        let rules = format!("show source.hlsl --format json --rules native:dxc-dxil {flags}");
        assert_eq!(container, blocks(&folder.run(&rules).exits(0)), "{options}");
        assert_eq!(container.len(), 6, "{options}");
    }
}

const KERNEL: &str = "struct Particle { float3 place; float mass; uint kind; };
cbuffer Params { float3 step; float scale[2]; uint kinds; };
RWStructuredBuffer<Particle> particles;
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    particles[id.x].place += step * scale[1];
    particles[id.y + 2].kind = kinds;
    InterlockedAdd(particles[id.x].kind, 1);
}
";

/// The code of a container touches the members and bytes that DXC's SPIR-V touches with the layout of Direct3D.
#[test]
fn accesses_of_a_container_are_those_of_its_source() {
    let folder = Folder::with(&[("source.hlsl", KERNEL)]).within(std::time::Duration::from_secs(60));
    if !compiles(&folder, "-E main -Zi -Qembed_debug") {
        return;
    }
    let rows = |words: &str| {
        let answer = folder.run_quoted(words).exits(0).json();
        let accesses = answer["files"][0]["accesses"].as_array().unwrap().clone();
        let mut rows: Vec<String> = accesses
            .iter()
            .map(|it| {
                format!(
                    "{} {} {} {} {} {}",
                    it["line"], it["kind"], it["member"], it["type"], it["offset"], it["strides"]
                )
            })
            .collect();
        rows.sort();
        (
            rows,
            answer["files"][0]["views"]
                .as_array()
                .unwrap()
                .iter()
                .map(|view| view["untouched"].clone())
                .collect::<Vec<_>>(),
        )
    };
    let (dxil, untouched) = rows("accesses source.dxil --format json");
    let (spirv, _) = rows("accesses source.hlsl --args \"-T cs_6_6 -E main -fvk-use-dx-layout\" --format json");
    assert_eq!(dxil, spirv);
    assert_eq!((dxil.len(), untouched), (7, vec![serde_json::json!(["[].mass"]), serde_json::json!([])]));
    let answer = folder.run("run source.dxil --own").exits(2);
    answer.warns("error: the code of Direct3D is followed by `accesses`, and not executed [not-followed]");
}

/// Unit, space, index and count of each resource, by name.
fn registers(answer: &Answer) -> Vec<(String, String)> {
    let json: Value = serde_json::from_str(&answer.out).unwrap();
    let place = |row: &Value| format!("{} {} {} {}", row["unit"], row["space"], row["index"], row["count"]);
    let row = |row: &Value| (row["path"].as_str().unwrap().to_owned(), place(row).replace('"', ""));
    json["bindings"].as_array().unwrap().iter().map(row).collect()
}

/// `; Resource Bindings:` and the signatures in the listing of DXC 1.7.2308, `-T vs_6_6`, of `vertex.hlsl`.
const REGISTERS: [(&str, &str); 6] = [
    ("C", "b 1 2 1"),
    ("smp", "s 0 1 1"),
    ("tex", "t 0 4 3"),
    ("buf", "t 0 0 1"),
    ("bab", "t 7 0 unbounded"),
    ("rw", "u 2 3 1"),
];
const SIGNATURES: [(&str, &str); 9] = [
    ("in.POSITION0", "location-in 0 0 1"),
    ("in.TEXCOORD0", "location-in 0 1 1"),
    ("in.SV_VertexID0", "location-in 0 2 1"),
    ("in.TURN0", "location-in 0 3 1"),
    ("in.TURN1", "location-in 0 4 1"),
    ("out.SV_Position0", "location-out 0 0 1"),
    ("out.TEXCOORD0", "location-out 0 1 1"),
    ("out.KIND0", "location-out 0 2 1"),
    ("out.SV_ClipDistance0", "location-out 0 3 1"),
];

fn owned(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(name, place)| ((*name).to_owned(), (*place).to_owned())).collect()
}

#[test]
fn a_container_states_its_registers_and_signatures() {
    let folder = Folder::with(&[("source.hlsl", include_str!("../files/containers/vertex.hlsl"))]);
    if !compiles(&folder, "-T vs_6_6") {
        return;
    }
    let answer = folder.run("show source.dxil --target d3d12 --format json").exits(0);
    assert_eq!(registers(&answer), [owned(&REGISTERS), owned(&SIGNATURES)].concat(), "{answer}");
    // The convention gives the used parameters the same registers.
    let source = folder.run("show source.hlsl --target d3d12 --profile vs_6_6 --format json").exits(0);
    let (mut container, mut source) = (owned(&REGISTERS), registers(&source));
    container.sort();
    source.sort();
    assert_eq!(container, source);
    folder.run("show source.dxil --target d3d12").exits(0).prints("tex t4[3]").prints("in.POSITION0.xyz location-in 0");
}

/// The runtime's own tables keep the registers when the names are gone.
#[test]
fn a_stripped_container_states_its_registers() {
    let folder = Folder::with(&[("source.hlsl", include_str!("../files/containers/vertex.hlsl"))]);
    if !compiles(&folder, "-T vs_6_6 -Qstrip_reflect") {
        return;
    }
    let places = |rows: Vec<(String, String)>| rows.into_iter().map(|(_, place)| place).collect::<Vec<_>>();
    let answer = folder.run("show source.dxil --target d3d12 --format json").exits(0);
    assert_eq!(places(registers(&answer)), places([owned(&REGISTERS), owned(&SIGNATURES)].concat()), "{answer}");
    assert!(answer.err.contains("warning: the container holds its code, but not its reflection"), "{answer}");
    let names = registers(&answer).into_iter().map(|(name, _)| name).take(6).collect::<Vec<_>>();
    assert_eq!(names, ["b2 space1", "s1", "t4", "t0", "t0 space7", "u3 space2"]);
    folder.run("show source.dxil").exits(2);
}

/// `RDAT` of a library, which has the names. DXC 1.7.2308, `-T lib_6_6`.
#[test]
fn a_library_states_the_registers_of_all_its_functions() {
    let folder = Folder::with(&[(
        "source.hlsl",
        "Texture2D<float4> image : register(t4, space2);\nRWTexture2D<float4> target[2] : register(u1);\n\
         [shader(\"raygeneration\")] void first() { target[1][uint2(0, 0)] = image[uint2(1, 1)]; }\n",
    )]);
    if !compiles(&folder, "-T lib_6_6") {
        return;
    }
    let answer = folder.run("show source.dxil --target d3d12 --format json").exits(0);
    assert_eq!(registers(&answer), owned(&[("image", "t 2 4 1"), ("target", "u 0 1 2")]), "{answer}");
}

#[test]
fn a_container_without_reflection_says_what_helps() {
    let folder = folder();
    if !compiles(&folder, "-Qstrip_reflect") {
        return;
    }
    let answer = folder.run("show source.dxil").exits(2);
    for words in ["holds its code, but not its reflection", "compile without -Qstrip_reflect"] {
        assert!(answer.err.contains(words), "{}", answer.err);
    }
    std::fs::rename(folder.path("source.dxil"), folder.path("source.bin")).unwrap();
    folder.write("host.o", b"\x7fELF");
    let answer = folder.run("check source.bin host.o").exits(2);
    assert!(answer.err.contains("give it the suffix .dxil, .cso or .dxbc"), "{}", answer.err);
}

#[test]
fn without_dxc_its_containers_are_refused_with_the_way_to_get_it() {
    let folder = folder();
    if !compiles(&folder, "") {
        return;
    }
    let folder = folder.with_variable("LAYOUTPROOF_TOOLS", "/nonexistent").with_variable("PATH", "/nonexistent");
    let answer = folder.run("show source.dxil").exits(2);
    for words in ["this container holds DXIL, which only DXC can list", "layoutproof setup dxc"] {
        assert!(answer.err.contains(words), "{}", answer.err);
    }
}

#[test]
fn a_damaged_container_is_a_diagnostic() {
    let folder = folder();
    if !compiles(&folder, "") {
        return;
    }
    let whole = std::fs::read(folder.path("source.dxil")).unwrap();
    for (index, length) in [(0, 3), (1, 40), (2, whole.len() / 2), (3, whole.len() - 1)] {
        let name = format!("{index}.dxil");
        folder.write(&name, &whole[..length]);
        let answer = folder.run(&format!("show {name}")).exits(2);
        assert!(answer.err.starts_with("error: "), "{}", answer.err);
    }
    let mut damaged = whole.clone();
    let middle = whole.len() * 3 / 4;
    damaged[middle..middle + 64].fill(0xa5);
    folder.write("damaged.dxil", &damaged);
    // DXC may still be able to read it, but it must not crash the command.
    let code = folder.run("show damaged.dxil").code();
    assert!([0, 2].contains(&code), "{code}");
}

#[test]
fn containers_of_fxc_need_no_compiler() {
    let folder = Folder::with(&[]).with_variable("DXC", "/nonexistent/dxc");
    folder.write("source.cso", FXC);
    folder.run("show source.cso").exits(0);
    // The table in its listing.
    let answer = folder.run("show source.cso --target d3d12 --format json").exits(0);
    let expected = [
        ("T", "t 0 0 1"),
        ("scalars", "t 0 3 1"),
        ("elements", "u 1 2 1"),
        ("words", "u 1000 7 1"),
        ("$Globals", "b 0 0 1"),
        ("Values", "b 2 3 1"),
        ("block", "b 3 9 1"),
        ("many", "b 7 20 unbounded"),
    ];
    assert_eq!(registers(&answer), owned(&expected), "{answer}");
    folder.write("half.cso", &FXC[..FXC.len() / 2]);
    let answer = folder.run("show half.cso").exits(2);
    assert!(answer.err.contains("it is truncated"), "{}", answer.err);
}
