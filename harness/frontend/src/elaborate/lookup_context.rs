//! A place for looking up names, with the values of the generic parameters that are visible there.

use std::rc::Rc;

use layoutproof_layout::shape::{MatrixOrder, Type};

use super::scope::ScopeId;

/// The value of a generic parameter: a type or an integer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum GenericValue {
    Type(Type),
    Integer(i64),
}

/// A generic parameter with its argument.
#[derive(Clone, Debug)]
pub(super) struct GenericBinding {
    /// The scope of the struct that declares the parameter.
    pub(super) scope: ScopeId,
    pub(super) name: String,
    pub(super) value: GenericValue,
}

/// A scope, and the values of the generic parameters visible in it.
#[derive(Clone, Debug)]
pub(super) struct LookupContext {
    pub(super) scope: ScopeId,
    pub(super) bindings: Rc<[GenericBinding]>,
    /// The bindings as text. Equal bindings have equal text.
    pub(super) key: Rc<str>,
}

impl LookupContext {
    /// Creates the context of `scope` without generic arguments.
    pub(super) fn plain(scope: ScopeId) -> Self {
        Self { scope, bindings: Rc::new([]), key: "".into() }
    }

    pub(super) fn new(scope: ScopeId, bindings: Vec<GenericBinding>) -> Self {
        let key = bindings.iter().fold(String::new(), |key, binding| {
            key + &format!("{:?}:{}={};", binding.scope, binding.name, binding.value.written())
        });
        Self { scope, bindings: bindings.into(), key: key.into() }
    }
}

impl GenericValue {
    /// Returns the value as text. Equal values have equal text.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Type(ty) => written(ty),
        }
    }
}

/// Returns the spelling of a type with its matrix order, which the type's own spelling leaves out.
/// Equal types have equal text.
pub(super) fn written(ty: &Type) -> String {
    match ty.dimensions().0 {
        Type::Matrix { order: Some(MatrixOrder::Row), .. } => format!("row_major {ty}"),
        Type::Matrix { order: Some(MatrixOrder::Column), .. } => format!("column_major {ty}"),
        _ => ty.to_string(),
    }
}
