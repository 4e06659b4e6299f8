//! Programs in `TypeScript`: the layouts of `TypeGPU`, webgpu-utils and three.js against WGSL, and typed views in Node.js.
//!
//! These libraries compute the offsets of the host. Those of the shader are WGSL's (section "Memory Layout"), as naga and
//! Tint have them.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::folder::Folder;

/// The packages of a library, each in one version; the first is the library.
const TYPEGPU: &[&str] = &["typegpu@0.12.5", "tinyest@0.3.3", "tsover-runtime@0.0.7", "typed-binary@4.3.3"];
const WEBGPU_UTILS: &[&str] = &["webgpu-utils@2.1.1"];
const THREE: &[&str] = &["three@0.187.0"];

/// The declarations of a program.
const SCHEMAS: &str = "import * as d from 'typegpu/data';
export const Light = d.struct({ position: d.vec3f, radius: d.f32, color: d.vec3f, flags: d.arrayOf(d.u32, 3) });
export const Scene = d.struct({
  turn: d.mat3x3f, lights: d.arrayOf(Light, 4), exposure: d.size(32, d.f32), half: d.align(64, d.vec2h),
  counter: d.atomic(d.u32), grid: d.arrayOf(d.arrayOf(d.vec3i, 2), 5), turns: d.arrayOf(d.mat2x2f, 3),
});
export const notes = 'no struct';
";

const SHADER: &str = "enable f16;
struct Light { position: vec3f, radius: f32, color: vec3f, flags: array<u32, 3> }
struct Scene {
  turn: mat3x3f, lights: array<Light, 4>, @size(32) exposure: f32, @align(64) half: vec2h,
  counter: atomic<u32>, grid: array<array<vec3i, 2>, 5>, turns: array<mat2x2f, 3>,
}
@group(0) @binding(0) var<storage, read_write> scene: Scene;
";

/// Fills a buffer as an image does, each word with its own address, and prints the address that each view reads.
const READ_VIEWS: &str = "import * as views from './views.mjs';
const buffer = new ArrayBuffer(views.Scene.size);
new Uint32Array(buffer).forEach((_, index, words) => { words[index] = 0xC0DE0000 + 4 * index; });
const address = (view) => {
  const word = view instanceof DataView ? view : new DataView(view.buffer, view.byteOffset, 4);
  return [word.getUint32(0, true) - 0xC0DE0000, view.length ?? view.byteLength];
};
const places = {};
const add = (path, view) => {
  if (Array.isArray(view)) view.forEach((inner, index) => add(`${path}[${index}]`, inner));
  else if (ArrayBuffer.isView(view)) places[path] = address(view);
  else for (const [name, inner] of Object.entries(view)) add(path ? `${path}.${name}` : name, inner);
};
add('', views.Scene(buffer));
console.log(JSON.stringify(places));
";

pub(crate) fn trials() -> Vec<Trial> {
    let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let no_node = (!is_there("node")).then(|| "Node.js is not there".to_owned());
    let no_npm = (!is_there("npm")).then(|| "npm is not there".to_owned());
    let with_packages = |name: &str, packages: &[&str], test: fn(&Path) -> Result<(), Failed>| {
        let installed = no_node.clone().or(no_npm.clone()).map_or_else(|| install(packages), Err);
        crate::trial(name, installed.as_ref().err().cloned(), move || test(&installed?))
    };
    vec![
        with_packages("typescript::schemas_of_typegpu_are_compared", TYPEGPU, schemas_of_typegpu_are_compared),
        with_packages("typescript::definitions_of_webgpu_utils_are_compared", WEBGPU_UTILS, definitions_are_compared),
        with_packages("typescript::structs_of_three_are_compared", THREE, structs_of_three_are_compared),
        crate::trial("typescript::typed_views_read_their_members", no_node, typed_views_read_their_members),
    ]
}

/// Installs packages once for this build, without their scripts; an error is the reason why they are not there.
fn install(packages: &[&str]) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(packages.join("+"));
    let library = packages[0].split('@').next().unwrap_or_default();
    if folder.join("node_modules").join(library).join("package.json").is_file() {
        return Ok(folder);
    }
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("package.json"), "{\"private\": true}").map_err(|error| error.to_string())?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"]).args(packages);
    let output = npm.current_dir(&folder).output().map_err(|error| error.to_string())?;
    let is_installed = output.status.success();
    is_installed.then_some(folder).ok_or_else(|| format!("npm cannot install {} here", packages[0]))
}

/// Runs a script and returns what it prints.
fn node(folder: &Path, words: &[&str]) -> Result<String, Failed> {
    let output = Command::new("node").args(words).current_dir(folder).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The layout file that a library's script writes for a module.
fn layout_of(library: &str, packages: &Path, name: &str, text: &str) -> Result<String, Failed> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runners").join(library).join("layout.mjs");
    let module = format!("{name}.mjs");
    std::fs::write(packages.join(&module), text)?;
    node(packages, &[&script.to_string_lossy(), &module])
}

/// webgpu-utils reads a copy of the shader, which is stale when only the other one changes.
fn definitions_are_compared(packages: &Path) -> Result<(), Failed> {
    let shader = format!(
        "{SHADER}struct Counted {{ count: u32, points: array<vec3<f32>> }}\n@group(0) @binding(1) var<storage> counted: Counted;\n"
    );
    let program = "globalThis.GPUShaderStage ??= { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 };\n\
                   import { makeShaderDataDefinitions } from 'webgpu-utils';\n\
                   export const definitions = makeShaderDataDefinitions(`SHADER`);\n";
    let layout = layout_of("webgpu-utils", packages, "scene", &program.replace("SHADER", &shader))?;
    let folder = Folder::without_drivers(&[("scene.wgsl", &shader), ("scene.json", &layout)]);
    let answer = folder.run("check scene.wgsl scene.json --format json").exits(0).json();
    let outcomes: Vec<&Value> = answer["pairs"].as_array().unwrap().iter().map(|pair| &pair["outcome"]).collect();
    assert_eq!(outcomes, ["agree", "agree"], "{answer}");
    folder.write("scene.wgsl", shader.replace("turn: mat3x3f,", "turn: mat3x3f, time: f32,").as_bytes());
    let answer = folder.run("check scene.wgsl scene.json --format json").exits(1).json();
    let first = &answer["pairs"][0]["mismatches"][0];
    assert_eq!([&first["path"], &first["host_at"]], ["time", "scene.mjs"], "{answer}");
    Ok(())
}

/// three.js writes the WGSL of its structs itself; this is the text of its builder for the members.
fn structs_of_three_are_compared(packages: &Path) -> Result<(), Failed> {
    let shader = "struct Particle { life: f32, position: vec3<f32>, hits: atomic<u32>, turn: mat3x3<f32>, cell: vec2<i32>, age: f32, \
                  scale: mat2x2<f32>, ids: vec4<u32> }\nstruct Pair { a: vec3<f32>, b: f32, c: vec2<f32>, d: vec3<f32>, m: mat4x4<f32> }\n\
                  @group(0) @binding(0) var<storage, read_write> particles: array<Particle>;\n\
                  @group(0) @binding(1) var<storage> pairs: array<Pair>;\n";
    let program = "import { struct } from 'three/tsl';\n\
                   export const particle = struct({ life: 'float', position: 'vec3', hits: { type: 'uint', atomic: true }, turn: 'mat3', \
                   cell: 'ivec2', age: 'float', scale: 'mat2', ids: 'uvec4' }, 'Particle');\n\
                   export const Pair = struct({ a: 'vec3', b: 'float', c: 'vec2', d: 'vec3', m: 'mat4' });\nexport const other = 1;\n";
    let layout = layout_of("three", packages, "particles", program)?;
    let folder = Folder::without_drivers(&[("particles.wgsl", shader), ("particles.json", &layout)]);
    let answer = folder.run("check particles.wgsl particles.json --format json").exits(0).json();
    let outcomes: Vec<&Value> = answer["pairs"].as_array().unwrap().iter().map(|pair| &pair["outcome"]).collect();
    assert_eq!(outcomes, ["agree", "agree"], "{answer}");
    let swapped = program.replace("cell: 'ivec2', age: 'float'", "age: 'float', cell: 'ivec2'");
    folder.write("particles.json", layout_of("three", packages, "swapped", &swapped)?.as_bytes());
    let answer = folder.run("check particles.wgsl particles.json --format json").exits(1).json();
    let first = &answer["pairs"][0]["mismatches"][0];
    let message = "offset moved: the shader has `cell` at byte 80, the host at byte 88";
    assert_eq!([&first["path"], &first["message"]], ["cell", message], "{answer}");
    Ok(())
}

fn schemas_of_typegpu_are_compared(packages: &Path) -> Result<(), Failed> {
    let layout_of = |name: &str, schemas: &str| layout_of("typegpu", packages, name, schemas);
    let layout = layout_of("scene", SCHEMAS)?;
    let folder = Folder::without_drivers(&[("scene.wgsl", SHADER), ("scene.json", &layout)]);
    let answer = folder.run("check scene.wgsl scene.json --format json").exits(0).json();
    let pair = &answer["pairs"][0];
    assert_eq!([&pair["host"], &pair["outcome"]], ["Scene", "agree"], "{answer}");
    // The text of one side has a member more, and another order.
    let swapped = SCHEMAS.replace(
        "position: d.vec3f, radius: d.f32, color: d.vec3f,",
        "color: d.vec3f, radius: d.f32, position: d.vec3f,",
    );
    folder.write("scene.json", layout_of("swapped", &swapped)?.as_bytes());
    let answer = folder.run("check scene.wgsl scene.json --format json").exits(1).json();
    assert_eq!(answer["pairs"][0]["mismatches"][0]["path"], "lights[].position", "{answer}");
    let added = SCHEMAS.replace("turn: d.mat3x3f, lights", "turn: d.mat3x3f, time: d.f32, lights");
    folder.write("scene.json", layout_of("added", &added)?.as_bytes());
    let answer = folder.run("check scene.wgsl scene.json --format json").exits(1).json();
    let first = &answer["pairs"][0]["mismatches"][0];
    assert_eq!([&first["path"], &first["host_at"]], ["lights", "added.mjs"], "{answer}");
    let message = "offset moved: the shader has `lights` at byte 48, the host at byte 64";
    assert_eq!(first["message"], message, "{answer}");
    Ok(())
}

fn typed_views_read_their_members() -> Result<(), Failed> {
    let folder = Folder::without_drivers(&[("scene.wgsl", SHADER), ("read.mjs", READ_VIEWS)]);
    folder.run("show scene.wgsl --format ts --output views.mjs").exits(0);
    let places: Value = serde_json::from_str(&node(&folder.path(""), &["read.mjs"])?)?;
    // Offsets of WGSL, "Alignment and Size": mat3x3f has 48 bytes, Light 48, and vec2h is aligned to 64 here.
    for (path, offset, length) in [
        ("turn", 0, 12),
        ("lights[0].position", 48, 3),
        ("lights[1].radius", 108, 1),
        ("lights[3].color", 208, 3),
        ("lights[3].flags", 220, 3),
        ("exposure", 240, 1),
        ("counter", 324, 1),
        ("grid", 336, 40),
        ("turns", 496, 12),
    ] {
        assert_eq!(places[path], serde_json::json!([offset, length]), "{path}: {places}");
    }
    // A double at byte 4 is not aligned: std430 of GLSL with scalar layout.
    let doubles = "struct Scene { float a; double b; float c; }; StructuredBuffer<Scene> scenes;\n";
    folder.write("doubles.hlsl", doubles.as_bytes());
    folder.run("show doubles.hlsl --format ts --rules scalar --output views.mjs").exits(0);
    let places: Value = serde_json::from_str(&node(&folder.path(""), &["read.mjs"])?)?;
    assert_eq!(places, serde_json::json!({"a": [0, 1], "b": [8, 1], "c": [16, 1]}));
    Ok(())
}
