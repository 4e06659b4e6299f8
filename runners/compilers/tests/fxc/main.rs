//! Runs FXC's code on Vulkan devices and checks that it reads the offsets that FXC reports.
//!
//! There is one trial for each profile and device, including the CPU model; one for a source that
//! FXC refuses; and one that compares the listings of FXC and DXC 1.9. A missing compiler or device
//! makes an ignored trial, with the reason; it fails if it is run anyway.

mod torture;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::d3d::{D3dCompiler, D3dOutcome, D3dSource, Executable, Fxc, FxcProgram, SpirvSlot};
use layoutproof_compilers::spirv_val::{ModuleOrigin, SpirvVal};
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_device::{
    Batch, BufferKind, DeviceApi, DeviceInfo, JOB_LIMIT, Job, JobBuffer, Runner, RunnerKind, Shader, word_bytes,
    words_of,
};
use layoutproof_layout::BlockRules;
use layoutproof_model::{Model, ModelApi};
use layoutproof_readers::{dxil, fxc};
use layoutproof_vulkan::Vulkan;
use libtest_mimic::{Arguments, Failed, Trial};

/// Value of the word that the probe copies.
const NONCE: u32 = 0x5EED_1234;
/// The initial content of the output.
const FILL: u32 = 0xDEAD_F111;

/// A shader model that the torture shader is compiled for.
#[derive(Clone, Copy)]
struct Profile {
    name: &'static str,
    /// Text of the macro `SPACE`, which follows registers.
    space: &'static str,
}

const CS_5_0: Profile = Profile { name: "cs_5_0", space: "" };
/// The first profile with spaces.
const CS_5_1: Profile = Profile { name: "cs_5_1", space: ", space2" };
/// DXC's first profile.
const CS_6_0: Profile = Profile { name: "cs_6_0", space: ", space2" };

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tools = ToolsFolder::find().ok();
    let manifest = tools.as_ref().map(|tools| tools.path().join("drivers").join("swiftshader.json"));
    if let Some(status) = manifest.and_then(|manifest| with_fetched_drivers(&manifest)) {
        return status;
    }
    let mut trials = vec![listings_agree(tools.as_ref())];
    match fxc(tools.as_ref()) {
        Ok(fxc) => trials.extend(device_trials(&Arc::new(fxc))),
        Err(reason) => trials.push(skipped("fxc::every_device", reason)),
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Runs this program again if the Vulkan loader does not know the fetched driver yet; a process
/// cannot safely change its own environment.
fn with_fetched_drivers(manifest: &Path) -> Option<ExitCode> {
    let chosen = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"];
    if chosen.iter().any(|name| std::env::var_os(name).is_some()) || !manifest.is_file() {
        return None;
    }
    let this: PathBuf = std::env::current_exe().ok()?;
    let mut again = Command::new(this);
    let status = again.args(std::env::args_os().skip(1)).env("VK_ADD_DRIVER_FILES", manifest).status().ok()?;
    Some(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// FXC with vkd3d-compiler, or the reason why one of them is missing.
fn fxc(tools: Option<&ToolsFolder>) -> Result<Fxc, String> {
    let named = |name: &str| Compiler::named(name, tools).compiler.map_err(|absent| absent.to_string());
    Fxc::new(named("fxc")?, named("vkd3d")?).map_err(|error| error.to_string())
}

fn device_trials(fxc: &Arc<Fxc>) -> Vec<Trial> {
    let devices = match Vulkan.discover() {
        Ok(found) if found.devices.is_empty() => return vec![skipped("fxc::every_device", found.notes.join("; "))],
        Ok(found) => [found.devices, vec![Model::new().device().clone()]].concat(),
        Err(error) => return vec![Trial::test("enumerate", move || Err(error.into()))],
    };

    let mut trials = Vec::new();
    for profile in [CS_5_0, CS_5_1] {
        for device in &devices {
            let (fxc, device) = (Arc::clone(fxc), device.clone());
            let name = format!("fxc::{}::{}", profile.name, device.id);
            trials.push(Trial::test(name, move || reads_what_it_reports(&fxc, profile, &device)));
        }
    }

    let fxc = Arc::clone(fxc);
    trials.push(Trial::test("fxc::a_refusal_costs_one_source", move || refusal(&fxc)));
    trials
}

/// A trial that is reported as ignored, with the reason, and fails if it is run anyway.
fn skipped(name: &str, reason: String) -> Trial {
    let failure = Failed::from(&reason);
    Trial::test(name, move || Err(failure)).with_kind(reason).with_ignored_flag(true)
}

fn torture(profile: Profile) -> D3dSource {
    let options = vec![format!("-DSPACE={}", profile.space), "-Zpc".to_owned()];
    D3dSource { text: torture::source(), profile: profile.name.to_owned(), entry: "probe".to_owned(), options }
}

fn reads_what_it_reports(fxc: &Fxc, profile: Profile, device: &DeviceInfo) -> Result<(), Failed> {
    let made = match fxc.compile_all(&[torture(profile)]).pop() {
        Some(D3dOutcome::Made(made)) => made,
        other => return Err(format!("FXC made nothing: {other:?}").into()),
    };
    let FxcProgram { object, executable } = made;

    let slot = |binding| SpirvSlot { set: 0, binding };
    // The entry point is renamed to `probe`, and one buffer moves to a free binding.
    let executable = executable?.moved("probe", &[("layoutproof_output", slot(1000)), ("absent", slot(1001))]);
    if let Some(validator) = SpirvVal::find() {
        let verdict = validator.validate(&executable.spirv, BlockRules::Relaxed, ModuleOrigin::Case, None);
        ensure_eq(&verdict.validation, &layoutproof_core::check::verdict::Validation::Valid, "validation")?;
    }

    let mut expected = vec![NONCE];
    expected.extend(torture::expected(&object.listing)?);
    let buffers = buffers(&executable, expected.len())?;
    let job = Job::compute(Shader::Spirv(executable.spirv), "probe", buffers);

    let api: &dyn DeviceApi = if device.runner == RunnerKind::Model { &ModelApi } else { &Vulkan };
    let mut runner = api.open(device, JOB_LIMIT)?;
    let mut results = runner.run(&Batch { jobs: vec![job] });
    let read_back = results.pop().ok_or("no read-back")??;
    ensure_eq(&words_of(&read_back.buffers[0].bytes), &expected, "words")
}

/// The sources before and after one that FXC refuses still compile.
fn refusal(fxc: &Fxc) -> Result<(), Failed> {
    let good = torture(CS_5_1);
    let refused = D3dSource { entry: "absent".to_owned(), ..good.clone() };
    match &fxc.compile_all(&[good.clone(), refused, good])[..] {
        [D3dOutcome::Made(first), D3dOutcome::Refused(said), D3dOutcome::Made(last)] => {
            ensure_eq(&said.as_str(), &"error X3501: 'absent': entrypoint not found\n", "the refusal")?;
            ensure_eq(&last.object, &first.object, "the last source")?;
            ensure_eq(&last.executable.as_ref().ok(), &first.executable.as_ref().ok(), "its module")
        }
        other => Err(format!("{other:?}").into()),
    }
}

/// A buffer for each resource of the shader. The first is the output, with `count` words.
fn buffers(executable: &Executable, count: usize) -> Result<Vec<JobBuffer>, String> {
    let mut buffers = vec![
        buffer(executable, "layoutproof_output", BufferKind::Storage, &vec![FILL; count])?,
        // The indices that the shader reads from memory follow the nonce.
        buffer(executable, "layoutproof_input", BufferKind::Storage, &[NONCE, 1, 2])?,
    ];
    for (name, first) in torture::BUFFERS {
        let kind = if ["C", "P"].contains(&name) { BufferKind::Uniform } else { BufferKind::Storage };
        let ramp: Vec<u32> = (first..first + 256).collect();
        buffers.push(buffer(executable, name, kind, &ramp)?);
    }
    Ok(buffers)
}

/// The buffer with these words for the named resource.
fn buffer(executable: &Executable, name: &str, kind: BufferKind, words: &[u32]) -> Result<JobBuffer, String> {
    let found = executable.places.iter().find(|place| place.listed.binding.name == name);
    let place = found.ok_or_else(|| format!("no place for {name} in {:?}", executable.places))?;

    let SpirvSlot { set, binding } = place.slot;
    let bytes = word_bytes(words);
    Ok(JobBuffer { set, binding, element: 0, kind, bytes, after: Vec::new(), before_word: 0 })
}

/// Compares two listings in two formats, from two compilers, each parsed by its own reader.
fn listings_agree(tools: Option<&ToolsFolder>) -> Trial {
    let name = "dxc_1_9_reports_what_fxc_reports";
    let compilers = ["fxc", "dxc-1.9"].map(|name| Compiler::named(name, tools).compiler.map_err(|_| name));
    match compilers {
        [Ok(fxc), Ok(dxc)] => Trial::test(name, move || {
            let fxc = fxc::buffer_definitions(&listing(fxc, CS_5_1)?)?;
            let mut dxc = dxil::buffer_definitions(&listing(dxc, CS_6_0)?)?;
            dxc.sort_by_key(|buffer| fxc.iter().position(|other| other.name == buffer.name));
            ensure_eq(&dxc, &fxc, "buffers")
        }),
        [Err(absent), _] | [_, Err(absent)] => skipped(name, format!("{absent} is not there")),
    }
}

fn listing(compiler: Compiler, profile: Profile) -> Result<String, Failed> {
    match D3dCompiler::new(compiler)?.compile(&[torture(profile)]).pop() {
        Some(D3dOutcome::Made(object)) => Ok(object.listing),
        other => Err(format!("nothing made: {other:?}").into()),
    }
}

fn ensure_eq<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T, what: &str) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("{what}:\n{found:?}\nexpected:\n{expected:?}").into()) }
}
