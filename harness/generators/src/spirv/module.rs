//! Writes the module of a plan: its types, its variables and its entry points.

use std::collections::BTreeSet;

use rspirv::dr::Operand;
use rspirv::spirv::{AddressingModel, Capability, FunctionControl, MemoryModel, Op, StorageClass, Word};

use super::access::OPEN;
use super::block::{SpirvNode, Way};
use super::body::{AnswerMode, BodyWriter, SpirvInterface};
use super::interface::InterfaceVariables;
use super::kind::ScalarKind;
use super::needs::{HEAP_EXTENSION, Need, UNTYPED_EXTENSION, WORKGROUP_EXTENSION};
use super::stages::{EntryStages, NO_FUNCTION, end_function};
use super::types::TypeEmitter;
use crate::ProduceError;
use layoutproof_probes::{AddressSpace, Direction, Form, ProbeEntry, Wiring};

/// A module under construction.
pub(super) struct ModuleWriter<'a> {
    types: TypeEmitter,
    variables: InterfaceVariables<'a>,
    stages: EntryStages,
}

/// What the entry points of a module have in common.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ModuleUse {
    /// They are of ray-tracing stages.
    pub(super) traced: bool,
    /// Some reach their blocks through untyped pointers.
    pub(super) untyped: bool,
}

/// Starts an empty module with the capabilities and extensions in `needs`, whose entry points access
/// their blocks in these spaces.
pub(super) fn begin(needs: &[Need], spaces: &BTreeSet<AddressSpace>, module_use: ModuleUse) -> TypeEmitter {
    let mut types = TypeEmitter::new();
    let has_workgroup = spaces.contains(&AddressSpace::Workgroup);
    let has_heap = spaces.contains(&AddressSpace::HeapUniform) || spaces.contains(&AddressSpace::HeapStorage);
    types.builder.set_version(1, if has_workgroup || has_heap || module_use.traced { 4 } else { 3 });
    types.builder.capability(Capability::Shader);
    for need in needs {
        types.builder.capability(need.capability);
    }

    let mut extensions: BTreeSet<&str> = needs.iter().filter_map(|need| need.extension).collect();
    let mut addressing = AddressingModel::Logical;
    if has_workgroup {
        types.builder.capability(Capability::WorkgroupMemoryExplicitLayoutKHR);
        extensions.insert(WORKGROUP_EXTENSION);
    }
    if spaces.contains(&AddressSpace::Address) {
        types.builder.capability(Capability::PhysicalStorageBufferAddresses);
        extensions.insert("SPV_KHR_physical_storage_buffer");
        addressing = AddressingModel::PhysicalStorageBuffer64;
    }

    if has_heap {
        types.builder.capability(Capability::DescriptorHeapEXT);
        extensions.insert(HEAP_EXTENSION);
    }
    if module_use.untyped || has_heap {
        types.builder.capability(Capability::UntypedPointersKHR);
        extensions.insert(UNTYPED_EXTENSION);
    }

    if module_use.traced {
        types.holder = StorageClass::ShaderRecordBufferKHR;
        types.builder.capability(Capability::RayTracingKHR);
        extensions.insert("SPV_KHR_ray_tracing");
    }

    for extension in extensions {
        types.builder.extension(extension);
    }
    types.builder.memory_model(addressing, MemoryModel::GLSL450);
    types
}

impl<'a> ModuleWriter<'a> {
    /// Starts a module without entry points, see [`begin`].
    pub(super) fn new(
        node: &'a SpirvNode,
        block_name: &'a str,
        needs: &[Need],
        spaces: &BTreeSet<AddressSpace>,
        module_use: ModuleUse,
    ) -> Self {
        let mut types = begin(needs, spaces, module_use);
        let variables = InterfaceVariables::new(&mut types, node, block_name);
        Self { types, variables, stages: EntryStages::default() }
    }

    /// Adds the type of the block in the other layout. `leaves` are the indices to each leaf in it.
    pub(super) fn add_copy(&mut self, node: &SpirvNode, leaves: Vec<Vec<u32>>) {
        self.variables.add_copy(&mut self.types, node, leaves);
    }

    /// Writes one entry point, with the function that it calls if it passes the block by value. `words` is
    /// the size of the block in workgroup memory or in push constants; other spaces do not need it.
    ///
    /// # Errors
    ///
    /// A form needs leaves that the plan leaves out.
    pub(super) fn write_entry(
        &mut self,
        entry: &ProbeEntry,
        leaves: &[Way],
        wiring: &Wiring,
        words: u32,
    ) -> Result<(), ProduceError> {
        let mut interface = self.variables.of_entry(&mut self.types, entry, words);
        if entry.forms.contains(&Form::Parameter) {
            let function = write_parameter_function(&mut self.types, &interface, leaves, wiring, false);
            self.types.builder.name(function, format!("{}_parameter", entry.name));
            interface.function = Some(function);
        }

        let function = self.stages.begin_entry(&mut self.types, entry.stage);
        if entry.forms.contains(&Form::Function) {
            interface.local = Some(self.variables.local(&mut self.types));
        }
        if let Some(pointer) = interface.address {
            interface.block.pointer = self.types.load_address(interface.block.pointer, pointer);
        }
        if let Some(heap) = interface.heap {
            interface.block.pointer = self.types.take_from_heap(interface.block.pointer, heap);
        }
        let (lane, shared) = (interface.lane, interface.shared.clone());
        let mut body = BodyWriter { types: &mut self.types, interface, leaves, wiring, answers: AnswerMode::Stored };
        body.store_nonce();
        if let Some(shared) = &shared {
            body.types.fill_workgroup(shared);
        }
        let written = entry.forms.iter().try_for_each(|form| match entry.direction {
            Direction::Read => body.read(*form),
            Direction::Write => body.write(*form),
        });
        written.map_err(|_| ProduceError::PartlyProbed { entry: entry.name.clone() })?;
        if let Some(shared) = shared.filter(|_| entry.direction == Direction::Write) {
            self.types.copy_back(&shared);
        }
        end_function(&mut self.types);

        self.stages.declare_entry(&mut self.types, entry.stage, &entry.name, function, lane);
        Ok(())
    }

    /// Finishes the module with the stages that its draws need.
    pub(super) fn finish(mut self) -> rspirv::dr::Module {
        self.stages.add_other_stages(&mut self.types);
        finish(self.types)
    }
}

/// Finishes a module with the interfaces of its entry points.
pub(super) fn finish(types: TypeEmitter) -> rspirv::dr::Module {
    let mut module = types.builder.module();
    if module.header.as_ref().is_some_and(|header| header.version() >= (1, 4)) {
        list_all_variables(&mut module);
    }
    module
}

/// Lists all variables of the module in the interface of every entry point. From SPIR-V 1.4 on, an
/// interface has at least those that the entry point uses, whatever their storage class.
fn list_all_variables(module: &mut rspirv::dr::Module) {
    let globals = &module.types_global_values;
    let variables =
        globals.iter().filter(|global| matches!(global.class.opcode, Op::Variable | Op::UntypedVariableKHR));
    let variables: Vec<Operand> = variables.filter_map(|it| it.result_id).map(Operand::IdRef).collect();
    for entry in &mut module.entry_points {
        // The stage, the function and the name come first.
        entry.operands.truncate(3);
        entry.operands.extend_from_slice(&variables);
    }
}

/// Writes the function that takes the block by value. It stores the block's parts; if they are
/// hashed, it also takes the hash so far, and returns the hash with the parts.
pub(super) fn write_parameter_function(
    types: &mut TypeEmitter,
    interface: &SpirvInterface,
    leaves: &[Way],
    wiring: &Wiring,
    is_hashed: bool,
) -> Word {
    let mut parameters = vec![interface.block.ty.id];
    let result = if is_hashed { types.scalar(ScalarKind::WORD) } else { types.builder.type_void() };
    parameters.extend(is_hashed.then_some(result));

    let signature = types.builder.type_function(result, parameters.clone());
    let builder = &mut types.builder;
    let function = builder.begin_function(result, None, FunctionControl::NONE, signature).expect(NO_FUNCTION);
    let mut declare = |ty: Word| builder.function_parameter(ty).expect("a function was just begun");
    let parameters: Vec<Word> = parameters.into_iter().map(&mut declare).collect();
    builder.begin_block(None).expect("a function was just begun");

    let answers = parameters.get(1).map_or(AnswerMode::Stored, |hash| AnswerMode::Hashed(*hash));
    let mut body = BodyWriter { types, interface: interface.clone(), leaves, wiring, answers };
    body.store_parts(Form::Parameter, parameters[0]);
    match body.answers {
        AnswerMode::Stored => end_function(types),
        AnswerMode::Hashed(hash) => {
            types.builder.ret_value(hash).expect(OPEN);
            types.builder.end_function().expect("the function is open");
        }
    }
    function
}
