//! Makes the [`Job`] of a program: its dispatch or draw with all resources filled.
//!
//! Every resource holds only the word of its own site. The output is refilled and its second word
//! is the nonce. The shader copies the nonce to the first word, so a dispatch that does nothing is
//! detected.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::{
    BufferKind, Draw, Feature, ImageKind, ImageView, Job, JobBuffer, JobImage, JobSampler, RegisterRange,
    RootParameters, RootSignature, Shader, TexelType, word_bytes,
};

use super::depth;
use super::kind::BoundKind;
use super::plan::ProbedBinding;
use super::program::{BindingProgram, Pass};
use super::site::BindingSite;
use crate::image::{BEFORE_WORD, REFILL_WORD};
use crate::reserved::Reserved;

/// Entry point of every dispatch, and of the vertex stage of every draw.
pub const ENTRY: &str = "read_bindings";

/// Entry point of the fragment stage.
pub const FRAGMENT_ENTRY: &str = "fragment";

/// Index of the first output word that answers a read. The copied nonce and the nonce come before
/// it.
pub const FIRST_ANSWER: u32 = 2;

/// Words of every uniform and storage buffer: 16 bytes, the size of the largest scalar or vector of
/// 32-bit components.
const BUFFER_WORDS: usize = 4;

/// Makes the job of `program`. `shader` has its entry points, and `nonce` distinguishes the job
/// from others.
pub fn job(program: &BindingProgram, shader: Shader, nonce: u32) -> Job {
    let requires = requires(program);
    if program.pass != Pass::Compute {
        let fragment = FRAGMENT_ENTRY.to_owned();
        let draw = Draw { fragment, fragment_shader: None, targets: program.targets() };
        return Job { draw: Some(draw), requires, ..Job::compute(shader, ENTRY, Vec::new()) };
    }

    let mut filled = BoundResources::default();
    for probed in &program.bound {
        for site in probed.sites() {
            filled.add(program, probed, site);
        }
    }
    filled.add_tools(program, nonce);

    let BoundResources { buffers, images, samplers, constants, push_constants, .. } = filled;
    Job { images, samplers, constants, push_constants, requires, ..Job::compute(shader, ENTRY, buffers) }
}

/// Words of a buffer on Direct3D 12, where shaders read any of the first words.
const WORDS_IN_REGISTERS: usize = 64;

/// Adapts a program's job to Direct3D 12: replaces bindings by registers and sets the root
/// signature to the computed `ranges`. `reserved` has the names and the space that the user's text
/// leaves free for the program.
#[must_use]
pub fn in_registers(mut job: Job, ranges: Vec<RegisterRange>, reserved: &Reserved) -> Job {
    let place_in_registers = |site| place_in_registers(site, reserved.space());
    job.entry = reserved.entry(&job.entry);
    for buffer in &mut job.buffers {
        let site = BindingSite::Descriptor { set: buffer.set, binding: buffer.binding, element: buffer.element };
        if site.as_register().is_some() {
            buffer.bytes = buffer.bytes.iter().copied().cycle().take(4 * WORDS_IN_REGISTERS).collect();
        }
        (buffer.set, buffer.binding) = place_in_registers(site);
    }
    for image in &mut job.images {
        let site = BindingSite::Descriptor { set: image.set, binding: image.binding, element: image.element };
        (image.set, image.binding) = place_in_registers(site);
    }
    for sampler in &mut job.samplers {
        let site = BindingSite::Descriptor { set: sampler.set, binding: sampler.binding, element: sampler.element };
        (sampler.set, sampler.binding) = place_in_registers(site);
    }

    job.root_signature = RootSignature { parameters: RootParameters::Tables, ranges };
    job
}

/// Returns the space and first register of a site. The program's own resources have a separate
/// space.
fn place_in_registers(site: BindingSite, own_space: u32) -> (u32, u32) {
    let BindingSite::Descriptor { set, binding, .. } = site else { return (0, 0) };
    site.as_register().map_or((own_space, binding), |(_, number)| (set, number))
}

/// Lists the features that a device needs for `program`.
pub fn requires(program: &BindingProgram) -> BTreeSet<Feature> {
    let of = |probed: &ProbedBinding| match probed.kind {
        BoundKind::Uniform if probed.elements > 1 => Some(Feature::UniformBufferArray),
        BoundKind::Storage { .. } if probed.elements > 1 => Some(Feature::StorageBufferArray),
        BoundKind::PushConstants => Some(Feature::PushConstants),
        BoundKind::Varying | BoundKind::Target => Some(Feature::Graphics),
        _ => None,
    };
    program.bound.iter().filter_map(of).collect()
}

/// The position of a descriptor: set, binding and array element.
#[derive(Clone, Copy)]
struct DescriptorPosition {
    set: u32,
    binding: u32,
    element: u32,
}

/// The resources that a job binds.
#[derive(Default)]
struct BoundResources {
    buffers: Vec<JobBuffer>,
    images: Vec<JobImage>,
    samplers: Vec<JobSampler>,
    constants: BTreeMap<u32, u32>,
    push_constants: Vec<u8>,
    /// Sites that already have a descriptor, since parameters may share one.
    done: BTreeSet<BindingSite>,
}

impl BoundResources {
    fn add(&mut self, program: &BindingProgram, probed: &ProbedBinding, site: BindingSite) {
        let word = site.word().expect("a plan has sites with words only");
        if !self.done.insert(site) {
            return;
        }
        match site {
            BindingSite::PushConstants => self.push_constants = word_bytes(&[word; BUFFER_WORDS]),
            BindingSite::Constant { id } => drop(self.constants.insert(id, word)),
            BindingSite::Descriptor { set, binding, element } => {
                self.add_descriptor(program, probed.kind, word, DescriptorPosition { set, binding, element });
            }
            // A stage fills these.
            BindingSite::Varying { .. } | BindingSite::Target { .. } => {}
        }
    }

    fn add_descriptor(&mut self, program: &BindingProgram, kind: BoundKind, word: u32, position: DescriptorPosition) {
        let DescriptorPosition { set, binding, element } = position;
        match kind {
            BoundKind::Uniform => self.add_buffer(position, BufferKind::Uniform, word),
            BoundKind::Storage { writable: true } => {
                self.add_buffer(position, BufferKind::Storage, word);
            }
            BoundKind::Storage { writable: false } => {
                self.add_buffer(position, BufferKind::StorageRead, word);
            }
            BoundKind::Image { kind, view, texel } => {
                self.images.push(JobImage {
                    set,
                    binding,
                    element,
                    kind,
                    view,
                    texel,
                    format: None,
                    levels: vec![[word; 4]],
                });
            }
            BoundKind::Sampler { comparison } => {
                let site = BindingSite::Descriptor { set, binding, element };
                let reads = program.sampler_reads();
                let level = reads.iter().position(|read| program.reads[*read].site == site);
                // The samplers that another program reads see the smallest level.
                let level = u32::try_from(level.unwrap_or(reads.len())).expect("a program reads few samplers");
                self.samplers.push(JobSampler { set, binding, element, level, comparison });
            }
            // None of these has a descriptor.
            BoundKind::PushConstants | BoundKind::Constant | BoundKind::Varying | BoundKind::Target => {}
        }
    }

    fn add_buffer(&mut self, position: DescriptorPosition, kind: BufferKind, word: u32) {
        let DescriptorPosition { set, binding, element } = position;
        let (bytes, after) = (word_bytes(&[word; BUFFER_WORDS]), word_bytes(&[BEFORE_WORD; BUFFER_WORDS]));
        self.buffers.push(JobBuffer { set, binding, element, kind, bytes, after, before_word: BEFORE_WORD });
    }

    fn add_tools(&mut self, program: &BindingProgram, nonce: u32) {
        let tools = &program.tools;
        self.add_buffer(DescriptorPosition { set: 0, binding: tools.output, element: 0 }, BufferKind::Storage, 0);
        if let Some(output) = self.buffers.last_mut() {
            let mut words = vec![REFILL_WORD; FIRST_ANSWER as usize + program.reads.len()];
            words[1] = nonce;
            output.bytes = word_bytes(&words);
        }

        let samplers = program.sampler_reads();
        let words = samplers.iter().filter_map(|read| program.reads[*read].site.word());
        let words: Vec<[u32; 4]> = words.chain([REFILL_WORD]).map(|word| [word; 4]).collect();
        let depths: Vec<[u32; 4]> = depth::levels(samplers.len()).map(|depth| [depth.to_bits(); 4]).collect();
        for (binding, read) in tools.levels.iter().zip(&samplers) {
            let texel = program.sampler_texel(*read);
            let (kind, view) = (ImageKind::Sampled, ImageView::D2);
            let levels = if texel == TexelType::Depth { &depths } else { &words };
            self.images.push(JobImage {
                set: 0,
                binding: *binding,
                element: 0,
                kind,
                view,
                texel,
                format: None,
                levels: levels.clone(),
            });
        }

        if program.reads_cubes() {
            self.samplers.push(JobSampler { set: 0, binding: tools.nearest, element: 0, level: 0, comparison: false });
        }
    }
}
