//! The page of the rule table, from the data that `layoutproof dev vectors` writes: which compiler and option uses which rule
//! set, every column with its values, and the worked examples with their sources.

use indexmap::IndexMap;
use layoutproof_layout::mutate::parameters;
use layoutproof_layout::table;
use layoutproof_vectors_writer::format::{RuleSet, Rules, UsedBy};
use maud::{Markup, html};
use serde_json::Value;

use super::address::{link, rule_link, slug};
use super::compiler_pages::KINDS;
use super::rule_words::meaning;
use super::site_page::{SiteDraft, SiteFrame, SitePage, SiteSection};
use layoutproof_report::html::components::plain_code;

pub(super) const RULE_TABLE_PAGE: &str = "rules/table.html";
const RULE_TABLE_FILE: &str = "rules/rules.json";
const SCHEMA_FILE: &str = "rules/vectors.schema.json";

/// The rule table as data, and the text of its file.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleTableFacts {
    pub rules: Rules,
    pub text: String,
}

/// The most rule sets that the most frequent value of a column lists by name. If there are more, the page shows only their
/// number.
const NAMED_RULE_SETS: usize = 8;

/// The page. The search finds each column by its name and meaning.
pub(super) fn rule_table_page(facts: &RuleTableFacts) -> SiteDraft {
    let path = RULE_TABLE_PAGE;
    let columns = columns(&facts.rules.rules);
    let content = html! {
        section id="used" {
            h2 { "Which compiler and option uses which" }
            ol.rows { @for used in &facts.rules.used_by { (used_row(path, used)) } }
        }
        section id="columns" {
            h2 { "Every column" }
            p { "A rule set is a value in each column. Those at the end only describe it; two that agree in all others lay out alike." }
            ol.rows { @for column in &columns { (column_row(path, column)) } }
        }
        section id="examples" {
            h2 { "Worked examples and sources" }
            (example_table(path, &facts.rules.rules))
        }
        section id="data" {
            h2 { "As data" }
            p {
                "This page shows " a href=(link(path, RULE_TABLE_FILE)) { "rules.json" } ", which has a "
                a href=(link(path, SCHEMA_FILE)) { "JSON Schema" } ". The file is part of the test vectors, which other layout code "
                "can run; the command writes them as packages for Rust, npm and Python:"
            }
            (plain_code("shell", "layoutproof dev vectors DIR"))
        }
    };
    let intro = html! {
        p.lead {
            "Where DXC, Slang, Clang, FXC, GLSL, WGSL, Metal and CUDA put the members of a struct, as "
            (facts.rules.rules.len()) " sets of rules."
        }
    };
    let draft = SiteFrame { path, section: SiteSection::Rules, title: "The rule table", intro, content }
        .found_by("every column, compilers, options, worked examples, sources, rules.json");
    columns.iter().fold(draft, |draft, column| draft.with_place(&column.anchor(), &column.name, column.meaning()))
}

pub(super) fn rule_table_files(facts: &RuleTableFacts) -> [SitePage; 2] {
    [
        SitePage { path: RULE_TABLE_FILE.to_owned(), text: facts.text.clone() },
        SitePage { path: SCHEMA_FILE.to_owned(), text: layoutproof_vectors_writer::VECTORS_SCHEMA.to_owned() },
    ]
}

/// A compiler with its options, and each rule set that it uses with the kinds of blocks.
fn used_row(path: &str, used: &UsedBy) -> Markup {
    let mut by_rules: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for (kind, words, _) in KINDS {
        if let Some(rules) = used.blocks.get(kind) {
            by_rules.entry(rules).or_default().push(words);
        }
    }
    html! {
        li {
            div {
                h3 { (used.title) }
                p.note { code { (used.command) } }
            }
            ul.values { @for (rules, kinds) in &by_rules { li { (rule_link(path, rules)) span { (kinds.join(", ")) } } } }
        }
    }
}

/// A column of the table: each value with its rule sets, the most frequent value last.
struct RuleColumn<'a> {
    /// As in the data, with a dot before a part: `members.straddle`.
    name: String,
    values: Vec<(String, Vec<&'a str>)>,
}

impl RuleColumn<'_> {
    fn anchor(&self) -> String {
        format!("column-{}", slug(&self.name))
    }

    fn meaning(&self) -> &'static str {
        meaning(&parameter_name(&self.name)).unwrap_or_default()
    }
}

/// The name of a column's parameter on the pages of rule sets.
fn parameter_name(column: &str) -> String {
    column.replace('_', "-")
}

/// All columns: those that place bytes in the order of the rule sets' pages, then those that describe.
fn columns(rules: &[RuleSet]) -> Vec<RuleColumn<'_>> {
    let mut columns: Vec<RuleColumn<'_>> = Vec::new();
    for RuleSet { name: rules, columns: own, .. } in rules {
        for (name, value) in own.iter().flat_map(|(name, value)| parts(name, value)) {
            let at = columns.iter().position(|column| column.name == name).unwrap_or_else(|| {
                columns.push(RuleColumn { name, values: Vec::new() });
                columns.len() - 1
            });
            let values = &mut columns[at].values;
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, same)) => same.push(rules),
                None => values.push((value, vec![rules])),
            }
        }
    }
    for column in &mut columns {
        column.values.sort_by_key(|(_, rules)| rules.len());
    }

    let order: Vec<String> = table().iter().flat_map(parameters).map(|parameter| parameter.name).collect();
    let place = |column: &RuleColumn<'_>| order.iter().position(|name| *name == parameter_name(&column.name));
    columns.sort_by_key(|column| place(column).unwrap_or(order.len()));
    columns
}

/// The columns of a value: the placement of members has several.
fn parts(name: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(placement) if matches!(name, "members" | "direct") => {
            let own = (name == "direct").then(|| (name.to_owned(), "own columns".to_owned()));
            let parts = placement.iter().map(|(part, value)| (format!("{name}.{part}"), words(value)));
            own.into_iter().chain(parts).collect()
        }
        _ => vec![(name.to_owned(), words(value))],
    }
}

/// A value as text: `16`, `yes`, `power-of-two`, `pointer, size 8`.
fn words(value: &Value) -> String {
    let joined = |words: Vec<String>| if words.is_empty() { "nothing".to_owned() } else { words.join(", ") };
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(values) => joined(values.iter().map(words).collect()),
        Value::Object(fields) => {
            let has_value = fields.iter().filter(|(_, value)| !value.is_null());
            joined(has_value.map(|(name, value)| format!("{} {}", name.replace('_', " "), words(value))).collect())
        }
    }
}

fn column_row(path: &str, column: &RuleColumn<'_>) -> Markup {
    let last = column.values.len().saturating_sub(1);
    html! {
        li id=(column.anchor()) {
            div {
                h3 {
                    code {
                        // Long names break after the dot.
                        @match column.name.split_once('.') { Some((part, name)) => { (part) "." wbr; (name) }, None => { (column.name) } }
                    }
                }
                p.note { (column.meaning()) }
            }
            ul.values {
                @for (at, (value, rules)) in column.values.iter().enumerate() {
                    li {
                        span { code { (value) } }
                        @if at == last && rules.len() > NAMED_RULE_SETS {
                            span.dim { @if at == 0 { "all " } @else { "the other " } (rules.len()) }
                        } @else {
                            span { @for rules in rules { (rule_link(path, rules)) " " } }
                        }
                    }
                }
            }
        }
    }
}

fn example_table(path: &str, rules: &[RuleSet]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Worked examples" {
            table.words.examples {
                thead {
                    tr {
                        @for head in ["rule set", "declaration", "offsets", "size", "source"] { th scope="col" { (head) } }
                    }
                }
                tbody {
                    @for RuleSet { name, source, example, .. } in rules {
                        tr {
                            th scope="row" { (rule_link(path, name)) }
                            td { code { (example.declaration) } }
                            td { (example.offsets.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")) }
                            td { (example.size) }
                            td { (source) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_words_and_every_kind_of_block_a_column() {
        let rules = layoutproof_vectors_writer::rules().unwrap();
        for column in columns(&rules.rules) {
            assert_ne!(column.meaning(), "", "{}", column.name);
        }
        for kind in rules.used_by.iter().flat_map(|used| used.blocks.keys()) {
            assert!(KINDS.iter().any(|(known, ..)| known == kind), "{kind}");
        }
    }

    #[test]
    fn a_value_of_every_rule_set_is_in_its_column() {
        let rules = layoutproof_vectors_writer::rules().unwrap();
        let columns = columns(&rules.rules);
        let straddle = columns.iter().find(|column| column.name == "members.straddle").unwrap();
        let counts: usize = straddle.values.iter().map(|(_, rules)| rules.len()).sum();
        assert_eq!(counts, rules.rules.len());
        let (allowed, _) = straddle.values.last().unwrap();
        assert_eq!(allowed, "allowed");
    }
}
