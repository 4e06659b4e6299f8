//! Numbers by which comparison samplers are told apart: such a sampler gives no texel, only whether a reference passes.
//!
//! A program's comparison samplers compare with `less-or-equal`, and each sees one level of a texture of depths. Level 0
//! is the lowest of them and each further one is higher; the smallest level, which no sampler of the program sees, is 0.
//! A reference lies below each level and above the one before, so that the last reference that passes says the level.
//! Depths of levels 0, 1, 2: 1/8, 2/8, 3/8; references: 1/16, 3/16, 5/16; at level 1 the first two pass.
//!
//! Source: Vulkan specification, "Depth Compare Operation".

/// Steps from depth 0 to 1; a power of two above the number of levels, so that no depth and no reference is rounded.
const STEPS: f32 = 8.0;

/// Depths of the levels for `samplers` samplers, and of the smallest level behind them.
pub fn levels(samplers: usize) -> impl Iterator<Item = f32> {
    steps(1.0).take(samplers).chain([0.0])
}

/// References that are compared with, in ascending order: the first `n + 1` of them pass at level `n`.
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
