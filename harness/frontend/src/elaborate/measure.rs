//! Measures the minimum size of a type. Refuses types that are too large or too deep before
//! anything else walks over them.

use std::collections::HashMap;
use std::sync::Arc;

use layoutproof_layout::Span;
use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::{Count, StructType, Type};

use super::Elaborator;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Maximum size of a block in bytes, under any rules.
const LARGEST: u64 = 1 << 31;
/// Maximum number of listed members of a block. Counts members of nested structs, and an array's element once.
const MOST_MEMBERS: u64 = 1 << 16;
/// Maximum size of the listing of one block's members, and of all blocks together, in bytes. See
/// [`TypeMeasure::listed`].
pub(crate) const LONGEST_LISTING: u64 = 1 << 23;
/// Bytes that a member adds to a listing, in addition to its path and the name of its type.
const MEMBER: u64 = 64;
/// Maximum nesting depth of a type. Arrays, structs and resource elements count one each.
const DEEPEST: u32 = 64;

/// Facts about a type that hold under every rule set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypeMeasure {
    /// Size of its scalars without padding.
    bytes: u64,
    members: u64,
    /// Total length of its members' paths and type names, in bytes.
    names: u64,
    pub(super) depth: u32,
    /// True if it ends in an unsized array of data or resources.
    pub(super) unbounded: bool,
    /// True if it contains ordinary data, or nothing at all.
    pub(crate) data: bool,
    pub(crate) resources: bool,
}

impl TypeMeasure {
    fn leaf(bytes: u64) -> Self {
        Self { bytes, members: 1, depth: 1, data: true, ..Self::default() }
    }

    /// Estimates the size of the members' listing in bytes. Long names repeat in each path and for
    /// each use of a type, so a short source can have a long listing.
    pub(crate) fn listed(self) -> u64 {
        self.members.saturating_mul(MEMBER).saturating_add(self.names)
    }
}

#[derive(Debug, Default)]
pub(crate) struct TypeMeasures {
    structs: HashMap<*const StructType, TypeMeasure>,
    /// Keeps the structs alive, so that no address is reused.
    kept: Vec<Arc<StructType>>,
}

impl TypeMeasures {
    pub(crate) fn of(&self, ty: &Type) -> TypeMeasure {
        // The smallest possible sizes, so that nothing is refused that some rule set could lay out.
        let bytes = |scalar: Scalar| u64::from(scalar.size(SixteenBit::On, 1));
        match ty {
            Type::Scalar(scalar) => TypeMeasure::leaf(bytes(*scalar)),
            Type::Vector { scalar, length } => TypeMeasure::leaf(bytes(*scalar) * u64::from(*length)),
            Type::Matrix { scalar, rows, columns, .. } => {
                TypeMeasure::leaf(bytes(*scalar) * u64::from(*rows) * u64::from(*columns))
            }
            Type::Array { element, count } => {
                let element = self.of(element);
                let (times, unbounded) = match count {
                    Count::Finite(times) => (u64::from(*times), element.unbounded),
                    Count::Unbounded => (1, true),
                };
                TypeMeasure {
                    bytes: element.bytes.saturating_mul(times),
                    depth: element.depth + 1,
                    unbounded,
                    ..element
                }
            }
            Type::Struct(ty) => self.structs.get(&Arc::as_ptr(ty)).copied().unwrap_or_else(|| self.total(ty)),
            Type::Enum(ty) => TypeMeasure { names: length(&ty.name), ..TypeMeasure::leaf(bytes(ty.underlying)) },
            // A pointer takes no bytes in D3D constant buffers.
            Type::Pointer { pointee, .. } => TypeMeasure { names: length(pointee), ..TypeMeasure::leaf(0) },
            Type::Handle { resource } => TypeMeasure { names: length(&resource.to_string()), ..TypeMeasure::leaf(8) },
            Type::Interface { name, any_value_size } => {
                TypeMeasure { names: length(name), ..TypeMeasure::leaf(u64::from(*any_value_size) + 16) }
            }
            Type::Resource(resource) => {
                let depth = resource.element.as_ref().map_or(0, |element| self.of(element).depth);
                TypeMeasure { members: 1, depth: depth + 1, resources: true, ..TypeMeasure::default() }
            }
        }
    }

    /// Sums up the members.
    fn total(&self, ty: &StructType) -> TypeMeasure {
        let base = ty.base.as_ref().map(|base| self.of(&Type::Struct(Arc::clone(base))));
        let members = ty.members.iter().map(|member| {
            let measure = self.of(&member.ty);
            // The path of every nested member begins with this member's name and a full stop.
            let paths = (length(&member.name) + 1).saturating_mul(measure.members);
            TypeMeasure { names: measure.names.saturating_add(paths), ..measure }
        });

        let parts: Vec<TypeMeasure> = base.into_iter().chain(members).collect();
        TypeMeasure {
            bytes: parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes)),
            members: parts.iter().fold(1, |sum, part| sum.saturating_add(part.members)),
            names: parts.iter().fold(length(&ty.name), |sum, part| sum.saturating_add(part.names)),
            depth: 1 + parts.iter().map(|part| part.depth).max().unwrap_or(0),
            unbounded: parts.last().is_some_and(|part| part.unbounded),
            data: parts.is_empty() || parts.iter().any(|part| part.data),
            resources: parts.iter().any(|part| part.resources),
        }
    }
}

fn length(name: &str) -> u64 {
    u64::try_from(name.len()).unwrap_or(u64::MAX)
}

impl Elaborator<'_> {
    pub(super) fn measure(&self, ty: &Type) -> TypeMeasure {
        self.measures.of(ty)
    }

    /// Stores the measure of a struct, and refuses the struct if it is too large.
    pub(super) fn measure_struct(&mut self, ty: &Arc<StructType>, span: Span) -> Option<()> {
        let total = self.measures.total(ty);
        self.measures.structs.insert(Arc::as_ptr(ty), total);
        self.measures.kept.push(Arc::clone(ty));
        self.check_measure(total, span)
    }

    /// Refuses a type that is too large to be laid out.
    pub(super) fn check_size(&mut self, ty: &Type, span: Span) -> Option<()> {
        let measure = self.measure(ty);
        self.check_measure(measure, span)
    }

    fn check_measure(&mut self, measure: TypeMeasure, span: Span) -> Option<()> {
        let problem = if measure.bytes > LARGEST {
            let bytes = measure.bytes;
            Diagnostic::error(Code::TooLarge, span, format!("this takes at least {bytes} bytes, more than 2^31"))
        } else if measure.members > MOST_MEMBERS {
            let members = measure.members;
            Diagnostic::error(Code::TooLarge, span, format!("this has {members} members at all depths, more than 2^16"))
        } else if measure.listed() > LONGEST_LISTING {
            let message = format!("its members and their names take more than {LONGEST_LISTING} bytes to list");
            Diagnostic::error(Code::TooLarge, span, message)
        } else if measure.depth > DEEPEST {
            Diagnostic::error(Code::TooDeep, span, format!("this type nests more than {DEEPEST} levels deep"))
        } else {
            return Some(());
        };

        self.problems.refuse(problem)
    }
}
