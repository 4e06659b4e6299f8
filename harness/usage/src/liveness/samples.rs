//! Whether a condition can still go either way, by trying values.
//!
//! A compiler may decide a condition only if it has the same result for all values that come there. Where two tries
//! give two results, no compiler can. Where none are found, the analysis calls the condition doubtful.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::graph::{Graph, NodeId, Operation};
use super::literals::float;
use layoutproof_frontend::module::code::{BinaryOperator, PrefixOperator};

/// Maximum number of tries for one condition.
const MOST_TRIES: usize = 400;

/// Maximum number of nodes to follow for one condition. Deeper nodes can have any value.
const MOST_NODES: usize = 96;

impl Graph {
    /// True if some values make `condition` true and others make it false, in code where `facts` hold.
    pub(super) fn goes_either_way(&self, condition: NodeId, facts: &[(NodeId, bool)]) -> bool {
        self.outcomes(condition, facts) == [true; 2]
    }

    /// Whether some values make `condition` false, and whether some make it true, in code where `facts` hold.
    pub(super) fn outcomes(&self, condition: NodeId, facts: &[(NodeId, bool)]) -> [bool; 2] {
        let mut cone = BTreeSet::new();
        self.cone(condition, &mut cone);
        let is_leaf = |node: &NodeId| self.literal(*node).is_none() && self.computed_from(*node).is_empty();
        let related: Vec<(NodeId, bool)> = facts
            .iter()
            .copied()
            .filter(|(fact, _)| {
                let mut own = BTreeSet::new();
                self.cone(*fact, &mut own);
                let is_related = own.iter().any(|node| is_leaf(node) && cone.contains(node));
                if is_related && cone.len() < MOST_NODES {
                    cone.extend(own);
                }
                is_related
            })
            .collect();

        let mut numbers = vec![0.0, 1.0, 2.0, -1.0, 0.5, 1000.0, -1000.0, 2_147_483_647.0];
        for literal in cone.iter().filter_map(|node| self.literal(*node)) {
            let number = float(literal);
            numbers.extend([number, number + 1.0, number - 1.0, number + 0.5, number - 0.5]);
        }
        let leaves: Vec<NodeId> = cone.iter().copied().filter(is_leaf).collect();
        let mut sources = BTreeMap::new();
        let (mut random, mut seen) = (1_u32, [false; 2]);
        for round in 0..MOST_TRIES {
            let mut next = || {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (random >> 8) as usize
            };
            let shared = if round < 4 * numbers.len() { round % numbers.len() } else { next() };
            let mut values = BTreeMap::new();
            for leaf in &leaves {
                let at = if round < numbers.len() || next() % 4 == 0 { shared } else { next() };
                let number = if next() % 4 == 0 && round >= numbers.len() {
                    f64::from(u32::try_from(next() % 64).unwrap_or(0))
                } else {
                    numbers[at % numbers.len()]
                };
                values.insert(*leaf, self.fitted(*leaf, number));
            }
            let mut is_true = |node| self.tried(node, &mut values, &mut sources) != 0.0;
            if related.iter().all(|(fact, holds)| is_true(*fact) == *holds) {
                seen[usize::from(is_true(condition))] = true;
            }
            if seen == [true; 2] {
                break;
            }
        }
        seen
    }

    /// The nodes from which a number is computed here; none for one that can have any value.
    fn computed_from(&self, node: NodeId) -> Vec<NodeId> {
        let found = &self.nodes[node as usize];
        match found.operation {
            Operation::Binary(_) | Operation::Prefix(_) => found.operands.clone(),
            Operation::Choice => self.selects.get(&node).map_or_else(Vec::new, |select| select.to_vec()),
            _ => self.conversion(node).or_else(|| self.float_source(node)).into_iter().collect(),
        }
    }

    pub(super) fn cone(&self, node: NodeId, found: &mut BTreeSet<NodeId>) {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if found.len() < MOST_NODES && found.insert(node) {
                pending.extend(self.computed_from(node));
            }
        }
    }

    fn fitted(&self, node: NodeId, number: f64) -> f64 {
        let Some(integer) = self.integer(node) else { return number };
        #[expect(clippy::cast_possible_truncation, reason = "a conversion to an integer cuts")]
        let whole = number as i64;
        let bits = u32::try_from(whole & 0xFFFF_FFFF).unwrap_or(0);
        if integer.is_truth() {
            f64::from(bits & 1)
        } else if integer.unsigned == Some(true) {
            f64::from(bits)
        } else {
            f64::from(bits.cast_signed())
        }
    }

    /// The value of `node` in one try. `sources` keeps what nodes are computed from for the next try.
    fn tried(
        &self,
        node: NodeId,
        values: &mut BTreeMap<NodeId, f64>,
        sources: &mut BTreeMap<NodeId, Rc<[NodeId]>>,
    ) -> f64 {
        if let Some(value) = values.get(&node) {
            return *value;
        }
        if let Some(literal) = self.literal(node) {
            return float(literal);
        }
        let operands = Rc::clone(sources.entry(node).or_insert_with(|| self.computed_from(node).into()));
        if operands.is_empty() || values.len() > 4 * MOST_NODES {
            return self.fitted(node, 1.0);
        }
        // A node that the cone does not reach would go on without end.
        values.insert(node, 0.0);
        let found: Vec<f64> = operands.iter().map(|operand| self.tried(*operand, values, sources)).collect();
        let value = match (self.nodes[node as usize].operation, found.as_slice()) {
            (Operation::Binary(operator), [left, right]) => {
                let is_integer = operands.iter().all(|operand| self.integer(*operand).is_some());
                let is_unsigned = operands
                    .iter()
                    .any(|operand| self.integer(*operand).is_some_and(|integer| integer.unsigned == Some(true)));
                let shift = matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight);
                let is_unsigned = if shift {
                    self.integer(operands[0]).is_some_and(|integer| integer.unsigned == Some(true))
                } else {
                    is_unsigned
                };
                computed(operator, (*left, *right), is_integer, is_unsigned)
            }
            (Operation::Prefix(PrefixOperator::Not), [value]) => f64::from(u8::from(*value == 0.0)),
            (Operation::Prefix(PrefixOperator::Minus), [value]) => -value,
            (Operation::Prefix(PrefixOperator::Complement), [value]) => -value - 1.0,
            (Operation::Choice, [condition, first, second]) => {
                if *condition == 0.0 {
                    *second
                } else {
                    *first
                }
            }
            (_, [value, ..]) => *value,
            (_, []) => 0.0,
        };
        let value = self.fitted(node, value);
        values.insert(node, value);
        value
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "32 bits fit")]
fn computed(operator: BinaryOperator, (left, right): (f64, f64), is_integer: bool, is_unsigned: bool) -> f64 {
    use BinaryOperator as B;
    let truth = |value: bool| f64::from(u8::from(value));
    let cut = |value: f64| {
        let bits = value as i64 & 0xFFFF_FFFF;
        if is_unsigned || bits <= 0x7FFF_FFFF { bits } else { bits - 0x1_0000_0000 }
    };
    let (one, other) = if is_integer { (cut(left), cut(right)) } else { (0, 0) };
    let (left, right) = if is_integer { (one as f64, other as f64) } else { (left, right) };
    match operator {
        B::Add => left + right,
        B::Subtract => left - right,
        B::Multiply if is_integer => one.wrapping_mul(other) as f64,
        B::Multiply => left * right,
        B::Divide if is_integer => one.checked_div(other).unwrap_or(0) as f64,
        B::Divide => left / right,
        B::Remainder if is_integer => one.checked_rem(other).unwrap_or(0) as f64,
        B::Remainder => left % right,
        B::BitAnd => (left as i64 & right as i64) as f64,
        B::BitOr => (left as i64 | right as i64) as f64,
        B::BitXor => (left as i64 ^ right as i64) as f64,
        B::ShiftLeft => ((left as i64) << (right as i64 & 31)) as f64,
        B::ShiftRight => (left as i64 >> (right as i64 & 31)) as f64,
        B::Least => left.min(right),
        B::Greatest => left.max(right),
        B::And => truth(left != 0.0 && right != 0.0),
        B::Or => truth(left != 0.0 || right != 0.0),
        #[expect(clippy::float_cmp, reason = "the shader compares so")]
        B::Equal => truth(left == right),
        #[expect(clippy::float_cmp, reason = "the shader compares so")]
        B::NotEqual => truth(left != right),
        B::Less => truth(left < right),
        B::Greater => truth(left > right),
        B::LessEqual => truth(left <= right),
        B::GreaterEqual => truth(left >= right),
    }
}
