//! The steps that all comparisons share: a program is read by layoutproof, and rows are set side by side.

use std::collections::BTreeSet;

use layoutproof_core::bindings::{BindingRequest, BoundModule, bind};
use layoutproof_core::declare::{DeclareOptions, declare};
use layoutproof_core::input::diagnostics::render;
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::module::Module;
use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Span};

/// Name, unit, space, index, count.
pub(crate) type Row = (String, LayoutUnit, u32, u32, Count);

/// The module of a source.
pub(crate) fn module(text: &str) -> Result<Module, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("random.hlsl", text);
    let end = u32::try_from(text.len()).expect("programs are short");
    declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default())
        .map_err(|problems| format!("layoutproof does not read it: {}", render(&problems, &sources, false)))
}

/// Binds the parameters as layoutproof does: rows, or the messages of its refusal.
pub(crate) fn placed(text: &str, request: &BindingRequest) -> Result<Result<BoundModule, Vec<String>>, String> {
    let told = bind(&module(text)?, request);
    Ok(told.map_err(|problems| problems.into_iter().map(|problem| problem.message).collect()))
}

/// Both sides as sets; the difference in words.
pub(crate) fn same(ours: &BTreeSet<Row>, theirs: &BTreeSet<Row>) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    let lines = |rows: Vec<&Row>| rows.iter().map(|row| format!("    {row:?}")).collect::<Vec<_>>().join("\n");
    let only_ours = lines(ours.difference(theirs).collect());
    let only_theirs = lines(theirs.difference(ours).collect());
    Err(format!("layoutproof alone says:\n{only_ours}\nthe compiler alone says:\n{only_theirs}"))
}
