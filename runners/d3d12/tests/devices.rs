//! Runs shaders on each Direct3D 12 device: DXC's and FXC's output for `shaders/*.hlsl`, which
//! declare all bindings. The expected memory follows from their text.
//!
//! If vkd3d was fetched, this program restarts itself through vkd3d's loader.

use std::path::Path;
use std::process::ExitCode;

use layoutproof_compilers::private_root::PrivateRoot;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_d3d12::Direct3d12;
use layoutproof_device::{
    Batch, BufferKind, DeviceApi, DeviceInfo, Draw, Feature, ImageKind, ImageView, JOB_LIMIT, Job, JobBuffer, JobImage,
    ReadBack, RegisterRange, ResourceClass, RootParameters, RunnerError, Shader, TexelType, word_bytes, words_of,
};
use libtest_mimic::{Arguments, Failed, Trial};

/// One resource of each class, compiled by DXC 1.7.2308 with `-T cs_6_0`, which left the hash zero.
const CLASSES: &[u8] = include_bytes!("shaders/classes.dxil");
/// The same, compiled by FXC 10.0.22621 with `/T cs_5_1`, including the hash.
const CLASSES_OF_FXC: &[u8] = include_bytes!("shaders/classes.dxbc");
/// Arrays and typed buffers, compiled by DXC.
const ARRAYS: &[u8] = include_bytes!("shaders/arrays.dxil");

/// Stages of draws, compiled by DXC: vertex stages that write nothing or something, and pixel
/// stages of both kinds.
const PLACE: &[u8] = include_bytes!("shaders/place.dxil");
const VERTEX: &[u8] = include_bytes!("shaders/vertex.dxil");
const NOTHING: &[u8] = include_bytes!("shaders/nothing.dxil");
const PIXEL: &[u8] = include_bytes!("shaders/pixel.dxil");

/// Fills the memory before each bound range.
const BEFORE: u32 = 0xBEF0_BEF0;
/// Initial content of the output.
const FILL: u32 = 0xDEAD_F111;

/// A check to run on a device.
type Check = fn(&DeviceInfo) -> Result<(), Failed>;

const CHECKS: [(&str, Check); 8] = [
    ("each_class_and_space_is_bound", classes),
    ("dxbc_runs_too", classes_of_fxc),
    ("arrays_endless_ranges_and_typed_buffers", arrays),
    ("stages_of_draws_write", draws),
    ("each_job_starts_afresh", afresh),
    ("a_register_that_is_not_declared_fails_the_pipeline", undeclared),
    ("what_is_no_container_is_refused_and_the_device_goes_on", refused),
    ("missing_features_are_named", features),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    if let Some(code) = through_the_loader() {
        return code;
    }
    let trials = match Direct3d12.discover() {
        Ok(found) if found.devices.is_empty() => {
            let reason =
                format!("no device of Direct3D 12 (`layoutproof setup vkd3d` fetches one) {}", found.notes.join("; "));
            vec![Trial::ignorable_test("every_device", || Ok(libtest_mimic::Completion::ignored_with(reason)))]
        }
        Ok(found) => found.devices.iter().flat_map(trials).collect(),
        Err(error) => vec![Trial::test("enumerate", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Runs this program again if the fetched vkd3d can be loaded; `None` inside of that run, and
/// without a fetched vkd3d.
fn through_the_loader() -> Option<ExitCode> {
    let this = std::env::current_exe().ok()?;
    if this.file_name()?.to_string_lossy().starts_with("ld-linux") {
        return None;
    }
    let vkd3d = PrivateRoot::find(&ToolsFolder::find().ok()?, PrivateRoot::VKD3D).ok()??;
    let status = vkd3d.command(Path::new(&this)).args(std::env::args_os().skip(1)).status().ok()?;
    Some(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn trials(device: &DeviceInfo) -> impl Iterator<Item = Trial> {
    CHECKS.into_iter().map(move |(name, check)| {
        let device = device.clone();
        Trial::test(format!("{}::{name}", device.id), move || check(&device))
    })
}

fn buffer(class: char, space: u32, register: u32, element: u32, words: &[u32]) -> JobBuffer {
    let kind = match class {
        'b' => BufferKind::Uniform,
        't' => BufferKind::StorageRead,
        _ => BufferKind::Storage,
    };
    let (bytes, after) = (word_bytes(words), word_bytes(&[FILL; 4]));
    JobBuffer { set: space, binding: register, element, kind, bytes, after, before_word: BEFORE }
}

fn run(info: &DeviceInfo, jobs: Vec<Job>) -> Result<Vec<Result<ReadBack, RunnerError>>, Failed> {
    Ok(Direct3d12.open(info, JOB_LIMIT)?.run(&Batch { jobs }))
}

fn ensure(holds: bool, text: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(text.into()) }
}

/// The job for the shader of all classes, with two workgroups.
fn job_of_classes(shader: Shader, parameters: RootParameters) -> Job {
    let buffers = vec![
        buffer('u', 9, 7, 0, &[FILL; 16]),
        buffer('b', 2, 3, 0, &[0x101, 0x102, 0x103, 0x104]),
        buffer('t', 0, 1, 0, &[0x201, 0x202]),
        buffer('t', 1, 1, 0, &[0x301, 0x302, 0x303, 0x304, 0x305, 0x306]),
        buffer('u', 1, 1, 0, &[0x401, 0x402, 0x403, 0x404]),
    ];
    let mut job = Job { workgroups: [2, 1, 1], ..Job::compute(shader, "main", buffers) };
    job.root_signature.parameters = parameters;
    job.root_signature.ranges.push(RegisterRange {
        class: ResourceClass::ShaderResource,
        space: 1,
        first: 1,
        count: Some(1),
        stride: 12,
    });
    job
}

/// Checks the results of the shader of all classes.
fn check_classes(read_back: &ReadBack) -> Result<(), Failed> {
    let first = [0x101, 0x104, 0x202, 0x306, 0x403, 0, FILL, FILL];
    let second = [0x101, 0x104, 0x202, 0x306, 0x403, 1, FILL, FILL];
    let output = words_of(&read_back.buffers[0].bytes);
    ensure(output == [first, second].concat(), &format!("the output is {output:x?}"))?;
    let written = words_of(&read_back.buffers[4].bytes);
    ensure(written == [0x401, 0x402, 0x403, 0x600D], &format!("what is written is {written:x?}"))?;
    for (index, buffer) in read_back.buffers.iter().enumerate() {
        let (before, after) = (words_of(&buffer.before), words_of(&buffer.after));
        ensure(
            !before.is_empty() && before.iter().all(|word| *word == BEFORE),
            &format!("before {index}: {before:x?}"),
        )?;
        ensure(after == [FILL; 4], &format!("after {index}: {after:x?}"))?;
    }
    let constants = words_of(&read_back.buffers[1].bytes);
    ensure(constants == [0x101, 0x102, 0x103, 0x104], &format!("the constants are {constants:x?}"))
}

fn check_every_way(info: &DeviceInfo, shader: &Shader) -> Result<(), Failed> {
    let ways = [RootParameters::Descriptors, RootParameters::Constants, RootParameters::Tables];
    let jobs = ways.map(|way| job_of_classes(shader.clone(), way)).to_vec();
    for (way, result) in ways.into_iter().zip(run(info, jobs)?) {
        check_classes(&result.map_err(|error| format!("{way:?}: {error}"))?)
            .map_err(|failed| format!("{way:?}: {}", failed.message().unwrap_or_default()))?;
    }
    Ok(())
}

fn classes(info: &DeviceInfo) -> Result<(), Failed> {
    check_every_way(info, &Shader::Dxil(CLASSES.to_vec()))
}

fn classes_of_fxc(info: &DeviceInfo) -> Result<(), Failed> {
    check_every_way(info, &Shader::Dxbc(CLASSES_OF_FXC.to_vec()))
}

fn arrays(info: &DeviceInfo) -> Result<(), Failed> {
    let texels = |kind, binding, texel| JobImage {
        set: 0,
        binding,
        element: 0,
        kind,
        view: ImageView::D1,
        texel: TexelType::Uint,
        format: None,
        levels: vec![texel],
    };
    let buffers = vec![
        buffer('u', 0, 0, 0, &[FILL; 8]),
        buffer('b', 6, 4, 0, &[0x101, 0, 0, 0]),
        buffer('b', 6, 4, 1, &[0, 0x102, 0, 0]),
        buffer('t', 5, 2, 0, &[0x201]),
        buffer('t', 5, 2, 3, &[0, 0x202]),
        buffer('t', 6, 0, 0, &[0x301, 0, 0]),
        buffer('t', 6, 0, 2, &[0, 0, 0, 0, 0x302, 0]),
    ];
    let mut job = Job::compute(Shader::Dxil(ARRAYS.to_vec()), "main", buffers);
    job.images =
        vec![texels(ImageKind::UniformTexels, 9, [0, 0, 0x401, 0]), texels(ImageKind::StorageTexels, 1, [0; 4])];
    let range = |space, first, count, stride| RegisterRange {
        class: ResourceClass::ShaderResource,
        space,
        first,
        count,
        stride,
    };
    job.root_signature.ranges = vec![range(5, 2, None, 0), range(6, 0, Some(3), 12)];
    let result = run(info, vec![job])?.remove(0);
    if !info.features.contains(&Feature::StorageBufferArray) {
        let Err(RunnerError::Unsupported(words)) = &result else {
            return Err(format!("without arrays: {result:?}").into());
        };
        // The driver's message follows the colon.
        return ensure(words.starts_with("arrays of registers: "), words);
    }
    let read_back = result?;
    let output = words_of(&read_back.buffers[0].bytes);
    // The last one is the number of elements of a view of 24 bytes.
    let expected = [0x101, 0x102, 0x201, 0x202, 0x301, 0x302, 0x401, 2];
    ensure(output == expected, &format!("the output is {output:x?}"))
}

/// Each stage writes once: the draw has one point and one texel.
fn draws(info: &DeviceInfo) -> Result<(), Failed> {
    let draw = |vertex: &[u8], pixel: &[u8], feature: Feature| {
        let buffers = vec![buffer('u', 9, 7, 0, &[FILL; 4]), buffer('b', 2, 3, 0, &[0x101, 0x102, 0x103, 0x104])];
        let fragment_shader = Some(Shader::Dxil(pixel.to_vec()));
        Job {
            draw: Some(Draw { fragment: "pixel".to_owned(), fragment_shader, targets: 0 }),
            requires: [feature].into(),
            ..Job::compute(Shader::Dxil(vertex.to_vec()), "vertex", buffers)
        }
    };
    let jobs = vec![draw(PLACE, PIXEL, Feature::FragmentStores), draw(VERTEX, NOTHING, Feature::VertexStores)];
    let mut results = run(info, jobs)?.into_iter();

    let written = |read_back: &ReadBack| words_of(&read_back.buffers[0].bytes);
    let pixel = results.next().ok_or("no answer to the first draw")??;
    ensure(written(&pixel) == [FILL, 0x103, FILL, FILL], &format!("the pixel stage wrote {:x?}", written(&pixel)))?;

    match results.next().ok_or("no answer to the second draw")? {
        Ok(vertex) => {
            let words = written(&vertex);
            ensure(words == [0x102, FILL, FILL, FILL], &format!("the vertex stage wrote {words:x?}"))
        }
        Err(error @ RunnerError::Unsupported(_)) => {
            let has_stores = info.features.contains(&Feature::VertexStores);
            ensure(!has_stores, &format!("the device has the feature: {error}"))
        }
        Err(error) => Err(error.into()),
    }
}

fn afresh(info: &DeviceInfo) -> Result<(), Failed> {
    let job = job_of_classes(Shader::Dxil(CLASSES.to_vec()), RootParameters::Descriptors);
    let mut other = job.clone();
    other.buffers[1] = buffer('b', 2, 3, 0, &[7, 0, 0, 8]);
    other.workgroups = [1, 1, 1];
    let results = run(info, vec![job.clone(), other, job])?;
    let [first, other, last] = <[_; 3]>::try_from(results).map_err(|_| "three jobs have three results")?;
    check_classes(&first?)?;
    check_classes(&last?)?;
    let output = words_of(&other?.buffers[0].bytes);
    ensure(output[..2] == [7, 8] && output[8..] == [FILL; 8], &format!("the other's output is {output:x?}"))
}

/// Direct3D needs every register: a root signature that lacks one does not fit the shader.
fn undeclared(info: &DeviceInfo) -> Result<(), Failed> {
    let right = job_of_classes(Shader::Dxil(CLASSES.to_vec()), RootParameters::Descriptors);
    for (index, name) in [(1, "b3 space 2"), (3, "t1 space 1"), (4, "u1 space 1")] {
        let mut wrong = right.clone();
        wrong.root_signature.ranges.clear();
        wrong.buffers[index].binding += 1;
        let results = run(info, vec![wrong, right.clone()])?;
        ensure(matches!(&results[0], Err(RunnerError::ShaderRefused(_))), &format!("{name}: {:?}", results[0]))?;
        check_classes(results[1].as_ref().map_err(ToString::to_string)?)?;
    }
    Ok(())
}

fn refused(info: &DeviceInfo) -> Result<(), Failed> {
    let right = job_of_classes(Shader::Dxil(CLASSES.to_vec()), RootParameters::Descriptors);
    let with = |shader| Job { shader, ..right.clone() };
    let mut torn = CLASSES.to_vec();
    torn.truncate(torn.len() / 2);
    let jobs =
        vec![with(Shader::Dxil(vec![0; 64])), with(Shader::Dxil(torn)), with(Shader::Spirv(vec![])), right.clone()];
    let results = run(info, jobs)?;
    let is_refused = |result: &Result<ReadBack, RunnerError>| matches!(result, Err(RunnerError::ShaderRefused(_)));
    ensure(is_refused(&results[0]), &format!("zeros: {:?}", results[0]))?;
    ensure(is_refused(&results[1]), &format!("half a container: {:?}", results[1]))?;
    ensure(matches!(results[2], Err(RunnerError::Unsupported(_))), &format!("SPIR-V: {:?}", results[2]))?;
    check_classes(results[3].as_ref().map_err(ToString::to_string)?)
}

fn features(info: &DeviceInfo) -> Result<(), Failed> {
    let mut job = job_of_classes(Shader::Dxil(CLASSES.to_vec()), RootParameters::Descriptors);
    job.requires.insert(Feature::BufferDeviceAddress);
    let result = run(info, vec![job])?.remove(0);
    ensure(matches!(result, Err(RunnerError::Unsupported(_))), &format!("{result:?}"))
}
