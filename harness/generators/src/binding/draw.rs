//! Writes the two stages of a draw, which reveal the locations.
//!
//! For varyings, the vertex stage writes each location's word to it, and the fragment stage stores
//! the received words in targets, four words each. For targets, the fragment stage writes each
//! location's word to it.

use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, ExecutionModel, StorageClass, Word};

use super::emitter::{Emitter, OPEN};
use layoutproof_probes::binding::{BindingProgram, ENTRY, FRAGMENT_ENTRY, LocationWord, Pass};

/// Writes both stages of `program`.
pub(super) fn write(emitter: &mut Emitter, program: &BindingProgram) {
    match program.pass {
        Pass::Compute => {}
        Pass::Varyings => {
            vertex(emitter, &program.distinct_locations());
            fragment(emitter, program);
        }
        Pass::Targets => {
            vertex(emitter, &[]);
            targets(emitter, &program.distinct_locations());
        }
    }
}

/// Writes the vertex stage. It places a point in the middle and stores each location's word there.
fn vertex(emitter: &mut Emitter, locations: &[LocationWord]) {
    let float = emitter.float();
    let vector = emitter.builder.type_vector(float, 4);
    let position = emitter.global(vector, StorageClass::Output, "position");
    emitter.builder.decorate(position, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::Position)]);
    let size = emitter.global(float, StorageClass::Output, "point_size");
    emitter.builder.decorate(size, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::PointSize)]);

    let uint = emitter.uint();
    let outputs = locations.iter().map(|LocationWord { location, word }| {
        let output = emitter.global(uint, StorageClass::Output, &format!("out_{location}"));
        emitter.decorate(output, Decoration::Location, *location);
        (output, emitter.constant(*word))
    });
    let outputs: Vec<(Word, Word)> = outputs.collect();

    let function = emitter.begin();
    let zero = emitter.builder.constant_bit32(float, 0.0_f32.to_bits());
    let one = emitter.builder.constant_bit32(float, 1.0_f32.to_bits());
    let middle = emitter.builder.constant_composite(vector, [zero, zero, zero, one]);
    for (pointer, value) in outputs.iter().copied().chain([(position, middle), (size, one)]) {
        emitter.builder.store(pointer, value, None, []).expect(OPEN);
    }

    let interface: Vec<Word> = outputs.iter().map(|(output, _)| *output).chain([position, size]).collect();
    emitter.end(function, ExecutionModel::Vertex, ENTRY, &interface);
}

/// Writes the fragment stage that stores the value received at each location in a component of a
/// target.
fn fragment(emitter: &mut Emitter, program: &BindingProgram) {
    let uint = emitter.uint();
    let inputs = program.distinct_locations().into_iter().map(|LocationWord { location, .. }| {
        let input = emitter.global(uint, StorageClass::Input, &format!("in_{location}"));
        emitter.decorate(input, Decoration::Location, location);
        emitter.builder.decorate(input, Decoration::Flat, []);
        (location, input)
    });
    let inputs: Vec<(u32, Word)> = inputs.collect();

    let locations = program.locations();
    let targets: Vec<Word> = (0..).zip(locations.chunks(4)).map(|(target, _)| self::target(emitter, target)).collect();

    let function = emitter.begin();
    let zero = emitter.constant(0);
    for (target, locations) in targets.iter().zip(locations.chunks(4)) {
        let handed = locations.iter().map(|LocationWord { location, .. }| {
            let (_, input) = inputs.iter().find(|(other, _)| other == location).expect("each location has an input");
            emitter.builder.load(uint, None, *input, None, []).expect(OPEN)
        });
        let mut handed: Vec<Word> = handed.collect();
        handed.resize(4, zero);
        give(emitter, *target, &handed);
    }

    let interface: Vec<Word> = inputs.iter().map(|(_, input)| *input).chain(targets).collect();
    emitter.end(function, ExecutionModel::Fragment, FRAGMENT_ENTRY, &interface);
}

/// Writes the fragment stage that stores the word of each target in it.
fn targets(emitter: &mut Emitter, locations: &[LocationWord]) {
    let targets = locations.iter().map(|LocationWord { location, word }| (target(emitter, *location), *word));
    let targets: Vec<(Word, u32)> = targets.collect();
    let function = emitter.begin();
    for (target, word) in &targets {
        let word = emitter.constant(*word);
        give(emitter, *target, &[word; 4]);
    }
    let interface: Vec<Word> = targets.iter().map(|(target, _)| *target).collect();
    emitter.end(function, ExecutionModel::Fragment, FRAGMENT_ENTRY, &interface);
}

fn target(emitter: &mut Emitter, location: u32) -> Word {
    let uint = emitter.uint();
    let texel = emitter.builder.type_vector(uint, 4);
    let target = emitter.global(texel, StorageClass::Output, &format!("target_{location}"));
    emitter.decorate(target, Decoration::Location, location);
    target
}

fn give(emitter: &mut Emitter, target: Word, components: &[Word]) {
    let uint = emitter.uint();
    let ty = emitter.builder.type_vector(uint, 4);
    let texel = emitter.builder.composite_construct(ty, None, components.iter().copied()).expect(OPEN);
    emitter.builder.store(target, texel, None, []).expect(OPEN);
}
