//! Writes modules of many blocks, each with a region of their shared buffer. One entry point does
//! the work of the entry points with the same name in all cases.
//!
//! A buffer with blocks is a struct with a member for each case, at the start of the case's region.
//! The members of a block keep their own offsets. [`RegionAnswer`] decides whether the cases' reads
//! are hashed.

use std::collections::BTreeSet;
use std::rc::Rc;

use rspirv::binary::Assemble;
use rspirv::spirv::{Decoration, StorageClass, Word};

use super::access::{OPEN, SpirvPlace};
use super::block::{SpirvBlock, SpirvField, SpirvNode, Way};
use super::body::{AnswerMode, BodyWriter, CopyPlace, SpirvInterface};
use super::buffers::{BlockStorage, bind, word_buffer};
use super::input_place::InputPlace;
use super::kind::ScalarKind;
use super::module::{ModuleUse, begin, write_parameter_function};
use super::stages::{EntryStages, end_function};
use super::types::TypeEmitter;
use super::{SpirvModule, needs, refuse_unsized, rules, ways_in};
use crate::ProduceError;
use layoutproof_probes::{
    CASES_OF_HASH, Direction, Form, ProbeEntry, RegionAnswer, RegionCase, RegionJob, RegionPlaces, spread,
};

/// Makes the dispatches of cases whose entry points have the same name; `None` if they cannot share a module.
pub fn region_job(cases: Vec<RegionCase>) -> Option<RegionJob> {
    RegionJob::new(cases, |cases, places| {
        let module = produce_regions(cases, places).ok()?;
        Some((module.shader(), module.requires()))
    })
}

/// Writes the module of cases whose entry points have the same name, and thus the same space,
/// stage, direction and forms.
///
/// # Errors
///
/// The same as for [`produce`](super::produce), for the first case that cannot be written.
fn produce_regions(cases: &[RegionCase], regions: &RegionPlaces) -> Result<SpirvModule, ProduceError> {
    let lowered = cases.iter().map(LoweredCase::new).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = lowered.first() else { return Err(ProduceError::NothingToProbe { block: String::new() }) };
    let entry = first.entry;
    let kinds = lowered.iter().flat_map(|case| case.block.node.kinds()).collect();
    let needs = needs::of(&kinds, &BTreeSet::from([entry.space]));

    let module_use = ModuleUse { traced: entry.stage.is_traced(), untyped: false };
    let mut types = begin(&needs, &BTreeSet::from([entry.space]), module_use);
    let lane = entry.forms.contains(&Form::Divergent).then(|| types.lane());
    let blocks = declare_blocks(&mut types, &lowered, &regions.block);
    let mut interfaces = interfaces(&mut types, &lowered, regions, &blocks, lane)?;
    for (case, interface) in lowered.iter().zip(&mut interfaces).filter(|_| entry.forms.contains(&Form::Parameter)) {
        let wiring = &case.case.probe.wiring;
        interface.function = Some(write_parameter_function(&mut types, interface, &case.ways, wiring, true));
    }

    let mut stages = EntryStages::default();
    let function = stages.begin_entry(&mut types, entry.stage);
    // Only cases with arrays or matrices have this form, so others may share their module.
    let is_local = |case: &LoweredCase<'_>| case.entry.forms.contains(&Form::Function);
    for (case, interface) in lowered.iter().zip(&mut interfaces).filter(|(case, _)| is_local(case)) {
        interface.local = Some(types.variable_of(&case.block.node, StorageClass::Function));
    }
    if entry.forms.iter().any(|form| matches!(form, Form::Workgroup | Form::Sized)) {
        share_blocks(&mut types, &lowered, &interfaces)?;
    }
    write_cases(&mut types, &lowered, &interfaces, regions.longest)?;
    end_function(&mut types);
    stages.declare_entry(&mut types, entry.stage, &entry.name, function, lane);
    stages.add_other_stages(&mut types);

    let needed = lowered.iter().map(|case| rules::needed(&case.block.node, entry.space)).max();
    Ok(SpirvModule {
        words: types.builder.module().assemble(),
        rules: needed.into_iter().map(|rules| (entry.space, rules)).collect(),
        features: needs.iter().map(|need| need.feature).chain(entry.requires()).collect(),
    })
}

/// Copies the blocks of all cases to memory that the workgroup shares, followed by one barrier for
/// all of them.
fn share_blocks(
    types: &mut TypeEmitter,
    cases: &[LoweredCase<'_>],
    interfaces: &[SpirvInterface],
) -> Result<(), ProduceError> {
    for (case, interface) in cases.iter().zip(interfaces) {
        let (interface, answers) = (interface.clone(), AnswerMode::Stored);
        let place = interface.workgroup.clone();
        let wiring = &case.case.probe.wiring;
        let mut body = BodyWriter { types, interface, leaves: &case.ways, wiring, answers };
        let form = case.entry.forms[0];
        let copied = place.map_or(Ok(()), |place| body.copy_block(form, &place));
        copied.map_err(|_| case.partly_probed())?;
    }
    types.wait_for_workgroup();
    Ok(())
}

/// Writes the work of each case's own entry point in its region, and the answers.
fn write_cases(
    types: &mut TypeEmitter,
    cases: &[LoweredCase<'_>],
    interfaces: &[SpirvInterface],
    longest: usize,
) -> Result<(), ProduceError> {
    let nonce = interfaces[longest].input.load(types, 0);
    let answer = RegionAnswer::of(cases[0].entry);
    if answer == RegionAnswer::Nonce {
        types.store(&interfaces[0].output, &[0, 0], nonce);
    }
    for (number, group) in (0..).zip(cases.chunks(CASES_OF_HASH)) {
        let interfaces = &interfaces[number as usize * CASES_OF_HASH..];
        let mut answers = AnswerMode::Stored;
        if let RegionAnswer::Hashed { .. } = answer {
            let (uint, own) = (types.scalar(ScalarKind::WORD), types.constant(number));
            answers = AnswerMode::Hashed(types.builder.bitwise_xor(uint, None, nonce, own).expect(OPEN));
        }
        for (case, interface) in group.iter().zip(interfaces) {
            answers = case.write_region(types, interface.clone(), answers)?;
        }
        if let (RegionAnswer::Hashed { lanes }, AnswerMode::Hashed(hash)) = (answer, answers) {
            store_hash(types, &interfaces[0], number * lanes, hash);
        }
    }
    Ok(())
}

/// Stores a hash in the word with this number. With several lanes, each lane stores its own hash,
/// one word after another.
fn store_hash(types: &mut TypeEmitter, interface: &SpirvInterface, number: u32, hash: Word) {
    let uint = types.scalar(ScalarKind::WORD);
    let (zero, number) = (types.constant(0), types.constant(number));
    let word = match interface.lane {
        None => number,
        Some(lane) => {
            let lane = types.builder.load(uint, None, lane, None, []).expect(OPEN);
            types.builder.i_add(uint, None, number, lane).expect(OPEN)
        }
    };
    let pointer = types.point_to(&interface.output, vec![zero, word], uint);
    types.builder.store(pointer, hash, None, []).expect(OPEN);
}

/// A case with its chosen types.
struct LoweredCase<'a> {
    case: &'a RegionCase,
    entry: &'a ProbeEntry,
    block: SpirvBlock<'a>,
    ways: Vec<Way>,
}

impl<'a> LoweredCase<'a> {
    fn new(case: &'a RegionCase) -> Result<Self, ProduceError> {
        let layout = &case.layout;
        let Ok(laid_out) = &layout.result else {
            return Err(ProduceError::Refused { rules: layout.rules.clone(), block: layout.name.clone() });
        };
        refuse_unsized(layout, laid_out.size, &case.plan)?;
        let block = SpirvBlock::new(laid_out, &case.plan.leaves);
        let ways = ways_in(layout, &block, &case.plan)?;
        Ok(Self { case, entry: &case.probe.entry, block, ways })
    }

    /// Writes the work of the case's own entry point in its region, and returns the state of the
    /// answers.
    fn write_region(
        &self,
        types: &mut TypeEmitter,
        interface: SpirvInterface,
        answers: AnswerMode,
    ) -> Result<AnswerMode, ProduceError> {
        let (wiring, workgroup) = (&self.case.probe.wiring, interface.workgroup.clone());
        let mut body = BodyWriter { types, interface, leaves: &self.ways, wiring, answers };
        let written = self.entry.forms.iter().try_for_each(|form| match (self.entry.direction, form, &workgroup) {
            (Direction::Read, Form::Workgroup | Form::Sized, Some(copy)) => {
                body.read_from_copy(*form, copy);
                Ok(())
            }
            (Direction::Read, _, _) => body.read(*form),
            (Direction::Write, _, _) => body.write(*form),
        });
        written.map_err(|_| self.partly_probed())?;
        Ok(body.answers)
    }

    fn partly_probed(&self) -> ProduceError {
        ProduceError::PartlyProbed { entry: self.entry.name.clone() }
    }
}

/// Declares the variable with the regions of all blocks, and returns the place of each block.
fn declare_blocks(types: &mut TypeEmitter, cases: &[LoweredCase<'_>], starts: &[u32]) -> Vec<SpirvPlace> {
    let storage = BlockStorage::of_space(cases[0].entry.space);
    let binding = [StorageClass::Uniform, StorageClass::StorageBuffer].contains(&storage.class).then_some(0);
    let nodes = cases.iter().map(|case| case.block.node.clone()).collect();
    let places = declare_regions(types, "blocks", &storage, binding, starts, nodes);
    if storage.class == StorageClass::StorageBuffer && cases[0].entry.direction == Direction::Read {
        types.builder.decorate(places[0].pointer, Decoration::NonWritable, []);
    }
    places
}

/// Declares the remaining buffers, and returns each case's interface.
fn interfaces(
    types: &mut TypeEmitter,
    cases: &[LoweredCase<'_>],
    regions: &RegionPlaces,
    blocks: &[SpirvPlace],
    lane: Option<Word>,
) -> Result<Vec<SpirvInterface>, ProduceError> {
    let (output, input) = (word_buffer(types, "output", 1), InputPlace::new(types));
    let copies = copies(types, cases, regions)?;
    if let Some(copy) = copies[0].as_ref().filter(|_| cases[0].entry.direction == Direction::Write) {
        types.builder.decorate(copy.place.pointer, Decoration::NonWritable, []);
    }

    let places = blocks.iter().zip(&regions.input).zip(copies);
    let interface = |(case, ((block, start), copy)): (&LoweredCase<'_>, ((&SpirvPlace, &u32), _))| {
        let has = |form| case.entry.forms.contains(&form);
        SpirvInterface {
            block: block.clone(),
            address: None,
            heap: None,
            output: output.clone(),
            input: input.starting_at(*start),
            copy,
            private: has(Form::Private).then(|| types.variable_of(&case.block.node, StorageClass::Private)),
            local: None,
            workgroup: types.workgroup_copy(&case.block.node, case.entry),
            lane,
            shared: None,
            function: None,
        }
    };
    Ok(cases.iter().zip(places).map(interface).collect())
}

/// Declares the blocks in the other layout, for cases that are copied.
fn copies(
    types: &mut TypeEmitter,
    cases: &[LoweredCase<'_>],
    regions: &RegionPlaces,
) -> Result<Vec<Option<CopyPlace>>, ProduceError> {
    if !cases[0].entry.forms.contains(&Form::Copied) {
        return Ok(cases.iter().map(|_| None).collect());
    }

    let mut nodes = Vec::new();
    let mut leaves = Vec::new();
    for case in cases {
        let layout = &case.case.layout;
        let nothing = || ProduceError::NothingToProbe { block: layout.name.clone() };
        let other = layout.result.as_ref().ok().and_then(spread).ok_or_else(nothing)?;
        let block = SpirvBlock::new(&other, &case.case.plan.leaves);
        leaves.push(ways_in(layout, &block, &case.case.plan)?.into_iter().map(|way| way.indices).collect());
        nodes.push(block.node);
    }

    let storage = BlockStorage { class: StorageClass::StorageBuffer, element: None };
    let places = declare_regions(types, "copies", &storage, Some(3), &regions.copy, nodes).into_iter().zip(leaves);
    Ok(places.map(|(place, leaves)| Some(CopyPlace { place, leaves: Rc::new(leaves) })).collect())
}

/// Declares a buffer or a block of push constants with a member for each case, at the start of its
/// region, and returns each case's place.
fn declare_regions(
    types: &mut TypeEmitter,
    name: &str,
    storage: &BlockStorage,
    binding: Option<u32>,
    starts: &[u32],
    nodes: Vec<SpirvNode>,
) -> Vec<SpirvPlace> {
    let fields = (0..).zip(starts.iter().zip(nodes)).map(|(index, (start, node))| SpirvField {
        name: format!("case_{index}"),
        index,
        offset: *start,
        node,
    });
    let all = types.emit(&SpirvNode::Struct { name: name.to_owned(), fields: fields.collect() });
    types.builder.decorate(all.id, Decoration::Block, []);
    let &BlockStorage { class, element } = storage;
    let variable = types.block_variable(class, all.id, element);
    if let Some(binding) = binding {
        bind(types, variable, binding);
    }

    let place = |(index, ty)| {
        let outer = element.into_iter().chain([index]).collect();
        SpirvPlace { outer, ..SpirvPlace::typed(variable, class, Rc::new(ty)) }
    };
    (0..).zip(all.parts).map(place).collect()
}
