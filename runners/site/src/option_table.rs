//! Which options of a compiler select which rule set for which kind of block.

use layoutproof_layout::find;
use layoutproof_layout::native::{Native, find_native};
use maud::{Markup, html};

use super::address::rule_link;
use layoutproof_readers::toolchain::{AppliedRules, Toolchain};

/// A kind of block: its key in the test vectors, its words, and the rule set that a compiler uses for it.
type Kind = (&'static str, &'static str, fn(&Native) -> Option<&'static str>);

pub(super) const KINDS: [Kind; 11] = [
    ("constants", "constant buffers", |native| native.constants),
    ("parameter_blocks", "parameter blocks", |native| native.parameter_blocks),
    ("texture_buffers", "texture buffers", |native| native.texture_buffers),
    ("structured", "structured buffers", |native| native.structured),
    ("byte_address", "byte-address buffers", |native| native.byte_address),
    ("push_constants", "push constants", |native| native.push_constants),
    ("shader_records", "shader records", |native| native.shader_records),
    ("entry_uniforms", "uniform entry parameters", |native| native.entry_uniforms),
    ("pointees", "pointees", |native| native.pointees),
    ("uniform_blocks", "uniform blocks", |native| native.uniform_blocks),
    ("storage_blocks", "storage blocks", |native| native.storage_blocks),
];

/// The kinds of blocks for which a compiler uses the rule set with this name.
pub(super) fn kinds_of(native: &Native, rules: &str) -> Vec<&'static str> {
    KINDS.iter().filter(|(.., of)| of(native) == Some(rules)).map(|(_, words, _)| *words).collect()
}

pub(super) fn option_table(path: &str, toolchains: &[&Toolchain]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table.words {
                thead { tr { th scope="col" { "target and compiler" } th scope="col" { "options" } th scope="col" { "rule sets" } } }
                tbody {
                    @for toolchain in toolchains {
                        tr {
                            th scope="row" { (title(toolchain)) }
                            td { (options(toolchain)) }
                            td { (rule_sets(path, toolchain)) }
                        }
                    }
                }
            }
        }
    }
}

/// The column in which people look for it.
fn title(toolchain: &Toolchain) -> String {
    toolchain.column().map_or_else(|| toolchain.name.to_owned(), |column| column.to_string())
}

fn options(toolchain: &Toolchain) -> Markup {
    let native = match toolchain.follows {
        AppliedRules::Native(name) => find_native(name),
        AppliedRules::RawLoadsByRows(_) | AppliedRules::Named(..) => None,
    };
    html! {
        @match native {
            Some(native) => { code { (native.summary) } },
            None => { code { (toolchain.compiler) @for flag in toolchain.flags { " " (flag) } } },
        }
    }
}

/// Each rule set with the kinds of blocks that use it.
fn rule_sets(path: &str, toolchain: &Toolchain) -> Markup {
    match toolchain.follows {
        AppliedRules::Native(name) => {
            find_native(name).map(|native| native_rule_sets(path, native)).unwrap_or_default()
        }
        AppliedRules::RawLoadsByRows(name) => html! {
            @if let Some(rules) = find_native(name).and_then(|native| native.byte_address) { (rule_link(path, rules)) }
            ": matrices by rows in byte-address buffers"
        },
        AppliedRules::Named(names, _) => html! {
            @for (index, name) in names.iter().enumerate() { @if index > 0 { ", " } (rule_link(path, name)) }
            ", as the source declares"
        },
    }
}

fn native_rule_sets(path: &str, native: &Native) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for name in KINDS.iter().filter_map(|(.., of)| of(native)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    html! {
        @for name in names.into_iter().filter(|name| find(name).is_some()) {
            div { (rule_link(path, name)) ": " (kinds_of(native, name).join(", ")) }
        }
    }
}
