//! `__spirv__`: DXC and Clang define it while they write SPIR-V, other compilers do not, so one file may declare other
//! blocks in different columns.

use layoutproof_layout::{Column, RuleChoice};
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::{InputContent, RuleSetLayouts, ShowInput, ShownRules};
use layoutproof_source::sources::SourceMap;

use crate::declare::DeclareArgs;
use crate::inputs::read_input;

/// Whether the compiler of a column defines the macro; `None` for a rule set.
pub fn column_defines_spirv(layouts: &RuleSetLayouts) -> Option<bool> {
    layouts.choice.and_then(RuleChoice::column).map(Column::defines_spirv)
}

/// The layouts of a file in columns, and the columns that were left out.
#[derive(Debug)]
pub struct ColumnsAsRead {
    pub layouts: Vec<RuleSetLayouts>,
    pub left_out: Vec<RuleSetLayouts>,
}

/// The layouts of `input`, which was read from `word` with these options, in the columns of `rules`. A column whose
/// compiler has the other value of the macro stays only if the file has the same blocks there. If it binds them to the
/// same places, too, the input no longer warns that the macro is not known.
///
/// # Errors
/// The file can no longer be read.
pub fn columns_as_read(
    (word, declare, profile): (&str, &DeclareArgs, Option<&str>),
    purpose: Purpose,
    rules: &ShownRules,
    input: &mut ShowInput,
    sources: &mut SourceMap,
) -> anyhow::Result<ColumnsAsRead> {
    let mut layouts = input.layouts(rules);
    let is_defined = declare.spirv().unwrap_or(false);
    let is_other = |column: &RuleSetLayouts| column_defines_spirv(column).is_some_and(|defines| defines != is_defined);
    let InputContent::Declared(_) = &input.content else { return Ok(ColumnsAsRead { layouts, left_out: Vec::new() }) };
    if !layouts.iter().any(is_other) || !declare.asks_for_spirv(sources.files()) {
        return Ok(ColumnsAsRead { layouts, left_out: Vec::new() });
    }

    let other = read_input(word, &declare.with_spirv(!is_defined), profile, purpose, sources)?.ok();
    let of_other = other.as_ref().map(|other| other.layouts(rules)).unwrap_or_default();
    let is_same = |column: &RuleSetLayouts| of_other.iter().any(|other| other == column);
    let left_out: Vec<RuleSetLayouts> = layouts.extract_if(.., |column| is_other(column) && !is_same(column)).collect();
    let places = |input: &ShowInput| {
        let others: Vec<RuleSetLayouts> = layouts.iter().filter(|column| is_other(column)).cloned().collect();
        input.usual_placements(&others, declare.entry.as_deref()).short_places()
    };
    if let Some(other) = other
        && left_out.is_empty()
        && declare.spirv().is_none()
        && places(input) == places(&other)
        && let (InputContent::Declared(own), InputContent::Declared(other)) = (&mut input.content, other.content)
    {
        own.module.warnings = other.module.warnings;
    }
    Ok(ColumnsAsRead { layouts, left_out })
}
