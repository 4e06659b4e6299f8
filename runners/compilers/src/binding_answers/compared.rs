//! The steps that all comparisons share: layoutproof binds a program, and the rows of both sides
//! are compared.

use std::collections::BTreeSet;
use std::fmt;

use layoutproof_bindings::{Binding, BindingRequest, BoundModule, bind};
use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Span};
use layoutproof_source::diagnostics::render;
use layoutproof_source::sources::SourceMap;

/// The place of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BoundRow {
    /// Name of the parameter, with members and elements.
    pub name: String,
    /// Unit of its places.
    pub unit: LayoutUnit,
    /// Space or descriptor set.
    pub space: u32,
    /// First place.
    pub index: u32,
    /// Number of places.
    pub count: Count,
}

impl BoundRow {
    /// The row for one of our bindings.
    pub(super) fn of(binding: &Binding) -> Self {
        let Binding { path, unit, space, index, count, .. } = binding;
        Self { name: path.clone(), unit: *unit, space: *space, index: *index, count: *count }
    }
}

impl fmt::Display for BoundRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, unit, space, index, count } = self;
        write!(f, "{name}: {unit} {index} of space {space}, {count} of them")
    }
}

/// Parses a source into a module.
fn module(text: &str) -> Result<Module, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("random.hlsl", text);
    let end = u32::try_from(text.len()).expect("programs are short");
    declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default())
        .map_err(|problems| format!("layoutproof does not read it: {}", render(&problems, &sources, false)))
}

/// Binds the parameters with layoutproof. The inner result holds the rows, or the messages of its
/// refusal.
pub(super) fn placed(text: &str, request: &BindingRequest) -> Result<Result<BoundModule, Vec<String>>, String> {
    let told = bind(&module(text)?, request);
    Ok(told.map_err(|problems| problems.into_iter().map(|problem| problem.message).collect()))
}

/// Compares both sides as sets; an error describes the difference.
pub(super) fn same(ours: &BTreeSet<BoundRow>, theirs: &BTreeSet<BoundRow>) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    let lines = |rows: Vec<&BoundRow>| rows.iter().map(|row| format!("    {row}")).collect::<Vec<_>>().join("\n");
    let only_ours = lines(ours.difference(theirs).collect());
    let only_theirs = lines(theirs.difference(ours).collect());
    Err(format!("only layoutproof has:\n{only_ours}\nonly the compiler has:\n{only_theirs}"))
}
