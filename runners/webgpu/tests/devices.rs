//! Runs the common runner suite on each device of WebGPU, plus the checks of WGSL and planted faults.

#[path = "../../tests/suite.rs"]
mod suite;

#[path = "../../../harness/tests/fixture/bound.rs"]
mod bound;
#[path = "../../tests/placements.rs"]
mod placements;
#[path = "../../tests/wgsl.rs"]
mod wgsl;

use std::process::ExitCode;

use layoutproof_device::{DeviceApi, Shader};
use layoutproof_webgpu::WebGpu;
use libtest_mimic::{Arguments, Trial};
use suite::{Api, ensure};
use wgsl::WgslApi;

const API: WgslApi = WgslApi {
    api: Api { devices: &WebGpu, shader: |wgsl| Shader::Wgsl(wgsl.to_owned()) },
    on_spirv: "SPIR-V: WebGPU accepts only WGSL",
    unbound: &[],
};

fn main() -> ExitCode {
    if let Some(succeeded) = again_with_swiftshader() {
        return if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let arguments = Arguments::from_args();
    let trials = match WebGpu.discover() {
        Ok(found) => {
            let mut trials = suite::trials(&found, API.api);
            trials.extend(found.devices.iter().flat_map(|device| wgsl::trials(API, device)));
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
