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

use layoutproof_device::{BufferKind, DeviceApi, DeviceInfo, Shader, WebGpuFacts, words_of};
use layoutproof_webgpu::WebGpu;
use libtest_mimic::{Arguments, Failed, Trial};
use suite::{Api, buffer, ensure, job, output};
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
            let has_views =
                |device: &&DeviceInfo| facts(device).is_some_and(|it| it.language_features.contains("buffer_view"));
            let with_views = found.devices.iter().filter(has_views);
            trials.extend(with_views.map(|device| suite::trial(device, API.api, ("buffer_views", buffer_views))));
            let record = ("facts_are_recorded", facts_are_recorded as suite::Check);
            trials.extend(found.devices.iter().map(|device| suite::trial(device, API.api, record)));
            if found.devices.iter().any(|device| device.id == "dawn") && std::env::var_os(PLANTED).is_none() {
                trials.extend(planted_trials());
            }
            trials
        }
        Err(error) => vec![Trial::test("enumerate", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn facts(device: &DeviceInfo) -> Option<&WebGpuFacts> {
    device.webgpu.as_ref()
}

/// WebGPU, "Limits": no adapter may have less.
fn facts_are_recorded(_: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let limits = &facts(info).ok_or("no facts")?.limits;
    for (limit, least) in
        [("maxBindGroups", 4), ("maxUniformBufferBindingSize", 65536), ("maxComputeWorkgroupSizeX", 256)]
    {
        ensure(limits.get(limit).is_some_and(|given| *given >= least), &format!("{limit}: {limits:?}"))?;
    }
    Ok(())
}

/// Views at offsets that only the run tells. Those that are aligned and fit are exact. Tint rounds others down to the alignment,
/// and moves a view that does not fit to byte 0 (Dawn, commit a2bc4fa3, "Support bufferView and bufferArrayView in robustness").
fn buffer_views(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let pool: Vec<u32> = (0..64).map(|word| 4 * word).collect();
    let (offsets, found): (Vec<u32>, Vec<u32>) =
        [(32, 32), (0, 0), (224, 224), (20, 16), (31, 16), (228, 224), (240, 0), (256, 0), (0xFFFF_FFF0, 0)]
            .into_iter()
            .unzip();
    let buffers = vec![
        buffer(0, BufferKind::StorageRead, &pool),
        output(3 * offsets.len() + 1),
        buffer(2, BufferKind::StorageRead, &offsets),
    ];
    let shader = (api.shader)(include_str!("shaders/buffer_views.wgsl"));
    let results = suite::run(api, info, vec![job(shader, buffers)])?;
    let after = results[0].as_ref().map_err(ToString::to_string)?;
    let members = found.into_iter().flat_map(|offset| [offset, offset + 12, offset + 24]);
    let expected: Vec<u32> = members.chain([256]).collect();
    suite::ensure_eq(&words_of(&after.buffers[1].bytes), &expected, "output")
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
        "answer = JSON.stringify({ number: asked.number, answer: done });",
        "answer = done.ran ? \"{\" : JSON.stringify({ number: asked.number, answer: done });",
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
