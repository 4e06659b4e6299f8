//! Reads the numbers that a compiler reports for a block, in its listing, reflection or
//! decorations. The compiler's code is a separate witness, which `layoutproof-core` compares.

use layoutproof_device::Shader;
use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockKind, BlockLayout, LaidOut, LaidOutMember, LaidOutShape, Numbers, Quantity};

use crate::dxil::{ListedBuffer, buffer_definitions};
use crate::reflection::layout_numbers;
use crate::spirv::declared;
use crate::toolchain::{CompiledShader, Report};
use crate::{ReadError, clang_ir, fxc};

/// The numbers in the report of `made` for the block of `layout`; empty if it does not mention the
/// block.
pub fn reported(made: &CompiledShader, layout: &BlockLayout) -> Result<Numbers, ReadError> {
    match (&made.report, &made.shader) {
        (Report::Listing(listing), _) => Ok(listed(&buffer_definitions(listing)?, layout)),
        (Report::FxcListing(listing), _) => Ok(listed(&fxc::buffer_definitions(listing)?, layout)),
        (Report::SlangJson(json), _) => Ok(layout_numbers(json, &layout.name)?),
        (Report::None, Shader::Spirv(words)) => decorated(words, layout),
        (Report::None, Shader::ClangIr(text)) => Ok(clang_ir::reported(text, layout)?),
        (Report::None, _) => Ok(Numbers::default()),
    }
}

fn listed(buffers: &[ListedBuffer], layout: &BlockLayout) -> Numbers {
    let own = buffers.iter().find(|buffer| buffer.name == layout.name);
    let numbers = own.map(|buffer| {
        let members = without_own_name(&buffer.members, &layout.name);
        Numbers::of_report(&layout.name, buffer.size, &members)
    });
    let numbers = numbers.unwrap_or_default();
    // The paths of a long vector's components would look like those of a buffer's elements.
    let elements = layout.kind == BlockKind::StructuredElement && !has_array_elements(layout);
    if elements { numbers.of_elements(&layout.name) } else { numbers }
}

/// True for a buffer whose elements are laid out as arrays, which are long vectors.
fn has_array_elements(layout: &BlockLayout) -> bool {
    let Ok(LaidOut { shape: LaidOutShape::Array { element, count, .. }, .. }) = &layout.result else { return false };
    *count != Count::Unbounded || matches!(element.shape, LaidOutShape::Array { .. })
}

/// The members of a `ConstantBuffer<T> cb`. Listings have a single member `cb` that contains those
/// of `T`.
fn without_own_name(members: &[(String, u32)], buffer: &str) -> Vec<(String, u32)> {
    let inside = |(path, offset): &(String, u32)| {
        let below = path.strip_prefix(buffer)?.strip_prefix('.')?;
        Some((below.to_owned(), *offset))
    };
    let inner = match members.split_last() {
        Some(((last, _), others)) if last == buffer && !others.is_empty() => others.iter().map(inside).collect(),
        Some(_) | None => None,
    };
    inner.unwrap_or_else(|| members.to_vec())
}

/// The numbers in a module's decorations for the block whose variable has the name of `layout`.
fn decorated(words: &[u32], layout: &BlockLayout) -> Result<Numbers, ReadError> {
    let blocks = declared(words)?;
    let Some(own) = blocks.into_iter().find(|block| block.layout.name == layout.name) else {
        return Ok(Numbers::default());
    };
    let Ok(root) = own.layout.result else { return Ok(Numbers::default()) };

    let (root, stride) = if layout.kind == BlockKind::StructuredElement { element(root) } else { (root, None) };
    let declared = BlockLayout { result: Ok(as_declared(root)), stride, ..layout.clone() };
    let stated = Numbers::of_layouts(&[declared]);

    let mut numbers = Numbers::default();
    // Sizes and alignments are not decorations.
    let offsets = stated.iter().filter(|(what, _, _)| matches!(what, Quantity::Offset | Quantity::ArrayStride));
    offsets.for_each(|(what, path, value)| numbers.add(what, path, Some(value)));
    // A matrix of integers is an array of vectors in SPIR-V, whose stride is also listed under the
    // buffer's name.
    numbers.add(Quantity::ArrayStride, &layout.name, stride);
    Ok(numbers)
}

/// The element of a structured buffer and its stride. In SPIR-V it is the only member of its block.
fn element(root: LaidOut) -> (LaidOut, Option<u32>) {
    match &root.shape {
        LaidOutShape::Struct(members) => match &members[..] {
            [LaidOutMember { layout: LaidOut { shape: LaidOutShape::Array { element, stride, .. }, .. }, .. }] => {
                (LaidOut::clone(element), Some(*stride))
            }
            _ => (root, None),
        },
        _ => (root, None),
    }
}

/// The layout with matrices as HLSL and Slang declare them: their rows are SPIR-V's columns.
fn as_declared(laid_out: LaidOut) -> LaidOut {
    let shape = match laid_out.shape {
        LaidOutShape::Matrix { component, rows, columns, order, stride } => {
            LaidOutShape::Matrix { component, rows: columns, columns: rows, order: order.transposed(), stride }
        }
        LaidOutShape::Array { element, count, stride } => {
            LaidOutShape::Array { element: Box::new(as_declared(*element)), count, stride }
        }
        LaidOutShape::Struct(members) => {
            let members = members.into_iter();
            let turned = members.map(|member| LaidOutMember { layout: as_declared(member.layout), ..member });
            LaidOutShape::Struct(turned.collect())
        }
        shape @ (LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource) => shape,
    };
    LaidOut { shape, ..laid_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(members: &[(&str, u32)]) -> Vec<(String, u32)> {
        members.iter().map(|(path, offset)| ((*path).to_owned(), *offset)).collect()
    }

    /// The form in which DXC 1.7.2308 and FXC 10.0.22621.2428 list `struct T { float3 a; float b;
    /// }; ConstantBuffer<T> cb;`.
    #[test]
    fn the_members_of_a_constant_buffer_stand_below_its_name() {
        let listed = told(&[("cb.a", 0), ("cb.b", 12), ("cb", 0)]);
        assert_eq!(without_own_name(&listed, "cb"), told(&[("a", 0), ("b", 12)]));
    }

    #[test]
    fn other_members_keep_their_names() {
        for listed in [told(&[("a", 0), ("cb", 4)]), told(&[("cb.a", 4), ("cb", 4), ("b", 8)]), told(&[("cb", 0)])] {
            assert_eq!(without_own_name(&listed, "cb"), listed);
        }
    }
}
