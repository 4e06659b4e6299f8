//! Makes the dispatches of a plan: jobs with their buffers, for every entry point of one shader.
//!
//! Every entry point runs once with guards inside the bound range, so a read or write after the
//! block hits a word that names itself. Some entry points run again with the exact range, whose end
//! devices may treat differently: those with the leaf form if they come near its end, and those
//! that query a length, since the end determines it. Push constants have no range and thus no
//! guards. Shader records have guards, but devices do not know their end. Root constants of Direct3D 12
//! have guards as far as the packing of constant buffers can move a leaf. A block in workgroup memory
//! always has guards, since its shader copies a fixed number of words.
//!
//! The output is refilled and each dispatch has a different nonce, so a dispatch that does nothing
//! is detected. Its data words have another salt than those of the seven dispatches before it, so
//! bytes that a device keeps from one of them are never the right ones. If the plan has leaves that
//! need planes, or offsets beyond 64 KiB, the dispatch is repeated with the image in each ink.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use layoutproof_device::{
    AddressHolder, BufferKind, Draw, Feature, Job, JobAddress, JobBuffer, ReachedStage, RecordStage, RegisterRange,
    RootParameters, RootSignature, Shader, Trace, word_bytes,
};
use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockLayout, LaidOut, LaidOutShape, Leaf};

use super::{
    BLOCK_ELEMENT, CALLER, Interface, NOTHING, POINT, ProbeEntry, ProbePlan, SelfLink, Socket, Wiring, self_link, tail,
    words,
};
use crate::image::encoding::{Half, Ink, Salt, WordCode};
use crate::image::{BEFORE_WORD, BlockImage, ImageError, REFILL_WORD, data_word, element_word, image_size, nonce_word};
use crate::{AddressSpace, BETWEEN_ALIGNMENT, Direction, Form, Stage};

/// Bytes of guards inside the bound range, and of those after it.
const GUARD_BYTES: u32 = 64;

/// Bytes before the end of a bound range in which a device may treat accesses differently: the
/// largest unit to which a device may round the end. Source: Vulkan,
/// `robustUniformBufferAccessSizeAlignment`.
const NEAR_END: u32 = 256;

/// The end of the block's bound range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoundRange {
    /// After the guards that follow the block.
    Guarded,
    /// At the end of the block itself. Push constants have only this one.
    Exact,
}

/// The dispatches of one entry point with one range, and the data to read their answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeJob {
    pub entry: ProbeEntry,
    pub block: Arc<BlockLayout>,
    /// The end of the bound range.
    pub range: BoundRange,
    /// The owners of the block's bytes, guards included. Probes with the same range share it.
    pub image: Arc<BlockImage>,
    /// The word numbers of each leaf.
    pub wiring: Wiring,
    /// The bindings of the buffers.
    pub interface: Interface,
    /// The dispatches, which differ only in ink and nonce.
    pub runs: Vec<ProbeRun>,
}

/// One dispatch of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeRun {
    /// The encoding of positions in the bytes.
    pub ink: Ink,
    /// Distinguishes its words from those of other dispatches.
    pub salt: Salt,
    pub job: Job,
}

/// A shader with all entry points of a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanShader<'a> {
    pub shader: &'a Shader,
    /// The features that a device needs to run it.
    pub requires: &'a BTreeSet<Feature>,
    /// The bindings of its buffers.
    pub interface: Interface,
    /// Writes the ray generation [`CALLER`] for a stage that it reaches.
    pub caller: fn(RecordStage) -> Shader,
}

/// Returns how many words a shader copies between the storage buffer and workgroup memory: those of
/// the block and of the guards after it.
///
/// # Errors
///
/// The block has no image.
pub fn workgroup_words(layout: &BlockLayout, plan: &ProbePlan) -> Result<u32, ImageError> {
    let bytes = u32::try_from(image_size(layout, plan)?).unwrap_or(u32::MAX);
    Ok(bytes.saturating_add(GUARD_BYTES) / 4)
}

/// Returns how many words of push constants hold the block.
///
/// # Errors
///
/// The block has no image.
pub fn push_words(layout: &BlockLayout, plan: &ProbePlan) -> Result<u32, ImageError> {
    Ok(u32::try_from(image_size(layout, plan)? / 4).unwrap_or(u32::MAX))
}

/// Makes the jobs of every entry point of `plan`, in the plan's order.
///
/// # Errors
///
/// The block has no image.
pub fn jobs(layout: &BlockLayout, plan: &ProbePlan, shader: PlanShader<'_>) -> Result<Vec<ProbeJob>, ImageError> {
    if plan.entries.is_empty() {
        return Ok(Vec::new());
    }

    let image = Arc::new(BlockImage::new(layout, plan)?);
    let mut guarded: BTreeMap<u32, Arc<BlockImage>> = BTreeMap::new();
    let block = Arc::new(layout.clone());
    let alignment = address_alignment(layout, plan);
    let tail = layout.result.as_ref().ok().and_then(tail);

    let link = self_link(layout);
    let none = BTreeMap::new();
    let lengths = layout.result.as_ref().map_or_else(|_| BTreeMap::new(), specialized_lengths);

    let mut numbers = 1..;
    let mut jobs = Vec::new();
    for entry in &plan.entries {
        let wiring = Wiring::new(layout, plan, entry);
        let is_constant_buffer = entry.space == AddressSpace::PushConstant && shader.interface.has_root_constants;
        let behind = match &tail {
            Some(tail) if entry.is_length() => tail.slack(),
            Some(_) | None if is_constant_buffer => most_growth(&image) + GUARD_BYTES,
            Some(_) | None => GUARD_BYTES,
        };
        let guarded = guarded.entry(behind).or_insert_with(|| Arc::new(BlockImage::clone(&image).with_guards(behind)));

        for (range, image) in ranges(plan, entry, shader.interface, &image, guarded) {
            let inks = inks(plan, &image);
            // A length is the same in every ink.
            let inks = if entry.is_length() { &inks[..1] } else { &inks };
            let runs = inks.iter().copied().zip(&mut numbers).map(|(ink, number)| {
                let (nonce, salt) = (nonce_word(number), Salt::of_dispatch(number));
                let constants = if entry.forms.contains(&Form::Sized) { &lengths } else { &none };
                let dispatch = Dispatch {
                    alignment,
                    entry,
                    wiring: &wiring,
                    image: &image,
                    ink,
                    salt,
                    nonce,
                    constants,
                    link: link.as_ref(),
                };
                let job = dispatch.job(plan, shader);
                ProbeRun { ink, salt, job }
            });
            let runs = runs.collect();

            jobs.push(ProbeJob {
                entry: entry.clone(),
                block: Arc::clone(&block),
                range,
                image,
                wiring: wiring.clone(),
                interface: shader.interface,
                runs,
            });
        }
    }
    Ok(jobs)
}

/// Returns the alignment that shaders may assume of the block's address: that of its type, and of
/// its largest scalar, since rule sets may align less.
pub fn address_alignment(layout: &BlockLayout, plan: &ProbePlan) -> u32 {
    let of_type = layout.result.as_ref().map_or(1, |laid_out| laid_out.alignment);
    plan.leaves.iter().map(|leaf| leaf.component.size).fold(of_type, u32::max)
}

/// Returns the specialization constants for the lengths of the arrays in a type. The number of each
/// constant is its value. A matrix may be an array of its vectors.
fn specialized_lengths(laid_out: &LaidOut) -> BTreeMap<u32, u32> {
    let own = |counts: &[u32]| counts.iter().map(|count| (*count, *count)).collect();
    match &laid_out.shape {
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource => BTreeMap::new(),
        LaidOutShape::Matrix { rows, columns, .. } => own(&[*rows, *columns]),
        LaidOutShape::Array { element, count, .. } => {
            let mut lengths = specialized_lengths(element);
            if let Count::Finite(count) = count {
                lengths.insert(*count, *count);
            }
            lengths
        }
        LaidOutShape::Struct(members) => {
            members.iter().flat_map(|member| specialized_lengths(&member.layout)).collect()
        }
    }
}

/// Returns the most bytes by which a block can grow when packed as a constant buffer, where each
/// scalar of an array uses a register of 16 bytes.
fn most_growth(image: &BlockImage) -> u32 {
    u32::try_from(3 * image.owners.len()).unwrap_or(u32::MAX / 2)
}

/// Returns the ranges in which an entry point runs, each with its image: the block alone, or the
/// block followed by guards.
fn ranges(
    plan: &ProbePlan,
    entry: &ProbeEntry,
    interface: Interface,
    image: &Arc<BlockImage>,
    guarded: &Arc<BlockImage>,
) -> Vec<(BoundRange, Arc<BlockImage>)> {
    let (has_room, has_end) = match entry.space {
        AddressSpace::PushConstant => (interface.has_root_constants, false),
        AddressSpace::InlineUniform => (false, false),
        AddressSpace::ShaderRecord | AddressSpace::Workgroup => (true, false),
        AddressSpace::Uniform
        | AddressSpace::Storage
        | AddressSpace::UniformElement
        | AddressSpace::StorageElement
        | AddressSpace::HeapUniform
        | AddressSpace::HeapStorage
        | AddressSpace::Address => (true, true),
    };
    let guards = has_room && guarded.owners.len() > image.owners.len();
    let shows_end = entry.forms.iter().any(|form| match form {
        Form::Leaf => is_near_end(plan, image),
        Form::Length | Form::UntypedLength => true,
        Form::Vector
        | Form::Whole
        | Form::Indexed
        | Form::Divergent
        | Form::Parameter
        | Form::Copied
        | Form::Linked
        | Form::Private
        | Form::Function
        | Form::Workgroup
        | Form::Sized
        | Form::ByteAddress
        | Form::Untyped
        | Form::UntypedVector
        | Form::UntypedWhole
        | Form::Retyped => false,
    });
    let exact = !guards || (has_end && shows_end);
    let guarded = guards.then(|| (BoundRange::Guarded, Arc::clone(guarded)));
    guarded.into_iter().chain(exact.then(|| (BoundRange::Exact, Arc::clone(image)))).collect()
}

/// Returns true if a leaf of the plan is near the end of the block. If a long block is split into
/// plans, only the last ones have such leaves.
fn is_near_end(plan: &ProbePlan, image: &BlockImage) -> bool {
    let last = plan.leaves.iter().map(|leaf| leaf.offset.saturating_add(leaf.component.size)).max().unwrap_or(0);
    last.saturating_add(NEAR_END) as usize >= image.owners.len()
}

/// Returns the inks that the leaves of a plan need.
fn inks(plan: &ProbePlan, image: &BlockImage) -> Vec<Ink> {
    let codes: BTreeSet<Option<WordCode>> = plan.leaves.iter().map(|leaf| WordCode::of(leaf.component)).collect();
    // Guards also follow the bound range.
    let end = u32::try_from(image.owners.len()).unwrap_or(u32::MAX).saturating_add(GUARD_BYTES);
    let inks = codes.into_iter().flat_map(|code| match code {
        None => Half::needed(end).iter().copied().map(Ink::Words).collect(),
        Some(code) => code.planes(end).into_iter().map(Ink::Plane).collect::<Vec<_>>(),
    });
    inks.collect()
}

/// One dispatch of a plan.
struct Dispatch<'a> {
    /// The alignment of the block that the shader may assume.
    alignment: u32,
    entry: &'a ProbeEntry,
    wiring: &'a Wiring,
    image: &'a BlockImage,
    ink: Ink,
    salt: Salt,
    nonce: u32,
    /// Values of specialization constants.
    constants: &'a BTreeMap<u32, u32>,
    /// The pointer in the block, for [`Form::Linked`].
    link: Option<&'a SelfLink>,
}

impl Dispatch<'_> {
    fn job(&self, plan: &ProbePlan, shader: PlanShader<'_>) -> Job {
        let Self { alignment: _, entry, wiring, image, ink, salt, nonce, constants, link: _ } = self;
        let (values, block) = match entry.direction {
            Direction::Read => (Vec::new(), image.bytes(*ink, *salt)),
            Direction::Write => {
                let values = plan.leaves.iter().flat_map(|leaf| value(leaf, *ink, *salt)).collect();
                (values, image.complemented_bytes(*ink, *salt))
            }
        };

        let indices = wiring.indices.iter().copied();
        let input: Vec<u32> = std::iter::once(*nonce).chain(values).chain(indices).collect();
        let Interface { output, input: input_socket, copy, is_input_writable, .. } = shader.interface;
        let input_kind = if is_input_writable { BufferKind::Storage } else { BufferKind::StorageRead };

        let mut buffers = self.blocks(shader.interface, block.clone());
        let push_constants = match entry.space {
            AddressSpace::PushConstant if shader.interface.has_root_constants => Vec::new(),
            AddressSpace::PushConstant => block,
            // The runner overwrites this with an address: of the block, or of what a ray meets.
            AddressSpace::Address if !entry.stage.is_traced() => vec![0; shader.interface.pushed.size as usize],
            AddressSpace::ShaderRecord if entry.stage.record_stage().is_some_and(RecordStage::needs_ray) => {
                vec![0; JobAddress::BYTES as usize]
            }
            AddressSpace::Uniform
            | AddressSpace::Storage
            | AddressSpace::UniformElement
            | AddressSpace::InlineUniform
            | AddressSpace::HeapUniform
            | AddressSpace::HeapStorage
            | AddressSpace::StorageElement
            | AddressSpace::Address
            | AddressSpace::ShaderRecord
            | AddressSpace::Workgroup => Vec::new(),
        };

        buffers.push(buffer(output, BufferKind::Storage, word_bytes(&vec![REFILL_WORD; wiring.output as usize])));
        buffers.push(buffer(input_socket, input_kind, word_bytes(&input)));
        if let Some(copy) = copy.filter(|_| wiring.copy > 0) {
            let kind = match entry.direction {
                Direction::Read => BufferKind::Storage,
                Direction::Write => BufferKind::StorageRead,
            };
            buffers.push(buffer(copy, kind, self.copy(plan)));
        }

        let addresses = self.addresses(&buffers, shader.interface);
        let (first, draw, trace) = stages(entry, shader.caller);
        let requires = shader.requires.clone();
        let parameters = match entry.space {
            AddressSpace::PushConstant => RootParameters::Constants,
            AddressSpace::Uniform
            | AddressSpace::Storage
            | AddressSpace::UniformElement
            | AddressSpace::InlineUniform
            | AddressSpace::HeapUniform
            | AddressSpace::HeapStorage
            | AddressSpace::StorageElement
            | AddressSpace::Address
            | AddressSpace::ShaderRecord
            | AddressSpace::Workgroup => RootParameters::default(),
        };
        let root_signature = RootSignature { parameters, ranges: self.ranges(shader.interface) };
        Job {
            draw,
            trace,
            inverts_push_constants_first: entry.space == AddressSpace::PushConstant && !push_constants.is_empty(),
            push_constants,
            addresses,
            constants: BTreeMap::clone(constants),
            requires,
            root_signature,
            ..Job::compute(shader.shader.clone(), first, buffers)
        }
    }

    /// Returns the registers of the array that contains the block, if there is one.
    fn ranges(&self, interface: Interface) -> Vec<RegisterRange> {
        let kind = match self.entry.space {
            AddressSpace::Uniform | AddressSpace::UniformElement | AddressSpace::InlineUniform => BufferKind::Uniform,
            AddressSpace::Storage | AddressSpace::StorageElement | AddressSpace::Workgroup => self.storage(interface),
            AddressSpace::PushConstant
            | AddressSpace::Address
            | AddressSpace::ShaderRecord
            | AddressSpace::HeapUniform
            | AddressSpace::HeapStorage => return Vec::new(),
        };

        let (space, first) = interface.block;
        let count = match interface.block_count {
            Count::Finite(1) => return Vec::new(),
            Count::Finite(count) => Some(count),
            Count::Unbounded => None,
        };
        vec![RegisterRange { class: kind.class(), space, first, count, stride: 0 }]
    }

    /// Returns the buffer with the block, after the other elements of its array or the record with its
    /// address.
    fn blocks(&self, interface: Interface, block: Vec<u8>) -> Vec<JobBuffer> {
        let Self { entry, image, ink, .. } = self;
        let (socket, storage) = (interface.block, self.storage(interface));
        let (kind, others) = match entry.space {
            AddressSpace::PushConstant if !interface.has_root_constants => return Vec::new(),
            AddressSpace::PushConstant | AddressSpace::Uniform => (BufferKind::Uniform, 0),
            AddressSpace::Storage | AddressSpace::Workgroup => (storage, 0),
            AddressSpace::UniformElement => (BufferKind::Uniform, BLOCK_ELEMENT),
            AddressSpace::InlineUniform => return vec![buffer(socket, BufferKind::InlineUniform, block)],
            AddressSpace::StorageElement => (storage, BLOCK_ELEMENT),
            AddressSpace::HeapUniform => (BufferKind::HeapUniform, BLOCK_ELEMENT),
            AddressSpace::HeapStorage => (BufferKind::HeapStorage, BLOCK_ELEMENT),
            AddressSpace::Address => {
                let zeros = |kind, size: u32| buffer(socket, kind, vec![0; size as usize]);
                let at_address = |alignment| BufferKind::Address { alignment };
                let is_traced = entry.stage.is_traced();
                let record = is_traced.then(|| zeros(BufferKind::ShaderRecord, interface.record.size));
                let between = interface.between.map(|holder| zeros(at_address(BETWEEN_ALIGNMENT), holder.size));
                let after = image.guards_behind(GUARD_BYTES, *ink);
                let block = JobBuffer { after, ..buffer(socket, at_address(self.alignment), block) };
                return record.into_iter().chain(between).chain([block]).collect();
            }
            AddressSpace::ShaderRecord if entry.stage.is_reached() => (BufferKind::ShaderRecord, BLOCK_ELEMENT),
            AddressSpace::ShaderRecord => (BufferKind::ShaderRecord, 0),
        };

        let words = block.len() / 4;
        let other = |element| {
            let bytes = word_bytes(&vec![element_word(element); words]);
            JobBuffer { element, ..buffer(socket, kind, bytes) }
        };

        let after = image.guards_behind(GUARD_BYTES, *ink);
        let block = JobBuffer { element: others, after, ..buffer(socket, kind, block) };
        (0..others).map(other).chain([block]).collect()
    }

    /// Returns the addresses on the way to the block, if a shader reaches it by one, and the one in the block that points
    /// to its second element.
    fn addresses(&self, buffers: &[JobBuffer], interface: Interface) -> Vec<JobAddress> {
        let is_block = |buffer: &JobBuffer| matches!(buffer.kind, BufferKind::Address { .. });
        let Some(block) = buffers.iter().rposition(is_block) else { return Vec::new() };
        let (holder, at) = if self.entry.stage.is_traced() {
            (AddressHolder::ShaderRecords, interface.record.at)
        } else {
            (AddressHolder::PushConstants, interface.pushed.at)
        };
        let link = self.link.filter(|_| self.entry.forms.contains(&Form::Linked));
        let linked = link.map(|link| {
            let holder = AddressHolder::Buffer(block);
            JobAddress { holder, at: link.offset, buffer: block, target: link.target }
        });
        let way = match interface.between {
            None => vec![JobAddress { holder, at, buffer: block, target: 0 }],
            Some(between) => {
                let buffer = block - 1;
                let inner = AddressHolder::Buffer(buffer);
                vec![
                    JobAddress { holder, at, buffer, target: 0 },
                    JobAddress { holder: inner, at: between.at, buffer: block, target: 0 },
                ]
            }
        };
        way.into_iter().chain(linked).collect()
    }

    /// Returns the kind of binding for a block in a storage buffer.
    fn storage(&self, interface: Interface) -> BufferKind {
        match self.entry.direction {
            Direction::Read if !interface.is_block_writable => BufferKind::StorageRead,
            Direction::Read | Direction::Write => BufferKind::Storage,
        }
    }

    /// Returns the bytes of the block at binding 3: the refill if the probe reads, the values of
    /// the leaves if it writes.
    fn copy(&self, plan: &ProbePlan) -> Vec<u8> {
        let mut bytes = word_bytes(&vec![REFILL_WORD; self.wiring.copy.div_ceil(4) as usize]);
        if self.entry.direction == Direction::Write {
            for slot in &self.wiring.slots {
                let leaf = &plan.leaves[slot.leaf as usize];
                let value = word_bytes(&value(leaf, self.ink, self.salt));
                for offset in slot.places.iter().filter_map(|place| place.in_copy()) {
                    let target = bytes.iter_mut().skip(offset as usize).take(leaf.component.size as usize);
                    target.zip(&value).for_each(|(byte, new)| *byte = *new);
                }
            }
        }
        bytes
    }
}

/// Returns the entry point of a job, and the draw or the launch of rays if it is one. The drawn
/// pixels do not matter, so there are no targets.
fn stages(entry: &ProbeEntry, caller: fn(RecordStage) -> Shader) -> (&str, Option<Draw>, Option<Trace>) {
    let draw = |fragment: &str| Some(Draw { fragment: fragment.to_owned(), fragment_shader: None, targets: 0 });
    match entry.stage {
        Stage::Compute => (&entry.name, None, None),
        Stage::Vertex => (&entry.name, draw(NOTHING), None),
        Stage::Fragment => (POINT, draw(&entry.name), None),
        Stage::RayGeneration => (&entry.name, None, Some(Trace { reached: None })),
        Stage::Record(stage) => {
            let reached =
                ReachedStage { stage, entry: entry.name.clone(), generation: caller(stage), closest_hit: None };
            (CALLER, None, Some(Trace { reached: Some(reached) }))
        }
    }
}

/// Returns the words that a write entry stores to a leaf: the leaf's bytes in this ink. If the leaf
/// needs another ink, the words are zeros, which name no offset.
fn value(leaf: &Leaf, ink: Ink, salt: Salt) -> Vec<u32> {
    let count = words(leaf.component);
    match ink {
        _ if ink.code() != WordCode::of(leaf.component) => vec![0; count as usize],
        Ink::Words(half) => (0..count).map(|word| salt.turn(data_word(leaf.offset + 4 * word, half))).collect(),
        Ink::Plane(plane) => {
            let offsets = leaf.offset..leaf.offset + leaf.component.size;
            vec![offsets.rev().fold(0, |word, offset| word << 8 | u32::from(plane.byte(offset, true)))]
        }
    }
}

/// Makes a buffer followed by refill words.
pub(super) fn buffer((set, binding): Socket, kind: BufferKind, bytes: Vec<u8>) -> JobBuffer {
    JobBuffer { set, binding, element: 0, kind, bytes, after: word_bytes(&[REFILL_WORD; 4]), before_word: BEFORE_WORD }
}
