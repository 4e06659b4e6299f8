//! Writes a binding program in WGSL: one variable for each binding, and one entry point that reads
//! all of them.
//!
//! Source: WebGPU Shading Language, 6.5 Texture and Sampler Types, 12.3.2 Resource Interface, 17.7
//! Texture Built-in Functions.

use layoutproof_device::{ImageKind, ImageView, TexelType};

use layoutproof_probes::binding::{
    BindingProgram, BindingSite, BoundKind, ENTRY, FIRST_ANSWER, FRAGMENT_ENTRY, LocationWord, Pass, ProbedBinding,
    ProgramRead, is_sampled_cube,
};
use layoutproof_probes::image::REFILL_WORD;

/// Largest `@id` of an override.
const MOST_ID: u32 = 0xFFFF;

/// Returns the reason why WGSL cannot express the binding, as a lowercase fragment; `None` if it
/// can.
pub fn not_expressible(probed: &ProbedBinding) -> Option<String> {
    let lacks = |what: &str| Some(format!("{what}, which WGSL has not"));
    match (probed.kind, probed.site) {
        (_, BindingSite::Descriptor { .. }) if probed.elements > 1 => lacks("an array of bindings"),
        (BoundKind::Image { kind: ImageKind::Combined, .. }, _) => lacks("a combined image sampler"),
        (BoundKind::Image { kind: ImageKind::UniformTexels | ImageKind::StorageTexels, .. }, _) => {
            lacks("a typed buffer")
        }
        (BoundKind::Image { view: ImageView::D1Array, .. }, _) => lacks("an array of 1D textures"),
        (BoundKind::Image { kind: ImageKind::Storage, view: ImageView::Cube | ImageView::CubeArray, .. }, _) => {
            lacks("a storage cube map")
        }
        (BoundKind::Sampler { comparison: true }, _) => {
            Some("a sampler that compares: WebGPU copies nothing to the depths that would tell it".to_owned())
        }
        (BoundKind::Constant, BindingSite::Constant { id }) if id > MOST_ID => lacks("a constant id above 65535"),
        (
            BoundKind::Uniform
            | BoundKind::Storage { .. }
            | BoundKind::Image { .. }
            | BoundKind::Sampler { comparison: false }
            | BoundKind::PushConstants
            | BoundKind::Constant
            | BoundKind::Varying
            | BoundKind::Target,
            _,
        ) => None,
    }
}

/// Writes the text of `program`, which must bind only what WGSL can express (see
/// [`not_expressible`]).
pub fn module(program: &BindingProgram) -> String {
    match program.pass {
        Pass::Compute => compute(program),
        Pass::Varyings => varyings(program),
        Pass::Targets => targets(program),
    }
}

fn compute(program: &BindingProgram) -> String {
    let mut lines = Vec::new();
    lines.push("struct Block { word: vec4<u32> }".to_owned());
    let owners = owners(program);
    lines.extend(owners.iter().map(|(index, probed)| declaration(*index, probed)));

    let tools = &program.tools;
    lines.push(format!("@group(0) @binding({}) var<storage, read_write> output: array<u32>;", tools.output));
    let levels = tools.levels.iter().enumerate();
    lines.extend(
        levels.map(|(index, binding)| format!("@group(0) @binding({binding}) var levels{index}: texture_2d<f32>;")),
    );
    if program.reads_cubes() {
        lines.push(format!("@group(0) @binding({}) var nearest: sampler;", tools.nearest));
    }

    let samplers = program.sampler_reads();
    let answer = |(index, word): (usize, u32)| {
        let levels = samplers.iter().position(|sampler| *sampler == index).unwrap_or(0);
        format!("    output[{word}] = {};", expression(program, program.reads[index], levels))
    };
    let answers: Vec<String> = (0..program.reads.len()).zip(FIRST_ANSWER..).map(answer).collect();

    lines.push(format!("@compute @workgroup_size(1)\nfn {ENTRY}() {{\n    output[0] = output[1];"));
    lines.extend(answers);
    lines.push("}\n".to_owned());
    lines.join("\n")
}

/// Returns the first parameter at each place. WGSL does not allow an entry point to use two
/// variables at one place.
fn owners(program: &BindingProgram) -> Vec<(usize, &ProbedBinding)> {
    let all = || program.bound.iter().enumerate();
    all().filter(|(index, _)| owner(program, *index) == *index).collect()
}

/// Returns the index of the parameter whose variable serves for `index`.
fn owner(program: &BindingProgram, index: usize) -> usize {
    let site = program.bound[index].site;
    program.bound.iter().position(|probed| probed.site == site).unwrap_or(index)
}

fn declaration(index: usize, probed: &ProbedBinding) -> String {
    let ty = match probed.kind {
        BoundKind::Uniform | BoundKind::Storage { .. } | BoundKind::PushConstants => "Block".to_owned(),
        BoundKind::Image { kind: ImageKind::Storage, view, texel } => {
            format!("texture_storage_{}<{}, read>", dimension(view), format(texel))
        }
        BoundKind::Image { view, texel, .. } => format!("texture_{}<{}>", dimension(view), component(texel)),
        BoundKind::Sampler { comparison: false } => "sampler".to_owned(),
        BoundKind::Sampler { comparison: true } => "sampler_comparison".to_owned(),
        BoundKind::Constant | BoundKind::Varying | BoundKind::Target => "u32".to_owned(),
    };

    let space = match probed.kind {
        BoundKind::Uniform => "<uniform>",
        BoundKind::Storage { writable: true } => "<storage, read_write>",
        BoundKind::Storage { writable: false } => "<storage, read>",
        BoundKind::PushConstants => "<immediate>",
        BoundKind::Image { .. } | BoundKind::Sampler { .. } => "",
        BoundKind::Constant | BoundKind::Varying | BoundKind::Target => "<private>",
    };

    match probed.site {
        BindingSite::Descriptor { set, binding, .. } => {
            format!("@group({set}) @binding({binding}) var{space} r{index}: {ty};")
        }
        BindingSite::Constant { id } => format!("@id({id}) override r{index}: u32 = {REFILL_WORD}u;"),
        BindingSite::PushConstants | BindingSite::Varying { .. } | BindingSite::Target { .. } => {
            format!("var{space} r{index}: {ty};")
        }
    }
}

/// Returns the `u32` expression of a read. A sampler reads texture number `levels`.
fn expression(program: &BindingProgram, read: ProgramRead, levels: usize) -> String {
    let index = owner(program, read.of);
    let probed = &program.bound[index];
    let name = format!("r{index}");
    match probed.kind {
        BoundKind::Uniform | BoundKind::Storage { .. } | BoundKind::PushConstants => format!("{name}.word.x"),
        BoundKind::Constant | BoundKind::Varying | BoundKind::Target => name,
        BoundKind::Sampler { .. } => {
            format!("bitcast<u32>(textureSampleLevel(levels{levels}, {name}, vec2(0.0), 0.0).x)")
        }
        BoundKind::Image { view, texel, .. } if is_sampled_cube(probed.kind) => cube(&name, view, texel),
        BoundKind::Image { kind, view, .. } => {
            let level = if kind == ImageKind::Storage { "" } else { ", 0" };
            format!("bitcast<u32>(textureLoad({name}, {}{level}).x)", coordinates(view))
        }
    }
}

/// Returns the expression that reads a cube map. Integers are gathered, because only floats can be
/// sampled.
fn cube(name: &str, view: ImageView, texel: TexelType) -> String {
    let layer = if view == ImageView::CubeArray { ", 0" } else { "" };
    match texel {
        TexelType::Float | TexelType::Depth => {
            format!("bitcast<u32>(textureSampleLevel({name}, nearest, vec3(1.0, 0.0, 0.0){layer}, 0.0).x)")
        }
        TexelType::Sint | TexelType::Uint => {
            format!("bitcast<u32>(textureGather(0, {name}, nearest, vec3(1.0, 0.0, 0.0){layer}).x)")
        }
    }
}

/// The dimension in the name of a texture type.
fn dimension(view: ImageView) -> &'static str {
    match view {
        ImageView::D1 | ImageView::D1Array => "1d",
        ImageView::D2 => "2d",
        ImageView::D2Array => "2d_array",
        ImageView::D3 => "3d",
        ImageView::Cube => "cube",
        ImageView::CubeArray => "cube_array",
    }
}

/// The coordinates of the first texel, with a layer if the view has layers.
fn coordinates(view: ImageView) -> &'static str {
    match view {
        ImageView::D1 => "0",
        ImageView::D2 => "vec2(0, 0)",
        ImageView::D1Array => "0, 0",
        ImageView::D2Array | ImageView::Cube | ImageView::CubeArray => "vec2(0, 0), 0",
        ImageView::D3 => "vec3(0, 0, 0)",
    }
}

fn component(texel: TexelType) -> &'static str {
    match texel {
        TexelType::Float | TexelType::Depth => "f32",
        TexelType::Sint => "i32",
        TexelType::Uint => "u32",
    }
}

fn format(texel: TexelType) -> &'static str {
    match texel {
        TexelType::Float | TexelType::Depth => "rgba32float",
        TexelType::Sint => "rgba32sint",
        TexelType::Uint => "rgba32uint",
    }
}

fn varyings(program: &BindingProgram) -> String {
    let members = program.distinct_locations();
    let declare = |LocationWord { location, .. }: &LocationWord| {
        format!("    @location({location}) @interpolate(flat) at{location}: u32,\n")
    };
    let declared = members.iter().map(declare);
    let declared: String = declared.collect();
    let values = std::iter::once("vec4(0.0, 0.0, 0.0, 1.0)".to_owned());
    let values: Vec<String> = values.chain(members.iter().map(|member| format!("{}u", member.word))).collect();

    let locations = program.locations();
    let texels = locations.chunks(4).map(|four| {
        let member = |at: &LocationWord| format!("point.at{}", at.location);
        let components = (0..4).map(|index| four.get(index).map_or("0u".to_owned(), member));
        format!("vec4({})", components.collect::<Vec<_>>().join(", "))
    });
    let texels: Vec<String> = texels.collect();
    let outputs: String = (0_u32..).zip(&texels).map(|(index, _)| target(index)).collect();

    format!(
        "struct Point {{\n    @builtin(position) position: vec4<f32>,\n{declared}}}\nstruct Targets {{\n{outputs}}}\n\
         @vertex\nfn {ENTRY}() -> Point {{\n    return Point({});\n}}\n\
         @fragment\nfn {FRAGMENT_ENTRY}(point: Point) -> Targets {{\n    return Targets({});\n}}\n",
        values.join(", "),
        texels.join(", ")
    )
}

fn targets(program: &BindingProgram) -> String {
    let locations = program.distinct_locations();
    let outputs: String = locations.iter().map(|at| target(at.location)).collect();
    let texels: Vec<String> = locations.iter().map(|at| format!("vec4({}u)", at.word)).collect();
    format!(
        "struct Targets {{\n{outputs}}}\n\
         @vertex\nfn {ENTRY}() -> @builtin(position) vec4<f32> {{\n    return vec4(0.0, 0.0, 0.0, 1.0);\n}}\n\
         @fragment\nfn {FRAGMENT_ENTRY}() -> Targets {{\n    return Targets({});\n}}\n",
        texels.join(", ")
    )
}

fn target(location: u32) -> String {
    format!("    @location({location}) target{location}: vec4<u32>,\n")
}
