//! Turns the texel buffers of a SPIR-V module into storage buffers, word by word.
//!
//! vkd3d-compiler 1.2 makes storage buffers for `u` registers and texel buffers for `t` registers;
//! texel buffers have a format and no bytes. If such a buffer holds bytes in DXBC, its texels are
//! known. In a structured or byte-address buffer each texel is one `uint`, at the index that the
//! code calculates from FXC's stride and offset. In a tbuffer each texel is four `float`s, a
//! register of 16 bytes. So an array of words at the same indices reads the same bytes.
//!
//! Source: SPIR-V specification, "Instructions" and "Logical Layout of a Module"; measured with
//! vkd3d-compiler 1.2.

use std::collections::{BTreeMap, HashMap, HashSet};

use rspirv::spirv::{Decoration, Op, StorageClass};

use super::rewrite::{HEADER, instructions, is_texel_buffer, opcode};

const BOUND: usize = 3;
const WORD: u32 = 4;

const UNIFORM_CONSTANT: u32 = StorageClass::UniformConstant as u32;
const UNIFORM: u32 = StorageClass::Uniform as u32;
/// The decoration that makes a struct a storage buffer in this module.
const BUFFER_BLOCK: u32 = Decoration::BufferBlock as u32;
const ARRAY_STRIDE: u32 = Decoration::ArrayStride as u32;
const OFFSET: u32 = Decoration::Offset as u32;
/// Components of the vector that a fetch returns, and words in a tbuffer's register.
const COMPONENTS: u32 = 4;

/// Replaces texel buffers by arrays of words; `None` if the code asks them for more than texels.
pub(crate) fn with_storage_buffers(words: &[u32]) -> Option<Vec<u32>> {
    if !instructions(words).any(is_texel_buffer) {
        return Some(words.to_vec());
    }
    if instructions(words).any(|instruction| opcode(instruction) == Some(Op::ImageQuerySize)) {
        return None;
    }

    let mut rewriting = Rewriting::of(words)?;
    let mut module = words[..HEADER].to_vec();
    let (mut is_decorated, mut has_numbers) = (false, false);
    for instruction in instructions(words) {
        // Decorations precede all types, constants precede all functions.
        if !is_decorated && opcode(instruction).is_some_and(is_type) {
            module.extend(rewriting.decorations());
            is_decorated = true;
        }
        if !has_numbers && opcode(instruction) == Some(Op::Function) {
            module.extend(rewriting.numbers());
            has_numbers = true;
        }
        module.extend(rewriting.rewrite(instruction));
    }
    module[BOUND] = rewriting.bound;
    Some(module)
}

fn is_type(op: Op) -> bool {
    (Op::TypeVoid..=Op::TypeForwardPointer).contains(&op)
}

#[derive(Clone, Copy, Debug)]
struct Texels {
    /// Type id of a word.
    component: u32,
    /// Words per texel: 1 or [`COMPONENTS`].
    words: u32,
    /// Id of the array of words. The struct around it takes the image's id.
    array: u32,
    /// Type id of pointers to words.
    pointer: u32,
}

/// A texel buffer that the code loaded.
#[derive(Clone, Copy, Debug)]
struct LoadedTexels {
    texels: Texels,
    variable: u32,
}

#[derive(Debug)]
struct Rewriting {
    /// Index of the first unused id.
    bound: u32,
    /// Type id of `uint`.
    uint: u32,
    /// Constants from 0 to [`COMPONENTS`].
    numbers: Vec<u32>,
    /// By id of the image type.
    texels: BTreeMap<u32, Texels>,
    /// Type ids of pointers to images.
    pointers: HashSet<u32>,
    /// By id of the loaded image.
    loaded: HashMap<u32, LoadedTexels>,
}

impl Rewriting {
    /// Collects the texel buffers of a module; `None` if it has no type for indices.
    fn of(words: &[u32]) -> Option<Self> {
        let defined = |op: Op, operands: &[u32]| {
            let found = instructions(words).find(|it| opcode(it) == Some(op) && it.get(2..) == Some(operands))?;
            found.get(1).copied()
        };
        let uint = defined(Op::TypeInt, &[32, 0])?;
        let float = defined(Op::TypeFloat, &[32]);

        let mut bound = *words.get(BOUND)?;
        let numbers = (0..=COMPONENTS).map(|_| fresh(&mut bound)).collect();
        let mut texels = BTreeMap::new();
        for image in instructions(words).filter(|instruction| is_texel_buffer(instruction)) {
            let component = image[2];
            let words = if Some(component) == float { COMPONENTS } else { 1 };
            let (array, pointer) = (fresh(&mut bound), fresh(&mut bound));
            texels.insert(image[1], Texels { component, words, array, pointer });
        }

        Some(Self { bound, uint, numbers, texels, pointers: HashSet::new(), loaded: HashMap::new() })
    }

    fn decorations(&self) -> Vec<u32> {
        let each = self.texels.iter().flat_map(|(block, texels)| {
            [
                instruction(Op::Decorate, &[texels.array, ARRAY_STRIDE, WORD]),
                instruction(Op::Decorate, &[*block, BUFFER_BLOCK]),
                instruction(Op::MemberDecorate, &[*block, 0, OFFSET, 0]),
            ]
        });
        each.flatten().collect()
    }

    fn numbers(&self) -> Vec<u32> {
        let numbers = self.numbers.iter().zip(0..);
        numbers.flat_map(|(id, number)| instruction(Op::Constant, &[self.uint, *id, number])).collect()
    }

    /// Returns the replacement for an instruction.
    fn rewrite(&mut self, old: &[u32]) -> Vec<u32> {
        match (opcode(old), old) {
            (_, [_, id, ..]) if is_texel_buffer(old) => self.types(*id),
            (Some(Op::TypePointer), [_, id, UNIFORM_CONSTANT, pointee]) if self.texels.contains_key(pointee) => {
                self.pointers.insert(*id);
                instruction(Op::TypePointer, &[*id, UNIFORM, *pointee])
            }
            (Some(Op::Variable), [_, ty, id, UNIFORM_CONSTANT]) if self.pointers.contains(ty) => {
                instruction(Op::Variable, &[*ty, *id, UNIFORM])
            }
            (Some(Op::Load), [_, ty, id, variable, ..]) if self.texels.contains_key(ty) => {
                self.loaded.insert(*id, LoadedTexels { texels: self.texels[ty], variable: *variable });
                Vec::new()
            }
            (Some(Op::ImageFetch), [_, ty, id, image, coordinate, ..]) => match self.loaded.get(image).copied() {
                Some(loaded) => self.fetch(loaded, *ty, *id, *coordinate),
                None => old.to_vec(),
            },
            _ => old.to_vec(),
        }
    }

    fn types(&self, block: u32) -> Vec<u32> {
        let Texels { component, array, pointer, .. } = self.texels[&block];
        let types = [
            instruction(Op::TypeRuntimeArray, &[array, component]),
            instruction(Op::TypeStruct, &[block, array]),
            instruction(Op::TypePointer, &[pointer, UNIFORM, component]),
        ];
        types.concat()
    }

    /// Loads the words of a texel into the vector that a fetch returns. If a texel has one word,
    /// the code only uses the first component, so the others repeat it.
    fn fetch(&mut self, loaded: LoadedTexels, ty: u32, id: u32, coordinate: u32) -> Vec<u32> {
        let LoadedTexels { texels, variable } = loaded;
        let (mut code, mut vector) = (Vec::new(), vec![ty, id]);
        let mut first = coordinate;
        if texels.words > 1 {
            first = fresh(&mut self.bound);
            code.extend(instruction(Op::IMul, &[self.uint, first, coordinate, self.numbers[COMPONENTS as usize]]));
        }

        for number in 0..texels.words {
            let mut index = first;
            if number > 0 {
                index = fresh(&mut self.bound);
                code.extend(instruction(Op::IAdd, &[self.uint, index, first, self.numbers[number as usize]]));
            }
            let (place, word) = (fresh(&mut self.bound), fresh(&mut self.bound));
            code.extend(instruction(Op::AccessChain, &[texels.pointer, place, variable, self.numbers[0], index]));
            code.extend(instruction(Op::Load, &[texels.component, word, place]));
            vector.push(word);
        }

        let last = vector[vector.len() - 1];
        vector.resize(2 + COMPONENTS as usize, last);
        code.extend(instruction(Op::CompositeConstruct, &vector));
        code
    }
}

fn fresh(bound: &mut u32) -> u32 {
    *bound += 1;
    *bound - 1
}

fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
    let length = u32::try_from(operands.len() + 1).expect("instructions here have a few operands");
    [&[(length << 16) | op as u32], operands].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER_WORDS: [u32; 5] = [0x0723_0203, 0x0001_0000, 0, 20, 0];

    /// vkd3d-compiler 1.2's output for a load, with component type 2 of the texels: 1 `uint`, 2
    /// `uint` or `float`, 3 image, 4 pointer to it, 5 variable, 6 vector, 9 index.
    fn module(component: &[u32]) -> Vec<u32> {
        let instructions = [
            instruction(Op::Decorate, &[5, 33, 0]),
            instruction(Op::TypeInt, &[1, 32, 0]),
            component.to_vec(),
            instruction(Op::TypeImage, &[3, 2, 5, 0, 0, 0, 1, 0]),
            instruction(Op::TypePointer, &[4, UNIFORM_CONSTANT, 3]),
            instruction(Op::Variable, &[4, 5, UNIFORM_CONSTANT]),
            instruction(Op::TypeVector, &[6, 2, 4]),
            instruction(Op::Function, &[7, 8, 0, 7]),
            instruction(Op::Load, &[3, 10, 5]),
            instruction(Op::ImageFetch, &[6, 11, 10, 9]),
        ];
        [&HEADER_WORDS[..], &instructions.concat()].concat()
    }

    /// Rewrites a module with these components, and returns the instructions after the variable.
    fn code(component: &[u32]) -> Vec<Vec<u32>> {
        let made = with_storage_buffers(&module(component)).unwrap();
        let all: Vec<Vec<u32>> = instructions(&made).map(<[u32]>::to_vec).collect();
        // The numbers 0 to 4 have the ids 20 to 24, the array has 25 and pointers to its words have
        // 26.
        let before = [
            instruction(Op::Decorate, &[5, 33, 0]),
            instruction(Op::Decorate, &[25, ARRAY_STRIDE, 4]),
            instruction(Op::Decorate, &[3, BUFFER_BLOCK]),
            instruction(Op::MemberDecorate, &[3, 0, OFFSET, 0]),
            instruction(Op::TypeInt, &[1, 32, 0]),
            component.to_vec(),
            instruction(Op::TypeRuntimeArray, &[25, 2]),
            instruction(Op::TypeStruct, &[3, 25]),
            instruction(Op::TypePointer, &[26, UNIFORM, 2]),
            instruction(Op::TypePointer, &[4, UNIFORM, 3]),
            instruction(Op::Variable, &[4, 5, UNIFORM]),
            instruction(Op::TypeVector, &[6, 2, 4]),
        ];
        assert_eq!(all[..before.len()], before);
        let numbers = (0..=4).map(|number| instruction(Op::Constant, &[1, 20 + number, number]));
        let behind = &all[before.len()..];
        assert_eq!(behind[..5], numbers.collect::<Vec<_>>());
        assert_eq!(behind[5], instruction(Op::Function, &[7, 8, 0, 7]));
        behind[6..].to_vec()
    }

    #[test]
    fn a_texel_of_one_word_is_that_word() {
        // A second `uint` would not be valid; nothing here checks that.
        let expected = [
            instruction(Op::AccessChain, &[26, 27, 5, 20, 9]),
            instruction(Op::Load, &[2, 28, 27]),
            instruction(Op::CompositeConstruct, &[6, 11, 28, 28, 28, 28]),
        ];
        assert_eq!(code(&instruction(Op::TypeInt, &[2, 32, 1])), expected);
    }

    #[test]
    fn a_texel_of_a_tbuffer_is_a_register() {
        let mut expected = vec![instruction(Op::IMul, &[1, 27, 9, 24])];
        for (word, index) in [(0, 27), (1, 30), (2, 33), (3, 36)] {
            if word > 0 {
                expected.push(instruction(Op::IAdd, &[1, index, 27, 20 + word]));
            }
            let place = 28 + 3 * word;
            expected.push(instruction(Op::AccessChain, &[26, place, 5, 20, index]));
            expected.push(instruction(Op::Load, &[2, place + 1, place]));
        }
        expected.push(instruction(Op::CompositeConstruct, &[6, 11, 29, 32, 35, 38]));
        assert_eq!(code(&instruction(Op::TypeFloat, &[2, 32])), expected);
    }

    #[test]
    fn what_has_no_texel_buffer_stays() {
        for words in [&[][..], &[1, 2, 3], &[&HEADER_WORDS[..], &[0x0002_0011, 1]].concat()] {
            assert_eq!(with_storage_buffers(words).as_deref(), Some(words));
        }
    }

    #[test]
    fn a_question_for_the_size_is_not_answered() {
        let component = instruction(Op::TypeFloat, &[2, 32]);
        let asks = [module(&component), instruction(Op::ImageQuerySize, &[1, 12, 10])].concat();
        assert_eq!(with_storage_buffers(&asks), None);
    }
}
