//! A module with its types and its entry points.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rspirv::spirv::{AddressingModel, Capability, Decoration, FunctionControl, MemoryModel, Word};

use super::access::SpirvPlace;
use super::block::{SpirvNode, Way};
use super::body::{AnswerMode, BodyWriter, SpirvInterface};
use super::interface::word_buffer;
use super::needs::Need;
use super::stages::PointOutputs;
use super::types::{EmittedType, TypeEmitter};
use crate::generate::ProduceError;
use crate::probe::{AddressSpace, Direction, Form, Stage};
use crate::probe::{ProbeEntry, Wiring};

/// A module under construction: the block's type, the two other buffers and the block's variables.
pub(super) struct ModuleWriter<'a> {
    pub(super) types: TypeEmitter,
    pub(super) block_name: &'a str,
    pub(super) node: &'a SpirvNode,
    pub(super) block: Rc<EmittedType>,
    pub(super) output: SpirvPlace,
    pub(super) input: SpirvPlace,
    pub(super) blocks: BTreeMap<(AddressSpace, Direction), SpirvPlace>,
    /// The push constants with the block's address.
    pub(super) address: Option<Word>,
    pub(super) copy: Option<CopyType>,
    pub(super) copies: BTreeMap<Direction, Word>,
    pub(super) lane: Option<Word>,
    pub(super) point: Option<PointOutputs>,
    /// Those of the entry points so far.
    pub(super) stages: BTreeSet<Stage>,
}

/// The type of the block in the other layout.
#[derive(Clone)]
pub(super) struct CopyType {
    pub(super) ty: Rc<EmittedType>,
    /// The indices to each leaf, in the order of the plan.
    pub(super) leaves: Rc<Vec<Vec<u32>>>,
}

/// An empty module with what `needs` ask for; `has_addresses` says whether any entry point goes through an address.
pub(super) fn begin(needs: &[Need], has_addresses: bool) -> TypeEmitter {
    let mut types = TypeEmitter::new();
    types.builder.set_version(1, 3);
    types.builder.capability(Capability::Shader);
    for need in needs {
        types.builder.capability(need.capability);
    }

    let mut extensions: BTreeSet<&str> = needs.iter().filter_map(|need| need.extension).collect();
    let mut addressing = AddressingModel::Logical;
    if has_addresses {
        types.builder.capability(Capability::PhysicalStorageBufferAddresses);
        extensions.insert("SPV_KHR_physical_storage_buffer");
        addressing = AddressingModel::PhysicalStorageBuffer64;
    }

    for extension in extensions {
        types.builder.extension(extension);
    }
    types.builder.memory_model(addressing, MemoryModel::GLSL450);
    types
}

pub(super) const NO_FUNCTION: &str = "no function is open between entries";

impl<'a> ModuleWriter<'a> {
    /// A module without entry points, which begins as [`begin`] says.
    pub(super) fn new(node: &'a SpirvNode, block_name: &'a str, needs: &[Need], has_addresses: bool) -> Self {
        let mut types = begin(needs, has_addresses);
        let block = Rc::new(types.emit(node));
        types.builder.decorate(block.id, Decoration::Block, []);
        let output = word_buffer(&mut types, "output", 1);
        let input = word_buffer(&mut types, "input", 2);
        types.builder.decorate(input.pointer, Decoration::NonWritable, []);
        Self {
            types,
            block_name,
            node,
            block,
            output,
            input,
            blocks: BTreeMap::new(),
            address: None,
            copy: None,
            copies: BTreeMap::new(),
            lane: None,
            point: None,
            stages: BTreeSet::new(),
        }
    }

    /// The type of the block in the other layout; `leaves` are the indices to each leaf in it.
    pub(super) fn add_copy(&mut self, node: &SpirvNode, leaves: Vec<Vec<u32>>) {
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
            interface.function = Some(self.write_function(entry, &interface, leaves, wiring));
        }

        let function = self.begin_entry(entry.stage);
        interface.block = self.open_place(interface.block);
        let lane = interface.lane;
        let mut body = BodyWriter { types: &mut self.types, interface, leaves, wiring, answers: AnswerMode::Stored };
        body.store_nonce();
        let written = entry.forms.iter().try_for_each(|form| match entry.direction {
            Direction::Read => body.read(*form),
            Direction::Write => body.write(*form),
        });
        written.map_err(|_| ProduceError::PartlyProbed { entry: entry.name.clone() })?;
        let builder = &mut self.types.builder;
        builder.ret().expect("the block is open");
        builder.end_function().expect("the function is open");
        self.declare_entry(entry.stage, &entry.name, function, lane);
        Ok(())
    }

    /// The function that takes the block by value and stores its parts.
    fn write_function(
        &mut self,
        entry: &ProbeEntry,
        interface: &SpirvInterface,
        leaves: &[Way],
        wiring: &Wiring,
    ) -> Word {
        let void = self.types.builder.type_void();
        let signature = self.types.builder.type_function(void, [self.block.id]);
        let builder = &mut self.types.builder;
        let function = builder.begin_function(void, None, FunctionControl::NONE, signature).expect(NO_FUNCTION);
        let block = builder.function_parameter(self.block.id).expect("a function was just begun");
        builder.begin_block(None).expect("a function was just begun");
        builder.name(function, format!("{}_parameter", entry.name));
        let interface = interface.clone();
        let mut body = BodyWriter { types: &mut self.types, interface, leaves, wiring, answers: AnswerMode::Stored };
        body.store_parts(Form::Parameter, block);
        let builder = &mut self.types.builder;
        builder.ret().expect("the block is open");
        builder.end_function().expect("the function is open");
        function
    }

    /// The module with the stages that its draws need.
    pub(super) fn finish(mut self) -> rspirv::dr::Module {
        self.add_other_stages();
        self.types.builder.module()
    }
}
