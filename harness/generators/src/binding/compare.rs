//! Writes code that identifies the bound comparison sampler by the mip level that it sees. The last
//! passing reference selects the word of the sampler with that level.
//!
//! Source: SPIR-V specification, `OpImageSampleDrefExplicitLod`; see
//! [`layoutproof_probes::binding::depth`] for the depth values.

use rspirv::dr::Operand;
use rspirv::spirv::{ImageOperands, Word};

use super::emitter::{Emitter, OPEN};
use super::variable::BindingVariable;
use layoutproof_probes::binding::depth;
use layoutproof_probes::image::REFILL_WORD;

/// Selects one of `words`, the samplers' words in the order of their levels; the refill if no
/// reference passes.
pub(super) fn read(emitter: &mut Emitter, levels: BindingVariable, sampler: Word, words: &[u32]) -> Word {
    let image = levels.load(emitter, 0);
    let ty = emitter.builder.type_sampled_image(levels.ty);
    let both = emitter.builder.sampled_image(ty, None, image, sampler).expect(OPEN);

    let (uint, boolean) = (emitter.uint(), emitter.builder.type_bool());
    let mut found = emitter.constant(REFILL_WORD);
    for (word, reference) in words.iter().zip(depth::references(words.len())) {
        let result = compare(emitter, both, reference);
        let one = emitter.constant(1.0_f32.to_bits());
        let passes = emitter.builder.i_equal(boolean, None, result, one).expect(OPEN);
        let word = emitter.constant(*word);
        found = emitter.builder.select(uint, None, passes, word, found).expect(OPEN);
    }
    found
}

/// Returns the bits of a comparison at level 0, which the sampler clamps to the level that it sees.
fn compare(emitter: &mut Emitter, combined: Word, reference: f32) -> Word {
    let (float, uint) = (emitter.float(), emitter.uint());
    let corner = emitter.splat(float, 0.0_f32.to_bits(), 2);
    let zero = emitter.splat(float, 0.0_f32.to_bits(), 1);
    let reference = emitter.splat(float, reference.to_bits(), 1);
    let (lod, operands) = (ImageOperands::LOD, [Operand::IdRef(zero)]);
    let builder = &mut emitter.builder;
    let result = builder.image_sample_dref_explicit_lod(float, None, combined, corner, reference, lod, operands);
    builder.bitcast(uint, None, result.expect(OPEN)).expect(OPEN)
}
