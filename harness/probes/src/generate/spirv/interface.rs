//! Declares the variables that the code of entry points uses, by their space and direction.
//!
//! Every space has its own variable of the block's type, and a second one for entry points that
//! write it; all of them are at set 0 binding 0. For arrays of buffers the variable is the array.
//! For a block at an address the variable is the push constants, or the shader record, with the address.
//! A block in a shader record has no binding.

use std::collections::BTreeMap;
use std::rc::Rc;

use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, StorageClass, Word};

use super::access::{OPEN, SpirvPlace};
use super::block::SpirvNode;
use super::body::{CopyPlace, SpirvInterface};
use super::buffers::{BlockStorage, bind, word_buffer};
use super::input_place::InputPlace;
use super::kind::ScalarKind;
use super::types::{ArrayLengths, EmittedType, TypeEmitter};
use super::workgroup::SharedWords;
use crate::{AddressSpace, Direction, Form, Interface, ProbeEntry};

/// The variables of a module. Each is declared when the first entry point needs it.
pub(super) struct InterfaceVariables<'a> {
    block_name: &'a str,
    node: &'a SpirvNode,
    block: Rc<EmittedType>,
    output: SpirvPlace,
    input: InputPlace,
    blocks: BTreeMap<(AddressSpace, Direction), SpirvPlace>,
    /// The variable with the block's address.
    address: Option<Word>,
    copy: Option<CopyType>,
    copies: BTreeMap<Direction, Word>,
    shared: BTreeMap<Direction, SharedWords>,
    lane: Option<Word>,
}

/// The type of the block in the other layout.
#[derive(Clone)]
struct CopyType {
    ty: Rc<EmittedType>,
    /// The indices to each leaf, in the order of the plan.
    leaves: Rc<Vec<Vec<u32>>>,
}

impl<'a> InterfaceVariables<'a> {
    /// Emits the block's type and declares output and input, which every entry point has.
    pub(super) fn new(types: &mut TypeEmitter, node: &'a SpirvNode, block_name: &'a str) -> Self {
        let block = Rc::new(types.emit(node));
        types.builder.decorate(block.id, Decoration::Block, []);

        let output = word_buffer(types, "output", 1);
        let input = InputPlace::new(types);

        Self {
            block_name,
            node,
            block,
            output,
            input,
            blocks: BTreeMap::new(),
            address: None,
            copy: None,
            copies: BTreeMap::new(),
            shared: BTreeMap::new(),
            lane: None,
        }
    }

    /// Emits the type of the block in the other layout. `leaves` are the indices to each leaf in
    /// it.
    pub(super) fn add_copy(&mut self, types: &mut TypeEmitter, node: &SpirvNode, leaves: Vec<Vec<u32>>) {
        let ty = types.emit(node);
        types.builder.decorate(ty.id, Decoration::Block, []);
        self.copy = Some(CopyType { ty: Rc::new(ty), leaves: Rc::new(leaves) });
    }

    /// Declares the variables that `entry` needs and that do not exist yet. Leaves out the function
    /// for [`Form::Parameter`] and the local variable for [`Form::Function`].
    /// A block in workgroup memory is a copy of `shared_words` words.
    pub(super) fn of_entry(
        &mut self,
        types: &mut TypeEmitter,
        entry: &ProbeEntry,
        shared_words: u32,
    ) -> SpirvInterface {
        let has = |form| entry.forms.contains(&form);
        let in_workgroup = entry.space == AddressSpace::Workgroup;
        SpirvInterface {
            block: self.block_place(types, entry.space, entry.direction),
            output: self.output.clone(),
            input: self.input.clone(),
            copy: if has(Form::Copied) { self.copy_place(types, entry.direction) } else { None },
            private: has(Form::Private).then(|| types.variable_of(self.node, StorageClass::Private)),
            local: None,
            workgroup: types.workgroup_copy(self.node, entry),
            lane: has(Form::Divergent).then(|| *self.lane.get_or_insert_with(|| types.lane())),
            shared: in_workgroup.then(|| self.shared_words(types, entry.direction, shared_words)),
            function: None,
        }
    }

    /// Declares a copy of the block in the open function, which must have no other instructions yet.
    pub(super) fn local(&self, types: &mut TypeEmitter) -> SpirvPlace {
        types.variable_of(self.node, StorageClass::Function)
    }

    /// Returns the variable of the block in the other layout. Probes that write only read from it.
    fn copy_place(&mut self, types: &mut TypeEmitter, direction: Direction) -> Option<CopyPlace> {
        let copy = self.copy.clone()?;
        let pointer = match self.copies.get(&direction) {
            Some(variable) => *variable,
            None => self.copy_variable(types, direction, copy.ty.id),
        };
        let place = SpirvPlace { pointer, class: StorageClass::StorageBuffer, outer: Vec::new(), ty: copy.ty };
        Some(CopyPlace { place, leaves: copy.leaves })
    }

    fn copy_variable(&mut self, types: &mut TypeEmitter, direction: Direction, ty: Word) -> Word {
        let class = StorageClass::StorageBuffer;
        let pointer = types.pointer(class, ty);
        let variable = types.builder.variable(pointer, None, class, None);
        bind(types, variable, 3);
        match direction {
            Direction::Read => {}
            Direction::Write => types.builder.decorate(variable, Decoration::NonWritable, []),
        }
        types.builder.name(variable, "copy");
        self.copies.insert(direction, variable);
        variable
    }

    /// Returns the block's variable in a space. Entry points that only read get a read-only
    /// variable.
    fn block_place(&mut self, types: &mut TypeEmitter, space: AddressSpace, direction: Direction) -> SpirvPlace {
        if let Some(place) = self.blocks.get(&(space, direction)) {
            return place.clone();
        }

        let BlockStorage { class, element } = BlockStorage::of_space(space);

        let variable = match space {
            AddressSpace::Address => self.address_variable(types),
            AddressSpace::Uniform
            | AddressSpace::UniformElement
            | AddressSpace::Storage
            | AddressSpace::StorageElement
            | AddressSpace::ShaderRecord
            | AddressSpace::PushConstant
            | AddressSpace::Workgroup => {
                let variable = types.block_variable(class, self.block.id, element);
                types.builder.name(variable, self.block_name);
                variable
            }
        };

        match (space, direction) {
            (AddressSpace::PushConstant | AddressSpace::Address | AddressSpace::ShaderRecord, _) => {}
            (AddressSpace::Workgroup, _) => types.builder.decorate(variable, Decoration::Aliased, []),
            (AddressSpace::Storage | AddressSpace::StorageElement, Direction::Read) => {
                bind(types, variable, 0);
                types.builder.decorate(variable, Decoration::NonWritable, []);
            }
            (AddressSpace::Uniform | AddressSpace::UniformElement, _)
            | (AddressSpace::Storage | AddressSpace::StorageElement, Direction::Write) => {
                bind(types, variable, 0);
            }
        }

        let outer = element.into_iter().collect();
        let place = SpirvPlace { pointer: variable, class, outer, ty: Rc::clone(&self.block) };
        self.blocks.insert((space, direction), place.clone());
        place
    }

    /// Returns the variables through which an entry point fills workgroup memory.
    fn shared_words(&mut self, types: &mut TypeEmitter, direction: Direction, count: u32) -> SharedWords {
        self.shared.entry(direction).or_insert_with(|| SharedWords::declare(types, direction, count)).clone()
    }

    /// Returns the variable with the block's address. All entry points share it, since a module may use
    /// only one for push constants.
    fn address_variable(&mut self, types: &mut TypeEmitter) -> Word {
        *self.address.get_or_insert_with(|| types.address_variable(self.block.id))
    }
}

impl TypeEmitter {
    /// Declares a variable of the block type `block`, or of an array of it that ends with
    /// `element`.
    pub(super) fn block_variable(&mut self, class: StorageClass, block: Word, element: Option<u32>) -> Word {
        let ty = match element {
            None => block,
            Some(element) => {
                let length = self.constant(element + 1);
                let id = self.builder.id();
                // No stride, since an array of descriptors occupies no memory itself.
                self.builder.type_array_id(Some(id), block, length)
            }
        };
        let pointer = self.pointer(class, ty);
        self.builder.variable(pointer, None, class, None)
    }

    /// Declares the push constants or the shader record with the address of a block of type `block`.
    pub(super) fn address_variable(&mut self, block: Word) -> Word {
        let member = self.pointer(StorageClass::PhysicalStorageBuffer, block);
        let builder = &mut self.builder;
        let id = builder.id();
        let holder = builder.type_struct_id(Some(id), [member]);
        builder.member_name(holder, 0, "address");
        let at = if self.holder == StorageClass::PushConstant { 0 } else { Interface::default().record.at };
        builder.member_decorate(holder, 0, Decoration::Offset, [Operand::LiteralBit32(at)]);
        builder.decorate(holder, Decoration::Block, []);

        let class = self.holder;
        let pointer = self.pointer(class, holder);
        let variable = self.builder.variable(pointer, None, class, None);
        self.builder.name(variable, "block_address");
        variable
    }

    /// Returns the block's place in the open function. For a block at an address, it first loads
    /// the pointer.
    pub(super) fn open_place(&mut self, place: SpirvPlace) -> SpirvPlace {
        if place.class != StorageClass::PhysicalStorageBuffer {
            return place;
        }

        let pointer = self.load_address(place.pointer, place.ty.id);
        SpirvPlace { pointer, ..place }
    }

    /// Loads the pointer to a block of type `block` from the variable that holds it.
    pub(super) fn load_address(&mut self, variable: Word, block: Word) -> Word {
        let block = self.pointer(StorageClass::PhysicalStorageBuffer, block);
        let member = self.pointer(self.holder, block);
        let zero = self.constant(0);
        let member = self.builder.access_chain(member, None, variable, [zero]).expect(OPEN);
        self.builder.load(block, None, member, None, []).expect(OPEN)
    }

    /// Declares a variable for a copy of a block, in memory without a layout.
    pub(super) fn variable_of(&mut self, block: &SpirvNode, class: StorageClass) -> SpirvPlace {
        self.sized_variable_of(block, class, ArrayLengths::Fixed)
    }

    /// Declares the variable for the copy in workgroup memory, if `entry` has one.
    pub(super) fn workgroup_copy(&mut self, block: &SpirvNode, entry: &ProbeEntry) -> Option<SpirvPlace> {
        let has = |form| entry.forms.contains(&form);
        let lengths = if has(Form::Sized) { ArrayLengths::Specialized } else { ArrayLengths::Fixed };
        let is_there = has(Form::Sized) || has(Form::Workgroup);
        is_there.then(|| self.sized_variable_of(block, StorageClass::Workgroup, lengths))
    }

    fn sized_variable_of(&mut self, block: &SpirvNode, class: StorageClass, lengths: ArrayLengths) -> SpirvPlace {
        let ty = self.emit_without_layout(block, lengths);
        let pointer = self.pointer(class, ty.id);
        let pointer = self.builder.variable(pointer, None, class, None);
        SpirvPlace { pointer, class, outer: Vec::new(), ty: Rc::new(ty) }
    }

    /// Declares a variable with the index of the invocation.
    pub(super) fn lane(&mut self) -> Word {
        let uint = self.scalar(ScalarKind::WORD);
        self.builtin(BuiltIn::LocalInvocationIndex, StorageClass::Input, uint)
    }

    /// Declares a built-in variable of a stage's input or output.
    pub(super) fn builtin(&mut self, builtin: BuiltIn, class: StorageClass, ty: Word) -> Word {
        let pointer = self.pointer(class, ty);
        let variable = self.builder.variable(pointer, None, class, None);
        self.builder.decorate(variable, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
        variable
    }
}
