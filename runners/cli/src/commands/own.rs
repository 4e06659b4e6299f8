//! `layoutproof run FILE --own`: executes a user's own module on the Vulkan devices of this machine, with a log of its
//! accesses and without, and compares both with what its code says.
//!
//! A foreign module runs here alone, and only in workers: see "What --own runs" in the book.

use std::sync::Arc;

use anyhow::bail;
use layoutproof_compilers::spirv_val::{ModuleOrigin, SpirvVal};
use layoutproof_core::check::verdict::Validation;
use layoutproof_device::{
    AddressHolder, BufferKind, DeviceInfo, JOB_LIMIT, Job, JobAddress, JobBuffer, JobImage, JobSampler, ReadBack,
    RunnerError, RunnerKind, Shader, TexelType,
};
use layoutproof_events::summary::Exit;
use layoutproof_executor::device_listing::DeviceListing;
use layoutproof_executor::launch::Launch;
use layoutproof_executor::own::{Answer, run_own};
use layoutproof_executor::watch::Watcher;
use layoutproof_inputs::files::{self, FileKind};
use layoutproof_inputs::inputs::InputWord;
use layoutproof_inputs::project_file::ProjectFile;
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_layout::BlockRules;
use layoutproof_readers::spirv::accesses::ViewKind;
use layoutproof_readers::spirv::accesses::instrument::{NotLogged, OwnModule};
use layoutproof_readers::spirv::accesses::own_buffers::OwnBuffer;
use layoutproof_readers::spirv::accesses::own_images::{OwnImage, OwnImageKind};
use layoutproof_readers::spirv::accesses::own_log::{Dispatch, LogShape, ReadLog, Site, Source};
use layoutproof_readers::spirv::workgroup_layout::without_workgroup_layout;
use layoutproof_report::own::{Difference, OwnDevice, OwnOutcome, OwnReport, PlainRun, json, text};
use layoutproof_show::Style;
use layoutproof_source::nearest_name::did_you_mean;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::args::{OwnArgs, OwnFormat, RunArgs};
use crate::not_started::NotStarted;
use crate::output::{print, print_json, warn_of_listing};
use crate::progress::Progress;
use crate::select::run_config::listen_for_the_end;
use crate::shader_settings::ShaderSettings;

/// Elements of an array without a length, unless there are more invocations.
const FEWEST_ELEMENTS: u64 = 64;

/// The largest buffer that is made without a size that the user gives.
const LARGEST_BUFFER: u64 = 64 << 20;

/// Runs with ever larger buffers, until the code stays within them.
const MOST_RUNS: usize = 4;

/// Descriptors of an array without a length.
const DESCRIPTORS: u32 = 4;

/// Mip levels of an image, which has 64 texels in each dimension.
const IMAGE_LEVELS: usize = 7;

/// Bytes after a buffer, and what fills them.
const GUARD: usize = 64;
const GUARD_BYTE: u8 = 0xA5;

/// The accesses for which a log has room: so many of each invocation at each place in the code, within limits. An entry
/// takes 16 bytes.
const ACCESSES_OF_SITE: u64 = 16;
const FEWEST_ENTRIES: u32 = 1 << 12;
const MOST_ENTRIES: u32 = 1 << 20;

/// The most invocations of a dispatch.
const MOST_INVOCATIONS: u64 = 1 << 24;

/// Executes the module of the one file that the user names.
pub(crate) fn own(args: &RunArgs, format: OwnFormat, style: Style, progress: &Progress) -> anyhow::Result<Exit> {
    let [word] = args.inputs.as_slice() else { bail!("--own executes one file") };
    let InputWord::Shader(shader) = InputWord::of(word, args.declare.lang) else {
        bail!("--own executes a shader file, and `{word}` is none");
    };
    if !args.outputs.files.is_empty() {
        bail!("--own writes no report files: --own=json prints JSON");
    }
    let interrupt = listen_for_the_end()?;
    progress.phase("reading the module");
    let settings = ShaderSettings::named(args.declare.args.as_deref(), &args.declare, &ProjectFile::default())?;
    let mut sources = SourceMap::default();
    let modules = match shader.follow::<OwnModule>(&settings.declare, &settings.arguments, &mut sources)? {
        Ok(modules) => modules,
        Err(diagnostics) => bail!(RefusedInput { diagnostics, sources }),
    };
    let [module] = modules.as_slice() else {
        let entries: Vec<&str> = modules.iter().map(|module| module.code.entry.as_str()).collect();
        bail!("{word} has several compute shaders: {}; choose one with --entry", entries.join(", "));
    };
    let compiler = module.compiler.clone();
    let plan = Plan::of(&module.code, &args.own)?;

    let validate = |words: &[u32]| match SpirvVal::find() {
        Some(validator) => validator.validate(words, BlockRules::Scalar, ModuleOrigin::UserFile, None).validation,
        None => Validation::NotRun("spirv-val is not there".to_owned()),
    };
    // naga gives arrays strides in the memory of a workgroup, too, which changes nothing in what is executed.
    let without_strides = || {
        let validation = without_workgroup_layout(&plan.module.plain).map(|words| validate(&words));
        matches!(validation, Some(Validation::Valid | Validation::ValidOnlyWith { .. }))
    };
    let is_wgsl = shader.front_end.language() == Some(ShaderLanguage::Wgsl);
    let (invalid, not_validated) = match validate(&plan.module.plain) {
        Validation::Invalid(_) if is_wgsl && without_strides() => {
            (None, Some("Vulkan allows no strides in the memory of a workgroup, where naga writes some".to_owned()))
        }
        Validation::Invalid(reason) => (Some(reason), None),
        Validation::NotRun(reason) => (None, Some(reason)),
        Validation::Valid | Validation::ValidOnlyWith { .. } => (None, None),
    };
    let mut devices = Vec::new();
    let mut sizes = plan.sizes.clone();
    if invalid.is_none() {
        let launch = Launch {
            job_limit: args.time_limit.unwrap_or(JOB_LIMIT),
            threads: args.jobs,
            interrupt,
            watcher: Arc::new(progress.clone()),
            ..Launch::for_run(
                std::env::current_exe()?,
                &[&args.device[..], &args.require].concat(),
                args.every_device && args.device.is_empty(),
            )?
        };
        progress.phase("listing devices");
        let chosen = chosen_devices(args, &launch, progress)?;
        progress.phase("executing the module");
        let answers = run_own(&chosen, &launch, word, |answers| plan.next(answers));
        if let Some(first) = answers.first() {
            sizes = plan.sizes_after(first);
        }
        devices = chosen
            .iter()
            .zip(&answers)
            .map(|(device, answers)| OwnDevice { name: device.id.clone(), outcome: plan.judge(answers) })
            .collect();
    }
    let mut report = OwnReport {
        file: word.clone(),
        language: shader.front_end.language().unwrap_or(ShaderLanguage::Hlsl),
        compiler,
        dispatch: plan.dispatch.groups,
        invalid,
        not_validated,
        sizes: sizes.iter().zip(&plan.is_chosen).map(|(size, chosen)| (*size, *chosen)).collect(),
        devices,
        module: module.code.clone(),
    };
    report.weigh();
    progress.pause(|| match format {
        OwnFormat::Text => print(&text(&report, style, args.outputs.verbose > 0)),
        OwnFormat::Json => print_json(&json(&report)),
    });
    Ok(if report.fails() {
        Exit::Differ
    } else if report.ran() == 0 || report.is_open() {
        Exit::NothingSelected
    } else {
        Exit::Agree
    })
}

/// The Vulkan devices that the user names, or all.
fn chosen_devices(args: &RunArgs, launch: &Launch, progress: &Progress) -> anyhow::Result<Vec<DeviceInfo>> {
    let listing = DeviceListing::of(&[RunnerKind::Ash], launch);
    progress.pause(|| warn_of_listing(&listing));
    let missing = |reason: String| NotStarted { reason, exit: Exit::Missing };
    let found: Vec<&str> = listing.devices.iter().map(|device| device.id.as_str()).collect();
    if let Some(absent) = args.device.iter().chain(&args.require).find(|id| !found.contains(&id.as_str())) {
        let meant = did_you_mean(absent, found.iter().copied());
        return Err(missing(format!("no Vulkan device `{absent}`; found {}{meant}", found.join(", "))).into());
    }
    let chosen = |device: &DeviceInfo| args.device.is_empty() || args.device.contains(&device.id);
    let devices: Vec<DeviceInfo> = listing.devices.iter().filter(|device| chosen(device)).cloned().collect();
    if devices.is_empty() {
        return Err(missing("no Vulkan device was found, so nothing is executed".to_owned()).into());
    }
    Ok(devices)
}

/// What is executed: the module, its dispatch and its buffers.
struct Plan<'a> {
    module: &'a OwnModule,
    dispatch: Dispatch,
    invocations: u64,
    /// The bytes of each buffer at first.
    sizes: Vec<u64>,
    /// True if the user gives the size of a buffer.
    is_chosen: Vec<bool>,
    /// The user's bytes of each buffer.
    contents: Vec<Option<Vec<u8>>>,
}

impl<'a> Plan<'a> {
    fn of(module: &'a OwnModule, args: &OwnArgs) -> anyhow::Result<Self> {
        let dispatch = Dispatch { groups: args.dispatch.unwrap_or([1; 3]), local_size: module.local_size };
        let sizes = dispatch.groups.iter().chain(&dispatch.local_size);
        let invocations = sizes.fold(1_u64, |product, size| product.saturating_mul((*size).into()));
        if invocations > MOST_INVOCATIONS {
            bail!("the dispatch has {invocations} invocations, more than {MOST_INVOCATIONS}");
        }
        let names: Vec<&str> = module.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        for name in args.buffer.iter().map(|(name, _)| name).chain(args.elements.iter().map(|(name, _)| name)) {
            if !names.contains(&name.as_str()) {
                let meant = did_you_mean(name, names.iter().copied());
                bail!("the module has no buffer `{name}`; it has {}{meant}", names.join(", "));
            }
        }
        let mut plan =
            Self { module, dispatch, invocations, sizes: Vec::new(), is_chosen: Vec::new(), contents: Vec::new() };
        for buffer in &module.buffers {
            let file = args.buffer.iter().find(|(name, _)| *name == buffer.name);
            let count = args.elements.iter().find(|(name, _)| *name == buffer.name).map(|(_, count)| *count);
            if count.is_some() && buffer.unsized_array.is_none() {
                bail!("`{}` has no array without a length, so --count does not apply to it", buffer.name);
            }
            let content = file.map(|(_, path)| files::read(path, FileKind::Frozen)).transpose()?;
            let elements = count.map_or(FEWEST_ELEMENTS.max(invocations), u64::from);
            let size = match (&content, buffer.unsized_array) {
                (Some(content), _) => content.len() as u64,
                (None, Some((start, stride))) => {
                    let size = u64::from(start) + u64::from(stride) * elements;
                    if count.is_none() { size.min(LARGEST_BUFFER) } else { size }
                }
                (None, None) => buffer.size.into(),
            };
            plan.sizes.push(size);
            plan.is_chosen.push(content.is_some() || count.is_some());
            plan.contents.push(content);
        }
        plan.share();
        for (buffer, size) in module.buffers.iter().zip(&plan.sizes) {
            if *size < buffer.size.into() || *size > 4 * LARGEST_BUFFER {
                let most = 4 * LARGEST_BUFFER;
                bail!("`{}` would have {size} bytes: it needs {} to {most}", buffer.name, buffer.size);
            }
        }
        Ok(plan)
    }

    /// Gives all buffers at one binding the bytes and the size of their memory: what the user says of any of them, or else
    /// the largest.
    fn share(&mut self) {
        for first in 0..self.sizes.len() {
            let all: Vec<usize> = (first..self.sizes.len()).filter(|index| self.home(*index) == first).collect();
            let is_chosen = all.iter().any(|index| self.is_chosen[*index]);
            let sizes =
                all.iter().filter(|index| self.is_chosen[**index] || !is_chosen).map(|index| self.sizes[*index]);
            let size = sizes.max().unwrap_or(self.sizes[first]);
            let content = all.iter().find_map(|index| self.contents[*index].clone());
            for index in all {
                self.sizes[index] = size;
                self.is_chosen[index] = is_chosen;
                self.contents[index].clone_from(&content);
            }
        }
    }

    /// The buffer whose memory this one is.
    fn home(&self, index: usize) -> usize {
        self.module.buffers[index].shares.unwrap_or(index)
    }

    /// The next job after these answers, if any.
    fn next(&self, answers: &[Answer]) -> Option<Job> {
        let (logging, plain) = self.with_log_and_without(answers);
        let Some(last) = logging.last() else { return Some(self.logging(&self.sizes, self.room())) };
        let log = self.log(last.as_ref().ok()?)?;
        if !log.is_safe() {
            let sizes = self.sizes_after(logging);
            let grown = self.grown(&sizes, &log);
            // A full log says how many accesses there are, and is followed by one that has room for them.
            let mut logs = logging.iter().flatten().filter_map(|answer| self.log(answer));
            let lost = logs.find(|log| log.lost > 0).map_or(0, |log| log.lost);
            let room = self.room_for(lost);
            let is_larger = grown.is_some() || log.lost == lost && room > self.room();
            return (is_larger && logging.len() < MOST_RUNS).then(|| self.logging(&grown.unwrap_or(sizes), room));
        }
        // A device has nothing to return of push constants and images.
        let is_comparable = self.descriptors() > 0 && !self.module.not_logged.contains_key(&NotLogged::Address);
        let is_next = matches!(plain, [] | [Ok(_)]);
        (is_comparable && is_next).then(|| self.job(&self.module.plain, &self.sizes_after(logging)))
    }

    /// The answers of the code that logs, up to the first in which nothing had to be caught, and those of the module as it
    /// is.
    fn with_log_and_without<'b>(&self, answers: &'b [Answer]) -> (&'b [Answer], &'b [Answer]) {
        let is_safe = |answer: &Answer| {
            let log = answer.as_ref().ok().and_then(|read| self.log(read));
            log.is_some_and(|log| log.is_safe())
        };
        let logging = answers.iter().position(is_safe).map_or(answers.len(), |safe| safe + 1);
        answers.split_at(logging)
    }

    fn descriptors(&self) -> usize {
        self.bound().map(|(_, buffer)| descriptors(buffer) as usize).sum()
    }

    /// The buffers that have descriptors, or memory behind an address.
    fn bound(&self) -> impl Iterator<Item = (usize, &'a OwnBuffer)> {
        let is_bound = |buffer: &OwnBuffer| buffer.kind != ViewKind::PushConstant && buffer.shares.is_none();
        self.module.buffers.iter().enumerate().filter(move |(_, buffer)| is_bound(buffer))
    }

    /// The sizes of the last run with a log.
    fn sizes_after(&self, answers: &[Answer]) -> Vec<u64> {
        let mut sizes = self.sizes.clone();
        let logs = answers.iter().filter_map(|answer| self.log(answer.as_ref().ok()?));
        let logs: Vec<ReadLog> = logs.collect();
        // The last log is of the last sizes.
        for log in logs.iter().take(logs.len().saturating_sub(1)) {
            sizes = self.grown(&sizes, log).unwrap_or(sizes);
        }
        sizes
    }

    /// Larger sizes for buffers that the code left, if the user gives none.
    fn grown(&self, sizes: &[u64], log: &ReadLog) -> Option<Vec<u64>> {
        let mut grown = sizes.to_vec();
        for (site, seen) in self.module.log.sites().iter().zip(&log.sites).filter(|(_, seen)| seen.left > 0) {
            let index = self.buffer_of(site.memory)?;
            let (_, stride) = self.module.buffers[index].unsized_array?;
            let wanted = (u64::from(seen.most) + u64::from(stride)).next_multiple_of(4);
            if self.is_chosen[index] || wanted > LARGEST_BUFFER {
                return None;
            }
            let shared = grown.iter_mut().enumerate().filter(|(other, _)| self.home(*other) == self.home(index));
            shared.for_each(|(_, size)| *size = (*size).max(wanted));
        }
        (grown != sizes).then_some(grown)
    }

    fn buffer_of(&self, memory: u32) -> Option<usize> {
        self.module.buffers.iter().position(|buffer| buffer.memory == memory)
    }

    fn log(&self, read: &ReadBack) -> Option<ReadLog> {
        let log = read.buffers.get(self.descriptors())?;
        self.module.log.read(&log.bytes, self.dispatch)
    }

    /// True if nothing that is made up decides whether code gets to an access, and where that is.
    fn is_certain(&self, site: &Site) -> bool {
        let has = |memory: u32, is_given: &dyn Fn(usize) -> bool| self.buffer_of(memory).is_some_and(is_given);
        site.depends.iter().all(|source| match source {
            Source::Content(memory) => has(*memory, &|index| self.contents[index].is_some()),
            Source::Size(memory) => has(*memory, &|index| self.is_chosen[index]),
            Source::Address(_) | Source::Image | Source::Unknown => false,
        })
    }

    /// How many accesses the first log has room for.
    fn room(&self) -> u32 {
        let sites = self.module.log.sites().len() as u64;
        let all = self.invocations.saturating_mul(sites).saturating_mul(ACCESSES_OF_SITE);
        u32::try_from(all).unwrap_or(u32::MAX).clamp(FEWEST_ENTRIES, MOST_ENTRIES)
    }

    fn room_for(&self, lost: u32) -> u32 {
        let all = self.room().saturating_add(lost);
        if lost == 0 { all } else { all.checked_next_power_of_two().unwrap_or(MOST_ENTRIES).min(MOST_ENTRIES) }
    }

    /// The module with its log.
    fn logging(&self, sizes: &[u64], room: u32) -> Job {
        let mut job = self.job(&self.module.logging, sizes);
        let length = |memory: u32, array: Option<(u32, u32)>| {
            let index = self.buffer_of(memory);
            match (index, array) {
                (Some(index), Some((start, stride))) => {
                    let left = sizes[index].saturating_sub(start.into()) / u64::from(stride.max(1));
                    u32::try_from(left).unwrap_or(u32::MAX)
                }
                (Some(index), None) => descriptors(&self.module.buffers[index]),
                (None, _) => 0,
            }
        };
        let size = |memory: u32| {
            let index = self.buffer_of(memory);
            index.map_or(0, |index| u32::try_from(sizes[index]).unwrap_or(u32::MAX))
        };
        let bytes = self.module.log.bytes(self.dispatch, room, length, size);
        let (set, binding) = (self.module.log_set, self.module.log_binding);
        let log = job.buffers.len();
        job.buffers.push(JobBuffer { bytes, ..bound(set, binding, 0, BufferKind::Storage) });
        if self.module.buffers.iter().any(|buffer| buffer.holder.is_some())
            || self.module.not_logged.contains_key(&NotLogged::Address)
        {
            let sink = job.buffers.len();
            let bytes = vec![0; LogShape::SINK as usize];
            job.buffers.push(JobBuffer { bytes, ..bound(0, 0, 0, BufferKind::Address { alignment: 64 }) });
            for (at, memory) in self.module.log.addresses() {
                let buffer = memory.map_or(Some(sink), |memory| self.first_of(memory));
                let holder = AddressHolder::Buffer(log);
                job.addresses.extend(buffer.map(|buffer| JobAddress { holder, at, buffer, target: 0 }));
            }
        }
        job
    }

    /// The job's buffer that is the first descriptor of a memory.
    fn first_of(&self, memory: u32) -> Option<usize> {
        let memory = self.module.buffers[self.home(self.buffer_of(memory)?)].memory;
        let before = self.bound().take_while(|(_, buffer)| buffer.memory != memory);
        let first = before.map(|(_, buffer)| descriptors(buffer) as usize).sum();
        self.bound().any(|(_, buffer)| buffer.memory == memory).then_some(first)
    }

    /// The addresses in buffers and push constants.
    fn addresses(&self) -> Vec<JobAddress> {
        let mut found = Vec::new();
        for buffer in &self.module.buffers {
            let (Some((holder, at)), Some(index)) = (buffer.holder, self.first_of(buffer.memory)) else { continue };
            let address = |holder| JobAddress { holder, at, buffer: index, target: 0 };
            match self.buffer_of(holder).map(|holder| &self.module.buffers[holder]) {
                Some(holder) if holder.kind == ViewKind::PushConstant => {
                    found.push(address(AddressHolder::PushConstants));
                }
                Some(holder) => {
                    let first = self.first_of(holder.memory).unwrap_or(0);
                    let all = first..first + descriptors(holder) as usize;
                    found.extend(all.map(|holder| address(AddressHolder::Buffer(holder))));
                }
                None => {}
            }
        }
        found
    }

    fn job(&self, words: &[u32], sizes: &[u64]) -> Job {
        let mut buffers = Vec::new();
        for (index, buffer) in self.bound() {
            let kind = match buffer.kind {
                ViewKind::Uniform => BufferKind::Uniform,
                ViewKind::Pointee => BufferKind::Address { alignment: buffer.alignment },
                ViewKind::Storage | ViewKind::PushConstant | ViewKind::ShaderRecord | ViewKind::Workgroup => {
                    BufferKind::Storage
                }
            };
            for element in 0..descriptors(buffer) {
                let bytes = self.bytes(index, sizes);
                buffers.push(JobBuffer { bytes, ..bound(buffer.set, buffer.binding, element, kind) });
            }
        }
        let pushed = self.module.buffers.iter().position(|buffer| buffer.kind == ViewKind::PushConstant);
        let mut images = Vec::new();
        let mut samplers = Vec::new();
        for OwnImage { set, binding, count, kind, .. } in &self.module.images {
            for element in 0..*count {
                let (set, binding) = (*set, *binding);
                match *kind {
                    OwnImageKind::Sampler { comparison } => {
                        samplers.push(JobSampler { set, binding, element, level: 0, comparison });
                    }
                    OwnImageKind::Image { kind, view, texel, format } => {
                        let levels = vec![texels(texel); IMAGE_LEVELS];
                        images.push(JobImage { set, binding, element, kind, view, texel, format, levels });
                    }
                }
            }
        }
        Job {
            images,
            samplers,
            workgroups: self.dispatch.groups,
            push_constants: pushed.map_or_else(Vec::new, |index| self.bytes(index, sizes)),
            addresses: self.addresses(),
            requires: self.module.features.clone(),
            ..Job::compute(Shader::Spirv(words.to_vec()), self.module.entry.clone(), buffers)
        }
    }

    /// The user's bytes, or words that are the number of their first byte.
    fn bytes(&self, index: usize, sizes: &[u64]) -> Vec<u8> {
        let size = usize::try_from(sizes[index]).unwrap_or(usize::MAX).max(4).next_multiple_of(4);
        match &self.contents[index] {
            Some(content) => {
                let mut bytes = content.clone();
                bytes.resize(size, 0);
                bytes
            }
            None => (0..size / 4).flat_map(|word| u32::try_from(4 * word).unwrap_or(u32::MAX).to_le_bytes()).collect(),
        }
    }

    fn judge(&self, answers: &[Answer]) -> OwnOutcome {
        let (logging, plain) = self.with_log_and_without(answers);
        let logged = match logging.last() {
            Some(Ok(logged)) => logged,
            Some(Err(error)) if lacks_something(error) => return OwnOutcome::Skipped(error.to_string()),
            Some(Err(error)) => return OwnOutcome::Broken(error.to_string()),
            None => return OwnOutcome::Broken("the device returned no answer".to_owned()),
        };
        let Some(log) = self.log(logged) else {
            return OwnOutcome::Broken("the device returned no log".to_owned());
        };
        let mut differences = Vec::new();
        for (site, (own, seen)) in (0..).zip(self.module.log.sites().iter().zip(&log.sites)) {
            let certain = self.is_certain(own);
            if seen.beyond > 0 {
                differences.push(Difference::Beyond { site, count: seen.beyond, most: seen.most, certain });
            } else if seen.left > 0 {
                let is_chosen = self.buffer_of(own.memory).is_some_and(|index| self.is_chosen[index]);
                let certain = certain && is_chosen;
                differences.push(Difference::Beyond { site, count: seen.left, most: seen.most, certain });
            } else if let Some(promised) = own.promised.filter(|_| seen.misaligned > 0) {
                differences.push(Difference::Misaligned { site, count: seen.misaligned, promised, certain });
            } else if let Some(entry) = seen.elsewhere {
                differences.push(Difference::Elsewhere { site, entry, everywhere: false });
            }
        }
        let is_within = log.is_safe();
        let owners: Vec<usize> =
            self.bound().flat_map(|(index, buffer)| std::iter::repeat_n(index, descriptors(buffer) as usize)).collect();
        let buffer = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        for (index, after) in owners.iter().zip(&logged.buffers) {
            if is_within && after.after.iter().any(|byte| *byte != GUARD_BYTE) {
                differences.push(Difference::Guard { buffer: buffer(*index) });
            }
        }
        let plain = match plain {
            [Ok(first), Ok(second)] => {
                let is_steady = first.buffers.iter().zip(&second.buffers).all(|(one, other)| one.bytes == other.bytes);
                if is_steady {
                    for (index, (with, without)) in owners.iter().zip(logged.buffers.iter().zip(&first.buffers)) {
                        let at = with.bytes.iter().zip(&without.bytes).position(|(one, other)| one != other);
                        let found = at.map(|at| Difference::Bytes { buffer: buffer(*index), at: at as u64 });
                        differences.extend(found);
                    }
                    let is_other = |difference: &Difference| matches!(difference, Difference::Bytes { .. });
                    if differences.iter().any(is_other) { PlainRun::Differs } else { PlainRun::Same }
                } else {
                    PlainRun::Varies
                }
            }
            [.., Err(error)] if !lacks_something(error) => PlainRun::Broken(error.to_string()),
            [] if is_within && self.descriptors() == 0 => PlainRun::NoBuffer,
            _ => PlainRun::NotRun,
        };
        OwnOutcome::Ran { log, differences, plain }
    }
}

/// True for an error that says nothing about the device's answers.
fn lacks_something(error: &RunnerError) -> bool {
    match error {
        RunnerError::Unsupported(_) | RunnerError::NotRun(_) => true,
        RunnerError::DeviceLost(_)
        | RunnerError::Timeout(_)
        | RunnerError::Api { .. }
        | RunnerError::ShaderRefused(_) => false,
    }
}

/// What every texel of an image is.
fn texels(texel: TexelType) -> [u32; 4] {
    match texel {
        TexelType::Float | TexelType::Depth => [0.5_f32.to_bits(); 4],
        TexelType::Sint | TexelType::Uint => [1; 4],
    }
}

fn bound(set: u32, binding: u32, element: u32, kind: BufferKind) -> JobBuffer {
    let before_word = u32::from_ne_bytes([GUARD_BYTE; 4]);
    JobBuffer { set, binding, element, kind, bytes: Vec::new(), after: vec![GUARD_BYTE; GUARD], before_word }
}

/// How many descriptors a buffer gets.
fn descriptors(buffer: &OwnBuffer) -> u32 {
    buffer.count.unwrap_or(DESCRIPTORS)
}
