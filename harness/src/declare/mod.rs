//! HLSL and Slang declarations: text in, [`crate::module::Module`] out.
//!
//! `lexer` makes tokens, `directives` replaces definitions, `parser` makes the declarations as written (`ast`),
//! `elaborate` follows names, evaluates constants, specialises generics and checks what has no layout, `blocks` says
//! which blocks of bytes there are. Function bodies are not understood; what they mention is kept.
//!
//! Not decided here: offsets, sizes and strides (see [`crate::layout`]), registers and bindings.
//!
//! Sources: the HLSL of DXC and the Slang language, as their compilers take them (DXC 1.7.2308, Slang 2026.12).

mod ast;
mod directives;
mod lexer;
mod parser;
mod problems;
