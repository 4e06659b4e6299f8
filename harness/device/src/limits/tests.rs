//! Tests of jobs that fit the limits, jobs that do not, and the messages.

use super::*;
use crate::{Draw, ImageView, JobSampler, ReachedStage, RecordStage, RunnerKind, Shader, TexelType};

const LIMITS: Limits = Limits {
    uniform_alignment: 64,
    storage_alignment: 16,
    uniform_range: 32,
    storage_range: 64,
    uniform_buffers: 1,
    storage_buffers: 2,
    sampled_images: 1,
    storage_images: 0,
    samplers: 2,
    sets: 4,
    push_constants: 8,
    workgroups: [3, 2, 1],
    targets: 1,
    inline_uniform: 256,
    record_handle: 32,
    record: 64,
};

fn buffer(set: u32, binding: u32, kind: BufferKind, size: usize) -> JobBuffer {
    JobBuffer { set, binding, element: 0, kind, bytes: vec![0; size], after: vec![0; 4], before_word: 0 }
}

fn place(job: &Job) -> Result<Vec<BufferPlacement>, RunnerError> {
    LIMITS.place(job, &Descriptors::of(job)?)
}

fn image(binding: u32, kind: ImageKind, levels: usize) -> JobImage {
    let (view, texel) = (ImageView::D2, TexelType::Float);
    JobImage { set: 2, binding, element: 0, kind, view, texel, format: None, levels: vec![[0; 4]; levels] }
}

fn sampler(binding: u32, element: u32) -> JobSampler {
    JobSampler { set: 1, binding, element, level: 0, comparison: false }
}

fn with_images(images: Vec<JobImage>) -> Job {
    Job { images, ..job(vec![buffer(0, 0, BufferKind::Storage, 4)]) }
}

/// A job with buffers whose addresses are at these bytes of the push constants.
fn addressed(places: &[u32]) -> Job {
    let pushed = places.iter().enumerate().map(|(buffer, at)| address(AddressHolder::PushConstants, *at, (buffer, 0)));
    let buffers = places.iter().map(|_| buffer(0, 0, BufferKind::Address { alignment: 16 }, 4)).collect();
    Job { push_constants: vec![0; 16], addresses: pushed.collect(), ..job(buffers) }
}

fn address(holder: AddressHolder, at: u32, (buffer, target): (usize, u32)) -> JobAddress {
    JobAddress { holder, at, buffer, target }
}

fn job(buffers: Vec<JobBuffer>) -> Job {
    Job { workgroups: [3, 2, 1], ..Job::compute(Shader::Wgsl(String::new()), "main", buffers) }
}

#[test]
fn each_buffer_is_placed_by_the_alignment_of_its_kind() {
    use BufferKind::{Storage, StorageRead, Uniform};
    let job = job(vec![buffer(3, 0, Storage, 64), buffer(0, 0, Uniform, 32), buffer(0, 1, StorageRead, 4)]);
    let offsets: Vec<u32> = place(&job).unwrap().iter().map(|placement| placement.offset).collect();
    assert_eq!(offsets, [16, 64, 16]);
}

#[test]
fn an_address_is_an_odd_multiple_of_its_alignment() {
    for (alignment, offset) in [(2, 68), (4, 68), (8, 72), (16, 80), (64, 192)] {
        let job = job(vec![buffer(0, 0, BufferKind::Address { alignment }, 4)]);
        assert_eq!(place(&job).unwrap()[0].offset, offset);
    }
}

#[test]
fn every_limit_is_named_with_both_numbers() {
    use BufferKind::{Storage, Uniform};
    use ImageKind::{Combined, Sampled, StorageTexels};
    let one = || buffer(0, 0, Storage, 4);
    let [mut push, mut groups, mut array] = [job(vec![one()]), job(vec![one()]), job(vec![one()])];
    array.buffers[0].element = 2;
    let mut samplers = with_images(vec![image(0, Combined, 1)]);
    samplers.samplers = vec![sampler(0, 1)];
    push.push_constants = vec![0; 12];
    groups.workgroups = [1, 3, 1];
    let many = |kind| (0..3).map(|binding| buffer(0, binding, kind, 4)).collect();
    for (job, lacks) in [
        (job(vec![buffer(4, 0, Storage, 4)]), "room for 5 descriptor sets; it has room for 4"),
        (job(many(Uniform)), "room for 3 uniform buffers; it has room for 1"),
        (job(many(Storage)), "room for 3 storage buffers; it has room for 2"),
        (job(vec![buffer(0, 0, Uniform, 36)]), "room for 36 bytes in a uniform range; it has room for 32"),
        (job(vec![buffer(0, 0, Storage, 68)]), "room for 68 bytes in a storage range; it has room for 64"),
        (push, "room for 12 bytes of push constants; it has room for 8"),
        (groups, "room for 3 workgroups in one dimension; it has room for 2"),
        (array, "room for 3 storage buffers; it has room for 2"),
        (
            with_images(vec![image(0, Sampled, 1), image(1, Combined, 1)]),
            "room for 2 sampled images; it has room for 1",
        ),
        (with_images(vec![image(0, StorageTexels, 1)]), "room for 1 storage images; it has room for 0"),
        (samplers, "room for 3 samplers; it has room for 2"),
        (draw(2), "room for 2 targets of a draw; it has room for 1"),
    ] {
        assert_eq!(place(&job), Err(RunnerError::Unsupported(lacks.to_owned())));
    }
}

/// A launch with records of these sizes, each followed by a guard of 4 bytes. They belong to `stage`,
/// or to the ray generation.
fn launch(stage: Option<RecordStage>, records: &[usize]) -> Job {
    let record =
        |(element, size): (u32, &usize)| JobBuffer { element, ..buffer(0, 0, BufferKind::ShaderRecord, *size) };
    let generation = Shader::Spirv(Vec::new());
    let reached = stage.map(|stage| ReachedStage { stage, entry: "reached".to_owned(), generation, closest_hit: None });
    let trace = Some(Trace { reached });
    Job { trace, ..job((0..).zip(records).map(record).collect()) }
}

/// A record that ends its table has the guard, too, so that all records are alike.
#[test]
fn a_record_holds_its_handle_and_its_guard() {
    let job = launch(Some(RecordStage::Callable), &[28, 8]);
    let placements = place(&job).unwrap();
    assert_eq!(placements.iter().map(|placement| placement.offset).collect::<Vec<_>>(), [32, 32]);
    assert_eq!(needed_features(&job, &Descriptors::of(&job).unwrap()), BTreeSet::from([Feature::RayTracingPipeline]));
    let lacks = "room for 36 bytes in a shader record; it has room for 32";
    assert_eq!(place(&launch(None, &[32])), Err(RunnerError::Unsupported(lacks.to_owned())));
}

/// A draw needs no buffer to read back, and its workgroups are ignored.
fn draw(targets: u32) -> Job {
    let draw = Draw { fragment: "fs".to_owned(), fragment_shader: None, targets };
    Job { draw: Some(draw), workgroups: [9; 3], ..job(vec![]) }
}

#[test]
fn a_draw_fits_without_buffers() {
    assert_eq!(place(&draw(1)), Ok(vec![]));
    let nothing =
        RunnerError::Api { call: "job".into(), reason: "without buffers there is nothing to read back".into() };
    assert_eq!(place(&draw(0)), Err(nothing));
}

/// A shader that assumes more alignment than it was promised must be wrong, so the address has no more.
#[test]
fn addresses_have_the_promised_alignment_and_no_more() {
    let limits = Limits { push_constants: 16, storage_range: 1024, ..LIMITS };
    let placed = |alignment| {
        let mut job = addressed(&[8]);
        job.buffers[0].kind = BufferKind::Address { alignment };
        limits.place(&job, &Descriptors::of(&job).unwrap())
    };
    for alignment in [4, 8, 16, 64, 128] {
        assert_eq!(placed(alignment).unwrap()[0].offset % (2 * alignment), alignment);
    }
    // Ranges start at whole words.
    assert_eq!(placed(1).unwrap()[0].offset % 8, 4);
    for alignment in [256, 1 << 31] {
        let reason = format!("an address aligned to {alignment} bytes");
        assert_eq!(placed(alignment), Err(RunnerError::Unsupported(reason)));
    }
}

#[test]
fn the_form_of_a_job_says_what_it_needs() {
    let needs = |job: &Job| needed_features(job, &Descriptors::of(job).unwrap());
    let mut arrays = job(vec![buffer(0, 0, BufferKind::Uniform, 4), buffer(0, 1, BufferKind::Storage, 4)]);
    assert_eq!(needs(&arrays), BTreeSet::new());
    arrays.buffers[0].element = 1;
    arrays.requires.insert(Feature::Int64);
    assert_eq!(needs(&arrays), BTreeSet::from([Feature::Int64, Feature::UniformBufferArray]));
    arrays.buffers[1].element = 1;
    assert!(needs(&arrays).contains(&Feature::StorageBufferArray));
    assert_eq!(needs(&draw(1)), BTreeSet::from([Feature::Graphics]));
    let addressed = needs(&addressed(&[0]));
    assert_eq!(addressed, BTreeSet::from([Feature::PushConstants, Feature::BufferDeviceAddress]));
}

#[test]
fn malformed_jobs_are_refused() {
    let one = || buffer(1, 2, BufferKind::Storage, 4);
    let mut push = job(vec![one()]);
    push.push_constants = vec![0; 5];
    let mut twice = launch(Some(RecordStage::Callable), &[4, 4]);
    twice.buffers[1].element = 0;
    let mut in_record = addressed(&[8]);
    in_record.buffers.extend(launch(None, &[12]).buffers);
    in_record.trace = launch(None, &[]).trace;
    in_record.addresses[0].holder = AddressHolder::ShaderRecords;
    let linked = |addresses| {
        let block = buffer(0, 0, BufferKind::Address { alignment: 8 }, 32);
        Job { addresses, ..job(vec![block, buffer(0, 1, BufferKind::Storage, 4)]) }
    };
    assert!(place(&linked(vec![address(AddressHolder::Buffer(0), 24, (0, 31))])).is_ok());
    let mut with_ray = launch(Some(RecordStage::Miss), &[4]);
    with_ray.buffers.push(buffer(0, 0, BufferKind::Address { alignment: 8 }, 4));
    with_ray.push_constants = vec![0; 8];
    with_ray.addresses = vec![address(AddressHolder::PushConstants, 0, (1, 0))];
    let mut behind = launch(None, &[4]);
    behind.buffers[0].element = 2;
    for (job, reason) in [
        (job(vec![]), "without buffers there is nothing to read back"),
        (job(vec![one(), one()]), "two resources at set 1 binding 2"),
        (with_images(vec![image(0, ImageKind::Sampled, 0)]), "an image without a mip level at set 2 binding 0"),
        (with_images(vec![image(3, ImageKind::StorageTexels, 2)]), "2 mip levels at set 2 binding 3, not 1"),
        (with_images(vec![image(3, ImageKind::Combined, 9)]), "9 mip levels at set 2 binding 3, not 8"),
        (addressed(&[4]), "an address at byte 4 of 16 bytes of push constants"),
        (addressed(&[16]), "an address at byte 16 of 16 bytes of push constants"),
        (addressed(&[8, 8]), "two addresses at byte 8 of push constants"),
        (linked(vec![address(AddressHolder::Buffer(0), 4, (0, 0))]), "an address at byte 4 of 32 bytes of buffer 0"),
        (linked(vec![address(AddressHolder::Buffer(0), 32, (0, 0))]), "an address at byte 32 of 32 bytes of buffer 0"),
        (linked(vec![address(AddressHolder::Buffer(0), 8, (0, 0)); 2]), "two addresses at byte 8 of buffer 0"),
        (linked(vec![address(AddressHolder::Buffer(0), 8, (0, 32))]), "an address of byte 32 of 32 bytes of buffer 0"),
        (
            linked(vec![address(AddressHolder::Buffer(0), 8, (1, 0))]),
            "an address of buffer 1, which is not reached by one",
        ),
        (
            linked(vec![address(AddressHolder::Buffer(0), 8, (2, 0))]),
            "an address of buffer 2, which is not reached by one",
        ),
        (linked(vec![address(AddressHolder::Buffer(2), 8, (0, 0))]), "an address in buffer 2, which cannot hold one"),
        (
            linked(vec![address(AddressHolder::ShaderRecords, 0, (0, 0))]),
            "an address at byte 0 of 0 bytes of a shader record",
        ),
        (with_ray, "two addresses at byte 0 of push constants"),
        (launch(None, &[4, 4]), "2 shader records of one ray generation"),
        (twice, "two shader records at one place of the table"),
        (behind, "a shader record after that of the ray generation"),
        (
            Job { trace: launch(Some(RecordStage::Callable), &[]).trace, ..job(vec![one()]) },
            "no shader record for the callable stage",
        ),
        (in_record, "an address at byte 8 of 12 bytes of a shader record"),
        (launch(Some(RecordStage::Miss), &[4]), "no room in the push constants for the address that rays need"),
        (Job { trace: None, ..launch(None, &[4]) }, "a shader record without a launch of rays"),
        (Job { trace: launch(None, &[4]).trace, ..draw(1) }, "a draw and a launch of rays"),
        (push, "5 bytes of push constants are not a multiple of 4"),
    ] {
        let call = "job".to_owned();
        assert_eq!(place(&job), Err(RunnerError::Api { call, reason: reason.to_owned() }));
    }
}

#[test]
fn the_first_missing_feature_is_named() {
    let device = DeviceInfo {
        id: String::new(),
        name: String::new(),
        driver: String::new(),
        api: String::new(),
        runner: RunnerKind::Ash,
        index: 0,
        hardware: false,
        features: BTreeSet::from([Feature::Int8, Feature::Int64]),
        lacks: BTreeSet::new(),
        max_uniform_range: 0,
        max_push_constants: 0,
        direct3d: None,
        webgpu: None,
    };
    assert_eq!(check_features(&device, &[Feature::Int64, Feature::Int8]), Ok(()));
    let found = check_features(&device, &[Feature::Int64, Feature::Float16, Feature::Int16]);
    assert_eq!(found, Err(RunnerError::Unsupported("shaderFloat16".to_owned())));
}
