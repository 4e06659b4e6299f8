//! Which options of a compiler select which rule set for which kind of block.

use layoutproof_layout::find;
use layoutproof_layout::native::{Native, find_native};
use maud::{Markup, html};

use super::address::rule_link;
use layoutproof_readers::toolchain::{AppliedRules, Toolchain};

/// A kind of block with the rule set that a compiler uses for it.
struct KindRules {
    kind: &'static str,
    rules: Option<&'static str>,
}

/// The kinds of blocks for which a compiler uses the rule set with this name.
pub(super) fn kinds_of(native: &Native, rules: &str) -> Vec<&'static str> {
    kinds(native).into_iter().filter(|kind| kind.rules == Some(rules)).map(|kind| kind.kind).collect()
}

fn kinds(native: &Native) -> [KindRules; 11] {
    let kind = |kind, rules| KindRules { kind, rules };

    [
        kind("constant buffers", native.constants),
        kind("parameter blocks", native.parameter_blocks),
        kind("texture buffers", native.texture_buffers),
        kind("structured buffers", native.structured),
        kind("byte-address buffers", native.byte_address),
        kind("push constants", native.push_constants),
        kind("shader records", native.shader_records),
        kind("uniform entry parameters", native.entry_uniforms),
        kind("pointees", native.pointees),
        kind("uniform blocks", native.uniform_blocks),
        kind("storage blocks", native.storage_blocks),
    ]
}

/// The table of some toolchains.
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
        AppliedRules::Named(..) => None,
    };
    html! {
        @match native {
            Some(native) => { code { (native.summary) } },
            None => { code { (toolchain.compiler) } },
        }
    }
}

/// Each rule set with the kinds of blocks that use it.
fn rule_sets(path: &str, toolchain: &Toolchain) -> Markup {
    match toolchain.follows {
        AppliedRules::Native(name) => {
            find_native(name).map(|native| native_rule_sets(path, native)).unwrap_or_default()
        }
        AppliedRules::Named(names, _) => html! {
            @for (index, name) in names.iter().enumerate() { @if index > 0 { ", " } (rule_link(path, name)) }
            ", as the source declares"
        },
    }
}

fn native_rule_sets(path: &str, native: &Native) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for name in kinds(native).into_iter().filter_map(|kind| kind.rules) {
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
