//! Structs that Rust libraries write in a layout of their own.

use serde_json::Value;

use super::super::folder::Folder;
use super::super::host_check::compiles;
use super::{one_line, pairs};

/// Compiles crates in this order; returns false if rustc was not found.
fn all_compile(folder: &Folder, crates: &[&str]) -> bool {
    crates.iter().all(|words| compiles(folder, "rustc", &format!("--edition 2021 -g -A warnings {words}")))
}

/// A crate of this name with traits of these names stands for encase 0.10, of which only the names of
/// functions in the program matter. rustc chooses the order of the members of `Material` and `Wide`; encase
/// writes `Wide` as WGSL and D3D have it: `big` at byte 8, `b` at 16.
#[test]
fn a_struct_is_compared_as_a_library_writes_it() {
    let encase = "pub mod core { pub mod traits { pub trait WriteInto { fn write_into(&self, to: &mut Vec<u8>); } } }";
    let main = "pub struct Material { albedo: [f32; 3], flag: u8, power: f32, small: u16 } \
                pub struct Raw { albedo: [f32; 3], flag: u8, power: f32, small: u16 } \
                impl encase::core::traits::WriteInto for Material { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(1) } } \
                pub struct Wide { a: f32, big: f64, b: f32 } \
                impl encase::core::traits::WriteInto for Wide { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.big as u8) } } \
                fn main() { use encase::core::traits::WriteInto; let mut to = Vec::new(); \
                Material { albedo: [1.0; 3], flag: 1, power: 2.0, small: 2 }.write_into(&mut to); \
                Wide { a: 1.0, big: 2.0, b: 3.0 }.write_into(&mut to); \
                let raw = Raw { albedo: [1.0; 3], flag: 1, power: 2.0, small: 2 }; std::hint::black_box(&raw); std::hint::black_box(to); }";
    let members = "albedo: vec3<f32>, flag: u32, power: f32, small: u32";
    let shader = format!(
        "struct Material {{ {members} }} struct Raw {{ {members} }} @group(0) @binding(0) var<uniform> material: Material; \
         @group(0) @binding(1) var<uniform> raw: Raw; @compute @workgroup_size(1) fn main() {{ _ = material.power + raw.power; }}"
    );
    let folder = Folder::with(&[("encase.rs", encase), ("main.rs", main), ("a.wgsl", &shader)]);
    if !all_compile(&folder, &["--crate-type rlib encase.rs", "--extern encase=libencase.rlib main.rs -o main"]) {
        return;
    }
    let answer = folder.run("check a.wgsl main --format json").exits(1);
    assert_eq!(pairs(&answer), ["raw main::Raw differ"]);
    let unmatched = answer.json()["unmatched_blocks"][0].clone();
    assert_eq!(unmatched["block"], "material");
    assert!(unmatched["reason"].as_str().unwrap().starts_with("encase writes `main::Material`"), "{unmatched}");

    let outcome = |shader: &str, code: i32| {
        folder.write("b.hlsl", shader.as_bytes());
        let answer = folder.run("check b.hlsl main --format json").exits(code).json();
        let (pair, unmatched) = (&answer["pairs"][0], &answer["unmatched_blocks"][0]);
        (pair["outcome"].clone(), pair["mismatches"][0]["kind"].clone(), unmatched["reason"].clone())
    };
    let agree = outcome("cbuffer Wide { float a; double big; float b; };", 0);
    assert_eq!(agree, ("agree".into(), Value::Null, Value::Null));
    let swapped = outcome("cbuffer Wide { float b; double big; float a; };", 1);
    assert_eq!(swapped, ("differ".into(), "swapped-names".into(), Value::Null));
    // An attribute of the struct could add the padding.
    let (_, _, reason) = outcome("cbuffer Wide { float a; float4 more; double big; float b; };", 4);
    assert!(reason.as_str().unwrap().contains("only attributes that debug information does not have"), "{reason}");
}

/// Crates with the names and symbols of crevice 0.16 and glsl-layout 0.5: the first derives one trait for each
/// layout, the second implements its trait in a module of its own. crevice 0.16 writes `light` at byte 16 and `b`
/// at byte 32 for `std140`, and at 4 and 12 for `std430` (the bytes of `as_std140` and `as_std430`).
#[test]
fn a_struct_has_the_layouts_that_its_library_derives() {
    let crevice = "pub mod std140 { pub mod traits { pub trait AsStd140 { fn as_std140(&self) -> u32; } } } \
                   pub mod std430 { pub mod traits { pub trait AsStd430 { fn as_std430(&self) -> u32; } } }";
    let glsl_layout = "pub mod uniform { pub trait Uniform { fn std140(&self) -> u32; } }";
    let implement = |name: &str, path: &str, method: &str| {
        format!("impl {path} for {name} {{ #[inline(never)] fn {method}(&self) -> u32 {{ 1 }} }} ")
    };
    let main = "pub struct Light { range: f32, reach: f32 } pub struct Frame { a: f32, light: Light, b: f32 } \
                pub struct Both { a: f32, light: Light, b: f32 } pub struct Sky { steps: u8, sun: f32 } "
        .to_owned()
        + &implement("Frame", "crevice::std140::traits::AsStd140", "as_std140")
        + &implement("Both", "crevice::std140::traits::AsStd140", "as_std140")
        + &implement("Both", "crevice::std430::traits::AsStd430", "as_std430")
        + &format!("mod glsl {{ {} }} ", implement("super::Sky", "glsl_layout::uniform::Uniform", "std140"))
        + "fn main() { use {crevice::{std140::traits::AsStd140, std430::traits::AsStd430}, glsl_layout::uniform::Uniform}; \
           let light = || Light { range: 1.0, reach: 2.0 }; \
           let frame = Frame { a: 1.0, light: light(), b: 2.0 }; let both = Both { a: 1.0, light: light(), b: 2.0 }; \
           let sky = Sky { steps: 1, sun: 2.0 }; \
           std::hint::black_box((frame.as_std140(), both.as_std140(), both.as_std430(), sky.std140(), &frame, &both, &sky)); }";
    let folder = Folder::with(&[("crevice.rs", crevice), ("glsl_layout.rs", glsl_layout), ("main.rs", &main)]);
    if !all_compile(
        &folder,
        &[
            "--crate-type rlib crevice.rs",
            "--crate-type rlib glsl_layout.rs",
            "--extern crevice=libcrevice.rlib --extern glsl_layout=libglsl_layout.rlib main.rs -o main",
        ],
    ) {
        return;
    }
    let check = |members: &str, block: &str| {
        let light = "struct Light { float range, reach; };";
        folder
            .write("a.comp", format!("#version 450\n{light}\n{block} {{ {members} }};\nvoid main() {{}}\n").as_bytes());
        let answer = folder.run("check a.comp main --format json").json();
        let (pair, unmatched) = (&answer["pairs"][0], &answer["unmatched_blocks"][0]);
        let remark = pair["remarks"][0].as_str().unwrap_or_default();
        let remark = remark.split(" writes it").next().unwrap_or_default().to_owned();
        (pair["outcome"].as_str().unwrap_or_default().to_owned(), remark, unmatched["reason"].clone())
    };
    let agrees = |library: &str| ("agree".to_owned(), format!("compared as {library}"), Value::Null);
    // `std140` alone is derived, and the block has it: as a buffer too.
    let members = "float a; Light light; float b;";
    assert_eq!(check(members, "layout(std140, binding = 0) uniform Frame"), agrees("crevice"));
    assert_eq!(check(members, "layout(std140, binding = 0) buffer Frame"), agrees("crevice"));
    let (_, _, reason) = check(members, "layout(std430, binding = 0) buffer Frame");
    assert!(reason.as_str().unwrap_or_default().starts_with("crevice writes `main::Frame`"), "{reason}");
    for layout in [
        "layout(std140, binding = 0) uniform",
        "layout(std140, binding = 0) buffer",
        "layout(std430, binding = 0) buffer",
    ] {
        assert_eq!(check(members, &format!("{layout} Both")), agrees("crevice"), "{layout}");
    }
    // One byte is no number of a shader, and the struct is not compared as Rust has it.
    let (outcome, _, reason) = check("uint steps; float sun;", "layout(std140, binding = 0) uniform Sky");
    assert_eq!(outcome, "");
    assert!(reason.as_str().unwrap_or_default().starts_with("glsl-layout writes `main::Sky`"), "{reason}");
}

/// Crates with the names of encase 0.10 and glam 0.29. encase writes as WGSL has it (WGSL, 14.4.1): `color` at byte
/// 16, `radius` at 28. rustc puts `color` at byte 12.
#[test]
fn a_struct_that_a_library_writes_is_found_by_its_members() {
    let encase = "pub mod core { pub mod traits { pub trait WriteInto { fn write_into(&self, to: &mut Vec<u8>); } } }";
    let glam =
        "pub mod f32 { pub mod vec3 { #[derive(Default)] pub struct Vec3 { pub x: f32, pub y: f32, pub z: f32 } } }";
    let main = "use glam::f32::vec3::Vec3; use encase::core::traits::WriteInto; \
                #[derive(Default)] pub struct PointLight { position: Vec3, color: Vec3, radius: f32, intensity: f32 } \
                #[derive(Default)] pub struct ShaderPointLight { position: Vec3, color: Vec3, radius: f32 } \
                #[derive(Default)] pub struct Sun { color: Vec3, steps: u16 } \
                #[derive(Default)] pub struct ShaderSun { direction: Vec3, strength: f32, tint: Vec3, reach: f32 } \
                #[derive(Default)] pub struct Haze { begin: f32, colour: Vec3, end: f32 } \
                #[derive(Default)] #[repr(C)] pub struct Mist { near: f32, padding: [f32; 3], tint: [f32; 3], far: f32 } \
                pub trait Kind { type Offsets: Default; } #[derive(Default)] pub struct Pbr; impl Kind for Pbr { type Offsets = [u32; 3]; } \
                #[derive(Default)] pub struct ShaderObject<M: Kind> { center: Vec3, first_index: u32, offsets: M::Offsets } \
                impl WriteInto for ShaderPointLight { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.radius as u8) } } \
                impl WriteInto for ShaderSun { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.reach as u8) } } \
                impl WriteInto for Haze { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.end as u8) } } \
                impl<M: Kind> WriteInto for ShaderObject<M> { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.first_index as u8) } } \
                fn main() { let mut to = Vec::new(); ShaderPointLight::default().write_into(&mut to); ShaderSun::default().write_into(&mut to); \
                ShaderObject::<Pbr>::default().write_into(&mut to); Haze::default().write_into(&mut to); \
                std::hint::black_box((to, PointLight::default(), Sun::default(), Mist::default())); }";
    let shader = "struct PointLight { position: vec3<f32>, color: vec3<f32>, radius: f32 } \
                  struct PointLightData { count: u32, data: array<PointLight> } \
                  struct Sun { direction: vec3<f32>, strength: f32, color: vec3<f32>, reach: f32 } \
                  struct Haze { near: f32, tint: vec3<f32>, far: f32 } \
                  struct Object { center: vec3<f32>, first_index: u32, offsets: array<u32, 3> } \
                  @group(0) @binding(0) var<storage> lights: PointLightData; @group(0) @binding(1) var<uniform> light: PointLight; \
                  @group(0) @binding(2) var<uniform> sun: Sun; @group(0) @binding(3) var<storage> objects: array<Object>; \
                  @group(0) @binding(4) var<uniform> haze: Haze; \
                  @compute @workgroup_size(1) fn main() { _ = lights.count; _ = light.radius; _ = sun.reach; _ = objects[0].first_index; _ = haze.far; }";
    let folder = Folder::with(&[("encase.rs", encase), ("glam.rs", glam), ("main.rs", main), ("a.wgsl", shader)]);
    if !all_compile(
        &folder,
        &[
            "--crate-type rlib encase.rs",
            "--crate-type rlib glam.rs",
            "--extern encase=libencase.rlib --extern glam=libglam.rlib main.rs -o main",
        ],
    ) {
        return;
    }
    let answer = folder.run("check a.wgsl main --format json").exits(0);
    assert_eq!(
        pairs(&answer),
        [
            // The elements after `count`, and not the struct of their name that nothing writes.
            "lights main::ShaderPointLight agree",
            "light main::ShaderPointLight agree",
            "sun main::ShaderSun agree",
            "objects main::ShaderObject<main::Pbr> agree",
            // Its members have other names. It agrees as encase writes it (`colour` at byte 16, `end` at 28), and not
            // as it is in memory, so that `main::Mist`, which has the names, does not take its place.
            "haze main::Haze agree",
        ]
    );
    assert_eq!(answer.json()["pairs"][0]["part"], "data[]");
    // What holds for all of them is written once.
    let text = one_line(&folder.run("check a.wgsl main").exits(0));
    assert!(text.contains("note 5 blocks: compared as encase writes it"), "{text}");
    assert_eq!(text.matches("as encase writes it").count(), 1, "{text}");
}

/// Crates with the names of encase 0.13 and glam 0.29. encase writes `ArrayLength`, which has no bytes in memory, as a
/// `u32`, and a collection at the end as WGSL has arrays (`ArrayLength::METADATA`: 4 bytes; WGSL, 14.4.1): `spots` at
/// byte 16, 32 bytes apart.
#[test]
fn a_collection_at_the_end_is_written_as_an_array() {
    let encase = "pub mod core { pub mod traits { pub trait WriteInto { fn write_into(&self, to: &mut Vec<u8>); } } } \
                  pub mod types { pub mod runtime_sized_array { #[derive(Default)] pub struct ArrayLength; } }";
    let glam =
        "pub mod f32 { pub mod vec3 { #[derive(Default)] pub struct Vec3 { pub x: f32, pub y: f32, pub z: f32 } } }";
    let main = "use glam::f32::vec3::Vec3; use encase::core::traits::WriteInto; use encase::types::runtime_sized_array::ArrayLength; \
                #[derive(Default)] pub struct Spot { place: Vec3, reach: f32, color: Vec3, power: f32 } \
                #[derive(Default)] pub struct Spots { count: ArrayLength, first: u32, spots: Vec<Spot> } \
                #[derive(Default)] pub struct Curve { points: ArrayLength, scale: f32, heights: Vec<f32> } \
                #[derive(Default)] pub struct Path { steps: Vec<Spot> } \
                impl WriteInto for Spot { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.reach as u8) } } \
                impl WriteInto for Spots { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.first as u8) } } \
                impl WriteInto for Curve { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.scale as u8) } } \
                impl WriteInto for Path { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.steps.len() as u8) } } \
                fn main() { let mut to = Vec::new(); Spot::default().write_into(&mut to); Spots::default().write_into(&mut to); \
                Curve::default().write_into(&mut to); Path::default().write_into(&mut to); std::hint::black_box(to); }";
    let shader = "struct Spot { place: vec3<f32>, reach: f32, color: vec3<f32>, power: f32 } \
                  struct Spots { count: u32, first: u32, spots: array<Spot> } \
                  struct Curve { points: u32, scale: f32, heights: array<f32> } \
                  struct Path { steps: array<Spot> } \
                  @group(0) @binding(0) var<storage> spots: Spots; @group(0) @binding(1) var<storage> curve: Curve; \
                  @group(0) @binding(2) var<storage> path: Path; \
                  @compute @workgroup_size(1) fn main() { _ = spots.count; _ = curve.scale; _ = path.steps[0].reach; }";
    let folder = Folder::with(&[("encase.rs", encase), ("glam.rs", glam), ("main.rs", main)]);
    if !all_compile(
        &folder,
        &[
            "--crate-type rlib encase.rs",
            "--crate-type rlib glam.rs",
            "--extern encase=libencase.rlib --extern glam=libglam.rlib main.rs -o main",
        ],
    ) {
        return;
    }
    let check = |shader: &str, code: i32| {
        folder.write("a.wgsl", shader.as_bytes());
        folder.run("check a.wgsl main --format json").exits(code)
    };
    let answer = check(shader, 0);
    let [spots, curve, path] = ["spots main::Spots agree", "curve main::Curve agree", "path main::Spot agree"];
    assert_eq!(pairs(&answer), [spots, curve, path], "{}", answer.out);
    assert_eq!(answer.json()["pairs"][2]["part"], "steps[]");

    for (right, wrong, differing, kind) in [
        (
            "count: u32, first: u32",
            "first: u32, count: u32",
            ["spots main::Spots differ", curve, path],
            "swapped-names",
        ),
        (
            "points: u32, scale: f32",
            "points: f32, scale: f32",
            [spots, "curve main::Curve differ", path],
            "class-differs",
        ),
    ] {
        let answer = check(&shader.replace(right, wrong), 1);
        assert_eq!(pairs(&answer), differing, "{}", answer.out);
        let found = answer.json()["pairs"].as_array().unwrap().clone();
        let kinds = found.iter().filter_map(|pair| pair["mismatches"][0]["kind"].as_str());
        assert_eq!(kinds.collect::<Vec<_>>(), [kind], "{}", answer.out);
    }
}
