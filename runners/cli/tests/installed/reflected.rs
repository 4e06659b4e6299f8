//! HLSL and Slang that our own reader refuses, as `layoutproof check` and `show` take it from DXC and slangc.
//!
//! Expected offsets: slangc 2026.14.1, `-target spirv -reflection-json`: `lights` at 16 with a stride of
//! 16, `exposure` at 80. DXC 1.7.2308, listing of `-T lib_6_6` and decorations of `-spirv -fcgl`: as the tests
//! say. GCC lays out the host.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::fuzz::Here;

/// The length needs all of the language.
const SLANG: &str = "struct Max<let A : int, let B : int> { static const int value = A > B ? A : B; }
struct Light { float3 position; float intensity; }
struct Scene { float4 ambient; Light lights[Max<1, 4>.value]; float exposure; }
ConstantBuffer<Scene> scene;
";

/// The same with `sizeof`, a matrix, and blocks that no function uses.
const HLSL: &str = "struct Light { float3 position; float intensity; };
cbuffer Scene : register(b0) { float4 ambient; Light lights[sizeof(bool4) / 4]; float exposure; float3x2 turn; };
struct Particle { float3 place; float2 uv; };
StructuredBuffer<Particle> particles : register(t0);
RWStructuredBuffer<float4> result : register(u0);
[numthreads(1, 1, 1)] void main() { result[0] = ambient; }
";

const HOST: &str = "struct Light { float position[3], intensity; };
struct Scene { float ambient[4]; Light lights[4]; float exposure; } s;
";

pub(crate) fn trials() -> Vec<Trial> {
    let has_gcc = Command::new("g++").arg("--version").output().is_ok();
    let no_gcc = || (!has_gcc).then(|| "g++ is not there".to_owned());
    let lacks = |compiler| Here::look().lacks_compiler(compiler);
    vec![
        crate::trial(
            "reflected::lengths_that_only_slangc_evaluates",
            lacks("slangc").or(no_gcc()),
            lengths_that_only_slangc_evaluates,
        ),
        crate::trial(
            "reflected::orders_of_matrices_are_tried_for_each_target",
            lacks("slangc").or(no_gcc()),
            orders_of_matrices_are_tried_for_each_target,
        ),
        crate::trial("reflected::show_takes_the_answer_of_slangc", lacks("slangc"), show_takes_the_answer_of_slangc),
        crate::trial(
            "reflected::check_takes_the_answer_of_dxc",
            lacks("dxc").or(no_gcc()),
            check_takes_the_answer_of_dxc,
        ),
        crate::trial("reflected::refusals_name_the_build", lacks("dxc"), refusals_name_the_build),
        crate::trial("reflected::show_takes_the_answer_of_dxc", lacks("dxc"), show_takes_the_answer_of_dxc),
        crate::trial(
            "reflected::every_view_is_slangcs_where_only_slangc_reads_the_file",
            lacks("slangc"),
            every_view_is_slangcs_where_only_slangc_reads_the_file,
        ),
        crate::trial(
            "reflected::what_slangcs_reflection_leaves_open_is_named",
            lacks("slangc"),
            what_slangcs_reflection_leaves_open_is_named,
        ),
        crate::trial("reflected::check_compares_argument_buffers", no_gcc(), check_compares_argument_buffers),
        crate::trial("reflected::diff_takes_the_answer_of_dxc", lacks("dxc"), diff_takes_the_answer_of_dxc),
        crate::trial("reflected::diff_tries_every_target", lacks("slangc"), diff_tries_every_target),
    ]
}

fn lengths_that_only_slangc_evaluates() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::write(folder.join("a.slang"), SLANG)?;
    build(folder, HOST)?;
    let output = run(folder, "check a.slang host.o --format json")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let (start, reason) =
        ("note: a.slang is read by slangc ", ", because layoutproof refuses it: a.slang:3:50: expected `]`");
    assert!(said.starts_with(start) && said.contains(reason), "{said}");
    assert_eq!(pair(&output)?, ["native:slang-vulkan", "agree", ""]);

    build(folder, &HOST.replace("lights[4]", "lights[3]"))?;
    let output = run(folder, "check a.slang host.o --format json")?;
    assert_eq!(pair(&output)?, ["native:slang-vulkan", "differ", "count-differs"]);

    // slangc's reflection ignores the attribute, and its code does not.
    fs::write(folder.join("a.slang"), SLANG.replace("float exposure", "[[vk::offset(96)]] float exposure"))?;
    let output = run(folder, "check a.slang host.o --format json")?;
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// `tail` is at byte 32 for both targets with column-major matrices. With row-major ones slangc puts it at byte 56 for
/// D3D12, right after the last row, and at byte 64 for Vulkan, where the host has it.
fn orders_of_matrices_are_tried_for_each_target() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let bend =
        "struct Bend { float4x2 rows; float2 tail; float4 rest[Max<1, 2>.value]; }\nConstantBuffer<Bend> bend;\n";
    fs::write(folder.join("a.slang"), SLANG.to_owned() + bend)?;
    build(folder, "struct Bend { float rows[4][4], tail[2], pad[2], rest[2][4]; } b;")?;
    for targets in ["--target vulkan --target d3d12", "--target d3d12 --target vulkan"] {
        let output = run(folder, &format!("check a.slang host.o {targets} --format json"))?;
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        let pairs = answer["pairs"].as_array().ok_or("no pairs")?;
        assert_eq!(pairs.len(), 2, "{answer}");
        for pair in pairs {
            let is_vulkan = pair["target"] == "native:slang-vulkan";
            assert_eq!((&pair["outcome"], pair["agrees_with"].is_array()), (&"differ".into(), is_vulkan), "{pair}");
        }
    }
    Ok(())
}

fn show_takes_the_answer_of_slangc() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::write(folder.join("a.slang"), SLANG)?;
    let output = run(folder, "show a.slang --format json")?;
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let rules = ["native:slang-d3d12", "native:slang-vulkan", "native:slang-webgpu", "native:slang-metal"];
    for (rules, layout) in rules.iter().zip(answer["layouts"].as_array().ok_or("no layouts")?) {
        assert_eq!(layout["rules"], *rules);
        assert!(layout["read_by"].as_str().is_some_and(|by| by.starts_with("slangc ")), "{layout}");
        assert_eq!(offsets(layout, "scene")[..2], [("ambient".to_owned(), 0), ("lights".to_owned(), 16)], "{rules}");
    }
    assert_eq!(offsets(&answer["layouts"][1], "scene")[4], ("exposure".to_owned(), 80));
    assert_eq!(output.status.code(), Some(0));
    // A rule set is not slangc's choice.
    let output = run(folder, "show a.slang --rules native:slang-vulkan,std140 --format json")?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("error: a.slang: std140 is left out: a compiler's answer is about its own layouts"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(2));
    Ok(())
}

/// The places are those of slangc 2026.14.1: `-reflection-json` of the same targets.
fn every_view_is_slangcs_where_only_slangc_reads_the_file() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let rest = "struct Params { float4 tint; uint slot; }
ConstantBuffer<Params> params;
RWStructuredBuffer<float4> pixels;
";
    let resource = "[vk::binding(0, 1)] __DynamicResource<__DynamicResourceKind.General> images[];\n";
    let varying = "namespace io { in uint3 thread : SV_DispatchThreadID; }\n";
    let mixed = "struct Both { float4 x; Texture2D t; };\nParameterBlock<Both> both; uniform float loose;\n";
    let mixed_with_varying = [varying, mixed].concat();
    for (own, target, expected) in [
        (resource, "vulkan", "images binding 1 0 1, params binding 0 0 1, pixels binding 0 1 1"),
        (resource, "metal", "params metal-buffer 0 0 1, pixels metal-buffer 0 1 1"),
        (varying, "vulkan", "params binding 0 0 1, pixels binding 0 1 1, thread location-in 0 0 1"),
        (varying, "d3d12", "params b 0 0 1, pixels u 0 0 1, thread location-in 0 0 1"),
        (
            &mixed_with_varying,
            "vulkan",
            "$Globals binding 0 0 1, both binding 1 0 1, both space 0 1 1, both.t binding 1 1 1, params binding 0 1 1, \
             pixels binding 0 2 1, thread location-in 0 0 1",
        ),
    ] {
        fs::write(folder.join("a.slang"), own.to_owned() + rest)?;
        for convention in ["", " --convention slang"] {
            let output = run(folder, &format!("show a.slang --target {target}{convention} --format json"))?;
            let answer: Value = serde_json::from_slice(&output.stdout)?;
            let row = |row: &Value| {
                let words = ["path", "unit"].map(|key| row[key].as_str().unwrap_or_default());
                format!("{} {} {} {} {}", words[0], words[1], row["space"], row["index"], row["count"])
            };
            let mut rows: Vec<String> = answer["bindings"].as_array().ok_or("no bindings")?.iter().map(row).collect();
            rows.sort();
            assert_eq!(rows.join(", "), expected, "{target}");
            assert!(answer["read_by"].as_str().is_some_and(|by| by.starts_with("slangc ")), "{answer}");
            assert_eq!((answer["target"].as_str(), answer["convention"].as_str()), (Some(target), Some("slang")));
            assert_eq!(output.status.code(), Some(0));
        }
    }

    fs::write(folder.join("a.slang"), resource.to_owned() + rest)?;
    // Several targets, and layouts in text.
    let output = run(folder, "show a.slang --target vulkan,d3d12 --format json")?;
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let placements = answer["placements"].as_array().ok_or("no placements")?;
    let compilers =
        placements.iter().map(|placement| (placement["compiler"].as_str(), placement["read_by"].is_string()));
    assert_eq!(compilers.collect::<Vec<_>>(), [(Some("slangc"), true); 2]);
    let output = run(folder, "show a.slang --target vulkan")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("images  set 1 binding 0") && text.contains("float4 tint"), "{text}");
    // slangc's own text.
    let output = run(folder, "show a.slang --target vulkan --format slang-json")?;
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    assert_eq!(answer["parameters"][0]["binding"]["space"], 1);
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("note: a.slang is read by slangc "));
    let output = run(folder, "show a.slang --target vulkan --format slang-yaml")?;
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(tree.starts_with("# From the JSON of slangc "), "{tree}");
    let lines: Vec<&str> = tree.lines().map(str::trim).collect();
    let tree = lines.join("; ");
    for words in [
        "- name: \"images\"; offset:; relative:; - value: 0; unit: DescriptorTableSlot # bindings; space: 1; cumulative:",
        "name: \"Params\"; kind: Struct; size:; - value: 32; unit: Uniform # bytes; alignment in bytes: 16; stride in bytes: 32",
    ] {
        assert!(tree.contains(words), "{words}: {tree}");
    }
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("note: a.slang is read by slangc "));
    let output = run(folder, "show a.slang --target vulkan --option=-fvk-bind-globals --option=2 --format slang-yaml")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("`--format slang-json` or `slang-yaml` without other options"), "{said}");
    assert_eq!(output.status.code(), Some(2));
    // Options move bindings in ways that only our rules follow.
    let output = run(folder, "show a.slang --target vulkan --option=-fvk-bind-globals --option=2 --format json")?;
    assert_eq!(output.status.code(), Some(2));
    Ok(())
}

/// slangc 2026.14.1, `-target metal`: `colour` at byte 0, `image` at 16 with 8 bytes, `tail` at 24, 32 bytes in all.
fn check_compares_argument_buffers() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let text = "struct Leaf { float4 colour; Texture2D image; float tail; };\nParameterBlock<Leaf> leaf;\n";
    fs::write(folder.join("a.slang"), text)?;
    for (host, expected) in [
        ("struct Leaf { float colour[4]; unsigned long image; float tail, pad; } l;", "agree"),
        ("struct Leaf { float colour[4]; unsigned image; float tail; } l;", "differ"),
    ] {
        build(folder, host)?;
        let output = run(folder, "check a.slang host.o --target metal --format json")?;
        assert_eq!(pair(&output)?[..2], ["native:slang-metal", expected], "{host}");
    }
    Ok(())
}

/// slangc's reflection counts the places of an entry point's own resources from a place that it leaves out.
fn what_slangcs_reflection_leaves_open_is_named() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let text = "Texture2D first; __DynamicResource<__DynamicResourceKind.General> images[];
[shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform Texture2D own, uint3 id : SV_DispatchThreadID) {}
";
    fs::write(folder.join("a.slang"), text)?;
    let output = run(folder, "show a.slang --target vulkan --format json")?;
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let paths = answer["bindings"].as_array().ok_or("no bindings")?.iter().map(|row| row["path"].as_str());
    assert_eq!(paths.collect::<Vec<_>>(), [Some("first"), Some("images")]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("leaves the place of `main.own` open"), "{said}");
    Ok(())
}

/// DXC's listing has `turn` at byte 96 of `Scene` for D3D12, and no function uses `particles`. Its SPIR-V has
/// `uv` at byte 16 and elements 32 bytes apart, where D3D12 has 12 and 20.
fn check_takes_the_answer_of_dxc() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::write(folder.join("a.hlsl"), HLSL)?;
    let rest = "float pad[3]; float turn[8]; } s;\nstruct Particle { float place[3], uv[2]; } p;";
    build(folder, &HOST.replace("} s;", rest))?;
    let output = run(folder, "check a.hlsl host.o --format json")?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("note: a.hlsl is read by dxc "), "{said}");
    assert!(said.contains(", because layoutproof refuses it: a.hlsl:2:61: `sizeof` is not evaluated here"), "{said}");
    assert_eq!(outcomes(&output)?, ["Scene agree", "particles agree"]);
    let output = run(folder, "check a.hlsl host.o --target vulkan --format json")?;
    assert_eq!(outcomes(&output)?, ["Scene agree", "particles differ"]);
    // With its scalar layout, DXC packs both as C does.
    let output = run(folder, "check a.hlsl host.o --target vulkan/scalar --format json")?;
    assert_eq!(outcomes(&output)?[1], "particles agree");

    // DXC reads them for the other target too, so that the blocks count there.
    let aligned = rest.replace("place[3], uv[2];", "place[3], pad, uv[2], end[2];");
    build(folder, &HOST.replace("} s;", &aligned))?;
    let output = run(folder, "check a.hlsl host.o --format json")?;
    assert_eq!(outcomes(&output)?, ["Scene agree", "particles differ"]);
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let better = serde_json::json!([{"language": "hlsl", "target": "vulkan", "agree": 2, "agree_now": 1, "of": 2}]);
    assert_eq!(answer["better_targets"], better);
    Ok(())
}

fn show_takes_the_answer_of_dxc() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::write(folder.join("a.hlsl"), HLSL)?;
    let output = run(folder, "show a.hlsl --compiler dxc --target d3d12,vulkan --format json")?;
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let layouts = answer["layouts"].as_array().ok_or("no layouts")?;
    let of_particles = |layout: &Value| offsets(layout, "particles")[1].1;
    assert_eq!(layouts.iter().map(of_particles).collect::<Vec<_>>(), [12, 16]);
    for layout in layouts {
        let turn = layout["blocks"][0]["members"].as_array().ok_or("no members")?.last().cloned().unwrap_or_default();
        let place = [&turn["path"], &turn["type"], &turn["offset"], &turn["matrix_stride"], &turn["matrix_order"]];
        assert_eq!(place, [&Value::from("turn"), &"float3x2".into(), &96.into(), &16.into(), &"column".into()]);
    }
    Ok(())
}

/// DXC 1.7.2308 knows `vk` for Vulkan alone. What is refused names the build.
fn refusals_name_the_build() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let text = HLSL.replace("float exposure", "unknown exposure");
    fs::write(folder.join("a.hlsl"), text)?;
    let output = run(folder, "show a.hlsl")?;
    let said: Vec<String> = String::from_utf8_lossy(&output.stderr).split_whitespace().map(str::to_owned).collect();
    let said = said.join(" ");
    assert!(output.status.code() == Some(2) && said.contains("dxc 1.7.4006 refuses the file: unknown type"), "{said}");
    // Only a build that can read the file is offered.
    assert_eq!(said.contains("is newer, but Wine runs it"), said.contains("is newer"), "{said}");

    let only_vulkan = "cbuffer C { float lengths[sizeof(bool4) / 4]; float value; };
float of(float a) { return vk::RawBufferLoad<float>(0) + a + value; }
";
    fs::write(folder.join("b.hlsl"), only_vulkan)?;
    let output = run(folder, "show b.hlsl --format json")?;
    let (answer, said): (Value, _) = (serde_json::from_slice(&output.stdout)?, String::from_utf8_lossy(&output.stderr));
    let targets: Vec<&Value> =
        answer["layouts"].as_array().ok_or("no layouts")?.iter().map(|it| &it["target"]).collect();
    assert!(targets.iter().all(|target| **target == "vulkan") && !targets.is_empty(), "{answer}");
    assert!(said.contains("D3D12 · DXC is left out: dxc 1.7.4006 refuses the file"), "{said}");
    Ok(())
}

/// The offsets of `uv` above.
fn diff_takes_the_answer_of_dxc() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::write(folder.join("a.hlsl"), HLSL)?;
    fs::write(folder.join("b.hlsl"), HLSL.replace("sizeof(bool4) / 4", "4"))?;
    let differing = |words: &str| -> Result<(Vec<String>, Option<i32>), Failed> {
        let output = run(folder, &format!("diff {words}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("note: a.hlsl is read by dxc ") && said.matches("note: ").count() == 1, "{said}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text.lines().filter(|line| line.contains("uv")).map(|line| line.split_whitespace().collect());
        Ok((lines.map(|words: Vec<&str>| words.join(" ")).collect(), output.status.code()))
    };
    let (lines, code) = differing("a.hlsl d3d12 vulkan")?;
    assert_eq!(code, Some(1));
    assert!(lines.iter().any(|line| line.contains("12") && line.contains("16")), "{lines:?}");
    // A file that is read, next to one that is not.
    assert_eq!(differing("a.hlsl d3d12 b.hlsl d3d12")?.1, Some(0));
    assert_eq!(differing("b.hlsl vulkan a.hlsl d3d12")?.1, Some(1));
    Ok(())
}

/// Two versions of a file that only slangc reads, and one beside a file that is read, without a target.
fn diff_tries_every_target() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    fs::write(folder.join("a.slang"), SLANG)?;
    fs::write(folder.join("b.slang"), SLANG.replace("Max<1, 4>.value", "4"))?;
    fs::write(folder.join("c.slang"), SLANG.replace("float exposure", "float3 exposure"))?;
    for (words, code) in [("a.slang b.slang", 0), ("b.slang a.slang", 0), ("a.slang c.slang", 1)] {
        let output = run(folder, &format!("diff {words} --format json"))?;
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        let targets = answer["targets"].as_array().ok_or("no targets")?;
        let rules: Vec<&str> = targets.iter().filter_map(|target| target["rules"].as_str()).collect();
        let all = ["native:slang-d3d12", "native:slang-vulkan", "native:slang-webgpu", "native:slang-metal"];
        assert_eq!((rules, output.status.code()), (all.to_vec(), Some(code)), "{words}: {answer}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(".slang is read by slangc "), "{words}");
    }
    Ok(())
}

fn build(folder: &Path, host: &str) -> Result<(), Failed> {
    fs::write(folder.join("host.cpp"), host)?;
    let status = Command::new("g++").args(["-g", "-c", "host.cpp", "-o", "host.o"]).current_dir(folder).status()?;
    if status.success() { Ok(()) } else { Err(status.to_string().into()) }
}

fn run(folder: &Path, words: &str) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    Ok(command.args(words.split(' ')).current_dir(folder).output()?)
}

/// Path and offset of the members of a block.
fn offsets(layout: &Value, block: &str) -> Vec<(String, u64)> {
    let blocks = layout["blocks"].as_array().into_iter().flatten();
    let members =
        blocks.filter(|found| found["name"] == block).filter_map(|found| found["members"].as_array()).flatten();
    let place = |member: &Value| (member["path"].as_str().unwrap_or_default().to_owned(), member["offset"].as_u64());
    members.map(place).map(|(path, offset)| (path, offset.unwrap_or(u64::MAX))).collect()
}

/// Target, outcome and first mismatch of the only pair.
fn pair(output: &Output) -> Result<[String; 3], Failed> {
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let pair = &answer["pairs"][0];
    let texts = [&pair["target"], &pair["outcome"], &pair["mismatches"][0]["kind"]];
    Ok(texts.map(|text| text.as_str().unwrap_or_default().to_owned()))
}

/// Block and outcome of each pair.
fn outcomes(output: &Output) -> Result<Vec<String>, Failed> {
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let pairs = answer["pairs"].as_array().ok_or("no pairs")?.iter();
    let words =
        |pair: &Value| format!("{} {}", pair["block"].as_str().unwrap_or(""), pair["outcome"].as_str().unwrap_or(""));
    Ok(pairs.map(words).collect())
}
