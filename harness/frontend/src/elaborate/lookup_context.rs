//! Where names are looked up, and what the generic parameters that are visible there stand for.

use std::rc::Rc;

use layoutproof_layout::shape::{MatrixOrder, Type};

use super::scope::ScopeId;

/// Value of a generic parameter: a type or an integer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum GenericValue {
    Type(Type),
    Integer(i64),
}

/// A generic parameter with its argument.
#[derive(Clone, Debug)]
pub(super) struct GenericBinding {
    /// The scope of the struct that has the parameter.
    pub(super) scope: ScopeId,
    pub(super) name: String,
    pub(super) value: GenericValue,
}

/// Where names are looked up, and what generic parameters stand for there.
#[derive(Clone, Debug)]
pub(super) struct LookupContext {
    pub(super) scope: ScopeId,
    pub(super) bindings: Rc<[GenericBinding]>,
    /// The bindings in writing: equal for equal bindings.
    pub(super) key: Rc<str>,
}

impl LookupContext {
    /// The context of `scope` without generic arguments.
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
    /// In writing: equal for equal values.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Type(ty) => written(ty),
        }
    }
}

/// The spelling, with the order of a matrix, which the spelling of a type leaves out: equal for equal types.
pub(super) fn written(ty: &Type) -> String {
    match ty.dimensions().0 {
        Type::Matrix { order: Some(MatrixOrder::Row), .. } => format!("row_major {ty}"),
        Type::Matrix { order: Some(MatrixOrder::Column), .. } => format!("column_major {ty}"),
        _ => ty.to_string(),
    }
}
