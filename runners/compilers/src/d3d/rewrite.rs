//! Small changes to a SPIR-V module, word by word.
//!
//! Words that are not SPIR-V pass through unchanged, and the reader of the module refuses them.
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module and Instruction" and
//! "Instructions".

use std::collections::HashSet;

use layoutproof_device::words_of;
use rspirv::spirv::{Capability, Decoration, Dim, Op};

pub(super) const HEADER: usize = 5;

/// A place for a resource in SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpirvSlot {
    pub set: u32,
    pub binding: u32,
}

/// Removes repeated `OpDecorate` instructions.
///
/// NOTE(driver): vkd3d-compiler 1.2 decorates the array type of storage buffers again for each
/// buffer. The repetition has no meaning, but spirv-val 2023.1 refuses it.
pub(crate) fn without_repeated_decorations(words: &[u32]) -> Vec<u32> {
    let mut seen = HashSet::new();
    rewritten(words, |instruction| {
        let kept = opcode(instruction) != Some(Op::Decorate) || seen.insert(instruction);
        if kept { instruction.to_vec() } else { Vec::new() }
    })
}

/// Removes the capabilities for texel buffers from a module without them.
///
/// NOTE(driver): vkd3d-compiler 1.2 always declares these capabilities.
pub(crate) fn without_idle_capabilities(words: &[u32]) -> Vec<u32> {
    if instructions(words).any(is_texel_buffer) {
        return words.to_vec();
    }
    let texel_buffers = [Capability::SampledBuffer as u32, Capability::ImageBuffer as u32];
    rewritten(words, |instruction| match instruction {
        [_, capability] if opcode(instruction) == Some(Op::Capability) && texel_buffers.contains(capability) => {
            Vec::new()
        }
        _ => instruction.to_vec(),
    })
}

/// Renames every entry point to `name`.
pub(crate) fn with_entry(words: &[u32], name: &str) -> Vec<u32> {
    let mut bytes = name.as_bytes().to_vec();
    // A literal ends with a zero; more zeros fill its last word.
    bytes.resize((name.len() / 4 + 1) * 4, 0);
    let literal = words_of(&bytes);
    rewritten(words, |instruction| match instruction {
        [head, model, function, rest @ ..] if opcode(instruction) == Some(Op::EntryPoint) => {
            let last = rest.iter().position(|word| word.to_le_bytes().contains(&0)).map_or(rest.len(), |at| at + 1);
            let changed = [&[*head, *model, *function], &literal[..], &rest[last..]].concat();
            with_length(changed)
        }
        _ => instruction.to_vec(),
    })
}

/// Moves the variables of one descriptor set and binding to another slot.
pub(crate) fn with_slot(words: &[u32], from: SpirvSlot, to: SpirvSlot) -> Vec<u32> {
    let sets = targets(words, Decoration::DescriptorSet, from.set);
    let bindings = targets(words, Decoration::Binding, from.binding);
    rewritten(words, |instruction| match *instruction {
        [head, target, decoration, _]
            if opcode(instruction) == Some(Op::Decorate) && sets.contains(&target) && bindings.contains(&target) =>
        {
            let number = match Decoration::from_u32(decoration) {
                Some(Decoration::DescriptorSet) => to.set,
                Some(Decoration::Binding) => to.binding,
                _ => return instruction.to_vec(),
            };
            vec![head, target, decoration, number]
        }
        _ => instruction.to_vec(),
    })
}

fn targets(words: &[u32], decoration: Decoration, number: u32) -> HashSet<u32> {
    let target = |instruction: &[u32]| match *instruction {
        [_, target, found, operand] if opcode(instruction) == Some(Op::Decorate) => {
            (found == decoration as u32 && operand == number).then_some(target)
        }
        _ => None,
    };
    instructions(words).filter_map(target).collect()
}

/// True if the instruction declares a texel buffer type.
pub(super) fn is_texel_buffer(instruction: &[u32]) -> bool {
    opcode(instruction) == Some(Op::TypeImage) && instruction.get(3) == Some(&(Dim::DimBuffer as u32))
}

fn rewritten<'a>(words: &'a [u32], change: impl FnMut(&'a [u32]) -> Vec<u32>) -> Vec<u32> {
    let header = words[..HEADER.min(words.len())].iter().copied();
    header.chain(instructions(words).flat_map(change)).collect()
}

pub(super) fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = words.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = usize::try_from(rest.first()? >> 16).map_or(rest.len(), |length| length.clamp(1, rest.len()));
        let (instruction, behind) = rest.split_at(length);
        rest = behind;
        Some(instruction)
    })
}

pub(super) fn opcode(instruction: &[u32]) -> Option<Op> {
    Op::from_u32(instruction.first()? & 0xffff)
}

/// Updates the length in the instruction's first word. An instruction too long for SPIR-V keeps its
/// old length.
fn with_length(mut instruction: Vec<u32>) -> Vec<u32> {
    if let (Ok(length), Some(head)) = (u16::try_from(instruction.len()), instruction.first_mut()) {
        *head = (u32::from(length) << 16) | (*head & 0xffff);
    }
    instruction
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: [u32; 5] = [0x0723_0203, 0x0001_0000, 0, 9, 0];

    #[test]
    fn only_a_repeated_decoration_goes() {
        // OpDecorate %1 ArrayStride 4; the same of %2; OpTypeRuntimeArray %1 %3.
        let (first, second, array) = ([0x0004_0047, 1, 6, 4], [0x0004_0047, 2, 6, 4], [0x0003_001d, 1, 3]);
        let module = [&MODULE[..], &first, &second, &first, &array, &array].concat();
        let expected = [&MODULE[..], &first, &second, &array, &array].concat();
        assert_eq!(without_repeated_decorations(&module), expected);
    }

    #[test]
    fn only_idle_capabilities_go() {
        // OpCapability Shader, SampledBuffer, ImageBuffer; OpTypeImage %2 %1 with the dimension 2D or Buffer.
        let capabilities = [0x0002_0011, 1, 0x0002_0011, 46, 0x0002_0011, 47];
        let image = |dimension| [0x0009_0019, 2, 1, dimension, 0, 0, 0, 1, 0];
        let module = |capabilities: &[u32], dimension| [&MODULE[..], capabilities, &image(dimension)].concat();
        assert_eq!(without_idle_capabilities(&module(&capabilities, 1)), module(&capabilities[..2], 1));
        assert_eq!(without_idle_capabilities(&module(&capabilities, 5)), module(&capabilities, 5));
    }

    #[test]
    fn an_entry_point_keeps_its_interface() {
        // OpEntryPoint GLCompute %4 "main" %7, where the name needs a second word for its zero.
        let module = [&MODULE[..], &[0x0006_000f, 5, 4, 0x6e69_616d, 0, 7]].concat();
        let short = [&MODULE[..], &[0x0005_000f, 5, 4, 0x0000_6261, 7]].concat();
        assert_eq!(with_entry(&module, "ab"), short);
        assert_eq!(with_entry(&short, "main"), module);
    }

    #[test]
    fn only_the_variable_of_both_numbers_moves() {
        // OpDecorate DescriptorSet and Binding of %1 (0, 3), %2 (0, 4) and %3 (1, 3).
        let slot = |set, binding| SpirvSlot { set, binding };
        let decorate = |target: u32, slot: SpirvSlot| {
            [0x0004_0047, target, 34, slot.set, 0x0004_0047, target, 33, slot.binding].to_vec()
        };
        let others = [decorate(2, slot(0, 4)), decorate(3, slot(1, 3))].concat();
        let module = |first| [MODULE.to_vec(), decorate(1, first), others.clone()].concat();
        assert_eq!(with_slot(&module(slot(0, 3)), slot(0, 3), slot(2, 1000)), module(slot(2, 1000)));
    }

    #[test]
    fn broken_words_are_kept() {
        for words in [&[][..], &[1, 2, 3], &[1, 2, 3, 4, 5, 0, 0x0009_0047, 1]] {
            assert_eq!(without_repeated_decorations(words), words);
            let (from, to) = (SpirvSlot { set: 0, binding: 0 }, SpirvSlot { set: 1, binding: 1 });
            assert_eq!(with_slot(words, from, to), words);
            assert_eq!(with_entry(words, "main"), words);
        }
    }
}
