//! Declares the variables that the code of entry points uses, by their space and direction.
//!
//! Every space has its own variable of the block's type, and a second one for entry points that
//! write it; all of them are at set 0 binding 0. For arrays of buffers the variable is the array.
//! For a block at an address the variable is the push constants, or the shader record, with the address.
//! A block in a shader record has no binding, and for one in a descriptor heap the variable is the heap. Code with untyped
//! pointers has variables of its own.

use std::collections::BTreeMap;
use std::rc::Rc;

use layoutproof_layout::shape::Count;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};

use super::access::{Chain, OPEN, SpirvPlace};
use super::block::{SpirvField, SpirvNode};
use super::body::{CopyPlace, SpirvInterface};
use super::buffers::{BlockStorage, bind, word_block, word_buffer};
use super::input_place::InputPlace;
use super::kind::ScalarKind;
use super::types::{ArrayLengths, EmittedType, TypeEmitter};
use super::workgroup::SharedWords;
use layoutproof_probes::{AddressSpace, Direction, Form, Interface, ProbeEntry};

/// The variables of a module. Each is declared when the first entry point needs it.
pub(super) struct InterfaceVariables<'a> {
    block_name: &'a str,
    node: &'a SpirvNode,
    block: Rc<EmittedType>,
    output: SpirvPlace,
    input: InputPlace,
    blocks: BTreeMap<(AddressSpace, Direction, Declaration), SpirvPlace>,
    /// The variable with the block's address.
    addresses: BTreeMap<Declaration, Word>,
    copy: Option<CopyType>,
    /// The type of words for the memory of a block that has no other layout.
    other_words: Option<Word>,
    copies: BTreeMap<Direction, Word>,
    shared: BTreeMap<Direction, SharedWords>,
    lane: Option<Word>,
}

/// The declaration of the memory that holds the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Declaration {
    /// With the block's type, for typed pointers.
    Typed,
    /// With the block's type, for untyped pointers.
    Untyped,
    /// With another type, for untyped pointers.
    Retyped,
}

impl Declaration {
    fn of_entry(entry: &ProbeEntry) -> Self {
        if entry.forms.iter().any(|form| matches!(form, Form::Retyped | Form::UntypedLength)) {
            Self::Retyped
        } else if entry.is_untyped() {
            Self::Untyped
        } else {
            Self::Typed
        }
    }
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
            addresses: BTreeMap::new(),
            copy: None,
            other_words: None,
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
    ///
    /// `words` is the size of the block in workgroup memory or in push constants; other spaces do not need it.
    pub(super) fn of_entry(&mut self, types: &mut TypeEmitter, entry: &ProbeEntry, words: u32) -> SpirvInterface {
        let has = |form| entry.forms.contains(&form);
        let in_workgroup = entry.space == AddressSpace::Workgroup;
        let declaration = Declaration::of_entry(entry);
        let is_at_address = entry.space == AddressSpace::Address;
        SpirvInterface {
            block: self.block_place(types, entry, declaration, words),
            address: is_at_address.then(|| self.address_type(types, declaration)),
            heap: types.heap_place(entry.space, self.block.id),
            output: self.output.clone(),
            input: self.input.clone(),
            copy: if has(Form::Copied) { self.copy_place(types, entry.direction) } else { None },
            private: has(Form::Private).then(|| types.variable_of(self.node, StorageClass::Private)),
            local: None,
            workgroup: types.workgroup_copy(self.node, entry),
            lane: has(Form::Divergent).then(|| *self.lane.get_or_insert_with(|| types.lane())),
            shared: in_workgroup.then(|| self.shared_words(types, entry.direction, words)),
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
        let place = SpirvPlace::typed(pointer, StorageClass::StorageBuffer, copy.ty);
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
    fn block_place(
        &mut self,
        types: &mut TypeEmitter,
        entry: &ProbeEntry,
        declaration: Declaration,
        words: u32,
    ) -> SpirvPlace {
        let (space, direction) = (entry.space, entry.direction);
        if let Some(place) = self.blocks.get(&(space, direction, declaration)) {
            return place.clone();
        }

        let BlockStorage { class, element } = BlockStorage::of_space(space);
        let is_untyped = declaration != Declaration::Typed;

        let variable = match space {
            AddressSpace::Address => self.address_variable(types, declaration),
            AddressSpace::HeapUniform | AddressSpace::HeapStorage => types.heap_variable(),
            AddressSpace::Workgroup if declaration == Declaration::Retyped => {
                self.shared_words(types, direction, words).words.pointer
            }
            _ if is_untyped => {
                let data = match (space, declaration) {
                    (AddressSpace::PushConstant, Declaration::Retyped) => {
                        word_block(types, "push_words", Count::Finite(words)).id
                    }
                    (_, Declaration::Retyped) => self.other_type(types),
                    (_, Declaration::Typed | Declaration::Untyped) => self.block.id,
                };
                let variable = match (declaration, direction) {
                    // An access chain may leave a typed pointer, too.
                    (Declaration::Retyped, Direction::Write) => types.block_variable(class, data, element),
                    _ => types.untyped_variable(class, data),
                };
                types.builder.name(variable, self.name_as(declaration));
                variable
            }
            AddressSpace::Uniform
            | AddressSpace::UniformElement
            | AddressSpace::InlineUniform
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
            (
                AddressSpace::PushConstant
                | AddressSpace::Address
                | AddressSpace::ShaderRecord
                | AddressSpace::HeapUniform
                | AddressSpace::HeapStorage,
                _,
            ) => {}
            // The words already are.
            (AddressSpace::Workgroup, _) if declaration == Declaration::Retyped => {}
            (AddressSpace::Workgroup, _) => types.builder.decorate(variable, Decoration::Aliased, []),
            (AddressSpace::Storage | AddressSpace::StorageElement, Direction::Read) => {
                bind(types, variable, 0);
                types.builder.decorate(variable, Decoration::NonWritable, []);
            }
            (AddressSpace::Uniform | AddressSpace::UniformElement | AddressSpace::InlineUniform, _)
            | (AddressSpace::Storage | AddressSpace::StorageElement, Direction::Write) => {
                bind(types, variable, 0);
            }
        }

        let outer = element.into_iter().collect();
        let chain = match declaration {
            Declaration::Typed if space == AddressSpace::Address && self.element_stride().is_some() => Chain::Elements,
            Declaration::Typed => Chain::Typed,
            Declaration::Untyped | Declaration::Retyped => Chain::Untyped,
        };
        let place = SpirvPlace { pointer: variable, class, outer, ty: Rc::clone(&self.block), chain };
        self.blocks.insert((space, direction, declaration), place.clone());
        place
    }

    fn name_as(&self, declaration: Declaration) -> String {
        match declaration {
            Declaration::Typed | Declaration::Untyped => self.block_name.to_owned(),
            Declaration::Retyped => format!("{}_retyped", self.block_name),
        }
    }

    /// Returns a type for the block's memory that is not the block's: the block in the other layout, or
    /// words if an array without an end keeps it from having one.
    fn other_type(&mut self, types: &mut TypeEmitter) -> Word {
        match &self.copy {
            Some(copy) => copy.ty.id,
            None => *self.other_words.get_or_insert_with(|| word_block(types, "other_words", Count::Unbounded).id),
        }
    }

    /// Returns the variables through which an entry point fills workgroup memory.
    fn shared_words(&mut self, types: &mut TypeEmitter, direction: Direction, count: u32) -> SharedWords {
        self.shared.entry(direction).or_insert_with(|| SharedWords::declare(types, direction, count)).clone()
    }

    /// Returns the variable with the block's address. Entry points share it, since each may use only one
    /// for push constants.
    fn address_variable(&mut self, types: &mut TypeEmitter, declaration: Declaration) -> Word {
        let pointer = self.address_type(types, declaration);
        let stride = self.element_stride();
        *self.addresses.entry(declaration).or_insert_with(|| {
            if let (Declaration::Typed, Some(stride)) = (declaration, stride) {
                types.builder.decorate(pointer, Decoration::ArrayStride, [Operand::LiteralBit32(stride)]);
            }
            types.address_variable(pointer)
        })
    }

    /// Returns the type of the pointer to a block at an address, or to its elements.
    fn address_type(&mut self, types: &mut TypeEmitter, declaration: Declaration) -> Word {
        let class = StorageClass::PhysicalStorageBuffer;
        match declaration {
            Declaration::Typed if self.element_stride().is_some() => types.pointer(class, self.block.elements().id),
            Declaration::Typed => types.pointer(class, self.block.id),
            Declaration::Untyped => types.untyped_pointer(class),
            Declaration::Retyped => {
                let other = self.other_type(types);
                types.pointer(class, other)
            }
        }
    }

    /// Returns the stride of the block's elements, if it is nothing but an array without a length.
    fn element_stride(&self) -> Option<u32> {
        let SpirvNode::Struct { fields, .. } = self.node else { return None };
        match fields.as_slice() {
            [SpirvField { offset: 0, node: SpirvNode::Array { count: Count::Unbounded, stride, .. }, .. }] => {
                Some(*stride)
            }
            _ => None,
        }
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

    /// Declares a variable that untyped pointers lead to, with the data type `data`.
    fn untyped_variable(&mut self, class: StorageClass, data: Word) -> Word {
        let ty = self.untyped_pointer(class);
        let id = self.builder.id();
        let operands = vec![Operand::StorageClass(class), Operand::IdRef(data)];
        // The builder's own method writes into a function.
        let variable = Instruction::new(Op::UntypedVariableKHR, Some(ty), Some(id), operands);
        self.builder.module_mut().types_global_values.push(variable);
        id
    }

    /// Declares the push constants or the shader record with an address as a pointer of type `pointer`.
    fn address_variable(&mut self, pointer: Word) -> Word {
        let builder = &mut self.builder;
        let id = builder.id();
        let holder = builder.type_struct_id(Some(id), [pointer]);
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

    /// Loads the pointer of type `pointer` from the variable that holds it, in the open function.
    pub(super) fn load_address(&mut self, variable: Word, pointer: Word) -> Word {
        let member = self.pointer(self.holder, pointer);
        let zero = self.constant(0);
        let member = self.builder.access_chain(member, None, variable, [zero]).expect(OPEN);
        self.builder.load(pointer, None, member, None, []).expect(OPEN)
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
        SpirvPlace::typed(pointer, class, Rc::new(ty))
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
