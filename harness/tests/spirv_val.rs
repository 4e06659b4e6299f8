//! Validates generated modules with SPIRV-Tools' `spirv-val`: valid with the option that the
//! generator names, and invalid without it. Without the tool the tests are ignored, not passed.

mod fixture;

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use fixture::bound::{EVERYTHING, EVERYWHERE, VARYING_PLACES, VARYINGS, planned};
use layoutproof_device::{Shader, word_bytes};
use layoutproof_generators::binding::spirv;
use layoutproof_generators::spirv::{SpirvModule, block_rules, produce, region_job};
use layoutproof_layout::{BlockLayout, BlockRules};
use layoutproof_probes::binding::{BindingPlan, programs};
use layoutproof_probes::{AddressSpace, ProbePlan, RegionCase, Stage, has_regions, plan_in};
use layoutproof_readers::spirv::target_environment;
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
    for rules in ["std140", "std430", "scalar"] {
        let layouts: Vec<BlockLayout> = (0..8).map(|seed| fixture::regions::laid_out(seed, rules)).collect();
        let mut written = 0;
        for space in AddressSpace::ALL {
            let plan = plan_in(&layouts[0], &layouts[0].leaves(), &[(space, Stage::Compute)].into());
            for entry in plan.entries.iter().filter(|entry| has_regions(entry)) {
                let cases = layouts.iter().filter_map(|it| fixture::regions::case(it, it, space, &entry.name));
                all_regions_valid(&entry.name, cases.collect())?;
                written += 1;
            }
        }
        if written < 7 {
            return Err(format!("{written} entry points have regions").into());
        }
    }
    Ok(())
}

/// Validates the module of these cases.
fn all_regions_valid(entry: &str, cases: Vec<RegionCase>) -> Result<(), Failed> {
    let rules = cases.iter().filter_map(|case| block_rules(&case.layout, &case.plan)).max();
    let flags: Vec<&str> = rules.map(BlockRules::spirv_val_flags).unwrap_or_default().to_vec();
    let job = region_job(cases).ok_or(format!("{entry} has no module"))?;
    let Shader::Spirv(words) = &job.jobs[0].shader else { return Err("the module is SPIR-V".into()) };
    validate(words, &flags)?.map_err(|message| format!("{entry} {flags:?}: {message}").into())
}

/// The options that spirv-val needs to accept a module.
fn flags(module: &SpirvModule) -> Vec<&'static str> {
    module.block_rules().spirv_val_flags().to_vec()
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

/// Each space separately, because the loosest space decides for a whole module; with all stages, those of
/// rays in a module of their own.
fn all_valid(layout: &BlockLayout) -> Result<(), Failed> {
    let leaves = layout.leaves();
    for (space, is_traced) in AddressSpace::ALL.into_iter().flat_map(|space| [(space, false), (space, true)]) {
        let stages = Stage::ALL.into_iter().filter(|stage| stage.is_traced() == is_traced);
        let plan = plan_in(layout, &leaves, &stages.map(|stage| (space, stage)).collect());
        if plan.entries.is_empty() {
            continue;
        }
        valid_with_untyped_pointers(layout, &plan)?;
        let plan = plan.untyped_only_in(&BTreeSet::new());
        let produced = produce(layout, &plan)?;
        let flags = flags(&produced);
        let wrong = |what: &str| format!("{space:?} with {flags:?}: {what}\n{}", fixture::listing(layout));
        validate(&produced.words, &flags)?.map_err(|message| wrong(&message))?;
        let weaker: &[&str] = match flags[..] {
            [] => continue,
            ["--scalar-block-layout", ..] => &["--uniform-buffer-standard-layout"],
            _ => &[],
        };
        // spirv-val 2023.1 checks neither the stride of matrices in arrays, nor blocks without a
        // variable, nor shader records, although the specification restricts them.
        let is_unchecked_space = [AddressSpace::Address, AddressSpace::ShaderRecord].contains(&space);
        let unchecked = fixture::has_array_of_matrices(layout) || is_unchecked_space;
        if !unchecked && validate(&produced.words, weaker)?.is_ok() {
            return Err(wrong("valid without").into());
        }
    }
    Ok(())
}

/// Validates the module of all entry points, if the tool knows untyped pointers: 2023.1 does not.
fn valid_with_untyped_pointers(layout: &BlockLayout, plan: &ProbePlan) -> Result<(), Failed> {
    let produced = produce(layout, plan)?;
    match validate(&produced.words, &flags(&produced))? {
        Err(message) if !message.contains("Invalid capability operand: 4473") => {
            Err(format!("with untyped pointers: {message}\n{}", fixture::listing(layout)).into())
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The message of `spirv-val`; empty if the module is valid.
fn validate(words: &[u32], flags: &[&str]) -> Result<Result<(), String>, Failed> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", target_environment(words)])
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
