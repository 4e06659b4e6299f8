//! Declares a block in GLSL, with the structs that it needs.
//!
//! An R x C matrix is GLSL's `matCxR`, which has as many rows and columns as HLSL's, so `row_major`
//! and `column_major` mean the same in both. GLSL allows them, and offsets, only on members of the
//! block itself; structs inside inherit the block member's order.

use std::sync::Arc;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder, Member, StructType, Type};
use layoutproof_layout::{LayoutOptions, find};

use super::types::GlslTypeNames;
use super::{BLOCK, GlslDeclaration, NotInGlsl, VALUE};
use crate::names::member_name;
use layoutproof_probes::{AddressSpace, BLOCK_ELEMENT};

/// The `#version` for blocks with types of `GL_EXT_shader_explicit_arithmetic_types`, at an address or in a
/// descriptor heap, whose words glslang has from 450 on, and for shader records: `GL_EXT_ray_tracing` needs 460.
const VERSION_OF_EXTENSION: u32 = 460;

/// The `#version` for other blocks: the first one with member offsets. From 450 on, glslang reads
/// the declarations of eight more stages for each source, which takes as long as the rest of the
/// compilation.
const VERSION: u32 = 440;

/// Writes the block and everything that it needs, from `#version` on.
///
/// # Errors
///
/// GLSL cannot express the block.
pub(super) fn declaration(declared: &GlslDeclaration<'_>) -> Result<String, NotInGlsl> {
    let mut writer =
        GlslWriter { options: declared.options, structs: Vec::new(), declared: Vec::new(), extended: false };
    let is_at_address = declared.space == AddressSpace::Address;
    let is_in_array = declared.elements && !is_at_address;
    let members = match &declared.block.element {
        Type::Struct(structure) if !is_in_array => writer.block_members(structure)?,
        element => {
            let ty = writer.named("", element)?;
            let unsized_part = if is_in_array { "[]" } else { "" };
            let order = order_text(&writer, "", element)?;
            format!("    {order}{} {VALUE}{unsized_part}{};\n", ty.base, ty.counts)
        }
    };

    let required = find(declared.rules).and_then(|rules| rules.glsl?.extension);
    let mut extensions = required.map(|name| format!("#extension {name} : require\n")).unwrap_or_default();
    let is_traced = declared.space == AddressSpace::ShaderRecord;
    let is_in_heap = matches!(declared.space, AddressSpace::HeapUniform | AddressSpace::HeapStorage);
    if is_traced {
        extensions += "#extension GL_EXT_ray_tracing : require\n";
    }
    if is_at_address {
        extensions += "#extension GL_EXT_buffer_reference : require\n";
        if declared.elements {
            extensions += "#extension GL_EXT_buffer_reference2 : require\n";
        }
    }
    let version =
        if writer.extended || is_traced || is_at_address || is_in_heap { VERSION_OF_EXTENSION } else { VERSION };
    if writer.extended {
        extensions += "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";
    }

    if declared.space == AddressSpace::Workgroup {
        extensions += "#extension GL_EXT_shared_memory_block : require\n";
    }

    if is_in_heap {
        extensions += "#extension GL_EXT_descriptor_heap : require\n";
    }

    let rules = declared.rules;
    let head = match declared.space {
        AddressSpace::PushConstant => format!("layout({rules}, push_constant) uniform"),
        AddressSpace::Uniform | AddressSpace::UniformElement | AddressSpace::InlineUniform => {
            format!("layout({rules}, set = 0, binding = 0) uniform")
        }
        AddressSpace::Storage | AddressSpace::StorageElement => {
            format!("layout({rules}, set = 0, binding = 0) readonly buffer")
        }
        AddressSpace::HeapUniform => format!("layout({rules}, descriptor_heap) uniform"),
        AddressSpace::HeapStorage => format!("layout({rules}, descriptor_heap) readonly buffer"),
        AddressSpace::ShaderRecord => format!("layout({rules}, shaderRecordEXT) buffer"),
        AddressSpace::Workgroup => format!("layout({rules}) shared"),
        AddressSpace::Address => {
            let alignment = declared.address_alignment;
            format!("layout({rules}, buffer_reference, buffer_reference_align = {alignment}) readonly buffer")
        }
    };
    let variable = if is_at_address {
        format!(";\nlayout(push_constant) uniform LayoutproofAddress {{ LayoutproofBlock {BLOCK}; }}")
    } else if is_in_heap {
        format!(" layoutproof_heap[];\n#define {BLOCK} layoutproof_heap[{BLOCK_ELEMENT}]\n")
    } else {
        format!(" {BLOCK}")
    };
    Ok(format!(
        "#version {version}\n{extensions}{}{head} LayoutproofBlock {{\n{members}}}{variable};\n",
        writer.declared.concat()
    ))
}

/// Collects the struct declarations.
struct GlslWriter {
    options: LayoutOptions,
    structs: Vec<(Arc<StructType>, String)>,
    /// The declarations of the structs, inner structs first.
    declared: Vec<String>,
    /// True if a type of an extension is used.
    extended: bool,
}

/// A declared type, split around the name: `vec3`, `[2][4]`.
struct Spelled {
    base: String,
    counts: String,
}

impl GlslWriter {
    fn block_members(&mut self, structure: &StructType) -> Result<String, NotInGlsl> {
        check_base("", structure)?;
        let placed = |member: &Member| member.annotations.packoffset.is_some();
        let counted: Vec<&Member> = structure.members.iter().filter(|member| !is_resource(&member.ty)).collect();
        if counted.iter().any(|member| placed(member)) && !counted.iter().all(|member| placed(member)) {
            return Err(NotInGlsl::new("", "packoffset on some members only"));
        }

        let mut lines = Vec::new();
        for (index, member) in (0..).zip(&structure.members).filter(|(_, member)| !is_resource(&member.ty)) {
            let line = self.member("", index, member)?;
            let order = order_text(self, &member.name, &member.ty)?;
            let offset = explicit(member).map_or(String::new(), |offset| format!("layout(offset = {offset}) "));
            lines.push(format!("    {offset}{order}{line};\n"));
        }

        if lines.is_empty() { Err(NotInGlsl::new("", "an empty block")) } else { Ok(lines.concat()) }
    }

    /// Writes a member without its layout qualifiers.
    fn member(&mut self, path: &str, index: u32, member: &Member) -> Result<String, NotInGlsl> {
        let path = if path.is_empty() { member.name.clone() } else { format!("{path}.{}", member.name) };
        if member.bit_width.is_some() {
            return Err(NotInGlsl::new(&path, "a bit-field"));
        }
        let Spelled { base, counts } = self.named(&path, &member.ty)?;
        Ok(format!("{base} {}{counts}", member_name(index, &member.name)))
    }

    fn named(&mut self, path: &str, ty: &Type) -> Result<Spelled, NotInGlsl> {
        let plain = |base| Ok(Spelled { base, counts: String::new() });
        match ty {
            Type::Scalar(scalar) => plain(self.names(path, *scalar)?.scalar.to_owned()),
            Type::Enum(ty) => plain(self.names(path, ty.underlying)?.scalar.to_owned()),
            Type::Vector { .. } if ty.is_long_vector() => {
                Err(NotInGlsl::new(path, "a vector of more than four components"))
            }
            Type::Vector { scalar, length } => plain(self.names(path, *scalar)?.vector(*length)),
            Type::Matrix { scalar, rows, columns, .. } => {
                let name = self.names(path, *scalar)?.matrix(*rows, *columns);
                plain(name.ok_or_else(|| NotInGlsl::new(path, format!("no matrix like `{ty}`")))?)
            }
            Type::Array { element, count } => {
                if *count == Count::Finite(0) {
                    return Err(NotInGlsl::new(path, "an array of no elements"));
                }
                let Spelled { base, counts } = self.named(path, element)?;
                Ok(Spelled { base, counts: format!("[{count}]{counts}") })
            }
            Type::Struct(structure) => plain(self.structure(path, structure)?),
            Type::Pointer { .. } => Err(NotInGlsl::new(path, "a pointer")),
            Type::Handle { .. } => Err(NotInGlsl::new(path, "a handle of a resource")),
            Type::Interface { .. } => Err(NotInGlsl::new(path, "a value of an interface")),
            Type::Resource(_) => Err(NotInGlsl::new(path, "a resource")),
        }
    }

    fn names(&mut self, path: &str, scalar: Scalar) -> Result<GlslTypeNames, NotInGlsl> {
        let names = GlslTypeNames::of(scalar, self.options.sixteen_bit)
            .map_err(|reason| NotInGlsl::new(path, reason.to_owned()))?;
        self.extended |= names.is_extension();
        Ok(names)
    }

    /// Returns the name of a struct, and declares it on first use.
    fn structure(&mut self, path: &str, structure: &Arc<StructType>) -> Result<String, NotInGlsl> {
        check_base(path, structure)?;
        if let Some((_, name)) = self.structs.iter().find(|(known, _)| known == structure) {
            return Ok(name.clone());
        }

        let mut members = Vec::new();
        for (index, member) in (0..).zip(&structure.members).filter(|(_, member)| !is_resource(&member.ty)) {
            if explicit(member).is_some() {
                return Err(NotInGlsl::new(path, format!("an offset for `{}` inside a struct", member.name)));
            }
            members.push(format!("    {};\n", self.member(path, index, member)?));
        }
        if members.is_empty() {
            return Err(NotInGlsl::new(path, "an empty struct"));
        }

        let number = u32::try_from(self.structs.len()).expect("a source has fewer than 2^32 structs");
        let name = format!("S{}", member_name(number, &structure.name));
        self.declared.push(format!("struct {name} {{\n{}}};\n", members.concat()));
        self.structs.push((Arc::clone(structure), name.clone()));
        Ok(name)
    }

    /// Collects the orders of the matrices in a type.
    fn orders(&self, ty: &Type, found: &mut Vec<MatrixOrder>) {
        match ty {
            Type::Matrix { order, .. } => found.push(order.unwrap_or(self.options.matrix)),
            Type::Array { element, .. } => self.orders(element, found),
            Type::Struct(structure) => structure.members.iter().for_each(|member| self.orders(&member.ty, found)),
            _ => {}
        }
    }
}

/// Returns the qualifier for the order of all matrices in a member of the block.
fn order_text(writer: &GlslWriter, path: &str, ty: &Type) -> Result<&'static str, NotInGlsl> {
    let mut orders = Vec::new();
    writer.orders(ty, &mut orders);
    let of = |order| orders.contains(&order);
    match (of(MatrixOrder::Row), of(MatrixOrder::Column)) {
        (true, true) => Err(NotInGlsl::new(path, "matrices of both orders in one struct")),
        (true, false) => Ok("layout(row_major) "),
        // This is GLSL's default. naga reads no layout on members.
        (false, true | false) => Ok(""),
    }
}

/// Returns the explicit offset of a member, in bytes from the start of its struct.
fn explicit(member: &Member) -> Option<u32> {
    member.annotations.packoffset.and_then(|place| place.offset()).or(member.annotations.vk_offset())
}

fn is_resource(ty: &Type) -> bool {
    matches!(ty.dimensions().0, Type::Resource(_))
}

fn check_base(path: &str, structure: &StructType) -> Result<(), NotInGlsl> {
    match &structure.base {
        Some(base) => Err(NotInGlsl::new(path, format!("the base struct `{}`", base.name))),
        None => Ok(()),
    }
}
