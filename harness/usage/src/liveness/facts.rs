//! What holds where a branch of the code runs: conditions, and the constants that follow from them.

use super::Liveness;
use super::comparisons::narrow;
use super::graph::{Graph, Node, NodeId, Operation};
use layoutproof_frontend::module::code::{BinaryOperator, Literal, PrefixOperator};

impl Liveness<'_> {
    /// True if comparisons of the same value that hold here decide this one.
    pub(super) fn is_implied(&self, condition: NodeId) -> bool {
        use BinaryOperator as B;
        let Some((value, operator, bound)) = self.graph.comparison(condition) else { return false };
        let mut range = (i64::MIN, i64::MAX);
        for (fact, holds) in &self.facts {
            for fact in self.graph.conjuncts(if *holds { B::And } else { B::Or }, &[*fact]) {
                if let Some((_, known, number)) = self.graph.comparison(fact).filter(|found| found.0 == value) {
                    narrow(&mut range, known, *holds, number);
                }
            }
        }
        Graph::compared(operator, range, bound).is_some()
    }

    /// Runs `run` where `condition` is `holds`.
    pub(super) fn under<T>(&mut self, condition: NodeId, holds: bool, run: impl FnOnce(&mut Self) -> T) -> T {
        let is_doubtful = self.graph.may_be_computed(condition);
        self.path.push(condition);
        let equal = self.graph.equal.len();
        self.note_equal(condition, holds);
        let known = self.facts.len();
        self.facts.push((condition, holds));
        self.doubtful += usize::from(is_doubtful);
        let found = run(self);
        self.doubtful -= usize::from(is_doubtful);
        self.facts.truncate(known);
        self.graph.equal.truncate(equal);
        self.path.pop();
        found
    }

    /// Notes the values that are constants where `condition` is `holds`.
    pub(super) fn note_equal(&mut self, condition: NodeId, holds: bool) {
        use BinaryOperator as B;
        self.graph.equal.push((condition, Literal::Boolean(holds)));
        for fact in self.graph.conjuncts(if holds { B::And } else { B::Or }, &[condition]) {
            let Some((value, known, number)) = self.graph.comparison(fact) else { continue };
            if known == if holds { B::Equal } else { B::NotEqual } {
                let literal = match self.graph.integer(value).and_then(|integer| integer.unsigned) {
                    Some(unsigned) => Literal::Integer { value: number, unsigned },
                    #[expect(clippy::cast_precision_loss, reason = "as in HLSL")]
                    None => Literal::Float(number as f64),
                };
                self.graph.equal.push((value, literal));
            }
        }
    }

    /// True if the compiler may find out what a condition is from the conditions around it.
    pub(super) fn may_be_known(&self, condition: NodeId) -> bool {
        // DXC 1.7.2308 knows a condition that repeats, or denies, one around it only in some code.
        let negated = |node: NodeId| {
            let Node { operation, operands, .. } = &self.graph.nodes[node as usize];
            operands.first().copied().filter(|_| *operation == Operation::Prefix(PrefixOperator::Not))
        };
        let inner = negated(condition).unwrap_or(condition);
        let is_repeated = self.facts.iter().any(|(fact, _)| negated(*fact).unwrap_or(*fact) == inner);
        is_repeated || (self.graph.varies(condition) && !self.graph.goes_either_way(condition, &self.facts))
    }
}
