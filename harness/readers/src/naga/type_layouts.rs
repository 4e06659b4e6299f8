//! Computes sizes, alignments, offsets and strides of the types in a naga module.
//!
//! For GLSL they are naga's. For WGSL they are computed here: naga's `Layouter` gives a struct the
//! largest alignment of its members' types and ignores that `@align` raises it, so it places
//! members of such a struct's type too early (naga 30).
//!
//! Source: WebGPU Shading Language, 14.4.1 Alignment and Size, 14.4.2 Structure Member Layout,
//! 14.4.3 Array Layout Examples, 14.4.5 Address Space Layout Constraints.

use naga::proc::Layouter;
use naga::{ArraySize, Handle, Module, Type, TypeInner};
use thiserror::Error;

use super::wgsl_attributes::{MemberAttributes, StructAttributes};
use crate::listing::member_path;

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

/// A type has no layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoTypeLayout {
    pub ty: Handle<Type>,
    pub(super) reason: LayoutProblem,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum LayoutProblem {
    #[error("its members are not found in the text")]
    NoMembers,
    #[error("it is larger than 4 GiB")]
    TooLarge,
    #[error("@align({align}) of `{member}` is not a multiple of its type's alignment {needed}")]
    Align { member: String, align: u32, needed: u32 },
    #[error("@size({size}) of `{member}` is less than its type's size {needed}")]
    Size { member: String, size: u32, needed: u32 },
}

/// A member at a place that its address space does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misplaced {
    /// Path in the block.
    pub(super) path: String,
    /// Lowercase fragment with the relevant numbers.
    pub(super) reason: String,
}

/// Alignment that uniform buffers require for structs and array elements.
const UNIFORM_ALIGNMENT: u32 = 16;

impl TypeLayouts {
    /// naga's own layouts.
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

    /// Layouts under WGSL's rules.
    pub(super) fn of_wgsl(
        module: &Module,
        layouter: &Layouter,
        attributes: &StructAttributes,
    ) -> Result<Self, NoTypeLayout> {
        // A type is declared after the types that it contains.
        let mut layouts = Self::of_naga(module, layouter);
        for (handle, ty) in module.types.iter() {
            let layout = match &ty.inner {
                TypeInner::Array { base, size, .. } => layouts.array(*base, *size),
                TypeInner::Struct { members, .. } => {
                    let name = ty.name.as_deref().unwrap_or_default();
                    layouts.structure(members, attributes.get(name).map(Vec::as_slice))
                }
                // For these types naga's sizes and alignments are those of WGSL.
                _ => continue,
            };
            layouts.all[handle.index()] = layout.map_err(|reason| NoTypeLayout { ty: handle, reason })?;
        }
        Ok(layouts)
    }

    pub(super) fn get(&self, ty: Handle<Type>) -> &TypeLayout {
        &self.all[ty.index()]
    }

    fn array(&self, base: Handle<Type>, size: ArraySize) -> Result<TypeLayout, LayoutProblem> {
        let element = self.get(base);
        let stride = round_up(element.size, element.alignment)?;
        let count = match size {
            ArraySize::Constant(count) => count.get(),
            ArraySize::Pending(_) | ArraySize::Dynamic => 1,
        };
        let size = stride.checked_mul(count).ok_or(LayoutProblem::TooLarge)?;
        Ok(TypeLayout { alignment: element.alignment, size, stride, offsets: Vec::new() })
    }

    fn structure(
        &self,
        members: &[naga::StructMember],
        attributes: Option<&[MemberAttributes]>,
    ) -> Result<TypeLayout, LayoutProblem> {
        let names = || members.iter().map(|member| member.name.as_deref().unwrap_or_default());
        let attributes = match attributes {
            Some(found) if names().eq(found.iter().map(|member| member.name.as_str())) => found,
            // naga adds structs for the results of built-in functions.
            None => &[],
            Some(_) => return Err(LayoutProblem::NoMembers),
        };

        let mut layout = TypeLayout { alignment: 1, ..TypeLayout::default() };
        for (index, member) in members.iter().enumerate() {
            let ty = self.get(member.ty);
            let written = attributes.get(index).cloned().unwrap_or_default();
            let member = || member.name.clone().unwrap_or_default();
            // naga compares these with its own alignment and size of the type.
            if let Some(align) = written.align.filter(|align| !align.is_multiple_of(ty.alignment)) {
                return Err(LayoutProblem::Align { member: member(), align, needed: ty.alignment });
            }
            if let Some(size) = written.size.filter(|size| *size < ty.size) {
                return Err(LayoutProblem::Size { member: member(), size, needed: ty.size });
            }
            let alignment = written.align.unwrap_or(ty.alignment);
            let offset = round_up(layout.size, alignment)?;
            layout.offsets.push(offset);
            layout.size = offset.checked_add(written.size.unwrap_or(ty.size)).ok_or(LayoutProblem::TooLarge)?;
            layout.alignment = layout.alignment.max(alignment);
        }
        layout.size = round_up(layout.size, layout.alignment)?;
        Ok(layout)
    }

    /// The first part of a type at a place that a uniform buffer does not allow.
    pub(super) fn misplaced_in_uniform(&self, module: &Module, ty: Handle<Type>, path: &str) -> Option<Misplaced> {
        let misplaced = |path: &str, reason: String| Some(Misplaced { path: path.to_owned(), reason });
        match &module.types[ty].inner {
            TypeInner::Array { base, .. } => {
                let stride = self.get(ty).stride;
                if !stride.is_multiple_of(UNIFORM_ALIGNMENT) {
                    return misplaced(
                        path,
                        format!(
                            "array elements must be a multiple of {UNIFORM_ALIGNMENT} bytes apart, these are {stride}"
                        ),
                    );
                }
                self.misplaced_in_uniform(module, *base, &format!("{path}[]"))
            }
            TypeInner::Struct { members, .. } => {
                let offsets = &self.get(ty).offsets;
                for (index, member) in members.iter().enumerate() {
                    let offset = offsets[index];
                    let path = member_path(path, member.name.as_deref().unwrap_or_default());
                    let (what, required) = self.uniform_alignment(module, member.ty);
                    if !offset.is_multiple_of(required) {
                        let reason =
                            format!("{what} must be at a multiple of {required} bytes, this one is at {offset}");
                        return misplaced(&path, reason);
                    }
                    let before = index.checked_sub(1).map(|before| (&members[before], offsets[before]));
                    if let Some((before, start)) = before.filter(|(before, _)| is_struct(module, before.ty)) {
                        let least = start.saturating_add(self.get(before.ty).size.next_multiple_of(UNIFORM_ALIGNMENT));
                        if offset < least {
                            let name = before.name.as_deref().unwrap_or_default();
                            let reason = format!(
                                "the member after struct `{name}` must be at byte {least} or later, this one is at {offset}"
                            );
                            return misplaced(&path, reason);
                        }
                    }
                    let inner = self.misplaced_in_uniform(module, member.ty, &path);
                    if inner.is_some() {
                        return inner;
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// A noun for the member in messages, and the alignment that a uniform buffer requires for it.
    fn uniform_alignment(&self, module: &Module, ty: Handle<Type>) -> (&'static str, u32) {
        let alignment = self.get(ty).alignment;
        match module.types[ty].inner {
            TypeInner::Array { .. } => ("an array", alignment.next_multiple_of(UNIFORM_ALIGNMENT)),
            TypeInner::Struct { .. } => ("a struct", alignment.next_multiple_of(UNIFORM_ALIGNMENT)),
            _ => ("a member of this type", alignment),
        }
    }
}

fn is_struct(module: &Module, ty: Handle<Type>) -> bool {
    matches!(module.types[ty].inner, TypeInner::Struct { .. })
}

fn round_up(size: u32, alignment: u32) -> Result<u32, LayoutProblem> {
    size.checked_next_multiple_of(alignment.max(1)).ok_or(LayoutProblem::TooLarge)
}
