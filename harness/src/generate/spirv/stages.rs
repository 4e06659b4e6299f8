//! What makes an entry point of a draw: execution models, and the stage that is not probed.
//!
//! A vertex stage has to place its point, whichever stage is probed; a fragment stage needs nothing of its own.
//!
//! Source: SPIR-V specification, "Execution Mode"; Vulkan specification, "Built-In Variables" (`Position`, and
//! `PointSize`, which points need).

use rspirv::spirv::{BuiltIn, ExecutionMode, ExecutionModel, FunctionControl, StorageClass, Word};

use super::access::OPEN;
use super::kind::{ScalarKind, ScalarMeaning};
use super::module::{ModuleWriter, NO_FUNCTION};
use super::types::TypeEmitter;
use crate::probe::Stage;
use crate::probe::{LANES, NOTHING, POINT};

/// One in IEEE 754's bits.
const ONE: u32 = 0x3F80_0000;

const FLOAT: ScalarKind = ScalarKind { numeric: ScalarMeaning::Float, bits: 32 };

/// What a vertex stage writes for the rasterizer.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointOutputs {
    position: Word,
    size: Word,
}

/// Begins a function that takes and returns nothing.
pub(super) fn begin_function(types: &mut TypeEmitter) -> Word {
    let void = types.builder.type_void();
    let signature = types.builder.type_function(void, []);
    let builder = &mut types.builder;
    let function = builder.begin_function(void, None, FunctionControl::NONE, signature).expect(NO_FUNCTION);
    builder.begin_block(None).expect("a function was just begun");
    function
}

impl ModuleWriter<'_> {
    /// The variables that an entry point of `stage` has to write beside the probe's; while no function is open.
    pub(super) fn point_of(&mut self, stage: Stage) -> Option<PointOutputs> {
        match stage {
            Stage::Compute | Stage::Fragment => None,
            Stage::Vertex => Some(self.point()),
        }
    }

    /// Places the point, in the function that is open.
    pub(super) fn store_point(&mut self, PointOutputs { position, size }: PointOutputs) {
        let zero = self.types.small_constant(FLOAT, 0);
        let one = self.types.small_constant(FLOAT, ONE);
        let vector = self.types.vector(FLOAT, 4);
        let builder = &mut self.types.builder;
        let centre = builder.composite_construct(vector, None, [zero, zero, zero, one]).expect(OPEN);
        builder.store(position, centre, None, []).expect(OPEN);
        builder.store(size, one, None, []).expect(OPEN);
    }

    fn point(&mut self) -> PointOutputs {
        if let Some(point) = self.point {
            return point;
        }
        let (vector, float) = (self.types.vector(FLOAT, 4), self.types.scalar(FLOAT));
        let position = self.types.builtin(BuiltIn::Position, StorageClass::Output, vector);
        let size = self.types.builtin(BuiltIn::PointSize, StorageClass::Output, float);
        let point = PointOutputs { position, size };
        self.point = Some(point);
        point
    }

    /// Begins the function of an entry point, which in a draw places the point first.
    pub(super) fn begin_entry(&mut self, stage: Stage) -> Word {
        let point = self.point_of(stage);
        let function = begin_function(&mut self.types);
        if let Some(point) = point {
            self.store_point(point);
        }
        function
    }

    /// Declares the function that was written as an entry point; `lane` is the variable with the invocation's index.
    pub(super) fn declare_entry(&mut self, stage: Stage, name: &str, function: Word, lane: Option<Word>) {
        let outputs = self.point_of(stage).map(|point| [point.position, point.size]);
        let model = match stage {
            Stage::Compute => ExecutionModel::GLCompute,
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::Fragment => ExecutionModel::Fragment,
        };
        let builder = &mut self.types.builder;
        builder.name(function, name);
        // Before SPIR-V 1.4 an interface lists inputs and outputs only.
        let interface: Vec<Word> = lane.into_iter().chain(outputs.into_iter().flatten()).collect();
        builder.entry_point(model, function, name, interface);
        match stage {
            Stage::Compute => {
                let lanes = if lane.is_some() { LANES } else { 1 };
                builder.execution_mode(function, ExecutionMode::LocalSize, [lanes, 1, 1]);
            }
            Stage::Vertex => {}
            Stage::Fragment => builder.execution_mode(function, ExecutionMode::OriginUpperLeft, []),
        }
        self.stages.insert(stage);
    }

    /// Adds the other stage of the draws that the module's entry points need.
    pub(super) fn add_other_stages(&mut self) {
        let stages = self.stages.clone();
        for stage in stages {
            match stage {
                Stage::Compute => {}
                Stage::Vertex => self.write_other(Stage::Fragment, NOTHING),
                Stage::Fragment => self.write_other(Stage::Vertex, POINT),
            }
        }
    }

    fn write_other(&mut self, stage: Stage, name: &str) {
        let function = self.begin_entry(stage);
        let builder = &mut self.types.builder;
        builder.ret().expect(OPEN);
        builder.end_function().expect("the function is open");
        self.declare_entry(stage, name, function, None);
    }
}
