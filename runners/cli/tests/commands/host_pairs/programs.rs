//! Several programs, and programs whose debug information says little.

use std::process::Command;

use super::super::folder::Folder;
use super::{compile, folder_of, pairs};

/// Programs of one repository use the same names for different structs. The folder of the shader says whose
/// it is.
#[test]
fn the_struct_of_the_shaders_own_program_is_taken() {
    let ubo =
        |members: &str| format!("#version 450\nlayout(binding = 0) uniform UBO {{ {members} }};\nvoid main() {{}}\n");
    let host = |name: &str, members: &str| {
        format!("struct Mat4 {{ float m[16]; }}; class Example {{ public: struct {name} {{ {members} }} u; }} e;")
    };
    let folder = Folder::with(&[]);
    for (file, text) in [
        ("shaders/bloom/a.vert", &ubo("mat4 projection; float scale; float strength; float time;")),
        ("shaders/shadow/a.vert", &ubo("mat4 projection; mat4 model; vec4 light;")),
        ("shaders/other/a.vert", &ubo("mat4 projection; mat4 model; vec4 light; float far;")),
        ("samples/bloom/main.cpp", &host("UBO", "Mat4 projection; float scale, strength, time;")),
        ("samples/shadow/main.cpp", &host("Data", "Mat4 projection, modelView; float light[4];")),
        ("samples/text/main.cpp", &host("Data", "Mat4 projection; float size[2];")),
    ] {
        std::fs::create_dir_all(folder.path(file).parent().unwrap()).unwrap();
        folder.write(file, text.as_bytes());
    }
    if !["bloom", "shadow", "text"].iter().all(|sample| compile(&folder, &format!("samples/{sample}/main"))) {
        return;
    }
    let hosts = "samples/text/main.o samples/bloom/main.o samples/shadow/main.o --format json";
    let answer = folder.run(&format!("check shaders/bloom/a.vert shaders/shadow/a.vert {hosts}")).exits(0);
    assert_eq!(pairs(&answer), ["UBO Example::UBO agree", "UBO Example::Data agree"]);
    assert_eq!(answer.json()["pairs"][1]["host_file"], "samples/shadow/main.o");
    // Without a folder in common, the generic name is all there is.
    let answer = folder.run(&format!("check shaders/other/a.vert {hosts}"));
    assert_ne!(answer.json()["pairs"][0]["host"], "Example::Data");
}

/// Only the program of one sample was built, and its `UBO` is not that of the other.
#[test]
fn a_struct_that_agrees_with_a_nearer_shader_is_no_mistake_elsewhere() {
    let host = "struct Mat4 { float m[16]; }; class Example { public: struct UBO { Mat4 projection, model; } u; } e;";
    let Some(folder) = folder_of(("a.txt", ""), host) else { return };
    let write = |sample: &str, members: &str| {
        std::fs::create_dir_all(folder.path(&format!("shaders/{sample}"))).unwrap();
        folder.write(&format!("shaders/{sample}/scene.hlsl"), format!("cbuffer UBO {{ {members} }};").as_bytes());
    };
    write("bloom", "float4x4 projection; float4x4 model;");
    write("offscreen", "float4x4 projection; float4 light; float4x4 model;");
    std::fs::create_dir_all(folder.path("bloom")).unwrap();
    std::fs::copy(folder.path("host.o"), folder.path("bloom/host.o")).unwrap();

    let (own, other) = ("shaders/bloom/scene.hlsl", "shaders/offscreen/scene.hlsl");
    let answer = folder.run(&format!("check {own} {other} bloom/host.o --format json")).exits(0);
    assert_eq!(pairs(&answer), ["UBO Example::UBO agree"]);
    let unmatched = answer.json()["unmatched_blocks"][0].clone();
    assert!(
        unmatched["reason"].as_str().unwrap().starts_with("`Example::UBO` has its name, but differs"),
        "{unmatched}"
    );
    assert_eq!(
        unmatched["proposals"][0]["difference"],
        "missing in host: the shader reads `light` at byte 64, where the host has `model`"
    );
    // Without the nearer shader, the name may be right.
    assert_eq!(
        pairs(&folder.run(&format!("check {other} bloom/host.o --format json")).exits(1)),
        ["UBO Example::UBO differ"]
    );
    let stated = folder.run(&format!("check {own} {other} bloom/host.o --map UBO=Example::UBO --format json")).exits(1);
    assert_eq!(pairs(&stated), ["UBO Example::UBO agree", "UBO Example::UBO differ"]);
}

/// `shaders` and `samples` have the same folders, and of the sample of one shader nothing was built. That struct has no
/// block of its own.
#[test]
fn a_struct_of_another_sample_is_only_proposed() {
    let folder = Folder::with(&[]);
    let block = |members: &str| format!("struct Instance {{ {members} }};\nStructuredBuffer<Instance> instances;\n");
    for (file, text) in [
        ("shaders/draw/a.hlsl", "cbuffer Frame { float4 eye; };\n"),
        ("shaders/cull/a.hlsl", &block("float3 position; float scale;")),
        ("samples/draw/main.cpp", "struct Instance { float position[3], rotation[3], scale; int texture; } i;"),
    ] {
        std::fs::create_dir_all(folder.path(file).parent().unwrap()).unwrap();
        folder.write(file, text.as_bytes());
    }
    if !compile(&folder, "samples/draw/main") {
        return;
    }
    let (both, host) = ("shaders/cull/a.hlsl shaders/draw/a.hlsl", "samples/draw/main.o --format json");
    let answer = folder.run(&format!("check {both} {host}")).exits(4).json();
    let blocks = answer["unmatched_blocks"].as_array().unwrap();
    let proposed = blocks.iter().find(|block| block["block"] == "instances").unwrap();
    assert_eq!(proposed["proposals"][0]["host"], "Instance", "{proposed}");
    let reason = "`Instance` has its name, but differs, and its folder has shaders of its own";
    assert!(proposed["reason"].as_str().unwrap().starts_with(reason), "{proposed}");
    // A name that the user states, or a lone shader, is compared.
    let differing = ["instances Instance differ"];
    assert_eq!(pairs(&folder.run(&format!("check {both} {host} --map instances=Instance")).exits(1)), differing);
    assert_eq!(pairs(&folder.run(&format!("check shaders/cull/a.hlsl {host}")).exits(1)), differing);

    // Shaders beside their programs, and shaders of one kind per folder, are not of samples.
    for (own, other) in [("samples/draw/a.hlsl", "samples/cull/a.hlsl"), ("shaders/hlsl/a.hlsl", "shaders/more/a.hlsl")]
    {
        for (file, text) in
            [(own, "cbuffer Frame { float4 eye; };\n"), (other, &block("float3 position; float scale;"))]
        {
            std::fs::create_dir_all(folder.path(file).parent().unwrap()).unwrap();
            folder.write(file, text.as_bytes());
        }
        assert_eq!(pairs(&folder.run(&format!("check {other} {own} {host}")).exits(1)), differing);
    }
}

/// Nothing of the shader's own sample was built, so there is nothing to choose.
#[test]
fn several_structs_of_other_samples_are_no_error() {
    let folder = Folder::with(&[]);
    let host = |sample: &str| format!("struct {sample} {{ struct Push {{ float scale[2], offset; }} push; }} s;");
    for (file, text) in [
        ("shaders/draw/a.hlsl", "cbuffer Frame { float4 eye; };\n".to_owned()),
        ("shaders/text/a.hlsl", "cbuffer Frame { float4 eye; };\n".to_owned()),
        ("shaders/cull/a.hlsl", "cbuffer Push { float2 scale; float far; };\n".to_owned()),
        ("samples/draw/main.cpp", host("Draw")),
        ("samples/text/main.cpp", host("Text")),
    ] {
        std::fs::create_dir_all(folder.path(file).parent().unwrap()).unwrap();
        folder.write(file, text.as_bytes());
    }
    if !["draw", "text"].iter().all(|sample| compile(&folder, &format!("samples/{sample}/main"))) {
        return;
    }
    let hosts = "samples/draw/main.o samples/text/main.o --format json";
    let reason = |shaders: &str, code: i32| {
        let answer = folder.run(&format!("check {shaders} {hosts}")).exits(code).json();
        let blocks = answer["unmatched_blocks"].as_array().unwrap();
        blocks.iter().find(|block| block["block"] == "Push").unwrap()["reason"].as_str().unwrap().to_owned()
    };
    let all = "shaders/cull/a.hlsl shaders/draw/a.hlsl shaders/text/a.hlsl";
    let calm = "`Draw::Push`, `Text::Push` have its name, but their folders have shaders of their own";
    assert!(reason(all, 4).starts_with(calm), "{}", reason(all, 4));
    // Without shaders of the other samples, the user must choose.
    assert!(reason("shaders/cull/a.hlsl", 1).starts_with("several host structs have its name"));
}

/// One or two members are enough in the shader's own program. In another one, the name needs all of them.
#[test]
fn structs_of_other_programs_need_all_members() {
    let block = |name: &str, kind: &str, members: &str| {
        format!("#version 450\nlayout({kind}) uniform {name} {{ {members} }} block;\nvoid main() {{}}\n")
    };
    let folder = Folder::with(&[]);
    let matrices = block("UBOMatrices", "binding = 0", "mat4 projection; mat4 view; mat4 model;");
    for (file, text) in [
        ("shaders/bloom/a.vert", matrices.as_str()),
        ("shaders/bloom/b.vert", &block("Push", "push_constant", "mat4 mvp; float scale;")),
        ("shaders/bloom/c.vert", &block("Blur", "push_constant", "float strength;")),
        ("shaders/text/a.vert", &matrices),
        (
            "samples/bloom/main.cpp",
            "struct Mat4 { float m[16]; }; struct Cube { Mat4 projection, view, model; } c; \
            struct Constants { Mat4 mvp; float scale; } d; struct Filter { float strength; } f;",
        ),
        (
            "samples/shadow/main.cpp",
            "struct Mat4 { float m[16]; }; struct UBOMatrices { Mat4 projection, model, view; } u; \
            struct Other { Mat4 mvp; float scale; } o; struct Others { Mat4 mvp; float scale, bias; } p; struct Wide { float strength; } w;",
        ),
        ("samples/text/main.cpp", "struct Glyph { float size[2]; } g; struct Camera { float projection[16], fov; } c;"),
    ] {
        std::fs::create_dir_all(folder.path(file).parent().unwrap()).unwrap();
        folder.write(file, text.as_bytes());
    }
    if !["bloom", "shadow", "text"].iter().all(|sample| compile(&folder, &format!("samples/{sample}/main"))) {
        return;
    }
    let hosts = "samples/text/main.o samples/bloom/main.o samples/shadow/main.o --format json";
    let shaders = "shaders/bloom/a.vert shaders/bloom/b.vert shaders/bloom/c.vert";
    let answer = folder.run(&format!("check {shaders} {hosts}")).exits(0);
    assert_eq!(pairs(&answer), ["block Cube agree", "block Constants agree", "block Filter agree"]);

    let answer = folder.run(&format!("check shaders/text/a.vert {hosts}")).exits(4).json();
    let unmatched = &answer["unmatched_blocks"][0];
    assert!(unmatched["reason"].as_str().unwrap().starts_with("`UBOMatrices` has its name, but"), "{unmatched}");
    assert!(unmatched["proposals"].as_array().unwrap().len() <= 2, "{unmatched}");
}

/// Each program of this kind is one sentence, and does not stop the others.
#[test]
fn programs_that_say_little_are_said() {
    let shader = "cbuffer Frame { float a, b; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct Frame { float a, b; } frame; int main() {}") else {
        return;
    };
    let run = |words: &str| {
        let mut words = words.split(' ');
        let mut command = Command::new(words.next().unwrap());
        assert!(command.args(words).current_dir(folder.path(".")).status().unwrap().success());
    };
    run("g++ -gdwarf-5 -gsplit-dwarf -c host.cpp -o split.o");
    folder.write("other.cpp", b"struct Frame { float c; } frame; int main() {}");
    run("g++ -gdwarf-5 -gsplit-dwarf -c host.cpp -o stale.o");
    run("g++ -gdwarf-5 -gsplit-dwarf -c other.cpp -o other.o");
    std::fs::copy(folder.path("other.dwo"), folder.path("stale.dwo")).unwrap();
    std::fs::remove_file(folder.path("split.dwo")).unwrap();
    run("g++ -g -s host.cpp -o stripped");
    for (name, sentence) in [
        ("split.o", "warning: split.o: its debug information is in `split.dwo`, which was not found"),
        ("stale.o", "warning: stale.dwo: `stale.dwo` belongs to another build"),
        ("stripped", "warning: stripped: no debug information; compile with `-g`"),
    ] {
        let answer = folder.run(&format!("check a.hlsl {name}")).exits(4);
        assert_eq!(answer.err.matches(sentence).count(), 1, "{answer}");
        assert_eq!(answer.err.matches("warning: ").count(), 1, "{answer}");
        assert!(answer.out.contains("Summary nothing was compared, 1 block without a host struct"), "{answer}");
        let answer = folder.run(&format!("check a.hlsl {name} host.o --format json")).exits(0);
        assert_eq!(pairs(&answer), ["Frame Frame agree"]);
    }

    // Damaged debug information leaves no type: that is an error, and other files are compared.
    let whole = std::fs::read(folder.path("host.o")).unwrap();
    folder.write("cut.o", &whole[..700]);
    folder.write("zeros", &[0; 64]);
    folder.write("ones", &[0xff; 64]);
    run("objcopy --update-section .debug_abbrev=zeros host.o abbreviations.o");
    run("objcopy --update-section .debug_info=ones host.o entries.o");
    for name in ["cut.o", "abbreviations.o", "entries.o"] {
        let answer = folder.run(&format!("check a.hlsl {name}")).exits(2);
        assert_eq!(answer.err.matches(&format!("error: {name}: ")).count(), 1, "{answer}");
        assert!(!answer.err.contains("warning: "), "{answer}");
        let answer = folder.run(&format!("check a.hlsl {name} host.o --format json")).exits(2);
        assert_eq!(pairs(&answer), ["Frame Frame agree"]);
    }

    // Debug information that contradicts itself: members that share bytes, and a struct that contains itself.
    let float = "float: .byte 6, 4, 4";
    let member =
        |name: &str, ty: &str, at: u32| format!(".byte 3\n.asciz \"{name}\"\n.long {ty} - start\n.byte {at}\n");
    let overlap = format!("{}{}.byte 0\n{float}", member("a", "float", 0), member("b", "float", 2));
    let cycle = format!("{}.byte 0\nagain: .byte 4\n.asciz \"Again\"\n.long frame - start", member("a", "again", 0));
    for (name, body, sentence) in [
        ("overlap", overlap, "type `Frame` at 0xc: its member `a` and its member `b` share bytes"),
        ("cycle", cycle, "type `Frame` at 0xc contains more than 200 levels of types, or itself"),
    ] {
        folder.write(&format!("{name}.s"), dwarf_unit(&body).as_bytes());
        run(&format!("gcc -c {name}.s -o {name}.o"));
        let answer = folder.run(&format!("check a.hlsl {name}.o --format json")).exits(4);
        assert!(answer.err.contains(&format!("warning: {name}.o: {sentence}")), "{answer}");
        let reason = answer.json()["unmatched_blocks"][0]["reason"].clone();
        assert_eq!(reason, "the debug information of `Frame` contradicts itself, so nothing is compared with it");
    }

    // Files of 2 GiB that take no room on the disk: an object with zeros after it, and zeros alone.
    std::fs::copy(folder.path("host.o"), folder.path("large.o")).unwrap();
    for name in ["large.o", "zeros.o"] {
        let file =
            std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(folder.path(name)).unwrap();
        file.set_len(2 << 30).unwrap();
    }
    assert_eq!(pairs(&folder.run("check a.hlsl large.o --format json").exits(0)), ["Frame Frame agree"]);
    let answer = folder.run("check a.hlsl zeros.o").exits(2);
    assert_eq!(answer.err, "error: zeros.o: not an object file, library, executable, PDB or layout file\n");
}

/// A DWARF 4 unit with the struct `Frame` of 8 bytes, as assembler text: its members and what follows it are
/// `body`. Abbreviations: 1 unit, 2 struct, 3 member, 4 typedef, 6 base type (encoding 4 is a float; DWARF 4, 7.8).
fn dwarf_unit(body: &str) -> String {
    format!(
        ".section .debug_abbrev\n\
         .byte 1, 0x11, 1, 0, 0\n\
         .byte 2, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0, 0\n\
         .byte 3, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b, 0, 0\n\
         .byte 4, 0x16, 0, 0x03, 0x08, 0x49, 0x13, 0, 0\n\
         .byte 6, 0x24, 0, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0\n\
         .byte 0\n\
         .section .debug_info\n\
         start: .long end - version\n\
         version: .short 4\n.long 0\n.byte 8\n.byte 1\n\
         frame: .byte 2\n.asciz \"Frame\"\n.byte 8\n{body}\n.byte 0\nend:\n"
    )
}

/// GCC aligns a `double` of a struct to 4 bytes for i386, and to 8 for x86-64.
#[test]
fn programs_of_32_and_64_bits_may_lay_out_structs_differently() {
    let shader = "struct Same { float a; float b; }; struct Other { float a; double b; }; ConstantBuffer<Same> s; \
                  StructuredBuffer<Other> o;";
    let host = "struct Same { float a, b; } s; struct Other { float a; double b; } o;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let narrow = Command::new("g++")
        .args(["-m32", "-g", "-c", "host.cpp", "-o", "narrow.o"])
        .current_dir(folder.path("."))
        .status();
    if !narrow.unwrap().success() {
        return;
    }
    let answer = folder.run("check a.hlsl host.o narrow.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["s Same agree", "o Other differ"]);
    let message = answer.json()["pairs"][1]["mismatches"][0]["message"].clone();
    assert_eq!(message, "several layouts: the host program has another `Other`: 12 bytes in narrow.o");
}
