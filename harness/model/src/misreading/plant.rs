//! Faults of the layout: gives the types of a module wrong offsets, strides or orders.

use std::collections::BTreeSet;

use rspirv::spirv::{StorageClass, Word};

use super::{
    ArrayLevel, FaultyMatrices, LayoutFault, ListEnd, Misreading, ModelFault, Move, WrongStride, tested_variables,
};
use layoutproof_readers::spirv::types::{MatrixLayout, SpirvMember, SpirvType, SpirvTypes, SpirvVariable};

/// The register size in bytes, to which wrong devices round.
const REGISTER: u32 = 16;

impl Misreading {
    /// Changes the layout of the blocks under test, of which those in a descriptor heap have no variable.
    pub(crate) fn plant(self, types: &mut SpirvTypes, in_heap: &BTreeSet<Word>) {
        let ModelFault::Layout(fault) = self.fault else { return };
        let of_variables = tested_variables(types).into_iter().filter_map(|it| tested_block(types, it));
        let blocks: BTreeSet<Word> = of_variables.chain(in_heap.iter().copied()).collect();
        // All numbers come from the types as declared, not from already changed ones.
        let declared = types.clone();
        if let LayoutFault::PointerStride(wrong) = fault {
            for id in tested_variables(&declared).into_iter().filter_map(|it| pointer_to_block(&declared, it)) {
                if let Some(SpirvType::Pointer { pointee, stride, .. }) = types.get_mut(id) {
                    *stride = stride.map(|stride| wrong_stride(wrong, stride, data_end(&declared, *pointee, None)));
                }
            }
        }
        let tested = tested_types(&declared, &blocks);
        let inner = inner_arrays(&declared, &tested);
        for id in tested {
            let place =
                FaultyType { declared: &declared, id, is_block: blocks.contains(&id), is_inner: inner.contains(&id) };
            if let Some(ty) = types.get_mut(id) {
                place.change(ty, fault);
            }
        }
    }
}

/// A type that is about to get a wrong layout.
struct FaultyType<'a> {
    declared: &'a SpirvTypes,
    id: Word,
    is_block: bool,
    /// True for an element of an array.
    is_inner: bool,
}

impl FaultyType<'_> {
    fn change(&self, ty: &mut SpirvType, fault: LayoutFault) {
        match ty {
            SpirvType::Array { element, stride, .. } | SpirvType::RuntimeArray { element, stride } => {
                let LayoutFault::ArrayStride(dimension, wrong) = fault else { return };
                if self.is_in(dimension, *element) {
                    *stride = stride.map(|stride| wrong_stride(wrong, stride, data_end(self.declared, *element, None)));
                }
            }
            SpirvType::Struct(members) => self.change_members(members, fault),
            _ => {}
        }
    }

    fn is_in(&self, dimension: ArrayLevel, element: Word) -> bool {
        match dimension {
            ArrayLevel::All => true,
            ArrayLevel::Outer => is_array(self.declared.get(element)),
            ArrayLevel::Inner => self.is_inner,
        }
    }

    fn change_members(&self, members: &mut [SpirvMember], fault: LayoutFault) {
        match fault {
            LayoutFault::Shifted(bytes) if self.is_block => {
                for member in members {
                    member.offset = member.offset.map(|offset| offset.saturating_add(bytes));
                }
            }
            LayoutFault::MatrixStride(wrong) => {
                for member in members {
                    let tight = tight_stride(self.declared, member);
                    member.matrix.iter_mut().for_each(|it| it.stride = wrong_stride(wrong, it.stride, tight));
                }
            }
            LayoutFault::Majorness(which) => self.swap_orders(members, which),
            LayoutFault::NeighboursSwapped(end) => swap_neighbours(members, end),
            LayoutFault::LastAtEnd if self.is_block => self.last_to_end(members),
            LayoutFault::Moved(wrong) => self.move_members(members, wrong),
            LayoutFault::StructsAtStart => {
                let structs = members.iter_mut().filter(|it| matches!(self.declared.get(it.ty), SpirvType::Struct(_)));
                structs.for_each(|member| member.offset = Some(0));
            }
            LayoutFault::Shifted(_)
            | LayoutFault::LastAtEnd
            | LayoutFault::ArrayStride(..)
            | LayoutFault::PointerStride(_) => {}
        }
    }

    fn swap_orders(&self, members: &mut [SpirvMember], which: FaultyMatrices) {
        let is_element = |member: &SpirvMember| is_array(self.declared.get(member.ty));
        let matrices = members.iter_mut().filter(|member| match which {
            FaultyMatrices::All | FaultyMatrices::First => member.matrix.is_some(),
            FaultyMatrices::Elements => member.matrix.is_some() && is_element(member),
        });
        let count = match which {
            FaultyMatrices::All | FaultyMatrices::Elements => usize::MAX,
            FaultyMatrices::First => 1,
        };
        matrices.take(count).flat_map(|member| &mut member.matrix).for_each(|it| it.row_major = !it.row_major);
    }

    fn last_to_end(&self, members: &mut [SpirvMember]) {
        let Some(end) = data_end(self.declared, self.id, None) else { return };
        let Some(last) = members.last_mut() else { return };
        if let Some(size) = data_end(self.declared, last.ty, last.matrix) {
            last.offset = Some(end.next_multiple_of(REGISTER).saturating_sub(size));
        }
    }

    fn move_members(&self, members: &mut [SpirvMember], wrong: Move) {
        let declared: Vec<SpirvMember> = members.to_vec();
        let mut moved = 0;
        for (index, member) in members.iter_mut().enumerate().skip(1) {
            let Some(offset) = declared[index].offset.map(i64::from) else { continue };
            let place = self.wrong_place(wrong, &declared[index - 1], &declared[index]).map_or(offset, i64::from);
            moved += place - offset;
            member.offset = u32::try_from(offset + moved).ok();
        }
    }

    /// The wrong place of `member`, if `wrong` moves it. Computed from the declared members.
    fn wrong_place(&self, wrong: Move, before: &SpirvMember, member: &SpirvMember) -> Option<u32> {
        let offset = member.offset?;
        // The end of the data before the member, and the start of the next register.
        let end = || Some(before.offset? + data_end(self.declared, before.ty, before.matrix)?);
        let next = || Some(end()?.next_multiple_of(REGISTER)).filter(|next| *next > offset);
        let is_struct = matches!(self.declared.get(member.ty), SpirvType::Struct(_));

        match (wrong, self.declared.get(before.ty)) {
            (Move::BehindVectorOfThree, SpirvType::Vector { component, length: 3 }) => {
                let fourth = end()? + data_end(self.declared, *component, None)?;
                Some(fourth).filter(|fourth| *fourth > offset)
            }
            (Move::BehindArray, SpirvType::Array { .. })
            | (Move::BehindMatrix, SpirvType::Matrix { .. })
            | (Move::BehindStruct, SpirvType::Struct(_)) => next(),
            (Move::StructUp, _) if is_struct => Some(offset.next_multiple_of(REGISTER)),
            (Move::StructDown, _) if is_struct => end(),
            (_, _) => None,
        }
    }
}

fn is_array(ty: &SpirvType) -> bool {
    matches!(ty, SpirvType::Array { .. } | SpirvType::RuntimeArray { .. })
}

/// `tight` is the size of an element's data, if it is bounded.
fn wrong_stride(wrong: WrongStride, declared: u32, tight: Option<u32>) -> u32 {
    match wrong {
        WrongStride::Bytes(bytes) => bytes,
        WrongStride::Tight => tight.unwrap_or(declared),
        WrongStride::RoundedTo(bytes) => declared.next_multiple_of(bytes),
        WrongStride::Doubled => declared.saturating_mul(2),
    }
}

fn swap_neighbours(members: &mut [SpirvMember], end: ListEnd) {
    let (first, second) = match (end, members) {
        (ListEnd::First, [first, second, ..]) | (ListEnd::Last, [.., first, second]) => (first, second),
        (ListEnd::First | ListEnd::Last, _) => return,
    };
    std::mem::swap(&mut first.offset, &mut second.offset);
}

/// The size of one vector in a member's matrices, in bytes; `None` for other members.
fn tight_stride(types: &SpirvTypes, member: &SpirvMember) -> Option<u32> {
    let mut id = member.ty;
    while let SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. } = types.get(id) {
        id = *element;
    }
    let SpirvType::Matrix { column, columns } = types.get(id) else { return None };
    let SpirvType::Vector { component, length } = types.get(*column) else { return None };
    let contiguous = if member.matrix?.row_major { *columns } else { *length };
    data_end(types, *component, None)?.checked_mul(contiguous)
}

/// One past the last byte of data in a type; `None` for unbounded types and types without a layout.
fn data_end(types: &SpirvTypes, id: Word, matrix: Option<MatrixLayout>) -> Option<u32> {
    match types.get(id) {
        SpirvType::Int { bits, .. } | SpirvType::Float { bits } => Some(bits / 8),
        SpirvType::Vector { component, length } => data_end(types, *component, None)?.checked_mul(*length),
        SpirvType::Matrix { column, columns } => {
            let SpirvType::Vector { component, length } = types.get(*column) else { return None };
            let layout = matrix?;

            let (vectors, long) = if layout.row_major { (*length, *columns) } else { (*columns, *length) };
            let last = data_end(types, *component, None)?.checked_mul(long)?;
            layout.stride.checked_mul(vectors.checked_sub(1)?)?.checked_add(last)
        }
        SpirvType::Array { element, length, stride } => {
            let before_last = (*stride)?.checked_mul(length.checked_sub(1)?)?;
            before_last.checked_add(data_end(types, *element, matrix)?)
        }
        SpirvType::Struct(members) => {
            let ends =
                members.iter().map(|member| member.offset?.checked_add(data_end(types, member.ty, member.matrix)?));
            ends.collect::<Option<Vec<_>>>().map(|ends| ends.into_iter().max().unwrap_or(0))
        }
        _ => None,
    }
}

/// The arrays that are elements of arrays.
fn inner_arrays(types: &SpirvTypes, tested: &BTreeSet<Word>) -> BTreeSet<Word> {
    let reached = tested.iter().filter_map(|id| match types.get(*id) {
        SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. } => Some(*element),
        _ => None,
    });
    reached.filter(|element| is_array(types.get(*element))).collect()
}

/// The types of all parts of the blocks under test, without types that output and input share.
fn tested_types(types: &SpirvTypes, blocks: &BTreeSet<Word>) -> BTreeSet<Word> {
    let tested = tested_variables(types);
    let is_tested = |variable: &&SpirvVariable| tested.iter().any(|other| std::ptr::eq(*other, *variable));
    let others = types.variables.values().filter(|variable| !is_tested(variable));
    let others = reachable(types, others.map(|variable| variable.pointee).collect());
    let tested = reachable(types, blocks.iter().copied().collect());
    tested.difference(&others).copied().collect()
}

/// The block of a variable under test: its content, an element of that, or the pointee of its only
/// member; `None` behind a pointer without a type.
fn tested_block(types: &SpirvTypes, variable: &SpirvVariable) -> Option<Word> {
    let held = variable.pointee;
    let members = match types.get(held) {
        // An array of descriptors has no stride.
        SpirvType::Array { element, stride: None, .. } => return Some(*element),
        SpirvType::Struct(members) => members,
        _ => return Some(held),
    };
    let [member] = &members[..] else { return Some(held) };
    match types.get(member.ty) {
        SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee, .. } => Some(*pointee),
        SpirvType::UntypedPointer { .. } => None,
        _ => Some(held),
    }
}

/// The type of the pointer to the block, if that is at an address.
fn pointer_to_block(types: &SpirvTypes, variable: &SpirvVariable) -> Option<Word> {
    let SpirvType::Struct(members) = types.get(variable.pointee) else { return None };
    let [member] = &members[..] else { return None };
    matches!(types.get(member.ty), SpirvType::Pointer { .. }).then_some(member.ty)
}

fn reachable(types: &SpirvTypes, mut open: Vec<Word>) -> BTreeSet<Word> {
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(types.parts(id));
        }
    }
    seen
}
