//! Comparisons that the optimiser decides from ranges of integers, and conditions that contradict each other.

use super::graph::{Graph, Node, NodeId, Operation};
use super::integer::Integer;
use layoutproof_frontend::module::code::{BinaryOperator, Literal, PrefixOperator};

/// Conditions of one `&&` that are compared with each other at most.
pub(super) const MOST_CONJUNCTS: usize = 16;

impl Graph {
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

    /// A comparison that the bits which an integer can have decide.
    pub(super) fn decided(&self, operator: BinaryOperator, left: NodeId, right: Option<Literal>) -> Option<bool> {
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
    pub(super) fn may_be_decided(&self, operator: BinaryOperator, left: NodeId, right: NodeId) -> bool {
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
        // LLVM compares each element of a table of constants.
        if operator.is_condition() && (self.of_tables.contains(&left) || self.of_tables.contains(&right)) {
            return true;
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

    /// True for a comparison of an unsigned value with 0.
    pub(super) fn is_unsigned_zero(&self, left: NodeId, right: Option<Literal>) -> bool {
        match right {
            Some(Literal::Integer { value: 0, unsigned }) => {
                let is_unsigned = self.integer(left).is_some_and(|integer| integer.unsigned == Some(true));
                unsigned || is_unsigned || self.unsigned.contains(&left)
            }
            _ => false,
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
