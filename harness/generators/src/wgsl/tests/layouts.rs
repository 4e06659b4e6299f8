//! Hand-written layouts, their leaves, and the modules that the generator makes from them.

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{
    BlockKind, BlockLayout, Component, Extent, LaidOut, LaidOutMember, LaidOutShape, Reach, ViewId,
};

use crate::wgsl::{NotExpressible, UniformLayout, module};
use layoutproof_probes::{AddressSpace, Direction, Form, ProbeEntry, ProbePlan, Stage};
use layoutproof_readers::naga_offsets::{NagaError, NagaShader};
use layoutproof_readers::wgsl_probe::WgslProbe;

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
        view: ViewId::default(),
        rules: rules.to_owned(),
        name: "B".to_owned(),
        kind: BlockKind::StorageBlock,
        reach: Reach::Parameter,
        has_global_members: false,
        count: Count::Finite(1),
        result: Ok(laid_out),
        stride: None,
        warnings: Vec::new(),
    }
}

pub(super) fn entry(space: AddressSpace, direction: Direction, forms: &[Form]) -> ProbeEntry {
    ProbeEntry { name: "probe".to_owned(), space, stage: Stage::Compute, direction, forms: forms.to_vec() }
}

pub(super) const READ: [Form; 4] = [Form::Leaf, Form::Vector, Form::Whole, Form::Indexed];

/// The forms with constant indices. naga 30.0.1 panics where the index of a two-row matrix in a uniform block is none.
pub(super) const READ_BY_CONSTANTS: [Form; 3] = [Form::Leaf, Form::Vector, Form::Whole];

pub(super) fn generate(rules: &str, laid_out: &LaidOut, entry: &ProbeEntry) -> Result<WgslProbe, NotExpressible> {
    let block = block(rules, laid_out.clone());
    let plan = ProbePlan { leaves: block.leaves(), not_probed: Vec::new(), entries: vec![entry.clone()] };
    module(&block, &plan, entry, UniformLayout::Constrained)
}

/// Compiles `module` to SPIR-V with naga.
pub(super) fn spirv(module: &WgslProbe) -> Result<Vec<u32>, NagaError> {
    NagaShader::read(module)?.spirv()
}

/// Returns naga's offsets of the leaves, after its SPIR-V writer accepted the module too.
pub(super) fn naga_offsets(module: &WgslProbe) -> Vec<u32> {
    let shader = NagaShader::read(module).unwrap();
    shader.spirv().unwrap();
    shader.offsets().into_iter().map(|offset| offset.expect("every leaf has a place")).collect()
}
