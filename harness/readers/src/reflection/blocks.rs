//! Builds blocks from Slang's reflection alone, for files whose declarations we cannot evaluate.
//!
//! The JSON has offsets, sizes, strides of arrays and types. The order of a matrix follows from its
//! size if it is not the default; where both orders have this size, the default is assumed. What the
//! JSON does not describe (bit-fields, interfaces) makes its block a refused one.

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{
    BlockKind, BlockLayout, Component, Count, DECLARED, Extent, LaidOut, LaidOutMember, LaidOutShape, MatrixOrder,
    Reach, Refusal, ViewId,
};

use super::layouts::{BASE, ByteSize, ENTRY, GLOBALS, LayoutsJson, TypeJson, VariableJson};
use super::{Amount, finite};
use crate::ReadError;
use layoutproof_layout::listing::{array_name, member_path};

/// The blocks in the JSON, with the compiler's default order of matrices.
pub fn reflected_blocks(json: &str, order: MatrixOrder) -> Result<Vec<BlockLayout>, ReadError> {
    let program: LayoutsJson = serde_json::from_str(json)?;
    let mut reader = BlocksReader { order, blocks: Vec::new() };
    reader.parameters(&program.parameters, GLOBALS, BlockKind::Globals);
    for entry in &program.entry_points {
        reader.parameters(&entry.parameters, &format!("{ENTRY}{}", entry.name), BlockKind::EntryUniforms);
    }
    Ok(reader.blocks)
}

const NO_LENGTH: &str = "has a length that slangc's reflection does not know";

/// The prefix of the struct of `cbuffer Params { ... } pc;`.
const GROUP: &str = "SLANG_ParameterGroup_";

struct BlocksReader {
    order: MatrixOrder,
    blocks: Vec<BlockLayout>,
}

impl BlocksReader {
    /// Blocks, and one more for the parameters of plain data among them.
    fn parameters(&mut self, parameters: &[VariableJson], loose: &str, kind: BlockKind) {
        for parameter in parameters.iter().filter(|parameter| parameter.bytes().is_none()) {
            let is_pushed = parameter.place("pushConstantBuffer").is_some();
            let is_record = parameter.place("shaderRecord").is_some();
            let special = match (is_pushed, is_record) {
                (true, _) => Some(BlockKind::PushConstant),
                (_, true) => Some(BlockKind::ShaderRecord),
                (false, false) => None,
            };
            self.block(&parameter.name, &parameter.ty, Count::Finite(1), special);
        }
        if parameters.iter().any(|parameter| parameter.bytes().is_some()) {
            let result = self.members(parameters, "").map(|members| {
                let ends =
                    members.iter().map(|member| Some(member.offset.saturating_add(member.layout.size.finite()?)));
                let size = ends.collect::<Option<Vec<u32>>>().and_then(|ends| ends.into_iter().max());
                LaidOut {
                    type_name: String::new(),
                    size: size.map_or(Extent::Unbounded, Extent::Finite),
                    alignment: members.iter().map(|member| member.layout.alignment).max().unwrap_or(1),
                    shape: LaidOutShape::Struct(members),
                }
            });
            self.add(loose, kind, Count::Finite(1), result, None);
        }
    }

    fn add(
        &mut self,
        name: &str,
        kind: BlockKind,
        count: Count,
        result: Result<LaidOut, Refusal>,
        stride: Option<u32>,
    ) {
        let result = result.map_err(|refusal| vec![refusal]);
        let (rules, name) = (DECLARED.into(), name.to_owned());
        self.blocks.push(BlockLayout {
            view: ViewId::default(),
            rules,
            name,
            kind,
            reach: Reach::Parameter,
            has_global_members: false,
            count,
            result,
            stride,
            warnings: Vec::new(),
        });
    }

    /// A container of data, a structured buffer, or an array of them; other parameters have no bytes.
    fn block(&mut self, name: &str, ty: &TypeJson, count: Count, special: Option<BlockKind>) {
        if let Some(element) = &ty.element_var_layout {
            // A cbuffer has a struct without a name, or with one that slangc makes up.
            let made_up = element.ty.name.is_empty() || element.ty.name.starts_with(GROUP);
            let has_name = element.ty.kind != "struct" || !made_up;
            let kind = match (special, ty.kind.as_str(), has_name) {
                (Some(special), ..) => special,
                (None, "parameterBlock", _) => BlockKind::ParameterBlock,
                (None, "textureBuffer", true) => BlockKind::TextureBuffer,
                (None, "textureBuffer", false) => BlockKind::Tbuffer,
                (None, _, true) => BlockKind::ConstantBuffer,
                (None, _, false) => BlockKind::Cbuffer,
            };
            // The bytes of an argument buffer have no place as a whole.
            let of_arguments = element.place("metalArgumentBufferElement").and(element.ty.bytes());
            if let Some(place) = element.bytes() {
                let result = self.lay_out(&element.ty, finite(place.size.as_ref()), "");
                self.add(name, kind, count, result, None);
            } else if let Some(bytes) = of_arguments {
                let result = self.lay_out(&element.ty, bytes.size, "");
                self.add(name, kind, count, result, None);
            }
            for field in element.ty.fields.iter().filter(|field| field.bytes().is_none() || field.ty.is_resource()) {
                self.block(&member_path(name, &field.name), &field.ty, Count::Finite(1), None);
            }
        } else if let Some(element) = ty.result_type.as_ref().filter(|_| ty.is_structured_buffer()) {
            let bytes = element.bytes();
            let result = self.lay_out(element, bytes.and_then(|bytes| bytes.size), "");
            self.add(name, BlockKind::StructuredElement, count, result, bytes.and_then(ByteSize::stride));
        } else if let Some(element) = ty.element_type.as_ref().filter(|_| ty.kind == "array") {
            let count = element_count(ty);
            let before = self.blocks.len();
            self.block(name, element, count.unwrap_or(Count::Unbounded), special);
            if count.is_none() {
                let refusal = Refusal { path: String::new(), message: NO_LENGTH.to_owned() };
                self.blocks[before..].iter_mut().for_each(|block| block.result = Err(vec![refusal.clone()]));
            }
        }
    }

    /// A type of this many bytes; `None` without an end.
    fn lay_out(&self, ty: &TypeJson, size: Option<u32>, path: &str) -> Result<LaidOut, Refusal> {
        let own = ty.bytes();
        let size = size.or_else(|| own?.size);
        let refused = |message: String| Refusal { path: path.to_owned(), message };
        let unknown = || refused(format!("is a `{}`, which slangc's reflection does not describe", ty.kind));
        let (type_name, shape) = match ty.kind.as_str() {
            "scalar" => {
                let component = component(ty, size).ok_or_else(unknown)?;
                (component.scalar.spelling().to_owned(), LaidOutShape::Scalar(component))
            }
            "vector" => {
                let length = finite(ty.element_count.as_ref()).filter(|length| *length > 0).ok_or_else(unknown)?;
                let of_one = size.map(|size| size / length);
                let component = ty.element_type.as_ref().and_then(|it| component(it, of_one)).ok_or_else(unknown)?;
                (format!("{}{length}", component.scalar.spelling()), LaidOutShape::Vector { component, length })
            }
            "matrix" => self.matrix(ty, size).ok_or_else(unknown)?,
            "array" => {
                let count = element_count(ty).ok_or_else(|| refused(NO_LENGTH.to_owned()))?;
                let element =
                    self.lay_out(ty.element_type.as_ref().ok_or_else(unknown)?, None, &format!("{path}[]"))?;
                let stride = finite(ty.uniform_stride.as_ref()).ok_or_else(unknown)?;
                (
                    array_name(&element.type_name, count),
                    LaidOutShape::Array { element: Box::new(element), count, stride },
                )
            }
            "struct" => (ty.name.clone(), LaidOutShape::Struct(self.members(&ty.fields, path)?)),
            "pointer" => ("pointer".to_owned(), LaidOutShape::Pointer { pointee: None }),
            // A handle in an argument buffer of Metal.
            _ if ty.is_resource() => (ty.kind.clone(), LaidOutShape::Pointer { pointee: None }),
            _ => return Err(unknown()),
        };
        let is_open = match &shape {
            LaidOutShape::Array { count, .. } => *count == Count::Unbounded,
            LaidOutShape::Struct(members) => members.iter().any(|member| member.layout.size == Extent::Unbounded),
            _ => false,
        };
        let size = match size {
            _ if is_open => Extent::Unbounded,
            Some(size) => Extent::Finite(size),
            None => return Err(refused("has no size in slangc's reflection".to_owned())),
        };
        Ok(LaidOut { type_name, size, alignment: own.map_or(1, |bytes| bytes.alignment), shape })
    }

    /// The members with bytes; resources have none.
    fn members(&self, fields: &[VariableJson], path: &str) -> Result<Vec<LaidOutMember>, Refusal> {
        let mut members = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let Some(place) = field.bytes() else { continue };
            let is_base = field.name == BASE;
            let name = field.name_at(index).into_owned();
            let inner = if is_base { path.to_owned() } else { member_path(path, &name) };
            let refused = |message: &str| Refusal { path: inner.clone(), message: message.to_owned() };
            if field.name.starts_with('$') && !is_base {
                return Err(refused("stands for bit-fields, which slangc's reflection does not describe"));
            }
            let offset = finite(place.offset.as_ref());
            members.push(LaidOutMember {
                name: if is_base { String::new() } else { name },
                is_base,
                offset: offset.ok_or_else(|| refused("has no offset in slangc's reflection"))?,
                bits: None,
                layout: self.lay_out(&field.ty, finite(place.size.as_ref()), &inner)?,
            });
        }
        Ok(members)
    }

    /// The name and shape of a matrix, in the default order if the size allows it.
    fn matrix(&self, ty: &TypeJson, size: Option<u32>) -> Option<(String, LaidOutShape)> {
        let [rows, columns] =
            [&ty.row_count, &ty.column_count].map(|count| finite(count.as_ref()).filter(|count| *count > 0));
        let (rows, columns) = (rows?, columns?);
        let component = component(ty.element_type.as_ref()?, Some(4))?;
        let name = format!("{}{rows}x{columns}", component.scalar.spelling());
        [self.order, self.order.transposed()].into_iter().find_map(|order| {
            let (vectors, length) = order.vectors_and_length(rows, columns);
            let stride = vector_stride(size?, vectors, component.size.checked_mul(length)?)?;
            Some((name.clone(), LaidOutShape::Matrix { component, rows, columns, order, stride }))
        })
    }
}

/// The distance between vectors of `vector` bytes that gives a matrix this size, with or without padding
/// after the last vector.
fn vector_stride(size: u32, vectors: u32, vector: u32) -> Option<u32> {
    let strides = [4, 8, 16].map(|alignment| vector.next_multiple_of(alignment));
    std::iter::once(vector).chain(strides).find(|stride| {
        let end = stride.saturating_mul(vectors - 1).saturating_add(vector);
        (end..=stride.saturating_mul(vectors)).contains(&size)
    })
}

/// A scalar; `size` is the size of a `bool`.
fn component(ty: &TypeJson, size: Option<u32>) -> Option<Component> {
    let scalar = match ty.scalar_type.as_deref()? {
        "bool" => Scalar::Bool,
        "int8" => Scalar::Int8,
        "uint8" => Scalar::Uint8,
        "int16" => Scalar::Int16,
        "uint16" => Scalar::Uint16,
        "int32" => Scalar::Int32,
        "uint32" => Scalar::Uint32,
        "int64" => Scalar::Int64,
        "uint64" => Scalar::Uint64,
        "float16" => Scalar::Float16,
        "float32" => Scalar::Float32,
        "float64" => Scalar::Float64,
        // 8 bytes for every target whose reflection gives them a size.
        "intptr" if size == Some(8) => Scalar::Int64,
        "uintptr" if size == Some(8) => Scalar::Uint64,
        _ => return None,
    };
    Some(Component { scalar, size: scalar.size(SixteenBit::On, size?) })
}

/// The length of an array; `None` if the JSON has a word in its place.
fn element_count(ty: &TypeJson) -> Option<Count> {
    match &ty.element_count {
        Some(Amount::Number(0)) | None => Some(Count::Unbounded),
        Some(count) => count.finite().map(Count::Finite),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::native::find_native;
    use layoutproof_layout::{Block, LayoutOptions, Span, argument_buffer, lay_out};
    use layoutproof_source::sources::SourceMap;

    use super::*;

    /// slangc's answers for whole programs, `-target metal -matrix-layout-row-major`, against our layouts of the same
    /// programs: the members of each parameter block and constant buffer with their offsets and sizes.
    #[test]
    fn argument_buffers_are_laid_out_as_slangc_reflects_them() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings/src/reflect/tests/slangc");
        let native = find_native("native:slang-metal").unwrap();
        let mut compared = 0;
        for program in ["argument_buffers", "nested_argument_buffers", "frame_params", "spellings"] {
            let text = fs::read_to_string(folder.join(format!("{program}.slang"))).unwrap();
            let json = fs::read_to_string(folder.join(format!("{program}.metal.json"))).unwrap();
            let mut sources = SourceMap::default();
            let end = u32::try_from(text.len()).unwrap();
            let span = Span { file: sources.add("test.slang", text), start: 0, end };
            let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
            let reflected = reflected_blocks(&json, MatrixOrder::Row).unwrap();
            let options = LayoutOptions { matrix: MatrixOrder::Row, ..LayoutOptions::default() };
            let is_compared = |block: &&Block| {
                // The JSON gives no second name to a buffer that is the whole content of another.
                let is_buffer = matches!(block.kind, BlockKind::ParameterBlock | BlockKind::ConstantBuffer);
                is_buffer && block.name == block.declared_name
            };
            for block in module.blocks.iter().filter(is_compared) {
                let made = native.block(block).unwrap();
                let ours = lay_out(&made, native.rules(&made).unwrap(), options).result.unwrap();
                let theirs = reflected.iter().find(|theirs| theirs.name == block.name);
                // slangc reflects no bytes of an argument buffer without arguments.
                let Some(theirs) = theirs else {
                    let arguments = argument_buffer::arguments(&block.element, MatrixOrder::Row);
                    let has_no_arguments = block.kind == BlockKind::ParameterBlock && arguments == 0;
                    assert!(members(&ours).is_empty() || has_no_arguments, "{program}: {}", block.name);
                    continue;
                };
                let theirs = theirs.result.as_ref().unwrap();
                assert_eq!(members(&ours), members(theirs), "{program}: {}", block.name);
                compared += 1;
            }
        }
        assert!(compared > 15, "only {compared} blocks were compared");
    }

    /// Shortened from slangc 2026.14.1, `-target spirv`, of `cbuffer C { float c; uintptr_t d[2]; }`.
    #[test]
    fn integers_of_the_size_of_a_pointer_have_eight_bytes() {
        let json = r#"{"parameters": [{"name": "C", "binding": {"kind": "descriptorTableSlot", "index": 0}, "type": {
            "kind": "constantBuffer", "elementVarLayout": {"type": {"kind": "struct", "fields": [
             {"name": "c", "type": {"kind": "scalar", "scalarType": "float32"},
              "binding": {"kind": "uniform", "offset": 0, "size": 4}},
             {"name": "d", "type": {"kind": "array", "elementCount": 2, "elementType": {"kind": "scalar",
              "scalarType": "uintptr", "sizes": [{"kind": "uniform", "value": 8, "alignment": 8}]}, "uniformStride": 16},
              "binding": {"kind": "uniform", "offset": 16, "size": 32}}]},
             "binding": {"kind": "uniform", "offset": 0, "size": 48}}}}]}"#;
        let blocks = reflected_blocks(json, MatrixOrder::Column).unwrap();
        let rows = blocks[0].rows();
        let found = rows.iter().map(|row| (row.path.as_str(), row.type_name.as_str(), row.offset, row.array_stride));
        assert_eq!(found.collect::<Vec<_>>(), [("c", "float", 0, None), ("d", "uint64_t[2]", 16, Some(16))]);
    }

    /// Shortened from slangc 2026.14.1, `-target metal`, of `extern static const int N = 4; cbuffer C { float a[N]; }
    /// cbuffer D { float d; }`.
    #[test]
    fn a_length_that_another_module_decides_refuses_its_block_alone() {
        let buffer = |name: &str, ty: &str| {
            format!(
                r#"{{"name": "{name}", "binding": {{"kind": "constantBuffer", "index": 0}}, "type": {{"kind":
                "constantBuffer", "elementVarLayout": {{"type": {{"kind": "struct", "fields": [{{"name": "a", "type": {ty},
                "binding": {{"kind": "uniform", "offset": 0, "size": 4}}}}]}}, "binding":
                {{"kind": "uniform", "offset": 0, "size": 4}}}}}}}}"#
            )
        };
        let scalar = r#"{"kind": "scalar", "scalarType": "float32"}"#;
        let array =
            format!(r#"{{"kind": "array", "elementCount": "unknown", "elementType": {scalar}, "uniformStride": 4}}"#);
        let json = format!(r#"{{"parameters": [{}, {}]}}"#, buffer("C", &array), buffer("D", scalar));
        let blocks = reflected_blocks(&json, MatrixOrder::Column).unwrap();
        let refusals = blocks[0].result.as_ref().unwrap_err();
        assert_eq!((refusals[0].path.as_str(), refusals[0].message.as_str()), ("a", NO_LENGTH));
        assert_eq!(blocks[1].rows().len(), 1);
    }

    /// Offset and size of each member; a handle that we write as a struct of two counts as a whole.
    fn members(ty: &LaidOut) -> Vec<String> {
        let members = match &ty.shape {
            LaidOutShape::Struct(members) => members,
            LaidOutShape::Resource => return Vec::new(),
            _ => return vec![format!("{:?}", ty.size)],
        };
        let with_bytes = members.iter().filter(|it| !it.layout.is_resource());
        with_bytes.map(|it| format!("{} {} {:?}", it.name, it.offset, it.layout.size)).collect()
    }
}
