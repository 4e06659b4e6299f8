//! The parts of DXIL that plain LLVM lacks: its operations (`dx.op.*`), which load from and store to
//! resources, and the handles that name them.
//!
//! Source: DirectX Intermediate Language (`DXIL.rst` of `DirectXShaderCompiler`), "DXIL operations",
//! and "Metadata", Resources.

use half::f16;
use layoutproof_device::ResourceClass;
use layoutproof_layout::StageData;

use super::ir_error::IrError;
use super::memory::{Memory, RegisterSite};
use super::module::Metadata;
use super::reader::Token;
use super::value::{AddressedObject, Handle, IndexUnit, Pointer, Value};

/// Number of components that a store has as operands; its mask selects those to write.
const COMPONENTS: usize = 4;

/// The most components of a vector that is loaded or stored whole: the longest of shader model 6.9.
const MOST_COMPONENTS: u64 = 1024;

/// Bytes of a register of a constant or texture buffer.
pub(super) const REGISTER: u64 = 16;

/// Bytes of a component of a typed load.
const WORD: u64 = 4;

pub(super) const KIND_STRUCTURED: u64 = 12;

pub(super) const KIND_CBUFFER: u64 = 13;

pub(super) const KIND_TBUFFER: u64 = 15;

/// The bit of a handle's properties that writable resources have.
const IS_WRITABLE: u64 = 1 << 12;

/// The space that stands for the descriptor heap of resources, whose registers are the indices. No shader can declare a
/// register in it: Direct3D keeps the spaces from `0xFFFFFFF0` for itself.
pub(super) const HEAP: u32 = u32::MAX;

/// Executes the operation `name`: `dx.op.rawBufferLoad.i32`.
pub(super) fn call(
    name: &str,
    arguments: &[Value],
    memory: &mut Memory<'_>,
    resources: &[NumberedResource],
) -> Result<Value, IrError> {
    let Some(short) = name.strip_prefix("dx.op.").filter(|short| !short.starts_with('.') && !short.is_empty()) else {
        return Err(IrError::unsupported("a call of", name));
    };

    let (operation, overload) = short.rsplit_once('.').unwrap_or((short, ""));
    match (operation, arguments) {
        ("createHandle", [_, class, number, register, _]) => {
            let (class, number) = (resource_class(class.bits()?)?, number.word()?);
            let found = resources.iter().find(|resource| (resource.class, resource.number) == (class, number));
            let found = found.ok_or(IrError::Resource { class, number })?;
            let site = RegisterSite { class, space: found.space, register: register.word()? };
            Ok(Value::Handle(Handle { site, unit: found.unit }))
        }
        // `{ i32 lower, i32 upper, i32 space, i8 class }`, and the register.
        ("createHandleFromBinding", [_, binding, register, ..]) => {
            let [_, _, space, class] = parts(binding)?;
            let class = resource_class(class.bits()?)?;
            let site = RegisterSite { class, space: space.word()?, register: register.word()? };
            Ok(Value::Handle(Handle { site, unit: IndexUnit::Bytes }))
        }
        // The index, and whether it is one of samplers. The class follows with the properties.
        ("createHandleFromHeap", [_, index, ..]) => {
            let site = RegisterSite { class: ResourceClass::ShaderResource, space: HEAP, register: index.word()? };
            Ok(Value::Handle(Handle { site, unit: IndexUnit::Bytes }))
        }
        // `{ i32 kind and flags, i32 size of an element }`.
        ("annotateHandle", [_, handle, properties, ..]) => {
            let [kind, size] = parts(properties)?;
            let Handle { mut site, .. } = handle.handle()?;
            let properties = kind.bits()?;
            let unit = match properties & 0xFF {
                KIND_STRUCTURED => IndexUnit::Elements(u64::from(size.word()?)),
                KIND_TBUFFER => IndexUnit::Registers,
                _ => IndexUnit::Bytes,
            };
            if site.space == HEAP {
                site.class = match properties & 0xFF {
                    KIND_CBUFFER => ResourceClass::ConstantBuffer,
                    _ if properties & IS_WRITABLE != 0 => ResourceClass::UnorderedAccess,
                    _ => ResourceClass::ShaderResource,
                };
            }
            Ok(Value::Handle(Handle { site, unit }))
        }
        ("cbufferLoadLegacy", [_, handle, row]) => {
            let size = component_size(overload)?;
            load(memory, handle.handle()?, u64::from(row.word()?) * REGISTER, size, REGISTER / size)
        }
        ("bufferLoad", [_, handle, row, _]) => {
            let (handle, size) = (handle.handle()?, component_size(overload)?);
            if handle.unit != IndexUnit::Registers || size != WORD {
                return Err("the operation `bufferLoad` on no tbuffer".into());
            }
            load(memory, handle, u64::from(row.word()?) * REGISTER, size, REGISTER / size)
        }
        ("rawBufferLoad", [_, handle, index, offset, mask, _]) => {
            let handle = handle.handle()?;
            let count = mask.bits()?.checked_ilog2().map_or(0, |highest| u64::from(highest) + 1);
            load(memory, handle, address(handle, index, offset)?, component_size(overload)?, count)
        }
        // `{ <7 x float>, i32 }`.
        ("rawBufferVectorLoad", [_, handle, index, offset, _]) => {
            let handle = handle.handle()?;
            let (count, size) = vector_overload(overload)?;
            let vector = load(memory, handle, address(handle, index, offset)?, size, count)?;
            Ok(Value::Parts(vec![vector, Value::Undefined]))
        }
        ("rawBufferVectorStore", [_, handle, index, offset, stored, _]) => {
            let handle = handle.handle()?;
            let (count, size) = vector_overload(overload)?;
            let start = address(handle, index, offset)?;
            let components = usize::try_from(count).map_err(|_| IrError::unsupported("the overload", overload))?;
            for (component, value) in (0_u64..).zip(stored.clone().parts(components)?) {
                memory.store_bits(in_buffer(handle, start + component * size), size, &value)?;
            }
            Ok(Value::Undefined)
        }
        ("rawBufferStore", [_, handle, index, offset, stored @ .., mask, _]) if stored.len() == COMPONENTS => {
            let (handle, size, mask) = (handle.handle()?, component_size(overload)?, mask.bits()?);
            let start = address(handle, index, offset)?;
            for (component, value) in (0_u64..).zip(stored).filter(|(component, _)| mask >> component & 1 == 1) {
                memory.store_bits(in_buffer(handle, start + component * size), size, value)?;
            }
            Ok(Value::Undefined)
        }
        // `%dx.types.Dimensions`: of a buffer, its bytes or elements, and three numbers of textures.
        ("getDimensions", [_, handle, _]) => {
            let handle = handle.handle()?;
            let bytes = memory.bound_bytes(handle.site)?;
            let count = match handle.unit {
                IndexUnit::Bytes => bytes,
                IndexUnit::Elements(stride) => bytes.checked_div(stride).unwrap_or(0),
                IndexUnit::Registers | IndexUnit::Opaque => return Err("the dimensions of a tbuffer".into()),
            };
            Ok(Value::Parts(vec![Value::Bits(count), Value::Undefined, Value::Undefined, Value::Undefined]))
        }
        // Outputs of a stage are not in a buffer.
        ("storeOutput", _) => Ok(Value::Undefined),
        ("splitDouble", [_, double]) => double.split_double(),
        ("makeDouble", [_, low, high]) => Value::make_double(low, high),
        ("legacyF16ToF32", [_, half]) => {
            // The upper half of the word counts for nothing.
            let [low, high, ..] = half.word()?.to_le_bytes();
            Ok(Value::Bits(f16::from_le_bytes([low, high]).to_f32().to_bits().into()))
        }
        // Drivers round in several ways, so only a float that is a half has one answer.
        ("legacyF32ToF16", [_, float]) => {
            let float = float.word()?;
            let half = f16::from_f32(f32::from_bits(float));
            if half.to_f32().to_bits() != float {
                return Err("a rounded half".into());
            }
            Ok(Value::Bits(half.to_bits().into()))
        }
        _ => Err(IrError::unsupported("the operation", short)),
    }
}

/// `count` components of `size` bytes, starting at byte `start`.
fn load(memory: &mut Memory<'_>, handle: Handle, start: u64, size: u64, count: u64) -> Result<Value, IrError> {
    let component = |index: u64| memory.bits(in_buffer(handle, start + index * size), size);
    Ok(Value::Parts((0..count).map(component).collect::<Result<_, _>>()?))
}

/// The address of byte `start` of a resource.
fn in_buffer(handle: Handle, start: u64) -> Pointer {
    Pointer { object: AddressedObject::Resource(handle.site), offset: start.cast_signed() }
}

/// The byte that a raw load or store addresses.
fn address(handle: Handle, index: &Value, offset: &Value) -> Result<u64, IrError> {
    let index = u64::from(index.word()?);
    match handle.unit {
        IndexUnit::Bytes => Ok(index),
        IndexUnit::Elements(stride) => Ok(index * stride + u64::from(offset.word()?)),
        IndexUnit::Registers | IndexUnit::Opaque => Err("a raw load or store of a tbuffer".into()),
    }
}

/// The parts of a constant, such as the properties of a handle.
fn parts<const COUNT: usize>(constant: &Value) -> Result<&[Value; COUNT], IrError> {
    let parts = if let Value::Parts(parts) = constant { parts.as_slice().try_into().ok() } else { None };
    parts.ok_or(IrError::Components(COUNT))
}

/// Bytes of a component according to the overload's name.
pub(super) fn component_size(overload: &str) -> Result<u64, IrError> {
    match overload {
        "i16" | "f16" => Ok(2),
        "i32" | "f32" => Ok(4),
        "i64" | "f64" => Ok(8),
        other => Err(IrError::unsupported("the overload", other)),
    }
}

/// Number and bytes of the components in an overload such as `v7f32`.
pub(super) fn vector_overload(overload: &str) -> Result<(u64, u64), IrError> {
    let unknown = || IrError::unsupported("the overload", overload);
    let vector = overload.strip_prefix('v').ok_or_else(unknown)?;
    let (count, component) = vector.split_at(vector.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(0));
    let count = count.parse().ok().filter(|count| *count <= MOST_COMPONENTS).ok_or_else(unknown)?;
    Ok((count, component_size(component)?))
}

/// A class by its number in handles and metadata.
pub(super) fn resource_class(number: u64) -> Result<ResourceClass, IrError> {
    match number {
        0 => Ok(ResourceClass::ShaderResource),
        1 => Ok(ResourceClass::UnorderedAccess),
        2 => Ok(ResourceClass::ConstantBuffer),
        other => Err(IrError::unsupported("a resource of class", &other.to_string())),
    }
}

/// A resource of DXIL before shader model 6.6, which `createHandle` refers to by its class and
/// number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberedResource {
    pub(super) class: ResourceClass,
    /// Number within the class.
    pub(super) number: u32,
    pub(super) space: u32,
    pub(super) kind: u64,
    pub(super) unit: IndexUnit,
    /// The variable that stands for it in a library.
    pub(super) variable: Option<String>,
}

/// The resources in `!dx.resources` without samplers; empty if the module has no such metadata.
pub(super) fn numbered_resources(metadata: &Metadata<'_>) -> Result<Vec<NumberedResource>, IrError> {
    let mut found = Vec::new();
    let Some(Some(lists)) = metadata.list("!dx.resources")?.first().copied() else { return Ok(found) };
    for (number, list) in (0..3).zip(metadata.list(lists)?) {
        let Some(list) = list else { continue };
        for row in metadata.list(list)?.into_iter().flatten() {
            found.extend(numbered_resource(resource_class(number)?, &metadata.fields(row)?, metadata));
        }
    }
    Ok(found)
}

/// `number, type, name, space, first register, registers, kind`. Buffers have further fields, the
/// last of which is the list of properties. `None` for a row without these.
fn numbered_resource(
    class: ResourceClass,
    row: &[Vec<Token<'_>>],
    metadata: &Metadata<'_>,
) -> Option<NumberedResource> {
    let kind = if class == ResourceClass::ConstantBuffer { 0 } else { u64::from(number(row.get(6)?)?) };
    let unit = match kind {
        KIND_STRUCTURED => {
            let [Token::Metadata(properties)] = row.last()?[..] else { return None };
            // Tag 1 is the size of an element.
            let [tag, size] = &metadata.fields(properties).ok()?[..] else { return None };
            IndexUnit::Elements(u64::from(number(size).filter(|_| number(tag) == Some(1))?))
        }
        KIND_TBUFFER => IndexUnit::Registers,
        _ => IndexUnit::Bytes,
    };
    let variable = row.get(1)?.iter().find_map(|token| match token {
        Token::Global(name) => Some((*name).to_owned()),
        _ => None,
    });
    Some(NumberedResource { class, number: number(row.first()?)?, space: number(row.get(3)?)?, kind, unit, variable })
}

/// The tags of an entry point's properties that lead to sizes. Source: `DxilMetadataHelper.h` of `DirectXShaderCompiler`.
const PAYLOAD_SIZE: u32 = 6;
const ATTRIBUTES_SIZE: u32 = 7;
const SHADER_KIND: u32 = 8;
const MESH_STATE: u32 = 9;
const AMPLIFICATION_STATE: u32 = 10;
const NODE_INPUTS: u32 = 20;

/// The tags of a node's input and of its record.
const RECORD_TYPE: u32 = 2;
const RECORD_SIZE: u32 = 0;

/// The kind of a callable shader, whose parameter has the tag of a payload.
const CALLABLE: u32 = 12;

/// The bytes of the payloads, attributes, parameters and records of a module's stages. DXIL names none of their members.
///
/// # Errors
/// Metadata that cannot be read.
pub fn stage_sizes(listing: &str) -> Result<Vec<(StageData, u32)>, IrError> {
    let metadata = Metadata::read(listing);
    let mut found = Vec::new();
    for entry in metadata.list("!dx.entryPoints")?.into_iter().flatten() {
        let Some(Some(properties)) = metadata.list(entry)?.last().copied() else { continue };
        let fields = metadata.fields(properties)?;
        let size = |tag| tagged(&fields, tag).and_then(|value| number(value));
        let kind = if size(SHADER_KIND) == Some(CALLABLE) { StageData::CallableData } else { StageData::RayPayload };
        found.extend(size(PAYLOAD_SIZE).map(|size| (kind, size)));
        found.extend(size(ATTRIBUTES_SIZE).map(|size| (StageData::HitAttributes, size)));
        // The size is the last of a state.
        for state in [MESH_STATE, AMPLIFICATION_STATE].into_iter().filter_map(|tag| node(tagged(&fields, tag)?)) {
            let size = metadata.fields(state)?.last().and_then(|value| number(value));
            found.extend(size.filter(|size| *size > 0).map(|size| (StageData::MeshPayload, size)));
        }
        let inputs = tagged(&fields, NODE_INPUTS).and_then(|list| node(list));
        for input in inputs.map(|list| metadata.list(list)).transpose()?.into_iter().flatten().flatten() {
            let input = metadata.fields(input)?;
            let Some(record) = tagged(&input, RECORD_TYPE).and_then(|record| node(record)) else { continue };
            let size = tagged(&metadata.fields(record)?, RECORD_SIZE).and_then(|size| number(size));
            found.extend(size.map(|size| (StageData::NodeRecord, size)));
        }
    }
    Ok(found)
}

/// The value after a tag.
fn tagged<'f, 'a>(fields: &'f [Vec<Token<'a>>], tag: u32) -> Option<&'f [Token<'a>]> {
    fields.chunks_exact(2).find_map(|pair| (number(&pair[0]) == Some(tag)).then_some(pair[1].as_slice()))
}

/// `!12`.
fn node<'a>(field: &[Token<'a>]) -> Option<&'a str> {
    match field {
        [Token::Metadata(node)] => Some(*node),
        _ => None,
    }
}

/// `i32 12`.
fn number(field: &[Token<'_>]) -> Option<u32> {
    match field {
        [Token::Word("i32"), Token::Integer(digits)] => digits.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::memory::{BoundBuffer, BoundBuffers};
    use crate::llvm::types::NamedTypes;

    /// Shortened from DXC 1.7.2308, `-T cs_6_2`.
    const LISTING: &str = "\
!dx.resources = !{!4}
!4 = !{!5, !9, !11, null}
!5 = !{!6, !8}
!6 = !{i32 0, %\"class.StructuredBuffer<vector<unsigned int, 3> >\"* undef, !\"s, t\", i32 1, i32 1, i32 1, i32 12, i32 0, !7}
!7 = !{i32 1, i32 12}
!8 = !{i32 1, %struct.ByteAddressBuffer* undef, !\"\", i32 2, i32 0, i32 -1, i32 11, i32 0, null}
!9 = !{!10}
!10 = !{i32 0, %struct.RWByteAddressBuffer* undef, !\"\", i32 1000, i32 0, i32 1, i32 11, i1 false, i1 false, i1 false, null}
!11 = !{!12}
!12 = !{i32 0, %S* undef, !\"\", i32 3, i32 5, i32 1, i32 48, null}
";

    /// `GetDimensions` of a `ByteAddressBuffer` gives bytes, that of a `StructuredBuffer` elements (Direct3D documentation).
    #[test]
    fn a_buffer_has_its_bytes_or_its_elements() {
        let site = RegisterSite { class: ResourceClass::ShaderResource, space: 0, register: 3 };
        let mut bound = [BoundBuffer { site, bytes: vec![0; 40] }];
        let types = NamedTypes::default();
        let mut memory = Memory::new(&types, BoundBuffers(&mut bound), None);
        let mut count = |unit| {
            let arguments = [Value::Bits(72), Value::Handle(Handle { site, unit }), Value::Undefined];
            call("dx.op.getDimensions", &arguments, &mut memory, &[]).and_then(|dimensions| dimensions.part(0)?.bits())
        };
        assert_eq!(count(IndexUnit::Bytes), Ok(40));
        assert_eq!(count(IndexUnit::Elements(12)), Ok(3));
        assert!(count(IndexUnit::Registers).is_err());
    }

    #[test]
    fn every_buffer_is_read() {
        let row =
            |class, number, space, kind, unit| NumberedResource { class, number, space, kind, unit, variable: None };
        let expected = [
            row(ResourceClass::ShaderResource, 0, 1, KIND_STRUCTURED, IndexUnit::Elements(12)),
            row(ResourceClass::ShaderResource, 1, 2, 11, IndexUnit::Bytes),
            row(ResourceClass::UnorderedAccess, 0, 1000, 11, IndexUnit::Bytes),
            row(ResourceClass::ConstantBuffer, 0, 3, 0, IndexUnit::Bytes),
        ];
        assert_eq!(numbered_resources(&Metadata::read(LISTING)), Ok(expected.to_vec()));
        assert_eq!(numbered_resources(&Metadata::read("define void @main() {\n")), Ok(Vec::new()));
    }

    /// Shortened from DXC 1.7.2308, `-T lib_6_6`, `-T as_6_6` and `-T ms_6_6`.
    #[test]
    fn sizes_of_payloads_are_in_the_properties_of_entry_points() {
        let library = "\
!dx.entryPoints = !{!8, !10, !13, !15}
!8 = !{null, !\"\", null, !4, !9}
!9 = !{i32 0, i64 8388644}
!10 = !{void (%struct.Param*)* @\"call\", !\"call\", null, null, !11}
!11 = !{i32 8, i32 12, i32 6, i32 40, i32 5, !12}
!12 = !{i32 0}
!13 = !{void ()* @\"gen\", !\"gen\", null, null, !14}
!14 = !{i32 8, i32 7, i32 5, !12}
!15 = !{void (%struct.Payload*, %struct.Attr*)* @\"hit\", !\"hit\", null, null, !16}
!16 = !{i32 8, i32 10, i32 6, i32 32, i32 7, i32 12, i32 5, !12}
";
        let expected = [(StageData::CallableData, 40), (StageData::RayPayload, 32), (StageData::HitAttributes, 12)];
        assert_eq!(stage_sizes(library), Ok(expected.to_vec()));

        let amplification = "\
!dx.entryPoints = !{!4}
!4 = !{void ()* @amplify, !\"amplify\", null, null, !5}
!5 = !{i32 0, i64 8388608, i32 10, !6}
!6 = !{!7, i32 52}
";
        let mesh = "\
!dx.entryPoints = !{!5}
!5 = !{void ()* @mesh, !\"mesh\", !6, null, !11}
!11 = !{i32 0, i64 8388608, i32 9, !12}
!12 = !{!13, i32 3, i32 1, i32 2, i32 52}
";
        // DXC 1.9.2602.17, `-T lib_6_8`.
        let node = "\
!dx.entryPoints = !{!4, !6}
!4 = !{null, !\"\", null, null, !5}
!5 = !{i32 0, i64 8388608}
!6 = !{void ()* @work, !\"work\", null, null, !7}
!7 = !{i32 8, i32 15, i32 13, i32 1, i32 15, !8, i32 16, i32 -1, i32 22, !9, i32 20, !10, i32 4, !14, i32 5, !15}
!8 = !{!\"work\", i32 0}
!9 = !{i32 8, i32 1, i32 1}
!10 = !{!11}
!11 = !{i32 1, i32 97, i32 2, !12}
!12 = !{i32 0, i32 52, i32 1, !13, i32 2, i32 4}
!13 = !{i32 0, i32 5, i32 3}
!14 = !{i32 1, i32 1, i32 1}
!15 = !{i32 0}
";
        assert_eq!(stage_sizes(node), Ok(vec![(StageData::NodeRecord, 52)]));
        for listing in [amplification, mesh] {
            assert_eq!(stage_sizes(listing), Ok(vec![(StageData::MeshPayload, 52)]));
        }
        assert_eq!(stage_sizes("define void @main() {\n"), Ok(Vec::new()));
    }

    /// The properties are those of DXC 1.7.2308 for a `ConstantBuffer<T>`, a `RWByteAddressBuffer` and a
    /// `StructuredBuffer<T>` of a descriptor heap.
    #[test]
    fn a_descriptor_of_a_heap_has_the_class_of_its_properties() {
        let types = NamedTypes::default();
        let mut memory = Memory::new(&types, BoundBuffers(&mut []), None);
        for (kind, class, unit) in [
            (13, ResourceClass::ConstantBuffer, IndexUnit::Bytes),
            (4107, ResourceClass::UnorderedAccess, IndexUnit::Bytes),
            (524, ResourceClass::ShaderResource, IndexUnit::Elements(68)),
        ] {
            let index = [Value::Bits(218), Value::Bits(7), Value::Bits(0), Value::Bits(0)];
            let handle = call("dx.op.createHandleFromHeap", &index, &mut memory, &[]).expect("a handle");
            let annotated = [Value::Bits(216), handle, Value::Parts(vec![Value::Bits(kind), Value::Bits(68)])];
            let handle = call("dx.op.annotateHandle", &annotated, &mut memory, &[]);
            let site = RegisterSite { class, space: HEAP, register: 7 };
            assert_eq!(handle, Ok(Value::Handle(Handle { site, unit })));
        }
    }
}
