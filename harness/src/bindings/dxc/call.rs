//! Which functions a use calls, and what they see of their object and arguments.

use layoutproof_layout::shape::{StructType, Type};

use super::body::{Frame, Place};
use super::location::{holds_resources, is_resource};
use super::reach::{Held, Manner, Walk};
use crate::module::{Callees, Function, Step, Use};

/// A call of a function with a body.
#[derive(Clone, Debug)]
pub(super) struct Call<'m> {
    pub(super) function: &'m Function,
    pub(super) this: Option<Held<'m>>,
    /// The `static` variable whose method it is.
    pub(super) variable: Option<&'m str>,
}

impl<'m> Walk<'m> {
    /// The functions that a use may call.
    pub(super) fn calls(&self, used: &'m Use, place: Option<&Place<'m>>, frame: &Frame<'m>) -> Vec<Call<'m>> {
        let indices = match &used.callees {
            Callees::Named if used.call => return self.calls_by_name(used, place, frame),
            Callees::Named | Callees::BuiltIn => return Vec::new(),
            Callees::Known(index) => std::slice::from_ref(index),
            Callees::OneOf(indices) | Callees::Perhaps(indices) => indices.as_slice(),
        };
        let functions = indices.iter().filter_map(|index| self.numbered.get(*index));
        let call = |function: &'m Function| {
            let (this, variable) = self.object(function, used, (place, frame));
            Call { function, this, variable }
        };
        functions.map(call).collect()
    }

    /// The object of the method that a use calls: a parameter or a part of one, or a `static` variable.
    fn object(
        &self,
        function: &Function,
        used: &'m Use,
        (place, frame): (Option<&Place<'m>>, &Frame<'m>),
    ) -> (Option<Held<'m>>, Option<&'m str>) {
        match (place, used.path.as_slice()) {
            (Some(Place { held, rest }), _) => match (held.location.ty, rest.as_slice()) {
                (Type::Struct(_), [Step::Name(_)]) => (Some(as_this(held)), None),
                (Type::Resource(_), [_, ..]) => (Some(held.clone()), None),
                (_, _) => (None, None),
            },
            (None, [Step::Name(_)]) => {
                let this = frame.this.clone().filter(|this| is_method_of(function, this.location.ty));
                let is_own = this.is_some() || is_method(function);
                (this, frame.variable.filter(|_| is_own))
            }
            (None, [Step::Name(name), ..]) => {
                let known = self.statics.get_key_value(name.as_str());
                (None, known.map(|(name, _)| *name))
            }
            (None, [Step::This, ..]) => (None, frame.variable),
            (None, _) => (None, None),
        }
    }

    /// The functions that the name of a use means; more than one where they differ only in their parameters.
    fn calls_by_name(&self, used: &Use, place: Option<&Place<'m>>, frame: &Frame<'m>) -> Vec<Call<'m>> {
        if let Some(Place { held, rest }) = place {
            if let (Type::Struct(ty), [Step::Name(method)]) = (held.location.ty, rest.as_slice()) {
                return self.method(ty, method, &as_this(held));
            }
        }
        let [Step::Name(name)] = used.path.as_slice() else { return Vec::new() };
        if let Some(this) = &frame.this {
            if let Type::Struct(ty) = this.location.ty {
                let own = match name.rsplit_once("::") {
                    None => self.method(ty, name, this),
                    Some((outer, _)) if owners(ty).any(|owner| owner == outer) => self.plain(name, Some(this)),
                    Some(_) => Vec::new(),
                };
                if !own.is_empty() {
                    return own;
                }
            }
        }
        self.plain(name, None)
    }

    /// The method `name` of `ty`, or else of one of its bases.
    fn method(&self, ty: &StructType, name: &str, this: &Held<'m>) -> Vec<Call<'m>> {
        let found = owners(ty).find_map(|owner| {
            Some(self.plain(&format!("{owner}::{name}"), Some(this))).filter(|found| !found.is_empty())
        });
        found.unwrap_or_default()
    }

    fn plain(&self, name: &str, this: Option<&Held<'m>>) -> Vec<Call<'m>> {
        let found = self.functions.get(name).into_iter().flatten();
        found.map(|function| Call { function, this: this.cloned(), variable: None }).collect()
    }
}

/// Whether `function` is a method, to all appearance.
fn is_method(function: &Function) -> bool {
    function.name.contains("::")
}

/// Whether `function` is a method of the struct `ty` or of a base of it; of a buffer, of its elements.
fn is_method_of(function: &Function, ty: &Type) -> bool {
    let owner = function.name.rsplit_once("::").map(|(owner, _)| owner.split('<').next().unwrap_or(owner));
    match ty {
        Type::Struct(ty) => owners(ty).any(|own| Some(own) == owner),
        Type::Resource(resource) => resource.element.as_ref().is_some_and(|element| is_method_of(function, element)),
        Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Array { .. }
        | Type::Enum(_)
        | Type::Pointer { .. }
        | Type::Handle { .. } => false,
    }
}

/// The names of `ty` and its bases, without generic arguments.
fn owners(ty: &StructType) -> impl Iterator<Item = &str> {
    let structs = std::iter::successors(Some(ty), |ty| ty.base.as_deref());
    structs.map(|owner| owner.name.split('<').next().unwrap_or(&owner.name))
}

/// An object as its method sees it.
fn as_this<'m>(held: &Held<'m>) -> Held<'m> {
    let manner = match held.manner {
        Manner::Own | Manner::Object => Manner::Object,
        Manner::Alias | Manner::Value => Manner::Value,
        Manner::Static => Manner::Own,
        Manner::Copy => Manner::Copy,
    };
    Held { manner, object: held.location.steps.len(), ..held.clone() }
}

impl<'m> Place<'m> {
    /// Whether an argument is resources rather than what is read from one.
    pub(super) fn is_passed(&self) -> bool {
        self.rest.is_empty() && holds_resources(self.held.location.ty)
    }

    /// An argument that holds resources, as the called function sees it.
    pub(super) fn passed_on(&self, copied: (u32, usize)) -> Option<Held<'m>> {
        if !self.is_passed() {
            return None;
        }
        let held = self.held.clone();
        match held.manner {
            Manner::Own | Manner::Object | Manner::Alias | Manner::Static if is_resource(held.location.ty) => {
                Some(Held { manner: Manner::Copy, copied, ..held })
            }
            Manner::Static => Some(Held { manner: Manner::Own, ..held }),
            Manner::Own | Manner::Object | Manner::Alias => Some(Held { manner: Manner::Value, ..held }),
            Manner::Value | Manner::Copy => Some(held),
        }
    }
}
