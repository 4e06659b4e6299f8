//! The locations of a module's inputs and outputs, and those that two of them share.
//!
//! Source: Vulkan specification, 15.1.3 Interface Matching, 15.1.4 Location Assignment and 15.1.5 Component Assignment.

use std::collections::BTreeMap;

use layoutproof_layout::join;
use layoutproof_layout::scalar::Scalar;
use rspirv::spirv::{Decoration, ExecutionModel, StorageClass, Word};
use serde::{Deserialize, Serialize};

use super::declarations::{Declarations, DeclaredEntry};
use super::decorations::Decorations;
use super::types::{SpirvType, SpirvTypes};

/// Most inputs and outputs that are listed, which bounds the comparison of each with each.
const MOST_VARYINGS: usize = 1 << 10;

/// Most locations of one of them that are compared: no device has more.
const MOST_LOCATIONS: u32 = 1 << 8;

/// The components of a location.
const COMPONENTS: u32 = 4;

/// The stages of a draw, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DrawStage {
    Vertex,
    TessellationControl,
    TessellationEvaluation,
    Geometry,
    Mesh,
    Fragment,
}

impl DrawStage {
    fn of(model: u32) -> Option<Self> {
        let stages = [
            (ExecutionModel::Vertex, Self::Vertex),
            (ExecutionModel::TessellationControl, Self::TessellationControl),
            (ExecutionModel::TessellationEvaluation, Self::TessellationEvaluation),
            (ExecutionModel::Geometry, Self::Geometry),
            (ExecutionModel::MeshEXT, Self::Mesh),
            (ExecutionModel::Fragment, Self::Fragment),
        ];
        stages.into_iter().find(|(known, _)| *known as u32 == model).map(|(_, stage)| stage)
    }
}

/// An input or output with a location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredVarying {
    pub entry: String,
    /// `None` for a stage that is in no draw.
    pub stage: Option<DrawStage>,
    /// Below the entry point: `uv`, `Light.color`.
    pub path: String,
    pub direction: VaryingDirection,
    pub location: u32,
    /// In Vulkan.
    pub locations: u32,
    /// In OpenGL, where a vertex input of 64-bit components takes one location for each vector.
    ///
    /// Source: GLSL 4.60, 4.4.1 Input Layout Qualifiers.
    pub opengl_locations: u32,
    /// The first component in each location.
    pub component: u32,
    /// The components of one element, which may go on in the next location.
    pub components: u32,
    /// The type of the components; `None` for a struct.
    pub scalar: Option<Scalar>,
    /// The operand of a blend equation: two outputs of different indices may share a location.
    pub index: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum VaryingDirection {
    Input,
    Output,
}

impl DeclaredVarying {
    /// The components that it takes of a location, as bits.
    fn mask(&self, location: u32) -> u32 {
        let Some(offset) = location.checked_sub(self.location).filter(|offset| *offset < self.locations) else {
            return 0;
        };
        let per_element = self.components.div_ceil(COMPONENTS).max(1);
        let before = (offset % per_element) * COMPONENTS;
        let (start, end) = (self.component, self.component + self.components);
        (0..COMPONENTS).filter(|bit| (start..end).contains(&(before + bit))).map(|bit| 1 << bit).sum()
    }

    /// The first location that both take a component of.
    fn shared_location(&self, other: &Self) -> Option<u32> {
        if (&self.entry, self.direction, self.index) != (&other.entry, other.direction, other.index) {
            return None;
        }
        let start = self.location.max(other.location);
        let end = |varying: &Self| varying.location.saturating_add(varying.locations);
        let end = end(self).min(end(other)).min(start.saturating_add(MOST_LOCATIONS));
        (start..end).find(|location| self.mask(*location) & other.mask(*location) != 0)
    }
}

/// The inputs and outputs of all entry points, in the order of the module.
pub(super) fn varyings(declarations: &Declarations, types: &SpirvTypes) -> Vec<DeclaredVarying> {
    let decorations = Decorations::read(&declarations.module);
    let mut reader = VaryingReader { types, decorations: &decorations, sizes: BTreeMap::new(), found: Vec::new() };
    for entry in &declarations.entries {
        for id in &entry.interface {
            reader.add_variable(entry, *id);
        }
    }
    let mut found = reader.found;
    found.truncate(MOST_VARYINGS);
    // Compilers list the variables of an interface in no order.
    let entry = |name: &str| declarations.entries.iter().position(|entry| entry.name == name);
    found.sort_by_key(|varying| (entry(&varying.entry), varying.direction, varying.location, varying.component));
    found
}

/// Sentences about inputs or outputs of one entry point that share components of a location, which Vulkan forbids.
pub(super) fn clashes(varyings: &[DeclaredVarying]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, second) in varyings.iter().enumerate() {
        let shared = |first: &DeclaredVarying| first.shared_location(second);
        if let Some((first, location)) = varyings[..index].iter().find_map(|first| Some((first, shared(first)?))) {
            let (kind, rule) = match second.direction {
                VaryingDirection::Input => ("input", "VUID-StandaloneSpirv-OpEntryPoint-08721"),
                VaryingDirection::Output => ("output", "VUID-StandaloneSpirv-OpEntryPoint-08722"),
            };
            found.push(format!(
                "{kind} `{}` of `{}` takes location {location}, which `{}` takes, too ({rule})",
                second.path, second.entry, first.path
            ));
        }
    }
    found
}

struct VaryingReader<'a> {
    types: &'a SpirvTypes,
    decorations: &'a Decorations,
    /// Locations of types in Vulkan and in OpenGL's vertex inputs.
    sizes: BTreeMap<Word, (u32, u32)>,
    found: Vec<DeclaredVarying>,
}

/// What the members of a variable share.
#[derive(Clone, Copy)]
struct Interface<'a> {
    entry: &'a DeclaredEntry,
    direction: VaryingDirection,
    index: u32,
}

impl VaryingReader<'_> {
    fn add_variable(&mut self, entry: &DeclaredEntry, id: Word) {
        let Some(variable) = self.types.variables.get(&id) else { return };
        let direction = match variable.class {
            StorageClass::Input => VaryingDirection::Input,
            StorageClass::Output => VaryingDirection::Output,
            _ => return,
        };
        let decorations = self.decorations;
        let has = |decoration| decorations.has(id, decoration);
        let mut ty = variable.pointee;
        let is_per_vertex = has(Decoration::PerVertexKHR)
            || !has(Decoration::Patch) && has_vertices(entry.model, direction) && variable.builtin.is_none();
        if let (true, SpirvType::Array { element, .. }) = (is_per_vertex, self.types.get(ty)) {
            ty = *element;
        }
        let number = |decoration| decorations.number(id, decoration);
        let interface = Interface { entry, direction, index: number(Decoration::Index).unwrap_or(0) };
        let block = self.types.names.get(&ty).filter(|_| matches!(self.types.get(ty), SpirvType::Struct(_)));
        let name = variable.name.clone().or_else(|| block.cloned()).unwrap_or_else(|| "?".to_owned());
        let location = number(Decoration::Location);
        match self.types.get(ty) {
            SpirvType::Struct(members) => {
                let members = members.clone();
                let mut next = location;
                for (member, index) in members.iter().zip(0..) {
                    let own = |decoration| decorations.member_number(ty, index, decoration);
                    let locations = self.size(member.ty).0;
                    let Some(location) = own(Decoration::Location).or(next) else { continue };
                    next = location.checked_add(locations);
                    let member_name = member.name.clone().unwrap_or_else(|| index.to_string());
                    let component = own(Decoration::Component).unwrap_or(0);
                    self.add(interface, join(&name, &member_name), member.ty, (location, component));
                }
            }
            _ => {
                let Some(location) = location else { return };
                self.add(interface, name, ty, (location, number(Decoration::Component).unwrap_or(0)));
            }
        }
    }

    fn add(&mut self, interface: Interface<'_>, path: String, ty: Word, (location, component): (u32, u32)) {
        let Interface { entry, direction, index } = interface;
        let ((locations, vertex_locations), components) = (self.size(ty), self.components(ty));
        let (stage, scalar) = (DrawStage::of(entry.model), self.scalar(ty));
        let is_vertex_input = stage == Some(DrawStage::Vertex) && direction == VaryingDirection::Input;
        self.found.push(DeclaredVarying {
            entry: entry.name.clone(),
            stage,
            scalar,
            path,
            direction,
            location,
            locations,
            opengl_locations: if is_vertex_input { vertex_locations } else { locations },
            component,
            components,
            index,
        });
    }

    /// The locations of a type. The results are kept, which makes this linear.
    fn size(&mut self, ty: Word) -> (u32, u32) {
        if let Some(known) = self.sizes.get(&ty) {
            return *known;
        }
        let times = |(own, vertex): (u32, u32), count: u32| (own.saturating_mul(count), vertex.saturating_mul(count));
        let size = match self.types.get(ty).clone() {
            SpirvType::Vector { .. } => (self.components(ty).div_ceil(COMPONENTS), 1),
            SpirvType::Matrix { column, columns } => times(self.size(column), columns),
            SpirvType::Array { element, length, .. } => times(self.size(element), length),
            SpirvType::Struct(members) => members.iter().fold((0, 0), |(own, vertex): (u32, u32), member| {
                let (more, more_vertex) = self.size(member.ty);
                (own.saturating_add(more), vertex.saturating_add(more_vertex))
            }),
            SpirvType::Void
            | SpirvType::Bool
            | SpirvType::Int { .. }
            | SpirvType::Float { .. }
            | SpirvType::RuntimeArray { .. }
            | SpirvType::Pointer { .. }
            | SpirvType::UntypedPointer { .. }
            | SpirvType::Other => (1, 1),
        };
        self.sizes.insert(ty, size);
        size
    }

    /// The 32-bit components of an element: two for each of 64 bits; all of its locations for a struct.
    fn components(&mut self, ty: Word) -> u32 {
        match *self.types.get(ty) {
            SpirvType::Int { bits, .. } | SpirvType::Float { bits } => bits.div_ceil(32),
            SpirvType::Vector { component, length } => self.components(component).saturating_mul(length),
            SpirvType::Matrix { column, .. } => self.components(column),
            SpirvType::Array { element, .. } => self.components(element),
            SpirvType::Struct(_) => COMPONENTS,
            SpirvType::Void
            | SpirvType::Bool
            | SpirvType::RuntimeArray { .. }
            | SpirvType::Pointer { .. }
            | SpirvType::UntypedPointer { .. }
            | SpirvType::Other => 1,
        }
    }
}

impl VaryingReader<'_> {
    fn scalar(&self, ty: Word) -> Option<Scalar> {
        match *self.types.get(ty) {
            SpirvType::Int { bits, signed } => match (bits, signed) {
                (16, true) => Some(Scalar::Int16),
                (16, false) => Some(Scalar::Uint16),
                (32, true) => Some(Scalar::Int32),
                (32, false) => Some(Scalar::Uint32),
                (64, true) => Some(Scalar::Int64),
                (64, false) => Some(Scalar::Uint64),
                _ => None,
            },
            SpirvType::Float { bits: 16 } => Some(Scalar::Float16),
            SpirvType::Float { bits: 32 } => Some(Scalar::Float32),
            SpirvType::Float { bits: 64 } => Some(Scalar::Float64),
            SpirvType::Vector { component: part, .. }
            | SpirvType::Matrix { column: part, .. }
            | SpirvType::Array { element: part, .. } => self.scalar(part),
            _ => None,
        }
    }
}

/// True if the outermost array of the stage's variables has an element for each vertex.
fn has_vertices(model: u32, direction: VaryingDirection) -> bool {
    let is = |known: ExecutionModel| model == known as u32;
    match direction {
        VaryingDirection::Input => {
            is(ExecutionModel::TessellationControl)
                || is(ExecutionModel::TessellationEvaluation)
                || is(ExecutionModel::Geometry)
        }
        VaryingDirection::Output => {
            is(ExecutionModel::TessellationControl) || is(ExecutionModel::MeshEXT) || is(ExecutionModel::MeshNV)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varying(location: u32, locations: u32, component: u32, components: u32) -> DeclaredVarying {
        DeclaredVarying {
            entry: "main".to_owned(),
            path: location.to_string(),
            direction: VaryingDirection::Output,
            location,
            locations,
            opengl_locations: locations,
            component,
            components,
            scalar: Some(Scalar::Float32),
            stage: Some(DrawStage::Vertex),
            index: 0,
        }
    }

    /// Vulkan specification, 15.1.4 and 15.1.5.
    #[test]
    fn components_of_a_location_are_shared_or_not() {
        let (vec4, vec2) = (varying(1, 1, 0, 4), varying(1, 1, 0, 2));
        assert_eq!(vec4.shared_location(&vec2), Some(1));
        assert_eq!(vec2.shared_location(&varying(1, 1, 2, 2)), None);
        // A dvec3 takes a location and the first half of the next.
        let dvec3 = varying(0, 2, 0, 6);
        assert_eq!(dvec3.shared_location(&vec2), Some(1));
        assert_eq!(dvec3.shared_location(&varying(1, 1, 2, 1)), None);
        // An array of two dvec3, an array of three vec2 at component 2, and a mat4.
        assert_eq!(varying(0, 4, 0, 6).shared_location(&varying(3, 1, 0, 1)), Some(3));
        assert_eq!(varying(0, 4, 0, 6).shared_location(&varying(3, 1, 2, 2)), None);
        assert_eq!(varying(4, 3, 2, 2).shared_location(&varying(6, 1, 1, 2)), Some(6));
        assert_eq!(varying(4, 3, 2, 2).shared_location(&varying(6, 1, 0, 2)), None);
        assert_eq!(varying(2, 4, 0, 4).shared_location(&varying(5, 1, 3, 1)), Some(5));
        assert_eq!(varying(2, 4, 0, 4).shared_location(&varying(6, 1, 0, 4)), None);
        // Two sources of a blend equation, and another direction.
        assert_eq!(vec4.shared_location(&DeclaredVarying { index: 1, ..vec4.clone() }), None);
        assert_eq!(vec4.shared_location(&DeclaredVarying { direction: VaryingDirection::Input, ..vec4.clone() }), None);
        assert_eq!(clashes(&[dvec3, vec4, vec2]).len(), 2);
        assert_eq!(varying(0, u32::MAX, 0, 4).shared_location(&varying(u32::MAX, 9, 0, 4)), None);
    }
}
