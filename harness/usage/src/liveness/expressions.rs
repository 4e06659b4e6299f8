//! Expressions: operators, lists and choices. `accesses`, `stores` and `calls` have the rest.

use layoutproof_layout::shape::Type;

use super::accesses::PlaceStep;
use super::graph::{Graph, NodeId};
use super::value::{Joining, Value, all_leaves, number};
use super::{Liveness, State};
use layoutproof_frontend::module::code::{BinaryOperator, Expression, Literal, PrefixOperator, is_transparent};

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
                let scalar = match self.graph.opened(condition.clone()) {
                    Value::Scalar(node) => Some(node),
                    _ => None,
                };
                match scalar.and_then(|node| self.graph.truth(node)) {
                    Some(true) => return self.evaluate(first, state),
                    Some(false) => return self.evaluate(second, state),
                    None => {}
                }
                let (start, known) = (self.graph.next(), self.facts.len());
                self.facts.extend(scalar.map(|node| (node, true)));
                let first = self.evaluate(first, state);
                self.facts.truncate(known);
                self.facts.extend(scalar.map(|node| (node, false)));
                let second = self.evaluate(second, state);
                self.facts.truncate(known);
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
        operation: &mut impl FnMut(&mut Graph, &[NodeId]) -> NodeId,
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
                match self.graph.truth(condition) {
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
}
