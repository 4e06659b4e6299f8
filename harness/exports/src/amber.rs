//! `AmberScript`: SPIR-V assembly, the buffers, one dispatch, and the expected output.

use rspirv::binary::Disassemble;

use super::{ExportObstacle, NotExported, Repro, refused, rows, words_of};
use layoutproof_core::check::{ExpectedWord, ReproDispatch, Subject};
use layoutproof_device::{BufferKind, Job, JobBuffer, Shader};
use layoutproof_generators::spirv;
use layoutproof_probes::AddressSpace;
use layoutproof_probes::image::{REFILL_WORD, nonce_word};
use layoutproof_readers::spirv::load;

struct Script<'a> {
    /// Comment lines.
    heading: String,
    spirv: &'a [u32],
    entry: &'a str,
    buffers: Vec<ScriptBuffer>,
    workgroups: [u32; 3],
    expected: Vec<ScriptWord>,
}

struct ScriptBuffer {
    name: String,
    words: Vec<u32>,
    /// `AS uniform DESCRIPTOR_SET 0 BINDING 0`
    bound: String,
}

/// A word of a buffer after the dispatch.
struct ScriptWord {
    buffer: String,
    /// In bytes.
    offset: u32,
    word: u32,
    /// The leaf, as a comment; empty for none.
    path: String,
}

/// The script for `subject`.
pub fn amber(subject: &Subject) -> Result<String, NotExported> {
    let repro = Repro::new(subject).map_err(|reason| refused(subject, reason))?;
    let module = spirv::produce(repro.layout, &repro.plan).map_err(|error| refused(subject, error))?;

    let features = module.requires();
    let features: Vec<String> = features.iter().map(|feature| format!("# The device must have {feature}.\n")).collect();
    let bound = match repro.entry().space {
        AddressSpace::PushConstant => "AS push_constant",
        AddressSpace::Uniform | AddressSpace::UniformElement | AddressSpace::InlineUniform => {
            "AS uniform DESCRIPTOR_SET 0 BINDING 0"
        }
        AddressSpace::Storage | AddressSpace::StorageElement | AddressSpace::Address | AddressSpace::Workgroup => {
            "AS storage DESCRIPTOR_SET 0 BINDING 0"
        }
        AddressSpace::ShaderRecord => return Err(refused(subject, "a block in a shader record")),
        AddressSpace::HeapUniform | AddressSpace::HeapStorage => {
            return Err(refused(subject, "a block in a descriptor heap"));
        }
    };

    let buffer = |name: &str, words: Vec<u32>, bound: &str| ScriptBuffer {
        name: name.to_owned(),
        words,
        bound: bound.to_owned(),
    };
    let output = "output".to_owned();
    let expected = (0..).zip(&repro.expected).map(|(word, value)| ScriptWord {
        buffer: output.clone(),
        offset: 4 * word,
        word: *value,
        path: String::new(),
    });
    let script = Script {
        heading: repro.heading() + &features.concat(),
        spirv: &module.words,
        entry: &repro.entry().name,
        buffers: vec![
            buffer("block", repro.image.clone(), bound),
            buffer("output", vec![REFILL_WORD; repro.expected.len()], "AS storage DESCRIPTOR_SET 0 BINDING 1"),
            buffer("input", vec![nonce_word(1)], "AS storage DESCRIPTOR_SET 0 BINDING 2"),
        ],
        workgroups: [1, 1, 1],
        expected: expected.collect(),
    };
    script.text().map_err(|obstacle| refused(subject, obstacle))
}

/// The script for one dispatch of a check. `heading` are comment lines.
///
/// # Errors
/// The reason why Amber cannot express the dispatch, as a lowercase fragment.
pub fn amber_of_dispatch(dispatch: &ReproDispatch, heading: &str) -> Result<String, ExportObstacle> {
    let ReproDispatch { job, expected, .. } = dispatch;
    let Job { shader: Shader::Spirv(words), draw: None, .. } = job else {
        return Err("Amber's script holds a compute shader in SPIR-V".into());
    };
    if !job.images.is_empty() || !job.samplers.is_empty() || !job.constants.is_empty() {
        return Err("images, samplers and specialization constants are left to the program itself".into());
    }

    let mut buffers = job.buffers.iter().map(script_buffer).collect::<Result<Vec<_>, _>>()?;
    if !job.push_constants.is_empty() {
        let words = words_of(&job.push_constants);
        buffers.push(ScriptBuffer { name: "constants".to_owned(), words, bound: "AS push_constant".to_owned() });
    }
    let is_bound =
        |expected: &&ExpectedWord| job.buffers.iter().any(|buffer| (buffer.set, buffer.binding) == expected.socket);
    let expected = expected.iter().filter(is_bound).map(|ExpectedWord { socket, offset, word, path }| ScriptWord {
        buffer: name_of(*socket),
        offset: *offset,
        word: *word,
        path: path.clone(),
    });
    let features = job.requires.iter().map(|feature| format!("# The device must have {feature}.\n"));
    Script {
        heading: heading.to_owned() + &features.collect::<String>(),
        spirv: words,
        entry: &job.entry,
        buffers,
        workgroups: job.workgroups,
        expected: expected.collect(),
    }
    .text()
}

fn script_buffer(buffer: &JobBuffer) -> Result<ScriptBuffer, ExportObstacle> {
    let JobBuffer { set, binding, element, kind, bytes, .. } = buffer;
    let class = match kind {
        BufferKind::Uniform => "uniform",
        BufferKind::Storage | BufferKind::StorageRead => "storage",
        BufferKind::Address { .. } => return Err("Amber has no buffer device addresses".into()),
        BufferKind::ShaderRecord => return Err("the block is in a shader record".into()),
        BufferKind::InlineUniform | BufferKind::HeapUniform | BufferKind::HeapStorage | BufferKind::Captured => {
            return Err("Amber has no such buffer".into());
        }
    };
    if *element > 0 {
        return Err("the block is an element of an array of buffers".into());
    }
    let bound = format!("AS {class} DESCRIPTOR_SET {set} BINDING {binding}");
    Ok(ScriptBuffer { name: name_of((*set, *binding)), words: words_of(bytes), bound })
}

fn name_of((set, binding): (u32, u32)) -> String {
    format!("set{set}_binding{binding}")
}

impl Script<'_> {
    fn text(&self) -> Result<String, ExportObstacle> {
        let Self { heading, spirv, entry, buffers, workgroups: [x, y, z], expected } = self;
        let loaded = load(spirv).map_err(|error| ExportObstacle::Assembly(error.to_string()))?;
        let data = buffers.iter().map(|ScriptBuffer { name, words, .. }| {
            format!("BUFFER {name} DATA_TYPE uint32 DATA\n{}END\n\n", rows(words, "  ", " "))
        });
        let bindings = buffers.iter().map(|ScriptBuffer { name, bound, .. }| format!("  BIND BUFFER {name} {bound}\n"));
        let expectations = expected.iter().map(|ScriptWord { buffer, offset, word, path }| {
            let comment = if path.is_empty() { String::new() } else { format!("# {path}\n") };
            format!("{comment}EXPECT {buffer} IDX {offset} EQ 0x{word:08X}\n")
        });
        Ok(format!(
            "#!amber
{heading}
SHADER compute probe SPIRV-ASM TARGET_ENV spv1.3
{assembly}
END

{data}PIPELINE compute pipeline
  ATTACH probe ENTRY_POINT {entry}
{bindings}END

RUN pipeline {x} {y} {z}

{expectations}",
            assembly = loaded.disassemble(),
            data = data.collect::<String>(),
            bindings = bindings.collect::<String>(),
            expectations = expectations.collect::<String>(),
        ))
    }
}
