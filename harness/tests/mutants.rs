//! Tests the built-in cases themselves: plants one fault at a time, and some case must notice it.
//!
//! A rule mutant is a rule set with one wrong column. A case kills it if a number that it expects
//! changes, or if a refusal that it expects no longer happens. `ci/equivalent-mutants.toml` explains
//! the mutants that no case can kill. A misreading is a fault of the model device. A case kills it
//! if the verdict names the device.
//!
//! These tests do not decide whether a case is right: cases that differ without a fault take no
//! part.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use layoutproof_built_in::{CASES, KNOWN};
use layoutproof_core::case::{By, Case, Expectation};
use layoutproof_core::check::{
    BindingCheck, Check, Proof, ProofCheck, Settings, Source, Subject, SubjectShaders, share_shaders,
};
use layoutproof_core::results::known::{self, shapes_of_block};
use layoutproof_device::{Batch, DeviceInfo, Runner, RunnerKind};
use layoutproof_events::producer::Generator;
use layoutproof_events::{CheckDevice, CheckId};
use layoutproof_events::{CheckRecord, Culprit, Outcome, OutcomeKind};
use layoutproof_layout::mutate::{RuleMutant, mutants};
use layoutproof_layout::{BlockLayout, ElementChoice, Numbers, Quantity, RuleSet, find, join, lay_out, table};
use layoutproof_model::{BINDING_MISREADINGS, MISREADINGS, Misreading, Model};
use layoutproof_probes::{AddressSpace, Stage};
use layoutproof_source::sources::SourceMap;
use rayon::prelude::*;
use serde::Deserialize;

/// The search for cases that notice a misreading stops after this many.
const ENOUGH: usize = 3;

#[test]
fn every_rule_mutant_is_killed_or_explained() {
    let cases = cases();
    let tried: Vec<TriedMutant> = table().par_iter().flat_map_iter(|rules| try_mutants(rules, &cases)).collect();
    let explanations: Explanations = toml::from_str(include_str!("../../ci/equivalent-mutants.toml")).unwrap();

    let is_explained = |tried: &TriedMutant| explanations.equivalent.iter().any(|entry| entry.explains(&tried.mutant));
    let survivors: Vec<String> =
        tried.iter().filter(|tried| tried.killer.is_none() && !is_explained(tried)).map(TriedMutant::title).collect();
    assert!(survivors.is_empty(), "no case kills:\n{}", survivors.join("\n"));

    let stale: Vec<String> = explanations.equivalent.iter().flat_map(|entry| entry.stale(&tried)).collect();
    assert!(stale.is_empty(), "stale in ci/equivalent-mutants.toml:\n{}", stale.join("\n"));
}

/// OpenGL 4.6, 7.6.2.2: a vec3 is aligned to 16 bytes.
#[test]
fn a_case_kills_the_mutants_of_its_rule() {
    let cases = cases();
    let pinning = cases.iter().find(|source| source.id == "vectors/three_component_vector_behind_a_scalar").unwrap();
    let std430 = find("std430").unwrap();
    let claim = CaseClaim::new(pinning, std430).unwrap();
    let mut of_vectors = mutants(std430).into_iter().filter(|mutant| mutant.parameter == "vectors");
    let component = of_vectors.find(|mutant| mutant.to == "component").unwrap();
    assert!(claim.is_broken_by(&component.rules));
    assert!(!claim.is_broken_by(std430));
}

#[test]
fn every_misreading_device_is_named() {
    let cases = cases();
    let bytes = layout_checks(&cases);
    let bindings = binding_checks(&cases);
    let of_bytes = MISREADINGS.par_iter().map(|misreading| try_misreading(*misreading, &bytes));
    let of_bindings = BINDING_MISREADINGS.par_iter().map(|misreading| try_misreading(*misreading, &bindings));
    let problems: Vec<String> = of_bytes.chain(of_bindings).flatten_iter().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The list of a driver covers what its faults, which are planted, do to the built-in cases that pin
/// them.
#[test]
fn the_list_of_a_driver_covers_its_planted_faults() {
    let mut sources = SourceMap::default();
    let list = KNOWN.iter().find(|file| file.name == "nvidia").unwrap();
    let file = sources.add("ci/known/nvidia.toml", list.text);
    let known = known::read(file, &sources).unwrap();
    let device = DeviceInfo {
        id: "nvidia-h200".to_owned(),
        driver: "NVIDIA 580.159.04".to_owned(),
        runner: RunnerKind::Ash,
        ..Model::new().device().clone()
    };
    let cases = cases();

    let faults: [(&str, &[&str]); 4] = [
        ("length-from-first-member", &["vk_offset/first_member_of_an_element_is_not_at_zero"]),
        ("uniform-array-of-one-zero", &["arrays/arrays_of_one_of_each_size"]),
        ("push-array-of-one-zero", &["arrays/arrays_of_one_of_each_size"]),
        ("push-end-stale", &["sixty_four_bit/push_constants_end_in_long_integers"]),
    ];
    let problems: Vec<String> = faults
        .par_iter()
        .flat_map_iter(|(name, ids)| {
            let misreading = Misreading::find(name).unwrap();
            let is_meant = |source: &&Arc<Source>| ids.contains(&source.id.as_str());
            let concerned: Vec<Arc<Source>> = cases.iter().filter(is_meant).cloned().collect();
            let checks = layout_checks(&concerned);
            let mut problems = Vec::new();
            let mut covered = 0;
            for check in checks.iter().filter_map(|check| check.as_ref()) {
                let mut record = (check.record)(Model::with_misreading(misreading));
                if record.outcome.kind() == OutcomeKind::Agree {
                    continue;
                }
                record.id.device = Some(CheckDevice { id: device.id.clone(), runner: device.runner });
                let source = concerned.iter().find(|source| source.id == record.id.case).unwrap();
                let of_blocks = source.module.blocks.iter().flat_map(|block| shapes_of_block(block, source.options));
                let devices = std::slice::from_ref(&device);
                known::explain(&known, &mut record, devices);
                known::shape::explain_by_driver(&known, &mut record, devices, &of_blocks.collect::<Vec<_>>());
                match record.outcome.kind() {
                    OutcomeKind::Known => covered += 1,
                    other => problems.push(format!("{name}: {} {other:?}", record.id)),
                }
            }
            if covered == 0 {
                problems.push(format!("{name}: no case shows it"));
            }
            problems
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A case about a space that is silently left out there would agree without it.
#[test]
fn each_case_about_a_space_reaches_it() {
    let records = Stage::ALL.into_iter().filter(Stage::is_traced).collect();
    for (folder, space, stages) in [
        ("workgroup/", AddressSpace::Workgroup, vec![Stage::Compute]),
        ("shader_records/", AddressSpace::ShaderRecord, records),
    ] {
        let cases = cases();
        let own: Vec<&Arc<Source>> = cases.iter().filter(|source| source.id.starts_with(folder)).collect();
        assert!(own.len() >= 8, "{folder} has {} cases", own.len());
        for source in own {
            let mut reached: BTreeSet<Stage> = BTreeSet::new();
            for rules in source.expect.iter().filter_map(|expectation| find(&expectation.rules)) {
                let subject = Subject::new(Arc::clone(source), rules);
                let shaders = SubjectShaders::new(&subject, Generator::Rspirv, &all_forms());
                let entries = shaders.modules.iter().flat_map(|module| &module.plan.entries);
                reached.extend(entries.filter(|entry| entry.space == space).map(|entry| entry.stage));
                if stages.iter().all(|stage| reached.contains(stage)) {
                    break;
                }
            }
            assert!(stages.iter().all(|stage| reached.contains(stage)), "{} reaches {reached:?}", source.id);
        }
    }
}

/// All built-in cases that are not about refused declarations.
fn cases() -> Vec<Arc<Source>> {
    let mut sources = SourceMap::default();
    let mut cases = Vec::new();
    for file in CASES {
        let text = sources.add(format!("cases/{}.toml", file.name), file.text);
        let case = Case::read(file.name, text, &mut sources).expect("built-in cases are read without error");
        cases.extend(Source::of_case(&case, &mut sources).expect("and so are their declarations").map(Arc::new));
    }
    cases
}

/// `ci/equivalent-mutants.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Explanations {
    equivalent: Vec<EquivalentMutants>,
}

/// Every combination of the rule sets, parameters and values that an entry names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EquivalentMutants {
    rules: Vec<String>,
    parameters: Vec<String>,
    /// Values of the mutants; empty for all.
    #[serde(default)]
    to: Vec<String>,
    /// The reason why no case can kill them.
    because: String,
}

impl EquivalentMutants {
    fn explains(&self, mutant: &RuleMutant) -> bool {
        self.rules.iter().any(|name| name == mutant.rules.name)
            && self.parameters.contains(&mutant.parameter)
            && (self.to.is_empty() || self.to.contains(&mutant.to))
    }

    /// A sentence for each mutant that the entry explains and a case kills, and for each
    /// combination that matches no mutant.
    fn stale(&self, tried: &[TriedMutant]) -> Vec<String> {
        let mut found = Vec::new();
        for rules in &self.rules {
            for parameter in &self.parameters {
                let of_parameter =
                    |tried: &&TriedMutant| tried.mutant.rules.name == rules && tried.mutant.parameter == *parameter;
                let covered: Vec<&TriedMutant> =
                    tried.iter().filter(of_parameter).filter(|tried| self.explains(&tried.mutant)).collect();
                if covered.is_empty() {
                    found.push(format!("{rules} has no mutant of {parameter} to {:?} ({})", self.to, self.because));
                }
                if let Some((killed, killer)) = covered.iter().find_map(|tried| Some((tried, tried.killer.as_ref()?))) {
                    found.push(format!("{killer} kills {} ({})", killed.title(), self.because));
                }
            }
        }
        found
    }
}

struct TriedMutant {
    mutant: RuleMutant,
    /// The first case that kills it.
    killer: Option<String>,
}

impl TriedMutant {
    fn title(&self) -> String {
        let RuleMutant { rules, parameter, from, to } = &self.mutant;
        format!("{} {parameter}: {from} -> {to}", rules.name)
    }
}

fn try_mutants(rules: &RuleSet, cases: &[Arc<Source>]) -> Vec<TriedMutant> {
    let claims: Vec<CaseClaim<'_>> = cases.iter().filter_map(|source| CaseClaim::new(source, rules)).collect();
    let tried = mutants(rules).into_iter().map(|mutant| {
        let killer = claims.iter().find(|claim| claim.is_broken_by(&mutant.rules));
        TriedMutant { killer: killer.map(|claim| claim.source.id.clone()), mutant }
    });
    tried.collect()
}

/// The expectations of a case under a rule set, as far as the rule set fulfils them.
struct CaseClaim<'a> {
    source: &'a Source,
    numbers: Vec<(Quantity, String, u32)>,
    /// Fragments of refusals.
    refusals: Vec<&'a str>,
}

impl<'a> CaseClaim<'a> {
    /// `None` if the case expects nothing under these rules, or nothing that they fulfil.
    fn new(source: &'a Source, rules: &RuleSet) -> Option<Self> {
        let layouts = layouts(source, rules);
        let expectation = source.expect.iter().find(|expectation| expectation.rules == rules.name);
        let numbers = expectation.map(|expectation| fulfilled(expectation, &layouts)).unwrap_or_default();
        let expected = source.rejects.iter().filter(|reject| reject.by == By::Rules(rules.name.to_owned()));
        let fragments = expected.map(|reject| reject.message.as_deref().unwrap_or(""));
        let refusals: Vec<&str> = fragments.filter(|fragment| refuses(&layouts, fragment)).collect();
        (!numbers.is_empty() || !refusals.is_empty()).then_some(Self { source, numbers, refusals })
    }

    fn is_broken_by(&self, rules: &RuleSet) -> bool {
        let layouts = layouts(self.source, rules);
        let computed = Numbers::of_layouts(&layouts);
        self.numbers.iter().any(|(what, path, number)| computed.get(*what, path) != Some(*number))
            || self.refusals.iter().any(|fragment| !refuses(&layouts, fragment))
    }
}

fn layouts(source: &Source, rules: &RuleSet) -> Vec<BlockLayout> {
    source.module.blocks.iter().map(|block| lay_out(block, rules, source.options)).collect()
}

fn refuses(layouts: &[BlockLayout], fragment: &str) -> bool {
    let mut refusals = layouts.iter().filter_map(|layout| layout.result.as_ref().err()).flatten();
    refusals.any(|refusal| refusal.message.contains(fragment))
}

/// The numbers that the case pins, and numbers of leaves that follow from them, if the rules agree.
fn fulfilled(expectation: &Expectation, layouts: &[BlockLayout]) -> Vec<(Quantity, String, u32)> {
    let computed = Numbers::of_layouts(layouts);
    let expected = Numbers::from(expectation);
    let mut numbers: Vec<_> = expected.iter().map(|(what, path, number)| (what, path.to_owned(), number)).collect();
    for layout in layouts {
        for leaf in layout.leaves() {
            let offset = expected.leaf_offset(&layout.name, &leaf);
            numbers.extend(offset.map(|offset| (Quantity::Offset, join(&layout.name, &leaf.path), offset)));
        }
    }
    numbers.retain(|(what, path, number)| computed.get(*what, path) == Some(*number));
    numbers
}

/// A check on the model device that agrees without a fault.
struct ModelCheck {
    id: CheckId,
    record: Box<dyn Fn(Model) -> CheckRecord + Send + Sync>,
}

/// A check that is made when the first misreading needs it, because the first few checks detect
/// most misreadings. `None` if it does not agree without a fault or needs no device.
type LazyCheck = LazyLock<Option<ModelCheck>, Box<dyn FnOnce() -> Option<ModelCheck> + Send>>;

impl ModelCheck {
    fn of_layout(subject: Arc<Subject>) -> Option<Self> {
        let produced = Arc::new(SubjectShaders::new(&subject, Generator::Rspirv, &all_forms()));
        let check = Check { subject, produced, device: Model::new().device().clone() };
        let jobs = check.jobs();
        let batch = Batch { jobs: jobs.jobs().cloned().collect() };
        let record = move |mut model: Model| check.record(&jobs, &model.run(&batch), Duration::ZERO);
        Self::agreeing(record)
    }

    /// `None`, too, if the model cannot run the shaders.
    fn of_bindings(placed: &BindingCheck) -> Option<Self> {
        let check = ProofCheck { device: Model::new().device().clone(), proof: Arc::new(Proof::new(placed)?) };
        if !check.proof.feeds(&check.device) {
            return None;
        }
        let jobs = check.jobs();
        let batch = Batch { jobs: jobs.jobs().cloned().collect() };
        let record = move |mut model: Model| check.record(&jobs, &model.run(&batch), Duration::ZERO);
        Self::agreeing(record)
    }

    fn agreeing(record: impl Fn(Model) -> CheckRecord + Send + Sync + 'static) -> Option<Self> {
        let CheckRecord { id, outcome, .. } = record(Model::new());
        (outcome == Outcome::Agrees).then(|| Self { id, record: Box::new(record) })
    }
}

/// Every form of access, the usual spaces and stages, and a sample of array elements.
fn all_forms() -> Settings {
    Settings::usual(ElementChoice::Sample)
}

/// The cases under the rule sets that they have expectations for. Subjects of a case that share
/// their shaders count once, since they notice the same devices.
fn layout_checks(cases: &[Arc<Source>]) -> Vec<LazyCheck> {
    let settings = all_forms();
    let mut checks: Vec<LazyCheck> = Vec::new();
    for source in cases {
        let mut subjects: Vec<Arc<Subject>> = Vec::new();
        for rules in source.expect.iter().filter_map(|expectation| find(&expectation.rules)) {
            let subject = Subject::new(Arc::clone(source), rules);
            if !subjects.iter().any(|other| share_shaders(other, &subject, Generator::Rspirv, &settings)) {
                subjects.push(Arc::new(subject));
            }
        }
        for subject in subjects {
            checks.push(LazyLock::new(Box::new(move || ModelCheck::of_layout(subject))));
        }
    }
    checks
}

fn binding_checks(cases: &[Arc<Source>]) -> Vec<LazyCheck> {
    let placed = cases.iter().flat_map(BindingCheck::all).filter(|placed| placed.expected.is_some());
    let checks =
        placed.map(|placed| -> LazyCheck { LazyLock::new(Box::new(move || ModelCheck::of_bindings(&placed))) });
    checks.collect()
}

/// What is wrong with the checks' answers to a misreading: no case names the device, or a check
/// that differs names another culprit.
fn try_misreading(misreading: Misreading, checks: &[LazyCheck]) -> Vec<String> {
    let mut killers: Vec<&str> = Vec::new();
    let mut problems = Vec::new();
    for check in checks {
        if killers.len() == ENOUGH {
            break;
        }
        let Some(ModelCheck { id, record }) = &**check else { continue };
        // The checks of a case are adjacent, and one of them is enough.
        if killers.last() == Some(&id.case.as_str()) {
            continue;
        }

        match record(Model::with_misreading(misreading)).outcome {
            Outcome::Differs { culprit: Culprit::Device, .. } => killers.push(&id.case),
            Outcome::Differs { culprit, .. } => {
                problems.push(format!("{}: {id} names {}", misreading.name, culprit.as_str()));
            }
            Outcome::Broken { .. } => problems.push(format!("{}: {id} breaks", misreading.name)),
            Outcome::Agrees | Outcome::Known { .. } | Outcome::Stale(_) | Outcome::Skipped { .. } => {}
        }
    }
    if killers.is_empty() {
        problems.push(format!("{}: no case notices ({})", misreading.name, misreading.summary));
    }
    problems
}
