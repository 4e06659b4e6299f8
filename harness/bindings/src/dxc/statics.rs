//! Use of `static` variables: which parameters they are made from.
//!
//! Source: DXC 1.7.2308 (`-T cs_6_6`), measured: a variable that nothing uses makes nothing used.

use super::location::is_resource;
use super::use_walk::{AccessManner, CallFrame, CopyPosition, NamedLocation, UseWalk};
use layoutproof_frontend::module::{Step, Use};

impl<'m> UseWalk<'m> {
    /// The parameter, or the part of one, that the `static` variable `name` is another name for.
    pub(super) fn renamed(&self, name: &str, frame: &CallFrame<'m>) -> Option<NamedLocation<'m>> {
        let (mut activation, mut variable) = *self.statics.get(name)?;
        let mut behind = Vec::new();
        loop {
            let (first, rest) = variable.path.as_deref()?.split_first()?;
            let Step::Name(name) = first else { return None };
            behind.push(rest);
            let Some((earlier, inner)) = self.statics.get(name.as_str()).copied() else {
                let mut location = self.globals.get(name)?.clone();
                // The steps nearest to the parameter were found last.
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
            // A variable can only be made from those before it, which also ends this loop.
            if earlier >= activation {
                return None;
            }
            (activation, variable) = (earlier, inner);
        }
    }

    /// Records what the `static` variable that `used` names is computed from, once; `this` is one as well where a
    /// method of it is called.
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
