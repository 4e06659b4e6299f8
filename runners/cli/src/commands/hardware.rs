//! `layoutproof dev hardware`: checks this machine's GPUs with all cases, random declarations and
//! random programs, and writes a folder of results.
//!
//! Meant for machines without a network, to which `ci/kit` brings the program with its compilers.
//! Starts no program but this one. Each step is a separate process, so one that crashes costs only
//! its own results.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use indexmap::IndexMap;
use layoutproof_compilers::process_tree::ProcessTree;
use layoutproof_device::devices::VKD3D_ON;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_events::summary::Exit;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::interrupt::Interrupt;
use layoutproof_executor::launch::Launch;

use crate::not_started::NotStarted;
use crate::output::{print, warn_of_listing};
use crate::select::run_config::listen_for_the_end;
use crate::step_events::{StepEvent, StepEvents};

/// Longest silence of this command.
const SILENCE: Duration = Duration::from_secs(2);

/// Time limit of a step. The steps end hung jobs themselves, so this is for what they cannot end.
const STEP_LIMIT: Duration = Duration::from_secs(30 * 60);

/// Interval between two looks at a step.
const LOOK: Duration = Duration::from_millis(100);

/// Time limit of a job: long for a GPU, short enough for a device that hangs often.
const JOB_SECONDS: &str = "20";

/// `layoutproof dev hardware`.
#[derive(Debug, Args)]
pub struct HardwareArgs {
    /// Only cases that match: a part of an id, or a pattern with * and ?. The time is not measured then.
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Write the results to this folder, which must be new or empty.
    #[arg(long, value_name = "DIR", default_value = "layoutproof-results")]
    pub out: PathBuf,
    /// Check only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID,...")]
    pub device: Vec<String>,
    /// Check devices of the CPU, too, such as lavapipe.
    #[arg(long)]
    pub with_cpu: bool,
    /// Seed of the random declarations and programs.
    #[arg(long, default_value_t = 77, value_name = "N")]
    pub seed: u64,
    /// Number of random declarations.
    #[arg(long, default_value_t = 2048, value_name = "N")]
    pub declarations: u64,
    /// Number of random programs for each compiler.
    #[arg(long, default_value_t = 600, value_name = "N")]
    pub programs: u64,
}

/// A part of the work, with its own process and text file.
struct Step {
    name: &'static str,
    /// Empty for a step whose end is no news.
    title: String,
    arguments: Vec<String>,
}

struct EndedStep {
    /// `None` if it was killed.
    code: Option<i32>,
    seconds: u64,
    /// Its result in one line; empty if it reported none.
    conclusion: String,
}

/// Runs the steps one after the other.
///
/// # Errors
/// The folder is not empty or cannot be written; no device of the requested kind was found.
pub(crate) fn hardware(args: &HardwareArgs) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let interrupt = listen_for_the_end()?;
    print("   Listing devices\n");
    let apis: Vec<RunnerKind> = RunnerKind::driven().collect();
    let launch = Launch::for_run(std::env::current_exe()?, &args.device, false)?;
    let listing = DeviceListing::of(&apis, &Launch { interrupt: interrupt.clone(), ..launch });
    warn_of_listing(&listing);
    let devices = chosen(args, &listing)?;
    let folder = Folder::make(&args.out)?;

    let heading = heading(&listing, &devices);
    print(&heading);
    let mut ends = Vec::new();
    let mut exit = if listing.failures.is_empty() { Exit::Agree } else { Exit::Missing };
    for step in steps(args, &devices) {
        if interrupt.is_set() {
            ends.push(format!("{:<13} not done: interrupted\n", step.name));
            exit = Exit::CouldNotRun;
            continue;
        }
        let ended = folder.carry_out(&step, &interrupt)?;
        // `report` exits with 1 for differences that the suite's line already has.
        if !step.title.is_empty() || !matches!(ended.code, Some(0 | 1)) {
            let line = ended.line(&step);
            print(&line);
            ends.push(line);
            exit = exit.worse(ended.exit());
        }
    }
    let seconds = started.elapsed().as_secs();
    folder.finish(&format!("{heading}{}\n{seconds} s in all\n\n{CONTENTS}", ends.concat()))?;
    print(&format!("\nwrote {}: begin with summary.txt\n", args.out.display()));
    Ok(exit)
}

/// The list of files at the end of the summary.
const CONTENTS: &str = "\
machine.txt       devices, drivers and compilers with their versions
suite.html        what failed; suite.txt has it as text
baseline.toml     the same as a list for `run --known`
*.jsonl.zst       records for `layoutproof report`
devices.jsonl.zst what the repository of layoutproof keeps in ci/devices
";

/// The devices that take part, each once whatever the number of its APIs.
fn chosen<'a>(args: &HardwareArgs, listing: &'a DeviceListing) -> anyhow::Result<Vec<&'a DeviceInfo>> {
    let takes_part = |device: &&DeviceInfo| match args.device.as_slice() {
        [] => device.hardware || args.with_cpu,
        named => named.contains(&device.id),
    };
    let devices: Vec<&DeviceInfo> = listing.devices.iter().filter(takes_part).collect();
    let missing = args.device.iter().find(|id| devices.iter().all(|device| device.id != **id));
    let reason = match missing {
        Some(id) => format!("device `{id}` was not found"),
        None if devices.is_empty() && listing.devices.is_empty() => {
            "no driver lists a device (`layoutproof doctor` says what is missing)".to_owned()
        }
        None if devices.is_empty() => "no GPU was found; --with-cpu takes the devices on the CPU".to_owned(),
        None => return Ok(devices),
    };
    Err(NotStarted { reason, exit: Exit::Missing }.into())
}

fn heading(listing: &DeviceListing, devices: &[&DeviceInfo]) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (version, system) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS);
    let mut lines = vec![format!("layoutproof {version} on {system} {}, {cores} processors", std::env::consts::ARCH)];
    // A GPU is one device, whatever the number of APIs that list it. The second of one name in an API is
    // another.
    let mut gpus: IndexMap<(&str, usize), Vec<&DeviceInfo>> = IndexMap::new();
    for (place, device) in devices.iter().enumerate() {
        let name = device.name.strip_prefix(VKD3D_ON).unwrap_or(&device.name);
        let is_namesake = |other: &&&DeviceInfo| (&other.runner, &other.name) == (&device.runner, &device.name);
        let key = (name, devices[..place].iter().filter(is_namesake).count());
        gpus.entry(key).or_default().push(device);
    }
    for ((name, _), listed) in gpus {
        lines.push(format!("  {name}, {}", listed[0].driver));
        for DeviceInfo { id, driver, api, runner, .. } in listed {
            lines.push(format!("    {id:<24} {:<8} {api}, {driver}", runner.title()));
        }
    }
    lines.extend(listing.failures.iter().map(|sentence| format!("  {sentence}")));
    lines.join("\n") + "\n\n"
}

/// The steps, in the order of their worth.
fn steps(args: &HardwareArgs, devices: &[&DeviceInfo]) -> Vec<Step> {
    let ids_of = |takes: &dyn Fn(&DeviceInfo) -> bool| {
        let mut ids: Vec<&str> = Vec::new();
        for device in devices.iter().filter(|device| takes(device)) {
            if !ids.contains(&device.id.as_str()) {
                ids.push(&device.id);
            }
        }
        ids.join(",")
    };
    let every = ids_of(&|_| true);
    let of_vulkan = ids_of(&|device| device.runner == RunnerKind::Ash);
    let seed = args.seed.to_string();

    // The words that are the same in every run, then options with their values.
    let step = |name, title: &str, words: &str, options: &[(&str, &str)]| Step {
        name,
        title: title.to_owned(),
        arguments: words
            .split(' ')
            .chain(options.iter().flat_map(|(option, value)| [*option, *value]))
            .map(str::to_owned)
            .collect(),
    };
    let (declarations, programs) = (args.declarations.to_string(), args.programs.to_string());
    let mut steps: Vec<Step> = vec![
        step("machine", "devices, drivers and compilers", "doctor", &[]),
        step(
            "suite",
            "all cases and bindings, with every compiler on every device",
            "run --every-device --compiler all --records failures --json suite.jsonl.zst --html suite.html \
             --save-known baseline.toml --progress 2",
            &[("--device", &every), ("--time-limit", JOB_SECONDS)],
        ),
        step("devices", "", "report suite.jsonl.zst --quiet --device-results devices.jsonl.zst", &[]),
        step(
            "declarations",
            &format!("{declarations} random declarations"),
            "dev fuzz --json declarations.jsonl.zst --html declarations.html --out declarations",
            &[("--seed", &seed), ("--count", &declarations), ("--device", &every)],
        ),
        step(
            "programs",
            &format!("{programs} random programs for each compiler"),
            "dev fuzz --bindings --json programs.jsonl.zst --out programs",
            &[("--seed", &seed), ("--count", &programs), ("--device", &every)],
        ),
    ];
    let suite = steps.iter_mut().filter(|step| step.name == "suite");
    suite.for_each(|step| step.arguments.extend(args.filters.iter().cloned()));
    if args.filters.is_empty() && !of_vulkan.is_empty() {
        steps.push(step("bench", "the time of the suite", "dev bench --rounds 1", &[("--device", &of_vulkan)]));
    }
    steps
}

struct Folder {
    path: PathBuf,
    /// Caches and temporary files of the steps: the user's own folders may be read-only.
    scratch: PathBuf,
}

impl Folder {
    fn make(out: &Path) -> anyhow::Result<Self> {
        let writing = || format!("writing {}", out.display());
        if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
            bail!("{} is not empty: name an empty folder with --out", out.display());
        }
        fs::create_dir_all(out).with_context(writing)?;
        let path = out.canonicalize().with_context(writing)?;
        let scratch = path.join("scratch");
        fs::create_dir_all(scratch.join("tmp")).with_context(writing)?;
        Ok(Self { path, scratch })
    }

    /// Runs a step, writes its output to a text file, and prints its progress every few seconds.
    fn carry_out(&self, step: &Step, interrupt: &Interrupt) -> anyhow::Result<EndedStep> {
        let path = self.path.join(format!("{}.txt", step.name));
        let output = File::create(&path).with_context(|| format!("writing {}", path.display()))?;
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(&step.arguments)
            .current_dir(&self.path)
            .env("XDG_CACHE_HOME", &self.scratch)
            .env("TMPDIR", self.scratch.join("tmp"))
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        let events = StepEvents::of(&mut command, &self.scratch.join("events")).context("starting a step")?;

        if !step.title.is_empty() {
            print(&format!("   Running {}\n", step.title));
        }
        let ended = attend(command, events, STEP_LIMIT, interrupt, |elapsed, line| {
            print(&progress(step, elapsed, line));
        })?;
        if fs::metadata(&path).is_ok_and(|written| written.len() == 0) {
            let _ = fs::remove_file(&path);
        }
        Ok(ended)
    }

    /// Writes the summary and removes caches.
    fn finish(&self, summary: &str) -> anyhow::Result<()> {
        // Files that cannot be removed do no harm.
        let _ = fs::remove_dir_all(&self.scratch);
        let path = self.path.join("summary.txt");
        fs::write(&path, summary).with_context(|| format!("writing {}", path.display()))
    }
}

/// Waits for the end of a step, and calls `tell` with its progress every few seconds. A request to end
/// goes on to the step, which ends in good order. After `limit` the step is killed with all processes
/// that it started.
fn attend(
    mut command: Command,
    mut events: StepEvents,
    limit: Duration,
    interrupt: &Interrupt,
    tell: impl Fn(Duration, &str),
) -> anyhow::Result<EndedStep> {
    ProcessTree::prepare_attended(&mut command);
    let started = Instant::now();
    let mut child = command.spawn().context("starting a step")?;
    let tree = ProcessTree::below(&child);

    let (mut now, mut conclusion) = (String::new(), String::new());
    let (mut is_interrupted, mut told) = (false, Instant::now());
    let code = loop {
        let status = child.try_wait().context("waiting for a step")?;
        for event in events.read() {
            match event {
                StepEvent::Progress(line) => now = line,
                StepEvent::Conclusion(line) => conclusion = line.chars().take(160).collect(),
            }
        }
        if let Some(status) = status {
            break status.code();
        }
        if started.elapsed() > limit {
            tree.kill(&mut child).context("ending a step")?;
            break None;
        }
        if interrupt.is_set() && !is_interrupted {
            tree.interrupt();
            is_interrupted = true;
        }
        if told.elapsed() >= SILENCE && !is_interrupted {
            tell(started.elapsed(), &now);
            told = Instant::now();
        }
        std::thread::sleep(LOOK);
    };
    Ok(EndedStep { code, seconds: started.elapsed().as_secs(), conclusion })
}

fn progress(step: &Step, elapsed: Duration, line: &str) -> String {
    format!("   {:<13} {:>4} s  {}\n", step.name, elapsed.as_secs(), line.chars().take(100).collect::<String>())
}

impl EndedStep {
    fn line(&self, step: &Step) -> String {
        let Self { code, seconds, conclusion } = self;
        let end = code.map_or_else(|| "was ended".to_owned(), |code| format!("exit {code}"));
        format!("{:<13} {end} after {seconds} s  {conclusion}", step.name).trim_end().to_owned() + "\n"
    }

    fn exit(&self) -> Exit {
        match self.code {
            Some(0) => Exit::Agree,
            Some(1) => Exit::Differ,
            Some(3) => Exit::Missing,
            Some(4) => Exit::NothingSelected,
            Some(_) | None => Exit::CouldNotRun,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn a_step_reports_how_it_ended_whatever_else_it_prints() {
        let script =
            r#"printf '\377\n' >&2; echo '{"conclusion":"ok   3 checks"}' >> "$LAYOUTPROOF_STEP_EVENTS"; exit 3"#;
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        let events = StepEvents::of(&mut command, &folder.path().join("events")).unwrap();
        let ended = attend(command, events, STEP_LIMIT, &Interrupt::default(), |_, _| {}).unwrap();
        assert_eq!((ended.code, ended.conclusion.as_str()), (Some(3), "ok   3 checks"));
    }

    /// The worker processes of a step hold its output open, so a pipe that they hold tells when the last has
    /// ended.
    #[test]
    fn a_step_that_takes_too_long_is_killed_with_its_workers() {
        let (reader, writer) = std::io::pipe().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & wait"]).stdin(Stdio::null()).stdout(writer);
        let events = StepEvents::of(&mut command, &folder.path().join("events")).unwrap();
        let ended = attend(command, events, Duration::from_millis(300), &Interrupt::default(), |_, _| {}).unwrap();
        assert_eq!(ended.code, None);
        assert_eq!(std::io::read_to_string(reader).unwrap(), "");
    }

    #[test]
    fn a_request_to_end_reaches_the_step() {
        // The shell could not handle a signal that this process ignores, as in the background of a script.
        let is_default = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_default(signal_hook::consts::SIGINT, is_default).unwrap();
        let interrupt = Interrupt::default();
        interrupt.set();
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "trap 'exit 2' INT; while :; do sleep 0.1; done"]).stdin(Stdio::null());
        let events = StepEvents::of(&mut command, &folder.path().join("events")).unwrap();
        // The shell may not have set its trap yet; the signal then ends it.
        let ended = attend(command, events, Duration::from_secs(60), &interrupt, |_, _| {}).unwrap();
        assert!(matches!(ended.code, Some(2) | None) && ended.seconds < 50, "{:?}", ended.code);
    }
}
