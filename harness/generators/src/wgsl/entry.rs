//! Writes the entry point of a probe in WGSL.
//!
//! [`crate`] maps the output words to leaves and forms.

use std::collections::{HashMap, HashSet};

use layoutproof_layout::shape::Count;

use super::access::{WgslLeafAccess, expression, indexed_expression, wrapped_element};
use super::node::{Grid, NodeShape, WgslNode, WgslScalar};
use super::{BLOCK, NotExpressible};
use layoutproof_probes::{Direction, Form, ProbeEntry};
use layoutproof_readers::wgsl_probe::WgslStep;

/// Writes the function of `entry`.
///
/// # Errors
///
/// A block with a runtime-sized array would be copied as a whole, or the entry has a form that this
/// generator does not write.
pub(super) fn function(
    block: &WgslNode,
    leaves: &[WgslLeafAccess],
    entry: &ProbeEntry,
) -> Result<String, NotExpressible> {
    if let Some(path) = block.runtime_sized().filter(|_| entry.forms.contains(&Form::Whole)) {
        return Err(NotExpressible::new(&path, "a block with a runtime-sized array cannot be copied as a whole"));
    }
    if let Some(form) = entry.forms.iter().find(|form| !is_written(**form)) {
        return Err(NotExpressible::new("", format!("form `{}` is not written in WGSL", form.as_str())));
    }

    let statements = match entry.direction {
        Direction::Read => read(block, leaves, &entry.forms),
        Direction::Write => write(block, leaves, &entry.forms),
    };
    let (name, body) = (&entry.name, statements.join("\n    "));
    Ok(format!("@compute @workgroup_size(1)\nfn {name}() {{\n    output[0] = input[0];\n    {body}\n}}\n"))
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

fn read(block: &WgslNode, leaves: &[WgslLeafAccess], forms: &[Form]) -> Vec<String> {
    // Only the last form, `Form::Indexed`, leaves out leaves.
    let words = |index: usize| 1 + index * leaves.len();
    let statements = forms.iter().enumerate().flat_map(|(index, form)| match form {
        Form::Leaf => store_each(words(index), leaves.iter().map(|leaf| expression(&leaf.path))),
        Form::Vector => read_vectors(words(index), leaves),
        Form::Whole => {
            let mut lines = vec![format!("let whole = {BLOCK};")];
            let parts = leaves.iter().map(|leaf| expression(&leaf.path).replacen(BLOCK, "whole", 1));
            lines.extend(store_each(words(index), parts));
            lines
        }
        Form::Indexed => {
            let indexed = leaves.iter().filter(|leaf| leaf.is_indexed);
            // A read probe's input has only the nonce before the table of numbers.
            store_each(words(index), indexed.map(|leaf| indexed_expression(&leaf.path, 1)))
        }
        Form::Length => {
            let length = block.runtime_sized_place().map(|place| format!("arrayLength(&{})", expression(&place)));
            store_each(words(index), length.into_iter())
        }
        // `is_written` has refused the others.
        _ => Vec::new(),
    });
    statements.collect()
}

fn store_each(first_word: usize, values: impl Iterator<Item = String>) -> Vec<String> {
    let stores = values.enumerate().map(|(index, value)| store(first_word + index, &value));
    stores.collect()
}

fn store(word: usize, value: &str) -> String {
    format!("output[{word}] = bitcast<u32>({value});")
}

/// Loads each vector once, and takes its leaves from the loaded value.
fn read_vectors(first_word: usize, leaves: &[WgslLeafAccess]) -> Vec<String> {
    let mut loaded: HashMap<&[WgslStep], String> = HashMap::new();
    let mut lines = Vec::new();

    for (index, leaf) in leaves.iter().enumerate() {
        let Some((vector, component)) = leaf.in_vector() else {
            lines.push(store(first_word + index, &expression(&leaf.path)));
            continue;
        };

        let name = loaded.entry(vector).or_insert_with(|| {
            let name = format!("v{index}");
            lines.push(format!("let {name} = {};", expression(vector)));
            name
        });
        lines.push(store(first_word + index, &format!("{name}{component}")));
    }
    lines
}

fn write(block: &WgslNode, leaves: &[WgslLeafAccess], forms: &[Form]) -> Vec<String> {
    let values = WrittenValues { words: (1..).zip(leaves).map(|(word, leaf)| (leaf.path.as_slice(), word)).collect() };
    let statements = forms.iter().flat_map(|form| match form {
        Form::Leaf => leaves.iter().map(|leaf| assign(&leaf.path, &values.scalar(leaf.scalar, &leaf.path))).collect(),
        Form::Vector => values.write_vectors(leaves),
        Form::Whole => vec![assign(&[], &values.whole(block, &[]))],
        Form::Indexed => {
            let table = 1 + leaves.len();
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
            Some(word) => format!("bitcast<{}>(input[{word}])", scalar.spelling()),
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
            NodeShape::Matrix(Grid { vectors, length, .. }) => {
                let column = |index| self.vector(WgslScalar::F32, *length, &extended(path, WgslStep::Column(index)));
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
