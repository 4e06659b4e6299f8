//! Stores to variables, to their parts, and to buffers and `groupshared` memory.

use std::rc::Rc;

use super::accesses::{PlaceStep, swizzle};
use super::memory::{Memory, MemoryRoot};
use super::value::{Joining, Value, number};
use super::{Liveness, State};
use layoutproof_frontend::module::code::{Expression, is_transparent};
use layoutproof_layout::shape::Type;

/// The place where a value is stored.
#[derive(Clone, Debug)]
pub(super) struct Place<'m> {
    pub(super) root: Root<'m>,
    pub(super) steps: Vec<PlaceStep>,
}

#[derive(Clone, Debug)]
pub(super) enum Root<'m> {
    Local(usize),
    This,
    Static(usize),
    /// A part of a parameter of the module.
    Value(Value<'m>),
}

impl<'m> Liveness<'m> {
    pub(super) fn place(&mut self, target: &'m Expression, state: &mut State<'m>) -> Place<'m> {
        let root = match target {
            Expression::Local(slot) => Root::Local(*slot),
            Expression::This => Root::This,
            Expression::Global(name) => match self.variables.get(name.as_str()) {
                Some(number) => Root::Static(*number),
                None => Root::Value(self.global(name, state)),
            },
            Expression::Member(object, name) => {
                let mut place = self.place(object, state);
                place.steps.push(PlaceStep::Member(name.clone()));
                return place;
            }
            Expression::Index(object, index) => {
                let mut place = self.place(object, state);
                let index = self.evaluate(index, state);
                let index = self.graph.whole(&index);
                self.note_index(target, index);
                place.steps.push(PlaceStep::Index(index));
                return place;
            }
            Expression::Cast(_, value) => return self.place(value, state),
            other => Root::Value(self.evaluate(other, state)),
        };
        Place { root, steps: Vec::new() }
    }

    pub(super) fn assign(&mut self, target: &'m Expression, value: Value<'m>, state: &mut State<'m>) {
        let place = self.place(target, state);
        self.store(&place, value, state);
    }

    /// The type of a number that is stored, where the variable's type is known.
    fn stored_type(&self, place: &Place<'m>) -> Option<Type> {
        let mut ty = match place.root {
            Root::Local(slot) => self.frames.last()?.types.get(&slot)?.clone(),
            Root::Static(number) => self.module.variables[number].ty.clone()?,
            Root::This | Root::Value(_) => return None,
        };
        for step in &place.steps {
            ty = match (ty, step) {
                (Type::Struct(inner), PlaceStep::Member(name)) => inner.member(name)?.ty.clone(),
                (Type::Array { element, .. }, PlaceStep::Index(_)) => *element,
                (Type::Vector { scalar, .. } | Type::Scalar(scalar), PlaceStep::Member(name)) => match name.len() {
                    1 => Type::Scalar(scalar),
                    length => Type::Vector { scalar, length: u32::try_from(length).ok()? },
                },
                (Type::Vector { scalar, .. }, PlaceStep::Index(_)) => Type::Scalar(scalar),
                (Type::Matrix { scalar, columns, .. }, PlaceStep::Index(_)) => Type::Vector { scalar, length: columns },
                (_, _) => return None,
            };
        }
        matches!(ty, Type::Scalar(_) | Type::Vector { .. }).then_some(ty)
    }

    pub(super) fn store(&mut self, place: &Place<'m>, value: Value<'m>, state: &mut State<'m>) {
        let root = match &place.root {
            Root::Local(slot) => state.locals.get(*slot).cloned(),
            Root::This => state.this.clone(),
            Root::Static(number) if self.module.variables[*number].is_shared => {
                return self.store_shared(*number, &place.steps, &value, state);
            }
            Root::Static(number) => Some(self.static_value(*number, state)),
            Root::Value(value) => Some(value.clone()),
        };
        let root = root.unwrap_or_else(|| self.graph.undefined_value(None));

        // A resource on the way: memory is written.
        let mut at = root.clone();
        for (taken, step) in place.steps.iter().enumerate() {
            if let Value::Handles(handles) = &at {
                let is_memory = handles
                    .iter()
                    .any(|handle| matches!(handle.location.ty, Type::Resource(resource) if !is_transparent(resource)));
                if is_memory {
                    let mut operands = self.dependencies(std::slice::from_ref(&at));
                    operands.extend(self.dependencies(std::slice::from_ref(&value)));
                    operands.extend(place.steps[taken..].iter().filter_map(|step| match step {
                        PlaceStep::Index(index) => Some(*index),
                        PlaceStep::Member(_) => None,
                    }));
                    return self.effect(operands, state);
                }
            }
            // A resource of a descriptor heap, or one that is not known.
            let is_memory = match &at {
                Value::Opaque(_, Some(Type::Resource(resource))) => !is_transparent(resource),
                Value::Opaque(_, None) => matches!(place.root, Root::Value(_)),
                _ => false,
            };
            if is_memory {
                let mut operands = self.dependencies(&[at, value]);
                operands.extend(place.steps[taken..].iter().filter_map(|step| match step {
                    PlaceStep::Index(index) => Some(*index),
                    PlaceStep::Member(_) => None,
                }));
                return self.effect(operands, state);
            }
            at = self.step(at, step);
        }
        let function = self.open.last().copied().unwrap_or_default();
        let variable = match place.root {
            Root::Local(slot) => MemoryRoot::Local { function, slot },
            Root::This => MemoryRoot::This { function },
            Root::Static(number) => MemoryRoot::Static(number),
            Root::Value(_) => return,
        };
        let mut memory = Memory { variable, members: Vec::new() };
        for step in &place.steps {
            if let PlaceStep::Member(name) = step {
                memory.take(name);
            }
        }
        let value = match self.stored_type(place) {
            Some(ty) => self.graph.cast(&ty, value),
            None => value,
        };
        self.remember(&memory, &value, state);
        if let Root::Local(slot) = place.root {
            self.output(slot, &value, state);
        }
        let new = self.replaced(root, &place.steps, value);
        match &place.root {
            Root::Local(slot) => state.locals[*slot] = new,
            Root::This => state.this = Some(new),
            Root::Static(number) => {
                if let Some(known) = state.statics.get_mut(*number) {
                    *known = Some(new);
                }
            }
            Root::Value(_) => {}
        }
    }

    fn store_shared(&mut self, number: usize, steps: &[PlaceStep], value: &Value<'m>, state: &State<'m>) {
        let name = self.module.variables[number].name.as_str();
        let mut part = self.shared_part(None, name);
        let mut ty = self.module.variables[number].ty.as_ref();
        let mut operands = self.dependencies(std::slice::from_ref(value));
        let mut is_element = false;
        for step in steps {
            match (step, ty) {
                (PlaceStep::Member(name), Some(Type::Struct(own))) => {
                    part = self.shared_part(Some(part), name);
                    ty = own.member(name).map(|member| &member.ty);
                }
                (PlaceStep::Index(index), Some(Type::Array { element, .. })) => {
                    operands.push(*index);
                    is_element = true;
                    ty = Some(element);
                }
                (PlaceStep::Index(index), _) => {
                    operands.push(*index);
                    is_element = true;
                }
                (PlaceStep::Member(_), _) => is_element = true,
            }
        }
        if is_element || ty.is_none() {
            self.touch_part(part);
        }
        if let Some(ty) = ty {
            self.touch_arrays(part, ty);
        }
        operands.extend(&self.path);
        operands.extend(state.guards.iter().map(|guard| guard.0));
        let node = self.graph.fresh(operands);
        self.writes.push((part, node, self.doubtful > 0));
    }

    /// Arrays are copied element by element.
    fn touch_arrays(&mut self, part: u32, ty: &Type) {
        match ty {
            Type::Array { .. } => self.touch_part(part),
            Type::Struct(own) => {
                for member in &own.members {
                    if matches!(member.ty, Type::Array { .. } | Type::Struct(_)) {
                        let inner = self.shared_part(Some(part), &member.name);
                        self.touch_arrays(inner, &member.ty);
                    }
                }
            }
            _ => {}
        }
    }

    /// `old` with another value at the end of `steps`.
    fn replaced(&mut self, old: Value<'m>, steps: &[PlaceStep], new: Value<'m>) -> Value<'m> {
        let Some((step, rest)) = steps.split_first() else {
            return match &old {
                Value::Opaque(_, Some(ty)) => {
                    let ty = ty.clone();
                    self.graph.cast(&ty, new)
                }
                Value::Scalar(_) | Value::Vector(_) | Value::Matrix(..) => self.shaped_like(&old, new),
                Value::Struct(_) | Value::Array(_) => match self.graph.opened(new.clone()) {
                    // `s = (S)0` has been filled; a number for a struct is not known better.
                    Value::Scalar(node) => self.graph.mapped(&old, &mut |_, _| node),
                    _ => new,
                },
                Value::Opaque(_, None) | Value::Handles(_) => new,
            };
        };

        match (self.graph.opened(old), step) {
            (Value::Struct(members), PlaceStep::Member(name)) => {
                let mut members = members.to_vec();
                if let Some(member) = members.iter_mut().find(|(own, _)| own == name) {
                    let inner = member.1.clone();
                    member.1 = self.replaced(inner, rest, new);
                }
                Value::Struct(Rc::new(members))
            }
            (Value::Array(elements), PlaceStep::Index(index)) => {
                let mut elements = elements.to_vec();
                match self.graph.index(*index) {
                    Some(at) => {
                        if let Some(element) = usize::try_from(at).ok().and_then(|at| elements.get_mut(at)) {
                            let inner = element.clone();
                            *element = self.replaced(inner, rest, new);
                        }
                    }
                    None => {
                        for element in &mut elements {
                            let written = self.replaced(element.clone(), rest, new.clone());
                            *element = self.graph.joined(Joining::Element, &[*index], &[element.clone(), written]);
                        }
                    }
                }
                Value::Array(Rc::new(elements))
            }
            (Value::Handles(handles), _) => Value::Handles(handles),
            (old, step) => {
                let Some((mut nodes, columns)) = self.graph.components(&old) else {
                    // An array that is one value, or a value of an unknown type: what was there stays possible.
                    let index = match step {
                        PlaceStep::Index(index) => vec![*index],
                        PlaceStep::Member(_) => Vec::new(),
                    };
                    let mut operands = self.dependencies(&[old.clone(), new]);
                    operands.extend(index);
                    let ty = if let Value::Opaque(_, ty) = &old { ty.clone() } else { None };
                    return Value::Opaque(self.graph.computed("written", operands), ty);
                };
                let places = match step {
                    PlaceStep::Member(name) => swizzle(name, nodes.len(), columns),
                    PlaceStep::Index(index) => self.graph.index(*index).and_then(|at| {
                        let at = usize::try_from(at).ok()?;
                        match columns {
                            Some(columns) => Some((at * columns..(at + 1) * columns).collect()),
                            None => Some(vec![at]),
                        }
                    }),
                };
                if let Some(places) = places.filter(|places| places.iter().all(|at| *at < nodes.len())) {
                    let part = number(places.iter().map(|at| nodes[*at]).collect(), None);
                    let part = self.replaced(part, rest, new);
                    let written = self.graph.components(&part).map_or_else(Vec::new, |found| found.0);
                    for (at, place) in places.into_iter().enumerate() {
                        if let Some(node) = written.get(at).or(written.last()) {
                            nodes[place] = *node;
                        }
                    }
                } else {
                    let index = match step {
                        PlaceStep::Index(index) => vec![*index],
                        PlaceStep::Member(_) => Vec::new(),
                    };
                    let mut operands = self.dependencies(&[new]);
                    operands.extend(index);
                    for node in &mut nodes {
                        let mut operands = operands.clone();
                        operands.push(*node);
                        *node = self.graph.computed("written", operands);
                    }
                }
                number(nodes, columns)
            }
        }
    }

    /// A number with as many components as `old` has.
    fn shaped_like(&mut self, old: &Value<'m>, new: Value<'m>) -> Value<'m> {
        let Some((old, columns)) = self.graph.components(old) else { return new };
        let Some((nodes, _)) = self.graph.components(&new) else {
            // Of a type that is not known: `buffer.Load<float>(i)`.
            let dependencies = self.dependencies(std::slice::from_ref(&new));
            let whole = self.graph.computed("whole", dependencies);
            let parts = (0..old.len()).map(|at| self.graph.part(whole, u32::try_from(at).unwrap_or(0))).collect();
            return number(parts, columns);
        };
        if nodes.len() == old.len() {
            return number(nodes, columns);
        }
        let found = (0..old.len()).map(|at| {
            if nodes.len() == 1 { nodes[0] } else { nodes.get(at).copied().unwrap_or_else(|| self.graph.undefined()) }
        });
        let found = found.collect();
        number(found, columns)
    }
}
