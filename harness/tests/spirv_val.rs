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
use layoutproof_readers::spirv::accesses::instrument::OwnModule;
use layoutproof_readers::spirv::target_environment;
use libtest_mimic::{Arguments, Failed, Trial};
use naga::valid::{Capabilities, ValidationFlags, Validator};
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
    for (name, text) in EXECUTED {
        trials.push(Trial::test(format!("spirv_val::modules_that_log::{name}"), move || valid_with_a_log(text)));
    }
    let trials = trials.into_iter().map(|trial| trial.with_ignored_flag(absent)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Compute shaders of users, whose code `run --own` rewrites so that it logs its accesses.
const EXECUTED: [(&str, &str); 6] = [
    (
        "structs_in_arrays",
        "struct Item { centre: vec3f, weight: f32, m: mat3x2f }
        @group(0) @binding(0) var<storage, read_write> items: array<Item>;
        @group(0) @binding(1) var<uniform> factor: vec4f;
        @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
            items[id.x].weight = items[id.x + 1u].centre[id.y % 3u] * factor[id.z % 4u];
            items[id.x].m = items[0].m;
        }",
    ),
    (
        "loops_and_branches",
        "@group(1) @binding(3) var<storage, read> words: array<u32>;
        @group(0) @binding(7) var<storage, read_write> sums: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) at: u32) {
            var sum = 0u;
            for (var i = 0u; i < 16u; i++) {
                if (words[i * 4u] > 7u) { sum += words[i * 4u + 1u]; } else { continue; }
                if (sum > 1000u) { break; }
            }
            switch at % 3u { case 0u: { sums[at] = sum; } case 1u: { sums[0] = words[1]; } default: { sums[at] += 1u; } }
        }",
    ),
    (
        "atomics",
        "struct Counters { hits: atomic<u32>, bins: array<atomic<i32>, 8> }
        @group(0) @binding(0) var<storage, read_write> counters: Counters;
        var<workgroup> sum: atomic<i32>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) at: u32) {
            atomicAdd(&sum, 1);
            workgroupBarrier();
            atomicMax(&counters.bins[at], atomicLoad(&sum));
            let before = atomicCompareExchangeWeak(&counters.hits, 1u, 2u).old_value;
            atomicStore(&counters.hits, before);
        }",
    ),
    (
        "functions_with_pointers",
        "@group(0) @binding(0) var<storage, read_write> data: array<vec4f, 32>;
        fn scaled(at: u32, by: f32) -> vec4f { let value = data[at]; return value * by; }
        fn add(sum: ptr<function, vec4f>, at: u32) { *sum += scaled(at, 2.0); }
        @compute @workgroup_size(4, 2) fn main(@builtin(local_invocation_id) id: vec3u) {
            var sum = vec4f();
            add(&sum, id.x);
            add(&sum, id.y * 4u);
            data[id.x + id.y].w = sum.x;
        }",
    ),
    (
        "textures",
        "@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
        @group(0) @binding(2) var w: texture_storage_2d<rgba8unorm, write>;
        @group(0) @binding(3) var<storage, read_write> data: array<vec4f, 32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) at: u32) {
            data[at] = textureSampleLevel(t, s, data[at + 1u].xy, 0.0);
            textureStore(w, vec2u(at), data[u32(data[at].x)]);
        }",
    ),
    (
        "lengths_and_copies",
        "struct Block { count: u32, values: array<array<vec2f, 3>> }
        @group(0) @binding(0) var<storage, read_write> block: Block;
        @group(0) @binding(1) var<storage, read_write> other: array<array<vec2f, 3>, 4>;
        @compute @workgroup_size(1) fn main() {
            let last = arrayLength(&block.values) - 1u;
            other[last % 4u] = block.values[last];
            block.count = u32(other[1][2].y);
        }",
    ),
];

/// The module as naga writes it, and the one whose code logs.
fn valid_with_a_log(text: &str) -> Result<(), Failed> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module)?;
    let words = naga::back::spv::write_vec(&module, &info, &naga::back::spv::Options::default(), None)?;
    let own = OwnModule::read(&words, None)?;
    if own.logging == own.plain || own.log.sites().is_empty() {
        return Err("no access is logged".into());
    }
    for (what, words) in [("as it is", &own.plain), ("with a log", &own.logging)] {
        validate(words, &[])?.map_err(|message| format!("{what}: {message}"))?;
    }
    Ok(())
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
        if [AddressSpace::HeapUniform, AddressSpace::HeapStorage].contains(&space) {
            // Their modules always have such pointers.
            continue;
        }
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

/// Validates the module of all entry points, if the tool knows untyped pointers and descriptor heaps: 2023.1 does not.
fn valid_with_untyped_pointers(layout: &BlockLayout, plan: &ProbePlan) -> Result<(), Failed> {
    let produced = produce(layout, plan)?;
    match validate(&produced.words, &flags(&produced))? {
        Err(message)
            if !["4473", "5128"].iter().any(|it| message.contains(&format!("Invalid capability operand: {it}"))) =>
        {
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
