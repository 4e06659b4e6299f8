//! Sizes, alignments, offsets and strides of the types of a naga module.
//!
//! For GLSL they are naga's. For WGSL they are computed here: naga's `Layouter` gives a struct the largest alignment of
//! its members' types, and forgets that `@align` raises it, so what holds such a struct lies too early (naga 30).
//!
//! Source: WebGPU Shading Language, 14.4.1 Alignment and Size, 14.4.2 Structure Member Layout, 14.4.3 Array Layout
//! Examples, 14.4.5 Address Space Layout Constraints.

use naga::proc::Layouter;
use naga::{ArraySize, Handle, Module, Type, TypeInner};

use super::wgsl_attributes::{MemberAttributes, StructAttributes};
use crate::inspect::listing::member_path;

/// The layout of one type, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TypeLayout {
    pub(super) alignment: u32,
    /// Of an array without a length that of one element.
    pub(super) size: u32,
    /// Of an array.
    pub(super) stride: u32,
    /// Of the members of a struct.
    pub(super) offsets: Vec<u32>,
}

/// The layouts of all types of a module.
#[derive(Clone, Debug)]
pub(super) struct TypeLayouts {
    /// By index of the type.
    all: Vec<TypeLayout>,
}

/// A type has no layout; lowercase fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoTypeLayout {
    pub(super) ty: Handle<Type>,
    pub(super) reason: String,
}

/// A member that stands where its address space does not allow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misplaced {
    /// Path in the block.
    pub(super) path: String,
    /// Lowercase fragment with the numbers that matter.
    pub(super) reason: String,
}

/// Alignment that uniform buffers require of structs and of elements of arrays.
const UNIFORM_ALIGNMENT: u32 = 16;

impl TypeLayouts {
    /// naga's own.
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

    /// Those of WGSL's rules.
    pub(super) fn of_wgsl(
        module: &Module,
        layouter: &Layouter,
        attributes: &StructAttributes,
    ) -> Result<Self, NoTypeLayout> {
        // A type is declared behind those that it is made of.
        let mut layouts = Self::of_naga(module, layouter);
        for (handle, ty) in module.types.iter() {
            let layout = match &ty.inner {
                TypeInner::Array { base, size, .. } => layouts.array(*base, *size),
                TypeInner::Struct { members, .. } => {
                    let name = ty.name.as_deref().unwrap_or_default();
                    layouts.structure(members, attributes.get(name).map(Vec::as_slice))
                }
                // WGSL's sizes and alignments of these are naga's.
                _ => continue,
            };
            layouts.all[handle.index()] = layout.map_err(|reason| NoTypeLayout { ty: handle, reason })?;
        }
        Ok(layouts)
    }

    pub(super) fn get(&self, ty: Handle<Type>) -> &TypeLayout {
        &self.all[ty.index()]
    }

    fn array(&self, base: Handle<Type>, size: ArraySize) -> Result<TypeLayout, String> {
        let element = self.get(base);
        let stride = round_up(element.size, element.alignment)?;
        let count = match size {
            ArraySize::Constant(count) => count.get(),
            ArraySize::Pending(_) | ArraySize::Dynamic => 1,
        };
        let size = stride.checked_mul(count).ok_or_else(too_large)?;
        Ok(TypeLayout { alignment: element.alignment, size, stride, offsets: Vec::new() })
    }

    fn structure(
        &self,
        members: &[naga::StructMember],
        attributes: Option<&[MemberAttributes]>,
    ) -> Result<TypeLayout, String> {
        let names = || members.iter().map(|member| member.name.as_deref().unwrap_or_default());
        let attributes = match attributes {
            Some(found) if names().eq(found.iter().map(|member| member.name.as_str())) => found,
            // naga makes structs of its own, for results of built-in functions.
            None => &[],
            Some(_) => return Err("its members are not found in the text".to_owned()),
        };

        let mut layout = TypeLayout { alignment: 1, ..TypeLayout::default() };
        for (index, member) in members.iter().enumerate() {
            let ty = self.get(member.ty);
            let written = attributes.get(index).cloned().unwrap_or_default();
            let name = member.name.as_deref().unwrap_or_default();
            // naga compares these with what it takes for the alignment and the size of the type.
            if let Some(align) = written.align.filter(|align| !align.is_multiple_of(ty.alignment)) {
                return Err(format!("@align({align}) of `{name}` is no multiple of its type's {}", ty.alignment));
            }
            if let Some(size) = written.size.filter(|size| *size < ty.size) {
                return Err(format!("@size({size}) of `{name}` is less than its type's {}", ty.size));
            }
            let alignment = written.align.unwrap_or(ty.alignment);
            let offset = round_up(layout.size, alignment)?;
            layout.offsets.push(offset);
            layout.size = offset.checked_add(written.size.unwrap_or(ty.size)).ok_or_else(too_large)?;
            layout.alignment = layout.alignment.max(alignment);
        }
        layout.size = round_up(layout.size, layout.alignment)?;
        Ok(layout)
    }

    /// The first part of a type that a uniform buffer may not hold where it stands.
    pub(super) fn misplaced_in_uniform(&self, module: &Module, ty: Handle<Type>, path: &str) -> Option<Misplaced> {
        let misplaced = |path: &str, reason: String| Some(Misplaced { path: path.to_owned(), reason });
        match &module.types[ty].inner {
            TypeInner::Array { base, .. } => {
                let stride = self.get(ty).stride;
                if !stride.is_multiple_of(UNIFORM_ALIGNMENT) {
                    return misplaced(
                        path,
                        format!(
                            "the elements of an array are a multiple of {UNIFORM_ALIGNMENT} bytes apart, these {stride}"
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
                        let reason = format!("{what} stands at a multiple of {required} bytes, this one at {offset}");
                        return misplaced(&path, reason);
                    }
                    let before = index.checked_sub(1).map(|before| (&members[before], offsets[before]));
                    if let Some((before, start)) = before.filter(|(before, _)| is_struct(module, before.ty)) {
                        let least = start.saturating_add(self.get(before.ty).size.next_multiple_of(UNIFORM_ALIGNMENT));
                        if offset < least {
                            let name = before.name.as_deref().unwrap_or_default();
                            let reason = format!(
                                "what follows the struct `{name}` stands at byte {least} or later, this member at {offset}"
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

    /// What a member is, for messages, and the alignment that a uniform buffer requires of it.
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

fn round_up(size: u32, alignment: u32) -> Result<u32, String> {
    size.checked_next_multiple_of(alignment.max(1)).ok_or_else(too_large)
}

fn too_large() -> String {
    "it is larger than 4 GiB".to_owned()
}
