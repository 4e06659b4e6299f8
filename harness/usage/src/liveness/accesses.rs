//! Reads of members, elements, parameters of the module and `groupshared` variables.

use std::rc::Rc;

use super::graph::{NodeId, Operation};
use super::value::{Handle, Joining, Value, number};
use super::{Liveness, State};
use crate::location::{Location, holds_resources};
use layoutproof_frontend::module::Step;
use layoutproof_frontend::module::code::{Expression, element_of, is_transparent};
use layoutproof_layout::resource::{Access, Resource, ResourceKind};
use layoutproof_layout::shape::Type;

#[derive(Clone, Debug)]
pub(super) enum PlaceStep {
    Member(String),
    Index(NodeId),
}

impl<'m> Liveness<'m> {
    pub(super) fn global(&mut self, name: &str, state: &mut State<'m>) -> Value<'m> {
        if let Some(number) = self.variables.get(name).copied() {
            let variable = &self.module.variables[number];
            if variable.is_shared {
                let part = self.shared_part(None, name);
                return Value::Opaque(self.graph.shared(part), variable.ty.clone());
            }
            let value = self.static_value(number, state);
            if let Some(known) = state.statics.get_mut(number) {
                *known = Some(value.clone());
            }
            return value;
        }
        match self.globals.get(name).cloned() {
            Some(location) => self.located(location, Vec::new()),
            None => Value::Opaque(self.graph.fresh(Vec::new()), None),
        }
    }

    /// The value of a parameter or of a part of one: handles of resources, or data that the code reads.
    fn located(&mut self, location: Location<'m>, operands: Vec<NodeId>) -> Value<'m> {
        let is_handle = matches!(location.ty.dimensions().0, Type::Resource(_)) || holds_resources(location.ty);
        if is_handle {
            return Value::Handles(Rc::new(vec![Handle { location, operands, is_level: false }]));
        }
        let ty = location.ty.clone();
        if is_empty(&ty) {
            return self.graph.undefined_value(Some(&ty));
        }
        let node = self.accessed(&location, operands);
        Value::Opaque(node, Some(ty))
    }

    pub(super) fn accessed(&mut self, location: &Location<'m>, operands: Vec<NodeId>) -> NodeId {
        let known = self.places.iter().position(|place| place == location);
        let number = known.unwrap_or_else(|| {
            self.places.push(location.clone());
            self.places.len() - 1
        });
        self.graph.access(u32::try_from(number).unwrap_or(u32::MAX), operands)
    }

    /// The nodes of everything that a value says, uses of its resources included.
    pub(super) fn dependencies(&mut self, values: &[Value<'m>]) -> Vec<NodeId> {
        let mut found = Vec::new();
        for value in values {
            match value {
                Value::Handles(handles) => {
                    for handle in handles.iter() {
                        found.push(self.accessed(&handle.location, handle.operands.clone()));
                    }
                }
                Value::Struct(members) => {
                    let members: Vec<Value<'m>> = members.iter().map(|(_, member)| member.clone()).collect();
                    found.extend(self.dependencies(&members));
                }
                Value::Array(elements) => found.extend(self.dependencies(elements)),
                other => other.leaves(&mut found),
            }
        }
        found
    }

    /// A read of a resource; of one that the shader may write, it is another value each time.
    pub(super) fn read(&mut self, location: &Location<'m>, resource: &Resource, operands: Vec<NodeId>) -> NodeId {
        let node = self.accessed(location, operands);
        if is_written(resource) { self.graph.fresh(vec![node]) } else { node }
    }

    /// The index that decides which object of an array a method changes.
    pub(super) fn indices(&mut self, object: &'m Expression, state: &mut State<'m>) -> Vec<NodeId> {
        let is_variable = matches!(object, Expression::Index(array, _) if !matches!(**array, Expression::Member(..)));
        let steps = self.place(object, state).steps;
        let indices = steps.into_iter().filter_map(|step| match step {
            PlaceStep::Index(index) if is_variable => Some(index),
            // DXC takes apart structs, so that it may need no index.
            PlaceStep::Index(index) => Some(self.graph.doubtful(index)),
            PlaceStep::Member(_) => None,
        });
        indices.collect()
    }

    /// A member or an element of a value.
    pub(super) fn step(&mut self, value: Value<'m>, step: &PlaceStep) -> Value<'m> {
        if let Value::Handles(handles) = &value {
            let found: Vec<Value<'m>> = handles.iter().map(|handle| self.handle_step(handle, step)).collect();
            let all: Vec<Handle<'m>> = found
                .iter()
                .filter_map(|value| if let Value::Handles(handles) = value { Some(handles.to_vec()) } else { None })
                .flatten()
                .collect();
            if all.len() == found.len() {
                return Value::Handles(Rc::new(all));
            }
            let conditions: Vec<NodeId> = handles.iter().flat_map(|handle| handle.operands.clone()).collect();
            return self.graph.joined(Joining::Choice, &conditions, &found);
        }

        // Members of shared variables are separate variables.
        if let (Value::Opaque(node, Some(Type::Struct(ty))), PlaceStep::Member(name)) = (&value, step) {
            if let Operation::Shared(number) = self.graph.nodes[*node as usize].operation {
                let part = self.shared_part(Some(number), name);
                let ty = ty.member(name).map(|member| member.ty.clone());
                return Value::Opaque(self.graph.shared(part), ty);
            }
        }
        if let (Value::Opaque(node, Some(Type::Array { element, .. })), PlaceStep::Index(index)) = (&value, step) {
            if let Operation::Shared(_) = self.graph.nodes[*node as usize].operation {
                let read = self.graph.computed("element", vec![*node, *index]);
                return Value::Opaque(read, Some((**element).clone()));
            }
        }

        match (self.graph.opened(value), step) {
            (Value::Struct(members), PlaceStep::Member(name)) => {
                let found = members.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
                found.unwrap_or_else(|| Value::Opaque(self.graph.fresh(Vec::new()), None))
            }
            (Value::Array(elements), PlaceStep::Index(index)) => match self.graph.index(*index) {
                Some(at) => {
                    let found = usize::try_from(at).ok().and_then(|at| elements.get(at)).cloned();
                    found.unwrap_or_else(|| self.graph.undefined_value(None))
                }
                None => self.graph.joined(Joining::Element, &[*index], &elements),
            },
            (Value::Matrix(columns, nodes), PlaceStep::Index(index)) => {
                let rows: Vec<Value<'m>> = nodes.chunks(columns.max(1)).map(|row| number(row.to_vec(), None)).collect();
                match self.graph.index(*index) {
                    Some(at) => {
                        let found = usize::try_from(at).ok().and_then(|at| rows.get(at)).cloned();
                        found.unwrap_or_else(|| self.graph.undefined_value(None))
                    }
                    None => self.graph.joined(Joining::Element, &[*index], &rows),
                }
            }
            (value, PlaceStep::Member(name)) => {
                if let Some((nodes, columns)) = self.graph.components(&value) {
                    match swizzle(name, nodes.len(), columns) {
                        Some(places) => number(places.into_iter().map(|at| nodes[at]).collect(), None),
                        None => Value::Opaque(self.graph.computed("part", nodes), None),
                    }
                } else {
                    let whole = self.graph.whole(&value);
                    Value::Opaque(self.graph.member(whole, name), None)
                }
            }
            (value, PlaceStep::Index(index)) => {
                if let Some((nodes, _)) = self.graph.components(&value) {
                    if let Some(at) = self.graph.index(*index).and_then(|at| usize::try_from(at).ok()) {
                        Value::Scalar(nodes.get(at).copied().unwrap_or_else(|| self.graph.undefined()))
                    } else {
                        let components: Vec<Value<'m>> = nodes.into_iter().map(Value::Scalar).collect();
                        self.graph.joined(Joining::Element, &[*index], &components)
                    }
                } else {
                    let ty = match &value {
                        Value::Opaque(_, Some(Type::Array { element, .. })) => Some((**element).clone()),
                        _ => None,
                    };
                    let whole = self.graph.whole(&value);
                    if self.graph.is_undefined(whole) && (ty.is_some() || self.graph.literal(*index).is_some()) {
                        return Value::Opaque(whole, ty);
                    }
                    if self.graph.is_undefined(whole) {
                        // The type is unknown, as with ray queries: a method may depend on which one it is.
                        let index = self.graph.doubtful(*index);
                        return Value::Opaque(self.graph.computed("element", vec![index]), None);
                    }
                    Value::Opaque(self.graph.computed("element", vec![whole, *index]), ty)
                }
            }
        }
    }

    fn handle_step(&mut self, handle: &Handle<'m>, step: &PlaceStep) -> Value<'m> {
        let Handle { location, operands, is_level } = handle;
        let mut operands = operands.clone();
        let taken = match step {
            PlaceStep::Member(name) => Step::Name(name.clone()),
            PlaceStep::Index(index) => {
                if let Some(at) = self.graph.index(*index).and_then(|at| u32::try_from(at).ok()) {
                    Step::Index(at)
                } else {
                    operands.push(*index);
                    Step::DynamicIndex
                }
            }
        };
        let mut inner = location.clone();
        if inner.descend(std::slice::from_ref(&taken)) == 1 {
            return self.located(inner, operands);
        }
        let Type::Resource(resource) = location.ty else {
            return Value::Opaque(self.graph.fresh(operands), None);
        };
        if is_transparent(resource) {
            let node = self.accessed(location, operands);
            let element = Value::Opaque(node, resource.element.as_deref().cloned());
            return self.step(element, step);
        }
        match step {
            PlaceStep::Member(name) if matches!(name.as_str(), "mips" | "sample") => {
                let handle = Handle { location: location.clone(), operands, is_level: true };
                Value::Handles(Rc::new(vec![handle]))
            }
            PlaceStep::Member(_) => Value::Opaque(self.accessed(location, operands), None),
            PlaceStep::Index(index) => {
                if !operands.contains(index) {
                    operands.push(*index);
                }
                if *is_level {
                    let handle = Handle { location: location.clone(), operands, is_level: false };
                    return Value::Handles(Rc::new(vec![handle]));
                }
                let node = self.read(location, resource, operands);
                Value::Opaque(node, element_of(resource))
            }
        }
    }

    /// A part of a value. Reads the whole value unless the part is a separate `groupshared` variable.
    pub(super) fn part_of(&mut self, object: &Value<'m>, step: &PlaceStep) -> Value<'m> {
        let found = self.step(object.clone(), step);
        let is_variable = matches!(&found, Value::Opaque(node, _)
            if matches!(self.graph.nodes[*node as usize].operation, Operation::Shared(_)));
        if !is_variable {
            self.touch(object);
        }
        found
    }

    pub(super) fn shared_part(&mut self, outer: Option<u32>, name: &str) -> u32 {
        let known = self.shared.iter().position(|(around, own)| *around == outer && own == name);
        let number = known.unwrap_or_else(|| {
            self.shared.push((outer, name.to_owned()));
            self.shared.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Notes that a `groupshared` variable is read.
    pub(super) fn touch(&mut self, value: &Value<'m>) {
        if let Value::Opaque(node, _) = value {
            if let Operation::Shared(number) = self.graph.nodes[*node as usize].operation {
                self.touch_part(number);
            }
        }
    }

    pub(super) fn touch_part(&mut self, number: u32) {
        if !self.touched.contains(&number) {
            self.touched.push(number);
        }
    }
}

/// True for a struct without data, which nothing reads.
pub(super) fn is_empty(ty: &Type) -> bool {
    match ty.dimensions().0 {
        Type::Struct(ty) => ty.base.is_none() && ty.members.iter().all(|member| is_empty(&member.ty)),
        _ => false,
    }
}

pub(super) fn is_written(resource: &Resource) -> bool {
    match resource.kind {
        ResourceKind::StructuredBuffer(access)
        | ResourceKind::ByteAddressBuffer(access)
        | ResourceKind::Buffer(access) => access != Access::Read,
        ResourceKind::Texture(texture) => texture.access != Access::Read,
        _ => false,
    }
}

/// The components that `name` takes of a number.
pub(super) fn swizzle(name: &str, length: usize, columns: Option<usize>) -> Option<Vec<usize>> {
    let places: Option<Vec<usize>> = match columns {
        None => name.chars().map(|letter| "xyzw".find(letter).or_else(|| "rgba".find(letter))).collect(),
        Some(columns) => {
            let elements = name.split('_').skip(1);
            let place = |element: &str| {
                let (digits, first) = match element.strip_prefix('m') {
                    Some(digits) => (digits, 0),
                    None => (element, 1),
                };
                let digits: Vec<usize> =
                    digits.chars().filter_map(|digit| digit.to_digit(10)).map(|digit| digit as usize).collect();
                let [row, column] = digits.as_slice() else { return None };
                Some(row.checked_sub(first)? * columns + column.checked_sub(first)?)
            };
            elements.map(place).collect()
        }
    };
    places.filter(|places| !places.is_empty() && places.iter().all(|at| *at < length))
}
