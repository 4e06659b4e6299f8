//! Writes the ray generation that reaches the shader record with the block under test: by a call, or by
//! a ray that misses everything or hits the part of the scene that the stage belongs to.
//!
//! It has a module of its own, so that compilers' stages are reached in the same way as ours.
//!
//! Source: `SPV_KHR_ray_tracing`; [`RecordStage`] for the scene and the place of its address.

use std::collections::BTreeSet;

use layoutproof_device::{RecordStage, Shader};
use rspirv::binary::Assemble;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, StorageClass, Word};

use super::access::OPEN;
use super::kind::{ScalarKind, ScalarMeaning};
use super::module::{ModuleUse, begin, finish};
use super::stages::{EntryStages, end_function};
use super::types::TypeEmitter;
use layoutproof_probes::{BLOCK_ELEMENT, CALLER, Stage};

/// The record of the scene's objects, which a ray adds to its own.
const RECORD_OF_SCENE: u32 = 1;

/// The bits of 10.0 in IEEE 754, beyond everything in the scene.
const FAR: u32 = 0x4120_0000;

/// The bits of 1.0.
const ONE: u32 = 0x3F80_0000;

const FLOAT: ScalarKind = ScalarKind { numeric: ScalarMeaning::Float, bits: 32 };

/// The operands of a ray.
struct Ray {
    /// 1 ignores any-hit stages, 2 runs them.
    flags: u32,
    /// The parts of the scene that it meets: 1 for the triangle, 2 for the box.
    mask: u32,
    record_of_hit: u32,
    record_of_miss: u32,
}

impl Ray {
    /// The ray that reaches [`BLOCK_ELEMENT`] of the records of a stage; `None` for a call.
    fn to(stage: RecordStage) -> Option<Self> {
        let record_of_hit = BLOCK_ELEMENT - RECORD_OF_SCENE;
        let hit = |flags, mask| Some(Self { flags, mask, record_of_hit, record_of_miss: 0 });
        match stage {
            RecordStage::Callable => None,
            RecordStage::Miss => Some(Self { flags: 0, mask: 0, record_of_hit: 0, record_of_miss: BLOCK_ELEMENT }),
            RecordStage::ClosestHit => hit(1, 1),
            RecordStage::AnyHit => hit(2, 1),
            RecordStage::Intersection => hit(0, 2),
        }
    }
}

/// Returns the module with the ray generation [`CALLER`] for a stage.
pub fn caller(stage: RecordStage) -> Shader {
    let mut types = begin(&[], &BTreeSet::new(), ModuleUse { traced: true, untyped: false });
    let ray = Ray::to(stage);
    let class = if ray.is_some() { StorageClass::RayPayloadKHR } else { StorageClass::CallableDataKHR };
    let passed = passed(&mut types, class);
    let scene = ray.is_some().then(|| address_of_scene(&mut types));

    let mut stages = EntryStages::default();
    let function = stages.begin_entry(&mut types, Stage::RayGeneration);
    match ray.zip(scene) {
        None => {
            let record = types.constant(BLOCK_ELEMENT);
            types.builder.execute_callable_khr(record, passed).expect(OPEN);
        }
        Some((ray, scene)) => trace(&mut types, &ray, scene, passed),
    }
    end_function(&mut types);
    stages.declare_entry(&mut types, Stage::RayGeneration, CALLER, function, None);
    Shader::Spirv(finish(types).assemble())
}

/// Declares what the stages pass to each other: a struct of one number that neither uses.
fn passed(types: &mut TypeEmitter, class: StorageClass) -> Word {
    let uint = types.scalar(ScalarKind::WORD);
    let structure = types.builder.type_struct([uint]);
    let pointer = types.pointer(class, structure);
    types.builder.variable(pointer, None, class, None)
}

/// Declares the address of the scene, in the push constants: two words, since 64-bit integers would
/// need a feature.
fn address_of_scene(types: &mut TypeEmitter) -> Word {
    let address = types.vector(ScalarKind::WORD, 2);
    let block = types.builder.type_struct([address]);
    types.builder.decorate(block, Decoration::Block, []);
    types.builder.member_decorate(block, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
    let class = StorageClass::PushConstant;
    let pointer = types.pointer(class, block);
    types.builder.variable(pointer, None, class, None)
}

/// Writes the ray, in the open function.
fn trace(types: &mut TypeEmitter, ray: &Ray, scene: Word, passed: Word) {
    let address = types.vector(ScalarKind::WORD, 2);
    let pointer = types.pointer(StorageClass::PushConstant, address);
    let first = types.constant(0);
    let structure = types.builder.type_acceleration_structure_khr();
    let [zero, one, far] = [0, ONE, FAR].map(|bits| types.small_constant(FLOAT, bits));
    let vector = types.vector(FLOAT, 3);
    let origin = types.builder.constant_composite(vector, [zero, zero, zero]);
    let direction = types.builder.constant_composite(vector, [zero, zero, one]);
    let numbers = [ray.flags, ray.mask, ray.record_of_hit, 0, ray.record_of_miss];
    let [flags, mask, record_of_hit, stride, record_of_miss] = numbers.map(|number| types.constant(number));

    let builder = &mut types.builder;
    let address_place = builder.access_chain(pointer, None, scene, [first]).expect(OPEN);
    let address = builder.load(address, None, address_place, None, []).expect(OPEN);
    let scene = builder.convert_u_to_acceleration_structure_khr(structure, None, address).expect(OPEN);
    let traced = builder.trace_ray_khr(
        scene,
        flags,
        mask,
        record_of_hit,
        stride,
        record_of_miss,
        origin,
        zero,
        direction,
        far,
        passed,
    );
    traced.expect(OPEN);
}
