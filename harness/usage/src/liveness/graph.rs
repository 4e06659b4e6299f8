//! The graph of what each value is computed from.
//!
//! Equal computations are one node, so that `x - x` and a choice between equal values fold as they do in LLVM. `operators`
//! and `comparisons` make the simplifications of DXC's optimiser.

use std::collections::{HashMap, HashSet};

use super::integer::Integer;
use super::literals::{ConstantBits, float, is_true, truncated};
use super::operators::MOST_CONSTANTS;
use layoutproof_frontend::module::code::{BinaryOperator, Literal, PrefixOperator};

pub(super) type NodeId = u32;

/// Nodes after which the analysis gives up.
pub(super) const MOST_NODES: usize = 1 << 20;

/// How a node gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    /// Never written.
    Undefined,
    Constant(ConstantBits),
    /// Something that is different each time: an input, a read of memory that the shader writes.
    Fresh(u32),
    /// The access of a global parameter, by its number among the places.
    Access(u32),
    /// A component, an element or a member.
    Part(u32),
    /// A computation, by the number of its name.
    Computed(u32),
    Prefix(PrefixOperator),
    Binary(BinaryOperator),
    /// One of several values; the first operands are what decides.
    Choice,
    /// A value that goes around in a loop.
    Around(u32),
    /// The values that the threads of a group wrote into a variable, by its number.
    Shared(u32),
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) operation: Operation,
    pub(super) operands: Vec<NodeId>,
    /// True if the value is not the same each time.
    pub(super) varies: bool,
    /// True if the compiler may find out that it does not need the operands.
    pub(super) is_doubtful: bool,
    /// The known bits and range of an integer; `None` for other values, and for those of an unknown type.
    integer: Option<Integer>,
}

#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) known: HashMap<(Operation, Vec<NodeId>), NodeId>,
    pub(super) names: HashMap<String, u32>,
    pub(super) fresh: u32,
    /// The values of choices among constants.
    pub(super) constant_choices: HashMap<NodeId, Vec<Literal>>,
    /// Least and most of values that go around and depend on constants alone.
    pub(super) ranges: HashMap<NodeId, (i64, i64)>,
    /// The values that go around in the loops whose bodies are being run.
    pub(super) open: Vec<NodeId>,
    /// Values after loops of which the unrolled one is a constant, with both.
    pub(super) unrolled: HashMap<NodeId, (NodeId, NodeId)>,
    /// Values that one condition chooses: it, the value where it holds, the other one.
    pub(super) selects: HashMap<NodeId, [NodeId; 3]>,
    /// True while the values of the two sides of one condition are joined.
    pub(super) is_select: bool,
    /// Values that are constants in the code that is being run, because of the conditions around it.
    pub(super) equal: Vec<(NodeId, Literal)>,
    /// The first node that was made in the branches whose values are chosen from.
    pub(super) branch_start: NodeId,
    /// Values of unsigned types.
    pub(super) unsigned: HashSet<NodeId>,
    /// Elements of arrays of constants.
    pub(super) of_tables: HashSet<NodeId>,
}

impl Graph {
    pub(super) fn intern(&mut self, operation: Operation, operands: Vec<NodeId>) -> NodeId {
        if let Some(id) = self.known.get(&(operation, operands.clone())) {
            return *id;
        }
        let varies = match operation {
            Operation::Undefined | Operation::Constant(_) => false,
            Operation::Fresh(_) | Operation::Access(_) | Operation::Around(_) | Operation::Shared(_) => true,
            _ => operands.iter().any(|operand| self.nodes[*operand as usize].varies),
        };
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        let integer = self.integer_of_operation(operation, &operands);
        self.nodes.push(Node { operation, operands: operands.clone(), varies, is_doubtful: false, integer });
        self.known.insert((operation, operands), id);
        id
    }

    fn integer_of_operation(&self, operation: Operation, operands: &[NodeId]) -> Option<Integer> {
        let known = |node: NodeId| self.nodes[node as usize].integer;
        match (operation, operands) {
            (Operation::Constant(bits), _) => Integer::constant(bits.into()),
            (Operation::Prefix(operator), [operand]) => known(*operand).map(|integer| integer.prefix(operator)),
            (Operation::Binary(operator), _) if operator.is_condition() => Some(Integer::truth()),
            (Operation::Binary(operator), [left, right]) => {
                Some(Integer::binary(operator, known(*left)?, known(*right)?))
            }
            (_, _) => None,
        }
    }

    pub(super) fn note_integer(&mut self, node: NodeId, integer: Integer) {
        self.nodes[node as usize].integer.get_or_insert(integer);
    }

    pub(super) fn integer(&self, node: NodeId) -> Option<Integer> {
        self.nodes[node as usize].integer
    }

    /// A condition that the compiler may find out.
    pub(super) fn perhaps_known(&mut self, condition: NodeId) -> NodeId {
        let node = self.computed("range", vec![condition]);
        let found = &mut self.nodes[node as usize];
        (found.varies, found.is_doubtful) = (false, true);
        node
    }

    /// A value that the compiler may compute although it depends on `operands`.
    pub(super) fn perhaps_computed(&mut self, operator: BinaryOperator, operands: Vec<NodeId>) -> NodeId {
        let integer = self.integer_of_operation(Operation::Binary(operator), &operands);
        let node = self.computed(&format!("perhaps {operator:?}"), operands);
        let found = &mut self.nodes[node as usize];
        (found.varies, found.is_doubtful, found.integer) = (false, true, integer);
        node
    }

    /// The integer of a constant that the compiler rounds in its own way.
    pub(super) fn perhaps_integer(&mut self, constant: NodeId, unsigned: bool) -> NodeId {
        let node = self.integer_of(constant, unsigned);
        self.nodes[node as usize].is_doubtful = true;
        node
    }

    pub(super) fn undefined(&mut self) -> NodeId {
        self.intern(Operation::Undefined, Vec::new())
    }

    pub(super) fn constant(&mut self, literal: Literal) -> NodeId {
        self.intern(Operation::Constant(literal.into()), Vec::new())
    }

    /// A value that is equal to no other, computed from `operands`.
    pub(super) fn fresh(&mut self, operands: Vec<NodeId>) -> NodeId {
        self.fresh += 1;
        self.intern(Operation::Fresh(self.fresh), operands)
    }

    /// A value that goes around in a loop; its operands are added later. `varies` is false if it depends on constants
    /// alone, so that the compiler may compute it for each round.
    pub(super) fn around(&mut self, varies: bool) -> NodeId {
        self.fresh += 1;
        let node = self.intern(Operation::Around(self.fresh), Vec::new());
        self.nodes[node as usize].varies = varies;
        node
    }

    /// `node`, on which what is certain does not depend.
    pub(super) fn doubtful(&mut self, node: NodeId) -> NodeId {
        let node = self.computed("doubtful", vec![node]);
        self.nodes[node as usize].is_doubtful = true;
        node
    }

    /// A value after a loop: `unrolled` if the compiler unrolls it, else `around`.
    pub(super) fn perhaps_unrolled(&mut self, unrolled: NodeId, around: NodeId) -> NodeId {
        if unrolled == around {
            return unrolled;
        }
        let varies = self.varies(unrolled) && self.varies(around);
        let doubtful = self.doubtful(around);
        let node = self.computed("unrolled", vec![unrolled, doubtful]);
        self.nodes[node as usize].varies = varies;
        if self.literal(unrolled).is_some() {
            self.unrolled.insert(node, (unrolled, around));
        }
        node
    }

    /// A value after a loop, if the unrolled one is a constant: that and the other one.
    pub(super) fn unrolled_pair(&self, node: NodeId) -> Option<(NodeId, NodeId)> {
        self.unrolled.get(&node).copied()
    }

    pub(super) fn next(&self) -> NodeId {
        NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX)
    }

    /// True for a condition that holds for some of the values that go around, and not for others.
    pub(super) fn is_undecided(&self, condition: NodeId) -> bool {
        if let Node { operation: Operation::Prefix(PrefixOperator::Not), operands, .. } =
            &self.nodes[condition as usize]
        {
            return operands.first().is_some_and(|operand| self.is_undecided(*operand));
        }
        if let Some(range) = self.ranges.get(&condition) {
            return *range == (0, 1);
        }
        let Some((value, operator, bound)) = self.comparison(condition) else { return false };
        let range = self.ranges.get(&value);
        range.is_some_and(|range| Self::compared(operator, *range, bound).is_none())
    }

    /// True if nothing but the compiler knows what a condition is.
    pub(super) fn may_be_computed(&self, condition: NodeId) -> bool {
        self.literal(condition).is_none() && !self.varies(condition) && !self.is_undecided(condition)
    }

    pub(super) fn access(&mut self, place: u32, operands: Vec<NodeId>) -> NodeId {
        self.intern(Operation::Access(place), operands)
    }

    pub(super) fn shared(&mut self, variable: u32) -> NodeId {
        self.intern(Operation::Shared(variable), Vec::new())
    }

    pub(super) fn add_operands(&mut self, node: NodeId, operands: impl IntoIterator<Item = NodeId>) {
        for operand in operands {
            let known = &mut self.nodes[node as usize].operands;
            if !known.contains(&operand) {
                known.push(operand);
            }
        }
    }

    pub(super) fn literal(&self, node: NodeId) -> Option<Literal> {
        match self.nodes[node as usize].operation {
            Operation::Constant(bits) => Some(bits.into()),
            _ => None,
        }
    }

    pub(super) fn is_undefined(&self, node: NodeId) -> bool {
        self.nodes[node as usize].operation == Operation::Undefined
    }

    pub(super) fn varies(&self, node: NodeId) -> bool {
        self.nodes[node as usize].varies
    }

    /// The truth of a constant.
    pub(super) fn truth(&self, node: NodeId) -> Option<bool> {
        self.literal(node).map(is_true)
    }

    /// The value of an integer constant.
    pub(super) fn index(&self, node: NodeId) -> Option<i64> {
        match self.literal(node)? {
            Literal::Integer { value, .. } => Some(value),
            Literal::Boolean(value) => Some(i64::from(value)),
            #[expect(clippy::cast_possible_truncation, reason = "a cast to an integer cuts")]
            Literal::Float(value) => Some(value as i64),
        }
    }

    pub(super) fn part(&mut self, node: NodeId, part: u32) -> NodeId {
        if self.is_undefined(node) {
            return node;
        }
        self.intern(Operation::Part(part), vec![node])
    }

    pub(super) fn name(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.to_owned(), number);
        number
    }

    pub(super) fn member(&mut self, node: NodeId, name: &str) -> NodeId {
        // Numbers of names do not meet those of components.
        let part = self.name(name).saturating_add(1 << 16);
        self.part(node, part)
    }

    pub(super) fn computed(&mut self, name: &str, operands: Vec<NodeId>) -> NodeId {
        let number = self.name(name);
        self.intern(Operation::Computed(number), operands)
    }

    /// The float that an integer converts to: operators on floats have other results than those on integers.
    pub(super) fn float_of(&mut self, node: NodeId) -> NodeId {
        if self.integer(node).is_none() || self.literal(node).is_some() {
            return node;
        }
        let converted = self.computed("float", vec![node]);
        if let Some(constants) = self.constant_choices.get(&node) {
            let constants = constants.iter().map(|constant| Literal::Float(float(*constant))).collect();
            self.constant_choices.insert(converted, constants);
        }
        converted
    }

    /// The integer that is converted to a float.
    pub(super) fn float_source(&self, node: NodeId) -> Option<NodeId> {
        let Node { operation, operands, .. } = &self.nodes[node as usize];
        let is_float = self.names.get("float").is_some_and(|number| *operation == Operation::Computed(*number));
        operands.first().copied().filter(|_| is_float)
    }

    /// The integer that a value converts to.
    pub(super) fn integer_of(&mut self, node: NodeId, unsigned: bool) -> NodeId {
        let known = self.integer(node);
        if known.is_some_and(|integer| integer.unsigned == Some(unsigned)) {
            return node;
        }
        let converted = self.computed(if unsigned { "unsigned integer" } else { "integer" }, vec![node]);
        let integer = known.map_or_else(|| Integer::any(Some(unsigned)), |integer| integer.with_type(unsigned));
        self.note_integer(converted, integer);
        if unsigned {
            self.unsigned.insert(converted);
        }
        if let Some(constants) = self.constant_choices.get(&node) {
            let constants = constants.iter().map(|constant| truncated(*constant, unsigned)).collect();
            self.constant_choices.insert(converted, constants);
        }
        converted
    }

    /// True for one node, and for constants of the same value: `0` and `0.0`.
    fn is_same(&self, one: NodeId, other: NodeId) -> bool {
        let number = |node| self.literal(node).map(|literal| float(literal).to_bits());
        one == other || number(one).is_some_and(|bits| number(other) == Some(bits))
    }

    /// One of `values`, as `conditions` decide.
    pub(super) fn choice(&mut self, conditions: &[NodeId], values: &[NodeId]) -> NodeId {
        let mut different: Vec<NodeId> = Vec::new();
        for value in values {
            let is_known = different.iter().any(|known| self.is_same(*known, *value));
            if !self.is_undefined(*value) && !is_known {
                different.push(*value);
            }
        }
        match different.as_slice() {
            [] => self.undefined(),
            // DXC takes the value without the choice if it is there before it, or can be.
            [one]
                if *one >= self.branch_start
                    && values.len() > 1
                    && values.iter().any(|value| self.is_undefined(*value)) =>
            {
                let one = *one;
                if self.literal(one).is_some() || conditions.is_empty() {
                    return one;
                }
                let conditions = self.computed("whole", conditions.to_vec());
                let doubtful = self.doubtful(conditions);
                self.computed("chosen", vec![one, doubtful])
            }
            [one] => *one,
            _ => {
                let conditions_of = conditions;
                let conditions: Vec<NodeId> =
                    conditions.iter().copied().filter(|one| self.literal(*one).is_none()).collect();
                let is_known =
                    !conditions.is_empty() && conditions.iter().all(|condition| self.may_be_computed(*condition));
                let mut operands = conditions;
                operands.extend(values.iter().copied());
                let node = self.intern(Operation::Choice, operands);
                // A condition that is the same each time may be one that the compiler computes.
                self.nodes[node as usize].is_doubtful |= is_known;
                let integers: Option<Vec<Integer>> = different.iter().map(|value| self.integer(*value)).collect();
                if let Some(integer) = integers.and_then(|integers| integers.into_iter().reduce(Integer::either)) {
                    self.note_integer(node, integer);
                }
                if let (true, [condition], [first, second]) = (self.is_select, conditions_of, values) {
                    self.selects.insert(node, [*condition, *first, *second]);
                }
                // If the compiler finds that an inner choice equals one of the others, this is not a choice.
                let may_be_same = different.iter().any(|value| {
                    let Node { operation, operands, is_doubtful, .. } = &self.nodes[*value as usize];
                    *is_doubtful
                        && *operation == Operation::Choice
                        && different.iter().any(|other| other != value && operands.contains(other))
                });
                self.nodes[node as usize].is_doubtful |= may_be_same;
                let constants: Option<Vec<_>> = different.iter().map(|value| self.constants_of(*value)).collect();
                if let Some(constants) =
                    constants.map(|constants| constants.concat()).filter(|all| all.len() <= MOST_CONSTANTS)
                {
                    self.constant_choices.insert(node, constants);
                }
                node
            }
        }
    }

    /// Marks the nodes that `roots` depend on; without the doubtful ones only what is certain.
    pub(super) fn live(&self, roots: &[NodeId], is_doubtful_too: bool) -> Vec<bool> {
        let mut live = vec![false; self.nodes.len()];
        let mut pending: Vec<NodeId> = roots.to_vec();
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut live[node as usize], true) {
                continue;
            }
            let Node { operands, is_doubtful, .. } = &self.nodes[node as usize];
            if is_doubtful_too || !is_doubtful {
                pending.extend(operands);
            }
        }
        live
    }
}
