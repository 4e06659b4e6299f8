//! The decorations and names of a module, by the id that they belong to.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Module, Operand};
use rspirv::spirv::{Decoration, Op, Word};

use super::load::{BadModule, Operands, load};

type DecorationList = Vec<(Decoration, Option<u32>)>;

/// Decorations with the first number of each, and names.
#[derive(Debug, Default)]
pub(super) struct Decorations {
    of: BTreeMap<Word, DecorationList>,
    of_member: BTreeMap<(Word, u32), DecorationList>,
    names: BTreeMap<Word, String>,
    member_names: BTreeMap<(Word, u32), String>,
}

/// The names of a module's structs; each comes after those of its members.
///
/// # Errors
/// The words are no module.
pub fn struct_names(words: &[u32]) -> Result<Vec<String>, BadModule> {
    let module = load(words)?;
    let names = Decorations::read(&module).names;
    let structs = module.types_global_values.iter().filter(|instruction| instruction.class.opcode == Op::TypeStruct);
    Ok(structs.filter_map(|declared| names.get(&declared.result_id?).cloned()).collect())
}

impl Decorations {
    pub(super) fn read(module: &Module) -> Self {
        let mut all = Self::default();
        for instruction in module.annotations.iter().chain(&module.debug_names) {
            let ops = Operands(instruction);
            let Some(target) = ops.id(0) else { continue };

            match (instruction.class.opcode, &instruction.operands[1..]) {
                (Op::Decorate, [Operand::Decoration(decoration), rest @ ..]) => {
                    all.of.entry(target).or_default().push((*decoration, first_number(rest)));
                }
                (Op::MemberDecorate, [Operand::LiteralBit32(member), Operand::Decoration(decoration), rest @ ..]) => {
                    let decorated = all.of_member.entry((target, *member)).or_default();
                    decorated.push((*decoration, first_number(rest)));
                }
                (Op::Name, [Operand::LiteralString(name), ..]) => {
                    all.names.insert(target, name.clone());
                }
                (Op::MemberName, [Operand::LiteralBit32(member), Operand::LiteralString(name), ..]) => {
                    all.member_names.insert((target, *member), name.clone());
                }
                _ => {}
            }
        }
        all.add_groups(module);
        all
    }

    /// Applies the decorations of groups to their members.
    ///
    /// Source: SPIR-V specification, `OpDecorationGroup`, which is deprecated and still valid.
    fn add_groups(&mut self, module: &Module) {
        for instruction in &module.annotations {
            let ops = Operands(instruction);
            let Some(group) = ops.id(0).and_then(|group| self.of.get(&group)).cloned() else { continue };
            match instruction.class.opcode {
                Op::GroupDecorate => {
                    for target in (1..instruction.operands.len()).filter_map(|index| ops.id(index)) {
                        self.of.entry(target).or_default().extend(group.iter().copied());
                    }
                }
                Op::GroupMemberDecorate => {
                    for index in (1..instruction.operands.len()).step_by(2) {
                        if let (Some(target), Some(member)) = (ops.id(index), ops.number(index + 1)) {
                            self.of_member.entry((target, member)).or_default().extend(group.iter().copied());
                        }
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn decorated(&self, decoration: Decoration) -> BTreeSet<Word> {
        self.of.iter().filter(|(_, all)| has(all, decoration)).map(|(id, _)| *id).collect()
    }

    pub(super) fn number(&self, id: Word, decoration: Decoration) -> Option<u32> {
        number(self.of.get(&id)?, decoration)
    }

    pub(super) fn has(&self, id: Word, decoration: Decoration) -> bool {
        self.of.get(&id).is_some_and(|all| has(all, decoration))
    }

    pub(super) fn names(&self) -> &BTreeMap<Word, String> {
        &self.names
    }

    /// The name of an id; `None` for an empty one.
    pub(super) fn name(&self, id: Word) -> Option<&String> {
        self.names.get(&id).filter(|name| !name.is_empty())
    }

    pub(super) fn member_number(&self, id: Word, index: u32, decoration: Decoration) -> Option<u32> {
        number(self.of_member.get(&(id, index))?, decoration)
    }

    pub(super) fn member_has(&self, id: Word, index: u32, decoration: Decoration) -> bool {
        self.of_member.get(&(id, index)).is_some_and(|all| has(all, decoration))
    }

    /// The name of a member; `None` for an empty one.
    pub(super) fn member_name(&self, id: Word, index: u32) -> Option<&String> {
        self.member_names.get(&(id, index)).filter(|name| !name.is_empty())
    }
}

fn has(decorated: &DecorationList, decoration: Decoration) -> bool {
    decorated.iter().any(|(found, _)| *found == decoration)
}

fn number(decorated: &DecorationList, decoration: Decoration) -> Option<u32> {
    decorated.iter().find(|(found, _)| *found == decoration)?.1
}

fn first_number(operands: &[Operand]) -> Option<u32> {
    match operands.first()? {
        Operand::LiteralBit32(number) => Some(*number),
        Operand::BuiltIn(builtin) => Some(*builtin as u32),
        _ => None,
    }
}
