//! The parts that all LLVM assembly of HLSL compilers has in common: tokens, scalars, arithmetic, and the buffers that
//! code reads and writes while it is evaluated.
//!
//! [`crate::inspect::dxil`] reads what DXC prints (LLVM 3.7 with DXIL's operations), `crate::inspect::clang_ir` what
//! Clang prints (opaque pointers and address spaces).
//!
//! Source: LLVM Language Reference Manual.

pub(crate) mod arithmetic;
pub(crate) mod buffers;
pub(crate) mod lexer;
pub(crate) mod primitive;
