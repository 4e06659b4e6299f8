//! Uses of `static` variables: the parameters from which they are made.
//!
//! Source: measurements of DXC 1.7.2308 (`-T cs_6_6`). A variable that nothing uses does not make
//! anything used.

use super::location::is_resource;
use super::use_walk::{AccessManner, CallFrame, CopyPosition, NamedLocation, UseWalk};
use layoutproof_frontend::module::{Step, Use};

impl<'m> UseWalk<'m> {
    /// Returns the parameter, or the part of one, for which the `static` variable `name` is another
    /// name.
    pub(super) fn renamed(&self, name: &str, frame: &CallFrame<'m>) -> Option<NamedLocation<'m>> {
        let (mut activation, mut variable) = *self.statics.get(name)?;
        let mut behind = Vec::new();
        loop {
            let (first, rest) = variable.path.as_deref()?.split_first()?;
            let Step::Name(name) = first else { return None };
            behind.push(rest);
            let Some((earlier, inner)) = self.statics.get(name.as_str()).copied() else {
                let mut location = self.globals.get(name)?.clone();
                // The walk found the steps nearest to the parameter last.
                let steps: Vec<Step> = behind.into_iter().rev().flatten().cloned().collect();
                let taken = location.descend(&steps);
                let manner = match (is_resource(location.ty), frame.activation) {
                    (true, _) => AccessManner::Copy,
                    (false, 0) => AccessManner::Static,
                    (false, _) => AccessManner::Own,
                };
                let held = NamedLocation { location, manner, object: 0, copied: CopyPosition::default(), activation };
                return Some(held).filter(|_| taken == steps.len());
            };
            // A variable can only depend on earlier ones, which also ends this loop.
            if earlier >= activation {
                return None;
            }
            (activation, variable) = (earlier, inner);
        }
    }

    /// Records the uses in the initialiser of the `static` variable that `used` names, once. In a
    /// method of a `static` variable, `this` names that variable.
    pub(super) fn make(&mut self, used: &Use, frame: &CallFrame<'m>) {
        let name = match used.path.first() {
            Some(Step::Name(name)) => Some(name.as_str()),
            Some(Step::This) => frame.variable,
            Some(Step::Parameter(_) | Step::Index(_) | Step::DynamicIndex) | None => None,
        };
        let Some((activation, variable)) = name.and_then(|name| self.statics.get(name)).copied() else { return };
        if self.made.insert(activation) {
            self.function(&variable.initialiser, &CallFrame { activation, ..CallFrame::default() });
        }
    }
}
