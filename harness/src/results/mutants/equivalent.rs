//! The list of rule mutants that no case can kill, each with the reason.
//!
//! An entry names rule sets, parameters and values; it explains every mutant with such a
//! combination, so no case may kill any of them. An entry is stale if a case kills one of its
//! mutants, or if it matches no mutant.

use layoutproof_layout::mutate::RuleMutant;
use layoutproof_layout::{FileId, find};

use super::mutant_table::RuleLine;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;
use layoutproof_source::toml_table::{FileProblems, TomlTable, parse, string};

/// One `[[equivalent]]` entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquivalentMutant {
    pub rules: Vec<String>,
    pub parameters: Vec<String>,
    /// Values of the mutants; empty for all.
    pub to: Vec<String>,
    /// Why no case can detect the mutant.
    pub because: String,
    /// The list that contains the entry.
    pub file: String,
    /// Line of the entry, from 1.
    pub line: u32,
}

/// Reads a list of equivalent mutants.
///
/// # Errors
/// All problems in the file.
pub fn read(file: FileId, sources: &SourceMap) -> Result<Vec<EquivalentMutant>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut problems = FileProblems::new(file, Code::BadCase, &mut found);
    let root = parse(sources, &mut problems);
    let mut table = TomlTable::new(&root);
    let entries = table.tables("equivalent", &mut problems);
    let read: Vec<_> = entries.into_iter().filter_map(|entry| entry_of(entry, sources, &mut problems)).collect();
    table.finish(&mut problems);
    if found.is_empty() { Ok(read) } else { Err(found) }
}

fn entry_of(
    mut entry: TomlTable<'_, '_>,
    sources: &SourceMap,
    problems: &mut FileProblems<'_>,
) -> Option<EquivalentMutant> {
    let rules = entry.strings("rules", problems);
    let parameters = entry.strings("parameters", problems);
    let to = entry.strings("to", problems);
    let because = entry.required("because", problems).and_then(|value| string(value, problems));

    if rules.is_empty() || parameters.is_empty() {
        problems.report(entry.range(), "an entry names `rules` and `parameters`");
    }
    for unknown in rules.iter().filter(|name| find(name).is_none()) {
        problems.report(entry.range(), format!("no rule set is called `{unknown}`"));
    }

    let span = problems.span(entry.range());
    entry.finish(problems);
    let file = sources.file(span.file).name.clone();
    Some(EquivalentMutant { rules, parameters, to, because: because?, file, line: sources.position(span).line })
}

impl EquivalentMutant {
    /// True if this is one of the entry's mutants.
    pub fn explains(&self, mutant: &RuleMutant) -> bool {
        self.covers(mutant.rules.name, &mutant.parameter, &mutant.to)
    }

    fn covers(&self, rules: &str, parameter: &str, to: &str) -> bool {
        self.rules.iter().any(|name| name == rules)
            && self.parameters.iter().any(|name| name == parameter)
            && (self.to.is_empty() || self.to.iter().any(|value| value == to))
    }
}

/// One sentence per entry that explains a mutant which a case kills, or that matches no mutant.
/// Checks only the rule sets in `lines`.
pub fn stale(entries: &[EquivalentMutant], lines: &[RuleLine]) -> Vec<String> {
    let tried = |name: &String| lines.iter().any(|line| line.rules == *name);
    let judged = entries.iter().flat_map(|entry| {
        entry.rules.iter().filter(|name| tried(name)).flat_map(move |rules| {
            entry.parameters.iter().filter_map(move |parameter| stale_part(entry, rules, parameter, lines))
        })
    });
    judged.collect()
}

fn stale_part(entry: &EquivalentMutant, rules: &str, parameter: &str, lines: &[RuleLine]) -> Option<String> {
    let place = format!("{}:{}", entry.file, entry.line);
    let mut covered = lines
        .iter()
        .filter(|line| line.rules == rules && line.parameter == parameter)
        .filter(|line| entry.covers(&line.rules, &line.parameter, &line.to))
        .peekable();

    if covered.peek().is_none() {
        return Some(format!("{place}: {rules} has no mutant of `{parameter}` to {:?}", entry.to));
    }

    let killed = covered.find(|line| !line.killers.is_empty())?;
    let first = killed.killers.cases.first().map_or("", String::as_str);
    Some(format!("{place}: {rules} with `{parameter}` {} is killed by {first}", killed.to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::mutants::mutant_table::Killers;

    const LIST: &str = r#"
[[equivalent]]
rules = ["std140", "std430"]
parameters = ["bit-fields"]
to = ["same-size"]
because = "GLSL has no bit-fields"
"#;

    fn entries(text: &str) -> Result<Vec<EquivalentMutant>, Vec<Diagnostic>> {
        let mut sources = SourceMap::default();
        let file = sources.add("list.toml", text);
        read(file, &sources)
    }

    fn line(rules: &str, killers: &[&str]) -> RuleLine {
        RuleLine {
            rules: rules.to_owned(),
            parameter: "bit-fields".to_owned(),
            from: "widening".to_owned(),
            to: "same-size".to_owned(),
            killers: Killers { cases: killers.iter().map(|id| (*id).to_owned()).collect(), stopped: false },
            equivalent: None,
        }
    }

    #[test]
    fn an_explanation_of_a_killed_mutant_is_stale() {
        let entries = entries(LIST).unwrap();
        assert_eq!(stale(&entries, &[line("std140", &[]), line("std430", &[])]), Vec::<String>::new());
        let killed = stale(&entries, &[line("std140", &[]), line("std430", &["a/b"])]);
        assert_eq!(killed, ["list.toml:2: std430 with `bit-fields` same-size is killed by a/b"]);
    }

    #[test]
    fn an_explanation_of_no_mutant_is_stale_for_the_rule_sets_that_were_tried() {
        let entries = entries(&LIST.replace("same-size", "lost")).unwrap();
        assert_eq!(
            stale(&entries, &[line("std140", &[])]),
            ["list.toml:2: std140 has no mutant of `bit-fields` to [\"lost\"]"]
        );
    }

    #[test]
    fn entries_name_rule_sets_that_exist_and_a_reason() {
        let unknown = entries(&LIST.replace("std430", "std999")).unwrap_err();
        assert_eq!(unknown[0].message, "no rule set is called `std999`");
        let silent = entries("[[equivalent]]\nrules = [\"std140\"]\nparameters = [\"enums\"]\n").unwrap_err();
        assert_eq!(silent[0].message, "`because` is missing");
    }
}
