//! Validates generated modules with SPIRV-Tools' `spirv-val`: valid with the option that the
//! generator names, and invalid without it. Without the tool the tests are ignored, not passed.

mod fixture;

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use fixture::bound::{EVERYTHING, EVERYWHERE, VARYING_PLACES, VARYINGS, planned};
use layoutproof_device::{Shader, word_bytes};
use layoutproof_layout::BlockLayout;
use layoutproof_probes::binding::{BindingPlan, programs};
use layoutproof_probes::generate::binding::spirv;
use layoutproof_probes::generate::spirv::{SpirvModule, produce, produce_fused, produce_regions};
use layoutproof_probes::{
    AddressSpace, Fold, Form, FusedCase, FusedGroup, FusedSpace, Interface, PlanShader, ProbeJob, ProbePlan,
    RegionPlaces, Stage, jobs, plan_in,
};
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Number of random blocks to validate.
const RANDOM_BLOCKS: u32 = 150;

fn main() {
    let arguments = Arguments::from_args();
    let absent = Command::new("spirv-val").arg("--version").output().is_err();
    let mut trials = Vec::new();
    for (name, layout) in fixture::blocks() {
        trials.push(Trial::test(format!("spirv_val::{}", name.replace(' ', "_")), move || all_valid(&layout)));
    }
    trials.push(Trial::test("spirv_val::random_blocks", random_blocks));
    trials.push(Trial::test("spirv_val::every_resource", every_resource));
    trials.push(Trial::test("spirv_val::varyings_and_targets", varyings_and_targets));
    trials.push(Trial::test("spirv_val::fused_groups", fused_groups));
    trials.push(Trial::test("spirv_val::regions", regions));
    let trials = trials.into_iter().map(|trial| trial.with_ignored_flag(absent)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn random_blocks() -> Result<(), Failed> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    for _ in 0..RANDOM_BLOCKS {
        let layout = fixture::any_block().new_tree(&mut runner)?.current();
        all_valid(&layout)?;
    }
    Ok(())
}

/// Modules of many blocks in regions of their buffers, for every entry point that supports regions.
fn regions() -> Result<(), Failed> {
    let places =
        [AddressSpace::Uniform, AddressSpace::Storage, AddressSpace::PushConstant].map(|space| (space, Stage::Compute));
    for rules in ["std140", "std430", "scalar"] {
        let layouts: Vec<BlockLayout> = (0..3).map(|seed| fixture::fused::laid_out(seed, rules)).collect();
        let plans: Vec<ProbePlan> = layouts.iter().map(|it| plan_in(it, &it.leaves(), &places.into())).collect();
        let names = plans[0].entries.iter().map(|entry| entry.name.clone());
        let mut written = 0;
        for name in names {
            written += usize::from(regions_of(&name, layouts.iter().zip(&plans))?);
        }
        if written < 7 {
            return Err(format!("{written} entry points have regions").into());
        }
    }
    Ok(())
}

/// The options that spirv-val needs to accept a module.
fn flags(module: &SpirvModule) -> Vec<&'static str> {
    module.block_rules().spirv_val_flag().into_iter().collect()
}

/// Validates the module of these blocks' entry points with that name; `false` if no block has one.
fn regions_of<'a>(name: &str, blocks: impl Iterator<Item = (&'a BlockLayout, &'a ProbePlan)>) -> Result<bool, Failed> {
    let with_entry = |(layout, plan): (&BlockLayout, &ProbePlan)| {
        let entries = plan.entries.iter().filter(|entry| entry.name == name && entry.forms != [Form::Length]);
        FusedCase { layout: layout.clone(), plan: ProbePlan { entries: entries.cloned().collect(), ..plan.clone() } }
    };
    let cases: Vec<FusedCase> = blocks.map(with_entry).filter(|case| case.entry().is_some()).collect();
    let (shader, requires, interface) = (Shader::Spirv(Vec::new()), BTreeSet::new(), Interface::default());
    let shader = PlanShader { shader: &shader, requires: &requires, interface };
    let probes = cases.iter().map(|case| jobs(&case.layout, &case.plan, shader)).collect::<Result<Vec<_>, _>>()?;
    let firsts: Vec<&ProbeJob> = probes.iter().filter_map(|probes| probes.first()).collect();
    let Some(regions) = RegionPlaces::of(&firsts) else { return Ok(false) };
    let produced = produce_regions(&cases, &regions)?;
    let flags = flags(&produced);
    validate(&produced.words, &flags)?.map_err(|message| format!("{name} {flags:?}: {message}"))?;
    Ok(true)
}

/// Modules of many blocks that share a binding.
fn fused_groups() -> Result<(), Failed> {
    let forms = [Form::Leaf, Form::Vector, Form::Whole, Form::Parameter, Form::Indexed];
    for space in FusedSpace::ALL {
        for rules in ["std140", "std430", "scalar"] {
            let cases =
                (0..32).filter_map(|seed| fixture::fused::case(fixture::fused::laid_out(seed, rules), space, &forms));
            let cases: Vec<FusedCase> = cases.collect();
            let produced = produce_fused(&FusedGroup { cases: &cases, space, fold: Fold::Hash })?;
            let flags = flags(&produced);
            validate(&produced.words, &flags)?.map_err(|message| format!("{space:?} {rules} {flags:?}: {message}"))?;
        }
    }
    Ok(())
}

/// The modules of binding probes.
fn every_resource() -> Result<(), Failed> {
    let plan = planned(EVERYTHING, EVERYWHERE);
    all_programs_valid(&plan)
}

fn varyings_and_targets() -> Result<(), Failed> {
    all_programs_valid(&planned(VARYINGS, VARYING_PLACES))
}

fn all_programs_valid(plan: &BindingPlan) -> Result<(), Failed> {
    for program in programs(plan) {
        validate(&spirv::module(&program), &[])?.map_err(|message| format!("{program:#?}: {message}"))?;
    }
    Ok(())
}

/// Each space separately, because the loosest space decides for a whole module; with all stages.
fn all_valid(layout: &BlockLayout) -> Result<(), Failed> {
    let leaves = layout.leaves();
    for space in AddressSpace::ALL {
        let plan = plan_in(layout, &leaves, &Stage::ALL.map(|stage| (space, stage)).into());
        if plan.entries.is_empty() {
            continue;
        }
        let produced = produce(layout, &plan)?;
        let flags = flags(&produced);
        let wrong = |what: &str| format!("{space:?} with {flags:?}: {what}\n{}", fixture::listing(layout));
        validate(&produced.words, &flags)?.map_err(|message| wrong(&message))?;
        let weaker: &[&str] = match flags[..] {
            [] => continue,
            ["--scalar-block-layout"] => &["--uniform-buffer-standard-layout"],
            _ => &[],
        };
        // spirv-val 2023.1 checks neither the stride of matrices in arrays nor blocks without a
        // variable, although the specification restricts both.
        let unchecked = fixture::has_array_of_matrices(layout) || space == AddressSpace::Address;
        if !unchecked && validate(&produced.words, weaker)?.is_ok() {
            return Err(wrong("valid without").into());
        }
    }
    Ok(())
}

/// The message of `spirv-val`; empty if the module is valid.
fn validate(words: &[u32], flags: &[&str]) -> Result<Result<(), String>, Failed> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1"])
        .args(flags)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let bytes = word_bytes(words);
    // The tool may close the pipe once it has its answer.
    let _ = child.stdin.take().map(|mut input| input.write_all(&bytes));
    let output = child.wait_with_output()?;
    let message = [output.stdout, output.stderr].concat();
    Ok(if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&message).into_owned()) })
}
