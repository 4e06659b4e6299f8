//! Depth values that identify comparison samplers. Such a sampler returns no texel, only whether a
//! reference passes.
//!
//! A program's comparison samplers compare with `less-or-equal`, and each sees one mip level of a
//! depth texture. Level 0 has the lowest depth and each further level a higher one; the smallest
//! level, which no sampler of the program sees, is 0. A reference lies below each level's depth and
//! above the depth before it, so the last passing reference gives the level. Depths of levels 0, 1,
//! 2: 1/8, 2/8, 3/8; references: 1/16, 3/16, 5/16; at level 1 the first two pass.
//!
//! Source: Vulkan specification, "Depth Compare Operation".

/// Steps from depth 0 to 1. A power of two above the number of levels, so that no depth or
/// reference is rounded.
const STEPS: f32 = 8.0;

/// Returns the depths of the levels for `samplers` samplers, then the depth of the smallest level.
pub fn levels(samplers: usize) -> impl Iterator<Item = f32> {
    steps(1.0).take(samplers).chain([0.0])
}

/// Returns the references in ascending order: the first `n + 1` of them pass at level `n`.
pub fn references(samplers: usize) -> impl Iterator<Item = f32> {
    steps(0.5).take(samplers)
}

fn steps(first: f32) -> impl Iterator<Item = f32> {
    std::iter::successors(Some(first), |step| Some(step + 1.0)).map(|step| step / STEPS)
}

#[cfg(test)]
mod tests {
    use super::super::program::SAMPLER_LEVELS;
    use super::*;

    #[test]
    fn each_level_passes_one_reference_more_and_the_smallest_none() {
        let samplers = SAMPLER_LEVELS as usize;
        let passing = |depth: f32| references(samplers).filter(|reference| *reference <= depth).count();
        assert_eq!(levels(samplers).map(passing).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 0]);
        assert!(levels(samplers).chain(references(samplers)).all(|depth| (0.0..=1.0).contains(&depth)));
    }
}
