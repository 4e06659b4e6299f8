//! Tests of layouts against literals from the documents and compilers that define them.

mod check;
mod declare;
mod dxil;
mod glsl;
mod padding;
mod properties;
mod slang;
mod slang_types;
mod spirv;
mod tables;
mod views;

pub(crate) use check::rules;
