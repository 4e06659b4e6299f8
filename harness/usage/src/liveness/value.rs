//! Values of variables: a node for each scalar, as far as types are known.

use std::rc::Rc;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, StructType, Type};

use super::graph::{Graph, NodeId};
use super::integer::Integer;
use super::literals::{float, is_inexact_integer, is_true, truncated};
use crate::location::Location;
use layoutproof_frontend::module::code::{BinaryOperator, Literal};

/// Arrays with more elements are one value.
const MOST_ELEMENTS: u32 = 64;

/// A resource, or a struct or array of some, of the module's parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Handle<'m> {
    pub(super) location: Location<'m>,
    /// The value that decides which one it is.
    pub(super) operands: Vec<NodeId>,
    /// True for `texture.mips` and `texture.sample`: the next index is not that of an element.
    pub(super) is_level: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Value<'m> {
    Scalar(NodeId),
    Vector(Rc<Vec<NodeId>>),
    /// Rows after each other.
    Matrix(usize, Rc<Vec<NodeId>>),
    Struct(Rc<Vec<(String, Value<'m>)>>),
    Array(Rc<Vec<Value<'m>>>),
    /// A value that is not taken apart (yet).
    Opaque(NodeId, Option<Type>),
    Handles(Rc<Vec<Handle<'m>>>),
}

impl Value<'_> {
    /// Appends the nodes of all scalars; handles give what decides them.
    pub(super) fn leaves(&self, found: &mut Vec<NodeId>) {
        match self {
            Self::Scalar(node) | Self::Opaque(node, _) => found.push(*node),
            Self::Vector(nodes) | Self::Matrix(_, nodes) => found.extend(nodes.iter()),
            Self::Struct(members) => members.iter().for_each(|(_, member)| member.leaves(found)),
            Self::Array(elements) => elements.iter().for_each(|element| element.leaves(found)),
            Self::Handles(handles) => handles.iter().for_each(|handle| found.extend(&handle.operands)),
        }
    }

    /// True if both are the same for certain.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) | (Self::Opaque(one, _), Self::Opaque(other, _)) => one == other,
            (Self::Vector(one), Self::Vector(other)) | (Self::Matrix(_, one), Self::Matrix(_, other)) => {
                Rc::ptr_eq(one, other) || one == other
            }
            (Self::Struct(one), Self::Struct(other)) => {
                Rc::ptr_eq(one, other)
                    || (one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| one.1.is(&other.1)))
            }
            (Self::Array(one), Self::Array(other)) => {
                Rc::ptr_eq(one, other)
                    || (one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| one.is(other)))
            }
            (Self::Handles(one), Self::Handles(other)) => Rc::ptr_eq(one, other) || one == other,
            _ => false,
        }
    }
}

/// How several values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joining {
    /// One of them, as conditions decide.
    Choice,
    /// An element of an array at an index that is not constant: the compiler keeps the array.
    Element,
}

impl Graph {
    pub(super) fn undefined_value<'m>(&mut self, ty: Option<&Type>) -> Value<'m> {
        Value::Opaque(self.undefined(), ty.cloned())
    }

    /// `value` taken apart by one level, if it can be.
    pub(super) fn opened<'m>(&mut self, value: Value<'m>) -> Value<'m> {
        let Value::Opaque(node, Some(ty)) = &value else { return value };
        let node = *node;
        match ty {
            Type::Scalar(scalar) => {
                self.note_scalars(*scalar, &[node]);
                Value::Scalar(node)
            }
            Type::Enum(_) => Value::Scalar(node),
            Type::Vector { scalar, length } => {
                let nodes: Vec<NodeId> = (0..*length).map(|at| self.part(node, at)).collect();
                self.note_scalars(*scalar, &nodes);
                Value::Vector(Rc::new(nodes))
            }
            Type::Matrix { scalar, rows, columns, .. } => {
                let nodes: Vec<NodeId> = (0..rows * columns).map(|at| self.part(node, at)).collect();
                self.note_scalars(*scalar, &nodes);
                Value::Matrix(*columns as usize, Rc::new(nodes))
            }
            // A ray query has no members, but is a value.
            Type::Struct(ty) if members(ty).is_empty() => value,
            Type::Struct(ty) => {
                let members = members(ty);
                let open = |(name, ty): (String, Type)| {
                    let part = self.member(node, &name);
                    (name, Value::Opaque(part, Some(ty)))
                };
                Value::Struct(Rc::new(members.into_iter().map(open).collect()))
            }
            Type::Array { element, count: Count::Finite(count) } if *count <= MOST_ELEMENTS => {
                let elements = (0..*count).map(|at| Value::Opaque(self.part(node, at), Some((**element).clone())));
                Value::Array(Rc::new(elements.collect()))
            }
            _ => value,
        }
    }

    fn note_scalars(&mut self, scalar: Scalar, nodes: &[NodeId]) {
        if is_unsigned(scalar) {
            self.unsigned.extend(nodes);
        }
        let integer = match scalar {
            Scalar::Bool => Integer::truth(),
            Scalar::Int32 => Integer::any(Some(false)),
            Scalar::Uint32 => Integer::any(Some(true)),
            _ => return,
        };
        for node in nodes {
            if !self.is_undefined(*node) {
                self.note_integer(*node, integer);
            }
        }
    }

    /// `value` taken apart to its scalars.
    pub(super) fn open_all<'m>(&mut self, value: &Value<'m>) -> Value<'m> {
        match self.opened(value.clone()) {
            Value::Struct(members) => {
                let members = members.iter().map(|(name, member)| (name.clone(), self.open_all(member)));
                Value::Struct(Rc::new(members.collect()))
            }
            Value::Array(elements) => {
                Value::Array(Rc::new(elements.iter().map(|element| self.open_all(element)).collect()))
            }
            other => other,
        }
    }

    /// `value` with another node for each scalar.
    pub(super) fn mapped<'m>(
        &mut self,
        value: &Value<'m>,
        map: &mut impl FnMut(&mut Self, NodeId) -> NodeId,
    ) -> Value<'m> {
        match value {
            Value::Scalar(node) => Value::Scalar(map(self, *node)),
            Value::Opaque(node, ty) => Value::Opaque(map(self, *node), ty.clone()),
            Value::Vector(nodes) => Value::Vector(Rc::new(nodes.iter().map(|node| map(self, *node)).collect())),
            Value::Matrix(columns, nodes) => {
                Value::Matrix(*columns, Rc::new(nodes.iter().map(|node| map(self, *node)).collect()))
            }
            Value::Struct(members) => {
                let members = members.iter().map(|(name, member)| (name.clone(), self.mapped(member, map)));
                Value::Struct(Rc::new(members.collect()))
            }
            Value::Array(elements) => {
                Value::Array(Rc::new(elements.iter().map(|element| self.mapped(element, map)).collect()))
            }
            Value::Handles(_) => value.clone(),
        }
    }

    /// The nodes of a number, and its columns if it is a matrix; `None` for what is no number for certain.
    pub(super) fn components(&mut self, value: &Value<'_>) -> Option<(Vec<NodeId>, Option<usize>)> {
        match self.opened(value.clone()) {
            Value::Scalar(node) => Some((vec![node], None)),
            Value::Vector(nodes) => Some((nodes.to_vec(), None)),
            Value::Matrix(columns, nodes) => Some((nodes.to_vec(), Some(columns))),
            Value::Struct(_) | Value::Array(_) | Value::Opaque(..) | Value::Handles(_) => None,
        }
    }

    pub(super) fn whole(&mut self, value: &Value<'_>) -> NodeId {
        match value {
            Value::Scalar(node) | Value::Opaque(node, _) => *node,
            other => {
                let leaves = all_leaves(std::slice::from_ref(other));
                if leaves.iter().all(|leaf| self.is_undefined(*leaf)) {
                    return self.undefined();
                }
                self.computed("whole", leaves)
            }
        }
    }

    pub(super) fn joined<'m>(&mut self, joining: Joining, conditions: &[NodeId], values: &[Value<'m>]) -> Value<'m> {
        let Some(first) = values.first() else { return self.undefined_value(None) };
        if joining == Joining::Choice && values.iter().all(|value| value.is(first)) {
            return first.clone();
        }
        if let Some(handles) = handles(self, conditions, values) {
            return handles;
        }

        let opened: Vec<Value<'m>> = values.iter().map(|value| self.opened(value.clone())).collect();
        let structs: Vec<_> = opened
            .iter()
            .filter_map(|value| if let Value::Struct(members) = value { Some(Rc::clone(members)) } else { None })
            .collect();
        if structs.len() == opened.len() && structs.iter().all(|one| one.len() == structs[0].len()) {
            let members = (0..structs[0].len()).map(|at| {
                let members: Vec<Value<'m>> = structs.iter().map(|members| members[at].1.clone()).collect();
                (structs[0][at].0.clone(), self.joined(joining, conditions, &members))
            });
            return Value::Struct(Rc::new(members.collect()));
        }
        let arrays: Vec<_> = opened
            .iter()
            .filter_map(|value| if let Value::Array(elements) = value { Some(Rc::clone(elements)) } else { None })
            .collect();
        if arrays.len() == opened.len() && arrays.iter().all(|one| one.len() == arrays[0].len()) {
            let elements = (0..arrays[0].len()).map(|at| {
                let elements: Vec<Value<'m>> = arrays.iter().map(|elements| elements[at].clone()).collect();
                self.joined(joining, conditions, &elements)
            });
            return Value::Array(Rc::new(elements.collect()));
        }

        let numbers: Vec<_> = opened.iter().filter_map(|value| self.components(value)).collect();
        if numbers.len() == opened.len() {
            let columns = numbers.iter().find_map(|number| number.1);
            let length = if numbers.iter().all(|number| number.0.len() == 1) {
                1
            } else {
                numbers.iter().map(|number| number.0.len()).filter(|length| *length > 1).min().unwrap_or(1)
            };
            let nodes = (0..length).map(|at| {
                let nodes: Vec<NodeId> = numbers.iter().map(|(nodes, _)| *nodes.get(at).unwrap_or(&nodes[0])).collect();
                self.join(joining, conditions, &nodes)
            });
            return number(nodes.collect(), columns);
        }
        let nodes: Vec<NodeId> = opened.iter().map(|value| self.whole(value)).collect();
        let ty = values.iter().find_map(|value| if let Value::Opaque(_, ty) = value { ty.clone() } else { None });
        // The index decides which ray query it is, even before one is started.
        let is_query = matches!(&ty, Some(Type::Struct(ty)) if members(ty).is_empty());
        if joining == Joining::Element && is_query {
            let operands = conditions.iter().chain(&nodes).copied().collect();
            return Value::Opaque(self.computed("element", operands), ty);
        }
        Value::Opaque(self.join(joining, conditions, &nodes), ty)
    }

    fn join(&mut self, joining: Joining, conditions: &[NodeId], nodes: &[NodeId]) -> NodeId {
        match joining {
            Joining::Choice => self.choice(conditions, nodes),
            Joining::Element if nodes.iter().all(|node| self.is_undefined(*node)) => self.undefined(),
            Joining::Element => {
                let operands = conditions.iter().chain(nodes).copied().collect();
                let element = self.computed("element", operands);
                if nodes.iter().all(|node| self.literal(*node).is_some()) {
                    self.of_tables.insert(element);
                }
                element
            }
        }
    }

    /// `value` as `ty`: numbers are repeated, cut and converted, `(S)0` fills.
    pub(super) fn cast<'m>(&mut self, ty: &Type, value: Value<'m>) -> Value<'m> {
        if let Value::Opaque(node, known) = &value {
            if known.as_ref() == Some(ty) {
                return value;
            }
            if self.is_undefined(*node) {
                return Value::Opaque(*node, Some(ty.clone()));
            }
        }
        match ty {
            Type::Scalar(scalar) => match self.components(&value) {
                Some((nodes, _)) => Value::Scalar(self.converted(*scalar, nodes[0])),
                None => Value::Scalar(self.whole(&value)),
            },
            Type::Enum(_) => {
                Value::Scalar(self.components(&value).map_or_else(|| self.whole(&value), |found| found.0[0]))
            }
            Type::Vector { scalar, length } => self.numbers(*scalar, *length as usize, None, &value),
            Type::Matrix { scalar, rows, columns, .. } => {
                self.numbers(*scalar, (rows * columns) as usize, Some(*columns as usize), &value)
            }
            Type::Struct(own) => match self.opened(value.clone()) {
                Value::Struct(members) if members.len() >= self::members(own).len() => {
                    // A derived struct is cut to its base.
                    let names = self::members(own);
                    let find = |name: &str| members.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
                    let found: Option<Vec<_>> =
                        names.into_iter().map(|(name, _)| find(&name).map(|value| (name, value))).collect();
                    found.map_or(Value::Struct(members), |found| Value::Struct(Rc::new(found)))
                }
                Value::Scalar(node) => self.filled(ty, node),
                Value::Opaque(node, None) => Value::Opaque(node, Some(ty.clone())),
                _ => value,
            },
            Type::Array { .. } => match value {
                Value::Scalar(node) => self.filled(ty, node),
                other => other,
            },
            Type::Resource(_) => match value {
                // One of a descriptor heap.
                Value::Opaque(node, _) => Value::Opaque(node, Some(ty.clone())),
                other => other,
            },
            Type::Pointer { .. } | Type::Handle { .. } | Type::Interface { .. } => value,
        }
    }

    /// A value of the type `ty` in which all scalars are `node`.
    fn filled<'m>(&mut self, ty: &Type, node: NodeId) -> Value<'m> {
        let empty = self.undefined_value(Some(ty));
        let opened = self.open_all(&empty);
        let filled = self.mapped(&opened, &mut |_, _| node);
        match filled {
            Value::Opaque(..) => Value::Opaque(node, Some(ty.clone())),
            filled => filled,
        }
    }

    fn numbers<'m>(&mut self, scalar: Scalar, length: usize, columns: Option<usize>, value: &Value<'m>) -> Value<'m> {
        let Some((nodes, own)) = self.components(value) else {
            let whole = self.whole(value);
            let nodes = (0..length).map(|at| self.part(whole, u32::try_from(at).unwrap_or(0))).collect();
            return number_of(nodes, columns);
        };
        let place = |at: usize| match (own, columns) {
            (Some(own), Some(columns)) => at / columns * own + at % columns,
            (_, _) => at,
        };
        let nodes = (0..length).map(|at| {
            let node = if nodes.len() == 1 {
                nodes[0]
            } else {
                nodes.get(place(at)).copied().unwrap_or_else(|| self.undefined())
            };
            self.converted(scalar, node)
        });
        number_of(nodes.collect(), columns)
    }

    fn converted(&mut self, scalar: Scalar, node: NodeId) -> NodeId {
        if self.is_undefined(node) {
            return node;
        }
        if let Some((unrolled, around)) = self.unrolled_pair(node) {
            let (unrolled, around) = (self.converted(scalar, unrolled), self.converted(scalar, around));
            return self.perhaps_unrolled(unrolled, around);
        }
        let kind = match scalar {
            Scalar::Bool => Literal::Boolean(false),
            Scalar::Int8 | Scalar::Int16 | Scalar::Min12Int | Scalar::Min16Int | Scalar::Int32 | Scalar::Int64 => {
                Literal::Integer { value: 0, unsigned: false }
            }
            Scalar::Uint8 | Scalar::Uint16 | Scalar::Min16Uint | Scalar::Uint32 | Scalar::Uint64 => {
                Literal::Integer { value: 0, unsigned: true }
            }
            Scalar::Min10Float
            | Scalar::Min16Float
            | Scalar::Float16
            | Scalar::Half
            | Scalar::Float32
            | Scalar::Float64 => Literal::Float(0.0),
        };
        match (kind, self.literal(node)) {
            (Literal::Boolean(_), Some(literal)) => self.constant(Literal::Boolean(is_true(literal))),
            (Literal::Float(_), Some(literal)) => self.constant(Literal::Float(float(literal))),
            (Literal::Integer { unsigned, .. }, Some(literal)) if is_inexact_integer(literal, unsigned) => {
                self.perhaps_integer(node, unsigned)
            }
            (Literal::Integer { unsigned, .. }, Some(literal)) => self.constant(truncated(literal, unsigned)),
            (Literal::Boolean(_), None) => {
                let zero = self.constant(Literal::Integer { value: 0, unsigned: false });
                if self.is_truth(node) { node } else { self.binary(BinaryOperator::NotEqual, node, zero) }
            }
            (Literal::Float(_), None) => self.float_of(node),
            (Literal::Integer { .. }, None) if !matches!(scalar, Scalar::Int32 | Scalar::Uint32) => {
                self.computed(&format!("{scalar:?}"), vec![node])
            }
            (Literal::Integer { unsigned, .. }, None) => self.integer_of(node, unsigned),
        }
    }

    fn is_truth(&self, node: NodeId) -> bool {
        use super::graph::Operation;
        use layoutproof_frontend::module::code::PrefixOperator;
        match self.nodes[node as usize].operation {
            Operation::Prefix(PrefixOperator::Not) => true,
            Operation::Binary(operator) => matches!(
                operator,
                BinaryOperator::And
                    | BinaryOperator::Or
                    | BinaryOperator::Equal
                    | BinaryOperator::NotEqual
                    | BinaryOperator::Less
                    | BinaryOperator::Greater
                    | BinaryOperator::LessEqual
                    | BinaryOperator::GreaterEqual
            ),
            _ => false,
        }
    }

    /// A value of the type `ty` from the scalars of `values` in order.
    pub(super) fn listed<'m>(&mut self, ty: &Type, values: &[Value<'m>]) -> Value<'m> {
        let mut parts = Vec::new();
        for value in values {
            let opened = self.open_all(value);
            flat(&opened, &mut parts);
        }
        let sized = self.sized(ty, parts.len());
        let ty = sized.as_ref().unwrap_or(ty);
        let empty = self.undefined_value(Some(ty));
        let pattern = self.open_all(&empty);
        let mut next = parts.iter();
        match self.taken(&pattern, &mut next) {
            Some(built) if next.next().is_none() => self.cast(ty, built),
            _ => {
                let leaves = all_leaves(values);
                Value::Opaque(self.computed("list", leaves), Some(ty.clone()))
            }
        }
    }

    /// `T[]` with as many elements as `parts` scalars and handles fill.
    fn sized(&mut self, ty: &Type, parts: usize) -> Option<Type> {
        let Type::Array { element, count: Count::Unbounded } = ty else { return None };
        let empty = self.undefined_value(Some(element));
        let pattern = self.open_all(&empty);
        let mut each = Vec::new();
        flat(&pattern, &mut each);
        let count = parts.checked_div(each.len()).and_then(|count| u32::try_from(count).ok())?;
        Some(Type::Array { element: element.clone(), count: Count::Finite(count) })
    }

    fn taken<'m>(&mut self, pattern: &Value<'m>, next: &mut std::slice::Iter<'_, Value<'m>>) -> Option<Value<'m>> {
        let mut one = |graph: &mut Self| next.next().map(|value| graph.whole(value));
        match pattern {
            Value::Scalar(_) => Some(Value::Scalar(one(self)?)),
            Value::Vector(nodes) => {
                let nodes: Option<Vec<NodeId>> = nodes.iter().map(|_| one(self)).collect();
                Some(Value::Vector(Rc::new(nodes?)))
            }
            Value::Matrix(columns, nodes) => {
                let nodes: Option<Vec<NodeId>> = nodes.iter().map(|_| one(self)).collect();
                Some(Value::Matrix(*columns, Rc::new(nodes?)))
            }
            Value::Struct(members) => {
                let mut found = Vec::new();
                for (name, member) in members.iter() {
                    found.push((name.clone(), self.taken(member, next)?));
                }
                Some(Value::Struct(Rc::new(found)))
            }
            Value::Array(elements) => {
                let mut found = Vec::new();
                for element in elements.iter() {
                    found.push(self.taken(element, next)?);
                }
                Some(Value::Array(Rc::new(found)))
            }
            Value::Opaque(_, Some(ty @ Type::Resource(_))) => {
                let value = next.next().cloned()?;
                Some(self.cast(ty, value))
            }
            Value::Opaque(..) | Value::Handles(_) => None,
        }
    }
}

fn is_unsigned(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Uint8 | Scalar::Uint16 | Scalar::Min16Uint | Scalar::Uint32 | Scalar::Uint64)
}

/// A number of these components.
pub(super) fn number<'m>(nodes: Vec<NodeId>, columns: Option<usize>) -> Value<'m> {
    match (nodes.as_slice(), columns) {
        ([node], None) => Value::Scalar(*node),
        (_, _) => number_of(nodes, columns),
    }
}

fn number_of<'m>(nodes: Vec<NodeId>, columns: Option<usize>) -> Value<'m> {
    match columns {
        Some(columns) => Value::Matrix(columns, Rc::new(nodes)),
        None => Value::Vector(Rc::new(nodes)),
    }
}

/// The members of a struct with those of its bases, which come first.
fn members(ty: &StructType) -> Vec<(String, Type)> {
    ty.all_members().map(|member| (member.name.clone(), member.ty.clone())).collect()
}

/// The scalars and handles of a value that is taken apart.
fn flat<'m>(value: &Value<'m>, found: &mut Vec<Value<'m>>) {
    match value {
        Value::Vector(nodes) | Value::Matrix(_, nodes) => found.extend(nodes.iter().map(|node| Value::Scalar(*node))),
        Value::Struct(members) => members.iter().for_each(|(_, member)| flat(member, found)),
        Value::Array(elements) => elements.iter().for_each(|element| flat(element, found)),
        Value::Scalar(_) | Value::Opaque(..) | Value::Handles(_) => found.push(value.clone()),
    }
}

/// The union of handles; what was never written is none of them.
fn handles<'m>(graph: &Graph, conditions: &[NodeId], values: &[Value<'m>]) -> Option<Value<'m>> {
    let mut found: Vec<Handle<'m>> = Vec::new();
    for value in values {
        match value {
            Value::Handles(handles) => {
                for handle in handles.iter() {
                    if !found.contains(handle) {
                        found.push(handle.clone());
                    }
                }
            }
            Value::Opaque(node, _) if graph.is_undefined(*node) => {}
            _ => return None,
        }
    }
    if found.len() > 1 {
        for handle in &mut found {
            handle.operands.extend(conditions);
        }
    }
    if found.is_empty() { None } else { Some(Value::Handles(Rc::new(found))) }
}

/// The nodes of all scalars in `values`.
pub(super) fn all_leaves(values: &[Value<'_>]) -> Vec<NodeId> {
    let mut found = Vec::new();
    for value in values {
        value.leaves(&mut found);
    }
    found
}
