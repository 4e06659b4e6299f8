//! `AmberScript`: SPIR-V assembly, the buffers, one dispatch, and the expected output.

use rspirv::binary::Disassemble;

use super::{ExportObstacle, NotExported, Repro, refused, rows};
use layoutproof_core::check::Subject;
use layoutproof_probes::AddressSpace;
use layoutproof_probes::generate::spirv;
use layoutproof_probes::image::{REFILL_WORD, nonce_word};

/// The script for `subject`.
///
/// # Errors
/// The reason why the subject has no script.
pub fn amber(subject: &Subject) -> Result<String, NotExported> {
    let repro = Repro::new(subject).map_err(|reason| refused(subject, reason))?;
    let module = spirv::produce(repro.layout, &repro.plan).map_err(|error| refused(subject, error))?;
    let loaded = rspirv::dr::load_words(&module.words)
        .map_err(|error| refused(subject, ExportObstacle::Assembly(error.to_string())))?;

    let features = module.requires();
    let features: Vec<String> = features.iter().map(|feature| format!("# The device must have {feature}.\n")).collect();
    let bound = match repro.entry().space {
        AddressSpace::PushConstant => "AS push_constant",
        AddressSpace::Uniform | AddressSpace::UniformElement => "AS uniform DESCRIPTOR_SET 0 BINDING 0",
        AddressSpace::Storage | AddressSpace::StorageElement | AddressSpace::Address => {
            "AS storage DESCRIPTOR_SET 0 BINDING 0"
        }
    };

    let refill = vec![REFILL_WORD; repro.expected.len()];
    let expectation = |(word, value): (u32, &u32)| format!("EXPECT output IDX {} EQ 0x{value:08X}\n", 4 * word);
    let expectations: Vec<String> = (0..).zip(&repro.expected).map(expectation).collect();
    Ok(format!(
        "#!amber
{heading}{features}
SHADER compute probe SPIRV-ASM TARGET_ENV spv1.3
{assembly}
END

BUFFER block DATA_TYPE uint32 DATA
{block}END

BUFFER output DATA_TYPE uint32 DATA
{output}END

BUFFER input DATA_TYPE uint32 DATA
  0x{nonce:08X}
END

PIPELINE compute pipeline
  ATTACH probe ENTRY_POINT {entry}
  BIND BUFFER block {bound}
  BIND BUFFER output AS storage DESCRIPTOR_SET 0 BINDING 1
  BIND BUFFER input AS storage DESCRIPTOR_SET 0 BINDING 2
END

RUN pipeline 1 1 1

{expectations}",
        heading = repro.heading(),
        features = features.concat(),
        expectations = expectations.concat(),
        assembly = loaded.disassemble(),
        block = rows(&repro.image, "  ", " "),
        output = rows(&refill, "  ", " "),
        nonce = nonce_word(1),
        entry = repro.entry().name,
    ))
}
