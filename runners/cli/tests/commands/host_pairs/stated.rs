//! What `[[map]]` states about the host struct of a block.

use super::{folder_of, pairs};

#[test]
fn a_struct_is_pushed_at_its_offset() {
    let shader = "#version 450\nlayout(push_constant) uniform Material { layout(offset = 12) float roughness; \
                  layout(offset = 16) float metallic; } material;\nvoid main() {}\n";
    let Some(folder) = folder_of(("a.frag", shader), "struct Material { float roughness, metallic; } m;") else {
        return;
    };
    let answer = folder.run("check a.frag host.o --format json").exits(0);
    assert_eq!(
        (pairs(&answer), &answer.json()["pairs"][0]["host_start"]),
        (vec!["material Material agree".to_owned()], &12.into())
    );
    // Where the user states another place, that one counts.
    let map = "schema = 1\n[[map]]\nblock = \"material\"\nshader = \"*.frag\"\nhost = \"Material\"\noffset = 4\n";
    folder.write("layoutproof.toml", map.as_bytes());
    assert_eq!(pairs(&folder.run("check a.frag host.o --format json").exits(1)), ["material Material differ"]);
    folder.write("layoutproof.toml", map.replace("*.frag", "*.vert").as_bytes());
    assert_eq!(pairs(&folder.run("check a.frag host.o --format json").exits(0)), ["material Material agree"]);
    folder.write("layoutproof.toml", format!("{map}{}", &map["schema = 1\n".len()..]).as_bytes());
    assert!(folder.run("check a.frag host.o").exits(2).err.contains("block `material` has an entry already"));
}

/// A file that the project compiles with two sets of macros has two blocks of one name.
#[test]
fn an_entry_names_the_macros_of_its_block() {
    let shader =
        "cbuffer Draw {\n#ifdef SKY\nfloat4 zenith; float4 horizon;\n#else\nfloat4 albedo; float rough;\n#endif\n};";
    let host = "struct One { float zenith[4], horizon[4]; } a; struct Two { float albedo[4], rough; } b;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let project = "schema = 1\nhost = [\"host.o\"]\n[[shader]]\nfiles = [\"a.hlsl\"]\ndefines = [\"SKY=1\"]\n\
                   [[shader]]\nfiles = [\"a.hlsl\"]\n";
    let sky = "[[map]]\nblock = \"Draw\"\ndefines = [\"SKY=1\"]\nhost = \"One\"\n";
    let mesh = "[[map]]\nblock = \"Draw\"\nhost = \"Two\"\n";
    for entries in [format!("{sky}{mesh}"), format!("{mesh}{sky}")] {
        folder.write("layoutproof.toml", format!("{project}{entries}").as_bytes());
        let answer = folder.run("check --format json").exits(0);
        assert_eq!(pairs(&answer), ["Draw One agree", "Draw Two agree"], "{entries}");
    }
    // One entry for both compares them with one struct.
    folder.write("layoutproof.toml", format!("{project}{mesh}").as_bytes());
    assert_eq!(pairs(&folder.run("check --format json").exits(1)), ["Draw Two differ", "Draw Two agree"]);
    folder.write("layoutproof.toml", format!("{project}{sky}{sky}").as_bytes());
    assert!(folder.run("check").exits(2).err.contains("block `Draw` has an entry already"));
}

/// `--write-map` names the macros where only some blocks of a file have a struct that fits.
#[test]
fn written_entries_name_the_macros_of_their_blocks() {
    let shader = "cbuffer Shade {\n#ifdef SKY\nfloat4 zenith; float4 horizon; float haze;\n#else\nfloat4 albedo; float rough;\n#endif\n};";
    let host = "namespace a { struct Stuff { float zenith[4], horizon[4], haze, more[8]; } a; } \
                namespace b { struct Things { float zenith[4], horizon[4], other; } c; }";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let project = "schema = 1\nhost = [\"host.o\"]\n[[shader]]\nfiles = [\"a.hlsl\"]\ndefines = [\"SKY=1\"]\n\
                   [[shader]]\nfiles = [\"a.hlsl\"]\ndefines = [\"MESH=1\"]\n";
    folder.write("layoutproof.toml", project.as_bytes());
    folder.run("check --write-map").exits(4);
    let entry = "[[map]]\nblock = \"Shade\"\nshader = \"a.hlsl\"\ndefines = [\"SKY=1\"]\nhost = \"a::Stuff\"\n";
    assert_eq!(folder.read("layoutproof.toml"), format!("{project}\n{entry}"));
    assert_eq!(pairs(&folder.run("check --format json").exits(0)), ["Shade a::Stuff agree"]);
}

#[test]
fn a_stated_contract_is_kept() {
    let shader =
        "cbuffer Frame { float a, b; }; struct Light { float3 color; float range; }; StructuredBuffer<Light> lights;";
    let host = "struct Frame { float a, b, more[6]; } f; struct Light { float color[3], range; } l; struct Same { float a, b; } s;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    for (block, host, contract, outcome) in [
        ("Frame", "Frame", "equal", "differ"),
        ("Frame", "Same", "equal", "agree"),
        ("Frame", "Frame", "prefix", "agree"),
        ("Frame", "Frame", "stride", "differ"),
        ("lights", "Light", "stride", "agree"),
    ] {
        let map = format!("schema = 1\n[[map]]\nblock = \"{block}\"\nhost = \"{host}\"\ncontract = \"{contract}\"\n");
        folder.write("layoutproof.toml", map.as_bytes());
        let answer = folder.run("check a.hlsl host.o --format json").exits(i32::from(outcome == "differ")).json();
        let pair = answer["pairs"].as_array().unwrap().iter().find(|pair| pair["block"] == block).unwrap();
        assert_eq!(pair["outcome"], outcome, "{block} {contract}");
        if outcome == "differ" {
            assert_eq!(pair["mismatches"][0]["kind"], "contract-broken", "{block} {contract}");
        }
        assert!(!pair["remarks"].to_string().contains("first 8 bytes of the host") || contract != "prefix", "{pair}");
    }
    folder.write("layoutproof.toml", b"schema = 1\n[[map]]\nblock = \"Frame\"\ncontract = \"same\"\n");
    assert!(folder.run("check a.hlsl host.o").exits(2).err.contains("expected \"equal\", \"prefix\" or \"stride\""));
}

/// GCC gives `Header` 16 bytes, `Small` 12 and `Light` 16; GLSL's std430 starts the elements at byte 16.
#[test]
fn a_header_and_elements_fill_a_buffer() {
    let shader = "#version 450\nstruct L { vec3 place; float range; };\nlayout(std430, binding = 0) buffer Lights { uint count; uint first; \
                  uint last; L lights[]; };\nvoid main() { lights[0].range = 1.0; }\n";
    let host = "struct Header { unsigned count, first, last, pad; } h; struct Small { unsigned count, first, last; } s; \
                struct Light { float place[3], range; } l; struct Short { float place[3]; } m; \
                struct Wrong { float range, place[3]; } w;";
    let Some(folder) = folder_of(("a.frag", shader), host) else { return };
    for (stated, kind) in [
        ("Header + Light[]", ""),
        ("Small + Light[]", "offset-moved"),
        ("Header + Short[]", "stride-differs"),
        ("Header + Wrong[]", "offset-moved"),
    ] {
        let map = format!("schema = 1\n[[map]]\nblock = \"Lights\"\nhost = \"{stated}\"\n");
        folder.write("layoutproof.toml", map.as_bytes());
        let answer = folder.run("check a.frag host.o --format json").exits(i32::from(!kind.is_empty()));
        let outcome = if kind.is_empty() { "agree" } else { "differ" };
        assert_eq!(pairs(&answer), [format!("Lights {stated} {outcome}")], "{answer}");
        let found = &answer.json()["pairs"][0]["mismatches"][0]["kind"];
        assert_eq!(found.as_str().unwrap_or_default(), kind, "{answer}");
    }
    for (stated, message) in [
        ("Header + Light", "a host is TYPE, TYPE[2] or HEADER + TYPE[]"),
        ("Header + Absent[]", "no host file defines `Absent`"),
    ] {
        folder.write(
            "layoutproof.toml",
            format!("schema = 1\n[[map]]\nblock = \"Lights\"\nhost = \"{stated}\"\n").as_bytes(),
        );
        assert!(folder.run("check a.frag host.o").exits(2).err.contains(message), "{stated}");
    }
}

/// Two programs fill one block with structs of their own, and one of them has its members in another order.
#[test]
fn several_structs_for_one_block_are_all_compared() {
    let shader = "cbuffer Material { float3 albedo; float roughness; };";
    let host = "namespace game { struct Material { float albedo[3], roughness; } m; } \
                namespace editor { struct Material { float roughness, albedo[3]; } m; } struct Third { float albedo[3], roughness; } t;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let map =
        "schema = 1\n[[map]]\nblock = \"Material\"\nhost = [\"game::Material\", \"editor::Material\", \"Third\"]\n";
    folder.write("layoutproof.toml", map.as_bytes());
    let outcomes = ["Material game::Material agree", "Material editor::Material differ", "Material Third agree"];
    assert_eq!(pairs(&folder.run("check a.hlsl host.o --format json").exits(1)), outcomes);
    let answer = folder.run("check a.hlsl host.o").exits(1);
    let answer = answer.prints("Mirrors 3 mirrors of `Material`, 1 differs; Third, game::Material agree");
    assert_eq!((answer.out.matches("Agree ").count(), answer.out.matches("Differ ").count()), (0, 1), "{answer}");
    let words = "--map Material=game::Material --map Material=Third";
    assert_eq!(pairs(&folder.run(&format!("check a.hlsl host.o {words} --format json")).exits(0)).len(), 2);
}

/// The host uploads an array of `Light`, each of 16 bytes, and has no struct of the whole block.
#[test]
fn several_structs_in_a_row_fill_a_block() {
    let shader = "struct L { float3 place; float range; }; cbuffer Lights { L lights[2]; };";
    let host = "struct Light { float place[3], range; } l; struct Wrong { float range, place[3]; } w;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    for (stated, outcome) in [("Light[2]", "agree"), ("Light[1]", "differ"), ("Wrong[2]", "differ")] {
        let code = i32::from(outcome == "differ");
        let answer = folder.run(&format!("check a.hlsl host.o --map Lights={stated} --format json")).exits(code);
        assert_eq!(pairs(&answer), [format!("Lights {stated} {outcome}")], "{answer}");
    }
    folder.run("check a.hlsl host.o --map Lights=Light[0]").exits(2);
    folder.write("b.hlsl", shader.replace("L lights[2];", "L sun; L moon;").as_bytes());
    let answer = folder.run("check b.hlsl host.o --map Lights=Light[2] --format json").exits(0);
    assert_eq!(pairs(&answer), ["Lights Light[2] agree"]);
}

/// A foreign shader may have any comment; the project says what ships.
#[test]
fn a_comment_does_not_overrule_the_project() {
    let shader = "// layoutproof: rules=scalar\ncbuffer Frame { float3 a; float2 b; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct Frame { float a[3]; float b[2]; } f;") else { return };
    assert_eq!(pairs(&folder.run("check a.hlsl host.o --format json").exits(0)), ["Frame Frame agree"]);
    for selection in ["target = [\"d3d12\"]", "rules = [\"hlsl-cbuffer\"]"] {
        let project = format!("schema = 1\n[[shader]]\nfiles = [\"a.hlsl\"]\n{selection}\n");
        folder.write("layoutproof.toml", project.as_bytes());
        let answer = folder.run("check a.hlsl host.o --format json").exits(1);
        assert_eq!(pairs(&answer), ["Frame Frame differ"], "{selection}");
        assert!(answer.err.contains("the comment of `Frame` has rules=scalar, but the project compares "), "{answer}");
    }
    folder.run("check a.hlsl host.o --rules scalar").exits(0);
}

/// The members of each struct in a row are compared by their names, however the block has the structs.
#[test]
fn structs_in_a_row_have_their_members_at_their_places() {
    let light = "struct L { float3 place; float range; };";
    let host = "struct Light { float place[3], range; } l; struct Wrong { float range, place[3]; } w;";
    let Some(folder) = folder_of(("a.hlsl", light), host) else { return };
    for block in [
        "cbuffer Lights { L sun; L moon; };",
        "cbuffer Lights { L lights[2]; };",
        "cbuffer Lights { L sun; L moon; float4 fog; };",
        "struct Both { L sun; L moon; }; cbuffer Lights { Both both; };",
        "struct Both { L lights[2]; }; ConstantBuffer<Both> Lights;",
    ] {
        folder.write("a.hlsl", format!("{light} {block}").as_bytes());
        let is_whole = !block.contains("fog");
        for (stated, outcome) in [("Light[2]", "agree"), ("Wrong[2]", "differ")] {
            let outcome = if is_whole { outcome } else { "differ" };
            let answer = folder.run(&format!("check a.hlsl host.o --map Lights={stated} --format json"));
            assert_eq!(pairs(&answer), [format!("Lights {stated} {outcome}")], "{block}");
        }
        for stated in ["Light[4]", "Light[4294967295]"] {
            let answer = folder.run(&format!("check a.hlsl host.o --map Lights={stated}")).exits(2);
            assert!(answer.err.contains("more than the"), "{block} {stated}: {answer}");
        }
    }
}

/// In GLSL a block has two names: the one in the shader comes first.
#[test]
fn a_block_has_the_name_of_its_type_too() {
    let shader =
        "#version 450\nlayout(push_constant) uniform Constants { vec4 tint; float gain; } C;\nvoid main() {}\n";
    let host = "struct DrawConstants { float tint[4], gain; } c; struct Other { float tint[4]; } o;";
    let Some(folder) = folder_of(("a.frag", shader), host) else { return };
    for name in ["C", "Constants"] {
        let answer = folder.run(&format!("check a.frag host.o --map {name}=DrawConstants --format json")).exits(0);
        assert_eq!(pairs(&answer), ["C DrawConstants agree"], "{name}");
        let map = format!("schema = 1\n[[map]]\nblock = \"{name}\"\nhost = \"DrawConstants\"\n");
        folder.write("layoutproof.toml", map.as_bytes());
        assert_eq!(
            pairs(&folder.run("check a.frag host.o --format json").exits(0)),
            ["C DrawConstants agree"],
            "{name}"
        );
        std::fs::remove_file(folder.path("layoutproof.toml")).unwrap();
    }
    let answer = folder.run("check a.frag host.o --map Constant=DrawConstants").exits(2);
    answer.warns("error: --map names the block `Constant`, which no shader has");
}

/// The targets of a project are what ships. A profile among the arguments names none, `-spirv` does. g++ 12: `exposure` at
/// 36; DXC 1.7.2308: 36 in DXIL, 20 with `-fvk-use-scalar-layout`.
#[test]
fn targets_of_a_project_hold_beside_a_profile() {
    let shader = "cbuffer PerFrame { float3 sun; float weights[2]; float exposure; };";
    let host = "struct PerFrame { float sun[3], pad; float weights[1][4]; float weights_last, exposure; } pf;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let targets = |target: &str, arguments: &str| {
        let project = format!(
            "schema = 1\nhost = [\"host.o\"]\n{target}\n[[shader]]\nfiles = [\"*.hlsl\"]\nargs = \"{arguments}\"\n"
        );
        folder.write("layoutproof.toml", project.as_bytes());
        let answer = folder.run("check --format json");
        let pairs = answer.json()["pairs"].as_array().unwrap().clone();
        let words = |pair: &serde_json::Value| {
            ["target", "outcome"].map(|key| pair[key].as_str().unwrap().to_owned()).join(" ")
        };
        pairs.iter().map(words).collect::<Vec<_>>()
    };
    let both = ["native:dxc-dxil agree", "native:dxc-spirv-scalar differ"];
    for arguments in ["", "-T ps_6_6", "-T ps_6_6 -D QUALITY=2", "dxc -O3"] {
        assert_eq!(targets("target = [\"d3d12\", \"vulkan/scalar\"]", arguments), both, "{arguments}");
    }
    assert_eq!(targets("target = \"vulkan\"", "-T ps_6_6 -fvk-use-scalar-layout"), both[1..]);
    assert_eq!(targets("target = \"d3d12\"", "-T ps_6_6 -spirv -fvk-use-scalar-layout"), both[1..]);
    assert_eq!(targets("", "-T ps_6_6"), both[..1]);
}
