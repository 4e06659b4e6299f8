//! Shared code for the LLVM assembly of HLSL compilers: tokens, scalars, arithmetic, and the
//! buffers that evaluated code reads and writes.
//!
//! [`crate::dxil`] reads DXC's output (LLVM 3.7 with DXIL's operations),
//! `crate::clang_ir` reads Clang's (opaque pointers and address spaces).
//!
//! Source: LLVM Language Reference Manual.

pub(crate) mod arithmetic;
pub(crate) mod buffers;
pub(crate) mod lexer;
pub(crate) mod primitive;
