//! The rule table as data.

use std::collections::BTreeMap;

use layoutproof_layout::native::{Native, natives};
use layoutproof_layout::{self as layout, table};
use serde_json::Value;

use crate::format::{Example, RuleSet, Rules, UsedBy};
use crate::{SCHEMA, VERSION};

/// Every rule set with all of its columns, and the compilers that apply it.
pub fn rules() -> serde_json::Result<Rules> {
    let rules = table().iter().map(rule_set).collect::<serde_json::Result<_>>()?;
    let used_by = natives().iter().map(used_by).collect();
    Ok(Rules { schema: SCHEMA, layoutproof: VERSION.to_owned(), rules, used_by })
}

/// The text of `rules.json`.
pub fn rules_json(rules: &Rules) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(rules)? + "\n")
}

fn rule_set(rules: &layout::RuleSet) -> serde_json::Result<RuleSet> {
    let mut columns: BTreeMap<String, Value> = serde_json::from_value(serde_json::to_value(rules)?)?;
    for named_apart in ["name", "summary", "source", "example"] {
        columns.remove(named_apart);
    }
    Ok(RuleSet {
        name: rules.name.to_owned(),
        summary: rules.summary.to_owned(),
        source: rules.source.to_owned(),
        example: Example {
            declaration: rules.example.declaration.to_owned(),
            offsets: rules.example.offsets.to_vec(),
            size: rules.example.size,
        },
        columns,
    })
}

fn used_by(native: &Native) -> UsedBy {
    let blocks = [
        ("constants", native.constants),
        ("parameter_blocks", native.parameter_blocks),
        ("texture_buffers", native.texture_buffers),
        ("structured", native.structured),
        ("byte_address", native.byte_address),
        ("push_constants", native.push_constants),
        ("shader_records", native.shader_records),
        ("entry_uniforms", native.entry_uniforms),
        ("pointees", native.pointees),
        ("uniform_blocks", native.uniform_blocks),
        ("storage_blocks", native.storage_blocks),
    ];
    let named = blocks.into_iter().filter_map(|(kind, rules)| Some((kind.to_owned(), rules?.to_owned())));
    UsedBy {
        title: native.column.to_string(),
        command: native.summary.to_owned(),
        since: native.column.version.map(str::to_owned),
        blocks: named.collect(),
    }
}
