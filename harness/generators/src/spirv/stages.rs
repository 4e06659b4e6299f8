//! Begins and ends entry points: execution models, and the parts of a draw or of a launch of rays
//! other than the probed stage.
//!
//! A vertex stage has to place its point, whichever stage is probed; a fragment stage needs no
//! additions. The stages that a ray generation reaches have it in a module of its own (`caller`).
//!
//! Source: SPIR-V specification, "Execution Mode"; Vulkan specification, "Built-In Variables"
//! (`Position`, and `PointSize`, which points need).

use std::collections::BTreeSet;

use rspirv::spirv::{BuiltIn, ExecutionMode, ExecutionModel, FunctionControl, StorageClass, Word};

use super::access::OPEN;
use super::kind::{ScalarKind, ScalarMeaning};
use super::types::TypeEmitter;
use layoutproof_device::RecordStage;
use layoutproof_probes::{LANES, NOTHING, POINT, Stage};

/// Why beginning a function cannot fail.
pub(super) const NO_FUNCTION: &str = "no function is open between entries";

/// The bits of 1.0 in IEEE 754.
const ONE: u32 = 0x3F80_0000;

const FLOAT: ScalarKind = ScalarKind { numeric: ScalarMeaning::Float, bits: 32 };

/// The stages of a module's entry points, with the outputs that vertex stages share.
#[derive(Debug, Default)]
pub(super) struct EntryStages {
    point: Option<PointOutputs>,
    /// Stages of the entry points so far.
    stages: BTreeSet<Stage>,
}

/// The outputs that a vertex stage writes for the rasterizer.
#[derive(Clone, Copy, Debug)]
struct PointOutputs {
    position: Word,
    size: Word,
}

impl PointOutputs {
    fn declare(types: &mut TypeEmitter) -> Self {
        let (vector, float) = (types.vector(FLOAT, 4), types.scalar(FLOAT));
        let position = types.builtin(BuiltIn::Position, StorageClass::Output, vector);
        let size = types.builtin(BuiltIn::PointSize, StorageClass::Output, float);
        Self { position, size }
    }

    /// Places the point, in the open function.
    fn store(self, types: &mut TypeEmitter) {
        let zero = types.small_constant(FLOAT, 0);
        let one = types.small_constant(FLOAT, ONE);
        let vector = types.vector(FLOAT, 4);
        let builder = &mut types.builder;
        let centre = builder.composite_construct(vector, None, [zero, zero, zero, one]).expect(OPEN);
        builder.store(self.position, centre, None, []).expect(OPEN);
        builder.store(self.size, one, None, []).expect(OPEN);
    }
}

/// Begins a function without parameters and result.
pub(super) fn begin_function(types: &mut TypeEmitter) -> Word {
    let void = types.builder.type_void();
    let signature = types.builder.type_function(void, []);
    let builder = &mut types.builder;
    let function = builder.begin_function(void, None, FunctionControl::NONE, signature).expect(NO_FUNCTION);
    builder.begin_block(None).expect("a function was just begun");
    function
}

/// Ends a function without result.
pub(super) fn end_function(types: &mut TypeEmitter) {
    types.builder.ret().expect(OPEN);
    types.builder.end_function().expect("the function is open");
}

/// Declares a function as an entry point of the compute stage. `lane` is the variable with the
/// invocation's index.
pub(super) fn declare_compute(types: &mut TypeEmitter, name: &str, function: Word, lane: Option<Word>) {
    let lanes = if lane.is_some() { LANES } else { 1 };
    types.builder.entry_point(ExecutionModel::GLCompute, function, name, lane.into_iter().collect::<Vec<_>>());
    types.builder.execution_mode(function, ExecutionMode::LocalSize, [lanes, 1, 1]);
}

impl EntryStages {
    /// Begins the function of an entry point. A vertex stage places the point first.
    pub(super) fn begin_entry(&mut self, types: &mut TypeEmitter, stage: Stage) -> Word {
        let point = self.point_of(types, stage);
        let function = begin_function(types);
        if let Some(point) = point {
            point.store(types);
        }
        function
    }

    /// Declares the written function as an entry point. `lane` is the variable with the
    /// invocation's index.
    pub(super) fn declare_entry(
        &mut self,
        types: &mut TypeEmitter,
        stage: Stage,
        name: &str,
        function: Word,
        lane: Option<Word>,
    ) {
        types.builder.name(function, name);
        let outputs = self.point_of(types, stage).map(|point| [point.position, point.size]);
        // Before SPIR-V 1.4 an interface lists only inputs and outputs.
        let interface: Vec<Word> = lane.into_iter().chain(outputs.into_iter().flatten()).collect();

        let builder = &mut types.builder;
        match stage {
            Stage::Compute => declare_compute(types, name, function, lane),
            Stage::Vertex => builder.entry_point(ExecutionModel::Vertex, function, name, interface),
            Stage::Fragment => {
                builder.entry_point(ExecutionModel::Fragment, function, name, interface);
                builder.execution_mode(function, ExecutionMode::OriginUpperLeft, []);
            }
            Stage::RayGeneration => {
                builder.entry_point(ExecutionModel::RayGenerationKHR, function, name, interface);
            }
            Stage::Record(stage) => {
                let model = match stage {
                    RecordStage::Callable => ExecutionModel::CallableKHR,
                    RecordStage::Miss => ExecutionModel::MissKHR,
                    RecordStage::ClosestHit => ExecutionModel::ClosestHitKHR,
                    RecordStage::AnyHit => ExecutionModel::AnyHitKHR,
                    RecordStage::Intersection => ExecutionModel::IntersectionKHR,
                };
                builder.entry_point(model, function, name, interface);
            }
        }
        self.stages.insert(stage);
    }

    /// Adds the other stages of the draws for the module's entry points.
    pub(super) fn add_other_stages(&mut self, types: &mut TypeEmitter) {
        let stages = self.stages.clone();
        for stage in stages {
            match stage {
                Stage::Compute | Stage::RayGeneration | Stage::Record(_) => {}
                Stage::Vertex => self.write_other(types, Stage::Fragment, NOTHING),
                Stage::Fragment => self.write_other(types, Stage::Vertex, POINT),
            }
        }
    }

    fn write_other(&mut self, types: &mut TypeEmitter, stage: Stage, name: &str) {
        let function = self.begin_entry(types, stage);
        end_function(types);
        self.declare_entry(types, stage, name, function, None);
    }

    /// Returns the variables that an entry point of `stage` has to write in addition to the
    /// probe's. No function may be open.
    fn point_of(&mut self, types: &mut TypeEmitter, stage: Stage) -> Option<PointOutputs> {
        match stage {
            Stage::Compute | Stage::Fragment | Stage::RayGeneration | Stage::Record(_) => None,
            Stage::Vertex => Some(*self.point.get_or_insert_with(|| PointOutputs::declare(types))),
        }
    }
}
