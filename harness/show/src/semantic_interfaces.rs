//! Inputs of a pixel shader of HLSL or Slang that the vertex shader does not write, or writes as another type or in another
//! order.
//!
//! Source: Direct3D 12 links by semantics (`D3D12_MESSAGE_ID_CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_*`: the name is not found,
//! the component type, the register's mask or its index differs). For Vulkan, DXC 1.7.2308 and slangc 2026.14.1 number the
//! locations of each stage in the order of its declarations.

use std::collections::BTreeMap;

use layoutproof_frontend::module::{EntryPoint, Module, StageWrapper};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::Type;
use layoutproof_layout::{Annotations, Argument};

use crate::stage_interfaces::stem;

/// Most varyings of a stage; more are left to compilers.
const MOST_VARYINGS: usize = 256;

/// What the vertex shaders of a source write, and what its pixel shaders read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SemanticStages {
    vertex: Vec<SemanticStage>,
    pixel: Vec<SemanticStage>,
    /// True if another stage may be between them.
    has_other_stages: bool,
}

/// The outputs of a vertex shader, or the inputs of a pixel shader, without system values.
#[derive(Clone, Debug, PartialEq)]
struct SemanticStage {
    entry: String,
    varyings: Vec<SemanticVarying>,
    /// True if each takes one location, in the order of the declarations.
    is_ordered: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct SemanticVarying {
    name: String,
    /// In upper case, without an index of 0: `TEXCOORD`, `TEXCOORD1`.
    semantic: String,
    ty: String,
    /// The kind of number and the count of components; `None` for matrices and arrays.
    vector: Option<(NumberKind, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberKind {
    Float,
    Integer,
    Other,
}

impl SemanticStages {
    pub fn of_module(module: &Module) -> Self {
        let mut found = Self::default();
        for entry in module.entry_points.iter().filter(|entry| entry.generics.is_empty()) {
            let attribute =
                entry.annotations.attribute(None, "shader").and_then(|attribute| attribute.arguments.first());
            let stage = match attribute {
                Some(Argument::Text(stage)) => Some(stage.as_str()),
                Some(Argument::Integer(_) | Argument::Other(_)) | None => entry.implied_stage(),
            };
            match stage {
                Some("vertex") => found.vertex.extend(outputs(entry)),
                Some("pixel" | "fragment") => found.pixel.extend(inputs(entry)),
                Some("hull" | "domain" | "geometry" | "mesh") => found.has_other_stages = true,
                Some(_) | None => {}
            }
        }
        found
    }
}

/// A sentence for each input that no output matches, in sources of one name (`sky.vs.hlsl`, `sky.ps.hlsl`) or in a set with one
/// vertex and one pixel shader.
pub fn unmatched_semantics(sources: &[(&str, &SemanticStages)]) -> Vec<String> {
    let mut draws: BTreeMap<&str, Vec<(&str, &SemanticStages)>> = BTreeMap::new();
    for (file, stages) in sources {
        draws.entry(stem(file)).or_default().push((file, stages));
    }
    let whole = sources.to_vec();
    let found: Vec<String> = draws.values().flat_map(|draw| of_draw(draw).unwrap_or_default()).collect();
    if draws.len() > 1 && draws.values().all(|draw| of_draw(draw).is_none()) {
        return of_draw(&whole).unwrap_or_default();
    }
    found
}

/// `None` unless there is one shader of each stage.
fn of_draw(draw: &[(&str, &SemanticStages)]) -> Option<Vec<String>> {
    if draw.iter().any(|(_, stages)| stages.has_other_stages) {
        return None;
    }
    let mut vertex = draw.iter().flat_map(|(file, stages)| stages.vertex.iter().map(move |stage| (*file, stage)));
    let mut pixel = draw.iter().flat_map(|(file, stages)| stages.pixel.iter().map(move |stage| (*file, stage)));
    let (Some((writer, outputs)), Some((reader, inputs))) = (vertex.next(), pixel.next()) else { return None };
    if vertex.next().is_some() || pixel.next().is_some() {
        return None;
    }

    let mut found = Vec::new();
    for input in &inputs.varyings {
        let SemanticVarying { name, semantic, ty, vector } = input;
        let words = format!("input `{ty} {name}` ({semantic}) of `{}` in {reader}", inputs.entry);
        let Some(output) = outputs.varyings.iter().find(|output| output.semantic == *semantic) else {
            found.push(format!("{words} has no output in `{}` of {writer}", outputs.entry));
            continue;
        };
        if let (Some(read), Some(written)) = (vector, output.vector)
            && (read.0 != written.0 || read.1 > written.1)
        {
            found.push(format!(
                "{words} does not match output `{} {}` of `{}` in {writer}",
                output.ty, output.name, outputs.entry
            ));
        }
    }
    if found.is_empty() && inputs.is_ordered && outputs.is_ordered {
        let place =
            |stage: &SemanticStage, semantic: &str| stage.varyings.iter().position(|it| it.semantic == semantic);
        let moved = inputs.varyings.iter().find_map(|input| {
            let (read, written) = (place(inputs, &input.semantic)?, place(outputs, &input.semantic)?);
            (read != written).then_some((input, read, written))
        });
        found.extend(moved.map(|(input, read, written)| {
            format!(
                "input `{} {}` ({}) of `{}` in {reader} is number {read}, the output of `{}` in {writer} is number {written}: for \
                 Vulkan, DXC and slangc make these the locations, and Direct3D 12 wants one register",
                input.ty, input.name, input.semantic, inputs.entry, outputs.entry
            )
        }));
    }
    Some(found)
}

fn outputs(entry: &EntryPoint) -> Option<SemanticStage> {
    let mut stage = SemanticStage::new(entry);
    for parameter in &entry.parameters {
        if parameter.annotations.modifiers.iter().any(|word| word == "out" || word == "inout") {
            stage.is_ordered &= !has_location(&parameter.annotations);
            stage.add(&parameter.name, &parameter.ty, parameter.annotations.semantic.as_deref())?;
        }
    }
    if let Some(result) = &entry.result {
        stage.add("the result", result, entry.result_semantic.as_deref())?;
    }
    Some(stage)
}

fn inputs(entry: &EntryPoint) -> Option<SemanticStage> {
    let mut stage = SemanticStage::new(entry);
    for parameter in entry.parameters.iter().filter(|parameter| !parameter.is_uniform()) {
        if parameter.wrapper == StageWrapper::None && !parameter.annotations.modifiers.iter().any(|word| word == "out")
        {
            stage.is_ordered &= !has_location(&parameter.annotations);
            stage.add(&parameter.name, &parameter.ty, parameter.annotations.semantic.as_deref())?;
        }
    }
    Some(stage)
}

impl SemanticStage {
    fn new(entry: &EntryPoint) -> Self {
        Self { entry: entry.name.clone(), varyings: Vec::new(), is_ordered: true }
    }

    /// Adds a varying, or those in a struct. `None` for a stage whose semantics do not follow from its members alone.
    fn add(&mut self, name: &str, ty: &Type, semantic: Option<&str>) -> Option<()> {
        match (ty, semantic) {
            (Type::Struct(structure), None) => {
                if let Some(base) = &structure.base {
                    self.add(name, &Type::Struct(base.clone()), None)?;
                }
                for member in &structure.members {
                    self.is_ordered &= !has_location(&member.annotations);
                    self.add(&member.name, &member.ty, member.annotations.semantic.as_deref())?;
                }
                Some(())
            }
            (_, None) | (Type::Struct(_), Some(_)) => None,
            (_, Some(semantic)) if semantic.to_ascii_uppercase().starts_with("SV_") => Some(()),
            (_, Some(semantic)) => {
                let vector = match ty {
                    Type::Scalar(scalar) => Some((number_kind(*scalar), 1)),
                    Type::Vector { scalar, length } => Some((number_kind(*scalar), *length)),
                    _ => None,
                };
                self.is_ordered &= vector.is_some_and(|(kind, _)| kind != NumberKind::Other);
                let semantic = semantic.to_ascii_uppercase();
                let stem = semantic.trim_end_matches(|letter: char| letter.is_ascii_digit());
                let index = semantic[stem.len()..].trim_start_matches('0');
                let semantic = format!("{stem}{index}");
                self.varyings.push(SemanticVarying { name: name.to_owned(), semantic, ty: ty.to_string(), vector });
                (self.varyings.len() <= MOST_VARYINGS).then_some(())
            }
        }
    }
}

/// True with `[[vk::location(2)]]`.
fn has_location(annotations: &Annotations) -> bool {
    annotations.attribute(Some("vk"), "location").is_some()
}

fn number_kind(scalar: Scalar) -> NumberKind {
    match scalar {
        Scalar::Float32 | Scalar::Half | Scalar::Float16 | Scalar::Min16Float | Scalar::Min10Float => NumberKind::Float,
        Scalar::Int32 | Scalar::Uint32 | Scalar::Int16 | Scalar::Uint16 => NumberKind::Integer,
        // 64 bits take two locations, and a bool is no varying everywhere.
        _ => NumberKind::Other,
    }
}
