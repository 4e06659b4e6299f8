//! Writes modules of many blocks, each with a region of every buffer: one entry point does for each case what its own
//! entry point does.
//!
//! Every buffer is a struct with a member for each case, at the start of the case's region; the members of a block
//! keep its own offsets.

use std::collections::BTreeSet;
use std::rc::Rc;

use layoutproof_layout::shape::Count;
use rspirv::binary::Assemble;
use rspirv::spirv::{Decoration, StorageClass, Word};

use super::access::SpirvPlace;
use super::block::{SpirvBlock, SpirvField, SpirvNode};
use super::body::{AnswerMode, BodyWriter, CopyPlace, SpirvInterface};
use super::fused::LoweredCase;
use super::interface::bind;
use super::kind::ScalarKind;
use super::module::begin;
use super::stages::{begin_function, declare_compute, end_function};
use super::types::TypeEmitter;
use super::{SpirvModule, needs, rules, ways_in};
use crate::generate::ProduceError;
use crate::probe::{AddressSpace, Direction, Form, FusedCase, REGIONS_ENTRY, RegionStarts, Wiring, spread};

/// Writes the module of cases whose entry points have the same space and direction.
///
/// # Errors
/// As [`produce`](super::produce), for the first case that cannot be written.
pub fn produce_regions(cases: &[FusedCase], regions: &RegionStarts) -> Result<SpirvModule, ProduceError> {
    let lowered = cases.iter().map(LoweredCase::new).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = lowered.first() else { return Err(ProduceError::NothingToProbe { block: String::new() }) };
    let (space, direction) = (first.entry.space, first.entry.direction);
    let kinds = lowered.iter().flat_map(|case| case.block.node.kinds()).collect();
    let needs = needs::of(&kinds, &BTreeSet::from([space]));

    let mut types = begin(&needs, false);
    let is_divergent = first.entry.forms.contains(&Form::Divergent);
    let lane = is_divergent.then(|| types.lane());
    let interfaces = interfaces(&mut types, &lowered, regions, lane)?;

    let function = begin_function(&mut types);
    for (case, interface) in lowered.iter().zip(interfaces) {
        let wiring = case.case.wiring();
        let answers = AnswerMode::Stored;
        let mut body = BodyWriter { types: &mut types, interface, leaves: &case.ways, wiring: &wiring, answers };
        body.store_nonce();
        let written = case.entry.forms.iter().try_for_each(|form| match direction {
            Direction::Read => body.read(*form),
            Direction::Write => body.write(*form),
        });
        written.map_err(|_| ProduceError::PartlyProbed { entry: case.entry.name.clone() })?;
    }
    end_function(&mut types);
    declare_compute(&mut types, REGIONS_ENTRY, function, lane);

    let needed = lowered.iter().map(|case| rules::needed(&case.block.node, space)).max();
    Ok(SpirvModule {
        words: types.builder.module().assemble(),
        rules: needed.into_iter().map(|rules| (space, rules)).collect(),
        features: needs.iter().map(|need| need.feature).collect(),
    })
}

/// Declares the buffers, and returns what each case sees of them.
fn interfaces(
    types: &mut TypeEmitter,
    cases: &[LoweredCase<'_>],
    regions: &RegionStarts,
    lane: Option<Word>,
) -> Result<Vec<SpirvInterface>, ProduceError> {
    let (space, direction) = (cases[0].entry.space, cases[0].entry.direction);
    let class = match space {
        AddressSpace::Uniform | AddressSpace::UniformElement => StorageClass::Uniform,
        AddressSpace::Storage | AddressSpace::StorageElement | AddressSpace::Address => StorageClass::StorageBuffer,
        AddressSpace::PushConstant => StorageClass::PushConstant,
    };

    let nodes = cases.iter().map(|case| case.block.node.clone()).collect();
    let blocks = declare(types, class, 0, &regions.block, nodes);
    let storage = StorageClass::StorageBuffer;
    let outputs = declare(types, storage, 1, &regions.output, words(cases, |wiring| wiring.output));
    let inputs = declare(types, storage, 2, &regions.input, words(cases, Wiring::input));
    let copies = copies(types, cases, regions)?;

    let read_only = match direction {
        Direction::Read => blocks.first().filter(|block| block.class == storage),
        Direction::Write => copies[0].as_ref().map(|copy| &copy.place),
    };
    for place in read_only.into_iter().chain(inputs.first()) {
        types.builder.decorate(place.pointer, Decoration::NonWritable, []);
    }

    let buffers = blocks.into_iter().zip(outputs).zip(inputs).zip(copies);
    let interface = |((((block, output), input), copy), case): (_, &LoweredCase<'_>)| {
        let has = |form| case.entry.forms.contains(&form);
        SpirvInterface {
            block,
            output,
            input,
            copy,
            private: has(Form::Private).then(|| types.variable_of(&case.block.node, StorageClass::Private)),
            workgroup: has(Form::Workgroup).then(|| types.variable_of(&case.block.node, StorageClass::Workgroup)),
            lane,
            function: None,
        }
    };
    Ok(buffers.zip(cases).map(interface).collect())
}

/// A struct with so many words for each case.
fn words(cases: &[LoweredCase<'_>], count: fn(&Wiring) -> u32) -> Vec<SpirvNode> {
    let node = |case: &LoweredCase<'_>| {
        let count = Count::Finite(count(&case.case.wiring()));
        let node = SpirvNode::Array { element: Box::new(SpirvNode::Scalar(ScalarKind::WORD)), count, stride: 4 };
        let field = SpirvField { name: "words".into(), index: 0, offset: 0, node };
        SpirvNode::Struct { name: "words".into(), fields: vec![field] }
    };
    cases.iter().map(node).collect()
}

/// The blocks in the other layout, for cases that are copied.
fn copies(
    types: &mut TypeEmitter,
    cases: &[LoweredCase<'_>],
    regions: &RegionStarts,
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

    let places = declare(types, StorageClass::StorageBuffer, 3, &regions.copy, nodes);
    Ok(places
        .into_iter()
        .zip(leaves)
        .map(|(place, leaves)| Some(CopyPlace { place, leaves: Rc::new(leaves) }))
        .collect())
}

/// Declares a variable that is a struct with a member for each case, and returns each case's place in it.
fn declare(
    types: &mut TypeEmitter,
    class: StorageClass,
    binding: u32,
    starts: &[u32],
    nodes: Vec<SpirvNode>,
) -> Vec<SpirvPlace> {
    let fields = (0..).zip(starts.iter().zip(nodes)).map(|(index, (start, node))| SpirvField {
        name: format!("case_{index}"),
        index,
        offset: *start,
        node,
    });
    let all = types.emit(&SpirvNode::Struct { name: format!("regions_{binding}"), fields: fields.collect() });
    types.builder.decorate(all.id, Decoration::Block, []);

    let pointer = types.pointer(class, all.id);
    let variable = types.builder.variable(pointer, None, class, None);
    match class {
        StorageClass::PushConstant => {}
        _ => bind(types, variable, binding),
    }

    let place = |(index, ty)| SpirvPlace { pointer: variable, class, element: Some(index), ty: Rc::new(ty) };
    (0..).zip(all.parts).map(place).collect()
}
