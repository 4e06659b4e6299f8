//! The memory of stages that no descriptor names: payloads, attributes, workgroup variables, and captured outputs.
//!
//! Variables of most of these storage classes have no explicit layout (SPIR-V specification, "Shader Validation"), so their
//! blocks have a reason in place of offsets. `PerTaskNV` members and captured outputs have offsets.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{
    BlockKind, BlockLayout, DECLARED, Extent, LaidOut, LaidOutMember, LaidOutShape, Reach, StageData, ViewId,
};
use rspirv::dr::Module;
use rspirv::spirv::{Decoration, StorageClass, Word};

use super::declared::{DeclaredBlock, DeclaredReader, VariableBlock, element, in_order, scalar, sized};
use super::decorations::Decorations;
use super::types::{SpirvType, SpirvTypes, SpirvVariable};
use layoutproof_layout::listing::array_name;

/// The variables of stages, in declaration order; a payload of one type is there once. Workgroup variables that are no
/// structs have nothing to lay out.
pub(super) fn in_stages(
    module: &Module,
    types: &SpirvTypes,
    decorations: &Decorations,
) -> Vec<(SpirvVariable, VariableBlock)> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for variable in in_order(module, types) {
        let (element, count) = element(types, variable.pointee);
        let SpirvType::Struct(members) = types.get(element) else {
            if let Some(data) = stage_data(variable.class).filter(|data| *data != StageData::WorkgroupMemory) {
                found.push(block(variable, element, count, data));
            }
            continue;
        };
        let is_of_task =
            (0..).zip(members).any(|(index, _)| decorations.member_has(element, index, Decoration::PerTaskNV));
        let data = match variable.class {
            StorageClass::Input | StorageClass::Output if is_of_task => Some(StageData::MeshPayload),
            // A block with an explicit layout, which is listed as such.
            StorageClass::Workgroup if types.blocks.contains(&element) => None,
            class => stage_data(class),
        };
        match data {
            Some(StageData::WorkgroupMemory) => {
                found.push(block(variable, element, count, StageData::WorkgroupMemory));
            }
            // Functions know these by their types: stages name the variables as they like.
            Some(data) if seen.insert((element, <&str>::from(data))) => {
                let has_name = types.names.get(&element).is_some_and(|name| !name.is_empty());
                let name = if has_name { None } else { variable.name.clone() };
                found.push(block(&SpirvVariable { name, ..variable.clone() }, element, count, data));
            }
            Some(_) | None => {}
        }
    }
    found
}

fn block(variable: &SpirvVariable, element: Word, count: Count, data: StageData) -> (SpirvVariable, VariableBlock) {
    let kind = match data {
        StageData::WorkgroupMemory => BlockKind::Workgroup,
        _ => BlockKind::StageData,
    };
    (variable.clone(), VariableBlock { element, count, kind, reach: Reach::Stage(data) })
}

fn stage_data(class: StorageClass) -> Option<StageData> {
    match class {
        StorageClass::RayPayloadKHR | StorageClass::IncomingRayPayloadKHR => Some(StageData::RayPayload),
        StorageClass::HitAttributeKHR | StorageClass::HitObjectAttributeNV | StorageClass::HitObjectAttributeEXT => {
            Some(StageData::HitAttributes)
        }
        StorageClass::CallableDataKHR | StorageClass::IncomingCallableDataKHR => Some(StageData::CallableData),
        StorageClass::TaskPayloadWorkgroupEXT => Some(StageData::MeshPayload),
        StorageClass::Workgroup => Some(StageData::WorkgroupMemory),
        _ => None,
    }
}

/// The bytes of all scalars in a type; `None` if one has no size, such as a `bool`. The depth of types is limited.
pub(super) fn bytes_of_values(types: &SpirvTypes, ty: Word) -> Option<u64> {
    match types.get(ty) {
        SpirvType::Int { bits, .. } | SpirvType::Float { bits } => Some(u64::from(bits / 8)),
        SpirvType::Vector { component: part, length: count }
        | SpirvType::Matrix { column: part, columns: count }
        | SpirvType::Array { element: part, length: count, .. } => {
            bytes_of_values(types, *part)?.checked_mul((*count).into())
        }
        SpirvType::Struct(members) => {
            members.iter().try_fold(0_u64, |sum, member| sum.checked_add(bytes_of_values(types, member.ty)?))
        }
        SpirvType::Void
        | SpirvType::Bool
        | SpirvType::RuntimeArray { .. }
        | SpirvType::Pointer { .. }
        | SpirvType::UntypedPointer { .. }
        | SpirvType::Other => None,
    }
}

/// The outputs that stages write to buffers, a block for each buffer; `None` in it if the listing is too long.
///
/// Source: SPIR-V specification, `XfbBuffer`, `XfbStride`, `Offset`: each member is where its own offset says.
pub(super) fn captures(decorations: &Decorations, reader: &mut DeclaredReader<'_>) -> Vec<Option<DeclaredBlock>> {
    let mut buffers: BTreeMap<u32, Capture> = BTreeMap::new();
    let types = reader.types;
    for (id, variable) in types.variables.iter().filter(|(_, variable)| variable.class == StorageClass::Output) {
        let own = |decoration| decorations.number(*id, decoration);
        let (element, _) = element(types, variable.pointee);
        let members = match types.get(element) {
            SpirvType::Struct(members) if variable.offset.is_none() => members.as_slice(),
            _ => &[],
        };
        for (index, member) in (0..).zip(members) {
            let of_member = |decoration| decorations.member_number(element, index, decoration);
            let number = |decoration| of_member(decoration).or(own(decoration));
            let (Some(buffer), Some(offset)) = (number(Decoration::XfbBuffer), of_member(Decoration::Offset)) else {
                continue;
            };
            let name = member.name.clone().unwrap_or_else(|| format!("_{index}"));
            let block = variable.name.as_ref().or_else(|| types.names.get(&element)).cloned();
            let member = Captured { offset, name, block, ty: member.ty };
            buffers.entry(buffer).or_default().add(member, number(Decoration::XfbStride));
        }
        if let (Some(buffer), Some(offset)) = (own(Decoration::XfbBuffer), variable.offset) {
            let name = variable.name.clone().unwrap_or_else(|| format!("_{id}"));
            let member = Captured { offset, name, block: None, ty: variable.pointee };
            buffers.entry(buffer).or_default().add(member, own(Decoration::XfbStride));
        }
    }
    buffers.into_iter().map(|(buffer, capture)| capture.lay_out(buffer, reader)).collect()
}

/// The outputs that one buffer captures.
#[derive(Default)]
struct Capture {
    stride: Option<u32>,
    members: Vec<Captured>,
}

struct Captured {
    offset: u32,
    name: String,
    /// The block that it is a member of.
    block: Option<String>,
    ty: Word,
}

impl Capture {
    fn add(&mut self, member: Captured, stride: Option<u32>) {
        self.members.push(member);
        self.stride = self.stride.or(stride);
    }

    fn lay_out(mut self, buffer: u32, reader: &mut DeclaredReader<'_>) -> Option<DeclaredBlock> {
        self.members.sort_by_key(|member| member.offset);
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut members = Vec::new();
        for Captured { offset, name, block, ty } in self.members {
            // Two blocks may have members of one name.
            let long = block.map(|block| format!("{block}_{name}"));
            let name = if names.contains(&name) { long.unwrap_or(name) } else { name };
            reader.spend(&name)?;
            let layout = reader.packed(ty, &name)?;
            names.insert(name.clone());
            members.push(LaidOutMember { name, is_base: false, offset, bits: None, layout });
        }
        let end = |member: &LaidOutMember| member.offset.saturating_add(member.layout.size.finite().unwrap_or(0));
        let end = members.iter().map(end).max().unwrap_or(0);
        let name = format!("xfb_buffer_{buffer}");
        let laid_out = LaidOut {
            type_name: name.clone(),
            // The buffer holds one after another.
            size: Extent::Finite(self.stride.map_or(end, |stride| end.max(stride))),
            alignment: members.iter().map(|member| member.layout.alignment).max().unwrap_or(1),
            shape: LaidOutShape::Struct(members),
        };
        let refusals = reader.take_refusals();
        let layout = BlockLayout {
            rules: DECLARED.into(),
            view: ViewId::default(),
            name,
            kind: BlockKind::StageData,
            reach: Reach::Stage(StageData::TransformFeedback),
            has_global_members: false,
            count: Count::Finite(1),
            result: if refusals.is_empty() { Ok(laid_out) } else { Err(refusals.into_vec()) },
            stride: self.stride,
            warnings: Vec::new(),
        };
        Some(DeclaredBlock { layout, set: None, binding: None, specialized: Vec::new() })
    }
}

impl DeclaredReader<'_> {
    /// A type as it is captured: without padding, but structs with 64-bit components are aligned to 8 bytes, those with
    /// 32-bit ones to 4.
    ///
    /// Source: GLSL 4.60, 4.4.2.1 Transform Feedback Layout Qualifiers; the strides that glslang 16.6.0 computes.
    fn packed(&mut self, ty: Word, path: &str) -> Option<LaidOut> {
        self.spend(path)?;
        Some(match self.types.get(ty).clone() {
            SpirvType::Vector { component, length } => {
                let component = self.component(component, path);
                let name = format!("{}{length}", component.scalar.spelling());
                let vector = scalar(component, name, LaidOutShape::Vector { component, length });
                sized(component.size.saturating_mul(length), vector)
            }
            SpirvType::Matrix { column, columns } => {
                let SpirvType::Vector { component, length: rows } = *self.types.get(column) else { return None };
                let component = self.component(component, path);
                let stride = component.size.saturating_mul(rows);
                let shape = LaidOutShape::Matrix { component, rows, columns, order: MatrixOrder::Column, stride };
                let name = format!("{}{rows}x{columns}", component.scalar.spelling());
                sized(stride.saturating_mul(columns), scalar(component, name, shape))
            }
            SpirvType::Array { element, length, .. } => {
                let element = self.packed(element, &format!("{path}[]"))?;
                let stride = element.size.finite().unwrap_or(0);
                LaidOut {
                    type_name: array_name(&element.type_name, Count::Finite(length)),
                    size: Extent::Finite(stride.saturating_mul(length)),
                    alignment: element.alignment,
                    shape: LaidOutShape::Array { element: Box::new(element), count: Count::Finite(length), stride },
                }
            }
            SpirvType::Struct(members) => {
                let (mut end, mut alignment, mut laid_out) = (0_u32, 1_u32, Vec::new());
                for (index, member) in members.iter().enumerate() {
                    let name = member.name.clone().unwrap_or_else(|| format!("_{index}"));
                    let layout = self.packed(member.ty, &format!("{path}.{name}"))?;
                    let offset = end.checked_next_multiple_of(layout.alignment).unwrap_or(u32::MAX);
                    end = offset.saturating_add(layout.size.finite().unwrap_or(0));
                    alignment = alignment.max(layout.alignment);
                    laid_out.push(LaidOutMember { name, is_base: false, offset, bits: None, layout });
                }
                let name = self.types.names.get(&ty).filter(|name| !name.is_empty());
                LaidOut {
                    type_name: name.map_or("struct", |name| name).into(),
                    size: Extent::Finite(end.checked_next_multiple_of(alignment).unwrap_or(u32::MAX)),
                    alignment,
                    shape: LaidOutShape::Struct(laid_out),
                }
            }
            _ => {
                let component = self.component(ty, path);
                scalar(component, component.scalar.spelling().into(), LaidOutShape::Scalar(component))
            }
        })
    }
}
