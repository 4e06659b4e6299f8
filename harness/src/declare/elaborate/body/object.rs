//! Methods of local variables: `Reader r; r.get()` to `Reader::get`.
//!
//! What such a method reads from its object is local data; what else it names counts.

use super::Body;
use crate::declare::ast::TypeKind;
use crate::declare::elaborate::scope::{ScopeId, TypeEntry, TypeId};
use crate::declare::lexer::TokenKind;
use crate::module::Step;

/// Names in front of a type's own that are looked at: `A::B::T`.
const MOST_QUALIFIERS: usize = 16;

/// Base structs of base structs that are looked at.
const MOST_BASES: usize = 48;

impl Body<'_, '_> {
    /// The declared type whose name ends at the token `last`.
    pub(super) fn declared_type(&self, last: usize) -> Option<TypeId> {
        let mut first = last;
        for _ in 0..MOST_QUALIFIERS {
            if first < 2 || self.source.token(first - 1).kind != TokenKind::ColonColon {
                break;
            }
            first -= 2;
        }
        let symbols = &self.elaborator.symbols;
        let name = self.source.token(last).text;
        let mut outwards = symbols.outwards(self.context.scope);
        if first == last {
            return outwards.find_map(|scope| symbols.type_in(scope, name));
        }
        let start = outwards.find_map(|scope| symbols.namespace_in(scope, self.source.token(first).text))?;
        let mut inner = (first + 2..last).step_by(2).map(|at| self.source.token(at).text);
        let scope = inner.try_fold(start, |scope, name| symbols.namespace(scope, name))?;
        symbols.type_in(scope, name)
    }

    /// The method that `steps` behind a variable of the type `object` lead to, by its qualified name.
    pub(super) fn method(&self, object: TypeId, steps: &[Step]) -> Option<Step> {
        let [Step::Name(name)] = steps else { return None };
        let symbols = &self.elaborator.symbols;
        let owners = std::iter::successors(Some(object), |id| self.base(*id));
        let mut scopes = owners.take(MOST_BASES).filter_map(|id| symbols.inside(id));
        let has = |scope: &ScopeId| symbols.scope(*scope).mentioned.contains_key(name.as_str());
        Some(Step::Name(symbols.qualified(scopes.find(has)?, name)))
    }

    /// The first base of a struct, looked up by its plain name.
    fn base(&self, id: TypeId) -> Option<TypeId> {
        let symbol = self.elaborator.symbols.ty(id);
        let TypeEntry::Struct { declaration, .. } = symbol.entry else { return None };
        let TypeKind::Path(path) = &declaration.bases.first()?.kind else { return None };
        let [part] = path.parts.as_slice() else { return None };
        let symbols = &self.elaborator.symbols;
        symbols.outwards(symbol.scope).find_map(|scope| symbols.type_in(scope, part.name.text))
    }
}
