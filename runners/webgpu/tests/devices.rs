//! Runs the common runner suite on each device of WebGPU, plus checks specific to it.

#[path = "../../tests/suite.rs"]
mod suite;

#[path = "../../../harness/tests/fixture/bound.rs"]
mod bound;
#[path = "../../tests/placements.rs"]
mod placements;

use std::process::ExitCode;

use layoutproof_device::{BufferKind, DeviceApi, DeviceInfo, RunnerError, Shader};
use layoutproof_generators::binding::wgsl;
use layoutproof_webgpu::WebGpu;
use libtest_mimic::{Arguments, Failed, Trial};
use placements::Write;
use suite::{Api, buffer, ensure, ensure_eq, job, output, run};

const API: Api = Api { devices: &WebGpu, shader: |wgsl| Shader::Wgsl(wgsl.to_owned()) };

fn main() -> ExitCode {
    if let Some(succeeded) = again_with_swiftshader() {
        return if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let arguments = Arguments::from_args();
    let trials = match WebGpu.discover() {
        Ok(found) => {
            let mut trials = suite::trials(&found, API);
            trials.extend(found.devices.iter().flat_map(own_trials));
            if found.devices.iter().any(|device| device.id == "dawn") && std::env::var_os(PLANTED).is_none() {
                trials.extend(planted_trials());
            }
            trials
        }
        Err(error) => vec![Trial::test("enumerate", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Starts this program again with the `SwiftShader` that the set-up fetched with Dawn, as workers do, and returns whether that
/// succeeded; `None` if there is none, or if the user chooses drivers.
fn again_with_swiftshader() -> Option<bool> {
    const ADDED: &str = "VK_ADD_DRIVER_FILES";
    if [ADDED, "VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().any(|name| std::env::var_os(name).is_some()) {
        return None;
    }
    let library = std::path::PathBuf::from(std::env::var_os("DAWN_NODE")?);
    let manifest = library.ancestors().nth(3)?.join("drivers/swiftshader.json");
    let mut again = std::process::Command::new(std::env::current_exe().ok()?);
    let again = again.args(std::env::args_os().skip(1)).env(ADDED, manifest.canonicalize().ok()?);
    again.status().ok().map(|status| status.success())
}

type Check = fn(&DeviceInfo) -> Result<(), Failed>;

/// Checks that only WebGPU devices run.
const CHECKS: [(&str, Check); 4] = [
    ("broken_shaders_are_refused", broken_shaders),
    ("every_bound_resource_is_read_back", every_resource),
    ("varyings_and_targets_are_read_back", varyings),
    ("swapped_descriptors_are_named", swaps),
];

fn own_trials(device: &DeviceInfo) -> impl Iterator<Item = Trial> {
    CHECKS.into_iter().map(|(name, check)| {
        let info = device.clone();
        Trial::test(format!("{}::{name}", device.id), move || check(&info))
    })
}

/// Makes the binding probe's shaders for this API.
const PROBE: (Api, Write) = (API, |program| Shader::Wgsl(wgsl::module(program)));

fn every_resource(info: &DeviceInfo) -> Result<(), Failed> {
    let plan = bound::planned(bound::EVERYTHING, bound::EVERYWHERE).without(wgsl::not_expressible);
    placements::all_right(PROBE, info, &plan, &[])
}

fn varyings(info: &DeviceInfo) -> Result<(), Failed> {
    placements::all_right(PROBE, info, &bound::planned(bound::VARYINGS, bound::VARYING_PLACES), &[])
}

fn swaps(info: &DeviceInfo) -> Result<(), Failed> {
    placements::swaps_show(PROBE, info, &bound::planned(bound::SWAPPED_SINGLY, bound::SWAPPED_SINGLY_PLACES))
}

/// WebGPU's errors are returned; they neither panic nor end the device.
fn broken_shaders(info: &DeviceInfo) -> Result<(), Failed> {
    let fill = include_str!("../../tests/shaders/fill.wgsl");
    let shader = |wgsl: &str| Shader::Wgsl(wgsl.to_owned());
    let unbound = vec![buffer(0, BufferKind::Storage, &[0])];
    let short = vec![output(20), buffer(0, BufferKind::Uniform, &[0; 4]), buffer(2, BufferKind::StorageRead, &[0])];
    let jobs = vec![
        job(shader("@compute fn"), vec![output(1)]),
        job(shader(&fill.replace("u32", "u33")), vec![output(1)]),
        job(shader(fill), unbound),
        job(shader(include_str!("../../tests/shaders/copy.wgsl")), short),
        job(Shader::Spirv(vec![0x0723_0203]), vec![output(1)]),
        job(shader(fill), vec![output(1)]),
    ];
    let results = run(API, info, jobs)?;
    for refused in &results[..3] {
        ensure(matches!(refused, Err(RunnerError::ShaderRefused(_))), &format!("a broken shader: {refused:?}"))?;
    }
    let short = matches!(results[3], Err(RunnerError::Api { .. }));
    ensure(short, &format!("a range shorter than its block: {:?}", results[3]))?;
    let spirv = RunnerError::Unsupported("SPIR-V: WebGPU accepts only WGSL".to_owned());
    ensure_eq(&results[4], &Err(spirv), "SPIR-V")?;
    ensure(results[5].is_ok(), &format!("the good job behind the bad ones: {:?}", results[5]))
}

/// Set in a process whose Node.js gets a changed script.
const PLANTED: &str = "LAYOUTPROOF_TEST_PLANTED";

/// Faults in the script, each as the replacement of a text, with a trial that fails by it and what its report says.
const FAULTS: [(&str, &str, &str, &str, &str); 5] = [
    (
        "words_off_by_one",
        "return [...new Uint32Array(buffer.getMappedRange())];",
        "return [0, ...new Uint32Array(buffer.getMappedRange())].slice(0, -1);",
        "dawn::ranges_are_bound_exactly_and_oddly",
        "output: found",
    ),
    (
        "stale_words",
        "return { words: await words };",
        "const now = await words; const old = this.old ?? now; this.old = now; return { words: old.length === now.length ? old : now };",
        "dawn::equal_shapes_with_other_shaders",
        "output: found",
    ),
    (
        "no_upload",
        "device.queue.writeBuffer(buffer, 0, new Uint32Array(words));",
        "",
        "dawn::guards_stay_and_all_invocations_run",
        "guard: found",
    ),
    (
        "garbage",
        "answer = JSON.stringify(done);",
        "answer = done.ran ? \"{\" : JSON.stringify(done);",
        "dawn::sets_and_bindings",
        "an answer that is no answer",
    ),
    (
        "death",
        "return { ran: await session.run(message.run) };",
        "process.exit(7);",
        "dawn::sets_and_bindings",
        "`node` ended with exit status: 7",
    ),
];

/// Runs the trials again with a Node.js before the real one on the path, which changes the script, and expects the fault to be
/// noticed.
fn planted_trials() -> impl Iterator<Item = Trial> {
    FAULTS.into_iter().map(|(fault, text, replacement, trial, report)| {
        Trial::test(format!("dawn::planted::{fault}"), move || {
            let folder = tempfile::tempdir()?;
            let path = std::env::var_os("PATH").ok_or("no PATH")?;
            let real = std::env::split_paths(&path).map(|folder| folder.join("node")).find(|node| node.is_file());
            let real = real.ok_or("no Node.js")?.display().to_string();
            let node = folder.path().join("node");
            std::fs::write(
                &node,
                format!(
                    "#!{real}\nconst [flag, e, script, ...rest] = process.argv.slice(2);\n\
                     if (!script.includes({text:?})) process.exit(9);\n\
                     const done = require('child_process').spawnSync({real:?}, [flag, e, script.replace({text:?}, () => \
                     {replacement:?}), ...rest], {{ stdio: 'inherit' }});\nprocess.exit(done.status ?? 1);\n",
                ),
            )?;
            make_executable(&node)?;
            let folders = std::iter::once(folder.path().to_owned()).chain(std::env::split_paths(&path));
            let output = std::process::Command::new(std::env::current_exe()?)
                .args(["--exact", trial])
                .env("PATH", std::env::join_paths(folders)?)
                .env(PLANTED, fault)
                .output()?;
            let said = String::from_utf8_lossy(&output.stdout);
            ensure(!output.status.success() && said.contains(report), &format!("not noticed: {said}"))
        })
    })
}

#[cfg(unix)]
fn make_executable(file: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &std::path::Path) -> std::io::Result<()> {
    Err(std::io::Error::other("the Node.js before the real one is a script"))
}
