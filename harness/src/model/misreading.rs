//! Planted faults: each way in which a device can misread a block, so that the harness can prove it notices.
//!
//! Most change the decorations before the module runs, as a compiler or driver with the same mistake would; they leave
//! the probe's output and input alone. The rest disturb the run.

use std::collections::BTreeSet;

use rspirv::spirv::{StorageClass, Word};

use super::memory::Memory;
use crate::read_spirv::types::{SpirvMember, SpirvType, SpirvVariable, Types};

/// A fault of the model device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Misreading {
    /// The block starts 4 bytes late.
    Shifted,
    /// Array elements are 4 bytes apart.
    ArrayStrideFour,
    /// Array elements are 16 bytes apart.
    ArrayStrideSixteen,
    /// Matrix vectors are as far apart as their components are long.
    MatrixStrideTight,
    /// `RowMajor` and `ColMajor` are swapped.
    MajornessSwapped,
    /// The first two members of every struct have each other's offset.
    NeighboursSwapped,
    /// The first store to the block is lost.
    WriteLost,
    /// Every store to the block clears the word behind what it stores.
    PaddingTouched,
    /// The dispatch does nothing.
    Idle,
}

impl Misreading {
    /// All faults.
    pub const ALL: [Self; 9] = [
        Self::Shifted,
        Self::ArrayStrideFour,
        Self::ArrayStrideSixteen,
        Self::MatrixStrideTight,
        Self::MajornessSwapped,
        Self::NeighboursSwapped,
        Self::WriteLost,
        Self::PaddingTouched,
        Self::Idle,
    ];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shifted => "shifted",
            Self::ArrayStrideFour => "array-stride-four",
            Self::ArrayStrideSixteen => "array-stride-sixteen",
            Self::MatrixStrideTight => "matrix-stride-tight",
            Self::MajornessSwapped => "majorness-swapped",
            Self::NeighboursSwapped => "neighbours-swapped",
            Self::WriteLost => "write-lost",
            Self::PaddingTouched => "padding-touched",
            Self::Idle => "idle",
        }
    }

    /// Changes the layout of the blocks under test.
    pub(super) fn plant(self, types: &mut Types) {
        let tested = tested_types(types);
        if self == Self::Shifted {
            let blocks: Vec<Word> = types.variables.values().filter(|it| is_tested(it)).map(|it| it.pointee).collect();
            for block in blocks.into_iter().collect::<BTreeSet<_>>() {
                if let Some(SpirvType::Struct(members)) = types.get_mut(block) {
                    for member in members {
                        member.offset = member.offset.map(|offset| offset.saturating_add(4));
                    }
                }
            }
        }
        for id in tested {
            let tight = self.tight_strides(types, id);
            match types.get_mut(id) {
                Some(SpirvType::Array { stride, .. } | SpirvType::RuntimeArray { stride, .. }) => match self {
                    Self::ArrayStrideFour => *stride = Some(4),
                    Self::ArrayStrideSixteen => *stride = Some(16),
                    Self::Shifted
                    | Self::MatrixStrideTight
                    | Self::MajornessSwapped
                    | Self::NeighboursSwapped
                    | Self::WriteLost
                    | Self::PaddingTouched
                    | Self::Idle => {}
                },
                Some(SpirvType::Struct(members)) => self.change_members(members, &tight),
                _ => {}
            }
        }
    }

    fn change_members(self, members: &mut [SpirvMember], tight: &[u32]) {
        match self {
            Self::MajornessSwapped => {
                let matrices = members.iter_mut().filter_map(|member| member.matrix.as_mut());
                matrices.for_each(|matrix| matrix.row_major = !matrix.row_major);
            }
            Self::MatrixStrideTight => {
                for (member, tight) in members.iter_mut().zip(tight) {
                    member.matrix.iter_mut().for_each(|matrix| matrix.stride = *tight);
                }
            }
            Self::NeighboursSwapped => {
                if let [first, second, ..] = members {
                    std::mem::swap(&mut first.offset, &mut second.offset);
                }
            }
            Self::Shifted
            | Self::ArrayStrideFour
            | Self::ArrayStrideSixteen
            | Self::WriteLost
            | Self::PaddingTouched
            | Self::Idle => {}
        }
    }

    /// For each member of a struct the bytes of one vector of its matrices as they lie; 0 for other members.
    fn tight_strides(self, types: &Types, id: Word) -> Vec<u32> {
        match (self, types.get(id)) {
            (Self::MatrixStrideTight, SpirvType::Struct(members)) => {
                members.iter().map(|member| tight_stride(types, member)).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn tight_stride(types: &Types, member: &SpirvMember) -> u32 {
    let mut id = member.ty;
    while let SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. } = types.get(id) {
        id = *element;
    }
    match (types.get(id), member.matrix) {
        (SpirvType::Matrix { column, columns }, Some(matrix)) => match types.get(*column) {
            SpirvType::Vector { length, .. } => 4 * if matrix.row_major { *columns } else { *length },
            _ => 0,
        },
        _ => 0,
    }
}

/// Whether a variable is a block under test: not the probe's output, input or copy.
fn is_tested(variable: &SpirvVariable) -> bool {
    match variable.class {
        StorageClass::PushConstant => true,
        StorageClass::Uniform | StorageClass::StorageBuffer => is_block((variable.set, variable.binding)),
        _ => false,
    }
}

fn is_block(place: (Option<u32>, Option<u32>)) -> bool {
    !matches!(place, (Some(0), Some(1..=3)))
}

/// The types of all parts of the blocks under test, without those that output and input share.
fn tested_types(types: &Types) -> BTreeSet<Word> {
    let (tested, others): (Vec<_>, Vec<_>) = types.variables.values().partition(|variable| is_tested(variable));
    let others = reachable(types, others.into_iter().map(|variable| variable.pointee).collect());
    let tested = reachable(types, tested.into_iter().map(|variable| variable.pointee).collect());
    tested.difference(&others).copied().collect()
}

fn reachable(types: &Types, mut open: Vec<Word>) -> BTreeSet<Word> {
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(types.parts(id));
        }
    }
    seen
}

/// The part of a fault that shows while a module runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disturbance {
    misreading: Option<Misreading>,
    stores: u32,
}

impl Disturbance {
    pub(super) fn new(misreading: Option<Misreading>) -> Self {
        Self { misreading, stores: 0 }
    }

    /// Whether a store to `memory` is lost; counts the stores to the block.
    pub(super) fn loses_store(&mut self, memory: &Memory) -> bool {
        if is_block((Some(memory.set), Some(memory.binding))) {
            self.stores += 1;
            return self.misreading == Some(Misreading::WriteLost) && self.stores == 1;
        }
        false
    }

    /// What happens behind a store that ends at byte `end`.
    pub(super) fn after_store(self, memory: &mut Memory, end: u64) {
        if self.misreading == Some(Misreading::PaddingTouched) && is_block((Some(memory.set), Some(memory.binding))) {
            memory.clear_word(end);
        }
    }
}
