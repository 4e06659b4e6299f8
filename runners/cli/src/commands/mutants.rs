//! `layoutproof mutants`: plants faults one at a time and prints which cases notice.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use layoutproof_built_in::EQUIVALENT_MUTANTS;
use layoutproof_core::check::{
    BindingCheck, Generator, Proof, Settings, Source, Subject, SubjectShaders, share_shaders,
};
use layoutproof_core::results::mutants::devices::{ModelCheck, ModelChecks, try_misreading};
use layoutproof_core::results::mutants::equivalent::{self, EquivalentMutant};
use layoutproof_core::results::mutants::rules::try_rules;
use layoutproof_core::results::mutants::{DeviceLine, MutantTable, RuleLine};
use layoutproof_core::results::record::SCHEMA;
use layoutproof_core::results::summary::Exit;
use layoutproof_layout::{RuleSet, table};
use layoutproof_model::{BINDING_MISREADINGS, MISREADINGS};
use layoutproof_report::mutant_table;
use layoutproof_show::Style;
use layoutproof_source::sources::SourceMap;
use rayon::prelude::*;

use crate::args::Format;
use crate::output::{print, print_json};
use crate::select::all_cases::{all_forms, sources, subjects};
use crate::select::refused_input::RefusedInput;
use crate::select::rule_set::rule_set;

/// `layoutproof mutants`.
#[derive(Debug, Args)]
pub struct MutantsArgs {
    /// Only the mutants of these rule sets, each on a line of its own, and no devices.
    #[arg(long, value_delimiter = ',', value_name = "NAME[,NAME...]")]
    pub rules: Vec<String>,
    /// Every rule mutant on a line of its own, and all cases that notice a misreading device rather than the first few.
    #[arg(long)]
    pub all: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Read cases from this file or folder too; a case of the same id replaces the built-in one.
    #[arg(long, value_name = "PATH")]
    pub cases: Vec<PathBuf>,
}

/// The file name of [`EQUIVALENT_MUTANTS`] in messages.
const EQUIVALENTS_NAME: &str = "ci/equivalent-mutants.toml";

/// Without `--all`, the search for cases that notice a misreading stops after this many.
const ENOUGH: usize = 3;

/// Tries all mutants. The exit code is 1 for an unexplained survivor or a stale explanation.
///
/// # Errors
/// A rule set is unknown, or the cases or the explanations have problems.
pub(crate) fn try_all(args: &MutantsArgs, style: Style) -> anyhow::Result<Exit> {
    let named = args.rules.iter().map(|name| rule_set(name)).collect::<anyhow::Result<Vec<_>>>()?;
    let chosen: Vec<&RuleSet> = if named.is_empty() { table().iter().collect() } else { named.clone() };
    let equivalents = equivalents()?;
    let cases = sources(&args.cases, &[])?;

    let enough = (!args.all).then_some(ENOUGH);
    let of_rules =
        || -> Vec<RuleLine> { chosen.par_iter().flat_map_iter(|row| try_rules(row, &cases, &equivalents)).collect() };
    let of_devices = || if named.is_empty() { try_devices(&cases, enough) } else { Vec::new() };
    let (lines, devices) = rayon::join(of_rules, of_devices);

    let outdated = equivalent::stale(&equivalents, &lines);
    let table_of_all = MutantTable { schema: SCHEMA, rules: lines, devices, stale: outdated };

    match args.format {
        Format::Json => print_json(&format!("{}\n", serde_json::to_string(&table_of_all)?)),
        Format::Text => {
            let every_line = args.all || !named.is_empty();
            print(&mutant_table::mutant_table(&table_of_all, every_line, style));
        }
    }
    Ok(if table_of_all.is_clean() { Exit::Agree } else { Exit::Differ })
}

fn equivalents() -> anyhow::Result<Vec<EquivalentMutant>> {
    let mut sources = SourceMap::default();
    let file = sources.add(EQUIVALENTS_NAME, EQUIVALENT_MUTANTS);
    equivalent::read(file, &sources).map_err(|diagnostics| RefusedInput { diagnostics, sources }.into())
}

fn try_devices(cases: &[Arc<Source>], enough: Option<usize>) -> Vec<DeviceLine> {
    let settings = all_forms();
    let subjects = with_own_shaders(subjects(cases), &settings);
    let of_bytes = ModelChecks::new(subjects.len(), |index| {
        let produced = SubjectShaders::new(&subjects[index], Generator::Rspirv, &settings);
        ModelCheck::new(Arc::clone(&subjects[index]), produced)
    });

    let placed = cases.iter().flat_map(BindingCheck::all).filter(|placed| placed.expected.is_some());
    let placed: Vec<BindingCheck> = placed.collect();
    let of_bindings = ModelChecks::new(placed.len(), |index| ModelCheck::of_proof(Proof::new(&placed[index])?));

    let bytes = MISREADINGS.par_iter().map(|misreading| try_misreading(*misreading, &of_bytes, enough));
    let bindings = BINDING_MISREADINGS.par_iter().map(|misreading| try_misreading(*misreading, &of_bindings, enough));
    bytes.chain(bindings).collect()
}

/// Drops subjects that share their shaders with an earlier one: both notice the same devices.
fn with_own_shaders(subjects: impl Iterator<Item = Subject>, settings: &Settings) -> Vec<Arc<Subject>> {
    let mut own: Vec<Arc<Subject>> = Vec::new();
    for subject in subjects {
        let mut of_case = own.iter().rev().take_while(|other| Arc::ptr_eq(&other.source, &subject.source));
        if !of_case.any(|other| share_shaders(other, &subject, Generator::Rspirv, settings)) {
            own.push(Arc::new(subject));
        }
    }
    own
}
