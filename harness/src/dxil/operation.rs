//! DXIL operations: which number is what, and what it does to resources.
//!
//! Source: DirectX Intermediate Language (`DXIL.rst` of `DirectXShaderCompiler`), "DXIL operations".

use super::function::Typed;
use super::machine::Machine;
use super::value::{Class, Handle, Value};

/// Number of `rawBufferLoad`'s structured buffers among the kinds of resource.
const KIND_STRUCTURED: u64 = 12;

/// Calls the operation `name` (`dx.op.rawBufferLoad.i32`).
///
/// # Errors
/// An operation that is not known, or arguments that it does not take.
pub(super) fn call(machine: &mut Machine<'_>, name: &str, arguments: &[Typed]) -> Result<Value, String> {
    let short = name.strip_prefix("dx.op.").ok_or_else(|| format!("a call of `{name}`"))?;
    let (operation, overload) = short.rsplit_once('.').unwrap_or((short, ""));
    let values: Result<Vec<Value>, String> = arguments.iter().map(|(_, operand)| machine.value(operand)).collect();
    let values = values?;
    match (operation, &values[..]) {
        ("", _) => Err(format!("a call of `{name}`")),
        _ if short == "createHandleFromBinding" => created(values.get(1), values.get(2)),
        _ if short == "annotateHandle" => annotated(values.get(1), values.get(2)),
        ("cbufferLoadLegacy", [_, handle, row]) => {
            let size = bytes_of(overload)?;
            let start = u64::from(row.word()?) * 16;
            machine.load(handle.handle()?, (start, size), 16 / size)
        }
        ("rawBufferLoad", [_, handle, index, offset, mask, _]) => {
            let handle = handle.handle()?;
            let count = mask.bits()?.checked_ilog2().map_or(0, |highest| u64::from(highest) + 1);
            machine.load(handle, (address(handle, index, offset)?, bytes_of(overload)?), count)
        }
        ("rawBufferStore", [_, handle, index, offset, stored @ .., mask, _]) => {
            let (handle, size) = (handle.handle()?, bytes_of(overload)?);
            let start = address(handle, index, offset)?;
            let mask = mask.bits()?;
            for (component, value) in (0_u64..).zip(stored).filter(|(component, _)| mask >> component & 1 == 1) {
                machine.store(handle, (start + component * size, size), value.bits()?)?;
            }
            Ok(Value::Undefined)
        }
        ("splitDouble", [_, double]) => {
            let bits = double.bits()?;
            Ok(Value::Parts(vec![Value::Bits(bits & 0xFFFF_FFFF), Value::Bits(bits >> 32)]))
        }
        _ => Err(format!("the operation `{short}`")),
    }
}

/// `{ i32 lower, i32 upper, i32 space, i8 class }`, and the register.
fn created(binding: Option<&Value>, register: Option<&Value>) -> Result<Value, String> {
    let (Some(Value::Parts(parts)), Some(register)) = (binding, register) else {
        return Err("a handle of no binding".to_owned());
    };
    let [_, _, space, class] = &parts[..] else { return Err("a binding of other parts".to_owned()) };
    let class = match class.bits()? {
        0 => Class::ShaderResource,
        1 => Class::UnorderedAccess,
        2 => Class::ConstantBuffer,
        other => return Err(format!("a resource of class {other}")),
    };
    Ok(Value::Handle(Handle { class, space: space.word()?, register: register.word()?, stride: None }))
}

/// `{ i32 kind and flags, i32 size of an element }`.
fn annotated(handle: Option<&Value>, properties: Option<&Value>) -> Result<Value, String> {
    let (Some(handle), Some(Value::Parts(parts))) = (handle, properties) else {
        return Err("a handle without properties".to_owned());
    };
    let [kind, size] = &parts[..] else { return Err("properties of other parts".to_owned()) };
    let stride = if kind.bits()? & 0xFF == KIND_STRUCTURED { Some(size.word()?) } else { None };
    Ok(Value::Handle(Handle { stride, ..handle.handle()? }))
}

/// Byte that a raw load or store addresses.
fn address(handle: Handle, index: &Value, offset: &Value) -> Result<u64, String> {
    let index = u64::from(index.word()?);
    match handle.stride {
        None => Ok(index),
        Some(stride) => Ok(index * u64::from(stride) + u64::from(offset.word()?)),
    }
}

/// Bytes of a component by the overload's name.
fn bytes_of(overload: &str) -> Result<u64, String> {
    match overload {
        "i16" | "f16" => Ok(2),
        "i32" | "f32" => Ok(4),
        "i64" | "f64" => Ok(8),
        other => Err(format!("the overload `{other}`")),
    }
}
