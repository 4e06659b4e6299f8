//! Reads the facts about a SPIR-V module that must be known before a driver sees it.
//!
//! A driver may not survive a broken module, or one beyond its features (`SwiftShader` ends the
//! process). So this module reads the framing, the version, the capabilities and the entry points.
//! It does not validate: that is spirv-val's task.
//!
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module", "Capability".

use layoutproof_device::{Feature, RecordStage, RunnerError, Stage};

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;
const OP_ENTRY_POINT: u32 = 15;
const OP_CAPABILITY: u32 = 17;

/// An `Execution Model` with its name in messages.
pub(crate) type ExecutionModel = (u32, &'static str);

pub(crate) const TASK: ExecutionModel = (5364, "task");
pub(crate) const MESH: ExecutionModel = (5365, "mesh");

pub(crate) fn model_of(stage: Stage) -> ExecutionModel {
    let model = match stage {
        Stage::Vertex => 0,
        Stage::Fragment => 4,
        Stage::Compute => 5,
        Stage::RayGeneration => 5313,
        Stage::Record(RecordStage::Intersection) => 5314,
        Stage::Record(RecordStage::AnyHit) => 5315,
        Stage::Record(RecordStage::ClosestHit) => 5316,
        Stage::Record(RecordStage::Miss) => 5317,
        Stage::Record(RecordStage::Callable) => 5318,
    };
    (model, stage.as_str())
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModuleFacts {
    /// Major and minor version.
    pub(crate) version: (u8, u8),
    /// The device features that the module's capabilities need.
    pub(crate) features: Vec<Feature>,
    /// All capabilities of the module.
    pub(crate) capabilities: Vec<u32>,
    /// The `Execution Model` and the name of each entry point.
    pub(crate) entries: Vec<(u32, String)>,
}

/// Reads `words`.
///
/// # Errors
/// `ShaderRefused` with what is wrong with the framing.
pub(crate) fn read(words: &[u32]) -> Result<ModuleFacts, RunnerError> {
    let refused = |reason| Err(RunnerError::ShaderRefused(reason));
    let Some((header, mut rest)) = words.split_at_checked(HEADER_WORDS) else {
        return refused(format!("{} words are not a SPIR-V module: the header alone has {HEADER_WORDS}", words.len()));
    };
    if header[0] != MAGIC {
        return refused(format!("not a SPIR-V module: the first word is {:#010x}, not {MAGIC:#010x}", header[0]));
    }

    let [_, major, minor, _] = header[1].to_be_bytes();
    let mut facts = ModuleFacts { version: (major, minor), ..ModuleFacts::default() };
    while let Some(first) = rest.first() {
        let (length, opcode) = ((first >> 16) as usize, first & 0xffff);
        let Some((instruction, behind)) = rest.split_at_checked(length).filter(|_| length > 0) else {
            let at = words.len() - rest.len();
            return refused(format!("word {at} begins an instruction of {length} words, and {} are left", rest.len()));
        };

        facts.add(opcode, &instruction[1..]);
        rest = behind;
    }
    Ok(facts)
}

impl ModuleFacts {
    /// Adds the needs of another module of the same pipeline.
    pub(crate) fn add_needs(&mut self, other: Self) {
        self.version = self.version.max(other.version);
        self.features.extend(other.features);
        self.capabilities.extend(other.capabilities);
    }

    fn add(&mut self, opcode: u32, operands: &[u32]) {
        match (opcode, operands) {
            (OP_CAPABILITY, [capability]) => {
                self.capabilities.push(*capability);
                self.features.extend(feature_of(*capability));
            }
            (OP_ENTRY_POINT, [model, _, name @ ..]) => {
                self.entries.push((*model, string(name)));
            }
            _ => {}
        }
    }
}

/// Decodes a literal string: UTF-8, four bytes per word from the lowest byte on, up to a zero byte.
fn string(words: &[u32]) -> String {
    let bytes: &[u8] = bytemuck::cast_slice(words);
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// The device feature that a capability needs; `None` for capabilities that need none of ours.
fn feature_of(capability: u32) -> Option<Feature> {
    Some(match capability {
        9 => Feature::Float16,
        10 => Feature::Float64,
        11 => Feature::Int64,
        22 => Feature::Int16,
        39 => Feature::Int8,
        4433 => Feature::StorageBuffer16,
        4434 => Feature::UniformBuffer16,
        4435 => Feature::PushConstant16,
        4448 => Feature::StorageBuffer8,
        4449 => Feature::UniformBuffer8,
        4450 => Feature::PushConstant8,
        4479 => Feature::RayTracingPipeline,
        4428 => Feature::WorkgroupLayout,
        4429 => Feature::Workgroup8,
        4430 => Feature::Workgroup16,
        4473 => Feature::UntypedPointers,
        53 => Feature::TransformFeedback,
        5128 => Feature::DescriptorHeap,
        5283 => Feature::MeshShader,
        5347 => Feature::BufferDeviceAddress,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `OpCapability Shader`, `OpCapability Int64`, `OpEntryPoint GLCompute %1 "main"`, version
    /// 1.3; the words come from spirv-as 2023.1.
    const MODULE: [u32; 14] =
        [0x0723_0203, 0x0001_0300, 0, 2, 0, 0x0002_0011, 1, 0x0002_0011, 11, 0x0005_000f, 5, 1, 0x6e69_616d, 0];

    #[test]
    fn facts_of_a_small_module() {
        let facts = read(&MODULE).unwrap();
        assert_eq!(facts.version, (1, 3));
        assert_eq!(facts.features, [Feature::Int64]);
        assert_eq!(facts.capabilities, [1, 11]);
        assert_eq!(facts.entries, [(model_of(Stage::Compute).0, "main".to_owned())]);
    }

    #[test]
    fn broken_framing_is_named() {
        let mut zero = MODULE;
        zero[5] = 0x0000_0011;
        for (words, reason) in [
            (&MODULE[..3], "3 words are not a SPIR-V module: the header alone has 5"),
            (&[0; 5][..], "not a SPIR-V module: the first word is 0x00000000, not 0x07230203"),
            (&MODULE[..12], "word 9 begins an instruction of 5 words, and 3 are left"),
            (&zero[..], "word 5 begins an instruction of 0 words, and 9 are left"),
        ] {
            assert_eq!(read(words), Err(RunnerError::ShaderRefused(reason.to_owned())));
        }
    }
}
