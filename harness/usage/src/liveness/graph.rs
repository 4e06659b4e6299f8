//! The graph of what each value is computed from, with the simplifications that DXC's optimiser makes.
//!
//! Equal computations are one node, so that `x - x` and a choice between equal values fold as they do in LLVM. The
//! identities are those measured with DXC 1.7.2308: `x * 0`, `x - x`, `x & 0`, `pow(x, 0)`, `lerp(a, b, 0)` drop `x` (its
//! floating-point operations are fast unless `precise`), while `x / x`, `clamp(x, 1, 1)` and `min(max(x, 1), 0)` keep it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::integer::Integer;
use layoutproof_frontend::module::code::{BinaryOperator, Literal, PrefixOperator};

/// Index of a node.
pub(super) type NodeId = u32;

/// Nodes after which the analysis gives up.
pub(super) const MOST_NODES: usize = 1 << 20;

/// How a node gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    /// Never written.
    Undefined,
    /// A constant: its kind and bits.
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

/// A constant as a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ConstantBits {
    Boolean(bool),
    Integer(i64, bool),
    Float(u64),
}

impl From<Literal> for ConstantBits {
    fn from(literal: Literal) -> Self {
        match literal {
            Literal::Boolean(value) => Self::Boolean(value),
            Literal::Integer { value, unsigned } => Self::Integer(value, unsigned),
            Literal::Float(value) => Self::Float(value.to_bits()),
        }
    }
}

impl From<ConstantBits> for Literal {
    fn from(bits: ConstantBits) -> Self {
        match bits {
            ConstantBits::Boolean(value) => Self::Boolean(value),
            ConstantBits::Integer(value, unsigned) => Self::Integer { value, unsigned },
            ConstantBits::Float(bits) => Self::Float(f64::from_bits(bits)),
        }
    }
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

/// Conditions of one `&&` that are compared with each other at most.
const MOST_CONJUNCTS: usize = 16;

/// Constants that are kept for a choice at most.
const MOST_CONSTANTS: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    known: HashMap<(Operation, Vec<NodeId>), NodeId>,
    names: HashMap<String, u32>,
    fresh: u32,
    /// The values of choices among constants.
    constant_choices: HashMap<NodeId, Vec<Literal>>,
    /// Least and most of values that go around and depend on constants alone.
    pub(super) ranges: HashMap<NodeId, (i64, i64)>,
    /// The values that go around in the loops whose bodies are being run.
    pub(super) open: Vec<NodeId>,
    /// Values after loops of which the unrolled one is a constant, with both.
    unrolled: HashMap<NodeId, (NodeId, NodeId)>,
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
}

impl Graph {
    fn intern(&mut self, operation: Operation, operands: Vec<NodeId>) -> NodeId {
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

    /// Notes what is known of an integer.
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
    fn perhaps_computed(&mut self, operator: BinaryOperator, operands: Vec<NodeId>) -> NodeId {
        let integer = self.integer_of_operation(Operation::Binary(operator), &operands);
        let node = self.computed(&format!("perhaps {operator:?}"), operands);
        let found = &mut self.nodes[node as usize];
        (found.varies, found.is_doubtful, found.integer) = (false, true, integer);
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

    /// The number of the next node.
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

    pub(super) fn prefix(&mut self, operator: PrefixOperator, operand: NodeId) -> NodeId {
        if let Some((unrolled, around)) = self.unrolled_pair(operand) {
            let (unrolled, around) = (self.prefix(operator, unrolled), self.prefix(operator, around));
            return self.perhaps_unrolled(unrolled, around);
        }
        let folded = self.literal(operand).map(|literal| match (operator, literal) {
            (PrefixOperator::Not, literal) => Literal::Boolean(!is_true(literal)),
            (PrefixOperator::Minus, Literal::Float(value)) => Literal::Float(-value),
            (PrefixOperator::Minus, literal) => integer(-whole(literal), is_unsigned(literal)),
            (PrefixOperator::Complement, literal) => integer(!whole(literal), is_unsigned(literal)),
        });
        match folded {
            Some(literal) => self.constant(literal),
            None => self.intern(Operation::Prefix(operator), vec![operand]),
        }
    }

    pub(super) fn binary(&mut self, operator: BinaryOperator, left: NodeId, right: NodeId) -> NodeId {
        if self.is_undefined(left) || self.is_undefined(right) {
            return self.undefined();
        }
        match (self.unrolled_pair(left), self.unrolled_pair(right)) {
            (None, None) => {}
            (one, other) => {
                let (one, other) = (one.unwrap_or((left, left)), other.unwrap_or((right, right)));
                let unrolled = self.binary(operator, one.0, other.0);
                let around = self.binary(operator, one.1, other.1);
                return self.perhaps_unrolled(unrolled, around);
            }
        }
        let (left, right) = match (self.float_source(left), self.float_source(right)) {
            (Some(_), None) => (left, self.float_of(right)),
            (None, Some(_)) => (self.float_of(left), right),
            (Some(_), Some(_)) | (None, None) => (left, right),
        };
        let (one, other) = (self.literal(left), self.literal(right));
        if let (Some(one), Some(other)) = (one, other) {
            if let Some(folded) = fold(operator, one, other) {
                return self.constant(folded);
            }
        }
        if let Some(same) = self.identity(operator, (left, one), (right, other)) {
            return same;
        }
        if let Some(decided) = self.decided(operator, left, other) {
            return self.constant(Literal::Boolean(decided));
        }
        let is_symmetric = matches!(
            operator,
            BinaryOperator::Add
                | BinaryOperator::Multiply
                | BinaryOperator::BitAnd
                | BinaryOperator::BitOr
                | BinaryOperator::BitXor
                | BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::Least
                | BinaryOperator::Greatest
        );
        let operands = if is_symmetric && right < left { vec![right, left] } else { vec![left, right] };
        // DXC 1.7.2308 computes with each constant that a choice among constants can be.
        let results = other.and_then(|other| self.for_each_constant(operator, left, other));
        if let Some([one]) = results.as_deref() {
            return self.constant(*one);
        }
        if self.may_be_decided(operator, left, right) || self.may_be_times_zero(operator, left, right) {
            return self.perhaps_computed(operator, operands);
        }
        if let Some(literal) = self.with_equals(operator, left, right) {
            let node = self.perhaps_computed(operator, operands);
            self.equal.push((node, literal));
            return node;
        }
        let Some(results) = results else { return self.intern(Operation::Binary(operator), operands) };
        let node = self.intern(Operation::Binary(operator), operands);
        self.constant_choices.insert(node, results);
        node
    }

    /// The result of an operation, where that is a constant because of what the conditions around it say.
    fn with_equals(&mut self, operator: BinaryOperator, left: NodeId, right: NodeId) -> Option<Literal> {
        if !self.equal.iter().any(|(node, _)| *node == left || *node == right) {
            return None;
        }
        let equal = std::mem::take(&mut self.equal);
        let mut constant = |node: NodeId| match equal.iter().find(|(known, _)| *known == node) {
            Some((_, literal)) => self.constant(*literal),
            None => node,
        };
        let (left, right) = (constant(left), constant(right));
        let found = self.binary(operator, left, right);
        self.equal = equal;
        self.literal(found)
    }

    /// The constants that a value can be, where it can be nothing else.
    fn constants_of(&self, node: NodeId) -> Option<Vec<Literal>> {
        match self.literal(node) {
            Some(literal) => Some(vec![literal]),
            None => self.constant_choices.get(&node).cloned(),
        }
    }

    /// The different results of an operator for the constants that `left` can be.
    fn for_each_constant(&self, operator: BinaryOperator, left: NodeId, right: Literal) -> Option<Vec<Literal>> {
        let constants = self.constant_choices.get(&left)?;
        let mut results: Vec<Literal> = Vec::new();
        for constant in constants {
            let result = fold(operator, *constant, right)?;
            if !results.iter().any(|known| ConstantBits::from(*known) == result.into()) {
                results.push(result);
            }
        }
        Some(results)
    }

    /// `b` if `node` is `b - taken`.
    fn taken_from(&self, node: NodeId, taken: NodeId) -> Option<NodeId> {
        let Node { operation, operands, .. } = &self.nodes[node as usize];
        match (operation, operands.as_slice()) {
            (Operation::Binary(BinaryOperator::Subtract), &[from, other]) if other == taken => Some(from),
            (_, _) => None,
        }
    }

    /// True for a comparison of an unsigned value with 0.
    fn is_unsigned_zero(&self, left: NodeId, right: Option<Literal>) -> bool {
        match right {
            Some(Literal::Integer { value: 0, unsigned }) => {
                let is_unsigned = self.integer(left).is_some_and(|integer| integer.unsigned == Some(true));
                unsigned || is_unsigned || self.unsigned.contains(&left)
            }
            _ => false,
        }
    }

    /// A comparison that the bits which an integer can have decide.
    fn decided(&self, operator: BinaryOperator, left: NodeId, right: Option<Literal>) -> Option<bool> {
        let Some(Literal::Integer { value: bound, .. }) = right else { return None };
        let node = &self.nodes[left as usize];
        let &[value, by] = node.operands.as_slice() else { return None };
        let other = self.literal(by).or_else(|| self.literal(value));
        let Some(Literal::Integer { value: bits, unsigned }) = other else { return None };
        let is_apart = bound & !bits != 0;
        let range = match node.operation {
            Operation::Binary(BinaryOperator::BitAnd) if bits >= 0 => match operator {
                BinaryOperator::Equal if is_apart => return Some(false),
                BinaryOperator::NotEqual if is_apart => return Some(true),
                _ => (0, bits),
            },
            Operation::Binary(BinaryOperator::Remainder) if bits > 0 && self.literal(by).is_some() => {
                let is_unsigned = unsigned || self.integer(value)?.unsigned?;
                (if is_unsigned { 0 } else { 1 - bits }, bits - 1)
            }
            Operation::Binary(BinaryOperator::ShiftRight)
                if (1..32).contains(&bits) && self.literal(by).is_some() && self.integer(value).is_some() =>
            {
                let is_unsigned = self.integer(value).and_then(|integer| integer.unsigned)?;
                let values = 1 << (32 - bits);
                if is_unsigned { (0, values - 1) } else { (-values / 2, values / 2 - 1) }
            }
            _ => return None,
        };
        Self::compared(operator, range, bound)
    }

    /// True if an optimiser that follows bits and ranges may find that the result does not depend on the operands.
    fn may_be_decided(&self, operator: BinaryOperator, left: NodeId, right: NodeId) -> bool {
        use BinaryOperator as B;
        // LLVM compares the integers where both sides are converted ones, or constants.
        let compared = |node: NodeId| self.float_source(node).filter(|_| operator.is_condition()).unwrap_or(node);
        let (one, other) = (self.integer(compared(left)), self.integer(compared(right)));
        match operator {
            B::And | B::Or => return self.contradicts(operator, &[left, right]),
            // LLVM takes any value for `x / 0` and `x % 0` of integers.
            B::Divide | B::Remainder if matches!(self.literal(right), Some(Literal::Integer { value: 0, .. })) => {
                return true;
            }
            _ => {}
        }
        if let (Some(integer), Some(Literal::Float(number))) = (one, self.literal(right)) {
            return integer.decides_float(operator, number);
        }
        let (Some(one), Some(other)) = (one, other) else { return false };
        if !operator.is_condition() {
            return Integer::binary(operator, one, other).is_constant();
        }
        Integer::decides(operator, one, other) || self.is_related(left, right)
    }

    /// True for a product with a number that depends on constants alone, which the compiler may find to be zero: a counter
    /// after its loop (DXC 1.7.2308 computes it, also for more rounds than it unrolls).
    fn may_be_times_zero(&self, operator: BinaryOperator, left: NodeId, right: NodeId) -> bool {
        let is_counter = |node: NodeId| {
            if self.varies(node) || self.literal(node).is_some() {
                return false;
            }
            // In the body of its loop a counter has several values.
            let mut parts = BTreeSet::new();
            self.cone(node, &mut parts);
            self.open.iter().all(|open| !parts.contains(open))
        };
        let is_product = matches!(operator, BinaryOperator::Multiply | BinaryOperator::BitAnd);
        is_product && is_counter(left) != is_counter(right)
    }

    /// True if two different integers are computed from one: `x + 1` and `x`.
    fn is_related(&self, left: NodeId, right: NodeId) -> bool {
        let parts = |node: NodeId| {
            let Node { operation, operands, .. } = &self.nodes[node as usize];
            let is_arithmetic = matches!(operation, Operation::Binary(_) | Operation::Prefix(_))
                || (*operation != Operation::Choice && self.bits(node) != node);
            let operands = if is_arithmetic { operands.as_slice() } else { &[] };
            let varying = operands.iter().copied().filter(|operand| self.literal(*operand).is_none());
            std::iter::once(node).chain(varying).map(|node| self.bits(node)).collect::<Vec<_>>()
        };
        if self.literal(left).is_some() || self.literal(right).is_some() {
            return false;
        }
        let right = parts(right);
        parts(left).iter().any(|part| right.contains(part))
    }

    /// The integer that has the same bits: conversions between `int` and `uint` change none.
    fn bits(&self, node: NodeId) -> NodeId {
        match self.conversion(node) {
            Some(operand) if self.integer(operand).is_some() => self.bits(operand),
            _ => node,
        }
    }

    /// The number that is converted to an integer.
    pub(super) fn conversion(&self, node: NodeId) -> Option<NodeId> {
        let Node { operation, operands, .. } = &self.nodes[node as usize];
        let is_conversion = ["integer", "unsigned integer"]
            .iter()
            .any(|name| self.names.get(*name).is_some_and(|number| *operation == Operation::Computed(*number)));
        operands.first().copied().filter(|_| is_conversion)
    }

    /// The conditions that hold if all of `conditions` do; for `Or`, those that do not hold if none does.
    pub(super) fn conjuncts(&self, operator: BinaryOperator, conditions: &[NodeId]) -> Vec<NodeId> {
        let (mut found, mut pending) = (Vec::new(), conditions.to_vec());
        while let Some(node) = pending.pop() {
            let Node { operation, operands, .. } = &self.nodes[node as usize];
            if *operation == Operation::Binary(operator) && found.len() < MOST_CONJUNCTS {
                pending.extend(operands);
            } else {
                found.push(node);
            }
        }
        found
    }

    /// True if conditions may be found to exclude each other, or one of them to hold always.
    fn contradicts(&self, operator: BinaryOperator, conditions: &[NodeId]) -> bool {
        let all = self.conjuncts(operator, conditions);
        let is_and = operator == BinaryOperator::And;
        all.iter().enumerate().any(|(at, one)| {
            let negated = match &self.nodes[*one as usize] {
                Node { operation: Operation::Prefix(PrefixOperator::Not), operands, .. } => operands.first().copied(),
                _ => None,
            };
            if negated.is_some_and(|negated| all.contains(&negated)) {
                return true;
            }
            let Some((value, known, number)) = self.comparison(negated.unwrap_or(*one)) else { return false };
            let holds = is_and == negated.is_none();
            let mut range = (i64::MIN, i64::MAX);
            narrow(&mut range, known, holds, number);
            self.integer(value).is_some()
                && all[at + 1..].iter().any(|other| {
                    let (inner, holds) = match &self.nodes[*other as usize] {
                        Node { operation: Operation::Prefix(PrefixOperator::Not), operands, .. } => {
                            (operands.first().copied().unwrap_or(*other), !is_and)
                        }
                        _ => (*other, is_and),
                    };
                    let Some((_, known, number)) = self.comparison(inner).filter(|found| found.0 == value) else {
                        return false;
                    };
                    let mut both = range;
                    narrow(&mut both, known, holds, number);
                    both.0 > both.1 || (range.0 == range.1 && matches!(known, BinaryOperator::NotEqual) && holds)
                })
        })
    }

    /// The result of comparing a value in a range with a number, if it is always the same.
    pub(super) fn compared(operator: BinaryOperator, (least, most): (i64, i64), bound: i64) -> Option<bool> {
        let (all, none) = match operator {
            BinaryOperator::Less => (most < bound, least >= bound),
            BinaryOperator::LessEqual => (most <= bound, least > bound),
            BinaryOperator::Greater => (least > bound, most <= bound),
            BinaryOperator::GreaterEqual => (least >= bound, most < bound),
            BinaryOperator::Equal => (least == bound && most == bound, bound < least || bound > most),
            BinaryOperator::NotEqual => (bound < least || bound > most, least == bound && most == bound),
            _ => (false, false),
        };
        if all { Some(true) } else { Some(false).filter(|_| none) }
    }

    /// `value < number` and its kin.
    pub(super) fn comparison(&self, node: NodeId) -> Option<(NodeId, BinaryOperator, i64)> {
        let Node { operation: Operation::Binary(operator), operands, .. } = &self.nodes[node as usize] else {
            return None;
        };
        let &[left, right] = operands.as_slice() else { return None };
        let turned = match operator {
            BinaryOperator::Less => BinaryOperator::Greater,
            BinaryOperator::LessEqual => BinaryOperator::GreaterEqual,
            BinaryOperator::Greater => BinaryOperator::Less,
            BinaryOperator::GreaterEqual => BinaryOperator::LessEqual,
            other => *other,
        };
        match (self.literal(left), self.literal(right)) {
            (_, Some(Literal::Integer { value, .. })) => Some((left, *operator, value)),
            (Some(Literal::Integer { value, .. }), _) => Some((right, turned, value)),
            (_, _) => None,
        }
    }

    /// The result of an operation that one operand decides, or that both decide by being the same.
    fn identity(
        &mut self,
        operator: BinaryOperator,
        (left, one): (NodeId, Option<Literal>),
        (right, other): (NodeId, Option<Literal>),
    ) -> Option<NodeId> {
        use BinaryOperator as B;
        let is = |literal: Option<Literal>, number: f64| {
            literal.is_some_and(|literal| float(literal).to_bits() == number.to_bits())
        };
        let zero = |graph: &mut Self| graph.constant(Literal::Integer { value: 0, unsigned: false });
        let truth = |graph: &mut Self, value| Some(graph.constant(Literal::Boolean(value)));
        let is_nan = |literal: Option<Literal>| literal.is_some_and(|literal| float(literal).is_nan());
        match operator {
            B::Add | B::Subtract | B::Multiply | B::Divide if is_nan(one) => Some(left),
            B::Add | B::Subtract | B::Multiply | B::Divide if is_nan(other) => Some(right),
            B::Multiply if is(one, 0.0) => Some(left),
            B::Multiply if is(other, 0.0) => Some(right),
            B::Multiply if is(one, 1.0) => Some(right),
            B::Multiply | B::Divide if is(other, 1.0) => Some(left),
            B::Divide if is(one, 0.0) => Some(zero(self)),
            B::Remainder if is(other, 1.0) => Some(zero(self)),
            B::Add | B::BitOr | B::BitXor if is(one, 0.0) => Some(right),
            B::Add | B::Subtract | B::BitOr | B::BitXor | B::ShiftLeft | B::ShiftRight if is(other, 0.0) => Some(left),
            // `a + (b - a)` is `b`, as in `lerp(a, b, 1)`.
            B::Add if self.taken_from(right, left).is_some() => self.taken_from(right, left),
            B::Add if self.taken_from(left, right).is_some() => self.taken_from(left, right),
            B::Subtract | B::BitXor if self.bits(left) == self.bits(right) => Some(zero(self)),
            // `a + x - x` is `a`, since the operations are fast.
            B::Subtract => match (self.nodes[left as usize].operation, self.nodes[left as usize].operands.as_slice()) {
                (Operation::Binary(B::Add), &[first, second]) if second == right => Some(first),
                (Operation::Binary(B::Add), &[first, second]) if first == right => Some(second),
                (_, _) => None,
            },
            B::BitAnd if is(one, 0.0) || is(other, 0.0) => Some(zero(self)),
            B::BitAnd | B::BitOr | B::Least | B::Greatest | B::And | B::Or if left == right => Some(left),
            B::And if one.is_some_and(|one| !is_true(one)) || other.is_some_and(|other| !is_true(other)) => {
                truth(self, false)
            }
            B::Or if one.is_some_and(is_true) || other.is_some_and(is_true) => truth(self, true),
            B::And | B::Or if one.is_some() => Some(right),
            B::And | B::Or if other.is_some() => Some(left),
            B::Equal | B::LessEqual | B::GreaterEqual if self.bits(left) == self.bits(right) => truth(self, true),
            B::NotEqual | B::Less | B::Greater if self.bits(left) == self.bits(right) => truth(self, false),
            // An unsigned number is never below 0.
            B::Less if self.is_unsigned_zero(left, other) => truth(self, false),
            B::GreaterEqual if self.is_unsigned_zero(left, other) => truth(self, true),
            _ => None,
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

/// Narrows a range to the values of which a comparison with `number` is `holds`.
pub(super) fn narrow(range: &mut (i64, i64), operator: BinaryOperator, holds: bool, number: i64) {
    use BinaryOperator as B;
    let (least, most) = range;
    match (operator, holds) {
        (B::Less, true) | (B::GreaterEqual, false) => *most = (*most).min(number.saturating_sub(1)),
        (B::LessEqual, true) | (B::Greater, false) => *most = (*most).min(number),
        (B::Greater, true) | (B::LessEqual, false) => *least = (*least).max(number.saturating_add(1)),
        (B::GreaterEqual, true) | (B::Less, false) => *least = (*least).max(number),
        (B::Equal, true) | (B::NotEqual, false) => (*least, *most) = ((*least).max(number), (*most).min(number)),
        (_, _) => {}
    }
}

pub(super) fn is_true(literal: Literal) -> bool {
    match literal {
        Literal::Boolean(value) => value,
        Literal::Integer { value, .. } => value != 0,
        Literal::Float(value) => value != 0.0,
    }
}

fn is_unsigned(literal: Literal) -> bool {
    matches!(literal, Literal::Integer { unsigned: true, .. })
}

pub(super) fn float(literal: Literal) -> f64 {
    match literal {
        Literal::Boolean(value) => f64::from(u8::from(value)),
        #[expect(clippy::cast_precision_loss, reason = "as in HLSL")]
        Literal::Integer { value, .. } => value as f64,
        Literal::Float(value) => value,
    }
}

fn whole(literal: Literal) -> i64 {
    match literal {
        Literal::Boolean(value) => i64::from(value),
        Literal::Integer { value, .. } => value,
        #[expect(clippy::cast_possible_truncation, reason = "a cast to an integer cuts")]
        Literal::Float(value) => value as i64,
    }
}

/// An integer of 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "integers wrap at 32 bits")]
pub(super) fn integer(value: i64, unsigned: bool) -> Literal {
    let value = if unsigned { value & 0xFFFF_FFFF } else { i64::from(value as i32) };
    Literal::Integer { value, unsigned }
}

/// The integer that a constant converts to.
pub(super) fn truncated(literal: Literal, unsigned: bool) -> Literal {
    #[expect(clippy::cast_possible_truncation, reason = "a cast to an integer cuts")]
    let value = float(literal) as i64;
    integer(value, unsigned)
}

fn fold(operator: BinaryOperator, one: Literal, other: Literal) -> Option<Literal> {
    use BinaryOperator as B;
    let truth = |value| Some(Literal::Boolean(value));
    match operator {
        B::And => return truth(is_true(one) && is_true(other)),
        B::Or => return truth(is_true(one) || is_true(other)),
        _ => {}
    }
    if matches!(one, Literal::Float(_)) || matches!(other, Literal::Float(_)) {
        let (one, other) = (float(one), float(other));
        let number = |value: f64| Some(value).filter(|value| value.is_finite()).map(Literal::Float);
        return match operator {
            B::Add => number(one + other),
            B::Subtract => number(one - other),
            B::Multiply => number(one * other),
            B::Divide if one == 0.0 && other == 0.0 => Some(Literal::Float(f64::NAN)),
            B::Divide => number(one / other),
            B::Remainder => number(one % other),
            B::Least => number(one.min(other)),
            B::Greatest => number(one.max(other)),
            #[expect(clippy::float_cmp, reason = "the shader compares so")]
            B::Equal => truth(one == other),
            #[expect(clippy::float_cmp, reason = "the shader compares so")]
            B::NotEqual => truth(one != other),
            B::Less => truth(one < other),
            B::Greater => truth(one > other),
            B::LessEqual => truth(one <= other),
            B::GreaterEqual => truth(one >= other),
            B::BitOr | B::BitXor | B::BitAnd | B::ShiftLeft | B::ShiftRight | B::Or | B::And => None,
        };
    }

    let unsigned = is_unsigned(one) || is_unsigned(other);
    let cut = |value: i64| whole(integer(value, unsigned));
    let (one, other) = (cut(whole(one)), cut(whole(other)));
    let number = |value: i64| Some(integer(value, unsigned));
    let bits = u32::try_from(other & 31).unwrap_or(0);
    match operator {
        B::Add => number(one.wrapping_add(other)),
        B::Subtract => number(one.wrapping_sub(other)),
        B::Multiply => number(one.wrapping_mul(other)),
        B::Divide => number(one.checked_div(other)?),
        B::Remainder => number(one.checked_rem(other)?),
        B::Least => number(one.min(other)),
        B::Greatest => number(one.max(other)),
        B::BitAnd => number(one & other),
        B::BitOr => number(one | other),
        B::BitXor => number(one ^ other),
        B::ShiftLeft => number(one << bits),
        B::ShiftRight => number(one >> bits),
        B::Equal => truth(one == other),
        B::NotEqual => truth(one != other),
        B::Less => truth(one < other),
        B::Greater => truth(one > other),
        B::LessEqual => truth(one <= other),
        B::GreaterEqual => truth(one >= other),
        B::Or | B::And => None,
    }
}
