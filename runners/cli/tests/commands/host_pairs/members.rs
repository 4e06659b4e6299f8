//! Structs are found by their members, if no struct has the name of a block.

use std::fmt::Write as _;

use serde_json::Value;

use super::{compile, folder_of, pairs};

const MEMBERS: &str = "cbuffer Camera { float4x4 view; float3 eye; float time; }; \
                       cbuffer Shade { float4x4 light; float bias; float size; float fade; }; \
                       cbuffer Greek { float alpha; float beta; float gamma; }; cbuffer Other { float4 q; float4 r; };";

const HOSTS: &str = "struct Mat4 { float m[16]; }; namespace eng { struct Stuff { Mat4 view; float eye[3]; float time; } a; \
                     struct ShadowA { Mat4 light; float bias, size, fade; } b; \
                     struct ShadowB { Mat4 light; float bias, size, other; } c; \
                     struct Moved { float alpha, beta, pad, gamma; } d; struct Object { void* next; float q[4], r[4]; } e; }";

/// A struct that alone has all members is taken. Two that come near, one with a mistake, and one that
/// programs do not upload are not.
#[test]
fn structs_are_found_by_their_members() {
    let Some(folder) = folder_of(("a.hlsl", MEMBERS), HOSTS) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(0);
    assert_eq!(pairs(&answer), ["Camera eng::Stuff agree"]);
    assert_eq!(answer.json()["pairs"][0]["paired_by"], "members");
    let unmatched = answer.json()["unmatched_blocks"].clone();
    let hosts = |block: usize| {
        let proposals = unmatched[block]["proposals"].as_array().unwrap().clone();
        proposals.iter().map(|proposal| proposal["host"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (hosts(0), hosts(1)),
        (vec!["eng::ShadowA".to_owned(), "eng::ShadowB".to_owned()], vec!["eng::Moved".to_owned()])
    );
    assert_eq!(hosts(2), [""; 0]);
    let moved = unmatched[1]["proposals"][0]["difference"].as_str().unwrap();
    assert_eq!(moved, "offset moved: the shader has `gamma` at byte 8, the host at byte 12");
    assert_eq!(unmatched[0]["proposals"][0]["difference"], Value::Null);
}

#[test]
fn a_block_of_one_member_is_proposed_if_few_structs_have_it() {
    let shader = "cbuffer offscreen { float4x4 depthMVP; }; cbuffer other { float4x4 model; };";
    let host = "struct Mat4 { float m[16]; }; struct Shadow { Mat4 depthMVP; } s; struct A { Mat4 model; } a; \
                struct B { Mat4 model; float x; } b; struct C { Mat4 model; float y; } c;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let unmatched = folder.run("check a.hlsl host.o --format json").exits(4).json()["unmatched_blocks"].clone();
    assert_eq!(unmatched[0]["proposals"][0]["host"], "Shadow");
    assert_eq!(unmatched[1]["proposals"].as_array().unwrap().len(), 0);
}

/// The engine's own light has the name of the shader's struct, and another one is uploaded.
#[test]
fn a_namesake_with_few_of_the_members_is_no_match_next_to_a_struct_with_all() {
    let shader = "struct PointLight { float4 position; float3 color; float radius; }; \
                  StructuredBuffer<PointLight> lights; cbuffer Fog { float start, end, density, height; };";
    let host = "struct PointLight { float color[3]; int id; bool enabled; } p; \
                struct GpuLight { float position[4]; float color[3]; float radius; } g; \
                struct Fog { float start; float end[2]; float density, height; } f; \
                struct Mist { float start, end, density, height; } m;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(1);
    // `Fog` has all members, so that it is the struct of its name with a fault.
    assert_eq!(pairs(&answer), ["Fog Fog differ"]);
    let unmatched = answer.json()["unmatched_blocks"][0].clone();
    assert_eq!((&unmatched["block"], &unmatched["proposals"][0]["host"]), (&"lights".into(), &"GpuLight".into()));
    // Without another, the name decides.
    folder.write("host.cpp", b"struct PointLight { float color[3]; int id; bool enabled; } p;");
    assert!(compile(&folder, "host"));
    assert_eq!(pairs(&folder.run("check a.hlsl host.o --format json").exits(1)), ["lights PointLight differ"]);
}

/// The elements of a buffer's array are found by their members too.
#[test]
fn elements_after_a_header_are_found_by_their_members() {
    let shader = "#version 450\nstruct Particle { vec3 position; float age; vec3 speed; float size; };\n\
                  layout(std430, binding = 0) buffer Particles { uint count; Particle items[]; };\nvoid main() {}\n";
    let host = "struct Spark { float position[3], age, speed[3], size; } s;";
    let Some(folder) = folder_of(("a.comp", shader), host) else { return };
    let answer = folder.run("check a.comp host.o --format json").exits(0).json();
    let (pair, unmatched) = (&answer["pairs"][0], &answer["unmatched_blocks"][0]);
    assert_eq!((&pair["part"], &pair["host"], &pair["outcome"]), (&"items[]".into(), &"Spark".into(), &"agree".into()));
    assert_eq!(unmatched["block"], "Particles");
    // Two that fit are proposed.
    folder
        .write("host.cpp", format!("{host} struct Ember {{ float position[3], age, speed[3], size; }} e;").as_bytes());
    assert!(compile(&folder, "host"));
    let answer = folder.run("check a.comp host.o --format json").exits(4).json();
    let elements = &answer["unmatched_blocks"][1];
    assert_eq!((&elements["block"], &elements["proposals"][1]["host"]), (&"Particles.items[]".into(), &"Spark".into()));
    folder.run("check a.comp host.o --map Particles.items=Ember").exits(0);
}

/// One name is little evidence: the struct of the shader's own program is taken only if its bytes agree.
#[test]
fn a_block_of_one_member_needs_its_bytes() {
    let Some(folder) = folder_of(("a.txt", ""), "struct Other { unsigned values[1]; } o;") else { return };
    std::fs::create_dir_all(folder.path("demo")).unwrap();
    folder.write("demo/a.hlsl", b"struct Blob { uint4 values[3]; };\nStructuredBuffer<Blob> items;\n");
    for (count, code, found) in [(12, 0, &["items Payload agree"][..]), (20, 4, &[])] {
        folder.write("demo/host.cpp", format!("struct Payload {{ unsigned values[{count}]; }} p;").as_bytes());
        compile(&folder, "demo/host");
        let answer = folder.run("check demo/a.hlsl demo/host.o host.o --format json").exits(code);
        assert_eq!(pairs(&answer), found, "{count}");
    }
}

#[test]
fn proposals_are_written_to_the_project() {
    let Some(folder) = folder_of(("a.hlsl", MEMBERS), HOSTS) else { return };
    let answer = folder.run("check a.hlsl host.o --write-map").exits(0);
    let entries =
        "[[map]]\nblock = \"Greek\"\nhost = \"eng::Moved\"\n\n[[map]]\nblock = \"Shade\"\nhost = \"eng::ShadowA\"\n";
    assert!(answer.out.contains(entries), "{answer}");
    assert_eq!(folder.read("layoutproof.toml"), format!("schema = 1\n\n{entries}"));
    let answer = folder.run("check a.hlsl host.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["Camera eng::Stuff agree", "Shade eng::ShadowA agree", "Greek eng::Moved differ"]);
}

/// A repository with many unmatched blocks gets the first entries, and the command that appends them all.
#[test]
fn the_first_of_many_entries_are_printed() {
    let (mut shader, mut host) = (String::new(), String::new());
    for block in 0..9 {
        writeln!(shader, "cbuffer Cloud{block} {{ float density{block}; float height{block}; float4 sun{block}; }};")
            .unwrap();
        writeln!(host, "struct Weather{block} {{ float density{block}, height{block}; }} weather{block};").unwrap();
    }
    let Some(folder) = folder_of(("a.hlsl", &shader), &host) else { return };
    let answer = folder.run("check a.hlsl host.o").exits(4);
    assert_eq!(answer.out.matches("[[map]]").count(), 6, "{answer}");
    assert!(answer.out.contains("host = \"Weather5\"\n\n# and 3 more\n"), "{answer}");
    assert_eq!(folder.run("check a.hlsl host.o -v").exits(4).out.matches("[[map]]").count(), 9);
    folder.run("check a.hlsl host.o --write-map").exits(4).warns("note: wrote 9 entries to layoutproof.toml");
}
