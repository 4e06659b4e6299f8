//! Lays out blocks from reflection, and derives the strides from their types.
//!
//! Reflection states offsets, counts, and the size of the whole buffer. The distance between array
//! elements or matrix vectors depends on the buffer: they are in registers of 16 bytes, or tightly
//! packed.

use layoutproof_layout::{
    BitRange, BlockKind, BlockLayout, Component, Count, DECLARED, Extent, LaidOut, LaidOutMember, LaidOutShape,
    MatrixOrder, Reach, Refusals, ViewId,
};

use layoutproof_layout::listing::{ListingBudget, array_name, member_path};

const REGISTER_BYTES: u32 = 16;

/// Most levels of nested structs to read.
pub(super) const MOST_NESTED: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct ReflectedBlock {
    pub name: String,
    pub kind: BlockKind,
    /// Number of elements of an array of blocks.
    pub count: Count,
    pub root: ReflectedType,
    /// Size in bytes that the container states; `None` if it states the sizes of members instead.
    pub size: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct ReflectedType {
    pub base: ReflectedBase,
    /// Elements per dimension, outermost first; empty for a single value.
    pub counts: Vec<u32>,
}

/// A type that is not an array.
#[derive(Clone, Debug)]
pub(super) enum ReflectedBase {
    Scalar(Component),
    Vector {
        component: Component,
        length: u32,
    },
    Matrix {
        component: Component,
        rows: u32,
        columns: u32,
        order: MatrixOrder,
    },
    Struct {
        name: String,
        members: Vec<ReflectedMember>,
    },
    /// A description of a type that this reader does not know.
    Unknown(String),
}

#[derive(Clone, Debug)]
pub(super) struct ReflectedMember {
    pub name: String,
    pub is_base: bool,
    /// Bytes from the start of the enclosing struct.
    pub offset: u32,
    pub ty: ReflectedType,
    /// In bytes, if the container states it.
    pub size: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    /// Elements and vectors start at registers, as in constant buffers.
    Registers,
    /// Without gaps, as in structured buffers.
    Tight,
}

/// The layout of a block under the name `declared`; `None` if `budget` is spent.
pub(super) fn lay_out_reflected(block: ReflectedBlock, budget: &mut ListingBudget) -> Option<BlockLayout> {
    let ReflectedBlock { name, kind, count, root, size } = block;
    let is_structured = kind == BlockKind::StructuredElement;
    let packing = if is_structured { Packing::Tight } else { Packing::Registers };
    let mut measuring = Measuring { packing, refusals: Refusals::default(), budget };

    let laid_out = measuring.measure(&root, "")?;
    measuring.check_size("", size, laid_out.size);
    let refusals = measuring.refusals;
    let stride = laid_out.size.finite().filter(|_| is_structured);
    let result = if refusals.is_empty() { Ok(laid_out) } else { Err(refusals.into_vec()) };
    Some(BlockLayout {
        view: ViewId::default(),
        rules: DECLARED.into(),
        name,
        kind,
        reach: Reach::Parameter,
        has_global_members: false,
        count,
        result,
        stride,
        warnings: Vec::new(),
    })
}

struct Measuring<'a> {
    packing: Packing,
    refusals: Refusals,
    budget: &'a mut ListingBudget,
}

impl Measuring<'_> {
    /// The layout of the type at `path`.
    fn measure(&mut self, ty: &ReflectedType, path: &str) -> Option<LaidOut> {
        self.budget.spend(path.len())?;
        let mut laid_out = match &ty.base {
            ReflectedBase::Scalar(component) => of_vectors(*component, 1, LaidOutShape::Scalar(*component)),
            ReflectedBase::Vector { component, length } => {
                of_vectors(*component, *length, LaidOutShape::Vector { component: *component, length: *length })
            }
            ReflectedBase::Matrix { component, rows, columns, order } => {
                self.matrix(*component, *rows, *columns, *order)
            }
            ReflectedBase::Struct { name, members } => self.structure(name, members, path)?,
            ReflectedBase::Unknown(what) => {
                self.refusals.push(path, format!("has a type that is not understood: {what}"));
                let shape = LaidOutShape::Resource;
                LaidOut { type_name: what.clone(), size: Extent::Finite(0), alignment: 1, shape }
            }
        };

        for count in ty.counts.iter().rev() {
            laid_out = self.array(laid_out, *count);
        }
        self.budget.spend(laid_out.type_name.len())?;
        Some(laid_out)
    }

    fn structure(&mut self, name: &str, members: &[ReflectedMember], path: &str) -> Option<LaidOut> {
        let mut laid_out = Vec::new();
        let (mut end, mut alignment) = (0u32, 1);
        for member in members {
            let path = if member.is_base { path.to_owned() } else { member_path(path, &member.name) };
            let layout = self.measure(&member.ty, &path)?;
            self.check_size(&path, member.size, layout.size);
            end = end.max(member.offset.saturating_add(layout.size.finite().unwrap_or(0)));
            alignment = alignment.max(layout.alignment);
            laid_out.push(LaidOutMember {
                name: if member.is_base { String::new() } else { member.name.clone() },
                is_base: member.is_base,
                offset: member.offset,
                bits: storage_of_bits(member, &layout),
                layout,
            });
        }

        let (size, alignment) = match self.packing {
            Packing::Registers => (end, REGISTER_BYTES),
            Packing::Tight => (up_to(end, alignment), alignment),
        };
        let shape = LaidOutShape::Struct(laid_out);
        Some(LaidOut { type_name: name.to_owned(), size: Extent::Finite(size), alignment, shape })
    }

    fn matrix(&self, component: Component, rows: u32, columns: u32, order: MatrixOrder) -> LaidOut {
        let (vectors, length) = order.vectors_and_length(rows, columns);

        let vector = component.size.saturating_mul(length);
        let stride = self.stride(vector);
        let size = stride.saturating_mul(vectors.saturating_sub(1)).saturating_add(vector);
        let alignment = match self.packing {
            Packing::Registers if vectors > 1 => REGISTER_BYTES,
            Packing::Registers | Packing::Tight => component.size,
        };
        LaidOut {
            type_name: format!("{}{rows}x{columns}", component.scalar.spelling()),
            size: Extent::Finite(size),
            alignment,
            shape: LaidOutShape::Matrix { component, rows, columns, order, stride },
        }
    }

    fn array(&self, element: LaidOut, count: u32) -> LaidOut {
        let bytes = element.size.finite().unwrap_or(0);
        let stride = self.stride(bytes);
        let size = match count.checked_sub(1) {
            Some(before_last) => stride.saturating_mul(before_last).saturating_add(bytes),
            None => 0,
        };
        let count = Count::Finite(count);
        LaidOut {
            type_name: array_name(&element.type_name, count),
            size: Extent::Finite(size),
            alignment: match self.packing {
                Packing::Registers => REGISTER_BYTES,
                Packing::Tight => element.alignment,
            },
            shape: LaidOutShape::Array { element: Box::new(element), count, stride },
        }
    }

    /// Bytes from one value of this size to the next.
    fn stride(&self, size: u32) -> u32 {
        match self.packing {
            Packing::Registers => up_to(size, REGISTER_BYTES),
            Packing::Tight => size,
        }
    }

    /// Rejects a type whose size differs from the one that the container states: part of it was
    /// misunderstood.
    fn check_size(&mut self, path: &str, stated: Option<u32>, measured: Extent) {
        let (Some(stated), Some(measured)) = (stated, measured.finite()) else { return };
        if stated != measured && self.refusals.is_empty() {
            let message = format!("has {measured} bytes according to its types, but the container states {stated}");
            self.refusals.push(path, message);
        }
    }
}

/// The bits of a member without a name. It is the storage of bit-fields; reflection has no details
/// about them.
fn storage_of_bits(member: &ReflectedMember, layout: &LaidOut) -> Option<BitRange> {
    let bytes = layout.size.finite().filter(|_| member.name.is_empty() && !member.is_base)?;
    Some(BitRange { offset: 0, width: bytes.saturating_mul(8) })
}

fn of_vectors(component: Component, length: u32, shape: LaidOutShape) -> LaidOut {
    let spelling = component.scalar.spelling();
    LaidOut {
        type_name: match shape {
            LaidOutShape::Vector { .. } => format!("{spelling}{length}"),
            _ => spelling.to_owned(),
        },
        size: Extent::Finite(component.size.saturating_mul(length)),
        alignment: component.size,
        shape,
    }
}

fn up_to(bytes: u32, alignment: u32) -> u32 {
    bytes.checked_next_multiple_of(alignment).unwrap_or(u32::MAX)
}
