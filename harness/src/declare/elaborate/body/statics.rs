//! What the initialisers of `static` globals mention: they are evaluated where the variable is used.

use std::collections::HashMap;

use super::{Body, order};
use crate::declare::elaborate::Elaborator;
use crate::module::{Function, Static};

impl Elaborator<'_> {
    /// Reads the initialisers of `static` globals; those that mention nothing are left out.
    pub(in crate::declare::elaborate) fn initialisers(&mut self) {
        let comparisons = HashMap::new();
        for (declarator, scope) in std::mem::take(&mut self.statics) {
            let tokens = declarator.initialised.clone();
            let mut walk = Body::new(self, scope, &comparisons);
            let path = walk.whole_path(tokens.start, tokens.end);
            walk.run(tokens);
            let (uses, _) = order::evaluated(walk.drafts, walk.swaps);
            if uses.is_empty() {
                continue;
            }
            let name = self.symbols.qualified(scope, declarator.name.text);
            let copied = (0..uses.len()).collect();
            let initialiser = Function { name, uses, copied, span: declarator.name.span };
            self.module.statics.push(Static { path, initialiser });
        }
    }
}
