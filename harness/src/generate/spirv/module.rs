//! A module with its types, its variables and its entry points.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rspirv::dr::Operand;
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel,
    StorageClass, Word,
};

use super::block::{self, Node, Way};
use super::body::{Body, Copied, Interface, Place};
use super::kind::Kind;
use super::needs::Need;
use super::types::{Typed, Types};
use crate::generate::ProduceError;
use crate::probe::{LANES, ProbeEntry, Wiring};
use crate::record::{Direction, Form, Space};
use crate::shape::Count;

/// A module under construction: the block's type, the two other buffers and the block's variables.
pub(super) struct Module<'a> {
    pub(super) types: Types,
    block_name: &'a str,
    block: Rc<Typed>,
    output: Place,
    input: Place,
    blocks: BTreeMap<(Space, Direction), Place>,
    copy: Option<CopyType>,
    copies: BTreeMap<Direction, Word>,
    lane: Option<Word>,
}

/// The type of the block in the other layout.
#[derive(Clone)]
struct CopyType {
    ty: Rc<Typed>,
    /// The indices to each leaf, in the order of the plan.
    leaves: Rc<Vec<Vec<u32>>>,
}

const NO_FUNCTION: &str = "no function is open between entries";

impl<'a> Module<'a> {
    pub(super) fn new(block: &Node, block_name: &'a str, needs: &[Need]) -> Self {
        let mut types = Types::new();
        types.builder.set_version(1, 3);
        types.builder.capability(Capability::Shader);
        for need in needs {
            types.builder.capability(need.capability);
        }
        let extensions: BTreeSet<&str> = needs.iter().filter_map(|need| need.extension).collect();
        for extension in extensions {
            types.builder.extension(extension);
        }
        types.builder.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
        let block = Rc::new(types.emit(block));
        types.builder.decorate(block.id, Decoration::Block, []);
        let output = word_buffer(&mut types, "output", 1);
        let input = word_buffer(&mut types, "input", 2);
        types.builder.decorate(input.variable, Decoration::NonWritable, []);
        let (blocks, copies) = (BTreeMap::new(), BTreeMap::new());
        Self { types, block_name, block, output, input, blocks, copy: None, copies, lane: None }
    }

    /// The type of the block in the other layout; `leaves` are the indices to each leaf in it.
    pub(super) fn add_copy(&mut self, node: &Node, leaves: Vec<Vec<u32>>) {
        let ty = self.types.emit(node);
        self.types.builder.decorate(ty.id, Decoration::Block, []);
        self.copy = Some(CopyType { ty: Rc::new(ty), leaves: Rc::new(leaves) });
    }

    pub(super) fn write_entry(
        &mut self,
        entry: &ProbeEntry,
        leaves: &[Way],
        wiring: &Wiring,
    ) -> Result<(), ProduceError> {
        let mut interface = self.interface(entry);
        if entry.forms.contains(&Form::Parameter) {
            interface.function = Some(self.write_function(entry, (&interface, leaves, wiring)));
        }
        let void = self.types.builder.type_void();
        let signature = self.types.builder.type_function(void, []);
        let builder = &mut self.types.builder;
        let function = builder.begin_function(void, None, FunctionControl::NONE, signature).expect(NO_FUNCTION);
        builder.begin_block(None).expect("a function was just begun");
        let lane = interface.lane;
        let mut body = Body { types: &mut self.types, interface, leaves, wiring };
        body.store_nonce();
        let written = entry.forms.iter().try_for_each(|form| match entry.direction {
            Direction::Read => body.read(*form),
            Direction::Write => body.write(*form),
        });
        written.map_err(|_| ProduceError::PartlyProbed { entry: entry.name.clone() })?;
        let builder = &mut self.types.builder;
        builder.ret().expect("the block is open");
        builder.end_function().expect("the function is open");
        builder.name(function, &*entry.name);
        // Before SPIR-V 1.4 an interface lists inputs and outputs only.
        builder.entry_point(ExecutionModel::GLCompute, function, &*entry.name, lane.as_slice());
        let lanes = if lane.is_some() { LANES } else { 1 };
        builder.execution_mode(function, ExecutionMode::LocalSize, [lanes, 1, 1]);
        Ok(())
    }

    fn interface(&mut self, entry: &ProbeEntry) -> Interface {
        let has = |form| entry.forms.contains(&form);
        Interface {
            block: self.block_place(entry.space, entry.direction),
            output: self.output.clone(),
            input: self.input.clone(),
            copy: if has(Form::Copied) { self.copy_place(entry.direction) } else { None },
            lane: has(Form::Divergent).then(|| self.lane()),
            function: None,
        }
    }

    /// The function that takes the block by value and stores its parts.
    fn write_function(
        &mut self,
        entry: &ProbeEntry,
        (interface, leaves, wiring): (&Interface, &[Way], &Wiring),
    ) -> Word {
        let void = self.types.builder.type_void();
        let signature = self.types.builder.type_function(void, [self.block.id]);
        let builder = &mut self.types.builder;
        let function = builder.begin_function(void, None, FunctionControl::NONE, signature).expect(NO_FUNCTION);
        let block = builder.function_parameter(self.block.id).expect("a function was just begun");
        builder.begin_block(None).expect("a function was just begun");
        builder.name(function, format!("{}_parameter", entry.name));
        let mut body = Body { types: &mut self.types, interface: interface.clone(), leaves, wiring };
        body.store_parts(Form::Parameter, block);
        let builder = &mut self.types.builder;
        builder.ret().expect("the block is open");
        builder.end_function().expect("the function is open");
        function
    }

    /// The variable with the index of the invocation.
    fn lane(&mut self) -> Word {
        if let Some(lane) = self.lane {
            return lane;
        }
        let uint = self.types.scalar(Kind::WORD);
        let pointer = self.types.pointer(StorageClass::Input, uint);
        let builder = &mut self.types.builder;
        let lane = builder.variable(pointer, None, StorageClass::Input, None);
        builder.decorate(lane, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::LocalInvocationIndex)]);
        self.lane = Some(lane);
        lane
    }

    /// The variable of the block in the other layout, which probes that write only read.
    fn copy_place(&mut self, direction: Direction) -> Option<Copied> {
        let CopyType { ty, leaves } = self.copy.clone()?;
        let variable = match self.copies.get(&direction) {
            Some(variable) => *variable,
            None => self.copy_variable(direction, ty.id),
        };
        let class = StorageClass::StorageBuffer;
        Some(Copied { place: Place { variable, class, ty }, leaves })
    }

    fn copy_variable(&mut self, direction: Direction, ty: Word) -> Word {
        let class = StorageClass::StorageBuffer;
        let pointer = self.types.pointer(class, ty);
        let variable = self.types.builder.variable(pointer, None, class, None);
        bind(&mut self.types, variable, 3);
        match direction {
            Direction::Read => {}
            Direction::Write => self.types.builder.decorate(variable, Decoration::NonWritable, []),
        }
        self.types.builder.name(variable, "copy");
        self.copies.insert(direction, variable);
        variable
    }

    /// The block's variable in a space; entries that only read see a variable that nobody may write.
    fn block_place(&mut self, space: Space, direction: Direction) -> Place {
        if let Some(place) = self.blocks.get(&(space, direction)) {
            return place.clone();
        }
        let class = match space {
            Space::Uniform => StorageClass::Uniform,
            Space::Storage => StorageClass::StorageBuffer,
            Space::PushConstant => StorageClass::PushConstant,
        };
        let pointer = self.types.pointer(class, self.block.id);
        let builder = &mut self.types.builder;
        let variable = builder.variable(pointer, None, class, None);
        match (space, direction) {
            (Space::PushConstant, _) => {}
            (Space::Storage, Direction::Read) => {
                bind(&mut self.types, variable, 0);
                self.types.builder.decorate(variable, Decoration::NonWritable, []);
            }
            (Space::Uniform, _) | (Space::Storage, Direction::Write) => bind(&mut self.types, variable, 0),
        }
        self.types.builder.name(variable, self.block_name);
        let place = Place { variable, class, ty: Rc::clone(&self.block) };
        self.blocks.insert((space, direction), place.clone());
        place
    }
}

/// A storage buffer of `uint` at set 0.
fn word_buffer(types: &mut Types, name: &str, binding: u32) -> Place {
    let uint = Box::new(Node::Scalar(Kind::WORD));
    let words = Node::Array { element: uint, count: Count::Unbounded, stride: 4 };
    let words = block::Field { name: "words".into(), index: 0, offset: 0, node: words };
    let ty = types.emit(&Node::Struct { name: format!("{name}_block"), fields: vec![words] });
    types.builder.decorate(ty.id, Decoration::Block, []);
    let class = StorageClass::StorageBuffer;
    let pointer = types.pointer(class, ty.id);
    let variable = types.builder.variable(pointer, None, class, None);
    types.builder.name(variable, name);
    bind(types, variable, binding);
    Place { variable, class, ty: Rc::new(ty) }
}

fn bind(types: &mut Types, variable: Word, binding: u32) {
    types.builder.decorate(variable, Decoration::DescriptorSet, [Operand::LiteralBit32(0)]);
    types.builder.decorate(variable, Decoration::Binding, [Operand::LiteralBit32(binding)]);
}
