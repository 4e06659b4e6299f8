//! The shapes of the members of a run's cases and files, by which entries of lists match them.

use std::collections::HashMap;
use std::sync::Arc;

use layoutproof_built_in::CASES;
use layoutproof_core::check::Subject;
use layoutproof_core::results::known::shape::{self, ShapeAt};
use layoutproof_core::results::known::{KnownFailure, shapes_of_block};
use layoutproof_device::DeviceInfo;
use layoutproof_events::CheckRecord;
use layoutproof_layout::reorder::declared_type;
use layoutproof_layout::{Block, BlockLayout};

/// Shapes by the id of a case or a file.
#[derive(Debug, Default)]
pub struct Shapes {
    of_sources: HashMap<String, ShapesOfSource>,
}

#[derive(Debug)]
struct ShapesOfSource {
    shapes: Vec<ShapeAt>,
    /// True for a case that is built in. Lists name such cases; only entries about versions of a
    /// driver match them by shape.
    is_named: bool,
}

/// A block that would have the layout, if its members say enough.
fn declaration_of(layout: &BlockLayout) -> Option<Block> {
    Some(Block::new(&layout.name, layout.kind, declared_type(layout.result.as_ref().ok()?)?))
}

impl Shapes {
    pub fn of<'a>(subjects: impl IntoIterator<Item = &'a Arc<Subject>>) -> Self {
        let mut of_sources = HashMap::new();
        for subject in subjects {
            let source = &subject.source;
            of_sources.entry(source.id.clone()).or_insert_with(|| {
                let declared = &source.module.blocks;
                // A file that states its offsets has layouts alone.
                let laid_out = if declared.is_empty() { subject.layouts.as_slice() } else { &[] };
                let of_layouts: Vec<Block> = laid_out.iter().filter_map(declaration_of).collect();
                let blocks = declared.iter().chain(&of_layouts);
                let shapes = blocks.flat_map(|block| shapes_of_block(block, source.options)).collect();
                let is_named = CASES.iter().any(|case| case.name == source.id);
                ShapesOfSource { shapes, is_named }
            });
        }
        Self { of_sources }
    }

    /// Marks the record if an entry explains its difference by shape, or names the known difference
    /// of another device that it resembles.
    pub fn explain(&self, known: &[KnownFailure], record: &mut CheckRecord, devices: &[DeviceInfo]) {
        let Some(ShapesOfSource { shapes, is_named }) = self.of_sources.get(&record.id.case) else { return };
        if *is_named {
            shape::explain_by_driver(known, record, devices, shapes);
        } else {
            shape::explain(known, record, devices, shapes);
        }
        shape::resemble(known, record, shapes);
    }
}
