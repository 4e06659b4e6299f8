//! Records the uses in the initialisers of `static` globals. These are evaluated where the variable is used.

use std::collections::HashMap;

use super::calls::Calls;
use super::{BodyWalk, order};
use crate::elaborate::Elaborator;
use crate::elaborate::lookup_context::LookupContext;
use crate::module::{Function, Static};

impl<'t> Elaborator<'t> {
    /// Reads the initialisers of `static` globals, except those that mention no name.
    pub(super) fn initialisers(&mut self, calls: &mut Calls<'t>) {
        let comparisons = HashMap::new();
        for (declarator, scope) in std::mem::take(&mut self.statics) {
            let tokens = declarator.initialised.clone();
            let mut walk = BodyWalk::new(self, calls, &comparisons, LookupContext::plain(scope), None);
            let path = walk.whole_path(tokens.start, tokens.end);
            walk.run(tokens);

            let (uses, _) = order::evaluated(walk.drafts, walk.swaps);
            if uses.is_empty() {
                continue;
            }

            let name = self.symbols.qualified(scope, declarator.name.text);
            let copied = (0..uses.len()).collect();
            let initialiser = Function { name, uses, copied, code: None, exported: false, span: declarator.name.span };
            self.module.statics.push(Static { path, initialiser });
        }
    }
}
