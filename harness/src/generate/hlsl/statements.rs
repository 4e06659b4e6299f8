//! The statements of a probe in HLSL: every leaf by name, in each form of access.
//!
//! [`Form::Leaf`] names the leaf, [`Form::Vector`] reads the vector or matrix row that it is in, [`Form::Whole`] passes
//! the member or the element that it is in through a function, and [`Form::Indexed`] takes every index from the input.

use std::fmt::Write;

use super::{Dialect, INPUT, OUTPUT, expression};
use crate::layout::tree::LeafStep;
use crate::layout::{BlockLayout, Component, Leaf};
use crate::module::BlockKind;
use crate::probe::{Place, ProbePlan, Slot, Wiring};
use crate::record::{Direction, Form};
use crate::scalar::Scalar;

/// Names of a vector's components; no matrix has more columns.
const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// What [`Form::Whole`] calls.
pub(super) fn whole(dialect: Dialect) -> &'static str {
    match dialect {
        // FXC has no generic functions; its plans have no such form.
        Dialect::OldHlsl => "",
        Dialect::Hlsl => "template <typename T> T layoutproof_whole(T value) { return value; }\n",
        Dialect::Slang => "T layoutproof_whole<T>(T value) { return value; }\n",
    }
}

/// What the statements are about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probed<'a> {
    pub(super) dialect: Dialect,
    pub(super) layout: &'a BlockLayout,
    pub(super) plan: &'a ProbePlan,
    pub(super) wiring: &'a Wiring,
}

impl Probed<'_> {
    /// The statements of an entry point; `None` where the block has no name, or a form no statement.
    pub(super) fn statements(&self, direction: Direction) -> Option<String> {
        let mut text = String::new();
        // The slots of a vector follow each other.
        let of_one_vector = |one: &Slot, next: &Slot| {
            let stems = [one, next].map(|slot| vector_stem(self.leaf(slot)));
            one.form == Form::Vector && next.form == Form::Vector && stems[0].is_some() && stems[0] == stems[1]
        };
        for slots in self.wiring.slots.chunk_by(of_one_vector) {
            match direction {
                Direction::Read => text += &self.reads(slots)?,
                Direction::Write => text += &self.write(&slots[0])?,
            }
        }
        Some(text)
    }

    fn leaf(&self, slot: &Slot) -> &Leaf {
        &self.plan.leaves[slot.leaf as usize]
    }

    /// Slots of one vector, or a single one of any other form.
    fn reads(&self, slots: &[Slot]) -> Option<String> {
        let leaf = self.leaf(&slots[0]);
        let path = expression(self.layout, leaf)?;
        let value = match slots[0].form {
            Form::Leaf => self.spelled(leaf, path),
            Form::Vector => match vector_stem(leaf) {
                Some(stem) => return self.vector(slots, stem.len(), &path),
                None => path,
            },
            Form::Whole => {
                let (whole, rest) = path.split_at(whole_end(&path, self.layout, leaf));
                // A scalar alone is what its name is, and DXC's SPIR-V passes no enum to functions.
                if rest.is_empty() { path } else { format!("layoutproof_whole({whole}){rest}") }
            }
            Form::Indexed => self.indexed(&self.spelled(leaf, path)),
            Form::Parameter | Form::Divergent | Form::Copied | Form::Length => return None,
        };
        Some(store(&value, leaf.component, word(&slots[0])?))
    }

    /// Reads a vector or a matrix row at once; `stem` is the length of its path.
    fn vector(&self, slots: &[Slot], stem: usize, path: &str) -> Option<String> {
        let first = self.leaf(&slots[0]);
        let (vector, _) = path.split_at(path.len() - (first.path.len() - stem));
        let vector = vector.trim_end_matches('.');
        let mut text = format!("    {{ {}{} value = {vector};\n", first.component.scalar.spelling(), slots.len());
        for slot in slots {
            let leaf = self.leaf(slot);
            let part = &leaf.path[stem..];
            // A component of an element that is a vector has no dot of its own.
            let dot = if part.starts_with(['.', '[']) { "" } else { "." };
            text += &store(&format!("value{dot}{part}"), leaf.component, word(slot)?);
        }
        Some(text + "    }\n")
    }

    /// The path as the dialect takes it: FXC wants no second subscript on a matrix in a structured buffer (its error X3512)
    /// but the name of a component.
    fn spelled(&self, leaf: &Leaf, path: String) -> String {
        let is_structured = self.layout.kind == BlockKind::StructuredElement;
        match leaf.steps.last() {
            Some(LeafStep::Cell { column, .. }) if is_structured && self.dialect == Dialect::OldHlsl => {
                let row = path.rfind('[').map_or(path.as_str(), |at| &path[..at]);
                format!("{row}.{}", COMPONENTS[*column as usize])
            }
            Some(LeafStep::Member(_) | LeafStep::Element(_) | LeafStep::Component(_) | LeafStep::Cell { .. })
            | None => path,
        }
    }

    /// The path with every index taken from the table of numbers in the input.
    fn indexed(&self, path: &str) -> String {
        let from_input = |part: &str| {
            let (index, rest) = part.split_once(']')?;
            let byte = 4 * (self.wiring.table + index.parse::<u32>().ok()?);
            Some(format!("{INPUT}.Load({byte})]{rest}"))
        };
        let parts = path.split_inclusive('[');
        parts.map(|part| from_input(part).unwrap_or_else(|| part.to_owned())).collect()
    }

    fn write(&self, slot: &Slot) -> Option<String> {
        let leaf = self.leaf(slot);
        let path = self.spelled(leaf, expression(self.layout, leaf)?);
        Some(format!("    {path} = {};\n", loaded(leaf.component, word(slot)?)))
    }
}

/// The path of the vector or the matrix row that the leaf is in.
fn vector_stem(leaf: &Leaf) -> Option<&str> {
    match leaf.steps.last()? {
        LeafStep::Component(_) => leaf.path.rsplit_once('.').map(|(stem, _)| stem).or(Some("")),
        LeafStep::Cell { .. } => leaf.path.rfind('[').map(|at| &leaf.path[..at]),
        LeafStep::Member(_) | LeafStep::Element(_) => None,
    }
}

/// Where the path of the member, or of the element of a structured buffer, ends that the leaf is in.
fn whole_end(path: &str, layout: &BlockLayout, leaf: &Leaf) -> usize {
    let in_block = path.len() - leaf.path.len();
    // `S[0]` of `S[0].a`, whose path in the block is `a`; `S.p` of `S.p.b`.
    let from = if layout.stride.is_some() { in_block.saturating_sub(1) } else { in_block };
    path[from..].find('.').map_or(path.len(), |dot| from + dot)
}

fn word(slot: &Slot) -> Option<u32> {
    match slot.places[..] {
        [Place::Word(word)] => Some(word),
        _ => None,
    }
}

/// The statement that stores a leaf's bits at a word of the output.
fn store(path: &str, component: Component, word: u32) -> String {
    let byte = 4 * word;
    let mut text = String::new();
    let written = match (component.scalar, component.size) {
        (Scalar::Bool, _) => writeln!(text, "    {OUTPUT}.Store({byte}, {path} ? 1u : 0u);"),
        (scalar, 8) if scalar.is_float() => writeln!(
            text,
            "    {{ uint low, high; asuint({path}, low, high); {OUTPUT}.Store2({byte}, uint2(low, high)); }}"
        ),
        (_, 8) => {
            writeln!(text, "    {OUTPUT}.Store2({byte}, uint2((uint)({path}), (uint)((uint64_t)({path}) >> 32)));")
        }
        (scalar, 2) if scalar.is_float() => {
            writeln!(text, "    {OUTPUT}.Store({byte}, (uint)asuint16((half)({path})));")
        }
        // A signed number would bring its sign.
        (_, 2) => writeln!(text, "    {OUTPUT}.Store({byte}, (uint)({path}) & 0xFFFFu);"),
        (_, 1) => writeln!(text, "    {OUTPUT}.Store({byte}, (uint)({path}) & 0xFFu);"),
        (scalar, _) if scalar.is_float() => writeln!(text, "    {OUTPUT}.Store({byte}, asuint({path}));"),
        // Enums convert, too.
        (_, _) => writeln!(text, "    {OUTPUT}.Store({byte}, (uint)({path}));"),
    };
    written.expect("a String takes every write");
    text
}

/// A leaf's value from the word of the input.
fn loaded(component: Component, word: u32) -> String {
    let (low, high) = (4 * word, 4 * word + 4);
    let load = |byte: u32| format!("{INPUT}.Load({byte})");
    let spelling = component.scalar.spelling();
    match (component.scalar, component.size) {
        (Scalar::Bool, _) => format!("{} != 0", load(low)),
        (scalar, 8) if scalar.is_float() => format!("asdouble({}, {})", load(low), load(high)),
        (_, 8) => format!("({spelling})((uint64_t){} | ((uint64_t){} << 32))", load(low), load(high)),
        (scalar, 2) if scalar.is_float() => format!("asfloat16((uint16_t){})", load(low)),
        (scalar, _) if scalar.is_float() => format!("asfloat({})", load(low)),
        (_, _) => format!("({spelling}){}", load(low)),
    }
}
