//! Writes what differed in a run as a list of known differences, for `run --save-known`.
//!
//! Checks that differ alike share an entry: the same culprit, device and driver version, the same
//! shaders, and the same kind of number. The reasons stay blank, and a list with a blank reason is
//! refused: people write them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use layoutproof_device::DeviceInfo;
use layoutproof_layout::Quantity;
use layoutproof_probes::AddressSpace;

use super::drivers::Drivers;
use super::instead::Instead;
use crate::check::verdict::Validation;
use layoutproof_events::ShaderMaker;
use layoutproof_events::producer::Producer;
use layoutproof_events::{CheckRecord, Culprit, Outcome, RecordValue, Row, ToolBuild, Witness};

/// The most characters of a message that an entry repeats.
const MOST_OF_A_MESSAGE: usize = 80;

/// The conditions of an entry, except its cases and producers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    culprit: Option<Culprit>,
    /// Id, API and driver, unless a compiler or our own rules are to blame: their differences are the
    /// same on every device.
    device: Option<(String, &'static str, String)>,
    /// The convention of a check of bindings, which an entry without `rules` does not cover.
    rules: Option<String>,
    /// The space of all rows that differ, if they share one.
    space: Option<AddressSpace>,
    /// The kinds of numbers that differ. An entry has no key for them, but they tell mechanisms apart.
    /// Guards only say that bytes next to a member were read or written, too.
    kinds: BTreeSet<Quantity>,
    says: Option<String>,
    validation: Option<String>,
}

/// The checks of one case that one entry covers.
#[derive(Clone, Debug, Default)]
struct CaseChecks<'a> {
    producers: BTreeSet<String>,
    checks: Vec<&'a CheckRecord>,
}

/// The list. `tools` are the versions of compilers by name, as in the first line of records.
pub fn baseline(checks: &[CheckRecord], devices: &[DeviceInfo], tools: &BTreeMap<String, ToolBuild>) -> String {
    let mut by_case: BTreeMap<(Shape, &str), CaseChecks<'_>> = BTreeMap::new();
    for check in checks {
        for shape in shapes_of(check, devices) {
            let of_case = by_case.entry((shape, check.id.case.as_str())).or_default();
            of_case.producers.insert(check.id.producer.to_string());
            of_case.checks.push(check);
        }
    }

    // Cases with other producers get another entry: one for both would be stale for a compiler that
    // agrees about one of them.
    let mut entries: BTreeMap<(Shape, BTreeSet<String>), Vec<CaseChecks<'_>>> = BTreeMap::new();
    for ((shape, _), of_case) in by_case {
        entries.entry((shape, of_case.producers.clone())).or_default().push(of_case);
    }

    let mut text =
        "# What differed in a run. Read each entry, and write the reason why it may differ: `--known` refuses\n\
                    # the list as long as one is blank. Remove an entry if its checks are to fail.\n"
            .to_owned();
    for ((shape, producers), cases) in &entries {
        text += &entry(shape, producers, cases, tools);
    }
    if entries.is_empty() {
        text += "# Nothing differed.\n";
    }
    text
}

/// The entries that a check needs: none if it agrees, two if a part of it differs and another broke.
fn shapes_of(check: &CheckRecord, devices: &[DeviceInfo]) -> Vec<Shape> {
    let (culprit, differs, broke) = match &check.outcome {
        Outcome::Differs { culprit, broke, .. } => (Some(*culprit), true, broke.as_ref()),
        Outcome::Broken { reasons, culprit, .. } => (*culprit, false, Some(reasons)),
        Outcome::Agrees | Outcome::Known { .. } | Outcome::Stale(_) | Outcome::Skipped { .. } => return Vec::new(),
    };

    let is_of_device = matches!(culprit, None | Some(Culprit::Device | Culprit::Unclear));
    let device = check.id.device.as_ref().filter(|_| is_of_device).map(|id| {
        let driver = devices.iter().find(|device| check.id.is_on(device)).map_or("", |device| device.driver.as_str());
        (id.id.clone(), id.runner.as_str(), driver.to_owned())
    });
    let validation = match &check.validation {
        Validation::ValidOnlyWith { feature, .. } => Some(format!("valid only with {feature}: *")),
        Validation::Valid | Validation::NotRun(_) | Validation::Invalid(_) => None,
    };

    let shape = Shape {
        culprit,
        device,
        rules: check.bound.is_some().then(|| check.id.rules.to_string()),
        space: None,
        kinds: BTreeSet::new(),
        says: None,
        validation,
    };
    let mut shapes = Vec::new();
    if differs {
        let rows: Vec<&Row> = check.rows.iter().filter(|row| row.differs()).collect();
        let spaces: BTreeSet<_> = rows.iter().map(|row| row.access.map(|access| access.space)).collect();
        let space = spaces.first().copied().flatten().filter(|_| spaces.len() == 1);
        let kinds = rows.iter().map(|row| row.what).filter(|kind| *kind != Quantity::Guard).collect();
        shapes.push(Shape { space, kinds, ..shape.clone() });
    }
    if let Some(reasons) = broke {
        shapes.push(Shape { says: Some(pattern_of(&reasons.first.to_string())), ..shape });
    }
    shapes
}

/// A pattern for messages like this one: its first line, without numbers of several digits, which
/// are addresses, times and sizes.
fn pattern_of(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let mut pattern = String::from("*");
    let mut digits = String::new();
    for letter in line.chars().take(MOST_OF_A_MESSAGE).chain([' ']) {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        if digits.len() > 2 {
            pattern.push('*');
        } else {
            pattern += &digits;
        }
        digits.clear();
        pattern.push(letter);
    }
    format!("{}*", pattern.trim_end().trim_end_matches('*'))
}

fn entry(
    shape: &Shape,
    producers: &BTreeSet<String>,
    cases: &[CaseChecks<'_>],
    tools: &BTreeMap<String, ToolBuild>,
) -> String {
    let checks: Vec<&CheckRecord> = cases.iter().flat_map(|of_case| of_case.checks.iter().copied()).collect();
    let mut text = format!("\n{}[[known]]\n", example(&checks));
    let mut line = |key: &str, value: String| writeln!(text, "{key} = {value}").expect("a string takes every line");
    let of_cases: BTreeSet<&str> = checks.iter().map(|check| check.id.case.as_str()).collect();
    line("case", list(of_cases.into_iter(), 1));
    line("producer", list(producers.iter().map(String::as_str), 4));
    if let Some(rules) = &shape.rules {
        line("rules", quoted(rules));
    }
    if let Some((id, runner, driver)) = &shape.device {
        line("device", quoted(id));
        line("runner", quoted(runner));
        line("driver", quoted(&Drivers::value_for(driver)));
    }
    if let Some(space) = shape.space {
        line("space", quoted(space.as_str()));
    }
    if let Some(culprit) = shape.culprit {
        line("culprit", quoted(culprit.as_str()));
    }
    if let Some(says) = &shape.says {
        line("says", quoted(says));
    }
    if let Some(validation) = &shape.validation {
        line("validation", quoted(validation));
    }
    line("reason", quoted(""));
    let seen = shape.device.as_ref().map_or_else(|| versions(&checks, tools), |(_, _, driver)| driver.clone());
    if !seen.is_empty() {
        line("seen", quoted(&seen));
    }
    if shape.says.is_none() {
        text += &numbers(&Instead::of(checks));
    }
    text
}

/// The tables of an entry with the wrong numbers that it excuses.
fn numbers(instead: &Instead) -> String {
    let mut text = String::new();
    for (case, numbers) in instead.by_case() {
        writeln!(text, "\n[known.instead.{}]", quoted(case)).expect("a string takes every line");
        for (name, values) in numbers {
            let values = values.iter().map(|value| match value {
                RecordValue::Number(number) => number.to_string(),
                RecordValue::Text(text) => quoted(text),
            });
            let values: Vec<String> = values.collect();
            writeln!(text, "{} = [{}]", quoted(name), values.join(", ")).expect("a string takes every line");
        }
    }
    text
}

/// A comment with the number of checks and one of them.
fn example(checks: &[&CheckRecord]) -> String {
    let [first, ..] = checks else { return String::new() };
    let number = if checks.len() == 1 { "1 check".to_owned() } else { format!("{} checks", checks.len()) };
    let what = match first.rows.iter().find(|row| row.differs()) {
        Some(row) => {
            let value = |witness: Witness| Some(format!("{} {}", witness.as_str(), row.witnesses.of(witness)?));
            let values: Vec<String> = Witness::ALL.into_iter().filter_map(value).collect();
            format!("{}: {}", row.path, values.join(", "))
        }
        None => first.outcome.reasons().map(ToString::to_string).unwrap_or_default(),
    };
    let what: String = what.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(110).collect();
    format!("# {number}, for example {}\n# {what}\n", first.id)
}

/// The versions of the compilers that made these shaders, without the digests of their files.
fn versions(checks: &[&CheckRecord], tools: &BTreeMap<String, ToolBuild>) -> String {
    let version = |check: &&CheckRecord| {
        let ShaderMaker::Producer(producer) = check.id.producer else { return None };
        let tool = match producer {
            Producer::Compiler(toolchain) => toolchain.compiler,
            Producer::Generator(generator) => generator.as_str(),
        };
        let version = &tools.get(tool)?.version;
        Some(if version.to_lowercase().contains(tool) { version.clone() } else { format!("{tool} {version}") })
    };
    checks.iter().filter_map(version).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// One text, or a list of several: on one line if they are at most `on_a_line`.
fn list<'a>(words: impl Iterator<Item = &'a str>, on_a_line: usize) -> String {
    let words: Vec<String> = words.map(quoted).collect();
    match words.as_slice() {
        [word] => word.clone(),
        words if words.len() <= on_a_line => format!("[{}]", words.join(", ")),
        words => format!("[\n    {},\n]", words.join(",\n    ")),
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_has_no_addresses() {
        let said = "worker died of SIGSEGV; last output: at 0x7f00123456 in pass 12";
        assert_eq!(
            pattern_of(said),
            "*worker died of SIGSEGV; last output: at 0x7f*in pass 12*".replace("7f*in", "7f* in")
        );
        assert_eq!(pattern_of("a\nb"), "*a*");
        assert_eq!(pattern_of("job 1234"), "*job *");
    }

    #[test]
    fn texts_become_strings_of_toml() {
        assert_eq!(quoted("a \"b\" \\ c\n"), r#""a \"b\" \\ c ""#);
        assert_eq!(list(["a"].into_iter(), 1), r#""a""#);
        assert_eq!(list(["a", "b"].into_iter(), 1), "[\n    \"a\",\n    \"b\",\n]");
    }
}
