//! Inputs of a stage that the stage before it does not write, or writes as another type.
//!
//! Source: Vulkan specification, 15.1.3 Interface Matching: location, component and type of an input are those of an output,
//! which may have more components. An input that no output matches has an undefined value.

use std::collections::BTreeMap;
use std::path::Path;

use layoutproof_layout::scalar::Scalar;
use layoutproof_readers::spirv::{DeclaredVarying, DrawStage, VaryingDirection};

/// An input or output of a shader.
#[derive(Clone, Copy, Debug)]
pub struct ShaderVarying<'a> {
    pub file: &'a str,
    pub varying: &'a DeclaredVarying,
}

/// A sentence for each input without a matching output, for shaders of one name (`sky.vert`, `sky.frag`) and for a set with
/// one shader of each stage.
pub fn unmatched_inputs(varyings: &[ShaderVarying<'_>]) -> Vec<String> {
    let mut draws: BTreeMap<&str, Vec<ShaderVarying<'_>>> = BTreeMap::new();
    for varying in varyings {
        draws.entry(stem(varying.file)).or_default().push(*varying);
    }
    if draws.len() > 1 && shaders_by_stage(varyings).is_some() {
        draws = BTreeMap::from([("", varyings.to_vec())]);
    }
    draws.values().flat_map(|draw| unmatched(draw)).collect()
}

/// `sky` for `shaders/sky.vert.spv`.
pub(crate) fn stem(file: &str) -> &str {
    let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file);
    name.split('.').next().unwrap_or(name)
}

/// The shader of each stage; `None` if a stage has several.
fn shaders_by_stage<'a>(varyings: &[ShaderVarying<'a>]) -> Option<BTreeMap<DrawStage, (&'a str, &'a str)>> {
    let mut found = BTreeMap::new();
    for ShaderVarying { file, varying } in varyings {
        let shader = (*file, varying.entry.as_str());
        let Some(stage) = varying.stage else { continue };
        if *found.entry(stage).or_insert(shader) != shader {
            return None;
        }
    }
    Some(found)
}

fn unmatched(draw: &[ShaderVarying<'_>]) -> Vec<String> {
    let Some(stages) = shaders_by_stage(draw) else { return Vec::new() };
    let stages: Vec<DrawStage> = stages.into_keys().collect();
    let of = |stage: DrawStage, direction: VaryingDirection| {
        let is_of = move |it: &&ShaderVarying<'_>| (it.varying.stage, it.varying.direction) == (Some(stage), direction);
        draw.iter().filter(is_of)
    };
    let mut found = Vec::new();
    for pair in stages.windows(2) {
        let outputs: Vec<_> = of(pair[0], VaryingDirection::Output).collect();
        // A stage without any may write them in code that was not read.
        for input in of(pair[1], VaryingDirection::Input).filter(|_| !outputs.is_empty()) {
            found.extend(mismatch(input, &outputs));
        }
    }
    found
}

fn mismatch(input: &ShaderVarying<'_>, outputs: &[&ShaderVarying<'_>]) -> Option<String> {
    let DeclaredVarying { path, location, component, .. } = input.varying;
    let words = format!("input `{path}` of {} ({}, location {location})", input.file, type_words(input.varying));
    let at_location = |it: &&&ShaderVarying<'_>| {
        let output = it.varying;
        (output.location..output.location.saturating_add(output.locations)).contains(location)
    };
    let mut at_location = outputs.iter().filter(at_location).peekable();
    let Some(first) = at_location.peek() else {
        return Some(format!("{words} has no output in {}", outputs[0].file));
    };
    let names = format!("`{}` of {} ({})", first.varying.path, first.file, type_words(first.varying));
    let is_matching = |output: &DeclaredVarying| {
        // Inside of an array or a struct, the types tell no more.
        let is_first = output.location == *location;
        let is_same_type =
            output.scalar == input.varying.scalar || output.scalar.is_none() || input.varying.scalar.is_none();
        let is_covered = output.component == *component && output.components >= input.varying.components;
        is_same_type && (is_covered || !is_first)
    };
    (!at_location.any(|it| is_matching(it.varying))).then(|| format!("{words} does not match output {names}"))
}

/// `vec3`, `ivec2 from component 2`.
fn type_words(varying: &DeclaredVarying) -> String {
    let Some(scalar) = varying.scalar else { return "struct".to_owned() };
    let count = varying.components / if is_wide(scalar) { 2 } else { 1 };
    let vector = match scalar {
        Scalar::Float32 => "vec",
        Scalar::Float64 => "dvec",
        Scalar::Float16 => "f16vec",
        Scalar::Int32 => "ivec",
        Scalar::Uint32 => "uvec",
        other => other.spelling(),
    };
    let ty = if count == 1 { scalar.spelling().to_owned() } else { format!("{vector}{count}") };
    if varying.component == 0 { ty } else { format!("{ty} from component {}", varying.component) }
}

fn is_wide(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Float64 | Scalar::Int64 | Scalar::Uint64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varying(
        stage: DrawStage,
        (location, component): (u32, u32),
        (scalar, components): (Scalar, u32),
    ) -> DeclaredVarying {
        DeclaredVarying {
            entry: "main".to_owned(),
            stage: Some(stage),
            path: format!("v{location}"),
            direction: if stage == DrawStage::Vertex { VaryingDirection::Output } else { VaryingDirection::Input },
            location,
            locations: 1,
            opengl_locations: 1,
            component,
            components,
            scalar: Some(scalar),
            index: 0,
        }
    }

    fn found(files: [&str; 2], output: &DeclaredVarying, input: &DeclaredVarying) -> Vec<String> {
        let all = [(files[0], output), (files[1], input)];
        unmatched_inputs(&all.map(|(file, varying)| ShaderVarying { file, varying }))
    }

    /// glslang 16.6.0 `-l` reports each of these but the missing output ("Types must match", "Layout component qualifier must
    /// match"), and also outputs that are longer than their inputs, which Vulkan allows.
    #[test]
    fn inputs_match_outputs_of_their_location() {
        use DrawStage::{Fragment, Vertex};
        let float = |count| (Scalar::Float32, count);
        let files = ["a.vert", "a.frag"];
        let vertex = varying(Vertex, (0, 0), float(3));
        let against = |place, ty| found(files, &vertex, &varying(Fragment, place, ty));
        assert!(against((0, 0), float(3)).is_empty());
        assert!(against((0, 0), float(2)).is_empty());
        let longer = "input `v0` of a.frag (vec4, location 0) does not match output `v0` of a.vert (vec3)";
        assert_eq!(against((0, 0), float(4)), [longer]);
        assert_eq!(against((0, 0), (Scalar::Int32, 3)).len(), 1);
        assert!(against((0, 1), float(2))[0].contains("(vec2 from component 1, location 0)"));
        assert_eq!(against((1, 0), float(3)), ["input `v1` of a.frag (vec3, location 1) has no output in a.vert"]);
        // Shaders of one draw by their names, or by being the only ones.
        let other = varying(Fragment, (1, 0), float(3));
        assert_eq!(found(["a.vert", "b.frag"], &vertex, &other).len(), 1);
        let second = varying(Vertex, (5, 0), float(3));
        let three = [("a.vert", &vertex), ("b.frag", &other), ("c.vert", &second)];
        assert!(unmatched_inputs(&three.map(|(file, varying)| ShaderVarying { file, varying })).is_empty());
    }
}
