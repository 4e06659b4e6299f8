//! A module that the model can run: its types, its functions and its entry points.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, Op, Word};
use rustc_hash::FxHashMap;

use super::model_error::ModelError;
use layoutproof_device::{RecordStage, Stage};
use layoutproof_readers::spirv::types::{SpirvType, SpirvTypes};
use layoutproof_readers::spirv::{Operands, load};

/// A module, ready to run any of its entry points.
#[derive(Debug)]
pub(super) struct ModelProgram {
    pub(super) module: Module,
    pub(super) types: SpirvTypes,
    /// Index into the module's functions, by id.
    functions: BTreeMap<Word, usize>,
    /// Lengths of the arrays that specialization constants size, without a value from the job.
    default_lengths: FxHashMap<Word, u32>,
    /// `SpecId` of each specialization constant that has one, by id.
    spec_ids: BTreeMap<Word, u32>,
    result_types: FxHashMap<Word, Word>,
}

impl ModelProgram {
    /// Reads a module. `specialized` has the values of specialization constants, by `SpecId`.
    pub(super) fn new(words: &[u32], specialized: &BTreeMap<u32, u32>) -> Result<Self, ModelError> {
        let mut module = load(words)?;
        let spec_ids: BTreeMap<Word, u32> = module.annotations.iter().filter_map(spec_id).collect();
        let default_lengths = default_lengths(&module, &spec_ids);
        for constant in &mut module.types_global_values {
            let given = constant.result_id.and_then(|id| specialized.get(spec_ids.get(&id)?));
            if let (Op::SpecConstant, Some(Operand::LiteralBit32(value)), Some(given)) =
                (constant.class.opcode, constant.operands.first_mut(), given)
            {
                *value = *given;
            }
        }
        let types = SpirvTypes::read(&module)?;
        let ids = module.functions.iter().enumerate().filter_map(|(index, function)| Some((function.def_id()?, index)));
        let functions: BTreeMap<Word, usize> = ids.collect();
        let instructions = module.all_inst_iter();
        let result_types = instructions.filter_map(|it| Some((it.result_id?, it.result_type?))).collect();
        Ok(Self { module, types, functions, default_lengths, spec_ids, result_types })
    }

    /// The types of blocks that code finds in descriptor heaps.
    pub(super) fn heap_blocks(&self) -> BTreeSet<Word> {
        let found = self.module.all_inst_iter().filter(|instruction| instruction.class.opcode == Op::BufferPointerEXT);
        let pointees = found.filter_map(|instruction| match self.types.get(instruction.result_type?) {
            SpirvType::Pointer { pointee, .. } => Some(*pointee),
            _ => None,
        });
        pointees.collect()
    }

    /// The length of an array without a value from the job, if a specialization constant sizes it.
    pub(super) fn default_length(&self, array: Word) -> Option<u32> {
        self.default_lengths.get(&array).copied()
    }

    pub(super) fn spec_id(&self, id: Word) -> Option<u32> {
        self.spec_ids.get(&id).copied()
    }

    pub(super) fn result_type(&self, id: Word) -> Option<Word> {
        self.result_types.get(&id).copied()
    }

    pub(super) fn function(&self, id: Word) -> Result<&Function, ModelError> {
        let index = self.functions.get(&id).ok_or(ModelError::Id { id, problem: "is no function" })?;
        Ok(&self.module.functions[*index])
    }

    /// The function of the entry point `name` of a stage, and the size of its workgroup in x, y, z
    /// (one invocation for stages without workgroups).
    pub(super) fn entry_point(&self, stage: Stage, name: &str) -> Result<(Word, [u32; 3]), ModelError> {
        let executed = match stage {
            Stage::Compute => ExecutionModel::GLCompute,
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::RayGeneration => ExecutionModel::RayGenerationKHR,
            Stage::Record(RecordStage::Callable) => ExecutionModel::CallableKHR,
            Stage::Record(RecordStage::Miss) => ExecutionModel::MissKHR,
            Stage::Record(RecordStage::ClosestHit) => ExecutionModel::ClosestHitKHR,
            Stage::Record(RecordStage::AnyHit) => ExecutionModel::AnyHitKHR,
            Stage::Record(RecordStage::Intersection) => ExecutionModel::IntersectionKHR,
        };

        let function = self.module.entry_points.iter().find_map(|instruction| match &instruction.operands[..] {
            [Operand::ExecutionModel(of), Operand::IdRef(function), Operand::LiteralString(found), ..]
                if *of == executed && found == name =>
            {
                Some(*function)
            }
            _ => None,
        });
        let function = function.ok_or_else(|| ModelError::NoEntry { stage, name: name.to_owned() })?;

        let modes = self.module.execution_modes.iter().filter(|mode| Operands(mode).id(0) == Some(function));
        let mut size = [1; 3];
        for mode in modes {
            let is_local_size = mode.class.opcode == Op::ExecutionMode
                && mode.operands.get(1) == Some(&Operand::ExecutionMode(ExecutionMode::LocalSize));
            if is_local_size {
                size = [2, 3, 4].map(|index| Operands(mode).number(index).unwrap_or(1));
            }
        }
        Ok((function, size))
    }
}

/// The default lengths of the arrays that specialization constants size.
fn default_lengths(module: &Module, spec_ids: &BTreeMap<Word, u32>) -> FxHashMap<Word, u32> {
    let globals = || module.types_global_values.iter();
    let default = |id: Word| {
        let constant = globals().find(|global| global.result_id == Some(id))?;
        Operands(constant).number(0)
    };
    let arrays = globals().filter(|global| global.class.opcode == Op::TypeArray);
    let sized = arrays.filter_map(|array| {
        let length = Operands(array).id(1).filter(|length| spec_ids.contains_key(length))?;
        Some((array.result_id?, default(length)?))
    });
    sized.collect()
}

/// The specialization constant and `SpecId` in a decoration.
fn spec_id(decoration: &Instruction) -> Option<(Word, u32)> {
    match &decoration.operands[..] {
        [Operand::IdRef(id), Operand::Decoration(Decoration::SpecId), Operand::LiteralBit32(spec_id)] => {
            Some((*id, *spec_id))
        }
        _ => None,
    }
}
