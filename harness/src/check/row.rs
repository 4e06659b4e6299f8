//! Builds the rows of a record: the witnesses' numbers side by side, for a leaf or for the
//! length of an array.

use layoutproof_layout::{Leaf, LeafStep, Numbers, Quantity, join};

use crate::check::check::Check;
use crate::check::jobs::CheckProbe;
use crate::check::produce::shader_module::ShaderModule;
use layoutproof_events::producer::Producer;
use layoutproof_events::{Access, RecordValue, Row, Witnesses};
use layoutproof_probes::{Form, Observation, Tail, length_in, tail};

/// The path of a row, with the numbers of the case and of our rules.
struct RowNumbers {
    path: String,
    quantity: Quantity,
    expected: Option<u32>,
    computed: Option<u32>,
}

impl Check {
    pub(super) fn row(&self, job: &CheckProbe, observation: &Observation) -> Row {
        let module = &self.produced.modules[job.module];
        let block = &module.layout.name;
        let leaf = &module.plan.leaves[observation.leaf as usize];
        let compiled = self.compiled(module, &job.probe.entry.name, observation.form, observation.leaf);
        let expected_leaf = leaf_number(&self.subject.expected, block, leaf);
        let of_leaf = || RowNumbers {
            path: join(block, &leaf.path),
            quantity: Quantity::Offset,
            expected: expected_leaf,
            computed: Some(leaf.offset),
        };
        let reported = leaf_number(&module.reported, block, leaf)
            .or_else(|| reported_cell(module, block, leaf))
            .or_else(|| expected_leaf.filter(|_| self.is_claimed(block, leaf)));

        let RowNumbers { path, quantity: what, expected, computed } = match observation.form {
            Form::Length | Form::UntypedLength => self.length(job).unwrap_or_else(of_leaf),
            Form::Leaf
            | Form::Vector
            | Form::Whole
            | Form::Parameter
            | Form::Indexed
            | Form::Divergent
            | Form::Copied
            | Form::Linked
            | Form::ByteAddress
            | Form::Private
            | Form::Function
            | Form::Workgroup
            | Form::Sized
            | Form::Untyped
            | Form::UntypedVector
            | Form::UntypedWhole
            | Form::Retyped => of_leaf(),
        };

        let witnesses = Witnesses {
            expected: expected.map(RecordValue::Number),
            computed: computed.map(RecordValue::Number),
            reported: reported.filter(|_| what == Quantity::Offset).map(RecordValue::Number),
            compiled: compiled.map(RecordValue::Number),
            observed: observation.offset.map(RecordValue::Number),
        };
        let access = Access {
            space: observation.space,
            stage: job.probe.entry.stage,
            direction: observation.direction,
            form: Some(observation.form),
        };
        Row {
            access: Some(access),
            note: observation.note.clone(),
            fused: job.fused,
            ..Row::new(path, what, witnesses)
        }
    }

    /// Builds rows that compare the case's claims about a compiler's code with the code. No device
    /// takes part.
    pub(super) fn claims(&self) -> Vec<Row> {
        if !self.is_of_the_claims() {
            return Vec::new();
        }

        let modules = self.produced.modules.iter();
        let claims = modules.flat_map(|module| {
            (0..).zip(&module.plan.leaves).filter_map(move |(index, leaf)| self.claim(module, index, leaf))
        });
        claims.collect()
    }

    /// Builds the row of the case's claim about a leaf in a module's code; `None` if there is no
    /// claim, or if the code does not address the leaf by name.
    fn claim(&self, module: &ShaderModule, index: u32, leaf: &Leaf) -> Option<Row> {
        let block = &module.layout.name;
        let claimed = leaf_number(&self.subject.accessed, block, leaf)?;
        let mut entries = module.plan.entries.iter();
        let compiled = entries.find_map(|entry| self.compiled(module, &entry.name, Form::Leaf, index))?;

        let witnesses = Witnesses {
            expected: Some(RecordValue::Number(claimed)),
            compiled: Some(RecordValue::Number(compiled)),
            ..Witnesses::default()
        };
        Some(Row {
            note: Some("what the case says that the code addresses".to_owned()),
            ..Row::new(join(block, &leaf.path), Quantity::Offset, witnesses)
        })
    }

    /// Returns true if the case claims where this compiler's code reads. A claim is about one
    /// compiler and also applies to its other versions (`dxc-old`).
    fn is_of_the_claims(&self) -> bool {
        self.subject.accessed_by.as_deref().is_some_and(|name| is_called(self.produced.producer, name))
    }

    /// Returns true if the case claims that the code reads the leaf, or an enclosing member, at a
    /// place other than the listed one. The case then expects the listing, even for leaves that a
    /// listing does not print, such as array elements.
    fn is_claimed(&self, block: &str, leaf: &Leaf) -> bool {
        let path = join(block, &leaf.path);
        let is_in =
            |whole: &str| path.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']));
        self.is_of_the_claims() && self.subject.accessed.iter().any(|(_, whole, _)| is_in(whole))
    }

    /// Returns the path and the element counts, from the case and from our rules, of the array that
    /// ends a block within the bound range.
    fn length(&self, job: &CheckProbe) -> Option<RowNumbers> {
        let module = &self.produced.modules[job.module];
        let block = &module.layout.name;
        let Tail { member, offset, stride } = tail(module.layout.result.as_ref().ok()?)?;
        let path = member.map_or_else(|| block.clone(), |(name, _)| join(block, &name));
        let range = u32::try_from(job.probe.image.owners.len()).ok()?;
        let expected = expected_length(&self.subject.expected, block, &path, range);
        let computed = length_in(range, offset, stride);
        Some(RowNumbers { path, quantity: Quantity::ArrayLength, expected, computed })
    }
}

/// Returns true if cases use this name for the producer's compiler. Our generators have no such
/// name.
fn is_called(producer: Producer, name: &str) -> bool {
    match producer {
        Producer::Compiler(toolchain) => toolchain.name_in_cases == name,
        Producer::Generator(_) => false,
    }
}

/// Returns the offset of a matrix element from a report that gives only the start of the matrix.
/// The rules determine the rest.
fn reported_cell(module: &ShaderModule, block: &str, leaf: &Leaf) -> Option<u32> {
    let (LeafStep::Cell { .. }, matrix) = leaf.steps.split_last()? else { return None };
    let start = LeafStep::Cell { row: 0, column: 0 };
    let mut leaves = module.plan.leaves.iter();
    let first = leaves.find(|first| first.steps.split_last() == Some((&start, matrix)))?;
    leaf_number(&module.reported, block, first)?.checked_add(leaf.offset.checked_sub(first.offset)?)
}

/// Returns the number for a leaf. For the second element of a structured buffer it adds the stride
/// to the offset.
fn leaf_number(numbers: &Numbers, block: &str, leaf: &Leaf) -> Option<u32> {
    let of_element = || {
        let second = leaf.steps.first() == Some(&LeafStep::Element(1));
        let inner = leaf.path.strip_prefix("[1]").filter(|_| second)?;
        let path = inner.strip_prefix('.').unwrap_or(inner).to_owned();
        let leaf = Leaf { path, steps: leaf.steps[1..].to_vec(), ..leaf.clone() };
        numbers.leaf_offset(block, &leaf)?.checked_add(numbers.get(Quantity::ArrayStride, block)?)
    };
    numbers.leaf_offset(block, leaf).or_else(of_element)
}

/// Returns the element count that follows from the case's offset and stride of the array at `path`.
fn expected_length(numbers: &Numbers, block: &str, path: &str, range: u32) -> Option<u32> {
    let offset = if path == block { Some(0) } else { numbers.get(Quantity::Offset, path) };
    length_in(range, offset?, numbers.get(Quantity::ArrayStride, path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A claim names a compiler as cases do, and covers all of its versions, targets and layout
    /// options.
    #[test]
    fn a_claim_is_about_every_toolchain_of_its_compiler() {
        for (producer, name, expected) in [
            ("dxc-dxil", "dxc", true),
            ("dxc-1.9-spirv-dx", "dxc", true),
            ("dxc-old-dxil", "dxc", true),
            ("slang-vulkan", "slang", true),
            ("slang-d3d12", "slang", true),
            ("slang-vulkan", "slangc", false),
            ("clang-dxil", "clang-dxc", true),
            ("clang-dxil", "clang", false),
            ("fxc", "fxc", true),
            ("fxc", "dxc", false),
            ("rspirv", "rspirv", false),
        ] {
            let producer = Producer::named(producer).expect("each is in the table of toolchains");
            assert_eq!(is_called(producer, name), expected, "{producer} {name}");
        }
    }
}
