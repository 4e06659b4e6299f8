//! Operators on nodes, with the identities of DXC's optimiser.
//!
//! They are those measured with DXC 1.7.2308: `x * 0`, `x - x`, `x & 0`, `pow(x, 0)`, `lerp(a, b, 0)` drop `x` (its
//! floating-point operations are fast unless `precise`), while `x / x`, `min(x, x) - x`, `clamp(x, 1, 1)` and
//! `min(max(x, 1), 0)` keep it.

use std::collections::BTreeSet;

use super::graph::{Graph, Node, NodeId, Operation};
use super::literals::{ConstantBits, float, fold, integer, is_inexact, is_true, is_unsigned, whole};
use layoutproof_frontend::module::code::{BinaryOperator, Literal, PrefixOperator};

/// Constants that are kept for a choice at most.
pub(super) const MOST_CONSTANTS: usize = 16;

impl Graph {
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
            if is_inexact(operator, one, other) {
                return self.perhaps_computed(operator, vec![left, right]);
            }
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
        if self.may_be_decided(operator, left, right)
            || self.may_be_times_zero(operator, left, right)
            || self.may_cancel(operator, left, right)
        {
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
    pub(super) fn constants_of(&self, node: NodeId) -> Option<Vec<Literal>> {
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
    pub(super) fn is_related(&self, left: NodeId, right: NodeId) -> bool {
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

    /// True for what a function of HLSL gives for a part of a resource: `asint(t[0].x)`.
    fn is_of_function(&self, node: NodeId) -> bool {
        let reads = |operand: &NodeId| {
            let Node { operation, operands, .. } = &self.nodes[*operand as usize];
            let is_part = |of: &NodeId| matches!(self.nodes[*of as usize].operation, Operation::Access(_));
            is_part(operand) || (matches!(operation, Operation::Part(_)) && operands.iter().any(is_part))
        };
        let Node { operation, operands, .. } = &self.nodes[node as usize];
        matches!(operation, Operation::Computed(_)) && operands.iter().any(reads)
    }

    /// True for `x` and `~x`, or `x` and `-x`.
    fn is_opposite(&self, operator: PrefixOperator, left: NodeId, right: NodeId) -> bool {
        let negates = |one: NodeId, other: NodeId| {
            let Node { operation, operands, .. } = &self.nodes[one as usize];
            *operation == Operation::Prefix(operator) && operands.as_slice() == [other]
        };
        negates(left, right) || negates(right, left)
    }

    /// True if an operand and its opposite may give a constant.
    fn may_cancel(&self, operator: BinaryOperator, left: NodeId, right: NodeId) -> bool {
        use BinaryOperator as B;
        match operator {
            B::BitOr | B::BitXor => self.is_opposite(PrefixOperator::Complement, left, right),
            B::Add => {
                self.is_opposite(PrefixOperator::Complement, left, right)
                    || self.is_opposite(PrefixOperator::Minus, left, right)
            }
            _ => false,
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
            // DXC 1.7.2308 keeps `asint(t[0].x) ^ asint(t[0].x)`, which reads twice.
            B::Subtract | B::BitXor if left == right && self.is_of_function(left) => {
                Some(self.perhaps_computed(operator, vec![left, right]))
            }
            B::Subtract | B::BitXor if self.bits(left) == self.bits(right) => Some(zero(self)),
            // `a + x - x` is `a`, since the operations are fast.
            B::Subtract => match (self.nodes[left as usize].operation, self.nodes[left as usize].operands.as_slice()) {
                (Operation::Binary(B::Add), &[first, second]) if second == right => Some(first),
                (Operation::Binary(B::Add), &[first, second]) if first == right => Some(second),
                (_, _) => None,
            },
            B::BitAnd if is(one, 0.0) || is(other, 0.0) => Some(zero(self)),
            B::BitAnd if self.is_opposite(PrefixOperator::Complement, left, right) => Some(zero(self)),
            B::BitAnd | B::BitOr | B::And | B::Or if left == right => Some(left),
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
}
