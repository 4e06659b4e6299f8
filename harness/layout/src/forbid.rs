//! Finds the parts of a block that a rule set forbids, and the reasons.
//!
//! [`declared`] checks one declared type at a time; [`placed`] checks offsets and strides after the
//! walk. Both add reasons and continue, so that the user sees all of them.
//!
//! Source: WGSL, Host-shareable Types and Address Space Layout Constraints; measured with DXC
//! 1.7.2308.

use super::alignment::Alignment;
use super::rules::{Forbid, RuleSet};
use super::tree::{Extent, LaidOut, LaidOutMember, LaidOutShape, Refusals};
use super::walk_state::WalkState;
use crate::scalar::Scalar;
use crate::shape::{Count, MatrixOrder, Type};

/// Adds the reasons against a declared type, at the walk's current path.
pub(super) fn declared(walk: &mut WalkState<'_>, ty: &Type) {
    for forbid in walk.rules.forbids {
        let reason = match forbid {
            Forbid::NotWgsl => not_wgsl(walk, ty),
            Forbid::Unsized => {
                matches!(ty, Type::Array { count: Count::Unbounded, .. }).then(|| "has no length".to_owned())
            }
            Forbid::Pointers => matches!(ty, Type::Pointer { .. }).then(|| "is a pointer".to_owned()),
            Forbid::LongVectors => ty.is_long_vector().then(|| "is a vector of more than four components".to_owned()),
            Forbid::ColumnMajorIntegers => column_major_integers(walk, ty),
            Forbid::WgslUniform | Forbid::VkOffsetInCbuffer => None,
        };

        if let Some(reason) = reason {
            walk.refuse(format!("{reason}, which {} does not allow", walk.rules.name));
        }
    }
}

/// Adds the reason against a bit-field, at the walk's current path.
pub(super) fn bit_field(walk: &mut WalkState<'_>) {
    if walk.rules.forbids.contains(&Forbid::NotWgsl) {
        walk.refuse(format!("is a bit-field, which {} does not allow", walk.rules.name));
    }
}

fn not_wgsl(walk: &WalkState<'_>, ty: &Type) -> Option<String> {
    let reason = match ty {
        Type::Vector { length: 1, .. } => "is a vector of one component",
        Type::Matrix { rows, columns, .. } if *rows == 1 || *columns == 1 => "is a matrix with one row or column",
        Type::Matrix { scalar, .. } if !scalar.is_float() => "is a matrix of integers",
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
            return scalar_not_wgsl(walk, *scalar);
        }
        Type::Enum(ty) => return scalar_not_wgsl(walk, ty.underlying),
        Type::Array { count: Count::Finite(0), .. } => "is an array without elements",
        Type::Struct(ty) if ty.members.is_empty() && ty.base.is_none() => "is an empty struct",
        Type::Pointer { .. } => "is a pointer",
        Type::Array { .. } | Type::Struct(_) | Type::Resource(_) | Type::Handle { .. } | Type::Interface { .. } => {
            return None;
        }
    };
    Some(reason.to_owned())
}

fn scalar_not_wgsl(walk: &WalkState<'_>, scalar: Scalar) -> Option<String> {
    let size = scalar.size(walk.options.sixteen_bit, walk.rules.bool_size);
    let known = scalar != Scalar::Bool && (size == 4 || (size == 2 && scalar.is_float()));
    (!known).then(|| format!("is made of {}", scalar.spelling()))
}

fn column_major_integers(walk: &WalkState<'_>, ty: &Type) -> Option<String> {
    let Type::Matrix { scalar, rows, columns, order } = ty else { return None };
    let column_major = order.unwrap_or(walk.options.matrix) == MatrixOrder::Column;
    let matrix = *rows > 1 && *columns > 1;
    (column_major && matrix && !scalar.is_float()).then(|| format!("is a column-major matrix of {}", scalar.spelling()))
}

/// The reasons against the offsets and strides of a laid-out block.
pub(super) fn placed(rules: &RuleSet, root: &LaidOut) -> Refusals {
    let mut check = UniformCheck { rules: rules.name, refusals: Refusals::default() };
    if rules.forbids.contains(&Forbid::WgslUniform) {
        check.visit("", root);
    }
    check.refusals
}

/// The constraints of WGSL's uniform address space (WGSL, Address Space Layout Constraints).
#[derive(Debug)]
struct UniformCheck {
    rules: &'static str,
    refusals: Refusals,
}

impl UniformCheck {
    fn visit(&mut self, path: &str, layout: &LaidOut) {
        match &layout.shape {
            LaidOutShape::Array { element, stride, .. } => {
                if !Alignment::REGISTER.divides(*stride) {
                    let message = format!("has array stride {stride}, but {} requires a multiple of 16", self.rules);
                    self.refusals.push(path, message);
                }
                self.visit(&format!("{path}[]"), element);
            }
            LaidOutShape::Struct(members) => self.visit_struct(path, members),
            _ => {}
        }
    }

    fn visit_struct(&mut self, path: &str, members: &[LaidOutMember]) {
        let mut struct_end = 0;
        for member in members {
            let path = super::views::join(path, &member.name);
            let LaidOutMember { offset, layout, .. } = member;

            if *offset < struct_end {
                let message = format!("is at offset {offset} after a struct, but {} requires {struct_end}", self.rules);
                self.refusals.push(&path, message);
            }
            let aggregate = matches!(layout.shape, LaidOutShape::Struct(_) | LaidOutShape::Array { .. });
            if aggregate && !Alignment::REGISTER.divides(*offset) {
                let message = format!("is at offset {offset}, but {} requires a multiple of 16", self.rules);
                self.refusals.push(&path, message);
            }

            struct_end = match (&layout.shape, layout.size) {
                (LaidOutShape::Struct(_), Extent::Finite(size)) => (offset + size).next_multiple_of(16),
                _ => 0,
            };
            self.visit(&path, layout);
        }
    }
}
