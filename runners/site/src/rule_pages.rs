//! The pages of rule sets: a description, a worked example as byte maps, the parameters, and the
//! nearest neighbours.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use layoutproof_layout::mutate::{RuleParameter, parameters};
use layoutproof_layout::native::{Native, natives};
use layoutproof_layout::rules::Example;
use layoutproof_layout::{RuleSet, ShaderCompiler, ShaderTarget, table};
use maud::{Markup, html};

use super::address::{link, rule_link, rule_page, slug};
use super::compiler_pages::kinds_of;
use super::rule_table_page::RULE_TABLE_PAGE;
use super::rule_words::meaning;
use super::site_page::{SiteDraft, SiteFrame, SiteSection};
use layoutproof_report::failure::block::sentence;
use layoutproof_report::html::components::shader_code;
use layoutproof_report::html::layout_page::{legend, maps, numbers};
use layoutproof_show::layout_text::shown_columns::MergedBlock;
use layoutproof_show::layout_text::shown_columns::ShownColumn;
use layoutproof_source::shader_language::ShaderLanguage;

/// Neighbours that a page shows.
const NEIGHBOURS: usize = 3;

/// A rule set with its worked example laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSetFacts {
    pub rules: &'static RuleSet,
    /// The rule set's example, laid out under it.
    pub example: ShownColumn,
    /// The same example under the rule sets that differ in the fewest parameters, the nearest
    /// first.
    pub neighbours: Vec<ShownNeighbour>,
}

/// The example of one rule set under another.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownNeighbour {
    pub rules: &'static RuleSet,
    pub example: ShownColumn,
}

/// A parameter in which two rule sets differ.
struct ParameterDifference {
    name: String,
    here: String,
    there: String,
}

impl RuleSetFacts {
    /// The rule sets that differ from `rules` in the fewest parameters, the nearest first.
    pub fn nearest(rules: &RuleSet) -> Vec<&'static RuleSet> {
        let mut others: Vec<&'static RuleSet> = table().iter().filter(|other| other.name != rules.name).collect();
        others.sort_by_cached_key(|other| differences(rules, other).len());
        others.truncate(NEIGHBOURS);
        others
    }
}

/// The list of rule sets, and a page for each.
pub(super) fn rule_pages(facts: &[RuleSetFacts]) -> Vec<SiteDraft> {
    let mut pages = vec![list_page(facts)];
    pages.extend(facts.iter().map(rule_set_page));
    pages
}

fn list_page(facts: &[RuleSetFacts]) -> SiteDraft {
    let path = SiteSection::Rules.first_page();

    let content = html! {
        section id="compile" {
            h2 { "I compile with …" }
            (compiler_table(path))
        }
        section id="all" {
            h2 { "All rule sets" }
            p { "Every column of every rule set, with sources and worked examples, is " a href=(link(path, RULE_TABLE_PAGE)) { "one table" } "." }
            div.scroll tabindex="0" {
                table.words {
                    thead { tr { th scope="col" { "rule set" } th scope="col" { "what it is" } th scope="col" { "source" } } }
                    tbody {
                        @for RuleSetFacts { rules, .. } in facts {
                            tr {
                                th scope="row" { (rule_link(path, rules.name)) }
                                td { (rules.summary) }
                                td { (rules.source) }
                            }
                        }
                    }
                }
            }
        }
    };

    let intro = html! {
        p.lead {
            "A rule set decides where the members of a struct are in memory. Which one counts depends on the compiler, the "
            "target, and the kind of buffer."
        }
    };
    SiteFrame { path, section: SiteSection::Rules, title: "Layout rules", intro, content }
        .found_by("I compile with DXC, Slang, Clang, FXC, GLSL, WGSL, rule sets, options")
}

/// A column of the table of compilers: some kinds of blocks that share their rules.
type BlockRules = (&'static str, fn(&Native) -> Option<&'static str>);

/// The kinds of blocks that people declare most.
const BLOCK_RULES: [BlockRules; 3] = [
    ("constant buffers", |native| native.constants.or(native.uniform_blocks)),
    ("structured and storage buffers", |native| native.structured.or(native.storage_blocks)),
    ("push constants", |native| native.push_constants),
];

/// The names of compilers and languages, in the order of the table of natives, with their rows.
fn groups() -> IndexMap<&'static str, Vec<&'static Native>> {
    let mut groups: IndexMap<&str, Vec<&Native>> = IndexMap::new();
    for native in natives() {
        let name = native.column.compiler.map_or_else(|| language(native), ShaderCompiler::title);
        groups.entry(name).or_default().push(native);
    }
    groups
}

/// The language of a row without a compiler.
fn language(native: &Native) -> &'static str {
    match native.column.target {
        ShaderTarget::Webgpu => "WGSL",
        _ => "GLSL",
    }
}

/// The rule sets of each compiler's column by kind of buffer.
fn compiler_table(path: &str) -> Markup {
    let groups = groups();
    html! {
        ul.chips { @for (name, _) in &groups { li { a.chip href=(format!("#{}", slug(name))) { (name) } } } }
        @for (name, rows) in &groups {
            section.compiler id=(slug(name)) {
                h3 { (name) }
                div.scroll tabindex="0" role="region" aria-label=(format!("Rule sets of {name}")) {
                    table.words {
                        thead {
                            tr {
                                th scope="col" { "target" }
                                @for (kinds, _) in BLOCK_RULES { th scope="col" { (kinds) } }
                                th scope="col" { "options" }
                            }
                        }
                        tbody {
                            @for native in rows {
                                tr {
                                    th scope="row" { (column_title(native)) }
                                    @for (_, rules) in BLOCK_RULES {
                                        td { @match rules(native) { Some(name) => { (rule_link(path, name)) }, None => { "–" } } }
                                    }
                                    td { code { (native.summary) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The title of a compiler's column, or of the language.
fn column_title(native: &Native) -> String {
    match native.column.compiler {
        Some(_) => native.column.to_string(),
        None => format!("{} · {}", native.column, language(native)),
    }
}

fn rule_set_page(facts: &RuleSetFacts) -> SiteDraft {
    let rules = facts.rules;
    let path = rule_page(rules.name);

    let intro = html! {
        p.lead { (sentence(rules.summary)) }
        p.note { "Source: " (sentence(rules.source)) }
        @if let Some(versions) = &rules.versions {
            p.note {
                "Of " (versions.compiler)
                @if let Some(from) = versions.from { " from " (from) " on" }
                @if let Some(before) = versions.before { " before " (before) }
                " only."
            }
        }
    };

    let content = html! {
        (who_takes_it(rules))
        (worked_example(facts))
        (neighbours(&path, facts))
        (parameter_table(rules))
    };
    SiteFrame { path: &path, section: SiteSection::Rules, title: rules.name, intro, content }.found_by(rules.summary)
}

fn worked_example(facts: &RuleSetFacts) -> Markup {
    let Example { declaration, offsets, size } = facts.rules.example;
    let columns: Vec<ShownColumn> =
        [&facts.example].into_iter().chain(facts.neighbours.iter().map(|other| &other.example)).cloned().collect();
    let merged = MergedBlock::all(&columns);
    let offsets: Vec<String> = offsets.iter().map(u32::to_string).collect();

    html! {
        section id="example" {
            h2 { "Worked example" }
            (shader_code("HLSL", declaration, ShaderLanguage::Hlsl))
            p { "Offsets " (offsets.join(", ")) "; " (size) " bytes. The nearest rule sets are next to it." }
            (legend())
            div.lights {
                @for block in &merged {
                    (numbers(&block.columns, ShaderLanguage::Hlsl))
                    (maps(&block.columns, ShaderLanguage::Hlsl))
                }
            }
            @for refused in merged.iter().flat_map(|block| &block.forbidden) {
                @for reason in refused.block.refusals() { p.note.bad { "Forbidden under " (refused.name.to_string()) ": " (reason.to_string()) } }
            }
        }
    }
}

fn neighbours(path: &str, facts: &RuleSetFacts) -> Markup {
    html! {
        section id="neighbours" {
            h2 { "What differs from its neighbours" }
            @for ShownNeighbour { rules, .. } in &facts.neighbours {
                h3 { (rule_link(path, rules.name)) " " span.dim { (rules.summary) } }
                @let differing = differences(facts.rules, rules);
                @if differing.is_empty() {
                    p { "The same parameters." }
                } @else {
                    div.scroll tabindex="0" {
                        table.words {
                            thead { tr { th scope="col" { "parameter" } th scope="col" { (facts.rules.name) } th scope="col" { (rules.name) } } }
                            tbody {
                                @for ParameterDifference { name, here, there } in &differing {
                                    tr { th scope="row" { code { (name) } } td { (here) } td { (there) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The parameters in which two rule sets differ. A rule set without separate rules for direct
/// members lacks those parameters.
fn differences(here: &RuleSet, there: &RuleSet) -> Vec<ParameterDifference> {
    let values = |rules| parameters(rules).into_iter().map(|RuleParameter { name, value }| (name, value));
    let others: BTreeMap<String, String> = values(there).collect();
    let own: Vec<(String, String)> = values(here).collect();

    let mut differing = Vec::new();
    for (name, value) in &own {
        let there = others.get(name).map_or("–", String::as_str);
        if there != value {
            differing.push(ParameterDifference { name: name.clone(), here: value.clone(), there: there.to_owned() });
        }
    }
    let missing = others.into_iter().filter(|(name, _)| !own.iter().any(|(known, _)| known == name));
    differing.extend(missing.map(|(name, there)| ParameterDifference { name, here: "–".to_owned(), there }));
    differing
}

fn parameter_table(rules: &RuleSet) -> Markup {
    html! {
        section id="parameters" {
            h2 { "Its parameters" }
            div.scroll tabindex="0" {
                table.words {
                    thead { tr { th scope="col" { "parameter" } th scope="col" { "value" } th scope="col" { "what it decides" } } }
                    tbody {
                        @for RuleParameter { name, value } in parameters(rules) {
                            tr { th scope="row" { code { (name) } } td { (value) } td { (meaning(&name).unwrap_or_default()) } }
                        }
                    }
                }
            }
        }
    }
}

/// The compilers that use the rule set by default, with the blocks for which they do.
fn who_takes_it(rules: &RuleSet) -> Markup {
    html! {
        section id="compilers" {
            h2 { "Compilers that use it" }
            @let taking: Vec<_> = natives().iter().map(|native| (native, kinds_of(native, rules.name))).collect();
            @let taking: Vec<_> = taking.into_iter().filter(|(_, kinds)| !kinds.is_empty()).collect();
            @if taking.is_empty() {
                p { "No compiler uses it by default; a source or an option selects it." }
            } @else {
                ul { @for (native, kinds) in &taking { li { b { (column_title(native)) } ": " (kinds.join(", ")) " · " code { (native.summary) } } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::find;

    use super::*;

    #[test]
    fn neighbours_differ_in_the_fewest_parameters() {
        let std140 = find("std140").unwrap();
        let nearest = RuleSetFacts::nearest(std140);
        let names: Vec<&str> = nearest.iter().map(|rules| rules.name).collect();
        assert!(names.contains(&"std140@slang"), "{names:?}");
        let counts: Vec<usize> = nearest.iter().map(|other| differences(std140, other).len()).collect();
        assert!(counts.is_sorted(), "{counts:?}");
    }

    #[test]
    fn a_rule_set_without_rules_for_direct_members_says_so() {
        let differing = differences(find("slang-cbuffer").unwrap(), find("hlsl-cbuffer").unwrap());
        let direct = differing.iter().find(|it| it.name == "direct.straddle").unwrap();
        assert_eq!((direct.here.as_str(), direct.there.as_str()), ("–", "no-member"));
    }
}
