//! Rows of leaves and of lengths: what a device did in, the four witnesses' numbers side by side out.

use crate::case::Numbers;
use crate::case::expect::join;
use crate::check::conduct::Check;
use crate::check::jobs::CheckProbe;
use crate::layout::Leaf;
use crate::probe::{Observation, Tail, length_in, tail};
use crate::record::{Form, Row, Value, What};

impl Check {
    /// The row of an observation.
    pub(super) fn row(&self, job: &CheckProbe, observation: &Observation) -> Row {
        let module = &self.produced.modules[job.module];
        let block = &self.subject.layouts[module.block].name;
        let leaf = &module.plan.leaves[observation.leaf as usize];
        let compiled = self.compiled(module, &job.probe.entry.name, (observation.form, observation.leaf));
        let of_leaf = || {
            (join(block, &leaf.path), What::Offset, leaf_number(&self.subject.expected, block, leaf), Some(leaf.offset))
        };
        let reported = leaf_number(&module.reported, block, leaf);
        let (path, what, expected, computed) = match observation.form {
            Form::Length => self.length(job).unwrap_or_else(of_leaf),
            Form::Leaf
            | Form::Vector
            | Form::Whole
            | Form::Parameter
            | Form::Indexed
            | Form::Divergent
            | Form::Copied => of_leaf(),
        };
        Row {
            path,
            what,
            space: Some(observation.space),
            direction: Some(observation.direction),
            form: Some(observation.form),
            stage: job.probe.entry.stage,
            expected: expected.map(Value::Number),
            computed: computed.map(Value::Number),
            reported: reported.filter(|_| what == What::Offset).map(Value::Number),
            compiled: compiled.map(Value::Number),
            observed: observation.offset.map(Value::Number),
            note: observation.note.clone(),
        }
    }

    /// Path, case's and our number of elements of the array that ends a block, in the range that was bound.
    fn length(&self, job: &CheckProbe) -> Option<(String, What, Option<u32>, Option<u32>)> {
        let module = &self.produced.modules[job.module];
        let block = &self.subject.layouts[module.block].name;
        let Tail { member, offset, stride } = tail(module.layout.result.as_ref().ok()?)?;
        let path = member.map_or_else(|| block.clone(), |(name, _)| join(block, &name));
        let range = u32::try_from(job.probe.image.owners.len()).ok()?;
        let expected = expected_length(&self.subject.expected, (block, &path), range);
        Some((path, What::ArrayLength, expected, length_in(range, offset, stride)))
    }
}

/// The number for a leaf; for one of a structured buffer's second element, from offset and stride.
fn leaf_number(numbers: &Numbers, block: &str, leaf: &Leaf) -> Option<u32> {
    let of_element = || {
        let inner = leaf.path.strip_prefix("[1]")?;
        let path = inner.strip_prefix('.').unwrap_or(inner).to_owned();
        let leaf = Leaf { path, steps: leaf.steps[1..].to_vec(), ..leaf.clone() };
        numbers.leaf_offset(block, &leaf)?.checked_add(numbers.get(What::ArrayStride, block)?)
    };
    numbers.leaf_offset(block, leaf).or_else(of_element)
}

/// The number of elements that follows from the case's offset and stride of the array at `path`.
fn expected_length(numbers: &Numbers, (block, path): (&str, &str), range: u32) -> Option<u32> {
    let offset = if path == block { Some(0) } else { numbers.get(What::Offset, path) };
    length_in(range, offset?, numbers.get(What::ArrayStride, path)?)
}
