//! Targets and orders of matrices with which blocks would agree.

use super::{compile, folder_of, one_line, pairs};

/// In D3D12, `Light` has 24 bytes: DXC packs structured buffers as C++ does. In Vulkan (std430) its vectors start at
/// multiples of 16.
const LIGHTS: &str = "struct Light { float3 position; float3 color; };\nStructuredBuffer<Light> lights;\n";
const PACKED: &str = "struct Light { float position[3], color[3]; } l;";
const ALIGNED: &str = "struct Light { float position[3], pad0, color[3], pad1; } l;";

#[test]
fn the_target_for_which_blocks_agree_is_named() {
    for (shader, host, language, target, title) in [
        ("a.slang", PACKED, "slang", "d3d12", "Target 1 of 1 block agrees for D3D12 · Slang, 0 for Vulkan · Slang"),
        ("a.hlsl", ALIGNED, "hlsl", "vulkan", "Target 1 of 1 block agrees for Vulkan · DXC, 0 for D3D12 · DXC"),
    ] {
        let Some(folder) = folder_of((shader, LIGHTS), host) else { return };
        let answer = folder.run(&format!("check {shader} host.o --format json")).exits(1).json();
        let better = &answer["better_targets"];
        assert_eq!(
            better,
            &serde_json::json!([{"language": language, "target": target, "agree": 1, "agree_now": 0, "of": 1}])
        );
        assert_eq!(answer["pairs"][0]["agrees_for"][0], target);
        let answer = folder.run(&format!("check {shader} host.o")).exits(1);
        assert!(answer.out.contains(title), "{}", answer.out);

        // A target that something names has no better one.
        let right = folder.run(&format!("check {shader} host.o --target {target} --format json")).exits(0).json();
        assert!(right["better_targets"].is_null() && right["pairs"][0]["agrees_for"].is_null(), "{right}");
        let usual = if target == "d3d12" { "vulkan" } else { "d3d12" };
        let named = format!("check {shader} host.o --target {usual} --format json");
        assert!(folder.run(&named).exits(1).json()["better_targets"].is_null());
        folder.write("layoutproof.toml", format!("schema = 1\ntarget = \"{usual}\"\n").as_bytes());
        let named = folder.run(&format!("check {shader} host.o --format json")).exits(1).json();
        assert!(named["better_targets"].is_null() && named["pairs"][0]["agrees_for"].is_null(), "{named}");
    }
}

/// Advice for one target that another target contradicts is none.
#[test]
fn advice_holds_for_all_targets() {
    let shader = format!(
        "{LIGHTS}struct Probe {{ float3 sh[2]; }};\nStructuredBuffer<Probe> probes;\ncbuffer Frame {{ float4 eye; float time; }};\n"
    );
    let host = format!("{PACKED} struct Probe {{ float sh[2][3]; }} p; struct Frame {{ float eye[3], time; }} f;");
    let Some(folder) = folder_of(("a.hlsl", &shader), &host) else { return };
    let answer = folder.run("check a.hlsl host.o --target d3d12,vulkan --format json").exits(1).json();
    let of = |block: &str, target: &str| {
        let mut pairs = answer["pairs"].as_array().unwrap().iter();
        pairs.find(|pair| pair["block"] == block && pair["target"] == target).unwrap().clone()
    };
    for (block, place) in [
        ("lights", "`color` is at byte 12 for D3D12 · DXC, byte 16 for Vulkan · DXC"),
        ("probes", "`sh` has 24 bytes for D3D12 · DXC, 32 bytes for Vulkan · DXC"),
    ] {
        let pair = of(block, "native:dxc-spirv");
        assert!(pair["mismatches"][0]["repairs"].is_null(), "{pair}");
        let remark = format!(
            "no host struct fits all targets: {place}; declare the padding in the shader, compile for Vulkan with \
             `-fvk-use-dx-layout`, or have a struct for each target"
        );
        assert_eq!(pair["remarks"], serde_json::json!([remark]));
        assert_eq!(of(block, "native:dxc-dxil")["outcome"], "agree");
    }
    // What mends both is advised for both, and with what the remark names both agree.
    let fixes =
        ["native:dxc-dxil", "native:dxc-spirv"].map(|target| of("Frame", target)["mismatches"][0]["repairs"].clone());
    assert_eq!(fixes[0], serde_json::json!([{"action": "declare", "member": "eye", "declarations": ["float eye[4]"]}]));
    assert_eq!(fixes[0], fixes[1]);
    let with_option = folder.run("check a.hlsl host.o --target d3d12,vulkan/dx --format json").exits(1);
    assert_eq!(pairs(&with_option).iter().filter(|pair| pair.ends_with("differ")).count(), 2, "{with_option}");
    // One target has its advice as before.
    let one = folder.run("check a.hlsl host.o --target vulkan --format json").exits(1).json();
    assert!(one["pairs"][0]["mismatches"][0]["repairs"].is_array(), "{one}");
}

/// DXC 1.7.2308: `far` is at 52 for D3D12 and at 64 for Vulkan, so no struct fits both; `on` has 4 bytes for both.
#[test]
fn a_fix_that_all_targets_need_is_printed_for_each() {
    let shader = "cbuffer Cull { bool on; float splits[3]; float far; };";
    let host = "struct Cull { bool on; float splits[3]; float far; }; Cull cull;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --target d3d12,vulkan --format json").exits(1).json();
    for pair in answer["pairs"].as_array().unwrap() {
        let mismatches = pair["mismatches"].as_array().unwrap();
        let hints = mismatches.iter().map(|it| (it["path"].as_str().unwrap(), it["hint"].as_str().unwrap()));
        let advised: Vec<_> = hints.filter(|(_, hint)| !hint.is_empty()).collect();
        assert_eq!(advised, [("on", "declare `on` as `uint32_t on` in the host")], "{pair}");
        assert!(pair["remarks"][0].as_str().unwrap().starts_with("no host struct fits all targets: `far`"), "{pair}");
    }
}

/// DXC 1.7.2308: elements of 40 bytes for D3D12, of 48 for Vulkan.
#[test]
fn elements_that_only_end_elsewhere_have_no_fix_for_one_target() {
    let shader = "struct Item { float4 c; float3 n; float r; float2 uv; }; StructuredBuffer<Item> items;";
    let host = "struct alignas(16) Item { float c[4], n[3], r, uv[2]; }; Item item;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --target d3d12,vulkan --format json").exits(1).json();
    let [of_d3d12, of_vulkan] = [&answer["pairs"][0], &answer["pairs"][1]];
    assert_eq!((&of_d3d12["outcome"], &of_vulkan["outcome"]), (&"differ".into(), &"agree".into()));
    assert_eq!(of_d3d12["mismatches"][0]["hint"], "", "{of_d3d12}");
    let remark = "no host struct fits all targets: `items` has 40 bytes for D3D12 · DXC, 48 bytes for Vulkan · DXC;";
    assert!(of_d3d12["remarks"][0].as_str().unwrap().starts_with(remark), "{of_d3d12}");
}

/// Each target is right for one of the blocks, so none is better.
#[test]
fn a_block_that_agrees_for_another_target_says_so() {
    let shader = format!("{LIGHTS}struct Probe {{ float3 position; float3 sky; }};\nStructuredBuffer<Probe> probes;\n");
    let host = format!("{PACKED} struct Probe {{ float position[3], pad0, sky[3], pad1; }} p;");
    let Some(folder) = folder_of(("a.slang", &shader), &host) else { return };
    let answer = folder.run("check a.slang host.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["lights Light differ", "probes Probe agree"]);
    assert!(answer.json()["better_targets"].is_null());
    let text = folder.run("check a.slang host.o").exits(1).out;
    assert!(text.contains("agrees for D3D12 · Slang"), "{text}");
    assert!(text.contains("`target = \"d3d12\"`"), "{text}");

    // A mistake is one for every target.
    let wrong = host.replace("color[3]", "other, color[3]");
    folder.write("host.cpp", wrong.as_bytes());
    compile(&folder, "host");
    let answer = folder.run("check a.slang host.o --format json").exits(1).json();
    assert!(answer["pairs"][0]["agrees_for"].is_null(), "{answer}");
}

#[test]
fn init_chooses_the_target_that_fits() {
    let Some(folder) = folder_of(("a.slang", LIGHTS), PACKED) else { return };
    folder.write("b.hlsl", b"cbuffer Other { float4 a; };");
    let answer = folder.run("init").exits(0);
    answer.prints("target of Slang: 1 of 1 block agrees for D3D12 · Slang, 0 for Vulkan · Slang");
    let written = folder.read("layoutproof.toml");
    // One block may as well be a mistake, which a target in the file would hide.
    let reason = "# 1 of 1 block agrees for D3D12 · Slang, 0 for Vulkan · Slang. If the program ships for that:\n# target = \"d3d12\"\n";
    assert_eq!((written.matches(reason).count(), written.matches("target =").count()), (1, 1), "{written}");
    assert_eq!(pairs(&folder.run("check --format json").exits(1)), ["lights Light differ"]);
}

/// Three blocks are no accident.
#[test]
fn init_writes_the_target_for_which_several_blocks_agree() {
    let names = ["Light", "Lamp", "Probe"];
    let shader = names.map(|name| {
        format!("struct {name} {{ float3 position; float3 color; }};\nStructuredBuffer<{name}> all{name};\n")
    });
    let host = names.map(|name| format!("struct {name} {{ float position[3], color[3]; }} v{name};\n"));
    let Some(folder) = folder_of(("a.slang", &shader.concat()), &host.concat()) else { return };
    folder.run("init").exits(0);
    let written = folder.read("layoutproof.toml");
    let reason = "# 3 of 3 blocks agree for D3D12 · Slang, 0 for Vulkan · Slang.\ntarget = \"d3d12\"\n";
    assert_eq!((written.matches(reason).count(), written.matches("target =").count()), (1, 1), "{written}");
    assert_eq!(pairs(&folder.run("check --format json").exits(0)).len(), 3);
}

/// DXC and slangc give a column-major `float3x4` four vectors, and a row-major one three: `tint` is at byte 48.
const PARAMETERS: &str = "cbuffer Parameters { float3x4 transform; float4 tint; };\n";
const ROWS: &str = "struct Parameters { float transform[3][4], tint[4]; } p;";

#[test]
fn the_order_of_matrices_with_which_blocks_agree_is_named() {
    for (shader, language, option) in
        [("a.hlsl", "hlsl", "-Zpr"), ("a.slang", "slang", "-target spirv -matrix-layout-row-major")]
    {
        let Some(folder) = folder_of((shader, PARAMETERS), ROWS) else { return };
        let check =
            |words: &str, code: i32| folder.run(format!("check {shader} host.o {words}").trim_end()).exits(code);
        let answer = check("--format json", 1).json();
        assert_eq!(
            answer["better_matrix_orders"],
            serde_json::json!([{"language": language, "matrix": "row", "agree": 1, "agree_now": 0, "of": 1}])
        );
        assert_eq!(answer["pairs"][0]["agrees_with"][0], serde_json::json!({"matrix": "row"}));
        // Four columns of Slang's scalar layout have as many bytes as three rows, but the order alone explains those.
        assert!(answer["better_targets"].is_null(), "{answer}");
        let title = "Matrices 1 of 1 block agrees with row-major matrices, 0 with column-major ones";
        let text = one_line(&check("", 1));
        assert!(text.contains(title), "{text}");

        // An order that something names has no better one.
        let named = check("--matrix column --format json", 1).json();
        assert!(named["better_matrix_orders"].is_null() && named["pairs"][0]["agrees_with"].is_null(), "{named}");
        check("--matrix row", 0);
        folder.run_quoted(&format!("check {shader} host.o --args=\"{option}\"")).exits(0);
        folder.write(
            "layoutproof.toml",
            format!("schema = 1\n[[shader]]\nfiles = [\"{shader}\"]\nmatrix = \"row\"\n").as_bytes(),
        );
        check("", 0);
        folder.write(
            "layoutproof.toml",
            format!("schema = 1\n[[shader]]\nfiles = [\"{shader}\"]\nmatrix = \"both\"\n").as_bytes(),
        );
        assert!(check("", 2).err.contains("expected \"row\" or \"column\""));
    }
}

/// D3D12 puts `offset` at byte 4, Vulkan at 8.
#[test]
fn a_block_may_need_another_target_and_another_order() {
    let shader = "cbuffer Bone { float weight; float2 offset; float3x4 transform; float4 tint; };\n";
    let host = "struct Bone { float weight, offset[2], pad, transform[3][4], tint[4]; } b;";
    let Some(folder) = folder_of(("a.slang", shader), host) else { return };
    let answer = folder.run("check a.slang host.o --format json").exits(1).json();
    assert!(answer["better_targets"].is_null() && answer["better_matrix_orders"].is_null(), "{answer}");
    let expected = serde_json::json!({"target": "d3d12", "matrix": "row"});
    assert_eq!(answer["pairs"][0]["agrees_with"][0], expected);
    let text = one_line(&folder.run("check a.slang host.o").exits(1));
    assert!(text.contains("agrees for D3D12 · Slang with row-major matrices"), "{text}");
    assert!(text.contains("`target = \"d3d12\"`, `matrix = \"row\"`"), "{text}");
    folder.run("check a.slang host.o --target d3d12 --matrix row").exits(0);
}

/// The order is a setting if three blocks agree with it alone, and a comment otherwise.
#[test]
fn init_chooses_the_order_of_matrices_that_fits() {
    for (count, is_set) in [(1, false), (3, true)] {
        let of_all = |text: &str| -> String {
            (0..count).map(|index| text.replace("Parameters", &format!("Parameters{index}"))).collect()
        };
        let host = of_all(&ROWS.replace(" p;", " vParameters;"));
        let Some(folder) = folder_of(("a.hlsl", &of_all(PARAMETERS)), &host) else { return };
        let line = |verb: &str, blocks: &str| {
            format!("{count} of {count} {blocks} {verb} with row-major matrices, 0 with column-major ones")
        };
        let line = if count == 1 { line("agrees", "block") } else { line("agree", "blocks") };
        folder.run("init").exits(0).prints(&format!("matrices of HLSL: {line}"));
        let written = folder.read("layoutproof.toml");
        let lines = if is_set {
            format!("# {line}.\nmatrix = \"row\"\n")
        } else {
            format!("# {line}. If the program compiles with them:\n# matrix = \"row\"\n")
        };
        assert_eq!((written.matches(&lines).count(), written.matches("matrix =").count()), (1, 1), "{written}");
        assert_eq!(pairs(&folder.run("check --format json").exits(i32::from(!is_set))).len(), count);
    }
}

/// What the command line says replaces what a build passes to its compiler.
#[test]
fn an_option_counts_more_than_compiler_arguments() {
    let Some(folder) = folder_of(("a.hlsl", PARAMETERS), ROWS) else { return };
    folder.write("layoutproof.toml", b"schema = 1\n[[shader]]\nfiles = [\"a.hlsl\"]\nargs = \"-Zpr\"\n");
    folder.run("check a.hlsl host.o").exits(0);
    folder.run("check a.hlsl host.o --matrix column").exits(1);
    folder.run("check a.hlsl host.o --args=-Zpr --matrix column").exits(1);
    folder.run("show a.hlsl --args=-Zpr --matrix column").exits(0).prints("float3x4 transform // column 16");
}

/// slangc 2026.14.1 gives `Push` the offsets 0, 16, 32 with std430 and 0, 4, 16 with `-fvk-use-scalar-layout`; D3D12 has no
/// push constants.
#[test]
fn the_scalar_layout_of_slang_is_named() {
    let shader = "struct Push { float scale; float3 tint; float4x4* world; };\n[[vk::push_constant]] ConstantBuffer<Push> pc;\n\
                  struct Item { float3 place; float3 speed; float weight; };\nStructuredBuffer<Item> items;\n\
                  [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {}\n";
    let host = "struct Push { float scale; float tint[3]; float (*world)[4][4]; } push; \
                struct Item { float place[3], speed[3], weight; } item;";
    let Some(folder) = folder_of(("a.slang", shader), host) else { return };
    let answer = folder.run("check a.slang host.o --format json").exits(1).json();
    let better =
        serde_json::json!([{"language": "slang", "target": "vulkan/scalar", "agree": 2, "agree_now": 0, "of": 2}]);
    assert_eq!(answer["better_targets"], better);
    assert_eq!(answer["pairs"][0]["agrees_for"], serde_json::json!(["vulkan/scalar"]));
    folder.run("check a.slang host.o --target vulkan/scalar").exits(0);
    folder.write("layoutproof.toml", b"schema = 1\n[[shader]]\nfiles = [\"a.slang\"]\ntarget = \"vulkan/scalar\"\n");
    folder.run("check a.slang host.o").exits(0);
}

/// The structs behind pointers in members are blocks, wherever the pointers are. The offsets of slangc 2026.14.1 are the
/// natural ones: `sun` 0, `exposure` 12, `view` 16.
#[test]
fn pointees_of_slang_are_compared() {
    let frame = "struct Frame { float3 sun; float exposure; float4x4 view; };";
    let entry = "[shader(\"compute\")] [numthreads(1, 1, 1)] void main() {}\n";
    let right = "struct Frame { float sun[3]; float exposure; float view[16]; };";
    let wrong = "struct Frame { float exposure; float sun[3]; float view[16]; };";
    let Some(folder) = folder_of(("a.slang", ""), "") else { return };
    for (declared, host) in [
        (
            "struct Push { Frame* frame; uint index; }; [[vk::push_constant]] ConstantBuffer<Push> pc;",
            "Frame* frame; unsigned index;",
        ),
        (
            "struct Push { Ptr<Frame> frame; uint index; }; [[vk::push_constant]] ConstantBuffer<Push> pc;",
            "unsigned long frame; unsigned index;",
        ),
        (
            "struct Push { Frame* frames[2]; uint index; }; [[vk::push_constant]] ConstantBuffer<Push> pc;",
            "Frame* frames[2]; unsigned index;",
        ),
        (
            "struct List { Frame* frame; }; struct Push { List* list; }; [[vk::push_constant]] ConstantBuffer<Push> pc;",
            "void* list;",
        ),
    ] {
        folder.write("a.slang", format!("{frame}\n{declared}\n{entry}").as_bytes());
        for (pointee, code) in [(right, 0), (wrong, 1)] {
            folder.write("host.cpp", format!("{pointee} struct Push {{ {host} }} p; Frame f;").as_bytes());
            compile(&folder, "host");
            let answer = folder.run("check a.slang host.o --format json").exits(code).json();
            let pairs = answer["pairs"].as_array().unwrap();
            let found =
                pairs.iter().find(|pair| pair["host"] == "Frame").unwrap_or_else(|| panic!("{declared}: {answer}"));
            assert_eq!(found["outcome"], ["agree", "differ"][usize::from(code == 1)], "{declared}");
            assert!(answer["headline"].as_str().unwrap().find("no probe").is_none(), "{answer}");
        }
    }
}

#[test]
fn notes_about_pointers_are_one() {
    let shader = "struct A { float4 a; }; struct Push { A* first; A* second; A* third; }; [[vk::push_constant]] ConstantBuffer<Push> pc;\n\
                  [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {}\n";
    let host = "struct A { float a[4]; }; struct Push { A* first; A* second; A* third; } p; A a;";
    let Some(folder) = folder_of(("a.slang", shader), host) else { return };
    let answer = folder.run("check a.slang host.o --format json").exits(0).json();
    let note = "`first` and 2 more are pointers in the host: whether they hold addresses of buffers is not checked";
    assert_eq!(answer["pairs"][0]["remarks"], serde_json::json!([note]));
}

/// A pipeline chooses the length. glslang 11.13 gives the array the default length of its constant.
#[test]
fn an_array_sized_by_a_specialization_constant_has_any_length() {
    let shader = "#version 450\nlayout(constant_id = 0) const uint MAX = 2;\nstruct Light { vec4 position; vec4 color; };\n\
                  layout(set = 0, binding = 0) uniform Lights { uint count; Light lights[MAX]; } lights;\n\
                  layout(location = 0) out vec4 o;\nvoid main() { o = lights.lights[0].color; }\n";
    let Some(folder) = folder_of(("a.frag", shader), "") else { return };
    for (members, path) in [
        ("unsigned count, pad[3]; Light lights[8];", ""),
        ("unsigned count, pad[3]; Light lights[2];", ""),
        ("unsigned count, pad[3]; Light lights[1];", ""),
        ("unsigned count; Light lights[8];", "lights"),
        ("unsigned count, pad[3]; Wrong lights[8];", "lights[].position"),
    ] {
        let types = "struct Light { float position[4], color[4]; }; struct Wrong { float color[4], position[4]; };";
        folder.write("host.cpp", format!("{types} struct Lights {{ {members} }} l;").as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.frag host.o --format json").exits(i32::from(!path.is_empty()));
        let found = answer.json()["pairs"][0]["mismatches"][0].clone();
        assert_eq!(found["path"].as_str().unwrap_or_default(), path, "{members}");
        assert_ne!(found["kind"], "count-differs", "{members}");
        assert!(answer.err.contains("depends on specialization constant 0"), "{answer}");
    }
}
