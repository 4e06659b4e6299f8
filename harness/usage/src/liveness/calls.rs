//! Calls of functions of the module: which of several may run, and the values that go in and out.

use super::stores::{Place, Root};
use super::value::{Joining, Value};
use super::{Liveness, State};
use layoutproof_frontend::module::Callees;
use layoutproof_frontend::module::code::CallExpression;

impl<'m> Liveness<'m> {
    pub(super) fn call(&mut self, call: &'m CallExpression, state: &mut State<'m>) -> Value<'m> {
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
        let of_caller = self.frames.last().map(|frame| frame.outputs.clone()).unwrap_or_default();
        let is_output = |place: &Option<Place<'m>>| {
            place.as_ref().is_some_and(|place| matches!(place.root, Root::Local(slot) if of_caller.contains(&slot)))
        };
        let outputs = (0..places.len()).filter(|at| is_output(&places[*at])).collect();
        let found = self.deeper(|liveness| liveness.run(code, values, outputs, state));
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
