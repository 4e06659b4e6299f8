//! Writes modules of many blocks, with one entry point that answers each case with one word.
//!
//! Every block is a variable with its own type, `Aliased` with the others at set 0 binding 0. The
//! code is straight-line and stores once per case. [`crate::FusedJob`] predicts the answers.
//!
//! Source: SPIR-V specification, "Aliasing" and "Decoration" (`Aliased`); Vulkan specification,
//! "`DescriptorSet` and Binding Assignment": several variables may share a binding.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rspirv::binary::Assemble;
use rspirv::spirv::{Decoration, FunctionControl, StorageClass, Word};

use super::access::{OPEN, SpirvPlace};
use super::block::{SpirvBlock, Way};
use super::body::{AnswerMode, BodyWriter, SpirvInterface};
use super::buffers::{bind, word_buffer};
use super::input_place::InputPlace;
use super::kind::ScalarKind;
use super::module::begin;
use super::stages::{NO_FUNCTION, begin_function, declare_compute, end_function};
use super::types::TypeEmitter;
use super::{SpirvModule, needs, refuse_unsized, rules, ways_in};
use crate::generate::ProduceError;
use crate::{FUSED_ENTRY, Fold, Form, FusedCase, FusedGroup, FusedSpace, ProbeEntry};

/// Writes the module of `group`.
///
/// # Errors
///
/// The same as for [`produce`](super::produce), for the first case that cannot be written.
pub fn produce_fused(group: &FusedGroup<'_>) -> Result<SpirvModule, ProduceError> {
    let space = group.space.space();
    let lowered = group.cases.iter().map(LoweredCase::new).collect::<Result<Vec<_>, _>>()?;
    let kinds = lowered.iter().flat_map(|case| case.block.node.kinds()).collect();
    let needs = needs::of(&kinds, &BTreeSet::from([space]));

    let mut types = begin(&needs, false);
    let output = word_buffer(&mut types, "output", 1);
    let input = InputPlace::in_storage(&mut types);
    let interfaces: Vec<SpirvInterface> = lowered
        .iter()
        .map(|case| {
            let block = declare(&mut types, case, group.space);
            let (output, input) = (output.clone(), input.clone());
            let interface = SpirvInterface {
                block,
                output,
                input,
                copy: None,
                private: None,
                workgroup: None,
                lane: None,
                function: None,
            };
            let function = case.write_function(&mut types, &interface, group.fold);
            SpirvInterface { function, ..interface }
        })
        .collect();

    let function = begin_function(&mut types);
    let nonce = input.load(&mut types, 0);
    for ((number, case), interface) in (0..).zip(&lowered).zip(interfaces) {
        case.write(&mut types, interface, group.fold, nonce, number)?;
    }
    end_function(&mut types);
    declare_compute(&mut types, FUSED_ENTRY, function, None);

    let needed = lowered.iter().map(|case| rules::needed(&case.block.node, space)).max();
    Ok(SpirvModule {
        words: types.builder.module().assemble(),
        rules: needed.into_iter().map(|rules| (space, rules)).collect::<BTreeMap<_, _>>(),
        features: needs.iter().map(|need| need.feature).collect(),
    })
}

/// A case with its chosen types.
pub(super) struct LoweredCase<'a> {
    pub(super) case: &'a FusedCase,
    pub(super) entry: &'a ProbeEntry,
    pub(super) block: SpirvBlock<'a>,
    pub(super) ways: Vec<Way>,
}

impl<'a> LoweredCase<'a> {
    pub(super) fn new(case: &'a FusedCase) -> Result<Self, ProduceError> {
        let layout = &case.layout;
        let Ok(laid_out) = &layout.result else {
            return Err(ProduceError::Refused { rules: layout.rules.clone(), block: layout.name.clone() });
        };
        let nothing = || ProduceError::NothingToProbe { block: layout.name.clone() };
        let entry = case.entry().ok_or_else(nothing)?;
        refuse_unsized(layout, laid_out.size, &case.plan)?;
        let block = SpirvBlock::new(laid_out, &case.plan.leaves);
        let ways = ways_in(layout, &block, &case.plan)?;
        Ok(Self { case, entry, block, ways })
    }

    /// Writes the function that takes the block by value and the value folded so far, and returns
    /// it with the block's leaves folded in; `None` for a case without [`Form::Parameter`].
    pub(super) fn write_function(
        &self,
        types: &mut TypeEmitter,
        interface: &SpirvInterface,
        fold: Fold,
    ) -> Option<Word> {
        if !self.entry.forms.contains(&Form::Parameter) {
            return None;
        }

        let (uint, block) = (types.scalar(ScalarKind::WORD), interface.block.ty.id);
        let signature = types.builder.type_function(uint, [block, uint]);
        let builder = &mut types.builder;
        let function = builder.begin_function(uint, None, FunctionControl::NONE, signature).expect(NO_FUNCTION);
        let [block, before] =
            [block, uint].map(|ty| builder.function_parameter(ty).expect("a function was just begun"));
        builder.begin_block(None).expect("a function was just begun");

        let (wiring, interface, answers) = (self.case.wiring(), interface.clone(), AnswerMode::Folded(fold, before));
        let mut body = BodyWriter { types, interface, leaves: &self.ways, wiring: &wiring, answers };
        body.store_parts(Form::Parameter, block);

        if let AnswerMode::Folded(_, answer) = body.answers {
            types.builder.ret_value(answer).expect(OPEN);
        }
        types.builder.end_function().expect("the function is open");
        Some(function)
    }

    /// Reads the case and stores its answer in the group's word `number`.
    fn write(
        &self,
        types: &mut TypeEmitter,
        interface: SpirvInterface,
        fold: Fold,
        nonce: Word,
        number: u32,
    ) -> Result<(), ProduceError> {
        let wiring = self.case.wiring();
        let (uint, own) = (types.scalar(ScalarKind::WORD), types.constant(number));
        let start = types.builder.bitwise_xor(uint, None, nonce, own).expect(OPEN);

        let answers = AnswerMode::Folded(fold, start);
        let mut body = BodyWriter { types, interface, leaves: &self.ways, wiring: &wiring, answers };
        let read = self.entry.forms.iter().try_for_each(|form| body.read(*form));
        read.map_err(|_| ProduceError::PartlyProbed { entry: FUSED_ENTRY.to_owned() })?;

        if let AnswerMode::Folded(_, answer) = body.answers {
            body.store_output(number, answer);
        }
        Ok(())
    }
}

/// Declares the variable of a case's block.
fn declare(types: &mut TypeEmitter, case: &LoweredCase<'_>, space: FusedSpace) -> SpirvPlace {
    let block = types.emit(&case.block.node);
    types.builder.decorate(block.id, Decoration::Block, []);

    let class = match space {
        FusedSpace::Uniform => StorageClass::Uniform,
        FusedSpace::Storage => StorageClass::StorageBuffer,
    };
    let pointer = types.pointer(class, block.id);
    let variable = types.builder.variable(pointer, None, class, None);

    bind(types, variable, 0);
    types.builder.decorate(variable, Decoration::Aliased, []);
    match space {
        FusedSpace::Uniform => {}
        FusedSpace::Storage => types.builder.decorate(variable, Decoration::NonWritable, []),
    }
    SpirvPlace { pointer: variable, class, outer: Vec::new(), ty: Rc::new(block) }
}
