//! Tables of declarations with their meaning.

mod blocks;
mod bodies;
mod files;
mod hostile;
mod real_files;
mod refused;
mod shapes;
mod slang;
mod views;

use layoutproof_layout::Span;
use layoutproof_layout::shape::{MatrixOrder, Member, StructType, Type};

use super::{DeclareOptions, declare};
use crate::module::Module;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

/// Reads `source` as a whole file.
fn read_with(source: &str, options: &DeclareOptions) -> (SourceMap, Result<Module, Vec<Diagnostic>>) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.hlsl", source);
    let end = u32::try_from(source.len()).unwrap();
    let result = declare(&mut sources, Span { file, start: 0, end }, options);
    (sources, result)
}

fn read(source: &str) -> Module {
    let (sources, result) = read_with(source, &DeclareOptions::default());
    result.unwrap_or_else(|problems| panic!("{}", layoutproof_render::render(&problems, &sources, false)))
}

/// Returns line and code of every problem.
fn problems(source: &str) -> Vec<(u32, Code)> {
    let (sources, result) = read_with(source, &DeclareOptions::default());
    let found = match result {
        Ok(module) => module.warnings,
        Err(problems) => problems,
    };
    found.iter().map(|problem| (sources.position(problem.span()).line, problem.code)).collect()
}

/// Returns the struct in the block `name`.
fn structure(module: &Module, name: &str) -> std::sync::Arc<StructType> {
    let block = module.blocks.iter().find(|block| block.name == name).expect("the block is declared");
    match &block.element {
        Type::Struct(ty) => std::sync::Arc::clone(ty),
        other => panic!("{name} holds {other}"),
    }
}

/// Formats a type as `order type`, or only `type` without an order.
fn ordered(ty: &Type) -> String {
    let order = match ty.dimensions().0 {
        Type::Matrix { order: Some(MatrixOrder::Row), .. } => "row ",
        Type::Matrix { order: Some(MatrixOrder::Column), .. } => "column ",
        _ => "",
    };
    format!("{order}{ty}")
}

/// Formats a member as `order type name : width`, without missing parts.
fn line(member: &Member) -> String {
    let width = member.bit_width.map(|width| format!(" : {width}")).unwrap_or_default();
    format!("{} {}{width}", ordered(&member.ty), member.name)
}

/// Returns the members of the constant buffer `C` of `source`.
fn members(source: &str) -> Vec<String> {
    structure(&read(source), "C").members.iter().map(line).collect()
}

/// Returns the members of a struct, those of its base first.
fn flat(ty: &StructType) -> Vec<String> {
    let base = ty.base.as_ref().map(|base| flat(base)).unwrap_or_default();
    base.into_iter().chain(ty.members.iter().map(line)).collect()
}
