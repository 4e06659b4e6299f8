//! `list`, `doctor`, `diff`, and the help that leads to them.

use layoutproof_device::RunnerKind;
use layoutproof_readers::version::{NAGA_VERSION, RSPIRV_VERSION};

use super::folder::{Folder, keys};

const FILE: &str = "cbuffer S { float3 a; float b[2]; float c; float2 d; };";

/// OpenGL 4.6, 7.6.2.2 gives b an array stride of 16 in std140 and of 4 in std430; all rule sets
/// agree on a block of one vector.
/// DXC 1.7.2308, `-T ps_6_6` without and with `-D X`: `b` at 16 and 20, `c` at 28 and 32.
#[test]
fn diff_compares_two_permutations_of_a_file() {
    let text = "cbuffer M {\n float4 a;\n#ifdef X\n float extra;\n#endif\n float3 b; float c; };\n";
    let folder = Folder::with(&[("a.hlsl", text), ("b.glsl", ""), ("c.hlsl", text)]);
    for words in ["diff a.hlsl a.hlsl d3d12 -D X", "diff a.hlsl d3d12 a.hlsl d3d12 --args -DX"] {
        let answer = folder.run(words).exits(1).prints("Differ a.hlsl D3D12 · DXC and a.hlsl -D X D3D12 · DXC");
        assert!(answer.out.contains("16") && answer.out.contains("20"), "{answer}");
    }
    // One input with two targets, and two files, have the macros on both sides.
    folder.run("diff a.hlsl d3d12 d3d12.dxc -D X").exits(0);
    folder.run("diff a.hlsl c.hlsl d3d12 -D X").exits(0);
    folder.run("diff a.hlsl a.hlsl d3d12").exits(0);
}

#[test]
fn diff_says_whether_two_rule_sets_place_a_file_alike() {
    let folder = Folder::with(&[("a.hlsl", FILE), ("b.hlsl", "cbuffer S { float4 a; float4 b[3]; };")]);
    let differs = folder.run("diff a.hlsl std140 std430").exits(1).prints("Differ std140 and std430");
    let differs = differs.prints("float3 a 12 4/0 0 0").prints("≠ float b[2] 32/8 16 12 -4").prints("stride 16 / 4");
    differs.prints("· float c 4 4/0 48 20 -28").prints("· float2 d 8 56 24 -32").prints("64 / 32 bytes");
    folder.run("diff b.hlsl std140 std430").exits(0).prints("Same std140 and std430");
    folder.run("diff a.hlsl std140 std140").exits(0).prints("Same std140 and std140");
}

#[test]
fn diff_refuses_what_it_cannot_compare() {
    let folder = Folder::with(&[("a.hlsl", FILE), ("a.wgsl", "@group(0) @binding(0) var<uniform> s: vec4f;")]);
    folder
        .run("diff a.hlsl std140 std999")
        .exits(2)
        .warns("error: unknown rule set `std999`; `layoutproof list --rules` lists all");
    folder.run("diff a.hlsl std140 wgsl-uniform").exits(2).warns("error: wgsl-uniform forbids `S.b`");
    folder.run("diff a.wgsl std140 scalar").exits(2).warns("error: a.wgsl declares its own offsets");
    folder.run("diff a.hlsl std140").exits(2).warns("error: one input needs two targets, two inputs one each");
}

#[test]
fn list_lists_cases_by_parts_and_patterns_of_their_ids() {
    let folder = Folder::with(&[]);
    let count = |words: &str| folder.run(words).exits(0).out.lines().count();
    let all = count("list");
    let arrays = count("list arrays/");
    assert!(0 < arrays && arrays < all);
    assert_eq!(count("list arrays/* matrices/*"), arrays + count("list matrices/"));
    let one = folder.run("list scalar_packs_behind_the_last").exits(0);
    one.prints("arrays/scalar_packs_behind_the_last_element a scalar takes the space that an array leaves");
    let none = folder.run("list no_such_case").exits(4).warns("error: no case is called `no_such_case`");
    assert_eq!(none.out, "");
    let json = folder.run("list arrays:: --format json").exits(0).json();
    assert_eq!(json["cases"].as_array().unwrap().len(), arrays);
    let rules = folder.run("list --rules --format json").exits(0).json();
    assert_eq!(rules["rules"][0]["name"], "hlsl-cbuffer");
    assert_eq!(rules["native"][0]["name"], "native:dxc-dxil");
}

#[test]
fn list_takes_cases_of_ones_own() {
    let case = include_str!("../../../../cases/arrays/scalar_packs_behind_the_last_element.toml");
    let folder = Folder::with(&[]);
    std::fs::create_dir_all(folder.path("mine/deep")).unwrap();
    folder.write("mine/deep/packs.toml", case.as_bytes());
    folder.run("list deep/packs --cases mine").exits(0).prints("deep/packs a scalar takes the space");
    folder.run("list packs --cases mine/deep/packs.toml").exits(0).prints("packs a scalar takes the space");
    folder.run("list --cases absent.toml").exits(2).warns("error: reading absent.toml:");
}

/// The example of std140 was derived by hand from OpenGL 4.6, 7.6.2.2.
#[test]
fn list_describes_the_rule_sets() {
    let list = Folder::with(&[]).run("list --rules").exits(0);
    for name in ["hlsl-cbuffer", "slang-cbuffer", "std140", "std430", "scalar", "scalar@dxc", "wgsl-uniform", "cuda"] {
        assert!(list.out.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name} in {list}");
    }
    assert!(list.out.contains("OpenGL 4.6, 7.6.2.2"), "{list}");
    assert!(list.out.contains("struct T { float3 a; float b[2]; float c; }; at [0, 16, 48], 64 bytes"), "{list}");
}

/// Text and JSON list the same devices; exit code 3 without a device.
#[test]
fn devices_in_text_and_json() {
    let folder = Folder::with(&[]).with_drivers();
    let json = folder.run("doctor devices --format json");
    let value = json.json();
    assert_eq!(keys(&value), ["devices", "failed_listings", "notes", "schema"]);
    let devices = value["devices"].as_array().unwrap().clone();
    let json = json.exits(if devices.is_empty() { 3 } else { 0 });
    for device in &devices {
        let wanted = "api direct3d driver features hardware id index lacks max_push_constants max_uniform_range name runner webgpu";
        assert_eq!(keys(device).join(" "), wanted, "{json}");
        let runner = device["runner"].as_str().unwrap();
        assert!(RunnerKind::driven().any(|api| api.as_str() == runner), "{json}");
        assert_eq!(device["direct3d"].is_object(), runner == "d3d12", "{json}");
        assert_eq!(device["webgpu"].is_object(), runner == "webgpu", "{json}");
    }
}

/// A variable takes precedence over `PATH`, a program that does not answer is broken, and
/// naga is always there.
#[cfg(unix)]
#[test]
fn compilers_are_found_by_variable() {
    let folder = Folder::with(&[]).with_variable("TINT", "/bin/echo").with_variable("CLANG_DXC", "/bin/false");
    let text = folder.run("doctor compilers").exits(0);
    let line = |start: &str| text.out.lines().any(|line| line.trim_start().starts_with(start));
    assert!(line("Found tint") && line("Broken clang-dxc") && line("Found naga"), "{text}");
    let json = folder.run("doctor compilers --format json").exits(0).json();
    let listed = json["compilers"].as_array().unwrap();
    let find = |name: &str| listed.iter().find(|compiler| compiler["name"] == name);
    assert_eq!(find("tint").unwrap()["program"], "/bin/echo");
    assert_eq!(find("clang-dxc"), None);
    let naga = find("naga").unwrap()["version"].as_str().unwrap();
    let lock = include_str!("../../../../Cargo.lock");
    assert!(lock.contains(&format!("name = \"naga\"\nversion = \"{naga}\"")), "{naga}");
}

/// Records name the versions of built-in libraries; only `Cargo.lock` determines these.
#[test]
fn the_libraries_of_records_are_those_of_the_lock_file() {
    let lock = include_str!("../../../../Cargo.lock");
    for (library, version) in [("naga", NAGA_VERSION), ("rspirv", RSPIRV_VERSION)] {
        assert!(lock.contains(&format!("name = \"{library}\"\nversion = \"{version}\"\n")), "{library} {version}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = Folder::with(&[]);
    folder.run("--help").exits(0).prints("run Prove layouts on devices: of a shader file, or of all cases");
    folder.run("run --help").exits(0).prints("Usage: layoutproof run");
    folder.run("--version").exits(0).prints(concat!("layoutproof ", env!("CARGO_PKG_VERSION")));
    folder.run("help show").exits(0).prints("Usage: layoutproof show");
}
