//! Finds the functions that a use calls, and passes them their object and arguments.

use layoutproof_layout::shape::{StructType, Type};

use super::location::{holds_resources, is_resource};
use super::use_walk::{AccessManner, CallFrame, CopyPosition, NamedLocation, ResolvedPath, UseWalk};
use layoutproof_frontend::module::{Callees, Function, Step, Use};

/// A call of a function with a body.
#[derive(Clone, Debug)]
pub(super) struct FunctionCall<'m> {
    pub(super) function: &'m Function,
    pub(super) this: Option<NamedLocation<'m>>,
    /// The `static` variable whose method this is.
    pub(super) variable: Option<&'m str>,
}

impl<'m> UseWalk<'m> {
    /// Returns the functions that a use may call.
    pub(super) fn calls(
        &self,
        used: &'m Use,
        place: Option<&ResolvedPath<'m>>,
        frame: &CallFrame<'m>,
    ) -> Vec<FunctionCall<'m>> {
        let indices = match &used.callees {
            Callees::Named if used.call => return self.calls_by_name(used, place, frame),
            Callees::Named | Callees::BuiltIn => return Vec::new(),
            Callees::Known(index) => std::slice::from_ref(index),
            Callees::OneOf(indices) | Callees::Perhaps(indices) => indices.as_slice(),
        };

        let functions = indices.iter().filter_map(|index| self.module.functions.get(*index));
        let call = |function: &'m Function| {
            let (this, variable) = self.object(function, used, place, frame);
            FunctionCall { function, this, variable }
        };
        functions.map(call).collect()
    }

    /// Returns the object of the method that a use calls: a parameter or a part of one, or a
    /// `static` variable.
    fn object(
        &self,
        function: &Function,
        used: &'m Use,
        place: Option<&ResolvedPath<'m>>,
        frame: &CallFrame<'m>,
    ) -> (Option<NamedLocation<'m>>, Option<&'m str>) {
        match (place, used.path.as_slice()) {
            (Some(ResolvedPath { held, rest }), _) => match (held.location.ty, rest.as_slice()) {
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

    /// Returns the functions that the name of a use means. There is more than one if they differ
    /// only in their parameters.
    fn calls_by_name(
        &self,
        used: &Use,
        place: Option<&ResolvedPath<'m>>,
        frame: &CallFrame<'m>,
    ) -> Vec<FunctionCall<'m>> {
        if let Some(ResolvedPath { held, rest }) = place {
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

    /// Returns the method `name` of `ty`, or else of one of its bases.
    fn method(&self, ty: &StructType, name: &str, this: &NamedLocation<'m>) -> Vec<FunctionCall<'m>> {
        let found = owners(ty).find_map(|owner| {
            Some(self.plain(&format!("{owner}::{name}"), Some(this))).filter(|found| !found.is_empty())
        });
        found.unwrap_or_default()
    }

    fn plain(&self, name: &str, this: Option<&NamedLocation<'m>>) -> Vec<FunctionCall<'m>> {
        let found = self.functions.get(name).into_iter().flatten();
        found.map(|function| FunctionCall { function, this: this.cloned(), variable: None }).collect()
    }
}

/// True if `function` looks like a method.
fn is_method(function: &Function) -> bool {
    function.name.contains("::")
}

/// True if `function` is a method of the struct `ty` or of one of its bases; for a buffer, of its
/// elements.
fn is_method_of(function: &Function, ty: &Type) -> bool {
    let owner = function.name.rsplit_once("::").map(|(owner, _)| owner.split('<').next().unwrap_or(owner));
    match ty {
        Type::Struct(ty) => owners(ty).any(|own| Some(own) == owner),
        Type::Resource(resource) => resource.element.as_ref().is_some_and(|element| is_method_of(function, element)),
        _ => false,
    }
}

/// Returns the names of `ty` and its bases, without generic arguments.
fn owners(ty: &StructType) -> impl Iterator<Item = &str> {
    let structs = std::iter::successors(Some(ty), |ty| ty.base.as_deref());
    structs.map(|owner| owner.name.split('<').next().unwrap_or(&owner.name))
}

/// Returns an object as its method sees it.
fn as_this<'m>(held: &NamedLocation<'m>) -> NamedLocation<'m> {
    let manner = match held.manner {
        AccessManner::Own | AccessManner::Object => AccessManner::Object,
        AccessManner::Alias | AccessManner::Value => AccessManner::Value,
        AccessManner::Static => AccessManner::Own,
        AccessManner::Copy => AccessManner::Copy,
    };
    let object = held.location.steps.len();
    match manner {
        AccessManner::Value => NamedLocation { manner, object, ..held.copied_locally() },
        _ => NamedLocation { manner, object, ..held.clone() },
    }
}

impl NamedLocation<'_> {
    /// Returns a struct that was passed by value after another copy within the function.
    pub(super) fn copied_locally(&self) -> Self {
        let copies = self.copied.copies + usize::from(!self.copied.is_local);
        let object = self.location.steps.len();
        Self { copied: CopyPosition { copies, is_local: true, ..self.copied }, object, ..self.clone() }
    }

    /// Returns a struct after it was passed by value.
    fn copied_by_call(&self, argument: usize) -> Self {
        let copied = CopyPosition { argument, copies: self.copied.copies + 1, is_local: false, ..self.copied };
        let object = self.location.steps.len();
        Self { manner: AccessManner::Value, copied, object, ..self.clone() }
    }
}

impl<'m> ResolvedPath<'m> {
    /// True if an argument is resources, rather than a value read from one.
    pub(super) fn is_passed(&self) -> bool {
        self.rest.is_empty() && holds_resources(self.held.location.ty)
    }

    /// Returns an argument that holds resources, as the called function sees it.
    pub(super) fn passed_on(&self, copied: CopyPosition) -> Option<NamedLocation<'m>> {
        if !self.is_passed() {
            return None;
        }

        let held = self.held.clone();
        match held.manner {
            AccessManner::Own | AccessManner::Object | AccessManner::Alias | AccessManner::Static
                if is_resource(held.location.ty) =>
            {
                Some(NamedLocation { manner: AccessManner::Copy, copied, ..held })
            }
            AccessManner::Static => Some(NamedLocation { manner: AccessManner::Own, ..held }),
            AccessManner::Own | AccessManner::Object | AccessManner::Alias => {
                Some(NamedLocation { copied: CopyPosition::default(), ..held }.copied_by_call(copied.argument))
            }
            AccessManner::Value => Some(held.copied_by_call(copied.argument)),
            AccessManner::Copy => Some(held),
        }
    }
}
