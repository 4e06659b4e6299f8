//! Executes calls of intrinsic functions of LLVM and its DirectX target.
//!
//! Source: LLVM Language Reference Manual, "Standard C/C++ Library Intrinsics"; LLVM's DirectX target, its intrinsics.

use super::access::AddressedMemory;
use super::budget::StepBudget;
use super::value::ClangValue;

/// Most bytes that one call may copy.
const MAX_COPIED: u64 = 1 << 16;

/// Bits of one half of a double.
const HALF: u32 = 32;

/// Calls the function `name`.
///
/// # Errors
/// An unknown function, or arguments that it does not accept.
pub(super) fn call(
    name: &str,
    arguments: &[ClangValue],
    memory: &mut AddressedMemory<'_>,
    budget: &mut StepBudget,
) -> Result<ClangValue, String> {
    let unknown = || Err(format!("a call of `{name}`"));
    let Some(short) = name.strip_prefix("llvm.") else { return unknown() };
    // The types of the arguments follow the name: `llvm.memcpy.p0.p0.i32`.
    let is = |start: &str| short.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));

    match arguments {
        [to, from, size, ..] if is("memcpy") || is("memmove") => {
            let size = size.bits()?;
            if size > MAX_COPIED {
                return Err(format!("a copy of more than {MAX_COPIED} bytes"));
            }
            let (to, from) = (to.pointer()?, from.pointer()?);
            budget.charge(size)?;
            memory.copy(to, from, size)?;
            Ok(ClangValue::Undefined)
        }
        // A probe is one thread in one group.
        [_] if is("dx.thread.id") || is("dx.group.id") || is("dx.thread.id.in.group") => Ok(ClangValue::Bits(0)),
        [] if is("dx.flattened.thread.id.in.group") => Ok(ClangValue::Bits(0)),
        [double] if is("dx.splitdouble") => {
            let bits = double.bits()?;
            Ok(ClangValue::Parts(vec![ClangValue::Bits(bits & u64::from(u32::MAX)), ClangValue::Bits(bits >> HALF)]))
        }
        [low, high] if is("dx.asdouble") => {
            Ok(ClangValue::Bits(u64::from(low.word()?) | u64::from(high.word()?) << HALF))
        }
        _ => unknown(),
    }
}
