//! Finds how the code of a module reads the components of members.
//!
//! It follows pointers through access chains and values through extractions, shuffles and local copies, in the order of
//! the text. Whatever it does not follow counts as a read of the whole member. Functions may have instructions that are
//! not known here, so it looks at words.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::{ComponentReads, Components};
use rspirv::spirv::{Op, StorageClass, Word};

use super::BadModule;
use super::load::instruction_starts;
use super::types::{SpirvType, SpirvTypes};

const ALL: Components = Components::MAX;

pub(super) fn component_reads(words: &[u32], types: &SpirvTypes) -> Result<ComponentReads, BadModule> {
    let mut reader = Reader {
        types,
        pointers: BTreeMap::new(),
        variables: BTreeSet::new(),
        values: BTreeMap::new(),
        reads: ComponentReads::default(),
    };
    for start in instruction_starts(words)? {
        let length = (words[start] >> 16) as usize;
        let operands = words.get(start + 1..start + length).unwrap_or_default();
        match Op::from_u32(words[start] & 0xFFFF) {
            Some(op) => reader.follow(op, operands),
            None => reader.read_whole(operands),
        }
    }
    Ok(reader.reads)
}

/// A value, or what a pointer leads to.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    ty: Word,
    /// The innermost member that it is or is part of, with its components.
    member: Option<(&'a str, Components)>,
}

#[derive(Debug)]
struct Reader<'a> {
    types: &'a SpirvTypes,
    pointers: BTreeMap<Word, Part<'a>>,
    /// The pointers that are variables of functions and from which nothing was loaded yet.
    variables: BTreeSet<Word>,
    values: BTreeMap<Word, Part<'a>>,
    reads: ComponentReads,
}

impl<'a> Reader<'a> {
    fn follow(&mut self, op: Op, operands: &[u32]) {
        match (op, operands) {
            (Op::Name | Op::MemberName | Op::Line | Op::NoLine, _) => {}
            (Op::Variable, [ty, id, class, ..]) => {
                self.add_result(*ty, *id);
                if *class == StorageClass::Function as u32 {
                    self.variables.insert(*id);
                }
            }
            (Op::FunctionParameter, [ty, id, ..]) => self.add_result(*ty, *id),
            (Op::AccessChain | Op::InBoundsAccessChain, [_, id, base, indices @ ..])
            | (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, [_, id, base, _, indices @ ..]) => {
                self.variables.remove(base);
                let base = self.pointers.get(base).copied();
                let indices = indices.iter().map(|index| self.constant(*index));
                if let Some(part) = base.and_then(|base| self.inner(base, indices)) {
                    self.pointers.insert(*id, part);
                }
            }
            (Op::Load, [ty, id, pointer, ..]) => {
                self.variables.remove(pointer);
                match self.pointers.get(pointer) {
                    Some(part) if !matches!(self.types.get(*ty), SpirvType::Pointer { .. }) => {
                        self.values.insert(*id, *part);
                    }
                    _ => self.add_result(*ty, *id),
                }
            }
            (Op::Store, [pointer, value, ..]) => self.store(*pointer, *value),
            (Op::CompositeExtract, [_, id, value, indices @ ..]) => {
                let whole = self.values.get(value).copied();
                match whole.and_then(|whole| self.inner(whole, indices.iter().map(|index| Some(*index)))) {
                    Some(part) => drop(self.values.insert(*id, part)),
                    None => self.read_whole(&[*value]),
                }
            }
            (Op::VectorShuffle, [ty, id, first, second, chosen @ ..]) => {
                self.shuffle((*ty, *id), [*first, *second], chosen);
            }
            (Op::CopyObject | Op::CopyLogical, [ty, id, value]) => {
                if let Some(part) = self.values.get(value) {
                    self.values.insert(*id, Part { ty: *ty, ..*part });
                }
            }
            (Op::Bitcast, [ty, id, value]) => match self.values.get(value).copied() {
                Some(Part { ty: from, member: Some((name, components)) })
                    if self.is_float(from) != self.is_float(*ty) =>
                {
                    self.reads.add_recast(name, components);
                }
                // The sign is another one.
                Some(part) => drop(self.values.insert(*id, Part { ty: *ty, ..part })),
                None => {}
            },
            (Op::BitwiseAnd, [_, _, left, right]) => match (self.constant(*left), self.constant(*right)) {
                (Some(mask), None) => self.read(*right, mask),
                (None, Some(mask)) => self.read(*left, mask),
                _ => self.read_whole(&[*left, *right]),
            },
            (Op::ShiftRightLogical, [_, _, value, distance]) => {
                let bits = self.constant(*distance).and_then(|distance| u32::MAX.checked_shl(distance));
                self.read(*value, bits.unwrap_or(u32::MAX));
                self.read_whole(&[*distance]);
            }
            (Op::BitFieldUExtract | Op::BitFieldSExtract, [_, _, value, offset, count]) => {
                let width = self.constant(*count).filter(|count| (1..32).contains(count));
                let bits = width.zip(self.constant(*offset));
                let bits = bits.and_then(|(width, offset)| ((1_u32 << width) - 1).checked_shl(offset));
                self.read(*value, bits.unwrap_or(u32::MAX));
                self.read_whole(&[*offset, *count]);
            }
            // The fourth operand is the number of a function.
            (Op::ExtInst, [_, _, _, _, arguments @ ..]) => self.read_whole(arguments),
            _ => {
                self.read_whole(operands);
                if let [ty, id, ..] = operands {
                    self.add_result(*ty, *id);
                }
            }
        }
    }

    /// Adds a pointer, a struct or an array from somewhere: the members inside have names.
    fn add_result(&mut self, ty: Word, id: Word) {
        match self.types.get(ty) {
            SpirvType::Pointer { pointee, .. } => drop(self.pointers.insert(id, Part { ty: *pointee, member: None })),
            SpirvType::Struct(_) | SpirvType::Array { .. } => drop(self.values.insert(id, Part { ty, member: None })),
            _ => {}
        }
    }

    /// Adds a read of all components and bits of values and of what pointers lead to.
    fn read_whole(&mut self, ids: &[Word]) {
        for id in ids {
            self.read(*id, u32::MAX);
        }
    }

    fn read(&mut self, id: Word, bits: u32) {
        let part = self.values.get(&id).or_else(|| self.pointers.get(&id));
        if let Some((name, components)) = part.and_then(|part| part.member) {
            self.reads.add(name, components, bits);
        }
    }

    fn constant(&self, id: Word) -> Option<u32> {
        self.types.constants.value(id).and_then(|value| u32::try_from(value).ok())
    }

    fn is_float(&self, ty: Word) -> bool {
        match self.types.get(ty) {
            SpirvType::Float { .. } => true,
            SpirvType::Vector { component, .. } => self.is_float(*component),
            _ => false,
        }
    }

    /// A part of a part. An index that is not known leads to any component.
    fn inner(&self, mut part: Part<'a>, indices: impl Iterator<Item = Option<u32>>) -> Option<Part<'a>> {
        for index in indices {
            match self.types.get(part.ty) {
                SpirvType::Struct(members) => {
                    let member = members.get(index? as usize)?;
                    let name = member.name.as_deref();
                    part = Part { ty: member.ty, member: name.map(|name| (name, self.components(member.ty))) };
                }
                SpirvType::Vector { component, length } => {
                    let one = index.and_then(|index| 1_u8.checked_shl(index));
                    // A shuffle may have put any component there.
                    let is_whole = |all: Components| all.count_ones() == *length && all.trailing_ones() == *length;
                    let narrowed = |all: Components| one.filter(|_| is_whole(all)).unwrap_or(all);
                    part = Part { ty: *component, member: part.member.map(|(name, all)| (name, narrowed(all))) };
                }
                _ => part.ty = self.types.part(part.ty, index.unwrap_or(0))?,
            }
        }
        Some(part)
    }

    /// All components of a member.
    fn components(&self, mut ty: Word) -> Components {
        loop {
            ty = match self.types.get(ty) {
                SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. } => *element,
                SpirvType::Vector { length, .. } if *length < Components::BITS => return (1 << length) - 1,
                SpirvType::Int { .. } | SpirvType::Float { .. } => return 1,
                _ => return ALL,
            }
        }
    }

    /// Code that writes to a buffer counts as reading. A value that a function keeps for itself is read where the function
    /// reads it.
    fn store(&mut self, pointer: Word, value: Word) {
        let stored = self.values.get(&value).copied();
        let place = self.pointers.get(&pointer).copied();
        match (stored, place.and_then(|place| place.member)) {
            (Some(Part { member: Some((name, _)), .. }), Some((own, _))) if own == name => {}
            (Some(stored), None) if self.variables.contains(&pointer) => drop(self.pointers.insert(pointer, stored)),
            _ => self.read_whole(&[pointer, value]),
        }
    }

    fn shuffle(&mut self, (ty, id): (Word, Word), sources: [Word; 2], chosen: &[u32]) {
        let length = |value: Word| self.values.get(&value).and_then(|part| self.types.part_count(part.ty));
        let [first, second] = sources;
        let Some(of_first) = length(first) else { return self.read_whole(&sources) };
        if first != second && chosen.iter().any(|index| *index >= of_first) {
            return self.read_whole(&sources);
        }
        let Some(whole) = self.values.get(&first).copied() else { return };
        let parts = chosen.iter().filter_map(|index| self.inner(whole, std::iter::once(Some(index % of_first))));
        let names = parts.filter_map(|part| part.member);
        let member = names.reduce(|(name, sum), (_, one)| (name, sum | one));
        self.values.insert(id, Part { ty, member });
    }
}
