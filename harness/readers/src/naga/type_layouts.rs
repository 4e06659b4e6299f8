//! Sizes, alignments, offsets and strides of the types in a naga module.

use naga::proc::Layouter;
use naga::{Handle, Module, Type, TypeInner};

/// The layout of one type, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TypeLayout {
    pub(super) alignment: u32,
    /// For an unsized array, the size of one element.
    pub(super) size: u32,
    /// For arrays.
    pub stride: u32,
    /// For the members of a struct.
    pub(super) offsets: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct TypeLayouts {
    /// By index of the type.
    all: Vec<TypeLayout>,
}

impl TypeLayouts {
    pub(super) fn of_naga(module: &Module, layouter: &Layouter) -> Self {
        let layout = |(handle, ty): (Handle<Type>, &Type)| TypeLayout {
            alignment: layouter[handle].alignment.round_up(1),
            size: layouter[handle].size,
            stride: match ty.inner {
                TypeInner::Array { stride, .. } => stride,
                _ => 0,
            },
            offsets: match &ty.inner {
                TypeInner::Struct { members, .. } => members.iter().map(|member| member.offset).collect(),
                _ => Vec::new(),
            },
        };
        Self { all: module.types.iter().map(layout).collect() }
    }

    pub(super) fn get(&self, ty: Handle<Type>) -> &TypeLayout {
        &self.all[ty.index()]
    }
}
