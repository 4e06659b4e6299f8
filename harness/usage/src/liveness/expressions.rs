//! Expressions: reads, writes and calls.

use std::rc::Rc;

use layoutproof_layout::resource::{Access, Resource, ResourceKind};
use layoutproof_layout::shape::Type;

use super::graph::NodeId;
use super::memory::{Memory, MemoryRoot};
use super::value::{Handle, Joining, Value, all_leaves, number};
use super::{Liveness, State};
use crate::location::{Location, holds_resources};
use layoutproof_frontend::module::code::{
    BinaryOperator, CallExpression, Expression, Literal, PrefixOperator, element_of, is_transparent,
};
use layoutproof_frontend::module::{Callees, Step};

/// The place where a value is stored.
#[derive(Clone, Debug)]
pub(super) struct Place<'m> {
    root: Root<'m>,
    steps: Vec<PlaceStep>,
}

#[derive(Clone, Debug)]
enum Root<'m> {
    Local(usize),
    This,
    Static(usize),
    /// A part of a parameter of the module.
    Value(Value<'m>),
}

#[derive(Clone, Debug)]
pub(super) enum PlaceStep {
    Member(String),
    Index(NodeId),
}

impl<'m> Liveness<'m> {
    pub(super) fn evaluate(&mut self, expression: &'m Expression, state: &mut State<'m>) -> Value<'m> {
        let is_base = std::mem::take(&mut self.is_base);
        let found = self.deeper(|liveness| liveness.value(expression, state));
        let found = found.unwrap_or_else(|| self.graph.undefined_value(None));
        if is_base {
            return found;
        }
        self.touch(&found);
        match self.memory(expression).filter(|_| !self.memories.is_empty()) {
            Some(memory) => self.perhaps_in_memory(&memory, found),
            None => found,
        }
    }

    /// The value of an expression of which only a part is taken.
    fn base(&mut self, expression: &'m Expression, state: &mut State<'m>) -> Value<'m> {
        self.is_base = true;
        self.evaluate(expression, state)
    }

    /// Notes that a `groupshared` variable is read.
    fn touch(&mut self, value: &Value<'m>) {
        if let Value::Opaque(node, _) = value {
            if let super::graph::Operation::Shared(number) = self.graph.nodes[*node as usize].operation {
                self.touch_part(number);
            }
        }
    }

    fn touch_part(&mut self, number: u32) {
        if !self.touched.contains(&number) {
            self.touched.push(number);
        }
    }

    /// A part of a value. Reads the whole value unless the part is a separate `groupshared` variable.
    fn part_of(&mut self, object: &Value<'m>, step: &PlaceStep) -> Value<'m> {
        let found = self.step(object.clone(), step);
        let is_variable = matches!(&found, Value::Opaque(node, _)
            if matches!(self.graph.nodes[*node as usize].operation, super::graph::Operation::Shared(_)));
        if !is_variable {
            self.touch(object);
        }
        found
    }

    /// The value of an initialiser.
    pub(super) fn initialised(
        &mut self,
        ty: Option<&Type>,
        initial: &'m Expression,
        state: &mut State<'m>,
    ) -> Value<'m> {
        match (initial, ty) {
            (Expression::List(values), Some(ty)) => {
                let values = self.list(values, state);
                self.graph.listed(ty, &values)
            }
            (_, Some(ty)) => {
                let value = self.evaluate(initial, state);
                self.graph.cast(ty, value)
            }
            (_, None) => self.evaluate(initial, state),
        }
    }

    fn list(&mut self, values: &'m [Expression], state: &mut State<'m>) -> Vec<Value<'m>> {
        let mut found = Vec::new();
        for value in values {
            match value {
                Expression::List(inner) => found.extend(self.list(inner, state)),
                value => found.push(self.evaluate(value, state)),
            }
        }
        found
    }

    fn value(&mut self, expression: &'m Expression, state: &mut State<'m>) -> Value<'m> {
        match expression {
            Expression::Constant(literal) => Value::Scalar(self.graph.constant(*literal)),
            Expression::Local(slot) => {
                state.locals.get(*slot).cloned().unwrap_or_else(|| self.graph.undefined_value(None))
            }
            Expression::This => state.this.clone().unwrap_or_else(|| self.graph.undefined_value(None)),
            Expression::Global(name) => self.global(name, state),
            Expression::Member(object, name) => {
                let object = self.base(object, state);
                self.part_of(&object, &PlaceStep::Member(name.clone()))
            }
            Expression::Index(object, index) => {
                let object = self.base(object, state);
                let index = self.evaluate(index, state);
                let index = self.graph.whole(&index);
                self.note_index(expression, index);
                self.part_of(&object, &PlaceStep::Index(index))
            }
            Expression::Call(call) => self.call(call, state),
            Expression::Unary(operator, operand) => {
                let operand = self.evaluate(operand, state);
                self.prefixed(*operator, &operand)
            }
            Expression::Binary(operator, left, right) => {
                let left = self.evaluate(left, state);
                // The right side is evaluated in any case: it has no effects that the left one could hold back.
                let right = self.evaluate(right, state);
                self.operation(*operator, &left, &right)
            }
            Expression::Select(parts) => {
                let [condition, first, second] = &**parts;
                let condition = self.evaluate(condition, state);
                if let Value::Scalar(node) = self.graph.opened(condition.clone()) {
                    match self.truth(node) {
                        Some(true) => return self.evaluate(first, state),
                        Some(false) => return self.evaluate(second, state),
                        None => {}
                    }
                }
                let start = self.graph.next();
                let first = self.evaluate(first, state);
                let second = self.evaluate(second, state);
                let before = std::mem::replace(&mut self.graph.branch_start, start);
                let selected = self.selected(&condition, first, second);
                self.graph.branch_start = before;
                selected
            }
            Expression::Assign { operator, target, value } => {
                let value = match &**value {
                    Expression::List(values) => {
                        let values = self.list(values, state);
                        let target = self.evaluate(target, state);
                        if let Value::Opaque(_, Some(ty)) = self.graph.open_all(&target) {
                            self.graph.listed(&ty, &values)
                        } else {
                            let leaves = all_leaves(&values);
                            Value::Opaque(self.graph.computed("list", leaves), None)
                        }
                    }
                    value => self.evaluate(value, state),
                };
                let value = match operator {
                    Some(operator) => {
                        let old = self.evaluate(target, state);
                        self.operation(*operator, &old, &value)
                    }
                    None => value,
                };
                self.assign(target, value.clone(), state);
                value
            }
            Expression::Step { target, down, postfix } => {
                let old = self.evaluate(target, state);
                let one = Value::Scalar(self.graph.constant(Literal::Integer { value: 1, unsigned: false }));
                let operator = if *down { BinaryOperator::Subtract } else { BinaryOperator::Add };
                let new = self.operation(operator, &old, &one);
                self.assign(target, new.clone(), state);
                if *postfix { old } else { new }
            }
            Expression::Cast(ty, value) => {
                let value = self.evaluate(value, state);
                match ty {
                    Some(ty) => self.graph.cast(ty, value),
                    None => value,
                }
            }
            Expression::Construct(ty, values) => {
                let values = self.list(values, state);
                match values.as_slice() {
                    [one] => self.graph.cast(ty, one.clone()),
                    values => self.graph.listed(ty, values),
                }
            }
            Expression::List(values) => {
                let values = self.list(values, state);
                let leaves = all_leaves(&values);
                Value::Opaque(self.graph.computed("list", leaves), None)
            }
            Expression::Sequence(values) => {
                let mut last = self.graph.undefined_value(None);
                for value in values {
                    last = self.evaluate(value, state);
                }
                last
            }
            Expression::Opaque => Value::Opaque(self.graph.computed("constant", Vec::new()), None),
        }
    }

    fn global(&mut self, name: &str, state: &mut State<'m>) -> Value<'m> {
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

    fn shared_part(&mut self, outer: Option<u32>, name: &str) -> u32 {
        let known = self.shared.iter().position(|(around, own)| *around == outer && own == name);
        let number = known.unwrap_or_else(|| {
            self.shared.push((outer, name.to_owned()));
            self.shared.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
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
            if let super::graph::Operation::Shared(number) = self.graph.nodes[*node as usize].operation {
                let part = self.shared_part(Some(number), name);
                let ty = ty.member(name).map(|member| member.ty.clone());
                return Value::Opaque(self.graph.shared(part), ty);
            }
        }
        if let (Value::Opaque(node, Some(Type::Array { element, .. })), PlaceStep::Index(index)) = (&value, step) {
            if let super::graph::Operation::Shared(_) = self.graph.nodes[*node as usize].operation {
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

    fn place(&mut self, target: &'m Expression, state: &mut State<'m>) -> Place<'m> {
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

    fn store(&mut self, place: &Place<'m>, value: Value<'m>, state: &mut State<'m>) {
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

    fn prefixed(&mut self, operator: PrefixOperator, operand: &Value<'m>) -> Value<'m> {
        if let Some((nodes, columns)) = self.graph.components(operand) {
            let nodes = nodes.into_iter().map(|node| self.graph.prefix(operator, node)).collect();
            number(nodes, columns)
        } else {
            let whole = self.graph.whole(operand);
            Value::Opaque(self.graph.prefix(operator, whole), None)
        }
    }

    pub(super) fn operation(&mut self, operator: BinaryOperator, left: &Value<'m>, right: &Value<'m>) -> Value<'m> {
        self.elementwise(&[left.clone(), right.clone()], &mut |graph, nodes| graph.binary(operator, nodes[0], nodes[1]))
    }

    /// An operation on the components of numbers; single ones are repeated, longer ones cut.
    pub(super) fn elementwise(
        &mut self,
        values: &[Value<'m>],
        operation: &mut impl FnMut(&mut super::graph::Graph, &[NodeId]) -> NodeId,
    ) -> Value<'m> {
        let values: Vec<Value<'m>> = values.iter().map(|value| self.read_whole(value.clone())).collect();
        let numbers: Vec<_> = values.iter().filter_map(|value| self.graph.components(value)).collect();
        if numbers.len() < values.len() {
            let nodes: Vec<NodeId> = values.iter().map(|value| self.graph.whole(value)).collect();
            return Value::Opaque(operation(&mut self.graph, &nodes), None);
        }
        let longer = numbers.iter().filter(|number| number.0.len() > 1);
        let length = longer.clone().map(|number| number.0.len()).min().unwrap_or(1);
        let columns = longer.filter(|number| number.0.len() == length).find_map(|number| number.1);
        let nodes = (0..length).map(|at| {
            let nodes: Vec<NodeId> = numbers.iter().map(|(nodes, _)| *nodes.get(at).unwrap_or(&nodes[0])).collect();
            operation(&mut self.graph, &nodes)
        });
        let nodes = nodes.collect();
        number(nodes, columns)
    }

    /// `ConstantBuffer<float4> c;` is read as its element.
    fn read_whole(&mut self, value: Value<'m>) -> Value<'m> {
        let Value::Handles(handles) = &value else { return value };
        let Some(handle) = handles.first() else { return value };
        match handle.location.ty {
            Type::Resource(resource) if is_transparent(resource) => {
                let node = self.accessed(&handle.location, handle.operands.clone());
                Value::Opaque(node, resource.element.as_deref().cloned())
            }
            _ => {
                let dependencies = self.dependencies(std::slice::from_ref(&value));
                Value::Opaque(self.graph.computed("handle", dependencies), None)
            }
        }
    }

    pub(super) fn selected(&mut self, condition: &Value<'m>, first: Value<'m>, second: Value<'m>) -> Value<'m> {
        match self.graph.components(condition) {
            Some((nodes, _)) if nodes.len() > 1 => {
                let condition = condition.clone();
                self.elementwise(&[condition, first, second], &mut |graph, nodes| match graph.truth(nodes[0]) {
                    Some(true) => nodes[1],
                    Some(false) => nodes[2],
                    None => graph.choice(&nodes[..1], &nodes[1..]),
                })
            }
            _ => {
                let condition = self.graph.whole(condition);
                match self.truth(condition) {
                    Some(true) => first,
                    Some(false) => second,
                    None => {
                        let may_be_known = self.may_be_known(condition);
                        let condition = if may_be_known { self.graph.perhaps_known(condition) } else { condition };
                        self.graph.is_select = !may_be_known;
                        let joined = self.graph.joined(Joining::Choice, &[condition], &[first, second]);
                        self.graph.is_select = false;
                        joined
                    }
                }
            }
        }
    }

    fn call(&mut self, call: &'m CallExpression, state: &mut State<'m>) -> Value<'m> {
        let CallExpression { name, callees, object, arguments, .. } = call;
        let mut candidates: Vec<usize> = match callees {
            Callees::Known(index) => vec![*index],
            Callees::OneOf(indices) | Callees::Perhaps(indices) => indices.clone(),
            Callees::Named if object.is_none() => self.functions.get(name.as_str()).cloned().unwrap_or_default(),
            Callees::Named | Callees::BuiltIn => Vec::new(),
        };
        candidates.retain(|index| {
            let code = self.module.functions[*index].code.as_ref();
            code.is_none_or(|code| {
                let needed = code.parameters.iter().filter(|parameter| parameter.default.is_none()).count();
                (needed..=code.parameters.len()).contains(&arguments.len())
            })
        });
        let is_perhaps = matches!(callees, Callees::Perhaps(_));
        if is_perhaps || candidates.len() > 1 {
            // HLSL has no recursion.
            candidates.retain(|index| !self.open.contains(index));
        }
        match candidates.as_slice() {
            [] => self.built_in(call, state),
            [one] if !is_perhaps => self.call_one(*one, call, state),
            several => {
                // It is not certain which one runs.
                self.doubtful += 1;
                let doubt = self.graph.fresh(Vec::new());
                let (mut states, mut results) = (Vec::new(), Vec::new());
                for function in several {
                    let mut inner = state.clone();
                    results.push(self.call_one(*function, call, &mut inner));
                    states.push(inner);
                }
                if is_perhaps {
                    let mut inner = state.clone();
                    results.push(self.built_in(call, &mut inner));
                    states.push(inner);
                }
                self.doubtful -= 1;
                *state = self.merged(&[doubt], states);
                let result = self.graph.joined(Joining::Choice, &[doubt], &results);
                self.graph.mapped(&result, &mut |graph, node| graph.doubtful(node))
            }
        }
    }

    fn call_one(&mut self, function: usize, call: &'m CallExpression, state: &mut State<'m>) -> Value<'m> {
        let code = self.module.functions[function].code.as_ref().filter(|_| !self.open.contains(&function));
        let Some(code) = code else {
            // A body that was not understood, or a recursion.
            self.open.push(function);
            self.give_up();
            return self.graph.undefined_value(None);
        };

        let object = call.object.as_ref().map(|object| (self.place(object, state), self.evaluate(object, state)));
        let mut values = Vec::new();
        let mut places = Vec::new();
        for (at, parameter) in code.parameters.iter().enumerate() {
            let argument = call.arguments.get(at);
            let place = argument.filter(|_| parameter.is_out).map(|argument| self.place(argument, state));
            let value = match (argument, &parameter.default) {
                (Some(argument), _) if parameter.is_in => self.evaluate(argument, state),
                (None, Some(default)) => {
                    let this = state.this.clone();
                    let mut own = State { this, statics: state.statics.clone(), ..State::default() };
                    self.evaluate(default, &mut own)
                }
                (Some(_), _) | (None, None) => self.graph.undefined_value(parameter.ty.as_ref()),
            };
            values.push(match &parameter.ty {
                Some(ty) => self.graph.cast(ty, value),
                None => value,
            });
            places.push(place);
        }

        let saved = match &object {
            Some((_, value)) => state.this.replace(value.clone()),
            None => state.this.clone(),
        };
        self.open.push(function);
        let found = self.deeper(|liveness| liveness.run(code, values, state));
        self.open.pop();
        let Some((result, outputs)) = found else { return self.graph.undefined_value(None) };
        if let Some((place, old)) = object {
            let new = std::mem::replace(&mut state.this, saved);
            if let Some(new) = new.filter(|new| !new.is(&old)) {
                self.store(&place, new, state);
            }
        }
        for (place, output) in places.into_iter().zip(outputs) {
            if let Some(place) = place {
                self.store(&place, output, state);
            }
        }
        result
    }
}

/// True for a struct without data, which nothing reads.
fn is_empty(ty: &Type) -> bool {
    match ty.dimensions().0 {
        Type::Struct(ty) => ty.base.is_none() && ty.members.iter().all(|member| is_empty(&member.ty)),
        _ => false,
    }
}

fn is_written(resource: &Resource) -> bool {
    match resource.kind {
        ResourceKind::StructuredBuffer(access)
        | ResourceKind::ByteAddressBuffer(access)
        | ResourceKind::Buffer(access) => access != Access::Read,
        ResourceKind::Texture(texture) => texture.access != Access::Read,
        _ => false,
    }
}

/// The components that `name` takes of a number.
fn swizzle(name: &str, length: usize, columns: Option<usize>) -> Option<Vec<usize>> {
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
