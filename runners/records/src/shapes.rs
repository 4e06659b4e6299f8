//! The shapes of the members of a run's cases and files, by which entries of lists match them.

use std::collections::HashMap;
use std::sync::Arc;

use layoutproof_built_in::CASES;
use layoutproof_core::check::Subject;
use layoutproof_core::results::known::shape::{self, ShapeAt};
use layoutproof_core::results::known::{KnownFailure, shapes_of_block};
use layoutproof_device::DeviceInfo;
use layoutproof_events::CheckRecord;

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

impl Shapes {
    pub fn of<'a>(subjects: impl IntoIterator<Item = &'a Arc<Subject>>) -> Self {
        let mut of_sources = HashMap::new();
        for subject in subjects {
            let source = &subject.source;
            of_sources.entry(source.id.clone()).or_insert_with(|| {
                let of_blocks = source.module.blocks.iter().flat_map(|block| shapes_of_block(block, source.options));
                let is_named = CASES.iter().any(|case| case.name == source.id);
                ShapesOfSource { shapes: of_blocks.collect(), is_named }
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
