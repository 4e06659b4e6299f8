//! Executes DXIL on the CPU, to find out which bytes the code of DXC or Clang for Direct3D really
//! loads.
//!
//! The input is the listing of DXC's disassembler, LLVM 3.7 assembly with comments: [`bindings`]
//! reads its table of resources, [`definitions`] its layouts, `function` its instructions;
//! [`Evaluator`] executes an entry point over the buffers of a job. Probes are straight-line code
//! of loads, arithmetic and stores. Only these are supported; everything else is rejected by name.
//!
//! Source: DirectX Intermediate Language (`DXIL.rst` of `DirectXShaderCompiler`), "DXIL
//! operations".

pub mod bindings;
pub mod definitions;
mod evaluate;
mod function;
mod machine;
mod operation;
mod resources;
mod value;

pub use evaluate::Evaluator;
