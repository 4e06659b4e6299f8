//! The parts of Clang's IR for Direct3D and for Vulkan that plain LLVM lacks: handles of resources,
//! constant buffers whose members are variables, and the calls of intrinsic functions.
//!
//! Source: LLVM Language Reference Manual, "Standard C/C++ Library Intrinsics"; LLVM's DirectX
//! target, its intrinsics and "DirectX Types"; LLVM's SPIR-V target, "SPIR-V Target Extension Types";
//! wg-hlsl, Types with explicit layouts in DXIL and SPIR-V; the IR of Clang 22.1.8, and of 23.1.4 for
//! Vulkan.

use std::collections::HashMap;

use layoutproof_device::ResourceClass;

use super::ir_error::IrError;
use super::machine::StepBudget;
use super::memory::Memory;
use super::module::{GlobalVariable, Metadata};
use super::reader::Token;
use super::types::{LaidOutStruct, NamedTypes, Target, Type};
use super::value::{IndexUnit, Value};

/// The storage classes of buffers in SPIR-V, which `spirv.VulkanBuffer` names.
const UNIFORM: u64 = 2;
const STORAGE_BUFFER: u64 = 12;

/// The call that tells the annotation of a parameter.
pub(super) const OF_PARAMETER: &str = "llvm.var.annotation.";

/// The call that tells the annotation of a member, and returns its address.
pub(super) const OF_MEMBER: &str = "llvm.ptr.annotation.";

/// Most bytes that one call may copy.
const MAX_COPIED: u64 = 1 << 16;

/// The number of the buffer that an annotation of our header for Metal names: `buffer:2`, or `id:2` in an argument buffer.
pub(super) fn annotated_buffer(text: &str) -> Option<u32> {
    let text = text.trim_end_matches('\0');
    text.strip_prefix("buffer:").or_else(|| text.strip_prefix("id:"))?.parse().ok()
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct HandleType {
    pub(super) class: ResourceClass,
    /// Type of a structured buffer's element, or of the content of a constant buffer.
    pub(super) element: Option<Type>,
    pub(super) unit: IndexUnit,
    /// True if a later pass chooses the register. Such resources are numbered in this order.
    pub(super) implicit: bool,
}

impl HandleType {
    /// The resource for a handle of this type: `target("dx.RawBuffer", %struct.T, 1, 0)`, or
    /// `target("spirv.VulkanBuffer", [0 x %struct.T], 12, 1)`.
    pub(super) fn read(ty: &Type, implicit: bool, types: &NamedTypes) -> Result<Self, IrError> {
        let Type::Target(target) = ty else { return Err(IrError::Type { what: "a handle of", ty: ty.clone() }) };
        let class = match target.numbers.first() {
            Some(0) => ResourceClass::ShaderResource,
            _ => ResourceClass::UnorderedAccess,
        };
        let opaque = |class, element| Self { class, element, unit: IndexUnit::Opaque, implicit };
        let elements = |class, element: &Type| {
            let unit = IndexUnit::Elements(types.measure(element)?.size);
            Ok(Self { class, element: Some(element.clone()), unit, implicit })
        };
        match (target.name.as_str(), &target.types[..], &target.numbers[..]) {
            ("dx.CBuffer", [content], _) | ("spirv.VulkanBuffer", [content], [UNIFORM, _]) => {
                Ok(opaque(ResourceClass::ConstantBuffer, Some(content.clone())))
            }
            ("dx.RawBuffer", [element], [_, ..]) => elements(class, element),
            ("spirv.VulkanBuffer", [Type::Array(0, element)], [STORAGE_BUFFER, 0]) => {
                elements(ResourceClass::ShaderResource, element)
            }
            ("spirv.VulkanBuffer", [Type::Array(0, element)], [STORAGE_BUFFER, _]) => {
                elements(ResourceClass::UnorderedAccess, element)
            }
            ("dx.TypedBuffer" | "dx.Texture", [_], [_, ..]) => Ok(opaque(class, None)),
            (name, _, _) => Err(IrError::unsupported("a resource of type", name)),
        }
    }
}

/// The operation in `llvm.dx.resource.getpointer.p0.tdx.RawBuffer_i32_1_0t`, or in
/// `llvm.spv.resource.getpointer.p11.tspirv.VulkanBuffer_a0i32_12_1t.i32`.
pub(super) fn resource_call(function: &str) -> Option<&str> {
    let call = function.strip_prefix("llvm.dx.").or_else(|| function.strip_prefix("llvm.spv."))?;
    call.strip_prefix("resource.")?.split('.').next()
}

fn is_constant_buffer(target: &Target) -> bool {
    target.name == "dx.CBuffer" || (target.name == "spirv.VulkanBuffer" && target.numbers.first() == Some(&UNIFORM))
}

#[derive(Clone, Debug)]
pub(crate) struct ConstantBuffer {
    /// The variable that holds its handle.
    pub(crate) variable: String,
    /// The type of the whole buffer.
    pub(crate) layout: LaidOutStruct,
    /// The variables of its members, each with its index among the members of the type.
    pub(crate) members: Vec<(String, usize)>,
}

/// The constant buffers in `!hlsl.cbs`, whose nodes name the variables of the handle and of the
/// members.
pub(super) fn constant_buffers(
    metadata: &Metadata<'_>,
    variables: &HashMap<String, GlobalVariable>,
    types: &NamedTypes,
) -> Result<Vec<ConstantBuffer>, IrError> {
    let mut buffers = Vec::new();
    for name in metadata.list("!hlsl.cbs")?.into_iter().flatten() {
        let fields = metadata.fields(name)?;
        let mut names = Vec::new();
        for field in &fields {
            match field[..] {
                [.., Token::Global(name)] => names.push(Some(name)),
                // The member's variable was removed as unused.
                [.., Token::Word("null")] => names.push(None),
                _ => {}
            }
        }
        let buffer = constant_buffer(&names, variables, types);
        buffers.push(buffer.map_err(|error| error.in_line(name))?);
    }
    Ok(buffers)
}

fn constant_buffer(
    names: &[Option<&str>],
    variables: &HashMap<String, GlobalVariable>,
    types: &NamedTypes,
) -> Result<ConstantBuffer, IrError> {
    let [Some(variable), members @ ..] = names else {
        return Err("a constant buffer without a variable".into());
    };
    let bad = |problem| IrError::name("@", variable, problem);
    let declared = variables.get(*variable).ok_or_else(|| bad("is not defined"))?;
    let layout = match &declared.ty {
        Type::Target(target) if is_constant_buffer(target) => target.types.first(),
        _ => None,
    };
    let layout = layout.ok_or_else(|| bad("is no constant buffer"))?;
    let layout = types.structure(layout)?.ok_or_else(|| bad("is no struct"))?;

    let places: Vec<usize> = (0..layout.members.len()).filter(|at| layout.members[*at].padding().is_none()).collect();
    if places.len() != members.len() {
        let name = (*variable).to_owned();
        return Err(IrError::Members { name, in_type: places.len(), variables: members.len() });
    }
    let members = members.iter().zip(places).filter_map(|(name, place)| Some(((*name)?.to_owned(), place)));
    Ok(ConstantBuffer { variable: (*variable).to_owned(), members: members.collect(), layout })
}

/// Calls the intrinsic function `name`.
pub(super) fn call(
    name: &str,
    arguments: &[Value],
    memory: &mut Memory<'_>,
    budget: &mut StepBudget,
) -> Result<Value, IrError> {
    let unknown = || Err(IrError::unsupported("a call of", name));
    let Some(short) = name.strip_prefix("llvm.") else { return unknown() };
    // The types of the arguments follow the name: `llvm.memcpy.p0.p0.i32`.
    let is = |start: &str| short.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let is_of_either = |call: &str| is(&format!("dx.{call}")) || is(&format!("spv.{call}"));

    match arguments {
        [to, from, size, ..] if is("memcpy") || is("memmove") => {
            let size = size.bits()?;
            if size > MAX_COPIED {
                return Err(IrError::limit("a copy of more than", MAX_COPIED, "bytes"));
            }
            let (to, from) = (to.pointer()?, from.pointer()?);
            budget.charge(size)?;
            memory.copy(to, from, size)?;
            Ok(Value::Undefined)
        }
        // A probe is one thread in one group.
        [_] if ["thread.id", "group.id", "thread.id.in.group"].into_iter().any(is_of_either) => Ok(Value::Bits(0)),
        [] if is_of_either("flattened.thread.id.in.group") => Ok(Value::Bits(0)),
        // Vulkan has a second buffer for the counter, which no probe counts with.
        [..] if is("spv.resource.counterhandlefromimplicitbinding") => Ok(Value::Undefined),
        [double] if is("dx.splitdouble") => double.split_double(),
        [low, high] if is("dx.asdouble") => Value::make_double(low, high),
        _ => unknown(),
    }
}
