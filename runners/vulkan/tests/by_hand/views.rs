//! Memory that no binding names, in the code of compilers: buffers of descriptor heaps, and captured outputs. The offsets are
//! those of the modules (glslang 16.6.0, slangc 2026.14.1), so what comes back shows that the device obeys them.

use layoutproof_device::{BufferKind, DeviceInfo, Feature, Geometry, Job, JobBuffer, RunnerError, words_of};
use libtest_mimic::Failed;

use crate::by_hand::payloads::spirv;
use crate::suite::{Api, buffer, buffers_of, ensure_eq, job, output, run};

/// Numbers of a `Tint`.
const LEAVES: u32 = 26;

/// Where `Tint` of heap.comp has its numbers, in their order in the output: in bytes from its start.
struct TintOffsets {
    /// `weights`, `colour`, `m`, `lights` and `last`.
    members: [u32; 5],
    /// Steps between elements of `weights`, columns of `m` and elements of `lights`.
    strides: [u32; 3],
    size: u32,
}

/// glslang's decorations: `std140` and `scalar` in uniform buffers, `std430` in a list. slangc has the same.
const STD140: TintOffsets = TintOffsets { members: [16, 64, 80, 112, 176], strides: [16, 16, 32], size: 192 };
const SCALAR: TintOffsets = TintOffsets { members: [4, 16, 28, 52, 100], strides: [4, 12, 24], size: 104 };
const STD430: TintOffsets = TintOffsets { members: [4, 16, 32, 64, 128], strides: [4, 16, 32], size: 144 };

impl TintOffsets {
    fn all(&self) -> Vec<u32> {
        let [weights, colour, m, lights, last] = self.members;
        let [weight, column, light] = self.strides;
        let three = |first: u32, step: u32| (0..3).map(move |index| first + index * step);
        let matrix = (0..2).flat_map(|index| three(m + index * column, 4));
        let lights = (0..2).flat_map(|index| (0..6).map(move |number| lights + index * light + 4 * number));
        let members = three(weights, weight).chain(three(colour, 4)).chain(matrix).chain(lights);
        [0].into_iter().chain(members).chain([last]).collect()
    }

    /// A struct with these numbers, and others in between.
    fn bytes(&self, numbers: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut words = vec![0xBAD0_BAD0; self.size as usize / 4];
        for (offset, number) in self.all().into_iter().zip(numbers) {
            words[offset as usize / 4] = number;
        }
        words
    }
}

/// Every buffer is at its own number of the heap, and between them are descriptors of nothing.
pub(crate) fn heaps(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    // Numbers between 1 and 2, each of which names its leaf.
    let numbers = |of: u32| (0..LEAVES).map(move |leaf| 0x3F80_0000 + 0x101 * (of * LEAVES + leaf));
    let list = [STD430.bytes(numbers(3)), STD430.bytes(numbers(2))].concat();
    let buffers = vec![
        at(12, BufferKind::HeapStorage, &[0; 3 * LEAVES as usize]),
        at(3, BufferKind::HeapUniform, &STD140.bytes(numbers(0))),
        at(9, BufferKind::HeapUniform, &SCALAR.bytes(numbers(1))),
        at(6, BufferKind::HeapStorage, &list),
    ];
    let modules = [
        ("glslang", include_bytes!("../payloads/glslang_heap.spv") as &[u8]),
        ("slangc", include_bytes!("../payloads/slang_heap.spv")),
    ];
    let results = run(api, info, modules.iter().map(|(_, module)| job(spirv(module), buffers.clone())).collect())?;
    let expected: Vec<u32> = (0..3).flat_map(numbers).collect();
    for ((compiler, _), result) in modules.iter().zip(&results) {
        if !info.features.contains(&Feature::DescriptorHeap) {
            ensure_eq(result, &Err(RunnerError::Unsupported("descriptorHeap".to_owned())), compiler)?;
            continue;
        }
        let [output, ..] = buffers_of::<4>(result)?;
        ensure_eq(&words_of(&output.bytes), &expected, compiler)?;
    }
    Ok(())
}

/// The numbers of descriptors come from a bound buffer, and the output is bound, too.
pub(crate) fn heaps_and_bindings(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let numbers = [5, 2, 7, 5];
    let block =
        |number: u32| at(number, BufferKind::HeapUniform, &[0xBAD0_BAD0, 0x700 + number, 0xBAD0_BAD0, 0xBAD0_BAD0]);
    let buffers = vec![output(4), buffer(2, BufferKind::StorageRead, &numbers), block(2), block(5), block(7)];
    let module = spirv(include_bytes!("../payloads/glslang_numbers.spv"));
    let results = run(api, info, vec![job(module, buffers)])?;
    if !info.features.contains(&Feature::DescriptorHeap) {
        return ensure_eq(&results[0], &Err(RunnerError::Unsupported("descriptorHeap".to_owned())), "no heap");
    }
    let [output, ..] = buffers_of::<5>(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &numbers.map(|number| 0x700 + number).to_vec(), "output")
}

fn at(element: u32, kind: BufferKind, words: &[u32]) -> JobBuffer {
    JobBuffer { element, ..buffer(0, kind, words) }
}

/// The words of the two buffers of captured.vert that it writes: the first word of each run, and the numbers there.
const CAPTURED: [&[(usize, &[u8])]; 2] = [
    &[(1, &[1, 2, 3]), (5, &[4, 5, 6]), (9, &[7, 8, 9, 10, 11, 12])],
    &[(2, &[13, 14]), (6, &[15, 16]), (8, &[17, 18, 19, 20])],
];

/// Only the bytes of captured outputs change.
pub(crate) fn captured_outputs(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let empty = 0xEEEE_EEEE;
    let taken = |number: u32, words: usize| buffer(number, BufferKind::Captured, &vec![empty; words]);
    let module = spirv(include_bytes!("../payloads/glslang_captured.spv"));
    // Each has room for a second vertex.
    let captured = Job { geometry: Some(Geometry::Vertex), ..job(module, vec![taken(0, 32), taken(1, 40)]) };
    let results = run(api, info, vec![captured])?;
    if !info.features.contains(&Feature::TransformFeedback) {
        return ensure_eq(&results[0], &Err(RunnerError::Unsupported("transformFeedback".to_owned())), "no capture");
    }
    for (number, (after, runs)) in buffers_of::<2>(&results[0])?.iter().zip(CAPTURED).enumerate() {
        let mut expected = vec![empty; after.bytes.len() / 4];
        for (first, numbers) in runs {
            for (word, number) in expected[*first..].iter_mut().zip(*numbers) {
                *word = f32::from(*number).to_bits();
            }
        }
        ensure_eq(&words_of(&after.bytes), &expected, &format!("buffer {number}"))?;
    }
    Ok(())
}

/// The tile of tile.comp has 8 rows and columns of floats. Only the elements that it stores change.
pub(crate) fn tiles(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    // Hardware may have tiles of other shapes alone.
    if info.hardware {
        return Ok(());
    }
    let (empty, side) = (0xEEEE_EEEE, 8);
    let number = |element: usize| 0x3F80_0000 + 0x101 * u32::try_from(element).expect("a small tile");
    let from: Vec<u32> = (0..3 + 11 * side).map(number).collect();
    let to = vec![empty; 5 + 13 * side];
    let mut expected = to.clone();
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        expected[5 + 13 * column + row] = number(3 + 11 * row + column);
    }

    let module = spirv(include_bytes!("../payloads/glslang_tile.spv"));
    let buffers = vec![buffer(1, BufferKind::Storage, &to), buffer(2, BufferKind::StorageRead, &from)];
    let results = run(api, info, vec![job(module, buffers)])?;
    // The software device with heaps is the one with tiles.
    if !info.features.contains(&Feature::DescriptorHeap) {
        return ensure_eq(&results[0], &Err(RunnerError::Unsupported("cooperativeMatrix".to_owned())), "no tiles");
    }
    let [output, _] = buffers_of::<2>(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &expected, "the stored tile")
}
