//! Locations of an entry point's inputs and outputs.
//!
//! Each scalar, vector, matrix or array with a semantic is a separate variable. It takes the next
//! free location, in the order of the declarations. A matrix takes one location for each row,
//! whatever its order, and a vector of three or four 64-bit components takes two. Render targets
//! are at the number of their semantic, and a variable that is a builtin in SPIR-V has no location.
//! `vk::location` counts if all variables of a direction have it. Source: DXC's guide to SPIR-V
//! code generation, "HLSL semantic and Vulkan `Location`", and DXC 1.7.2308
//! (`DeclResultIdMapper.cpp`), with which this code was compared.
//!
//! Not modelled: stages with patches, primitives and meshes, whose variables are arrays over
//! vertices.

use std::sync::Arc;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{Annotations, Argument, LayoutUnit, Span};

use crate::options::StageOrder;
use crate::{Binding, BindingRequest};
use layoutproof_frontend::module::EntryPoint;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// The size of DXC's `LocationSet`.
const MOST_LOCATIONS: u32 = 64;

/// Limit on the visited values in the varyings of one entry point. No shader has more.
const MOST_VALUES: usize = 1 << 12;

/// The stages whose varyings are modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Vertex,
    Pixel,
}

/// An input or an output of the entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Input,
    Output,
}

/// A semantic with its number: `TEXCOORD` and 2 of `TEXCOORD2`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Semantic {
    /// In lowercase.
    name: String,
    index: u32,
}

/// One variable of the SPIR-V module.
#[derive(Clone, Debug)]
struct StageVariable {
    path: String,
    /// The text by which DXC sorts for `-fvk-stage-io-order=alpha`.
    written: String,
    semantic: Semantic,
    locations: u32,
    explicit: Option<u32>,
    span: Span,
}

/// Returns the rows of `entry`, and a warning if its locations are not modelled.
///
/// # Errors
/// DXC's errors: some variables with `vk::location` and others without, or more locations than DXC
/// has.
pub(super) fn locations(
    entry: &EntryPoint,
    request: &BindingRequest,
    order: StageOrder,
) -> Result<(Vec<Binding>, Option<Diagnostic>), Vec<Diagnostic>> {
    let stage = match stage(entry, request.profile.as_deref()) {
        EntryStage::Modelled(stage) => stage,
        EntryStage::NoVaryings => return Ok((Vec::new(), None)),
        EntryStage::NotModelled => {
            let message = format!(
                "layoutproof does not model the locations of `{}`, which is neither a vertex nor a pixel shader",
                entry.name
            );
            return Ok((Vec::new(), Some(Diagnostic::warning(Code::Skipped, entry.span, message))));
        }
        EntryStage::Unknown => {
            let message =
                format!("the stage of `{}` is unknown, so its inputs and outputs have no locations", entry.name);
            let warning = Diagnostic::warning(Code::Skipped, entry.span, message);
            return Ok((Vec::new(), Some(warning.with_help("name the stage, for example with --profile vs_6_0"))));
        }
    };

    let mut rows = Vec::new();
    for direction in [Direction::Input, Direction::Output] {
        let mut variables = StageVariables::new(stage, direction);
        variables.entry_point(entry);
        if let Some(span) = variables.array_of_structs {
            let message = "DXC refuses an input or output that is an array of structs";
            return Err(vec![Diagnostic::error(Code::Unsupported, span, message)]);
        }
        rows.extend(assign(variables.found, direction, order, entry.span)?);
    }
    Ok((rows, None))
}

/// The stage of an entry point, as far as its varyings are concerned.
#[derive(Clone, Copy, Debug)]
enum EntryStage {
    Modelled(Stage),
    /// Compute and ray-tracing shaders.
    NoVaryings,
    NotModelled,
    /// There are varyings, but the source does not name the stage.
    Unknown,
}

/// Returns the stage by `[shader]` or the profile, else by the semantics: an entry point that
/// writes `SV_Target` is a pixel shader, one that writes `SV_Position` a vertex shader.
fn stage(entry: &EntryPoint, profile: Option<&str>) -> EntryStage {
    let attribute = entry.annotations.attribute(None, "shader").and_then(|attribute| attribute.arguments.first());
    let named = match attribute {
        Some(Argument::Text(stage)) => Some(stage.as_str()),
        Some(Argument::Integer(_) | Argument::Other(_)) | None => profile.and_then(|profile| profile.split('_').next()),
    };
    match named {
        Some("vertex" | "vs") => EntryStage::Modelled(Stage::Vertex),
        Some("pixel" | "fragment" | "ps") => EntryStage::Modelled(Stage::Pixel),
        Some("geometry" | "gs" | "hull" | "hs" | "domain" | "ds" | "mesh" | "ms" | "amplification" | "as") => {
            EntryStage::NotModelled
        }
        // `sm_6_6` names no stage.
        Some("sm") | None => stage_by_semantics(entry),
        Some(_) => EntryStage::NoVaryings,
    }
}

fn stage_by_semantics(entry: &EntryPoint) -> EntryStage {
    const OTHER_STAGES: [&str; 4] = ["domain", "maxvertexcount", "outputcontrolpoints", "outputtopology"];
    if OTHER_STAGES.iter().any(|name| entry.annotations.attribute(None, name).is_some()) {
        return EntryStage::NotModelled;
    }
    if entry.annotations.attribute(None, "numthreads").is_some() {
        return EntryStage::NoVaryings;
    }

    let mut outputs = StageVariables { everything: true, ..StageVariables::new(Stage::Vertex, Direction::Output) };
    outputs.entry_point(entry);
    let writes = |names: &[&str]| outputs.found.iter().any(|one| names.contains(&one.semantic.name.as_str()));
    if writes(&["sv_target", "sv_depth", "sv_depthgreaterequal", "sv_depthlessequal", "sv_coverage", "sv_stencilref"]) {
        EntryStage::Modelled(Stage::Pixel)
    } else if writes(&["sv_position"]) {
        EntryStage::Modelled(Stage::Vertex)
    } else {
        let mut inputs = StageVariables::new(Stage::Pixel, Direction::Input);
        inputs.entry_point(entry);
        let has_varyings = !outputs.found.is_empty() || !inputs.found.is_empty();
        if has_varyings { EntryStage::Unknown } else { EntryStage::NoVaryings }
    }
}

/// Collects the variables of one direction in the order in which DXC makes them.
#[derive(Debug)]
struct StageVariables {
    stage: Stage,
    direction: Direction,
    found: Vec<StageVariable>,
    /// True if builtins are collected as well.
    everything: bool,
    /// The number of visited values. Structs that hold each other twice double them each time.
    steps: usize,
    /// The place of the first array of structs.
    array_of_structs: Option<Span>,
}

/// The properties that a member inherits from the declarations around it.
#[derive(Clone, Debug)]
struct Inherited {
    /// The semantic of a struct. Its members count it up.
    semantic: Semantic,
    written: String,
}

impl StageVariables {
    fn new(stage: Stage, direction: Direction) -> Self {
        Self { stage, direction, found: Vec::new(), everything: false, steps: 0, array_of_structs: None }
    }

    /// Adds the parameters in order. The result comes before the parameters that are written.
    fn entry_point(&mut self, entry: &EntryPoint) {
        if let (Direction::Output, Some(result)) = (self.direction, &entry.result) {
            let annotations = Annotations {
                semantic: entry.result_semantic.clone(),
                attributes: entry.annotations.attributes.clone(),
                ..Annotations::default()
            };
            self.value(&format!("{}.$result", entry.name), result, &annotations, None, entry.span);
        }
        for parameter in &entry.parameters {
            let has = |word: &str| parameter.annotations.modifiers.iter().any(|modifier| modifier == word);
            let passes = match self.direction {
                Direction::Input => has("inout") || has("in") || !has("out"),
                Direction::Output => has("inout") || has("out"),
            };
            // A `uniform` parameter is an input, too.
            if passes {
                let path = format!("{}.{}", entry.name, parameter.name);
                self.value(&path, &parameter.ty, &parameter.annotations, None, parameter.span);
            }
        }
    }

    /// Adds the variables of a value. Returns the number of semantic indices that it takes from a
    /// struct around it.
    fn value(
        &mut self,
        path: &str,
        ty: &Type,
        annotations: &Annotations,
        inherited: Option<&Inherited>,
        span: Span,
    ) -> u32 {
        self.steps += 1;
        if self.steps > MOST_VALUES {
            return 0;
        }
        let own = annotations
            .semantic
            .as_deref()
            .map(|written| Inherited { semantic: Semantic::of(written), written: written.to_owned() });
        let named = inherited.cloned().or(own);
        match ty {
            Type::Struct(structure) => self.members(path, structure, named.as_ref()),
            Type::Resource(_) => 0,
            Type::Array { .. } if matches!(ty.dimensions().0, Type::Struct(_)) => {
                self.array_of_structs = self.array_of_structs.or(Some(span));
                0
            }
            _ => {
                if let Some(Inherited { semantic, written }) = named {
                    self.variable(path, ty, annotations, semantic, written, span);
                }
                1
            }
        }
    }

    fn members(&mut self, path: &str, structure: &Arc<StructType>, named: Option<&Inherited>) -> u32 {
        let mut taken = 0;
        if let Some(base) = &structure.base {
            taken += self.members(path, base, named);
        }
        for Member { name, ty, annotations, span, .. } in &structure.members {
            let counted = named.cloned().map(|mut outer| {
                outer.semantic.index = outer.semantic.index.saturating_add(taken);
                outer
            });
            taken += self.value(&format!("{path}.{name}"), ty, annotations, counted.as_ref(), *span);
        }
        taken
    }

    fn variable(
        &mut self,
        path: &str,
        ty: &Type,
        annotations: &Annotations,
        semantic: Semantic,
        written: String,
        span: Span,
    ) {
        // Decorations of any kind may be a location or a builtin.
        let is_decorated =
            ["builtin", "ext_decorate"].iter().any(|name| annotations.attribute(Some("vk"), name).is_some());
        let has_location = !is_decorated && self.has_location(&semantic);
        if !(has_location || self.everything) {
            return;
        }
        let explicit =
            annotations.attribute(Some("vk"), "location").and_then(|attribute| match attribute.arguments.first()? {
                Argument::Integer(number) => u32::try_from(*number).ok(),
                Argument::Text(_) | Argument::Other(_) => None,
            });
        let path = path.to_owned();
        self.found.push(StageVariable { path, written, semantic, locations: taken(ty), explicit, span });
    }

    /// True if SPIR-V has no builtin for the semantic in this direction and stage.
    fn has_location(&self, semantic: &Semantic) -> bool {
        let Some(system) = semantic.name.strip_prefix("sv_") else { return true };
        match (self.stage, self.direction) {
            (Stage::Vertex, Direction::Input) => !matches!(
                system,
                "vertexid" | "instanceid" | "viewid" | "startvertexlocation" | "startinstancelocation"
            ),
            (Stage::Vertex, Direction::Output) | (Stage::Pixel, Direction::Input) => system == "instanceid",
            (Stage::Pixel, Direction::Output) => system == "target",
        }
    }
}

impl Semantic {
    fn of(written: &str) -> Self {
        let name = written.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let index = written[name.len()..].parse().unwrap_or(0);
        Self { name: name.to_ascii_lowercase(), index }
    }
}

/// Gives each variable its location.
fn assign(
    mut variables: Vec<StageVariable>,
    direction: Direction,
    order: StageOrder,
    entry: Span,
) -> Result<Vec<Binding>, Vec<Diagnostic>> {
    let word = if direction == Direction::Input { "input" } else { "output" };
    if variables.iter().any(|variable| variable.explicit.is_some()) {
        if let Some(without) = variables.iter().find(|variable| variable.explicit.is_none()) {
            let message = format!("partial explicit stage {word} location assignment via vk::location(X) unsupported");
            return Err(vec![Diagnostic::error(Code::MixedLocations, without.span, message)]);
        }
    }

    let targets = variables.iter().filter(|variable| variable.is_target()).map(|variable| variable.semantic.index);
    let targets: Vec<u32> = targets.collect();
    if order == StageOrder::Alphabetical {
        variables.sort_by(|one, other| one.written.cmp(&other.written));
    }

    let (mut next, mut rows) = (0, Vec::new());
    for variable in variables {
        let index = match variable.explicit {
            Some(location) => location,
            None if variable.is_target() => variable.semantic.index,
            None => {
                while targets.contains(&next) {
                    next += 1;
                }
                let location = next;
                next = next.saturating_add(variable.locations);
                location
            }
        };
        if index.saturating_add(variable.locations) > MOST_LOCATIONS {
            let message = format!("DXC has only {MOST_LOCATIONS} stage {word} locations");
            return Err(vec![Diagnostic::error(Code::TooLarge, entry, message)]);
        }
        rows.push(Binding {
            path: variable.path,
            unit: if direction == Direction::Input { LayoutUnit::LocationIn } else { LayoutUnit::LocationOut },
            space: 0,
            index,
            count: Count::Finite(variable.locations),
            span: variable.span,
        });
    }
    Ok(rows)
}

impl StageVariable {
    fn is_target(&self) -> bool {
        self.semantic.name == "sv_target"
    }
}

fn taken(ty: &Type) -> u32 {
    match ty {
        Type::Vector { scalar, length } => vector(*scalar, *length),
        // In DXC a matrix of one column is a vector.
        Type::Matrix { scalar, rows, columns: 1, .. } => vector(*scalar, *rows),
        Type::Matrix { scalar, rows, columns, .. } => rows.saturating_mul(vector(*scalar, *columns)),
        Type::Array { element, count: Count::Finite(count) } => taken(element).saturating_mul(*count),
        Type::Array { element, count: Count::Unbounded } => taken(element),
        _ => 1,
    }
}

fn vector(scalar: Scalar, length: u32) -> u32 {
    match scalar {
        Scalar::Float64 | Scalar::Int64 | Scalar::Uint64 if length > 2 => 2,
        _ => 1,
    }
}
