//! `layoutproof mutants`: plants faults one at a time and prints which cases notice.

use std::sync::Arc;

use layoutproof::check::{Produced, Producer, Settings, Source, Subject};
use layoutproof::layout::{RuleSet, find, table};
use layoutproof::model::MISREADINGS;
use layoutproof::mutants::MutantTable;
use layoutproof::mutants::devices::{DeviceLine, ModelCheck, try_misreading};
use layoutproof::mutants::equivalent::{self, Equivalent};
use layoutproof::mutants::rules::{RuleLine, try_rules};
use layoutproof::record::{Form, SCHEMA};
use layoutproof::report::summary::Exit;
use layoutproof::report::{Style, mutant_table};
use layoutproof::sources::SourceMap;

use crate::args::{Format, MutantsArgs};
use crate::inputs::Cases;
use crate::output::print;
use crate::selection::{Refused, rule_set};

/// The explained survivors.
const EQUIVALENTS: &str = include_str!("../../../ci/equivalent-mutants.toml");

/// Where [`EQUIVALENTS`] stands, for messages.
const EQUIVALENTS_NAME: &str = "ci/equivalent-mutants.toml";

/// As many killers of a misreading are enough, unless all are asked for.
const ENOUGH: usize = 3;

/// Tries all mutants. A survivor that nobody has explained, or a stale explanation, is exit code 1.
///
/// # Errors
/// Unknown rule sets, and every problem of the cases and of the explanations.
pub(crate) fn mutants(args: &MutantsArgs, style: Style) -> anyhow::Result<Exit> {
    let named = args.rules.iter().map(|name| rule_set(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let rows: Vec<&RuleSet> = if named.is_empty() { table().iter().collect() } else { named.clone() };
    let equivalents = equivalents()?;
    let cases = sources(args)?;
    let rules: Vec<RuleLine> = rows.iter().flat_map(|row| try_rules(row, &cases, &equivalents)).collect();
    let devices = if named.is_empty() { try_devices(&cases, (!args.all).then_some(ENOUGH)) } else { Vec::new() };
    let stale = equivalent::stale(&equivalents, &rules);
    let mutants = MutantTable { schema: SCHEMA, rules, devices, stale };
    match args.format {
        Format::Json => print(&format!("{}\n", serde_json::to_string(&mutants)?)),
        Format::Text => {
            let every_line = args.all || !named.is_empty();
            print(&mutant_table::mutant_table(&mutants, every_line, style));
        }
    }
    Ok(if mutants.is_clean() { Exit::Agree } else { Exit::Differ })
}

fn equivalents() -> anyhow::Result<Vec<Equivalent>> {
    let mut sources = SourceMap::default();
    let file = sources.add(EQUIVALENTS_NAME, EQUIVALENTS);
    equivalent::read(file, &sources).map_err(|diagnostics| Refused { diagnostics, sources }.into())
}

/// Every case whose declarations are not refused.
fn sources(args: &MutantsArgs) -> anyhow::Result<Vec<Arc<Source>>> {
    let cases = Cases::load(&args.cases)?;
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    let mut read = Vec::new();
    for case in cases.read(&cases.matching(&[]), &mut sources, &mut diagnostics) {
        match Source::of_case(&case, &mut sources) {
            Ok(source) => read.extend(source.map(Arc::new)),
            Err(found) => diagnostics.extend(found),
        }
    }
    if diagnostics.is_empty() { Ok(read) } else { Err(Refused { diagnostics, sources }.into()) }
}

fn try_devices(cases: &[Arc<Source>], enough: Option<usize>) -> Vec<DeviceLine> {
    let settings = Settings { forms: [Form::Leaf, Form::Vector, Form::Whole].into(), planted_rules: None };
    let expected = cases.iter().flat_map(|source| source.expect.iter().map(move |it| (source, find(&it.rules))));
    let subjects = expected.filter_map(|(source, rules)| Some(Subject::new(Arc::clone(source), rules?)));
    let checks = subjects.filter_map(|subject| {
        let produced = Produced::new(&subject, Producer::Rspirv, &settings);
        ModelCheck::new(Arc::new(subject), produced)
    });
    let checks: Vec<ModelCheck> = checks.collect();
    MISREADINGS.iter().map(|misreading| try_misreading(*misreading, &checks, enough)).collect()
}
