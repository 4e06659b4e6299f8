//! `layoutproof report --repro CHECK`: makes one check of a run again, from its identity, and writes
//! a folder with all that someone else needs to see its failure: the shader of the failing probe,
//! its buffers, a script for Amber or a test for LLVM's offload test suite, and the command.
//!
//! The check also runs here, if its device is here. What has changed since the record (a compiler, a
//! driver, the declarations) is printed and written as well.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use layoutproof_core::check::{Check, DeviceCheck, FailingProbe, ReproDispatch};
use layoutproof_core::results::known::explain;
use layoutproof_device::{DeviceInfo, Job, Shader, word_bytes};
use layoutproof_events::producer::Producer;
use layoutproof_events::summary::Exit;
use layoutproof_events::{CheckId, CheckRules, ShaderMaker};
use layoutproof_events::{CheckRecord, Event, OutcomeKind, RunEnd, RunHeader};
use layoutproof_executor::answer::{Answer, OneByOne};
use layoutproof_executor::plan::{self, PlannedCheck};
use layoutproof_executor::produce;
use layoutproof_exports::{amber_of_dispatch, offload_test_of_probe};
use layoutproof_probes::image::decode;
use layoutproof_probes::image::encoding::Salt;
use layoutproof_readers::toolchain::toolchains;
use layoutproof_records::output_files::{check_folder, write_below};
use layoutproof_records::records_file;
use layoutproof_report::json_lines::JsonLines;
use layoutproof_report::reporter::Reporter;
use layoutproof_report::{FailureGroup, block};
use layoutproof_show::Style;
use layoutproof_show::markdown_text::escaped;
use layoutproof_source::nearest_name::did_you_mean;

use crate::args::{PartArgs, RecordedArgs, RunArgs};
use crate::not_started::NotStarted;
use crate::output::{print, warn};
use crate::progress::Progress;
use crate::records::arguments::{add_typed, without_programs};
use crate::records::recorded_selection::RecordedSelection;
use crate::select::run_config::{RunConfig, listen_for_the_end};
use crate::select::selection::{Selection, select};

/// The recorded runs, and the check of them to make again.
pub(super) struct Repro<'a> {
    pub name: &'a str,
    pub folder: &'a Path,
    /// The programs and paths, which come from the user's own words.
    pub typed: &'a RecordedArgs,
    pub runs: &'a [RunHeader],
    pub records: &'a [CheckRecord],
    pub end: &'a RunEnd,
}

/// A check that was made again.
struct Remade {
    /// With its shaders.
    check: DeviceCheck,
    /// Its record on this machine; `None` if the device is not here.
    record: Option<CheckRecord>,
    /// What differs from the recorded run.
    changes: Vec<String>,
}

impl Repro<'_> {
    /// Makes the check again and writes the folder. The exit code is that of the check on this
    /// machine.
    pub(super) fn carry_out(&self, style: Style) -> anyhow::Result<Exit> {
        let record = self.record()?;
        if fs::read_dir(self.folder).is_ok_and(|mut entries| entries.next().is_some()) {
            bail!("{} is not empty: name an empty folder with --out", self.folder.display());
        }
        check_folder(self.folder)?;

        let remade = self.remake(record)?;
        let written = self.write(record, &remade)?;
        let mut text = String::new();
        for (name, what) in &written {
            let _ = writeln!(text, "  {}  {what}", self.folder.join(name).display());
        }
        print(&(text + &comparison(record, &remade)));
        if let Some(now) = &remade.record {
            if now.outcome.kind() != OutcomeKind::Agree {
                print(&format!("\n{}", block(&FailureGroup::of(now), style)));
            }
        }
        Ok(exit(remade.record.as_ref()))
    }

    fn record(&self) -> anyhow::Result<&CheckRecord> {
        let asked: CheckId = self.name.parse()?;
        let found = self.records.iter().find(|record| *record.id.as_typed() == asked);
        found.with_context(|| {
            let names: Vec<String> = self.records.iter().map(|record| record.id.to_string()).collect();
            let meant = did_you_mean(self.name, names.iter().map(String::as_str));
            format!("these records have no check `{}`{meant}", self.name)
        })
    }

    /// The run with the check: the first that has its device.
    fn run(&self, id: &CheckId) -> anyhow::Result<&RunHeader> {
        let has_device = |run: &&RunHeader| id.device.is_none() || run.devices.iter().any(|device| id.is_on(device));
        self.runs.iter().find(has_device).context("no run of these records has the device of the check")
    }

    fn remake(&self, record: &CheckRecord) -> anyhow::Result<Remade> {
        let run = self.run(&record.id)?;
        let args = self.arguments(run, &record.id)?;
        let config = RunConfig::of(&args, &Progress::default(), listen_for_the_end()?)?;
        if let Some(absent) = config.missing_compiler() {
            return Err(NotStarted { reason: absent, exit: Exit::Missing }.into());
        }
        let selection = select(&args, &config.chosen_toolchains())?;

        let listing = config.devices().listing;
        let here: Vec<DeviceInfo> = listing.devices.into_iter().filter(|device| record.id.is_on(device)).collect();
        let recorded: Vec<DeviceInfo> = run.devices.iter().filter(|device| record.id.is_on(device)).cloned().collect();
        // Shaders depend on the features of the device, so a machine without it can make them all
        // the same.
        let devices = if here.is_empty() { &recorded } else { &here };
        let compilers = config.compilers_of_registers(&args, &selection.placed, devices)?;
        let making = config.making(&compilers);
        let plan = plan::checks(&selection.subjects, &selection.placed, devices, making);
        let planned: Vec<PlannedCheck<'_>> =
            plan.into_iter().flatten().filter(|planned| planned.id() == record.id).collect();
        let check = produce::shaders(&planned, making).into_iter().next();
        let check = check.with_context(|| {
            format!("`{}` is not made any more: its rule set, producer or device does not fit the source", self.name)
        })?;

        let changes = self.changes(run, record, &config, &selection, &here);
        let answered = if here.is_empty() {
            None
        } else {
            let mut records = OneByOne.records(std::slice::from_ref(&check), &config.launch).into_iter();
            records.next().map(|(_, record)| record)
        };
        let record = answered.map(|mut record| {
            explain(&config.known, &mut record, &here);
            if let Some(story) = record.outcome.story_mut() {
                add_typed(&mut story.again, &without_programs(&run.arguments));
            }
            record
        });
        Ok(Remade { check, record, changes })
    }

    /// The selection of the recorded run for this check alone, with the user's own programs and paths.
    fn arguments(&self, run: &RunHeader, id: &CheckId) -> anyhow::Result<RunArgs> {
        let (rules, is_binding) = match &id.rules {
            CheckRules::Layout(rules) => (vec![rules.clone()], false),
            CheckRules::Bindings(_) => (Vec::new(), true),
        };
        let producer = match &id.producer {
            ShaderMaker::Producer(_) if !self.typed.producer.is_empty() => self.typed.producer.clone(),
            ShaderMaker::Producer(producer) => vec![producer.as_str().to_owned()],
            ShaderMaker::NoShader => bail!("`{}` needs no shader: `show` repeats it", self.name),
            ShaderMaker::Unknown(name) => bail!("this version has no producer `{name}`"),
        };
        let is_translated = matches!(id.producer.producer(), Some(Producer::Compiler(it)) if it.is_translator());
        let (producer, through) = if is_translated { (Vec::new(), producer) } else { (producer, Vec::new()) };
        let Some(device) = &id.device else { bail!("`{}` needs no device: `show` repeats it", self.name) };

        let selection = RecordedSelection::of(&run.arguments)?.without_inputs();
        if let Some(note) = selection.note("the records") {
            warn(&format!("note: {note}\n"));
        }
        let recorded = selection.run_args([])?;
        // The rule set of a file that fixes its offsets is not typed.
        let rules =
            if recorded.rules.is_empty() && rules == [layoutproof_layout::DECLARED] { Vec::new() } else { rules };
        self.typed.complete(RunArgs {
            inputs: vec![id.case.clone()],
            rules: if is_binding { Vec::new() } else { rules },
            all: false,
            keep: id.producer.producer().is_some().then(|| self.folder.join("compiler")),
            no_compiler: false,
            producer,
            through,
            every_translator: false,
            device: vec![device.id.clone()],
            runner: vec![device.runner.as_str().to_owned()],
            part: PartArgs::default(),
            floors: Vec::new(),
            require: Vec::new(),
            no_fuse: true,
            ..recorded
        })
    }

    /// What differs between the recorded run and this machine, as far as it concerns the check.
    fn changes(
        &self,
        run: &RunHeader,
        record: &CheckRecord,
        config: &RunConfig,
        selection: &Selection,
        here: &[DeviceInfo],
    ) -> Vec<String> {
        let builds = config.toolchains.builds(&config.chosen_toolchains());
        let arguments = run.arguments.clone();
        let now = records_file::header(here, builds, 0, run.inputs.clone(), &config.launch.drivers, arguments);
        let is_own = |device: &&DeviceInfo| record.id.is_on(device);
        let tools = run.tools.iter().filter(|(tool, _)| now.tools.contains_key(*tool));
        let then = RunHeader {
            devices: if here.is_empty() { Vec::new() } else { run.devices.iter().filter(is_own).cloned().collect() },
            tools: tools.map(|(tool, version)| (tool.clone(), version.clone())).collect(),
            host: now.host.clone(),
            arguments: now.arguments.clone(),
            cases: 0,
            records: now.records,
            ..run.clone()
        };
        let mut changes = now.differences(&then);

        let recorded = self.end.sources.iter().find(|source| source.case == record.id.case);
        let recorded = recorded.and_then(|source| source.declaration.as_ref());
        let mut sources = selection.subjects.iter().map(|subject| &subject.source);
        let source = sources.next().or(selection.placed.first().map(|placed| &placed.source));
        let text = source.and_then(|source| source.text.as_ref()).map(|text| &text.text);
        if recorded.is_some() && text.is_some() && recorded != text {
            changes.push(format!("declarations of {}: others than in the record", record.id.case));
        }
        changes
    }

    /// Writes the folder; returns the files with a few words about each.
    fn write(&self, record: &CheckRecord, remade: &Remade) -> anyhow::Result<Vec<(PathBuf, String)>> {
        let mut files = FolderFiles { folder: self.folder, written: Vec::new() };
        let story = record.outcome.story();
        let heading = format!("# {}\n", record.id);
        // The rows on this machine name the failing probe; those of the record if nothing ran here.
        let rows = remade.record.as_ref().filter(|now| !now.rows.is_empty()).map_or(&record.rows, |now| &now.rows);

        let mut notes = Vec::new();
        match &remade.check {
            DeviceCheck::Bytes(check) => {
                let probe = check.failing_probe(rows).context("the device can run no probe of this check")?;
                files.shaders(&probe)?;
                files.dispatches(&probe.dispatches)?;
                notes.extend(files.tests(check, &probe, &heading)?);
            }
            DeviceCheck::Bindings(check) => {
                let dispatches: Vec<ReproDispatch> = check
                    .jobs()
                    .jobs()
                    .map(|job| ReproDispatch { job: job.clone(), salt: Salt::default(), expected: Vec::new() })
                    .collect();
                let first = dispatches.first().context("the device can run no job of this check")?;
                files.code(&first.job.shader)?;
                files.dispatches(&dispatches)?;
                match amber_of_dispatch(first, &heading) {
                    Ok(script) => files.text("probe.amber", "a script for Amber, without expected words", &script)?,
                    Err(reason) => notes.push(format!("No script for Amber: {reason}.")),
                }
            }
        }
        if self.folder.join("compiler").is_dir() {
            files.written.push(("compiler".into(), "the compiler's input, command line and output".to_owned()));
        }
        let line = JsonLines.on_event(&Event::CheckFinished(Cow::Borrowed(record)));
        files.text("record.jsonl", "the check as recorded", &line)?;

        let again = story.map(|story| story.again.to_string()).filter(|again| !again.is_empty());
        let again = again.map(|again| format!("\nTo run the check again:\n\n```\n{again}\n```\n")).unwrap_or_default();
        let paragraph = |note: &String| format!("\n{note}\n");
        let notes: String = notes.iter().map(paragraph).collect();
        let list = files.written.iter().map(|(name, what)| format!("| `{}` | {what} |\n", name.display()));
        let readme = format!(
            "# {id}\n\nWritten by layoutproof {version}.\n\n```\n{block}```\n\n{comparison}\n{made_with}\n| file | what |\n|---|---|\n{list}{notes}{again}",
            id = record.id,
            version = env!("CARGO_PKG_VERSION"),
            block = block(&FailureGroup::of(record), Style::PLAIN),
            comparison = comparison(record, remade),
            made_with = made_with(self.run(&record.id)?, &record.id),
            list = list.collect::<String>(),
        );
        files.text("README.md", "the failure, what has changed, and the command", &readme)?;
        Ok(files.written)
    }
}

/// The device and the tools of the recorded check, with their versions.
fn made_with(run: &RunHeader, id: &CheckId) -> String {
    let device = run.devices.iter().find(|device| id.is_on(device));
    let device = device.map(|it| ("device", format!("{}, {}, {}", it.name, it.driver, it.api)));
    let own = match id.producer.producer() {
        Some(Producer::Compiler(toolchain)) => Some(toolchain.compiler),
        Some(Producer::Generator(_)) | None => None,
    };
    // naga also reads the WGSL of devices, and spirv-val all SPIR-V.
    let is_of_check = |tool: &str| {
        own == Some(tool) || tool == "naga" || !toolchains().iter().any(|toolchain| toolchain.compiler == tool)
    };
    let tools = run
        .tools
        .iter()
        .filter(|(tool, _)| is_of_check(tool))
        .map(|(tool, version)| (tool.as_str(), version.to_string()));
    let row = |(what, version): (&str, String)| format!("| {} | {} |\n", escaped(what), escaped(&version));
    format!("| recorded with | |\n|---|---|\n{}", device.into_iter().chain(tools).map(row).collect::<String>())
}

/// How the check ends here, compared with its record.
fn comparison(record: &CheckRecord, remade: &Remade) -> String {
    let outcome = |record: &CheckRecord| {
        let culprit = record.outcome.culprit().map(|culprit| format!(" ({})", culprit.as_str())).unwrap_or_default();
        format!("{}{culprit}", record.outcome.kind().as_str())
    };
    let mut text = match &remade.record {
        None => "The device is not here, so the check did not run again.\n".to_owned(),
        Some(now) if outcome(now) == outcome(record) && now.rows == record.rows => {
            format!("The check ends here as in the record: {}.\n", outcome(now))
        }
        Some(now) if outcome(now) == outcome(record) => {
            format!("The check ends here as in the record, {}, but with other numbers.\n", outcome(now))
        }
        Some(now) => format!("The check ends here as {}; in the record as {}.\n", outcome(now), outcome(record)),
    };
    if !remade.changes.is_empty() {
        text += "What has changed since the record:\n";
        text.extend(remade.changes.iter().map(|change| format!("  {change}\n")));
    }
    text
}

fn exit(record: Option<&CheckRecord>) -> Exit {
    match record.map(|record| record.outcome.kind()) {
        None => Exit::Missing,
        Some(OutcomeKind::Agree | OutcomeKind::Known | OutcomeKind::Stale) => Exit::Agree,
        Some(OutcomeKind::Differ | OutcomeKind::Broken) => Exit::Differ,
        Some(OutcomeKind::Skipped) => Exit::NothingSelected,
    }
}

/// The files of the folder so far, each with a few words about it.
struct FolderFiles<'a> {
    folder: &'a Path,
    written: Vec<(PathBuf, String)>,
}

impl FolderFiles<'_> {
    fn bytes(&mut self, name: impl Into<PathBuf>, what: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let name = name.into();
        write_below(self.folder, &name, bytes)?;
        self.written.push((name, what.to_owned()));
        Ok(())
    }

    fn text(&mut self, name: impl Into<PathBuf>, what: &str, text: &str) -> anyhow::Result<()> {
        self.bytes(name, what, text.as_bytes())
    }

    /// The module of the failing probe: what the device gets, and readable forms.
    fn shaders(&mut self, probe: &FailingProbe<'_>) -> anyhow::Result<()> {
        if let Some(dispatch) = probe.dispatches.first() {
            self.code(&dispatch.job.shader)?;
        }
        for text in probe.module.texts() {
            let name = PathBuf::from(format!("readable.{}", text.suffix));
            self.text(name, text.form, &text.text)?;
        }
        Ok(())
    }

    /// The exact code that the device gets.
    fn code(&mut self, shader: &Shader) -> anyhow::Result<()> {
        let what = format!("the shader that the device gets ({})", shader.form());
        match shader {
            Shader::Spirv(words) => self.bytes("shader.spv", &what, &word_bytes(words)),
            Shader::Dxil(container) => self.bytes("shader.dxil", &what, container),
            Shader::Dxbc(container) => self.bytes("shader.dxbc", &what, container),
            Shader::Wgsl(text) => self.text("shader.wgsl", &what, text),
            Shader::DxilListing(text) => self.text("shader.dxil.txt", &what, text),
            Shader::ClangIr(text) => self.text("shader.ll", &what, text),
        }
    }

    /// The buffers of each dispatch, as bytes and as text.
    fn dispatches(&mut self, dispatches: &[ReproDispatch]) -> anyhow::Result<()> {
        for (number, ReproDispatch { job, salt, expected }) in (1..).zip(dispatches) {
            let folder = PathBuf::from(format!("dispatch{number}"));
            for buffer in &job.buffers {
                let mut name = format!("set{}_binding{}", buffer.set, buffer.binding);
                if buffer.element > 0 {
                    let _ = write!(name, "_element{}", buffer.element);
                }
                self.bytes(folder.join(format!("{name}.bin")), &format!("{:?} buffer", buffer.kind), &buffer.bytes)?;
                let known = expected.iter().filter(|word| word.socket == (buffer.set, buffer.binding));
                let known = known.map(|word| (word.offset, word.word, word.path.as_str()));
                let text = readable(&buffer.bytes, *salt) + &expectations(known);
                self.text(folder.join(format!("{name}.txt")), "the same, for people", &text)?;
            }
            if !job.push_constants.is_empty() {
                self.bytes(folder.join("push_constants.bin"), "push constants", &job.push_constants)?;
                let text = readable(&job.push_constants, *salt);
                self.text(folder.join("push_constants.txt"), "the same, for people", &text)?;
            }
            self.text(folder.join("job.txt"), "entry point and workgroups", &job_text(job))?;
        }
        Ok(())
    }

    /// The script for Amber or the test for the offload test suite; returns why there is none.
    fn tests(&mut self, check: &Check, probe: &FailingProbe<'_>, heading: &str) -> anyhow::Result<Option<String>> {
        let Some(first) = probe.dispatches.first() else { return Ok(None) };
        if matches!(first.job.shader, Shader::Spirv(_)) {
            return match amber_of_dispatch(first, heading) {
                Ok(script) => self.text("probe.amber", "the same dispatch for Amber", &script).map(|()| None),
                Err(reason) => Ok(Some(format!("No script for Amber: {reason}."))),
            };
        }
        let Producer::Compiler(toolchain) = check.produced.producer else { return Ok(None) };
        match offload_test_of_probe(&check.subject, toolchain, probe, heading) {
            Ok(test) => {
                self.text("probe.test", "the same dispatch for llvm/offload-test-suite", &test.text)?;
                Ok(None)
            }
            Err(reason) => Ok(Some(format!("No test for the offload test suite: {reason}."))),
        }
    }
}

/// Words with their places and meanings.
fn readable(bytes: &[u8], salt: Salt) -> String {
    let words = (0..).step_by(4).zip(bytes.chunks_exact(4));
    let line = |(offset, word): (usize, &[u8])| {
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        format!("byte {offset:6}  {word:#010X}  {}\n", decode(salt.turn(word)))
    };
    words.map(line).collect()
}

fn expectations<'a>(known: impl Iterator<Item = (u32, u32, &'a str)>) -> String {
    let line = |(offset, word, path): (u32, u32, &str)| format!("byte {offset:6}  {word:#010X}  {path}\n");
    let lines: String = known.map(line).collect();
    if lines.is_empty() { lines } else { format!("\nafter the dispatch\n{lines}") }
}

fn job_text(job: &Job) -> String {
    let [x, y, z] = job.workgroups;
    let stage = match &job.draw {
        None => format!("dispatch of {x} x {y} x {z} workgroups"),
        Some(draw) => format!("draw of one point; entry point of the fragment stage: {}", draw.fragment),
    };
    let requires: Vec<String> = job.requires.iter().map(ToString::to_string).collect();
    format!("entry point: {}\n{stage}\nfeatures: {}\n", job.entry, requires.join(", "))
}
