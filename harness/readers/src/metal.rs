//! Reads the layouts that a text of the Metal Shading Language declares.
//!
//! Clang compiles the text with our header of Metal's types, whose sizes are the specification's, and lays out the
//! structs. Its IR lists them as debug information. A buffer is a parameter of a function with the attribute
//! `[[buffer(N)]]`; the text itself says whether it is `constant` or `device`, because address spaces have no meaning for
//! the header.
//!
//! Source: LLVM Language Reference Manual, "Specialized Metadata Nodes"; Metal Shading Language Specification, 4 "Address
//! Spaces" and 5.2.1; the texts of SPIRV-Cross 1.4.357 and naga 30.0.1.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{
    BlockKind, BlockLayout, Component, DECLARED, Extent, LaidOut, LaidOutMember, LaidOutShape, LayoutUnit, Reach,
    Refusal, ViewId,
};
use thiserror::Error;

use layoutproof_layout::listing::{ListingBudget, array_name};

/// Most structs and arrays inside each other.
const MOST_LEVELS: u32 = 64;

/// Bits in a byte: sizes and offsets of debug information are in bits.
const BYTE: u32 = 8;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MetalError {
    #[error("Clang's debug information has no node {0}")]
    NoNode(String),
    #[error("a type that this reader does not know: {0}")]
    Unknown(String),
    #[error("structs and arrays are inside each other at more than {MOST_LEVELS} levels")]
    TooDeep,
    #[error("the structs have too many members to list")]
    TooLarge,
}

/// The buffers of a text in the order of its functions' parameters, from Clang's IR with debug information. A buffer that
/// several functions have under one name with one type is there once.
pub fn metal_blocks(text: &str, ir: &str) -> Vec<BlockLayout> {
    let types = DebugTypes::read(ir);
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks: Vec<BlockLayout> = Vec::new();
    let nodes = types.in_order.iter().filter_map(|name| types.by_name.get(name));
    for variable in nodes.filter(|node| node.kind == "DILocalVariable" && node.field("arg").is_some()) {
        let (Some(name), Some(ty)) = (variable.text("name"), variable.field("type")) else { continue };
        let line = variable.number("line").and_then(|line| lines.get(line.checked_sub(1)? as usize));
        let Some(is_written) = line.and_then(|line| buffer(line, name)) else { continue };
        let kind = if is_written { BlockKind::StorageBlock } else { BlockKind::UniformBlock };
        let result = types.pointee(ty).and_then(|(pointee, is_pointer)| types.buffer_type(pointee, is_pointer, kind));
        let name = match &result {
            Ok(LaidOut { type_name, shape: LaidOutShape::Struct(_), .. }) if is_numbered(name, type_name) => type_name,
            _ => name,
        };
        let name = name.to_owned();
        let result = result.map_err(|error| vec![Refusal { path: String::new(), message: error.to_string() }]);
        let block = BlockLayout {
            view: ViewId(u32::try_from(blocks.len()).unwrap_or(u32::MAX)),
            rules: DECLARED.to_owned(),
            name,
            kind,
            reach: Reach::Parameter,
            has_global_members: false,
            count: Count::Finite(1),
            result,
            stride: None,
            warnings: Vec::new(),
        };
        if !blocks.iter().any(|known| known.places_alike(&block)) {
            blocks.push(block);
        }
    }
    blocks
}

/// The numbers of the arguments and of the members of argument buffers in Clang's IR of a text, as the annotations of our
/// header keep them.
pub fn numbered_arguments(ir: &str) -> Vec<(LayoutUnit, u32)> {
    let mut texts: HashMap<&str, (LayoutUnit, u32)> = HashMap::new();
    for line in ir.lines().filter(|line| line.contains("section \"llvm.metadata\"")) {
        let Some((name, (_, text))) = line.split_once(" = ").and_then(|(name, it)| Some((name, it.split_once("c\"")?)))
        else {
            continue;
        };
        let Some((class, number)) = text.split('\\').next().and_then(|text| text.split_once(':')) else { continue };
        let unit = match class {
            "buffer" => LayoutUnit::MetalBuffer,
            "texture" => LayoutUnit::MetalTexture,
            "sampler" => LayoutUnit::MetalSampler,
            "id" => LayoutUnit::MetalArgument,
            _ => continue,
        };
        if let Ok(number) = number.parse() {
            texts.insert(name, (unit, number));
        }
    }
    let mut members: BTreeSet<(LayoutUnit, u32)> = BTreeSet::new();
    let mut arguments = Vec::new();
    for line in ir.lines().filter(|line| line.contains(".annotation.")) {
        let mut words = line.split([' ', ',', ')']);
        let Some(found) = words.find_map(|word| texts.get(word)).copied() else { continue };
        // Each access of a member has an annotation.
        if found.0 != LayoutUnit::MetalArgument || members.insert(found) {
            arguments.push(found);
        }
    }
    arguments
}

/// True for `S_1` and `_21` of the type `S`: SPIRV-Cross numbers a variable that has the name of its type in the module, or none.
fn is_numbered(name: &str, type_name: &str) -> bool {
    let number = name.strip_prefix(type_name).unwrap_or(name).strip_prefix('_');
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// True for a parameter of this name that is `device`, false for one that is `constant`; `None` if the line has no such
/// buffer.
fn buffer(line: &str, name: &str) -> Option<bool> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).find_map(|(start, _)| {
        let (before, after) = (&line[..start], line[start + name.len()..].trim_start());
        // naga writes `[[user(fake0)]]` for a buffer without a number.
        let is_buffer = after.starts_with("[[buffer(") || after.starts_with("[[user(");
        if before.ends_with(is_word) || !is_buffer {
            return None;
        }
        let own = before.rsplit("]]").next().unwrap_or(before);
        let mut words = own.split(|c| !is_word(c));
        words.find_map(|word| match word {
            "device" => Some(true),
            "constant" => Some(false),
            _ => None,
        })
    })
}

fn end(members: &[LaidOutMember]) -> Extent {
    let ends = members.iter().map(|member| Some(member.offset.saturating_add(member.layout.size.finite()?)));
    ends.collect::<Option<Vec<u32>>>()
        .map_or(Extent::Unbounded, |ends| Extent::Finite(ends.into_iter().max().unwrap_or(0)))
}

fn size_of_array(element: &LaidOut, count: Count, stride: u32) -> Extent {
    match (count, element.size) {
        (Count::Finite(0), _) => Extent::Finite(0),
        (Count::Finite(count), Extent::Finite(size)) => {
            Extent::Finite(stride.saturating_mul(count - 1).saturating_add(size))
        }
        (Count::Unbounded, _) | (_, Extent::Unbounded) => Extent::Unbounded,
    }
}

/// `!127 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", size: 1920, elements: !128)`.
#[derive(Debug)]
struct Node<'a> {
    /// `DICompositeType`; empty for a list, `!{!129, !130}`.
    kind: &'a str,
    /// Keys are empty in lists.
    fields: Vec<(&'a str, &'a str)>,
}

impl<'a> Node<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let text = text.strip_prefix("distinct ").unwrap_or(text).strip_prefix('!')?;
        let start = text.find(['(', '{'])?;
        let content = text[start + 1..].strip_suffix([')', '}'])?;
        let (mut depth, mut is_quoted) = (0_u32, false);
        let parts = content.split(|c: char| {
            match c {
                '"' => is_quoted = !is_quoted,
                '(' if !is_quoted => depth += 1,
                ')' if !is_quoted => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && !is_quoted && depth == 0
        });
        let field = |part: &'a str| part.trim().split_once(": ").unwrap_or(("", part.trim()));
        Some(Self { kind: &text[..start], fields: parts.map(field).collect() })
    }

    fn field(&self, key: &str) -> Option<&'a str> {
        self.fields.iter().find(|(own, _)| *own == key).map(|(_, value)| *value)
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.field(key)?.strip_prefix('"')?.strip_suffix('"')
    }

    fn number(&self, key: &str) -> Option<u32> {
        self.field(key)?.parse().ok()
    }

    fn bytes(&self, key: &str) -> u32 {
        self.number(key).unwrap_or(0) / BYTE
    }

    fn has_flag(&self, flag: &str) -> bool {
        self.field("flags").is_some_and(|flags| flags.split(" | ").any(|own| own == flag))
    }

    fn tag(&self) -> &'a str {
        self.field("tag").unwrap_or("")
    }
}

struct DebugTypes<'a> {
    /// The names of the nodes.
    in_order: Vec<&'a str>,
    by_name: HashMap<&'a str, Node<'a>>,
    budget: RefCell<ListingBudget>,
}

impl<'a> DebugTypes<'a> {
    fn read(ir: &'a str) -> Self {
        let (mut in_order, mut by_name) = (Vec::new(), HashMap::new());
        for (name, text) in ir.lines().filter(|line| line.starts_with('!')).filter_map(|line| line.split_once(" = ")) {
            if let Some(node) = Node::read(text.trim()) {
                by_name.insert(name, node);
                in_order.push(name);
            }
        }
        Self { in_order, by_name, budget: RefCell::default() }
    }

    fn node(&self, name: &str) -> Result<&Node<'a>, MetalError> {
        self.by_name.get(name).ok_or_else(|| MetalError::NoNode(name.to_owned()))
    }

    fn list(&self, name: Option<&str>) -> Result<Vec<&Node<'a>>, MetalError> {
        let Some(name) = name else { return Ok(Vec::new()) };
        self.node(name)?.fields.iter().map(|(_, name)| self.node(name)).collect()
    }

    /// The type to which a parameter refers, and whether by a pointer.
    fn pointee(&self, ty: &'a str) -> Result<(&'a str, bool), MetalError> {
        let (mut ty, mut is_pointer) = (ty, None);
        for _ in 0..MOST_LEVELS {
            let node = self.node(ty)?;
            match (node.tag(), node.field("baseType")) {
                ("DW_TAG_reference_type", Some(base)) if is_pointer.is_none() => (ty, is_pointer) = (base, Some(false)),
                ("DW_TAG_pointer_type", Some(base)) if is_pointer.is_none() => (ty, is_pointer) = (base, Some(true)),
                ("DW_TAG_const_type" | "DW_TAG_volatile_type" | "DW_TAG_typedef", Some(base))
                    if is_pointer.is_none() =>
                {
                    ty = base;
                }
                _ => return Ok((ty, is_pointer.unwrap_or(false))),
            }
        }
        Err(MetalError::TooDeep)
    }

    /// The content of a buffer: a struct, or as many elements as there is room for.
    fn buffer_type(&self, ty: &'a str, is_pointer: bool, kind: BlockKind) -> Result<LaidOut, MetalError> {
        let laid_out = self.lay_out(ty, 0)?;
        if !is_pointer || (kind == BlockKind::UniformBlock && matches!(laid_out.shape, LaidOutShape::Struct(_))) {
            return Ok(laid_out);
        }
        let stride = self.size(ty)?;
        Ok(array(laid_out, Count::Unbounded, stride))
    }

    /// The size of a type with its padding.
    fn size(&self, ty: &str) -> Result<u32, MetalError> {
        let node = self.node(ty)?;
        match (node.field("size"), node.field("baseType")) {
            (None, Some(base)) => self.size(base),
            _ => Ok(node.bytes("size")),
        }
    }

    fn lay_out(&self, ty: &str, level: u32) -> Result<LaidOut, MetalError> {
        if level > MOST_LEVELS {
            return Err(MetalError::TooDeep);
        }
        let node = self.node(ty)?;
        let name = node.text("name").unwrap_or("");
        self.budget.borrow_mut().spend(name.len()).ok_or(MetalError::TooLarge)?;
        match (node.kind, node.tag()) {
            ("DIBasicType", _) => basic(node),
            (_, "DW_TAG_pointer_type" | "DW_TAG_reference_type") => Ok(LaidOut {
                type_name: "pointer".to_owned(),
                size: Extent::Finite(node.bytes("size")),
                alignment: node.bytes("size"),
                shape: LaidOutShape::Pointer { pointee: None },
            }),
            ("DIDerivedType", _) => {
                let base = node.field("baseType").ok_or_else(|| MetalError::Unknown(node.tag().to_owned()))?;
                self.lay_out(base, level + 1)
            }
            (_, "DW_TAG_array_type") => self.array(node, level),
            (_, "DW_TAG_structure_type") => self.structure(node, level),
            (kind, tag) => Err(MetalError::Unknown(format!("{kind} {tag}"))),
        }
    }

    fn array(&self, node: &Node<'a>, level: u32) -> Result<LaidOut, MetalError> {
        let base = node.field("baseType").ok_or_else(|| MetalError::Unknown("an array of nothing".to_owned()))?;
        let element = self.lay_out(base, level + 1)?;
        let counts = self.list(node.field("elements"))?;
        let counts = counts.iter().map(|range| range.number("count").map_or(Count::Unbounded, Count::Finite));
        if node.has_flag("DIFlagVector") {
            let (Some(Count::Finite(length)), LaidOutShape::Scalar(component)) =
                (counts.clone().next(), &element.shape)
            else {
                return Err(MetalError::Unknown("a vector of another type".to_owned()));
            };
            // Metal Shading Language, table 2.3: it has the alignment of its size, and three components the size of four.
            return Ok(vector(*component, length, node.bytes("size")));
        }
        let mut stride = self.size(base)?;
        let mut laid_out = element;
        for count in counts.rev() {
            let own = stride;
            stride = stride.saturating_mul(match count {
                Count::Finite(count) => count,
                Count::Unbounded => 0,
            });
            laid_out = array(laid_out, count, own);
        }
        Ok(laid_out)
    }

    fn structure(&self, node: &Node<'a>, level: u32) -> Result<LaidOut, MetalError> {
        let name = node.text("name").unwrap_or("");
        let mut members = Vec::new();
        let is_member = |node: &&&Node<'a>| node.tag() == "DW_TAG_member" && !node.has_flag("DIFlagStaticMember");
        let elements = self.list(node.field("elements"))?;
        for member in elements.iter().filter(is_member) {
            let base = member.field("baseType").ok_or_else(|| MetalError::Unknown("a member of no type".to_owned()))?;
            let layout = self.lay_out(base, level + 1)?;
            let (name, offset) = (member.text("name").unwrap_or("").to_owned(), member.bytes("offset"));
            if !is_padding(&name, &layout) {
                members.push(LaidOutMember { name, is_base: false, offset, bits: None, layout });
            }
        }

        // The templates of our header, and the structs in which naga puts arrays.
        let is_template = |template: &str| name.starts_with(template);
        if let [LaidOutMember { name: only, layout, .. }] = &members[..] {
            match (&layout.shape, only.as_str()) {
                (LaidOutShape::Array { element, count: Count::Finite(length), .. }, "parts")
                    if is_template("packed_vector<") =>
                {
                    if let LaidOutShape::Scalar(component) = element.shape {
                        return Ok(LaidOut { alignment: component.size, ..vector(component, *length, component.size) });
                    }
                }
                (LaidOutShape::Array { element, count: Count::Finite(columns), stride }, "columns")
                    if is_template("matrix<") =>
                {
                    if let LaidOutShape::Vector { component, length } = element.shape {
                        return Ok(matrix(component, length, *columns, *stride, element.alignment));
                    }
                }
                (LaidOutShape::Array { .. }, "elements") if is_template("array<") => return Ok(layout.clone()),
                (LaidOutShape::Array { .. }, "inner") => return Ok(layout.clone()),
                // `atomic_uint`.
                (LaidOutShape::Scalar(_), "value") if name.is_empty() => return Ok(layout.clone()),
                _ => {}
            }
        }

        let alignment = members.iter().map(|member| member.layout.alignment).max().unwrap_or(1);
        let type_name = if name.is_empty() { "struct" } else { name }.to_owned();
        Ok(LaidOut { type_name, size: end(&members), alignment, shape: LaidOutShape::Struct(members) })
    }
}

/// True for the bytes that translators put between members: `char _m6_pad[16]`, `char _pad1[12]`.
fn is_padding(name: &str, layout: &LaidOut) -> bool {
    let LaidOutShape::Array { element, .. } = &layout.shape else { return false };
    let is_bytes = matches!(element.shape, LaidOutShape::Scalar(Component { size: 1, .. }));
    is_bytes && name.starts_with('_') && (name.ends_with("_pad") || name.starts_with("_pad"))
}

fn basic(node: &Node<'_>) -> Result<LaidOut, MetalError> {
    let size = node.bytes("size");
    let scalar = match (node.field("encoding").unwrap_or(""), size) {
        ("DW_ATE_boolean", 1) => Scalar::Bool,
        ("DW_ATE_float", 2) => Scalar::Float16,
        ("DW_ATE_float", 4) => Scalar::Float32,
        ("DW_ATE_signed" | "DW_ATE_signed_char", 1) => Scalar::Int8,
        ("DW_ATE_unsigned" | "DW_ATE_unsigned_char", 1) => Scalar::Uint8,
        ("DW_ATE_signed", 2) => Scalar::Int16,
        ("DW_ATE_unsigned", 2) => Scalar::Uint16,
        ("DW_ATE_signed", 4) => Scalar::Int32,
        ("DW_ATE_unsigned", 4) => Scalar::Uint32,
        ("DW_ATE_signed", 8) => Scalar::Int64,
        ("DW_ATE_unsigned", 8) => Scalar::Uint64,
        _ => return Err(MetalError::Unknown(node.text("name").unwrap_or("").to_owned())),
    };
    Ok(LaidOut {
        type_name: scalar.spelling().to_owned(),
        size: Extent::Finite(size),
        alignment: size,
        shape: LaidOutShape::Scalar(Component { scalar, size }),
    })
}

/// Its size is that of its components, so that it compares with the vectors of other languages.
fn vector(component: Component, length: u32, alignment: u32) -> LaidOut {
    LaidOut {
        type_name: format!("{}{length}", component.scalar.spelling()),
        size: Extent::Finite(component.size.saturating_mul(length)),
        alignment,
        shape: LaidOutShape::Vector { component, length },
    }
}

/// Metal's matrices are columns: `float3x4` has three of them. In HLSL's words, rows come first.
fn matrix(component: Component, rows: u32, columns: u32, stride: u32, alignment: u32) -> LaidOut {
    let size = stride.saturating_mul(columns.saturating_sub(1)).saturating_add(component.size.saturating_mul(rows));
    LaidOut {
        type_name: format!("{}{rows}x{columns}", component.scalar.spelling()),
        size: Extent::Finite(size),
        alignment,
        shape: LaidOutShape::Matrix { component, rows, columns, order: MatrixOrder::Column, stride },
    }
}

fn array(element: LaidOut, count: Count, stride: u32) -> LaidOut {
    LaidOut {
        type_name: array_name(&element.type_name, count),
        size: size_of_array(&element, count, stride),
        alignment: element.alignment,
        shape: LaidOutShape::Array { element: Box::new(element), count, stride },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by Clang 22.1.8 for `constant P& p [[buffer(0)]], texture2d<float> t [[texture(0)]], texture2d<float> u
    /// [[texture(0)]], sampler s [[sampler(12)]]`, and for two accesses of a member with `[[id(3)]]`.
    const IR: &str = r#"
@.str = private unnamed_addr constant [9 x i8] c"buffer:0\00", section "llvm.metadata"
@.str.1 = private unnamed_addr constant [17 x i8] c"translated.metal\00", section "llvm.metadata"
@.str.4 = private unnamed_addr constant [10 x i8] c"texture:0\00", section "llvm.metadata"
@.str.8 = private unnamed_addr constant [11 x i8] c"sampler:12\00", section "llvm.metadata"
@.str.9 = private unnamed_addr constant [5 x i8] c"id:3\00", section "llvm.metadata"
  call void @llvm.var.annotation.p0.p0(ptr %11, ptr @.str, ptr @.str.1, i32 21, ptr null)
  call void @llvm.var.annotation.p0.p0(ptr %3, ptr @.str.4, ptr @.str.1, i32 21, ptr null)
  call void @llvm.var.annotation.p0.p0(ptr %4, ptr @.str.4, ptr @.str.1, i32 21, ptr null)
  call void @llvm.var.annotation.p0.p0(ptr %8, ptr @.str.8, ptr @.str.1, i32 21, ptr null)
  %7 = call ptr @llvm.ptr.annotation.p0.p0(ptr %6, ptr @.str.9, ptr @.str.1, i32 9, ptr null)
  %9 = call ptr @llvm.ptr.annotation.p0.p0(ptr %8, ptr @.str.9, ptr @.str.1, i32 9, ptr null)
declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr) #1
"#;

    #[test]
    fn a_numbered_variable_has_the_name_of_its_type() {
        let numbered = ["S_1", "_21", "S", "_", "_2a", "T_1"].map(|name| is_numbered(name, "S"));
        assert_eq!(numbered, [true, true, false, false, false, false]);
    }

    #[test]
    fn each_argument_has_its_number_and_each_member_once() {
        use LayoutUnit::{MetalArgument, MetalBuffer, MetalSampler, MetalTexture};
        let all = [(MetalBuffer, 0), (MetalTexture, 0), (MetalTexture, 0), (MetalSampler, 12), (MetalArgument, 3)];
        assert_eq!(numbered_arguments(IR), all);
    }
}
