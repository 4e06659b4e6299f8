//! Where parameters are bound: `show --target --convention`, and cases with `[bind]` tables.
//!
//! The expected places are those that wg-hlsl 0024, implicit resource binding, prints next to its
//! examples.

use serde_json::{Value, json};

use super::folder::{Folder, keys};

/// Example 2.1.
const RANGES: &str = "RWBuffer<float> A : register(u2);\n\
    RWBuffer<float> B[4];\n\
    RWBuffer<float> C[2];\n\
    RWBuffer<float> D[50] : register(u6);\n\
    RWBuffer<float> E[2];\n\
    [numthreads(4, 1, 1)]\n\
    void main() { A[0] = E[1][0] + C[1][0] + B[1][0]; }\n";

/// Example 3.2.
const TOO_FEW: &str = "RWBuffer<float> A : register(u1);\n\
    RWBuffer<float> B[];\n\
    RWBuffer<float> C : register(u5);\n\
    RWBuffer<float> D[4];\n\
    [numthreads(4, 1, 1)]\n\
    void main() { A[0] = D[2][0] + C[0] + B[10][0]; }\n";

fn files() -> Folder {
    Folder::without_drivers(&[("ranges.hlsl", RANGES), ("few.hlsl", TOO_FEW)])
}

fn case(places: &str) -> String {
    format!(
        "schema = 1\nsummary = \"ranges\"\ndeclare = \"\"\"\n{RANGES}\"\"\"\n[bind.d3d12.dxc]\n\
         authority = {{ document = \"wg-hlsl 0024, implicit resource binding\" }}\n{places}"
    )
}

const RIGHT: &str = "A = \"u2\"\nB = \"u3[4]\"\nC = \"u0[2]\"\nE = \"u7[2]\"\n";

#[test]
fn the_json_answer_has_the_keys_of_the_contract() {
    let answer = files().run("show ranges.hlsl --target d3d12 --convention dxc --format json").exits(0).json();
    assert_eq!(
        keys(&answer),
        ["account", "bindings", "convention", "entry", "schema", "source", "target", "unused", "warnings"]
    );
    assert_eq!((&answer["target"], &answer["convention"]), (&json!("d3d12"), &json!("dxc")));
    let row = |path, index, count| json!({"path": path, "unit": "u", "space": 0, "index": index, "count": count});
    assert_eq!(answer["bindings"], json!([row("A", 2, 1), row("B", 3, 4), row("C", 0, 2), row("E", 7, 2)]));
}

#[test]
fn layouts_come_with_the_bindings_only_where_rules_are_named() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer C { float x; };\nfloat4 main() : SV_Target { return x; }\n")]);
    let words = "show a.hlsl --target d3d12 --convention dxc --format json --rules hlsl-cbuffer";
    let answer = folder.run(words).exits(0).json();
    assert_eq!(answer["bindings"][0]["path"], json!("C"));
    assert_eq!(answer["layouts"][0]["rules"], json!("hlsl-cbuffer"));
}

#[test]
fn conventions_stand_side_by_side() {
    files()
        .run("show ranges.hlsl --target d3d12 --convention dxc,clang")
        .exits(0)
        .prints("D3D12 · DXC D3D12 · Clang")
        .prints("RWBuffer<float> B[4] u3[4] u3[4]")
        .prints("RWBuffer<float> E[2] u7[2] u7[2]");
}

#[test]
fn used_and_unused_parameters_are_said_by_flags() {
    let words = "show ranges.hlsl --target d3d12 --convention dxc --used D --unused C";
    let answer =
        files().run(words).exits(0).prints("RWBuffer<float> D[50] u6[50]").prints("RWBuffer<float> E[2] u0[2]");
    assert!(!answer.out.contains("C["), "{answer}");
}

#[test]
fn what_a_convention_refuses_is_refused() {
    let answer = files().run("show few.hlsl --target d3d12 --convention dxc --format json").exits(2);
    let shown = answer.json();
    assert_eq!(keys(&shown), ["errors", "schema", "source", "warnings"]);
    assert_eq!(shown["errors"][0]["message"], json!("resource D could not be allocated"));
    assert_eq!(shown["errors"][0]["line"], json!(4));
}

/// The registers of this shader depend on an optimiser's knowledge of ranges.
pub(crate) const RANGE: &str = "Texture2D<float4> t; Texture2D<float4> z;\n\
    float4 main(float4 p : SV_Position, uint ii : II) : SV_Target {\n\
    float4 r = 0; if (ii > 3) if (ii < 2) r = t.Load(0); return r + z.Load(0); }\n";

/// DXC 1.7.2308's listing for it (`-T ps_6_6 -E main`).
#[cfg(unix)]
const LISTING: &str = "; Resource Bindings:
;
; Name                                 Type  Format         Dim      ID      HLSL Bind  Count
; ------------------------------ ---------- ------- ----------- ------- -------------- ------
; z                                 texture     f32          2d      T0             t0     1
;
;
";

#[test]
fn a_number_that_is_not_certain_says_why() {
    let folder = Folder::without_drivers(&[("range.hlsl", RANGE)]);
    let answer = folder.run("show range.hlsl --target d3d12 --convention dxc --format json").exits(0).json();
    let reason = "depends on whether `t` is used; pass `--unused t`, or `--compiler dxc` to ask the compiler";
    let rows: Vec<_> = answer["bindings"].as_array().unwrap().iter().map(|row| &row["uncertain"]).collect();
    assert_eq!(rows, [&json!(reason), &json!(reason)]);
    let answer = folder.run("show range.hlsl --target d3d12 --unused t --format json").exits(0).json();
    let row = json!({"path": "z", "unit": "t", "space": 0, "index": 0, "count": 1});
    assert_eq!(answer["bindings"], json!([row]));
}

/// A program in place of DXC prints its listing.
#[cfg(unix)]
#[test]
fn the_compiler_says_its_registers_itself() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::without_drivers(&[("range.hlsl", RANGE), ("listing", LISTING)]).with_variable("DXC", "./dxc");
    let script = "#!/bin/sh\ncase \"$*\" in *--version*) echo 'dxc of a test'; exit 0;; esac\n\
        case \"$*\" in '-T ps_6_6 -E main range.hlsl') cat listing;; *) exit 1;; esac\n";
    folder.write("dxc", script.as_bytes());
    set_permissions(folder.path("dxc"), Permissions::from_mode(0o755)).unwrap();

    let words = "show range.hlsl --target d3d12 --compiler dxc --entry main";
    let answer = folder.run(&format!("{words} --format json")).exits(0).json();
    let computed = json!([{"unit": "t", "space": 0, "index": 1, "count": 1}]);
    let row = json!({"path": "z", "unit": "t", "space": 0, "index": 0, "count": 1, "computed": computed});
    assert_eq!(answer["bindings"], json!([row]));
    let codes: Vec<_> = answer["warnings"].as_array().unwrap().iter().map(|warning| &warning["code"]).collect();
    assert_eq!(codes, [&json!("compiler-differs"), &json!("compiler-differs")]);
    let answer = folder.run(words).exits(0);
    assert!(answer.out.contains("z  t0 (layoutproof: t1)"), "{answer}");
    assert!(answer.err.contains("DXC drops `t`, which nothing needs; layoutproof's rules give it t0"), "{answer}");
}

/// Where the rules are uncertain, DXC's registers take their place without an option, with a note. `--convention dxc` means
/// the rules.
#[cfg(unix)]
#[test]
fn the_compiler_settles_uncertain_registers() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let certain = RANGE.replace("if (ii < 2)", "if (ii < 5)");
    let files = [("range.hlsl", RANGE), ("certain.hlsl", &certain), ("listing", LISTING)];
    let folder = Folder::without_drivers(&files).with_variable("DXC", "./dxc");
    let script = "#!/bin/sh\ncase \"$*\" in *--version*) echo 'dxc of a test'; exit 0;; esac\n\
        case \"$*\" in '-T ps_6_6 -E main range.hlsl') cat listing;; *) exit 1;; esac\n";
    folder.write("dxc", script.as_bytes());
    set_permissions(folder.path("dxc"), Permissions::from_mode(0o755)).unwrap();

    let answer = folder.run("show range.hlsl --target d3d12 --format json").exits(0);
    let row = json!({"path": "z", "unit": "t", "space": 0, "index": 0, "count": 1});
    assert_eq!(answer.json()["bindings"], json!([row]));
    assert_eq!(answer.json()["warnings"], json!([]));
    assert!(answer.err.contains("these are DXC's own (`--convention dxc` shows those of the rules)"), "{answer}");

    let rules = folder.run("show range.hlsl --target d3d12 --convention dxc --format json").exits(0).json();
    assert!(rules["bindings"][0]["uncertain"].is_string(), "{rules}");
    // The compiler fails on other files, so a note would say that it was asked.
    let answer = folder.run("show certain.hlsl --target d3d12 --format json").exits(0);
    assert_eq!(answer.json()["bindings"].as_array().map(Vec::len), Some(2));
    assert!(!answer.err.contains("uncertain registers"), "{answer}");
}

/// DXC 1.7.2308 takes the file with `-T lib_6_6`: nothing in it uses two of these at once.
#[test]
fn registers_of_a_header_may_be_shared() {
    let header = "Texture2D a : register(t0); Texture2D<uint4> b : register(t0); SamplerState s[2] : register(s1);
SamplerState t : register(s2); Buffer<float> u[] : register(t3); Buffer<float> v[] : register(t4);
cbuffer C : register(b0) { float c; }; cbuffer D : register(b0) { float d; };
float4 first() { return a.Sample(s[1], 0); }\n";
    let entry =
        "float4 main() : SV_Target { return first() + b.Load(0) + c + d + u[1][0] + v[1][0] + a.Sample(t, 0); }\n";
    let folder = Folder::with(&[("header.hlsl", header), ("shader.hlsl", &format!("{header}{entry}"))]);
    for convention in ["dxc", "clang"] {
        let words = format!("--target d3d12 --convention {convention} --profile ps_6_6 --format json");
        let answer = folder.run(&format!("show header.hlsl {words}")).exits(0).json();
        let codes = answer["warnings"].as_array().unwrap().iter().filter(|it| it["code"] == "binding-overlap").count();
        assert_eq!((answer["bindings"].as_array().unwrap().len(), codes), (8, 4), "{convention}: {answer}");
        let refused = folder.run(&format!("show shader.hlsl {words}")).exits(2).json();
        assert_eq!(refused["errors"][0]["code"], "binding-overlap", "{convention}: {refused}");
    }
}

#[test]
fn questions_that_have_no_answer_end_with_2() {
    for (flags, error) in [
        ("--target metal --convention dxc", "dxc places no parameters for metal"),
        ("--target d3d12 --convention dxc,clang --format json", "JSON output is for one convention"),
        ("--target d3d12 --convention dxc --format cpp-asserts", "host structs show no bindings"),
        ("--target metal --compiler dxc", "dxc is not known to write code for metal, only for d3d12 or vulkan"),
        ("--target d3d12 --convention clang --compiler dxc", "cannot be used with"),
        ("--target d3d12 --compiler tint", "tint lays out no HLSL or Slang"),
        ("--target opengl", "no compiler from HLSL or Slang to opengl is known here"),
        ("--target vulcan", "did you mean `vulkan`?"),
        ("--target vulkan/scaler", "target `vulkan` has no layout `scaler`; known are scalar, dx, gl, c"),
        ("--compiler dcx", "did you mean `dxc`?"),
        ("--compiler dxc-spirv-dx", "name compiler and target apart: `--target vulkan/dx --compiler dxc`"),
        ("--rules vulkan", "did you mean `--target vulkan`?"),
    ] {
        let answer = files().run(&format!("show ranges.hlsl {flags}")).exits(2);
        assert!(answer.err.contains(error), "{error} in {answer}");
    }
}

/// The records of a case, and the exit code, on a machine without a device.
fn records(places: &str, code: i32) -> Vec<Value> {
    let folder = Folder::without_drivers(&[("ranges.toml", &case(places))]);
    folder.run("run ranges.toml --json r.jsonl --records full").exits(code);
    let text = folder.read("r.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == "check").collect()
}

#[test]
fn a_case_is_checked_without_a_device() {
    let records = records(RIGHT, 0);
    let [check] = &records[..] else { panic!("{records:?}") };
    assert_eq!((&check["rules"], &check["device"]), (&json!("d3d12.dxc"), &json!("none")));
    assert_eq!((&check["outcome"], &check["culprit"]), (&json!("agree"), &json!(null)));
    let row = &check["rows"][1];
    assert_eq!((&row["path"], &row["what"]), (&json!("B"), &json!("binding")));
    assert_eq!((&row["expected"], &row["computed"]), (&json!("u3[4]"), &json!("u3[4]")));
}

#[test]
fn a_device_that_is_named_reads_a_case_back() {
    let folder = Folder::without_drivers(&[("ranges.toml", &case(RIGHT))]);
    let answer = folder.run("run ranges.toml --device vkd3d").exits(3);
    assert!(answer.err.contains("error: no device"), "{answer}");
}

#[test]
fn a_place_that_differs_is_the_case_or_the_rules() {
    for (places, path, expected, computed) in [
        (RIGHT.replace("u7[2]", "u8[2]"), "E", "u8[2]", "u7[2]"),
        (RIGHT.replace("C = \"u0[2]\"\n", ""), "C", "not bound", "u0[2]"),
        (format!("{RIGHT}D = \"u6[50]\"\n"), "D", "u6[50]", "not bound"),
    ] {
        let records = records(&places, 1);
        assert_eq!(records[0]["culprit"], json!("case-or-rules"), "{path}");
        let rows = records[0]["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["path"] == json!(path)).unwrap();
        assert_eq!((&row["expected"], &row["computed"]), (&json!(expected), &json!(computed)));
    }
}

#[test]
fn a_partial_case_leaves_parameters_out() {
    assert_eq!(records("partial = true\nA = \"u2\"\n", 0)[0]["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn an_expected_refusal_must_come() {
    let refusal = "partial = true\nA = \"u2\"\n[[reject]]\ntarget = \"d3d12\"\nconvention = \"dxc\"\nmessage = \"D\"\n";
    let folder = Folder::without_drivers(&[("ranges.toml", &case(refusal))]);
    let answer = folder.run("run ranges.toml").exits(2);
    assert!(answer.err.contains("d3d12.dxc does not refuse this"), "{answer}");
}

/// DXC 1.7.2308 with `-spirv` gives b0 and u0 the same binding; with `-E CSMain` it drops what only
/// `PSMain` uses.
#[test]
fn what_shares_a_place_and_what_is_not_used_is_said() {
    let text = "cbuffer Frame : register(b0) { float a; };\nRWStructuredBuffer<float> parts : register(u0);\n\
                Texture2D<float4> albedo : register(t0);\n\
                [numthreads(1,1,1)] void CSMain() { parts[0] = a; }\n\
                float4 PSMain() : SV_Target { return albedo.Load(0); }\n";
    let folder = Folder::with(&[("two.hlsl", text)]);
    let vulkan = folder.run("show two.hlsl --target vulkan --convention dxc --entry CSMain").exits(0);
    let vulkan = vulkan.prints("Vulkan · DXC · entry CSMain").prints("cbuffer Frame set 0 binding 0");
    let vulkan = vulkan.prints("! RWStructuredBuffer<float> parts set 0 binding 0");
    let vulkan = vulkan.prints("same as Frame; -fvk-u-shift moves it").prints("not used by CSMain: albedo");
    assert!(vulkan.err.contains("`parts` shares its binding with registers of other classes"), "{vulkan}");
    let json = folder.run("show two.hlsl --target vulkan --convention dxc --entry CSMain --format json").exits(0);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&json["entry"], &json["unused"]), (&"CSMain".into(), &serde_json::json!(["albedo"])));
    assert_eq!(json["bindings"][0]["overlaps"], serde_json::json!(["parts"]));
    let d3d12 = folder.run("show two.hlsl --target d3d12 --convention dxc --entry CSMain").exits(0);
    let d3d12 = d3d12.prints("cbuffer Frame b0").prints("not used by CSMain: albedo");
    assert!(!d3d12.out.contains('!') && !d3d12.err.contains("shares"), "{d3d12}");
}

/// spirv-val 2026.4 of slangc 2026.14.1's module: "Entry point uses more than one `PushConstant` interface".
#[test]
fn a_second_block_of_push_constants_is_warned_of() {
    let uniform = "struct P { float a; };\n[vk::push_constant] ConstantBuffer<P> pc;\nRWStructuredBuffer<float> o;\n\
                   [shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform float b) { o[0] = pc.a + b; }\n";
    let folder = Folder::with(&[("two.slang", uniform), ("one.slang", &uniform.replace("uniform float b", ""))]);
    let said = |words: &str| folder.run(words).err.contains("is a second block of push constants");
    assert!(said("show two.slang --target vulkan"));
    assert!(!said("show one.slang --target vulkan"));
}
