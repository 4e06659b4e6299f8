//! Reads bindings from Slang's reflection: one row for each unit of each global parameter, or of each resource and
//! buffer inside of them.

use std::collections::BTreeMap;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, ShaderTarget};

use super::layouts::{BASE, LayoutsJson, TypeJson, VariableJson, VariablePlaceJson};
use super::{Amount, count};
use crate::ReadError;

/// One unit of one global parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReflectedBinding {
    pub name: String,
    /// Never bytes.
    pub unit: LayoutUnit,
    /// Register space, descriptor set or group.
    pub space: u32,
    /// First index of the unit; `None` if slangc found no place after an unbounded array and writes
    /// `unbounded`.
    pub index: Option<u32>,
    pub count: Count,
}

/// The places of a whole program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReflectedPlaces {
    /// A row for each unit of each resource and buffer, as `name` its path: `s.D`, `pairs[].b`, `$Globals`.
    pub rows: Vec<ReflectedBinding>,
    /// Parameters with a place that the JSON does not have: those of an entry point count from a place that it leaves out,
    /// and what another module decides is `unknown`.
    pub unplaced: Vec<String>,
}

/// The rows of the global parameters, in the order of the JSON.
pub fn parameters(json: &str) -> Result<Vec<ReflectedBinding>, ReadError> {
    let program: LayoutsJson = serde_json::from_str(json)?;
    let mut rows = Vec::new();
    for parameter in program.parameters {
        for place in parameter.places() {
            let Some(unit) = unit_of(&parameter.name, &place.kind)?.filter(|unit| !is_varying(*unit)) else { continue };
            rows.push(ReflectedBinding {
                name: parameter.name.clone(),
                unit,
                space: space(&parameter.name, place)?,
                index: index(&parameter.name, place)?,
                count: amount(&parameter.name, place)?,
            });
        }
    }
    Ok(rows)
}

/// The rows of all resources and buffers of a program for `target`, also those inside structs, arrays and blocks.
///
/// The JSON leaves out the place of the buffer of loose globals. slangc gives it the first index of the first space
/// that no parameter names, before it places the others, so it is the first that none of them has.
///
/// Source: Slang user guide, Parameter Layout Rules and Using the Reflection API, cumulative offsets; slangc 2026.14.1.
pub fn reflected_places(json: &str, target: ShaderTarget) -> Result<ReflectedPlaces, ReadError> {
    let program: LayoutsJson = serde_json::from_str(json)?;
    let mut reader = PlacesReader { target, places: ReflectedPlaces::default() };
    if program.parameters.iter().any(|parameter| parameter.bytes().is_some()) {
        reader.place("$Globals", |reader| reader.globals(&program.parameters))?;
    }
    for parameter in &program.parameters {
        let path = &parameter.name;
        reader.place(path, |reader| reader.variable(parameter, path, &Reach::start()))?;
    }
    for entry in &program.entry_points {
        let prefix = |name: &str| format!("{}.{name}", entry.name);
        for parameter in &entry.parameters {
            if parameter.places().all(|place| is_passed(&place.kind)) {
                let path = prefix(&parameter.name);
                reader.place(&path, |reader| reader.variable(parameter, &path, &Reach::start()))?;
            } else {
                reader.places.unplaced.push(prefix(&parameter.name));
            }
        }
        if let Some(result) = &entry.result {
            let path = prefix("$result");
            reader.place(&path, |reader| reader.variable(result, &path, &Reach::start()))?;
        }
    }
    Ok(reader.places)
}

/// The sum of the places of the variables on an access path.
#[derive(Clone)]
struct Reach {
    /// Spaces and indices, counted from the deepest parameter block with a space of its own.
    sums: BTreeMap<LayoutUnit, (u32, Option<u32>)>,
    /// The space of that block.
    block: Option<u32>,
    /// Whole spaces on the path.
    spaces: u32,
    /// The product of the lengths of the arrays on the path.
    elements: Count,
}

impl Reach {
    fn start() -> Self {
        Self { sums: BTreeMap::new(), block: None, spaces: 0, elements: Count::Finite(1) }
    }

    fn through(&self, variable: &VariableJson, path: &str) -> Result<Self, ReadError> {
        let mut reach = self.clone();
        for place in variable.places() {
            let Some(unit) = unit_of(path, &place.kind)? else { continue };
            let index = index(path, place)?;
            let (space, sum) = reach.sums.entry(unit).or_insert((0, Some(0)));
            *space = space.saturating_add(self::space(path, place)?);
            *sum = sum.zip(index).map(|(sum, index)| sum.saturating_add(index));
            if unit == LayoutUnit::Space {
                reach.spaces = reach.spaces.saturating_add(index.unwrap_or(0));
            }
        }
        Ok(reach)
    }
}

struct PlacesReader {
    target: ShaderTarget,
    places: ReflectedPlaces,
}

impl PlacesReader {
    /// Adds the rows of one parameter, or its name if the JSON has no number for a place of it.
    fn place(&mut self, path: &str, rows: impl FnOnce(&mut Self) -> Result<(), ReadError>) -> Result<(), ReadError> {
        let before = self.places.rows.len();
        match rows(self) {
            Err(ReadError::NoNumber { .. }) => {
                self.places.rows.truncate(before);
                self.places.unplaced.push(path.to_owned());
                Ok(())
            }
            result => result,
        }
    }

    /// Adds the buffer of the loose globals.
    fn globals(&mut self, parameters: &[VariableJson]) -> Result<(), ReadError> {
        let unit = match self.target {
            ShaderTarget::Vulkan | ShaderTarget::Webgpu => LayoutUnit::Binding,
            ShaderTarget::D3d12
            | ShaderTarget::Metal
            | ShaderTarget::Opengl
            | ShaderTarget::Cuda
            | ShaderTarget::Cpu => LayoutUnit::ConstantBuffer,
        };
        let mut taken = SlotLine::new();
        for parameter in parameters {
            for place in parameter.places() {
                if unit_of(&parameter.name, &place.kind)? == Some(unit) && space(&parameter.name, place)? == 0 {
                    let count = match (unit, amount(&parameter.name, place)?) {
                        (LayoutUnit::Binding, _) => Count::Finite(1),
                        (_, count) => count,
                    };
                    taken.push((index(&parameter.name, place)?, count));
                }
            }
        }
        let index = first_free(&taken);
        self.row("$Globals", unit, (0, index), Count::Finite(1));
        Ok(())
    }

    fn row(&mut self, path: &str, unit: LayoutUnit, (space, index): (u32, Option<u32>), count: Count) {
        let unit = match (self.target, unit) {
            (ShaderTarget::Metal, LayoutUnit::ConstantBuffer | LayoutUnit::UnorderedAccess) => LayoutUnit::MetalBuffer,
            (ShaderTarget::Metal, LayoutUnit::ShaderResource) => LayoutUnit::MetalTexture,
            (ShaderTarget::Metal, LayoutUnit::Sampler) => LayoutUnit::MetalSampler,
            (_, unit) => unit,
        };
        self.places.rows.push(ReflectedBinding { name: path.to_owned(), unit, space, index, count });
    }

    fn variable(&mut self, variable: &VariableJson, path: &str, outer: &Reach) -> Result<(), ReadError> {
        let reach = outer.through(variable, path)?;
        self.parts(variable, &variable.ty, path, &reach)
    }

    /// Adds the rows of a type, or of the element of an array, which `variable` has.
    fn parts(&mut self, variable: &VariableJson, ty: &TypeJson, path: &str, reach: &Reach) -> Result<(), ReadError> {
        match (&ty.container_var_layout, &ty.element_var_layout) {
            (Some(container), Some(element)) => return self.contained(container, element, path, reach),
            // slangc shows a handle between stages as a struct without fields.
            _ if !ty.fields.is_empty() => return self.fields(&ty.fields, path, reach),
            _ => {}
        }
        match ty.element_type.as_deref().filter(|element| ty.kind == "array" && holds_more(element)) {
            Some(element) => {
                let is_varying = variable.places().any(|place| is_passed(&place.kind));
                let count = match count(path, ty.element_count.as_ref())? {
                    _ if is_varying => Count::Finite(1),
                    Some(Count::Finite(0)) | None => Count::Unbounded,
                    Some(count) => count,
                };
                let reach = Reach { elements: reach.elements.times(count), ..reach.clone() };
                self.parts(variable, element, &format!("{path}[]"), &reach)
            }
            None => self.leaf(variable, path, reach),
        }
    }

    fn fields(&mut self, fields: &[VariableJson], path: &str, reach: &Reach) -> Result<(), ReadError> {
        for (index, field) in fields.iter().enumerate() {
            // Members of a base struct count as members of the struct itself.
            if field.name == BASE && field.ty.kind == "struct" {
                self.fields(&field.ty.fields, path, &reach.through(field, path)?)?;
            } else {
                self.variable(field, &format!("{path}.{}", field.name_at(index)), reach)?;
            }
        }
        Ok(())
    }

    /// A buffer or block: the units that it takes itself, then those of its resources.
    fn contained(
        &mut self,
        container: &VariableJson,
        element: &VariableJson,
        path: &str,
        reach: &Reach,
    ) -> Result<(), ReadError> {
        let has_space = container.place("subElementRegisterSpace").is_some();
        let outside = match has_space.then_some(reach.spaces) {
            Some(block) => Reach { sums: BTreeMap::new(), block: Some(block), ..reach.clone() },
            None => reach.clone(),
        };
        self.leaf(container, path.trim_end_matches("[]"), &outside.through(container, path)?)?;
        let inside = outside.through(element, path)?;
        self.parts(element, &element.ty, path, &inside)
    }

    /// Adds a row for each unit that a variable takes itself.
    fn leaf(&mut self, variable: &VariableJson, path: &str, reach: &Reach) -> Result<(), ReadError> {
        let mut units = Vec::new();
        for place in variable.places() {
            units.extend(unit_of(path, &place.kind)?.map(|unit| (unit, place)));
        }
        let is_bound = |unit: LayoutUnit| matches!(unit, LayoutUnit::PushConstant | LayoutUnit::ShaderRecord);
        let lacks_bindings = self.target == ShaderTarget::Metal || units.iter().any(|(unit, _)| is_bound(*unit));
        units.sort_by_key(|(unit, _)| *unit);
        for (unit, place) in units {
            if unit == LayoutUnit::Binding && lacks_bindings {
                continue;
            }
            let count = amount(path, place)?;
            // On Metal, the other unit of a parameter with a register and a binding.
            if count == Count::Finite(0) {
                continue;
            }
            let count = if unit == LayoutUnit::Binding { count } else { count.times(reach.elements) };
            let (space, index) = reach.sums.get(&unit).copied().unwrap_or((0, Some(0)));
            let is_unbounded = count == Count::Unbounded || reach.elements == Count::Unbounded;
            let at = match (unit, reach.block) {
                (LayoutUnit::Space, block) => (0, Some(block.unwrap_or(reach.spaces))),
                (_, Some(block)) => (space.saturating_add(block), index),
                (_, None) if is_unbounded => (space.saturating_add(reach.spaces), index),
                (_, None) => (space, index),
            };
            self.row(path, unit, at, count);
        }
        Ok(())
    }
}

/// Slots of one space: the first, if slangc found one, and their number.
type SlotLine = Vec<(Option<u32>, Count)>;

/// The first slot that none of these ranges has; `None` if there is none.
fn first_free(taken: &[(Option<u32>, Count)]) -> Option<u32> {
    let mut ranges: Vec<(u32, Count)> = taken.iter().filter_map(|(first, count)| Some(((*first)?, *count))).collect();
    ranges.sort_by_key(|(first, _)| *first);
    let mut free = 0u32;
    for (first, count) in ranges {
        match count {
            _ if first > free => break,
            Count::Unbounded => return None,
            Count::Finite(count) => free = free.max(first.checked_add(count)?),
        }
    }
    Some(free)
}

/// True if parts of an element have their own rows.
fn holds_more(element: &TypeJson) -> bool {
    let inner = element.element_type.as_deref().filter(|_| element.kind == "array");
    !element.fields.is_empty() || element.element_var_layout.is_some() || inner.is_some_and(holds_more)
}

/// The unit of a kind of binding; `None` for bytes, and for what no host binds: stages pass payloads and attributes to
/// each other, existentials specialise a program, elements of argument buffers have bytes.
fn unit_of(name: &str, kind: &str) -> Result<Option<LayoutUnit>, ReadError> {
    Ok(Some(match kind {
        "uniform"
        | "metalArgumentBufferElement"
        | "metalAttribute"
        | "metalPayload"
        | "existentialTypeParam"
        | "existentialObjectParam"
        | "rayPayload"
        | "hitAttributes"
        | "callablePayload"
        | "generic" => return Ok(None),
        "constantBuffer" => LayoutUnit::ConstantBuffer,
        "shaderResource" => LayoutUnit::ShaderResource,
        "unorderedAccess" => LayoutUnit::UnorderedAccess,
        "samplerState" => LayoutUnit::Sampler,
        "descriptorTableSlot" => LayoutUnit::Binding,
        "registerSpace" | "subElementRegisterSpace" => LayoutUnit::Space,
        "pushConstantBuffer" => LayoutUnit::PushConstant,
        "specializationConstant" => LayoutUnit::ConstantId,
        "inputAttachmentIndex" => LayoutUnit::InputAttachment,
        "shaderRecord" => LayoutUnit::ShaderRecord,
        "varyingInput" => LayoutUnit::LocationIn,
        "varyingOutput" => LayoutUnit::LocationOut,
        kind => {
            let problem = "has a binding of unknown kind";
            return Err(ReadError::Parameter { parameter: name.to_owned(), problem, word: kind.to_owned() });
        }
    }))
}

fn is_varying(unit: LayoutUnit) -> bool {
    matches!(unit, LayoutUnit::LocationIn | LayoutUnit::LocationOut)
}

/// True for a kind of binding of values that stages pass to each other.
fn is_passed(kind: &str) -> bool {
    matches!(
        kind,
        "varyingInput" | "varyingOutput" | "rayPayload" | "hitAttributes" | "callablePayload" | "metalPayload"
    )
}

fn amount(name: &str, place: &VariablePlaceJson) -> Result<Count, ReadError> {
    Ok(count(name, place.count.as_ref())?.unwrap_or(Count::Finite(1)))
}

fn space(name: &str, place: &VariablePlaceJson) -> Result<u32, ReadError> {
    match place.space.as_ref() {
        None => Ok(0),
        Some(Amount::Number(space)) => Ok(*space),
        Some(other) => Err(ReadError::NoNumber { parameter: name.to_owned(), word: other.word().to_owned() }),
    }
}

fn index(name: &str, place: &VariablePlaceJson) -> Result<Option<u32>, ReadError> {
    Ok(match count(name, place.index.as_ref())?.unwrap_or(Count::Finite(0)) {
        Count::Finite(index) => Some(index),
        Count::Unbounded => None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use layoutproof_bindings::{BindingRequest, Convention, Target, bind};
    use layoutproof_frontend::module::{EntryParameter, StageWrapper};
    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::Span;
    use layoutproof_source::sources::SourceMap;

    use super::*;

    /// Shortened from slangc 2026.14.1, `-target hlsl -profile sm_6_6`.
    const JSON: &str = r#"{"parameters": [
        {"name": "A", "binding": {"kind": "shaderResource", "index": 3}, "type": {"kind": "resource"}},
        {"name": "p", "binding": {"kind": "subElementRegisterSpace", "index": 1}, "type": {}},
        {"name": "s", "bindings": [{"kind": "samplerState", "index": 0},
                                   {"kind": "uniform", "offset": 0, "size": 16, "elementStride": 0}], "type": {}},
        {"name": "un", "binding": {"kind": "unorderedAccess", "space": 2, "index": 0, "count": "unbounded"}}],
        "entryPoints": []}"#;

    #[test]
    fn units_are_read_and_bytes_are_not() {
        use LayoutUnit::{Sampler, ShaderResource, Space, UnorderedAccess};
        let rows = parameters(JSON).unwrap();
        let told: Vec<_> = rows.iter().map(|r| (r.name.as_str(), r.unit, r.space, r.index, r.count)).collect();
        let expected = [
            ("A", ShaderResource, 0, Some(3), Count::Finite(1)),
            ("p", Space, 0, Some(1), Count::Finite(1)),
            ("s", Sampler, 0, Some(0), Count::Finite(1)),
            ("un", UnorderedAccess, 2, Some(0), Count::Unbounded),
        ];
        assert_eq!(told, expected);
    }

    /// slangc's answers for whole programs, next to the tests of our own reflection, against the rows of our rules for the
    /// same programs: the path, unit, place and count of each. The places of an entry point's own parameters, which the
    /// JSON lacks, are compared by their paths.
    #[test]
    fn the_places_of_whole_programs_are_those_of_the_rules() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings/src/reflect/tests/slangc");
        let mut compared = 0;
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let Some((program, target)) = name.strip_suffix(".json").and_then(|stem| stem.split_once('.')) else {
                continue;
            };
            let (target, profile) = match target {
                "d3d12" => (Target::D3d12, Some("sm_6_6")),
                "d3d12-no-profile" => (Target::D3d12, None),
                "vulkan" => (Target::Vulkan, None),
                "webgpu" => (Target::Webgpu, None),
                "metal" => (Target::Metal, None),
                _ => panic!("{name} has another target"),
            };
            let text = fs::read_to_string(folder.join(format!("{program}.slang"))).unwrap();
            let json = fs::read_to_string(&path).unwrap();
            let difference = difference(&text, &json, target, profile);
            assert_eq!(difference, (Vec::new(), Vec::new()), "{name}: only ours, only slangc's");
            compared += 1;
        }
        assert!(compared > 60, "only {compared} programs were compared");
    }

    /// The rows that only our rules have, and those that only the JSON has.
    fn difference(text: &str, json: &str, target: Target, profile: Option<&str>) -> (Vec<String>, Vec<String>) {
        let mut sources = SourceMap::default();
        let end = u32::try_from(text.len()).unwrap();
        let span = Span { file: sources.add("test.slang", text), start: 0, end };
        let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
        let profile = profile.map(str::to_owned);
        let options = vec!["-matrix-layout-row-major".to_owned()];
        let request = BindingRequest { profile, options, ..BindingRequest::new(target, Convention::Slang) };
        let reflected = reflected_places(json, request.column().target).unwrap();

        let generic: Vec<String> = module
            .entry_points
            .iter()
            .filter(|entry| !entry.generics.is_empty())
            .map(|entry| format!("{}.", entry.name))
            .collect();
        // The JSON does not divide streams, patches and outputs of mesh shaders, and has one binding for an array of
        // combined samplers, whose elements are two bindings each in WGSL.
        let wrapped = module.entry_points.iter().flat_map(|entry| {
            let is_wrapped = |parameter: &&EntryParameter| parameter.wrapper != StageWrapper::None;
            entry.parameters.iter().filter(is_wrapped).map(|parameter| format!("{}.{}", entry.name, parameter.name))
        });
        let coarse: Vec<String> = wrapped.chain((target == Target::Webgpu).then(|| "several".to_owned())).collect();
        let is_compared = |path: &str| {
            let is_unplaced = |name: &String| {
                path.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            // slangc numbers parameters without a name, and the JSON has no place for those of entry points.
            let has_no_name = path.split('.').any(str::is_empty);
            !path.starts_with("$Entry.")
                && !has_no_name
                && !reflected.unplaced.iter().chain(&coarse).any(is_unplaced)
                && !generic.iter().any(|name| path.starts_with(name.as_str()))
        };
        let row = |path: &str, unit: LayoutUnit, space: u32, index: Option<u32>, count: Count| {
            format!("{path} {unit} {space} {index:?} {count:?}")
        };
        let ours = bind(&module, &request).unwrap().bindings;
        let ours = ours.iter().filter(|it| is_compared(&it.path)).map(|it| {
            // slangc leaves namespaces out.
            row(it.path.rsplit("::").next().unwrap(), it.unit, it.space, Some(it.index), it.count)
        });
        let ours: BTreeSet<String> = ours.collect();
        let theirs = reflected.rows.iter().filter(|it| is_compared(&it.name));
        let theirs: BTreeSet<String> = theirs.map(|it| row(&it.name, it.unit, it.space, it.index, it.count)).collect();
        (ours.difference(&theirs).cloned().collect(), theirs.difference(&ours).cloned().collect())
    }

    /// slangc 2026.14.1, `-target hlsl` and `-target metal`, of `cbuffer C : register(b0) { float a; } uniform float g;
    /// Texture2D t : register(t1);`: its code has the globals at `register(b1)` and `[[buffer(1)]]`. `thread` is the row
    /// of `namespace io { in uint3 thread : SV_DispatchThreadID; }` for `-target spirv`.
    #[test]
    fn loose_globals_take_the_first_place_that_no_parameter_names() {
        let json = r#"{"parameters": [
            {"name": "C", "binding": {"kind": "constantBuffer", "index": 0}, "type": {"kind": "constantBuffer",
             "containerVarLayout": {"binding": {"kind": "constantBuffer", "index": 0}},
             "elementVarLayout": {"type": {"kind": "struct", "fields": []}}}},
            {"name": "g", "binding": {"kind": "uniform", "offset": 0, "size": 4}, "type": {"kind": "scalar"}},
            {"name": "t", "binding": {"kind": "shaderResource", "index": 1}, "type": {"kind": "resource"}},
            {"name": "thread", "binding": {"kind": "varyingInput", "index": 0}, "type": {"kind": "vector"}}]}"#;
        let rows = |target| {
            let places = reflected_places(json, target).unwrap();
            places.rows.iter().map(|row| format!("{} {} {:?}", row.name, row.unit, row.index)).collect::<Vec<_>>()
        };
        let expected = ["$Globals b Some(1)", "C b Some(0)", "t t Some(1)", "thread location-in Some(0)"];
        assert_eq!(rows(ShaderTarget::D3d12), expected);
        assert_eq!(rows(ShaderTarget::Metal)[..2], ["$Globals metal-buffer Some(1)", "C metal-buffer Some(0)"]);
    }

    /// A number that slangc does not know keeps only its own parameter from having a place.
    #[test]
    fn a_word_for_a_number_leaves_its_parameter_without_a_place() {
        let json = r#"{"parameters": [
            {"name": "a", "binding": {"kind": "shaderResource", "index": "unknown"}, "type": {"kind": "resource"}},
            {"name": "b", "binding": {"kind": "shaderResource", "index": 4, "space": null}, "type": {"kind": "resource"}},
            {"name": "c", "binding": {"kind": "shaderResource", "index": 5}, "type": {"kind": "array",
             "elementCount": "unknown", "elementType": {"kind": "struct", "fields": [{"name": "t", "type":
             {"kind": "resource"}, "binding": {"kind": "shaderResource", "index": 0}}]}}}]}"#;
        let places = reflected_places(json, ShaderTarget::D3d12).unwrap();
        let rows = places.rows.iter().map(|row| format!("{} {} {:?}", row.name, row.unit, row.index));
        assert_eq!(rows.collect::<Vec<_>>(), ["b t Some(4)"]);
        assert_eq!(places.unplaced, ["a", "c"]);
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(parameters("no JSON").is_err());
        assert!(parameters(&JSON.replace("samplerState", "spoon")).unwrap_err().to_string().contains("spoon"));
        assert!(parameters(&JSON.replace("unbounded", "unknown")).unwrap_err().to_string().contains("unknown"));
    }
}
