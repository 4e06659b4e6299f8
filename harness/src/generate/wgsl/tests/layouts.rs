//! Layouts written by hand, their leaves, and the module that the generator makes of them.

use crate::generate::wgsl::{NotExpressible, WgslModule, module};
use crate::layout::tree::LeafStep;
use crate::layout::{BlockLayout, Component, Extent, LaidOut, LaidOutMember, LaidOutShape, Leaf};
use crate::module::BlockKind;
use crate::naga_offsets::{compiled_offsets, spirv};
use crate::probe::{ProbeEntry, ProbePlan};
use crate::record::{Direction, Form, Space};
use crate::scalar::Scalar;
use crate::shape::{Count, MatrixOrder};

pub(super) const FLOAT: Component = Component { scalar: Scalar::Float32, size: 4 };
pub(super) const INT: Component = Component { scalar: Scalar::Int32, size: 4 };
pub(super) const UINT: Component = Component { scalar: Scalar::Uint32, size: 4 };

pub(super) fn laid(shape: LaidOutShape) -> LaidOut {
    LaidOut { type_name: String::new(), size: Extent::Finite(0), alignment: 1, shape }
}

pub(super) fn scalar(component: Component) -> LaidOut {
    laid(LaidOutShape::Scalar(component))
}

pub(super) fn vector(component: Component, length: u32) -> LaidOut {
    laid(LaidOutShape::Vector { component, length })
}

pub(super) fn matrix(rows: u32, columns: u32, order: MatrixOrder, stride: u32) -> LaidOut {
    laid(LaidOutShape::Matrix { component: FLOAT, rows, columns, order, stride })
}

pub(super) fn array(element: LaidOut, count: u32, stride: u32) -> LaidOut {
    laid(LaidOutShape::Array { element: Box::new(element), count: Count::Finite(count), stride })
}

pub(super) fn unsized_array(element: LaidOut, stride: u32) -> LaidOut {
    laid(LaidOutShape::Array { element: Box::new(element), count: Count::Unbounded, stride })
}

pub(super) fn member(name: &str, offset: u32, layout: LaidOut) -> LaidOutMember {
    LaidOutMember { name: name.to_owned(), is_base: name.is_empty(), offset, bits: None, layout }
}

pub(super) fn structure(members: Vec<LaidOutMember>) -> LaidOut {
    laid(LaidOutShape::Struct(members))
}

pub(super) fn block(rules: &str, laid_out: LaidOut) -> BlockLayout {
    BlockLayout {
        rules: rules.to_owned(),
        name: "B".to_owned(),
        kind: BlockKind::StorageBlock,
        count: Count::Finite(1),
        result: Ok(laid_out),
        stride: None,
        warnings: Vec::new(),
    }
}

/// Every leaf under `laid_out`; of an unsized array two elements.
pub(super) fn leaves(laid_out: &LaidOut, at: &Leaf) -> Vec<Leaf> {
    let part = |text: &str, step, offset, layout: &LaidOut| {
        let path = format!("{}{text}", at.path).trim_start_matches('.').to_owned();
        leaves(
            layout,
            &Leaf { path, steps: [&at.steps[..], &[step]].concat(), offset: at.offset + offset, ..at.clone() },
        )
    };
    match &laid_out.shape {
        LaidOutShape::Scalar(component) => vec![Leaf { component: *component, ..at.clone() }],
        LaidOutShape::Vector { component, length } => (0..*length)
            .flat_map(|i| {
                let name = [".x", ".y", ".z", ".w"][i as usize];
                part(name, LeafStep::Component(i), 4 * i, &scalar(*component))
            })
            .collect(),
        LaidOutShape::Matrix { component, rows, columns, order, stride } => (0..rows * columns)
            .flat_map(|i| {
                let (row, column) = (i / columns, i % columns);
                let offset = match order {
                    MatrixOrder::Row => row * stride + 4 * column,
                    MatrixOrder::Column => column * stride + 4 * row,
                };
                part(&format!("[{row}][{column}]"), LeafStep::Cell { row, column }, offset, &scalar(*component))
            })
            .collect(),
        LaidOutShape::Array { element, count, stride } => {
            let count = match count {
                Count::Finite(count) => *count,
                Count::Unbounded => 2,
            };
            (0..count).flat_map(|i| part(&format!("[{i}]"), LeafStep::Element(i), i * stride, element)).collect()
        }
        LaidOutShape::Struct(members) => (0..)
            .zip(members)
            .flat_map(|(i, m)| part(&format!(".{}", m.name), LeafStep::Member(i), m.offset, &m.layout))
            .collect(),
        LaidOutShape::Pointer | LaidOutShape::Resource => Vec::new(),
    }
}

pub(super) fn all_leaves(laid_out: &LaidOut) -> Vec<Leaf> {
    leaves(laid_out, &Leaf { path: String::new(), steps: Vec::new(), component: UINT, offset: 0 })
}

pub(super) fn entry(space: Space, direction: Direction, forms: &[Form]) -> ProbeEntry {
    ProbeEntry { name: "probe".to_owned(), space, direction, forms: forms.to_vec() }
}

pub(super) const READ: [Form; 3] = [Form::Leaf, Form::Vector, Form::Whole];

pub(super) fn generate(rules: &str, laid_out: &LaidOut, entry: &ProbeEntry) -> Result<WgslModule, NotExpressible> {
    let plan = ProbePlan { leaves: all_leaves(laid_out), not_probed: Vec::new(), entries: vec![entry.clone()] };
    module(&block(rules, laid_out.clone()), &plan, entry)
}

/// Offsets that naga gives the leaves, after its SPIR-V writer took the module too.
pub(super) fn naga_offsets(module: &WgslModule) -> Vec<u32> {
    spirv(module).unwrap();
    compiled_offsets(module).unwrap().into_iter().map(|offset| offset.expect("every leaf has a place")).collect()
}
