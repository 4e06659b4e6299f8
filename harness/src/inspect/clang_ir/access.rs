//! Loads and stores: a type and an address in, the bytes of private memory or of a buffer.

use super::machine::Machine;
use super::reader::MAX_PARTS;
use super::types::Type;
use super::value::{Object, Pointer, Value};

/// Bits of a byte.
const BYTE: u32 = 8;

/// Bytes of the largest scalar.
const LARGEST: u64 = 8;

/// The value of type `ty` at `pointer`.
///
/// # Errors
/// A type that has no bytes or too many parts, or a buffer that is not bound.
pub(super) fn load(machine: &mut Machine<'_>, ty: &Type, pointer: Pointer) -> Result<Value, String> {
    match ty {
        Type::Primitive(primitive) => bits(machine, pointer, bytes(primitive.width())),
        Type::Vector(count, element) => {
            let size = lane(element.width())?;
            let lanes = (0..i64::from(*count)).map(|at| bits(machine, behind(pointer, at * size), size.unsigned_abs()));
            Ok(Value::Parts(lanes.collect::<Result<_, _>>()?))
        }
        Type::Pointer | Type::Target(_) => match pointer.object {
            Object::Private(object) => Ok(machine.memory.link(object, pointer.offset)),
            Object::Resource(_) | Object::Nowhere => Err("an address or a resource in a buffer".to_owned()),
        },
        Type::Array(..) | Type::Struct(_) | Type::Named(_) => {
            limit_parts(machine, ty)?;
            let parts = parts(machine, ty)?;
            let loaded = parts.iter().map(|(part, offset)| load(machine, part, behind(pointer, *offset)));
            Ok(Value::Parts(loaded.collect::<Result<_, _>>()?))
        }
        Type::Void => Err("a load of nothing".to_owned()),
    }
}

/// Stores a value of its type at `pointer`.
///
/// # Errors
/// As for [`load`], and an undefined value that goes into a buffer.
pub(super) fn store(machine: &mut Machine<'_>, (ty, value): (&Type, Value), pointer: Pointer) -> Result<(), String> {
    match ty {
        Type::Primitive(primitive) => store_bits(machine, pointer, (bytes(primitive.width()), &value)),
        Type::Vector(count, element) => {
            let size = lane(element.width())?;
            let lanes = value.parts(*count as usize)?;
            for (at, lane) in (0..).zip(&lanes) {
                store_bits(machine, behind(pointer, at * size), (size.unsigned_abs(), lane))?;
            }
            Ok(())
        }
        Type::Pointer | Type::Target(_) => match pointer.object {
            Object::Private(object) => {
                machine.memory.store_link(object, pointer.offset, value);
                Ok(())
            }
            Object::Resource(_) | Object::Nowhere => Err("an address or a resource in a buffer".to_owned()),
        },
        Type::Array(..) | Type::Struct(_) | Type::Named(_) => {
            let parts = parts(machine, ty)?;
            let values = value.parts(parts.len())?;
            for ((part, offset), value) in parts.iter().zip(values) {
                store(machine, (part, value), behind(pointer, *offset))?;
            }
            Ok(())
        }
        Type::Void => Err("a store of nothing".to_owned()),
    }
}

/// Copies `size` bytes.
///
/// # Errors
/// A buffer that is not bound, or undefined bytes that go into one.
pub(super) fn copy(machine: &mut Machine<'_>, [to, from]: [Pointer; 2], size: u64) -> Result<(), String> {
    machine.charge(size)?;
    if let (Object::Private(to_object), Object::Private(from_object)) = (to.object, from.object) {
        machine.memory.copy((to_object, to.offset, size), (from_object, from.offset));
        return Ok(());
    }
    for at in 0..size {
        let at = i64::try_from(at).map_err(|error| error.to_string())?;
        let byte = bits(machine, behind(from, at), 1)?;
        // Padding need not be defined.
        if byte != Value::Undefined {
            store_bits(machine, behind(to, at), (1, &byte))?;
        }
    }
    Ok(())
}

/// Refuses aggregates of more scalars than anybody needs at once; of a type, its bytes say how many it can have.
///
/// # Errors
/// An aggregate that is too large.
fn limit_parts(machine: &Machine<'_>, ty: &Type) -> Result<(), String> {
    let most = u64::from(MAX_PARTS) * LARGEST;
    let size = machine.ir.types.measure(ty)?.size;
    if size > most { Err(format!("an aggregate of more than {most} bytes at once")) } else { Ok(()) }
}

/// The parts of an aggregate with their offsets.
fn parts(machine: &Machine<'_>, ty: &Type) -> Result<Vec<(Type, i64)>, String> {
    if let Type::Array(count, element) = ty {
        let size = i64::try_from(machine.ir.types.measure(element)?.size).map_err(|error| error.to_string())?;
        let count = i64::try_from(*count).ok().filter(|count| *count <= i64::from(MAX_PARTS));
        let count = count.ok_or_else(|| format!("an array of more than {MAX_PARTS} elements at once"))?;
        return Ok((0..count).map(|at| (Type::clone(element), at.wrapping_mul(size))).collect());
    }
    let own = machine.ir.types.structure(ty)?.ok_or("parts of no aggregate")?;
    let offset = |offset: &u64| i64::try_from(*offset).map_err(|error| error.to_string());
    own.members.iter().zip(&own.offsets).map(|(member, at)| Ok((member.clone(), offset(at)?))).collect()
}

fn bits(machine: &mut Machine<'_>, pointer: Pointer, size: u64) -> Result<Value, String> {
    match pointer.object {
        Object::Private(object) => Ok(machine.memory.bits((object, pointer.offset, size))),
        Object::Resource(place) => {
            if let Some(survey) = &mut machine.survey {
                survey.sites.insert(place);
                return Ok(Value::Bits(0));
            }
            // An address before the buffer is one far behind it.
            machine.buffers.load(place, (pointer.offset.cast_unsigned(), size)).map(Value::Bits)
        }
        Object::Nowhere => Ok(Value::Bits(0)),
    }
}

fn store_bits(machine: &mut Machine<'_>, pointer: Pointer, (size, value): (u64, &Value)) -> Result<(), String> {
    match pointer.object {
        Object::Private(object) => {
            let bits = if *value == Value::Undefined { None } else { Some(value.bits()?) };
            machine.memory.store_bits((object, pointer.offset, size), bits);
            Ok(())
        }
        Object::Resource(place) => {
            let bits = value.bits()?;
            if let Some(survey) = &mut machine.survey {
                survey.sites.insert(place);
                return Ok(());
            }
            machine.buffers.store(place, (pointer.offset.cast_unsigned(), size), bits)
        }
        Object::Nowhere => Ok(()),
    }
}

fn behind(pointer: Pointer, bytes: i64) -> Pointer {
    Pointer { offset: pointer.offset.wrapping_add(bytes), ..pointer }
}

fn bytes(width: u32) -> u64 {
    u64::from(width.div_ceil(BYTE))
}

/// Bytes of a vector's component.
fn lane(width: u32) -> Result<i64, String> {
    if width.is_multiple_of(BYTE) {
        Ok(i64::from(width / BYTE))
    } else {
        Err(format!("a vector of {width} bits each in memory"))
    }
}
