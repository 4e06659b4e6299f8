//! The target of an access path: a global parameter or a member of a cbuffer, and the members and
//! elements inside it.

use std::collections::BTreeMap;

use layoutproof_layout::resource::{Resource, ResourceKind};
use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{Annotations, LayoutUnit};

use layoutproof_frontend::module::{Module, Parameter, ParameterKind, Step};

/// Limit on the resources of one struct, counting each element of each array.
pub const MOST_LEAVES: usize = 1 << 16;

/// A global parameter or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Location<'m> {
    pub parameter: usize,
    /// Index among the members of a `cbuffer` or `tbuffer`, whose names are global.
    pub member: Option<usize>,
    /// The members and indices after that.
    pub steps: Vec<Step>,
    /// The type at the end of the steps.
    pub ty: &'m Type,
}

impl<'m> Location<'m> {
    /// Follows `steps` as far as they lead through structs and arrays. Returns the number of steps
    /// that it followed.
    pub fn descend(&mut self, steps: &[Step]) -> usize {
        for (taken, step) in steps.iter().enumerate() {
            let Some(ty) = part(self.ty, step) else { return taken };
            self.ty = ty;
            self.steps.push(step.clone());
        }
        steps.len()
    }

    fn part(&self, step: Step, ty: &'m Type) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { steps, ty, ..self.clone() }
    }

    /// Returns the resources inside, in declaration order, a base struct first. Arrays give each
    /// element, up to [`MOST_LEAVES`].
    pub fn resources(&self) -> Vec<Self> {
        let mut found = Vec::new();
        self.gather(&mut found, false);
        found
    }

    /// Returns the same, with each array of resources as one location.
    pub fn ranges(&self) -> Vec<Self> {
        let mut found = Vec::new();
        self.gather(&mut found, true);
        found
    }

    /// True if this is `range` or an element of it. An index that is not a constant may be any
    /// index.
    pub fn is_within(&self, range: &Self) -> bool {
        let is_same = |(own, other): (&Step, &Step)| *own == Step::DynamicIndex || own == other;
        self.parameter == range.parameter
            && self.member == range.member
            && self.steps.len() >= range.steps.len()
            && self.steps.iter().zip(&range.steps).all(is_same)
    }

    fn gather(&self, found: &mut Vec<Self>, whole_arrays: bool) {
        if found.len() >= MOST_LEAVES {
            return;
        }

        match self.ty {
            Type::Resource(_) if is_resource(self.ty) => found.push(self.clone()),
            Type::Array { .. } if whole_arrays && is_resource(self.ty.dimensions().0) => found.push(self.clone()),
            Type::Array { element, count } if holds_resources(element) => match count {
                Count::Finite(count) => (0..*count).take(MOST_LEAVES).for_each(|index| {
                    self.part(Step::Index(index), element).gather(found, whole_arrays);
                }),
                Count::Unbounded => found.push(self.clone()),
            },
            Type::Struct(ty) => self.gather_members(ty, found, whole_arrays),
            _ => {}
        }
    }

    fn gather_members(&self, ty: &'m StructType, found: &mut Vec<Self>, whole_arrays: bool) {
        if let Some(base) = &ty.base {
            self.gather_members(base, found, whole_arrays);
        }
        for member in &ty.members {
            self.part(Step::Name(member.name.clone()), &member.ty).gather(found, whole_arrays);
        }
    }

    /// Returns the path of the command-line contract (`s.B[3]`).
    pub fn path(&self, module: &Module) -> String {
        self.steps.iter().fold(self.root(module), |path, step| match step {
            Step::Name(name) => format!("{path}.{name}"),
            Step::Index(index) => format!("{path}[{index}]"),
            Step::DynamicIndex => format!("{path}[]"),
            Step::Parameter(_) | Step::This => path,
        })
    }

    /// Returns the name that DXC gives to a split-off resource (`s.B.3`, `s.P.p` for a member of
    /// the base `P`).
    pub fn dxc_name(&self, module: &'m Module) -> String {
        let mut ty = self.root_type(module);
        self.steps.iter().fold(self.root(module), |name, step| {
            let bases = bases_of(ty, step);
            if let Some(inner) = part(ty, step) {
                ty = inner;
            }
            match step {
                Step::Name(member) => format!("{name}{bases}.{member}"),
                Step::Index(index) => format!("{name}.{index}"),
                Step::DynamicIndex | Step::Parameter(_) | Step::This => name,
            }
        })
    }

    /// True if one claim binds both, or may bind both.
    pub fn may_be(&self, other: &Self, module: &Module) -> bool {
        let is_data = |place: &Self| {
            let parameter = &module.parameters[place.parameter];
            variable_class(parameter).is_none() && !place.is_split_off(module)
        };
        // All loose globals are in one buffer.
        if is_data(self) && is_data(other) {
            return true;
        }
        if self.parameter != other.parameter {
            return false;
        }
        let (one, second) = (self.is_split_off(module), other.is_split_off(module));
        if !one && !second {
            return true;
        }
        let is_same = |(own, other): (&Step, &Step)| {
            own == other || matches!(own, Step::DynamicIndex) || matches!(other, Step::DynamicIndex)
        };
        self.member == other.member && self.steps.iter().zip(&other.steps).all(is_same)
    }

    /// Returns the name that `--used` and `--unused` accept.
    pub fn parameter_path(&self, module: &Module) -> String {
        if self.is_split_off(module) { self.path(module) } else { module.parameters[self.parameter].name.clone() }
    }

    /// True if this is a resource that DXC splits off from a struct, a cbuffer or a `ConstantBuffer<T>`.
    pub fn is_split_off(&self, module: &Module) -> bool {
        let content = content(module.parameters[self.parameter].ty.dimensions().0);
        let is_variable = self.member.is_none() && !is_struct(content);
        !is_variable && is_resource(self.ty.dimensions().0)
    }

    /// Returns every resource that this can be if an index is not a constant.
    pub fn candidates(&self, module: &'m Module) -> Vec<Self> {
        let is_same = |(own, other): (&Step, &Step)| *own == Step::DynamicIndex || own == other;
        let fits =
            |leaf: &Self| leaf.steps.len() == self.steps.len() && self.steps.iter().zip(&leaf.steps).all(is_same);
        self.whole(module).resources().into_iter().filter(fits).collect()
    }

    /// Returns the variable or the cbuffer's member of which this is a part.
    #[must_use]
    pub fn whole(&self, module: &'m Module) -> Self {
        Self { steps: Vec::new(), ty: self.root_type(module), ..self.clone() }
    }

    /// Returns the annotations of the variable or the cbuffer's member of which this is a part.
    pub fn annotations(&self, module: &'m Module) -> &'m Annotations {
        let parameter = &module.parameters[self.parameter];
        let member = self.member.and_then(|index| buffer_members(&parameter.ty).get(index));
        member.map_or(&parameter.annotations, |member| &member.annotations)
    }

    fn root(&self, module: &Module) -> String {
        let parameter = &module.parameters[self.parameter];
        match self.member.and_then(|index| buffer_members(&parameter.ty).get(index)) {
            Some(member) => format!("{}{}", outer(&parameter.name), member.name),
            None => parameter.name.clone(),
        }
    }

    fn root_type(&self, module: &'m Module) -> &'m Type {
        let parameter = &module.parameters[self.parameter];
        let member = self.member.and_then(|index| buffer_members(&parameter.ty).get(index));
        member.map_or(content(&parameter.ty), |member| &member.ty)
    }
}

/// Returns the global names that bodies may mention: variables, and the members of cbuffers and
/// tbuffers.
pub fn globals(module: &Module) -> BTreeMap<String, Location<'_>> {
    let mut names = BTreeMap::new();
    for (parameter, declared) in module.parameters.iter().enumerate() {
        match declared.kind {
            ParameterKind::Cbuffer | ParameterKind::Tbuffer => {
                for (index, member) in buffer_members(&declared.ty).iter().enumerate() {
                    let name = format!("{}{}", outer(&declared.name), member.name);
                    let place = Location { parameter, member: Some(index), steps: Vec::new(), ty: &member.ty };
                    names.entry(name).or_insert(place);
                }
            }
            ParameterKind::Variable | ParameterKind::Global => {
                let place = Location { parameter, member: None, steps: Vec::new(), ty: &declared.ty };
                names.entry(declared.name.clone()).or_insert(place);
            }
        }
    }

    names
}

/// Returns the members of the struct that a `cbuffer` or `tbuffer` is.
pub fn buffer_members(ty: &Type) -> &[Member] {
    match ty {
        Type::Struct(ty) => &ty.members,
        _ => &[],
    }
}

/// True if DXC binds this separately. A `ConstantBuffer` or `TextureBuffer` in a struct is data
/// there.
pub fn is_resource(ty: &Type) -> bool {
    ty.resource().is_some_and(is_bound)
}

fn is_bound(resource: &Resource) -> bool {
    !matches!(resource.kind, ResourceKind::ConstantBuffer | ResourceKind::TextureBuffer)
}

/// The `T` of a `ConstantBuffer<T>` or `TextureBuffer<T>`; another type as it is.
pub fn content(ty: &Type) -> &Type {
    let element = ty.resource().filter(|resource| !is_bound(resource)).and_then(|resource| resource.element.as_deref());
    element.unwrap_or(ty)
}

pub fn is_struct(ty: &Type) -> bool {
    matches!(ty, Type::Struct(_))
}

/// True if some part of `ty` is a resource.
pub fn holds_resources(ty: &Type) -> bool {
    ty.holds(&is_bound)
}

fn part<'m>(ty: &'m Type, step: &Step) -> Option<&'m Type> {
    match (ty, step) {
        (Type::Array { element, .. }, Step::Index(_) | Step::DynamicIndex) => Some(element),
        (Type::Struct(ty), Step::Name(name)) => Some(&ty.member(name)?.ty),
        // The data of a buffer is bound with it.
        (Type::Resource(_), Step::Name(_)) if is_struct(content(ty)) => {
            part(content(ty), step).filter(|inner| holds_resources(inner))
        }
        (_, Step::Name(_) | Step::Index(_) | Step::DynamicIndex | Step::Parameter(_) | Step::This) => None,
    }
}

/// Returns `.P` for each base struct from which `ty` inherits the member `step`.
fn bases_of(ty: &Type, step: &Step) -> String {
    let (Type::Struct(ty), Step::Name(name)) = (ty, step) else { return String::new() };
    let (mut ty, mut bases) = (&**ty, String::new());
    while let Some(base) = ty.base.as_deref().filter(|_| !ty.members.iter().any(|member| member.name == *name)) {
        bases = format!("{bases}.{}", base.name);
        ty = base;
    }
    bases
}

/// Returns `N::` of `N::S`.
fn outer(name: &str) -> &str {
    name.rfind("::").map_or("", |end| &name[..end + 2])
}

/// Returns the register class of a resource; for a texture with its sampler, that of the texture.
pub fn register_class(kind: ResourceKind) -> LayoutUnit {
    kind.register_classes()[0]
}

/// Returns the class of a variable or a buffer that is bound as a whole; `None` for structs and
/// data.
pub fn variable_class(parameter: &Parameter) -> Option<LayoutUnit> {
    match (parameter.kind, parameter.ty.dimensions().0) {
        (ParameterKind::Cbuffer, _) => Some(LayoutUnit::ConstantBuffer),
        (ParameterKind::Tbuffer, _) => Some(LayoutUnit::ShaderResource),
        (ParameterKind::Variable | ParameterKind::Global, Type::Resource(resource)) => {
            Some(register_class(resource.kind))
        }
        (ParameterKind::Variable | ParameterKind::Global, _) => None,
    }
}
