//! Executes DXIL operations (`dx.op.*`): loads from and stores to resources, and the handles that name them.
//!
//! Source: DirectX Intermediate Language (`DXIL.rst` of `DirectXShaderCompiler`), "DXIL operations".

use super::function::DxilArgument;
use super::machine::DxilMachine;
use super::resources::{self, KIND_STRUCTURED, KIND_TBUFFER};
use super::value::{DxilHandle, DxilValue, IndexUnit};
use crate::inspect::llvm::buffers::RegisterSite;

/// Components that a store takes; the mask says which of them it writes.
const COMPONENTS: usize = 4;
/// Bytes of a register of a constant or texture buffer.
const REGISTER: u64 = 16;

/// Bytes of a component of a typed load.
const WORD: u64 = 4;

/// Calls the operation `name` (`dx.op.rawBufferLoad.i32`).
///
/// # Errors
/// An operation that is not known, or arguments that it does not take.
pub(super) fn call(machine: &mut DxilMachine<'_>, name: &str, arguments: &[DxilArgument]) -> Result<DxilValue, String> {
    let short = name.strip_prefix("dx.op.").ok_or_else(|| format!("a call of `{name}`"))?;
    let (operation, overload) = short.rsplit_once('.').unwrap_or((short, ""));
    let values: Result<Vec<DxilValue>, String> = arguments.iter().map(|(_, operand)| machine.value(operand)).collect();
    let values = values?;
    match (operation, &values[..]) {
        ("", _) => Err(format!("a call of `{name}`")),
        _ if short == "createHandleFromBinding" => created(values.get(1), values.get(2)),
        _ if short == "createHandle" => match &values[..] {
            [_, class, number, register, _] => {
                let class = resources::class(class.bits()?)?;
                let resource = machine.resource(class, number.word()?)?;
                let site = RegisterSite { class, space: resource.space, register: register.word()? };
                Ok(DxilValue::Handle(DxilHandle { site, view: resource.view }))
            }
            _ => Err("a handle of no resource".to_owned()),
        },
        _ if short == "annotateHandle" => annotated(values.get(1), values.get(2)),
        ("cbufferLoadLegacy", [_, handle, row]) => {
            let size = bytes_of(overload)?;
            let start = u64::from(row.word()?) * REGISTER;
            machine.load(handle.handle()?, start, size, REGISTER / size)
        }
        ("bufferLoad", [_, handle, row, _]) => {
            let (handle, size) = (handle.handle()?, bytes_of(overload)?);
            if handle.view != IndexUnit::Registers || size != WORD {
                return Err(format!("the operation `{short}` on no tbuffer"));
            }
            machine.load(handle, u64::from(row.word()?) * REGISTER, size, REGISTER / size)
        }
        ("rawBufferLoad", [_, handle, index, offset, mask, _]) => {
            let handle = handle.handle()?;
            let count = mask.bits()?.checked_ilog2().map_or(0, |highest| u64::from(highest) + 1);
            machine.load(handle, address(handle, index, offset)?, bytes_of(overload)?, count)
        }
        ("rawBufferStore", [_, handle, index, offset, stored @ .., mask, _]) if stored.len() == COMPONENTS => {
            let (handle, size) = (handle.handle()?, bytes_of(overload)?);
            let start = address(handle, index, offset)?;
            let mask = mask.bits()?;
            for (component, value) in (0_u64..).zip(stored).filter(|(component, _)| mask >> component & 1 == 1) {
                machine.store(handle, start + component * size, size, value.bits()?)?;
            }
            Ok(DxilValue::Undefined)
        }
        ("splitDouble", [_, double]) => {
            let bits = double.bits()?;
            Ok(DxilValue::Parts(vec![DxilValue::Bits(bits & 0xFFFF_FFFF), DxilValue::Bits(bits >> 32)]))
        }
        ("makeDouble", [_, low, high]) => Ok(DxilValue::Bits(u64::from(low.word()?) | u64::from(high.word()?) << 32)),
        _ => Err(format!("the operation `{short}`")),
    }
}

/// `{ i32 lower, i32 upper, i32 space, i8 class }`, and the register.
fn created(binding: Option<&DxilValue>, register: Option<&DxilValue>) -> Result<DxilValue, String> {
    let (Some(binding), Some(register)) = (binding, register) else {
        return Err("a handle of no binding".to_owned());
    };
    let [_, _, space, class] = parts(binding)?;
    let class = resources::class(class.bits()?)?;
    let site = RegisterSite { class, space: space.word()?, register: register.word()? };
    Ok(DxilValue::Handle(DxilHandle { site, view: IndexUnit::Bytes }))
}

/// `{ i32 kind and flags, i32 size of an element }`.
fn annotated(handle: Option<&DxilValue>, properties: Option<&DxilValue>) -> Result<DxilValue, String> {
    let (Some(handle), Some(properties)) = (handle, properties) else {
        return Err("a handle without properties".to_owned());
    };
    let [kind, size] = parts(properties)?;
    let view = match kind.bits()? & 0xFF {
        KIND_STRUCTURED => IndexUnit::Elements(size.word()?),
        KIND_TBUFFER => IndexUnit::Registers,
        _ => IndexUnit::Bytes,
    };
    Ok(DxilValue::Handle(DxilHandle { view, ..handle.handle()? }))
}

/// The parts of an aggregate constant; `zeroinitializer` is one of any shape.
fn parts<const COUNT: usize>(aggregate: &DxilValue) -> Result<[DxilValue; COUNT], String> {
    match aggregate {
        DxilValue::Parts(parts) => parts.clone().try_into().ok(),
        DxilValue::Bits(0) => Some([const { DxilValue::Bits(0) }; COUNT]),
        DxilValue::Bits(_) | DxilValue::Undefined | DxilValue::Handle(_) | DxilValue::Pointer { .. } => None,
    }
    .ok_or_else(|| format!("a constant that has not {COUNT} parts"))
}

/// Byte that a raw load or store addresses.
fn address(handle: DxilHandle, index: &DxilValue, offset: &DxilValue) -> Result<u64, String> {
    let index = u64::from(index.word()?);
    match handle.view {
        IndexUnit::Bytes => Ok(index),
        IndexUnit::Elements(stride) => Ok(index * u64::from(stride) + u64::from(offset.word()?)),
        IndexUnit::Registers => Err("a raw load or store of a tbuffer".to_owned()),
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
