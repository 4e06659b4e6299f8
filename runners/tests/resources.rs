//! Checks of runners beyond single buffers: arrays, constants, draws, images and samplers.
//!
//! A device may lack a feature. It must then name the feature, and the trial checks that it does.

use layoutproof_device::{
    BufferKind, DeviceInfo, Draw, Feature, ImageKind, ImageView, Job, JobBuffer, JobImage, JobSampler, ReadBack,
    RunnerError, TexelType, words_of,
};
use libtest_mimic::Failed;

use super::{Api, BEFORE, Check, FILL, buffer, buffers_of, ensure, ensure_eq, job, output, run};

/// The checks of this file.
pub(crate) const CHECKS: [(&str, Check); 11] = [
    ("arrays_of_storage_buffers", storage_arrays),
    ("specialization_constants", constants),
    ("draws_into_targets", draws),
    ("draws_store_to_buffers", draws_store),
    ("images_of_all_components", images),
    ("one_dimensional_images", lines),
    ("samplers_see_one_mip_level", samplers),
    ("cubes_are_sampled", cubes),
    ("storage_images", storage_images),
    ("arrays_of_images_and_samplers", image_arrays),
    ("resources_that_no_device_has_are_named", absent),
];

/// Runs a job. Returns its result, or `None` if the device reports that it lacks `feature`.
fn run_with(api: Api, info: &DeviceInfo, job: Job, feature: Feature) -> Result<Option<ReadBack>, Failed> {
    let result = run(api, info, vec![job])?.remove(0);
    if info.features.contains(&feature) {
        return Ok(Some(result?));
    }
    ensure_eq(&result, &Err(RunnerError::Unsupported(feature.to_string())), "result")?;
    Ok(None)
}

/// Runs a job. Returns its result, or `None` if the device reports that it lacks one of `names`.
fn run_unless(api: Api, info: &DeviceInfo, job: Job, names: &[&str]) -> Result<Option<ReadBack>, Failed> {
    match run(api, info, vec![job])?.remove(0) {
        Ok(read_back) => Ok(Some(read_back)),
        Err(RunnerError::Unsupported(lack)) if names.contains(&lack.as_str()) => {
            ensure(!is_known(info), &format!("{} does have {lack}", info.id))?;
            Ok(None)
        }
        Err(error) => Err(format!("the job failed: {error}").into()),
    }
}

/// True for devices that are known to have all features of these checks: both software devices on
/// Vulkan, as vulkaninfo reports for Mesa 22.3.6 and `SwiftShader` 5.0.
fn is_known(info: &DeviceInfo) -> bool {
    matches!((info.id.as_str(), info.runner.as_str()), ("lavapipe" | "swiftshader", "ash"))
}

fn element(set: u32, element: u32, buffer: JobBuffer) -> JobBuffer {
    JobBuffer { set, element, ..buffer }
}

fn texels(first: u32) -> [u32; 4] {
    [first, first + 1, first + 2, first + 3]
}

/// Distinct normal floats, by their bits.
fn float_texels(first: f32) -> [u32; 4] {
    [first, first + 1.0, first + 2.0, first + 3.0].map(f32::to_bits)
}

fn image(binding: u32, (kind, view, texel): (ImageKind, ImageView, TexelType), levels: &[[u32; 4]]) -> JobImage {
    JobImage { set: 0, binding, element: 0, kind, view, texel, format: None, levels: levels.to_vec() }
}

fn sampler(binding: u32, level: u32) -> JobSampler {
    JobSampler { set: 0, binding, element: 0, level, comparison: false }
}

/// The texels that a job wrote to its only output buffer.
fn written_texels(read_back: ReadBack) -> Result<Vec<[u32; 4]>, Failed> {
    let result = Ok(read_back);
    let [output] = buffers_of(&result)?;
    Ok(words_of(&output.bytes).chunks_exact(4).map(|texel| [texel[0], texel[1], texel[2], texel[3]]).collect())
}

/// Omitted elements read the word before the first named range, and named elements read different
/// words.
fn storage_arrays(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let buffers = vec![
        element(0, 3, buffer(0, BufferKind::Storage, &[FILL; 2])),
        output(3),
        element(1, 2, buffer(3, BufferKind::StorageRead, &[0x302])),
        element(0, 1, buffer(0, BufferKind::Storage, &[FILL; 2])),
        element(1, 0, buffer(3, BufferKind::StorageRead, &[0x300])),
    ];
    let job = job((api.shader)(include_str!("shaders/arrays.wgsl")), buffers);
    let Some(read_back) = run_with(api, info, job, Feature::StorageBufferArray)? else { return Ok(()) };
    let result = Ok(read_back);
    let [third, output, _, first, _] = buffers_of(&result)?;
    ensure_eq(&words_of(&output.bytes), &vec![0x300, BEFORE, 0x302], "output")?;
    ensure_eq(&words_of(&third.bytes), &vec![3, FILL], "element 3")?;
    ensure_eq(&words_of(&first.bytes), &vec![1, FILL], "element 1")
}

/// An omitted constant keeps its default; equal shaders with different constants are compiled
/// separately.
fn constants(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let shader = (api.shader)(include_str!("shaders/constants.wgsl"));
    let jobs = [[(7, 0x7007), (5, 0x5005)], [(5, 0x5006), (7, 0x7008)]]
        .map(|constants| Job { constants: constants.into(), ..job(shader.clone(), vec![output(3)]) });
    let results = run(api, info, jobs.into())?;
    for (result, expected) in results.iter().zip([[0x7007, 20, 0x5005], [0x7008, 20, 0x5006]]) {
        let [output] = buffers_of(result)?;
        ensure_eq(&words_of(&output.bytes), &expected.to_vec(), "output")?;
    }
    Ok(())
}

fn draw(api: Api, wgsl: &str, targets: u32, buffers: Vec<JobBuffer>) -> Job {
    let draw = Draw { fragment: "fragment".to_owned(), fragment_shader: None, targets };
    Job { draw: Some(draw), entry: "vertex".to_owned(), ..job((api.shader)(wgsl), buffers) }
}

/// Two draws in a row: this shows a target that is not cleared, and a texel that is read too early.
fn draws(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let wgsl = include_str!("shaders/draw.wgsl");
    let block = |first| vec![buffer(2, BufferKind::Uniform, &texels(first))];
    let second = [0x200, 0x201, 0x202, 0x203];
    // The model draws without targets.
    let lacks = ["graphics pipelines", "room for 2 targets of a draw; it has room for 0"];
    if run_unless(api, info, draw(api, wgsl, 2, block(0x100)), &lacks)?.is_none() {
        return Ok(());
    }
    let jobs = [0x100, 0x700].map(|first| draw(api, wgsl, 2, block(first)));
    let results = run(api, info, jobs.into())?;
    for (result, first) in results.into_iter().zip([0x100, 0x700]) {
        let read_back = result?;
        ensure_eq(&read_back.targets, &vec![texels(first), second], "targets")?;
        let result = Ok(read_back);
        let [block] = buffers_of(&result)?;
        ensure_eq(&words_of(&block.bytes), &texels(first).to_vec(), "block")?;
    }
    Ok(())
}

fn draws_store(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let buffers = vec![buffer(0, BufferKind::Storage, &[FILL; 3]), output(3)];
    let mut job = draw(api, include_str!("shaders/draw_stores.wgsl"), 0, buffers);
    job.requires.extend([Feature::Graphics, Feature::VertexStores, Feature::FragmentStores]);
    let missing = job.requires.iter().find(|feature| !info.features.contains(feature)).copied();
    let wanted = missing.unwrap_or(Feature::Graphics);
    let Some(read_back) = run_with(api, info, job, wanted)? else { return Ok(()) };
    ensure_eq(&read_back.targets, &vec![], "targets")?;
    let result = Ok(read_back);
    let [of_vertex, of_fragment] = buffers_of(&result)?;
    ensure_eq(&words_of(&of_vertex.bytes), &vec![FILL, 0xe47, FILL], "buffer of the vertex stage")?;
    ensure_eq(&words_of(&of_fragment.bytes), &vec![FILL, FILL, 0xf4a6], "buffer of the fragment stage")
}

fn images(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    use ImageKind::Sampled;
    let floats = [float_texels(1.5), float_texels(21.5), float_texels(41.5)];
    let in_set_1 = |image: JobImage| JobImage { set: 1, ..image };
    let mut job = job((api.shader)(include_str!("shaders/images.wgsl")), vec![output(28)]);
    job.images = vec![
        image(0, (Sampled, ImageView::D2, TexelType::Float), &floats),
        image(2, (Sampled, ImageView::D2Array, TexelType::Sint), &[texels(0xffff_ff00)]),
        in_set_1(image(0, (Sampled, ImageView::D3, TexelType::Uint), &[texels(0xfff0_0000), texels(0x300)])),
    ];
    let Some(read_back) = run_unless(api, info, job, &[])? else { return Ok(()) };
    let [one, two, three] = floats;
    let uints = [texels(0xfff0_0000), texels(0x300)];
    let expected = vec![one, two, three, texels(0xffff_ff00), uints[0], uints[1], [3, 4, 4, 2]];
    ensure_eq(&written_texels(read_back)?, &expected, "output")
}

fn lines(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let ty = (ImageKind::Sampled, ImageView::D1, TexelType::Float);
    let mut job = job((api.shader)(include_str!("shaders/lines.wgsl")), vec![output(4)]);
    job.images = vec![JobImage { set: 1, ..image(4, ty, &[float_texels(-7.0)]) }];
    let names = ["one-dimensional images on OpenGL"];
    let Some(read_back) = run_unless(api, info, job, &names)? else { return Ok(()) };
    ensure_eq(&written_texels(read_back)?, &vec![float_texels(-7.0)], "output")
}

/// One image through three samplers. OpenGL combines an image with its sampler.
fn samplers(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let levels = [float_texels(1.5), float_texels(21.5), float_texels(41.5)];
    let mut job = job((api.shader)(include_str!("shaders/samplers.wgsl")), vec![output(12)]);
    job.images = vec![image(0, (ImageKind::Sampled, ImageView::D2, TexelType::Float), &levels)];
    job.samplers = vec![sampler(2, 1), sampler(4, 0), sampler(3, 2)];
    if info.is_opengl() {
        let result = run(api, info, vec![job])?.remove(0);
        let named = matches!(&result, Err(RunnerError::ShaderRefused(why)) if why.contains("multiple samplers"));
        return ensure(named, &format!("several samplers on OpenGL: {result:?}"));
    }
    let Some(read_back) = run_unless(api, info, job, &[])? else { return Ok(()) };
    ensure_eq(&written_texels(read_back)?, &levels.to_vec(), "output")
}

fn cubes(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    use ImageKind::Sampled;
    let cube = [float_texels(101.0), float_texels(121.0)];
    let cubes = [float_texels(201.0), float_texels(221.0)];
    let mut job = job((api.shader)(include_str!("shaders/cubes.wgsl")), vec![output(8)]);
    job.images = vec![
        image(6, (Sampled, ImageView::CubeArray, TexelType::Float), &cubes),
        image(5, (Sampled, ImageView::Cube, TexelType::Float), &cube),
    ];
    job.samplers = vec![sampler(2, 1), sampler(4, 0)];
    let names = ["imageCubeArray", "CUBE_ARRAY_TEXTURES"];
    let Some(read_back) = run_unless(api, info, job, &names)? else { return Ok(()) };
    ensure_eq(&written_texels(read_back)?, &vec![cube[1], cubes[0]], "output")
}

fn storage_images(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    use ImageKind::Storage;
    let mut job = job((api.shader)(include_str!("shaders/storage_images.wgsl")), vec![output(8)]);
    job.images = vec![
        image(2, (Storage, ImageView::D2, TexelType::Float), &[float_texels(1.0)]),
        image(0, (Storage, ImageView::D2, TexelType::Uint), &[texels(0x5107)]),
    ];
    let Some(read_back) = run_unless(api, info, job, &[])? else { return Ok(()) };
    ensure_eq(&written_texels(read_back)?, &vec![texels(0x5107), [1; 4]], "output")
}

/// Omitted images read zeros, and omitted samplers read the first level that no named one reads.
fn image_arrays(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let levels = [float_texels(1.5), float_texels(21.5), float_texels(41.5)];
    let ty = (ImageKind::Sampled, ImageView::D2, TexelType::Float);
    let mut job = job((api.shader)(include_str!("shaders/image_arrays.wgsl")), vec![output(24)]);
    job.images = vec![
        JobImage { element: 3, ..image(0, ty, &levels) },
        JobImage { element: 0, ..image(0, ty, &[float_texels(61.5)]) },
    ];
    job.samplers = vec![JobSampler { element: 2, ..sampler(2, 1) }, JobSampler { element: 0, ..sampler(2, 2) }];
    let Some(read_back) = run_unless(api, info, job, &["TEXTURE_BINDING_ARRAY", "arrays of images and samplers"])?
    else {
        return Ok(());
    };
    let expected = vec![float_texels(61.5), [0; 4], levels[0], levels[2], levels[0], levels[1]];
    ensure_eq(&written_texels(read_back)?, &expected, "output")
}

/// A job that exceeds every device's limits is reported as a lack with both numbers, and the next
/// job runs.
fn absent(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let good = job((api.shader)(include_str!("shaders/fill.wgsl")), vec![output(1)]);
    let mut jobs = vec![good.clone(); 3];
    jobs[0].samplers = vec![JobSampler { element: u32::MAX, ..sampler(9, 0) }];
    let ty = (ImageKind::Sampled, ImageView::D2, TexelType::Float);
    jobs[1].images = vec![JobImage { element: u32::MAX, ..image(9, ty, &[texels(0)]) }];
    let results = run(api, info, jobs)?;
    for (result, what) in results.iter().zip(["samplers", "sampled images"]) {
        let said = format!("room for 4294967296 {what}; it has room for ");
        let named = matches!(result, Err(RunnerError::Unsupported(lack)) if lack.starts_with(&said));
        ensure(named, &format!("too many {what}: {result:?}"))?;
    }
    let [after] = buffers_of(&results[2])?;
    ensure_eq(&words_of(&after.bytes), &vec![0x1000], "the good job behind them")
}
