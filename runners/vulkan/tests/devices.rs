//! Runs the common runner suite on each Vulkan device, plus checks specific to Vulkan.

#[path = "../../tests/suite.rs"]
mod suite;

#[path = "../../../harness/tests/fixture/blocks.rs"]
mod blocks;
#[path = "../../../harness/tests/fixture/bound.rs"]
mod bound;
mod by_hand;
mod groups;
#[path = "../../tests/placements.rs"]
mod placements;
#[path = "../../../harness/tests/fixture/regions.rs"]
mod regions;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use layoutproof_device::{BufferKind, DeviceApi, DeviceInfo, Feature, Runner, RunnerError, Shader};
use layoutproof_generators::binding::spirv;
use layoutproof_model::{Model, ModelApi};
use layoutproof_vulkan::Vulkan;
use libtest_mimic::{Arguments, Failed, Trial};
use placements::Write;
use suite::{Api, Check, buffer, ensure, ensure_eq, job, output, run, trial};

const API: Api = Api { devices: &Vulkan, shader: |wgsl| Shader::Spirv(compile(wgsl)) };

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = vec![Trial::test("a_driver_that_fails_to_load_is_a_note", broken_driver)];
    trials.extend(model_trials());
    trials.extend(current_lavapipe());
    match Vulkan.discover() {
        Ok(found) => {
            trials.extend(suite::trials(&found, API));
            trials.extend(found.devices.iter().flat_map(own_trials));
        }
        Err(error) => trials.push(Trial::test("enumerate", move || Err(error.into()))),
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The same checks on the newer lavapipe of the set-up, which has ray tracing. A process loads either that
/// one or the distribution's.
fn current_lavapipe() -> Option<Trial> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ci/tools-folder");
    let folder = String::from_utf8(Command::new(script).output().ok()?.stdout).ok()?;
    let root = PathBuf::from(folder.trim()).join("tools/lavapipe-current");
    let loader = root.join("lib/ld-linux-x86-64.so.2");
    let program = std::env::current_exe().ok().filter(|_| loader.is_file())?;
    Some(Trial::test("current_lavapipe", move || {
        let libraries = format!("{}:/usr/lib/x86_64-linux-gnu:/usr/lib64:/usr/lib", root.join("lib").display());
        let mut command = Command::new(&loader);
        command.arg("--library-path").arg(libraries).arg(&program).arg("lavapipe::");
        command.env("VK_DRIVER_FILES", root.join("lvp_icd.json")).env("VK_LOADER_LAYERS_DISABLE", "~implicit~");
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure(output.status.success() && text.contains("lavapipe::shader_records"), &text)
    }))
}

/// Checks that only Vulkan devices run.
const OWN: [(&str, Check); 9] = [
    ("capabilities_are_checked", capabilities),
    ("broken_spirv_is_refused", broken_spirv),
    ("payloads", by_hand::payloads),
    ("mesh_payloads", by_hand::mesh_payloads),
    ("hit_attributes", by_hand::hit_attributes),
    ("tiles", by_hand::tiles),
    ("descriptor_heaps", by_hand::heaps),
    ("descriptor_heaps_and_bindings", by_hand::heaps_and_bindings),
    ("captured_outputs", by_hand::captured_outputs),
];

/// Checks with SPIR-V that is not made from WGSL.
const BY_HAND: [(&str, Check); 6] = [
    ("arrays_of_uniform_buffers", by_hand::uniform_arrays),
    ("buffers_by_address", by_hand::addresses),
    ("typed_buffers_and_combined_images", by_hand::typed_and_combined),
    ("comparison_samplers", by_hand::comparison),
    ("shader_records", by_hand::records),
    ("untyped_pointers", by_hand::untyped_pointers),
];

/// The model device runs the same SPIR-V and must return the same results.
const MODEL: Api = Api { devices: &ModelApi, ..API };

fn model_trials() -> impl Iterator<Item = Trial> {
    let device = Model::new().device().clone();
    suite::resources::CHECKS.into_iter().chain(BY_HAND).map(move |check| trial(&device, MODEL, check))
}

fn own_trials(device: &DeviceInfo) -> impl Iterator<Item = Trial> {
    OWN.into_iter().chain(BY_HAND).chain(PLACEMENTS).chain(groups::CHECKS).map(|check| trial(device, API, check))
}

/// Checks of the binding probe.
const PLACEMENTS: [(&str, Check); 3] = [
    ("every_bound_resource_is_read_back", every_resource),
    ("varyings_and_targets_are_read_back", varyings),
    ("swapped_descriptors_are_named", swaps),
];

/// Makes the binding probe's shaders for this API.
const WRITE: Write = |program| Shader::Spirv(spirv::module(program));

fn every_resource(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    placements::all_right((api, WRITE), info, &bound::planned(bound::EVERYTHING, bound::EVERYWHERE), &[])
}

fn varyings(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    placements::all_right((api, WRITE), info, &bound::planned(bound::VARYINGS, bound::VARYING_PLACES), &[])
}

fn swaps(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    placements::swaps_show((api, WRITE), info, &bound::planned(bound::SWAPPED, bound::SWAPPED_PLACES))
}

/// Compiles a WGSL shader to SPIR-V 1.1. Loops stay as they are, and overrides become
/// specialization constants.
fn compile(wgsl: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(wgsl).expect("the suite's shaders are WGSL");
    let all = naga::valid::Capabilities::all();
    let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all)
        .validate(&module)
        .expect("the suite's shaders are valid");
    let overrides: Vec<u16> = module.overrides.iter().filter_map(|(_, found)| found.id).collect();
    let values = overrides.iter().map(|id| (id.to_string(), f64::from(stand_in(*id)))).collect();
    let (module, info) = naga::back::pipeline_constants::process_overrides(&module, &info, None, &values)
        .expect("each override has a value");
    let mut options = naga::back::spv::Options { force_loop_bounding: false, ..Default::default() };
    // Vulkan requires a vertex stage that draws points to write their size.
    options.flags |= naga::back::spv::WriterFlags::FORCE_POINT_SIZE;
    let mut words = naga::back::spv::write_vec(&module, &info, &options, None).expect("valid modules can be written");
    for id in overrides {
        specialize(&mut words, id);
    }
    words
}

/// The value that stands for override `id` in naga's output, which has no specialization constants.
fn stand_in(id: u16) -> u32 {
    0x57a0_0000 + u32::from(id)
}

/// Turns the constant for override `id` into a specialization constant, whose default is ten times
/// its id.
fn specialize(words: &mut Vec<u32>, id: u16) {
    // Opcode and length in words: a constant, a specialization constant, a decoration with one literal, and the
    // literal `SpecId` (SPIR-V specification, "Instructions", "Decoration").
    const OP_CONSTANT: u32 = 0x0004_002b;
    const OP_SPEC_CONSTANT: u32 = 0x0004_0032;
    const OP_DECORATE: u32 = 0x0004_0047;
    const SPEC_ID: u32 = 1;
    let found = words.windows(4).position(|words| words[0] == OP_CONSTANT && words[3] == stand_in(id));
    let at = found.expect("naga writes each value once");
    let constant = words[at + 2];
    words[at] = OP_SPEC_CONSTANT;
    words[at + 3] = 10 * u32::from(id);
    let decorations = words.iter().position(|word| *word == OP_DECORATE).expect("bindings are decorated");
    words.splice(decorations..decorations, [OP_DECORATE, constant, SPEC_ID, id.into()]);
}

/// A job that omits its required features is refused all the same, because the module declares
/// them.
fn capabilities(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let shader = Shader::Spirv(compile(include_str!("../../tests/shaders/int64.wgsl")));
    let job = job(shader, vec![output(2), buffer(2, BufferKind::StorageRead, &[1, 2])]);
    let results = run(api, info, vec![job])?;
    match &results[0] {
        Ok(_) => ensure(info.features.contains(&Feature::Int64), "the device ran a feature that it does not list"),
        Err(error) => ensure_eq(error, &RunnerError::Unsupported("shaderInt64".to_owned()), "error"),
    }
}

/// Modules that break before a driver reads them. On lavapipe, which survives it, also one that
/// breaks inside: an id beyond the bound (an undefined one below the bound ends the process even
/// there).
fn broken_spirv(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let good = compile(include_str!("../../tests/shaders/fill.wgsl"));
    let mut magic = good.clone();
    magic[0] = 0;
    let mut newer = good.clone();
    newer[1] = 0x0001_0900;
    let out_of_bounds = with_id_out_of_bounds(&good);
    let mut modules = vec![vec![], magic, good[..6].to_vec(), newer, good];
    if info.id == "lavapipe" {
        modules.insert(0, out_of_bounds);
    }
    let jobs = modules.into_iter().map(|words| job(Shader::Spirv(words), vec![output(1)])).collect();
    let mut results = run(api, info, jobs)?;
    ensure(matches!(results.pop(), Some(Ok(_))), "the good module runs after the broken ones")?;
    let newer = RunnerError::Unsupported("SPIR-V 1.9 (the device accepts up to 1.6)".to_owned());
    let found = results.pop();
    ensure(found == Some(Err(newer)), &format!("a module of a later version: {found:?}"))?;
    for result in results {
        ensure(matches!(result, Err(RunnerError::ShaderRefused(_))), &format!("a broken module: {result:?}"))?;
    }
    Ok(())
}

/// Adds a store to `module` whose value id is not below the bound in the header.
fn with_id_out_of_bounds(module: &[u32]) -> Vec<u32> {
    // Three words, opcode 62.
    const OP_STORE: u32 = 0x0003_003e;
    let mut words = module.to_vec();
    let store = words.iter().position(|word| *word == OP_STORE).expect("the shader stores");
    words[store + 2] = words[3];
    words
}

/// Lists this test's trials with a missing file as the only driver.
fn broken_driver() -> Result<(), Failed> {
    let manifest = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("absent_icd.json");
    let text = r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "./libabsent.so", "api_version": "1.3.0"}}"#;
    std::fs::write(&manifest, text)?;
    let listing = Command::new(std::env::current_exe()?)
        .arg("--list")
        .env("VK_DRIVER_FILES", &manifest)
        .env("VK_ICD_FILENAMES", &manifest)
        .output()?;
    let text = String::from_utf8_lossy(&listing.stdout);
    let told = text.contains("no Vulkan loader") || text.contains("libabsent.so");
    ensure(told && text.contains("every_device"), &format!("the listing tells no reason: {text}"))
}
