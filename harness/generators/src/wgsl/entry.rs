//! Writes the entry point of a probe in WGSL.
//!
//! [`crate`] maps the output words to leaves and forms.

use std::collections::{HashMap, HashSet};

use layoutproof_layout::shape::Count;

use super::NotExpressible;
use super::access::{WgslLeafAccess, expression, indexed_expression, wrapped_element};
use super::node::{Grid, NodeShape, WgslNode, WgslScalar};
use layoutproof_probes::{CASES_OF_HASH, Direction, Form, HASH_FACTOR, ProbeEntry, RegionAnswer};
use layoutproof_readers::wgsl_probe::WgslStep;

/// Writes the function of `entry`.
///
/// # Errors
///
/// A block with a runtime-sized array would be copied as a whole, or the entry has a form that this
/// generator does not write.
pub(super) fn function(
    block: &WgslNode,
    leaves: Vec<WgslLeafAccess>,
    entry: &ProbeEntry,
) -> Result<String, NotExpressible> {
    let case = CaseBody { entry, block, root: Vec::new(), leaves, input: 0, answers: Answers::Stored };
    let body = case.statements()?;
    Ok(written(entry, "output[0] = input[0];", &body))
}

/// Writes the function that does the work of `entry` in several cases, each in its region. The nonce is at word `nonce` of the
/// input.
///
/// # Errors
///
/// As for [`function`], for the first case that cannot be written.
pub(super) fn shared_function(
    cases: &[CaseBody<'_>],
    nonce: usize,
    entry: &ProbeEntry,
) -> Result<String, NotExpressible> {
    let is_hashed = RegionAnswer::of(entry) != RegionAnswer::Nonce;
    let mut lines = Vec::new();
    for (number, group) in cases.chunks(CASES_OF_HASH).enumerate() {
        lines.extend(is_hashed.then(|| format!("hash = input[{nonce}] ^ {number}u;")));
        for case in group {
            // Names of one case are free for the next one.
            lines.push("{".to_owned());
            lines.extend(case.statements()?);
            lines.push("}".to_owned());
        }
        lines.extend(is_hashed.then(|| format!("output[{number}] = hash;")));
    }
    let first = if is_hashed { "var hash: u32;".to_owned() } else { format!("output[0] = input[{nonce}];") };
    Ok(written(entry, &first, &lines))
}

fn written(entry: &ProbeEntry, first: &str, lines: &[String]) -> String {
    let (name, body) = (&entry.name, lines.join("\n    "));
    format!("@compute @workgroup_size(1)\nfn {name}() {{\n    {first}\n    {body}\n}}\n")
}

/// Returns true if this generator writes a form.
fn is_written(form: Form) -> bool {
    match form {
        Form::Leaf | Form::Vector | Form::Whole | Form::Indexed | Form::Length => true,
        Form::Parameter
        | Form::Divergent
        | Form::Copied
        | Form::ByteAddress
        | Form::Private
        | Form::Function
        | Form::Workgroup
        | Form::Linked
        | Form::Sized
        | Form::Untyped
        | Form::UntypedVector
        | Form::UntypedWhole
        | Form::UntypedLength
        | Form::Retyped => false,
    }
}

/// What becomes of the words that a case reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// Each has its place in the output.
    Stored,
    /// They are added to the variable `hash`, as [`layoutproof_probes::RegionJob`] does it.
    Hashed,
}

/// The work of an entry point on one block.
#[derive(Debug)]
pub(super) struct CaseBody<'a> {
    /// With the forms of this case.
    pub(super) entry: &'a ProbeEntry,
    pub(super) block: &'a WgslNode,
    /// The steps from the variable to the block, and from there on to each leaf.
    pub(super) root: Vec<WgslStep>,
    pub(super) leaves: Vec<WgslLeafAccess>,
    /// The number of its first word in the input.
    pub(super) input: usize,
    pub(super) answers: Answers,
}

impl CaseBody<'_> {
    fn statements(&self) -> Result<Vec<String>, NotExpressible> {
        let Self { entry, .. } = self;
        if let Some(path) = self.block.runtime_sized().filter(|_| entry.forms.contains(&Form::Whole)) {
            let reason = "a block with a runtime-sized array cannot be copied as a whole";
            return Err(NotExpressible::new(&path, reason));
        }
        if let Some(form) = entry.forms.iter().find(|form| !is_written(**form)) {
            return Err(NotExpressible::new("", format!("form `{}` is not written in WGSL", form.as_str())));
        }
        Ok(match entry.direction {
            Direction::Read => self.read(&entry.forms),
            Direction::Write => self.write(&entry.forms),
        })
    }

    fn read(&self, forms: &[Form]) -> Vec<String> {
        // Only the last form, `Form::Indexed`, leaves out leaves.
        let words = |index: usize| 1 + index * self.leaves.len();
        let statements = forms.iter().enumerate().flat_map(|(index, form)| match form {
            Form::Leaf => {
                let leaves = self.leaves.iter().map(|leaf| leaf.scalar.word_of(&expression(&leaf.path)));
                self.answer_each(words(index), leaves)
            }
            Form::Vector => self.read_vectors(words(index)),
            Form::Whole => {
                let block = expression(&self.root);
                let part = |leaf: &WgslLeafAccess| expression(&leaf.path).replacen(&block, "whole", 1);
                let parts = self.leaves.iter().map(|leaf| leaf.scalar.word_of(&part(leaf)));
                let mut lines = vec![format!("let whole = {block};")];
                lines.extend(self.answer_each(words(index), parts));
                lines
            }
            Form::Indexed => {
                // A read probe's input has only the nonce before the table of numbers.
                let table = self.input + 1;
                let indexed = self.leaves.iter().filter(|leaf| leaf.is_indexed);
                let leaves = indexed.map(|leaf| leaf.scalar.word_of(&indexed_expression(&leaf.path, table)));
                self.answer_each(words(index), leaves)
            }
            Form::Length => {
                let place = self.block.runtime_sized_place();
                let length = place.map(|place| format!("arrayLength(&{})", expression(&place)));
                self.answer_each(words(index), length.into_iter())
            }
            // `is_written` has refused the others.
            _ => Vec::new(),
        });
        statements.collect()
    }

    fn answer_each(&self, first_word: usize, words: impl Iterator<Item = String>) -> Vec<String> {
        words.enumerate().map(|(index, word)| self.answer(first_word + index, &word)).collect()
    }

    fn answer(&self, place: usize, word: &str) -> String {
        match self.answers {
            Answers::Stored => format!("output[{place}] = {word};"),
            Answers::Hashed => format!("hash = (hash ^ {word}) * {HASH_FACTOR}u;"),
        }
    }

    /// Loads each vector once, and takes its leaves from the loaded value.
    fn read_vectors(&self, first_word: usize) -> Vec<String> {
        let mut loaded: HashMap<&[WgslStep], String> = HashMap::new();
        let mut lines = Vec::new();

        for (index, leaf) in self.leaves.iter().enumerate() {
            let Some((vector, component)) = leaf.in_vector() else {
                lines.push(self.answer(first_word + index, &leaf.scalar.word_of(&expression(&leaf.path))));
                continue;
            };

            let name = loaded.entry(vector).or_insert_with(|| {
                let name = format!("v{index}");
                lines.push(format!("let {name} = {};", expression(vector)));
                name
            });
            lines.push(self.answer(first_word + index, &leaf.scalar.word_of(&format!("{name}{component}"))));
        }
        lines
    }

    fn write(&self, forms: &[Form]) -> Vec<String> {
        let Self { block, root, leaves, input, .. } = self;
        let numbered = (input + 1..).zip(leaves);
        let values = WrittenValues { words: numbered.map(|(word, leaf)| (leaf.path.as_slice(), word)).collect() };
        let statements = forms.iter().flat_map(|form| match form {
            Form::Leaf => {
                leaves.iter().map(|leaf| assign(&leaf.path, &values.scalar(leaf.scalar, &leaf.path))).collect()
            }
            Form::Vector => values.write_vectors(leaves),
            Form::Whole => vec![assign(root, &values.whole(block, root))],
            Form::Indexed => {
                let table = input + 1 + leaves.len();
                let indexed = leaves.iter().filter(|leaf| leaf.is_indexed);
                let stores = indexed.map(|leaf| {
                    let value = values.scalar(leaf.scalar, &leaf.path);
                    format!("{} = {value};", indexed_expression(&leaf.path, table))
                });
                stores.collect()
            }
            // `is_written` has refused the others, and a length cannot be written.
            _ => Vec::new(),
        });
        statements.collect()
    }
}

fn assign(place: &[WgslStep], value: &str) -> String {
    format!("{} = {value};", expression(place))
}

/// The values that a write probe stores.
#[derive(Debug)]
struct WrittenValues<'a> {
    /// The input word of each leaf.
    words: HashMap<&'a [WgslStep], usize>,
}

impl WrittenValues<'_> {
    /// Returns the value of the scalar at `path`: its input word, or its current value if the probe
    /// has no leaf there, so that fillers and leaves that are not probed keep their bytes.
    fn scalar(&self, scalar: WgslScalar, path: &[WgslStep]) -> String {
        match self.words.get(path) {
            Some(word) => scalar.value_of(&format!("input[{word}]")),
            None => expression(path),
        }
    }

    fn vector(&self, scalar: WgslScalar, length: u32, path: &[WgslStep]) -> String {
        let components = (0..length).map(|index| self.scalar(scalar, &extended(path, WgslStep::Component(index))));
        construct(&format!("vec{length}<{}>", scalar.spelling()), components)
    }

    fn write_vectors(&self, leaves: &[WgslLeafAccess]) -> Vec<String> {
        let mut written: HashSet<&[WgslStep]> = HashSet::new();
        let statements = leaves.iter().filter_map(|leaf| match (leaf.in_vector(), leaf.vector) {
            (Some((vector, _)), Some(length)) => {
                written.insert(vector).then(|| assign(vector, &self.vector(leaf.scalar, length, vector)))
            }
            (_, None) | (None, _) => Some(assign(&leaf.path, &self.scalar(leaf.scalar, &leaf.path))),
        });
        statements.collect()
    }

    /// Returns the constructor of everything under `path`.
    fn whole(&self, node: &WgslNode, path: &[WgslStep]) -> String {
        match &node.shape {
            NodeShape::Scalar(scalar) => self.scalar(*scalar, path),
            NodeShape::Vector { scalar, length } => self.vector(*scalar, *length, path),
            NodeShape::Matrix { scalar, grid: Grid { vectors, length, .. } } => {
                let column = |index| self.vector(*scalar, *length, &extended(path, WgslStep::Column(index)));
                construct(&node.ty, (0..*vectors).map(column))
            }
            NodeShape::Array { element, count, wrapper, .. } => {
                let count = match count {
                    Count::Finite(count) => *count,
                    Count::Unbounded => 0,
                };
                let parts = (0..count).map(|index| {
                    let path = extended(path, WgslStep::Element(index));
                    match wrapper {
                        Some(ty) => construct(ty, [self.whole(element, &extended(&path, wrapped_element()))]),
                        None => self.whole(element, &path),
                    }
                });
                construct(&node.ty, parts)
            }
            NodeShape::Struct(members) => {
                let parts = (0..).zip(members).map(|(index, member)| {
                    let step = WgslStep::Member { index, name: member.name.clone() };
                    self.whole(&member.node, &extended(path, step))
                });
                construct(&node.ty, parts)
            }
        }
    }
}

fn construct(ty: &str, parts: impl IntoIterator<Item = String>) -> String {
    format!("{ty}({})", parts.into_iter().collect::<Vec<_>>().join(", "))
}

fn extended(path: &[WgslStep], step: WgslStep) -> Vec<WgslStep> {
    let mut path = path.to_vec();
    path.push(step);
    path
}
