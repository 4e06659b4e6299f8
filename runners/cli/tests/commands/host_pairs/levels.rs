//! Members are compared by their names, at whatever level of structs and arrays each side has them.

use super::{folder_of, pairs};

const SHADER: &str = "struct Light { float3 pos; float radius; float3 color; float power; }; \
                      cbuffer Lights { Light lights[2]; }; StructuredBuffer<Light> sl; \
                      cbuffer Nested { struct { Light l; } arr[2]; }; cbuffer Two { Light a; Light b; }; \
                      cbuffer Grid { Light grid[2][2]; };";

/// `LIGHT` in structs and arrays around it.
const AROUND: &str = "struct Scene1 { Light_ lights[1]; } a; struct Scene2 { Light_ lights[2]; } b; struct Wrap { Light_ l; } c; \
                      struct Deep { Wrap w; } d; struct Scene4 { Light_ grid[4]; } e; Light_ f;";

/// What a user states for each block; the host's structs are one level deeper, as deep, or less deep.
const STATED: [&str; 14] = [
    "sl=Light_",
    "sl=Light_[1]",
    "sl=Scene1",
    "sl=Wrap",
    "sl=Deep",
    "Lights=Scene1[2]",
    "Lights=Wrap[2]",
    "Lights=Deep[2]",
    "Lights=Scene2",
    "Nested=Light_[2]",
    "Nested=Scene1[2]",
    "Nested=Deep[2]",
    "Two=Scene2",
    "Grid=Scene4",
];

/// `offsetof` of GCC gives `color` 0, `power` 12, `pos` 16, `radius` 28 in the first struct; DXC has `pos` at 0, `radius` at
/// 12, `color` at 16 and `power` at 28 of each element.
#[test]
fn exchanged_members_differ_at_every_level() {
    let light = "struct Light_ { float color[3]; float power; float pos[3]; float radius; };";
    let Some(folder) = folder_of(("a.hlsl", SHADER), &format!("{light} {AROUND}")) else { return };
    for stated in STATED {
        let (block, _) = stated.split_once('=').unwrap();
        let answer = folder.run(&format!("check a.hlsl host.o --target d3d12 --map {stated} --format json")).exits(1);
        let json = answer.json();
        let pair = json["pairs"].as_array().unwrap().iter().find(|pair| pair["block"] == block).unwrap();
        assert_eq!(pair["outcome"], "differ", "{stated} {answer}");
        let first = &pair["mismatches"][0];
        assert!(first["path"].as_str().unwrap().ends_with("pos"), "{stated}: {first}");
    }
}

/// The same structs with the members at DXC's places agree, and by their names.
#[test]
fn members_at_their_places_agree_by_name_at_every_level() {
    let light = "struct Light_ { float pos[3]; float radius; float color[3]; float power; };";
    let Some(folder) = folder_of(("a.hlsl", SHADER), &format!("{light} {AROUND}")) else { return };
    for stated in STATED {
        let (block, _) = stated.split_once('=').unwrap();
        let answer = folder.run(&format!("check a.hlsl host.o --target d3d12 --map {stated} --format json"));
        let json = answer.json();
        let pair = json["pairs"].as_array().unwrap().iter().find(|pair| pair["block"] == block).unwrap();
        assert_eq!((&pair["outcome"], &pair["members_by_bytes"]), (&"agree".into(), &0.into()), "{stated} {answer}");
    }
}

/// Members without a namesake at any level are compared by their bytes, and the check says so.
#[test]
fn other_names_are_compared_by_bytes() {
    let host = "struct Light_ { float p[3]; float r; float c[3]; float w; }; struct Wrap { Light_ l; } c;";
    let Some(folder) = folder_of(("a.hlsl", SHADER), host) else { return };
    let answer = folder.run("check a.hlsl host.o --target d3d12 --map sl=Wrap").exits(0);
    answer.prints("note 4 of 4 members by offsets only: the host lacks their names");
}

/// The elements of an array are compared with the struct that is stated for them, and with no other.
#[test]
fn the_stated_struct_of_elements_is_compared() {
    let host = "struct Light { float pos[3], radius, color[3], power; } a; struct LightX { float color[3], power, pos[3], radius; } b; \
                struct LightY { float pos[3], power, color[3], radius; } c; struct LightS { float pos[3], radius, color[3]; } d;";
    let Some(folder) = folder_of(("a.hlsl", SHADER), host) else { return };
    for (stated, path) in [("Light", ""), ("LightX", "pos"), ("LightY", "radius"), ("LightS", "power")] {
        for name in ["Lights.lights[]", "Lights.lights"] {
            let answer = folder.run(&format!("check a.hlsl host.o --target d3d12 --map {name}={stated} --format json"));
            let of_block = pairs(&answer).into_iter().find(|pair| pair.starts_with("Lights "));
            let outcome = if path.is_empty() { "agree" } else { "differ" };
            assert_eq!(of_block, Some(format!("Lights {stated} {outcome}")), "{name}");
            let found = &answer.json()["pairs"][0]["mismatches"][0]["path"];
            assert_eq!(found.as_str().unwrap_or_default(), path, "{name}={stated}");
        }
    }
    let absent = folder.run("check a.hlsl host.o --target d3d12 --map Lights.lights[]=Absent").exits(2);
    assert!(absent.err.contains("no host file defines `Absent`"), "{absent}");
}
