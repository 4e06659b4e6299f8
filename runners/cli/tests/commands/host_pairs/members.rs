//! Structs are found by their members, if no struct has the name of a block.

use std::fmt::Write as _;

use serde_json::Value;

use super::{compile, folder_of, one_line, pairs};

const MEMBERS: &str = "cbuffer Camera { float4x4 view; float3 eye; float time; }; \
                       cbuffer Shade { float4x4 light; float bias; float size; float fade; }; \
                       cbuffer Greek { float alpha; float beta; float gamma; }; cbuffer Other { float4 q; float4 r; };";

const HOSTS: &str = "struct Mat4 { float m[16]; }; namespace eng { struct Stuff { Mat4 view; float eye[3]; float time; } a; \
                     struct ShadowA { Mat4 light; float bias, size, fade; } b; \
                     struct ShadowB { Mat4 light; float bias, size, other; } c; \
                     struct Moved { float alpha, beta, pad, gamma; } d; struct Object { void* next; float q[4], r[4]; } e; }";

/// A struct that alone has all members is taken, also with a mistake. Two that come near, and one that programs do
/// not upload are not.
#[test]
fn structs_are_found_by_their_members() {
    let Some(folder) = folder_of(("a.hlsl", MEMBERS), HOSTS) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["Camera eng::Stuff agree", "Greek eng::Moved differ"]);
    assert_eq!(answer.json()["pairs"][0]["paired_by"], "members");
    let moved = &answer.json()["pairs"][1]["mismatches"][0]["message"];
    assert_eq!(moved, "offset moved: the shader has `gamma` at byte 8, the host at byte 12");
    let unmatched = answer.json()["unmatched_blocks"].clone();
    let hosts = |block: usize| {
        let proposals = unmatched[block]["proposals"].as_array().unwrap().clone();
        proposals.iter().map(|proposal| proposal["host"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((hosts(0), hosts(1)), (vec!["eng::ShadowA".to_owned(), "eng::ShadowB".to_owned()], Vec::new()));
    assert_eq!(unmatched[0]["proposals"][0]["difference"], Value::Null);
}

/// A struct that its members pair with a block stays its struct when it gets a mistake: an extra member, members
/// exchanged, one of another type, one that is missing.
#[test]
fn a_mistake_does_not_part_what_members_pair() {
    let shader = "#version 450\nlayout(push_constant) uniform parameter { uint ne00; uint ne01; uint nb00; uint nb01; uint a_offset; } p;\n\
                  void main() {}\n";
    let Some(folder) = folder_of(("a.comp", shader), "") else { return };
    for (members, path) in [
        ("unsigned ne00, ne01, nb00, nb01, a_offset;", ""),
        ("unsigned ne00, ne01, nb01, nb00, extra, a_offset;", "nb00"),
        ("unsigned extra, ne00, ne01, nb00, nb01, a_offset;", "ne00"),
        ("unsigned ne00, ne01; float nb00; unsigned nb01, a_offset;", "nb00"),
        ("unsigned ne00, ne01, nb01, a_offset;", "nb00"),
        ("unsigned ne00; unsigned short ne01; unsigned nb00, nb01, a_offset;", "ne01"),
    ] {
        folder.write("host.cpp", format!("struct count_push_constants {{ {members} }} a;").as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.comp host.o --format json").exits(i32::from(!path.is_empty()));
        assert_eq!(answer.json()["pairs"][0]["paired_by"], "members", "{members}");
        let found = &answer.json()["pairs"][0]["mismatches"][0]["path"];
        assert_eq!(found.as_str().unwrap_or_default(), path, "{members}");
    }
    // A struct with many other members, and one that agrees with another block, are others.
    folder.write("host.cpp", b"struct Cpu { unsigned a, ne00, ne01, nb00, b, c, nb01, a_offset; } a;");
    compile(&folder, "host");
    folder.run("check a.comp host.o").exits(4);
    let other = "#version 450\nlayout(push_constant) uniform other { uint ne01; uint ne00; uint nb00; uint nb01; uint a_offset; } p;\n\
                 void main() {}\n";
    folder.write("b.comp", other.as_bytes());
    folder.write("host.cpp", b"struct Push { unsigned ne00, ne01, nb00, nb01, a_offset; } a;");
    compile(&folder, "host");
    let answer = folder.run("check a.comp b.comp host.o --format json").exits(0);
    assert_eq!(pairs(&answer), ["p Push agree"]);
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
    assert_eq!(pairs(&answer), ["lights GpuLight agree", "Fog Fog differ"]);
    // None of its members is at its place.
    assert!(answer.json()["pairs"][0]["alternatives"].is_null());
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
    let answer = folder.run("check a.hlsl host.o --write-map").exits(1);
    let entries = "[[map]]\nblock = \"Shade\"\nshader = \"a.hlsl\"\nhost = \"eng::ShadowA\"\n";
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
        let members = format!("float density{block}, height{block}, more[2]");
        writeln!(host, "struct Weather{block} {{ {members}, sun{block}[4]; }} weather{block};").unwrap();
        writeln!(host, "struct Storm{block} {{ {members}, other[4]; }} storm{block};").unwrap();
    }
    let Some(folder) = folder_of(("a.hlsl", &shader), &host) else { return };
    let answer = folder.run("check a.hlsl host.o").exits(4);
    assert_eq!(answer.out.matches("[[map]]").count(), 6, "{answer}");
    assert!(answer.out.contains("host = \"Weather5\"\n\n# and 3 more\n"), "{answer}");
    assert_eq!(folder.run("check a.hlsl host.o -v").exits(4).out.matches("[[map]]").count(), 9);
    folder.run("check a.hlsl host.o --write-map").exits(4).warns("note: wrote 9 entries to layoutproof.toml");
}

/// The variable `cb` of two shaders has another struct in each. An entry for one of them leaves the other alone, and what
/// would differ or has one member gets none.
#[test]
fn entries_change_no_block_that_has_a_struct() {
    let block = |members: &str| format!("struct Draw {{ {members} }};\nConstantBuffer<Draw> cb;\n");
    let sky = block("float4x4 view; float4x4 proj; float fade;");
    let host = "struct Mat4 { float m[16]; }; struct Draw { Mat4 view, proj; float fade; } a; \
                struct Mesh { Mat4 world, bones; float near_clip; } b; struct Mush { Mat4 world, bones; float other; } c; \
                struct Lone { Mat4 only_matrix; } l; struct Wrong { Mat4 alpha; float gamma, beta, delta; } w; \
                struct Wrung { Mat4 alpha; float gamma, beta, epsilon; } v;";
    let Some(folder) = folder_of(("sky.hlsl", &sky), host) else { return };
    folder.write("draw.hlsl", block("float4x4 world; float4x4 bones; float near_clip;").as_bytes());
    folder.write("lone.hlsl", b"cbuffer Other { float4x4 only_matrix; };");
    folder.write("wrong.hlsl", b"cbuffer Wind { float4x4 alpha; float beta; float gamma; float4 more; };");
    let words = "check sky.hlsl draw.hlsl lone.hlsl wrong.hlsl host.o";
    let before = pairs(&folder.run(&format!("{words} --format json")).exits(0));
    assert_eq!(before, ["cb Draw agree"]);
    folder.run(&format!("{words} --write-map")).exits(0);
    let written = "schema = 1\n\n[[map]]\nblock = \"cb\"\nshader = \"draw.hlsl\"\nhost = \"Mesh\"\n";
    assert_eq!(folder.read("layoutproof.toml"), written);
    let after = pairs(&folder.run(&format!("{words} --format json")).exits(0));
    assert_eq!(after, ["cb Draw agree", "cb Mesh agree"]);
}

/// All structs fit equally well: one struct is named after the shader's file, or the program passes it to a buffer.
#[test]
fn names_of_files_and_what_programs_pass_break_ties() {
    let shader = "layout(push_constant) uniform parameter { uint rows; uint columns; uint stride; float scale; } p;";
    let shader = format!("#version 450\n{shader}\nvoid main() {{}}\n");
    let host = "#define MEMBERS unsigned rows, columns, stride; float scale;\n\
                struct op_pool_1d_push { MEMBERS } a; struct op_pool_2d_push { MEMBERS } b; struct Other { MEMBERS } c;";
    let Some(folder) = folder_of(("pool_2d.comp", &shader), host) else { return };
    folder.write("copy.comp", shader.as_bytes());
    assert_eq!(pairs(&folder.run("check pool_2d.comp host.o --format json").exits(0)), ["p op_pool_2d_push agree"]);
    folder.run("check copy.comp host.o").exits(4);
    let passed = "template <class T> struct PushBuffer { T value; int more; }; PushBuffer<Other> buffer;";
    folder.write("host.cpp", format!("{host} {passed}").as_bytes());
    compile(&folder, "host");
    assert_eq!(pairs(&folder.run("check copy.comp host.o --format json").exits(0)), ["p Other agree"]);
    let text = one_line(&folder.run("check copy.comp host.o").exits(0));
    assert!(text.contains("several structs have all of its members; this one alone is passed to a buffer"), "{text}");
    // Members come first.
    let moved = host.replace("op_pool_2d_push { MEMBERS", "op_pool_2d_push { int more; MEMBERS");
    folder.write(
        "host.cpp",
        moved.replace("op_pool_1d_push { MEMBERS", "op_pool_1d_push { int more; MEMBERS").as_bytes(),
    );
    compile(&folder, "host");
    assert_eq!(pairs(&folder.run("check pool_2d.comp host.o --format json").exits(0)), ["p Other agree"]);
}

/// The members of an API's structs are the API's, so a block with another member is not a struct of it with a mistake.
#[test]
fn structs_of_graphics_apis_have_no_mistakes() {
    let shader = |members: &str| {
        format!("#version 450\nlayout(binding = 0) buffer Commands {{ {members} }};\nvoid main() {{}}\n")
    };
    let members = "groupCountX, groupCountY, groupCountZ;";
    let host = format!("struct VkDrawMeshTasksIndirectCommandEXT {{ unsigned {members} }} a;");
    let Some(folder) = folder_of(("draw.comp", &shader(&format!("uint {members}"))), &host) else { return };
    folder.write("submit.comp", shader(&format!("uint clusterCount; uint {members}")).as_bytes());
    let agreeing = folder.run("check draw.comp host.o --format json").exits(0);
    assert_eq!(pairs(&agreeing), ["Commands VkDrawMeshTasksIndirectCommandEXT agree"]);
    assert!(folder.run("check submit.comp host.o").exits(4).out.contains("maybe `VkDrawMeshTasksIndirectCommandEXT`"));
    // The program's own struct is probably the block's with a mistake.
    folder.write("host.cpp", host.replace("VkDraw", "Draw").as_bytes());
    compile(&folder, "host");
    folder.run("check submit.comp host.o").exits(1);
}

/// The names of functions show which struct a program uploads, wherever and however often it calls them.
#[test]
fn functions_that_programs_instantiate_break_ties() {
    let shader = "#version 450\nlayout(push_constant) uniform parameter { uint rows; uint columns; uint stride; float scale; } p;\n\
                  void main() {}\n";
    let host = "#define MEMBERS unsigned rows, columns, stride; float scale;\n\
                struct Cpu { MEMBERS } a; struct Sent { MEMBERS } b; void sink(const void*, unsigned long);\n\
                namespace gfx { template <class T> void upload(const T& t) { sink(&t, sizeof t); }\n\
                template <class T> void load(T& t) { sink(&t, sizeof t); }\n\
                template <class T> struct Stack { T all[2]; void push(const T& t) { all[0] = t; } };\n\
                struct List { template <class T> void setConstants(int, const T& t) { sink(&t, sizeof t); } }; }\n";
    let Some(folder) = folder_of(("copy.comp", shader), host) else { return };
    for (code, expected) in [
        ("gfx::upload(b);", Some("p Sent agree")),
        ("gfx::List().setConstants(0, a); gfx::load(b);", Some("p Cpu agree")),
        ("gfx::load(b);", None),
        ("gfx::Stack<Sent>().push(b);", None),
        ("gfx::upload(a); gfx::upload(b);", None),
    ] {
        folder.write("host.cpp", format!("{host} void draw() {{ {code} }}").as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check copy.comp host.o --format json").exits(if expected.is_some() { 0 } else { 4 });
        assert_eq!(pairs(&answer), expected.as_slice(), "{code}");
    }
}

/// A struct that adds nothing to its base is no rival of it.
#[test]
fn empty_derived_structs_are_their_bases() {
    let shader = "#version 450\nlayout(push_constant) uniform parameter { uint rows; uint columns; float scale; } p;\nvoid main() {}\n";
    let host = "struct Binary { unsigned rows, columns; float scale; } a; struct Concat : Binary {} b; \
                struct NoCopy {}; struct Again : NoCopy, Concat {} c; class Methods : public Binary { int f(); } d;";
    let Some(folder) = folder_of(("a.comp", shader), host) else { return };
    assert_eq!(pairs(&folder.run("check a.comp host.o --format json").exits(0)), ["p Binary agree"]);
    // One that adds a member is another struct.
    folder.write("host.cpp", host.replace("Concat : Binary {}", "Concat : Binary { int more; }").as_bytes());
    compile(&folder, "host");
    folder.run("check a.comp host.o --format json").exits(4);
    // A stated one is compared.
    let answer = folder.run("check a.comp host.o --map p=Methods --format json").exits(0);
    assert_eq!(pairs(&answer), ["p Methods agree"]);
}

/// Names that say nothing do not keep the struct with all members from the block.
#[test]
fn a_struct_with_all_members_wins_over_several_of_a_generic_name() {
    let shader = "cbuffer PSConstants { float4 sunColor; float4 cascades; float bias; float scale; };";
    let host = "namespace sky { struct PSConstants { float top[4]; float zenith; } a; } \
                namespace post { struct PSConstants { float inputSize[2], outputSize[2]; } b; } \
                struct MeshPSConstants { float sunColor[4], cascades[4], bias, scale; } c;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(0);
    assert_eq!(pairs(&answer), ["PSConstants MeshPSConstants agree"]);
    // With one of them as near, neither is taken.
    folder.write(
        "host.cpp",
        host.replace("float top[4]; float zenith;", "float sunColor[4], cascades[4], bias;").as_bytes(),
    );
    compile(&folder, "host");
    folder.run("check a.hlsl host.o").exits(1);
}
