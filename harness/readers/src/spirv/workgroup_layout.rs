//! Leaves out the explicit layout of memory that a workgroup shares.
//!
//! naga 30 gives each array its stride, also where no memory outside of the workgroup has its type. Vulkan forbids that
//! (VUID-StandaloneSpirv-None-10684), and nothing depends on it: the driver lays such memory out.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};

use super::load::load;

/// The module without the strides and offsets of types that only workgroups' memory has; `None` if there are none, or the
/// module cannot be read.
pub fn without_workgroup_layout(words: &[Word]) -> Option<Vec<Word>> {
    let mut module = load(words).ok()?;
    let types: BTreeMap<Word, &Instruction> =
        module.types_global_values.iter().filter_map(|it| Some((it.result_id?, it))).collect();
    let (mut of_workgroups, mut of_others) = (BTreeSet::new(), BTreeSet::new());
    for pointer in types.values().filter(|it| it.class.opcode == Op::TypePointer) {
        let [Operand::StorageClass(class), Operand::IdRef(pointee)] = pointer.operands[..] else { continue };
        match class {
            StorageClass::Workgroup => reach(pointee, &types, &mut of_workgroups),
            StorageClass::Function | StorageClass::Private | StorageClass::Input | StorageClass::Output => {}
            _ => reach(pointee, &types, &mut of_others),
        }
    }
    let is_of_workgroups = |id: Word| of_workgroups.contains(&id) && !of_others.contains(&id);
    let is_layout = |decoration: Decoration| {
        use Decoration::{ArrayStride, ColMajor, MatrixStride, Offset, RowMajor};
        matches!(decoration, ArrayStride | ColMajor | MatrixStride | Offset | RowMajor)
    };
    let before = module.annotations.len();
    module.annotations.retain(|annotation| match annotation.operands[..] {
        [Operand::IdRef(target), Operand::Decoration(decoration), ..]
        | [Operand::IdRef(target), Operand::LiteralBit32(_), Operand::Decoration(decoration), ..] => {
            !(is_of_workgroups(target) && is_layout(decoration))
        }
        _ => true,
    });
    (module.annotations.len() < before).then(|| module.assemble())
}

/// Adds a type and those in it.
fn reach(ty: Word, types: &BTreeMap<Word, &Instruction>, found: &mut BTreeSet<Word>) {
    let mut waiting = vec![ty];
    while let Some(ty) = waiting.pop() {
        let Some(declared) = types.get(&ty) else { continue };
        // What a pointer leads to is other memory.
        if found.insert(ty) && declared.class.opcode != Op::TypePointer {
            waiting.extend(declared.operands.iter().filter_map(Operand::id_ref_any));
        }
    }
}
