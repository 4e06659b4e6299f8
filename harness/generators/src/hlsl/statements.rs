//! Writes the statements of a probe in HLSL: every leaf by name, in each form of access.
//!
//! [`Form::Leaf`] names the leaf. [`Form::Vector`] reads the vector or matrix row that contains it.
//! [`Form::Whole`] passes the enclosing member or element to a function. [`Form::Indexed`] takes
//! every index from the input; in Slang it reads most cells of a matrix from a copy.
//! [`Form::ByteAddress`] loads the whole element from a byte-address buffer, or stores it there; in
//! [`AddressSpace::Address`] it does so at an address (`vk::RawBufferLoad`).
//! [`Form::Linked`] goes through a pointer in the first element behind a pointer.
//! [`Form::Private`] and [`Form::Workgroup`] copy the value that [`Form::Whole`] passes to a
//! variable, and index that variable only with indices from the input.
//!
//! A value with many leaves is passed once for all of them, since a copy for each leaf would take
//! as many loads as leaves squared.

use std::collections::BTreeSet;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{ATOMIC, Count};
use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{BlockKind, BlockLayout, Component, LaidOutShape, Leaf};

use super::{ADDRESS, BYTES, Dialect, expression};
use layoutproof_probes::reserved::MARK;
use layoutproof_probes::{
    AddressSpace, AnswerPlace, AnswerSlot, Direction, Form, ProbePlan, SelfLink, Wiring, address_alignment,
    is_array_of_elements, self_link,
};

/// Names of a vector's components. No matrix has more columns.
const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

// A local would hide a parameter of the same name in the declarations. So the names of locals start
// with the mark, which `reserved` replaces by a prefix that the declarations leave free.

/// The local for a value that is read at once.
const VALUE: &str = "\u{1}value";

/// Prefix of the names of locals for indices from the input. The index follows.
const INDEX: &str = "\u{1}index";

/// Prefix of the names of variables in workgroup memory.
const SHARED: &str = "\u{1}shared";

/// Locals for the words of a double.
const HALVES: [&str; 2] = ["\u{1}low", "\u{1}high"];

/// Prefix of the name of a handle's type.
const HANDLE: &str = "DescriptorHandle<";

/// The method that reads an `Atomic`.
const LOAD: &str = ".load()";

/// The local for the words of a handle.
const WORDS: &str = "\u{1}words";

/// A block with its plan, and the dialect of its probe statements.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbedBlock<'a> {
    pub(super) dialect: Dialect,
    pub(super) layout: &'a BlockLayout,
    pub(super) plan: &'a ProbePlan,
    pub(super) wiring: &'a Wiring,
}

/// The text of an entry point.
#[derive(Debug, Default)]
pub(super) struct Statements {
    /// The functions that the body calls.
    pub(super) functions: Vec<String>,
    /// The statements of the body.
    pub(super) body: String,
}

impl ProbedBlock<'_> {
    /// Writes the statements of an entry point; `None` if the language has no name for the block or
    /// no statement for a form.
    pub(super) fn statements(&self, direction: Direction) -> Option<Statements> {
        let indexed = self.wiring.slots.iter().filter(|slot| slot.form == Form::Indexed);
        let paths: Vec<String> = indexed.filter_map(|slot| self.expression(self.leaf(slot))).collect();
        let mut text = Statements { body: self.index_locals(&paths), ..Statements::default() };
        for slots in self.wiring.slots.chunk_by(|one, next| self.are_read_at_once(one, next)) {
            match direction {
                Direction::Read => self.reads(slots, &mut text)?,
                Direction::Write if slots[0].form == Form::ByteAddress => text.body += &self.store_element(slots)?,
                Direction::Write => text.body += &self.write(&slots[0])?,
            }
        }
        Some(text)
    }

    /// Returns true if one statement reads both of two adjacent slots.
    fn are_read_at_once(&self, one: &AnswerSlot, next: &AnswerSlot) -> bool {
        let both = |form| one.form == form && next.form == form;
        let stems = [one, next].map(|slot| vector_stem(self.leaf(slot)));
        let of_one_vector = || stems[0].is_some() && stems[0] == stems[1];
        let of_one_value = || {
            let values = [one, next].map(|slot| self.whole(slot).map(|(whole, _)| whole));
            values[0].is_some() && values[0] == values[1]
        };
        let is_whole = || both(Form::Whole) || both(Form::Private) || both(Form::Workgroup);
        let of_one_matrix = || {
            let stems = [one, next].map(|slot| matrix_stem(self.leaf(slot)));
            stems[0].is_some() && stems[0] == stems[1] && self.dialect.indexes_copies_of_matrices()
        };
        (both(Form::Vector) && of_one_vector())
            || (is_whole() && of_one_value())
            || (both(Form::Indexed) && of_one_matrix())
            || both(Form::ByteAddress)
    }

    fn leaf(&self, slot: &AnswerSlot) -> &Leaf {
        &self.plan.leaves[slot.leaf as usize]
    }

    /// Adds the statements that read `slots`: those of one vector or of one passed value, or a
    /// single slot of any other form. `None` if the language has no such statement.
    fn reads(&self, slots: &[AnswerSlot], text: &mut Statements) -> Option<()> {
        let leaf = self.leaf(&slots[0]);
        let form = slots[0].form;
        let path = if form == Form::Linked { String::new() } else { self.expression(leaf)? };
        let value = match form {
            Form::Leaf => self.spelled(leaf, path),
            Form::Vector => match vector_stem(leaf) {
                Some(stem) => {
                    text.body += &self.vector(slots, stem.len(), &path)?;
                    return Some(());
                }
                None => path,
            },
            Form::Whole | Form::Private => match self.whole(&slots[0]) {
                Some((whole, _)) => return self.pass(slots, &whole, text),
                None => path,
            },
            Form::Workgroup => match self.whole(&slots[0]) {
                Some((whole, _)) => return self.share(slots, &whole, text),
                None => path,
            },
            Form::Indexed => {
                text.body += &match matrix_stem(leaf) {
                    Some(stem) if slots.len() > 2 => self.cells(slots, stem.len(), &path)?,
                    Some(_) | None => self.indexed_leaves(slots)?,
                };
                return Some(());
            }
            Form::ByteAddress => {
                text.body += &self.load_element(slots)?;
                return Some(());
            }
            Form::Linked => self.linked(leaf)?,
            Form::Parameter
            | Form::Divergent
            | Form::Copied
            | Form::Length
            | Form::Function
            | Form::Sized
            | Form::Untyped
            | Form::UntypedVector
            | Form::UntypedWhole
            | Form::UntypedLength
            | Form::Retyped => return None,
        };

        text.body += &self.store(&value, leaf.component, word(&slots[0])?);
        Some(())
    }

    /// Returns the path of the value that [`Form::Whole`] passes for a leaf, and the leaf's path
    /// within it; `None` for a leaf that is not part of a larger value. DXC's SPIR-V back end
    /// cannot pass enums to functions.
    fn whole(&self, slot: &AnswerSlot) -> Option<(String, String)> {
        let leaf = self.leaf(slot);
        // slangc 2026.14.1 reads an `Atomic` only in memory, not in a copy (E41403).
        if self.is_atomic(leaf) {
            return None;
        }
        let path = self.expression(leaf)?;
        let (whole, rest) = path.split_at(whole_end(&path, self.layout, leaf));
        (!rest.is_empty()).then(|| (whole.to_owned(), rest.to_owned()))
    }

    /// Returns the statements that store each slot's part of the variable `copy`, which holds a
    /// copy of the enclosing value. All slots have the same form.
    fn store_parts(&self, slots: &[AnswerSlot], copy: &str) -> Option<String> {
        let parts = slots.iter().map(|slot| self.whole(slot).map(|(_, rest)| rest));
        let parts: Vec<String> = parts.collect::<Option<_>>()?;
        let takes_indices = slots.first().is_some_and(|slot| slot.form != Form::Whole);
        let mut stores = if takes_indices { self.index_locals(&parts) } else { String::new() };
        for (slot, part) in slots.iter().zip(&parts) {
            let component = self.leaf(slot).component;
            // DXC 1.7.2308 aborts on a condition whose type comes from a template parameter.
            let cast = if component.scalar == Scalar::Bool { "(bool)" } else { "" };
            let part = if takes_indices { indexed(part) } else { part.clone() };
            let part = self.converted(self.leaf(slot), format!("{copy}{part}"));
            stores += &self.store(&format!("{cast}{part}"), component, word(slot)?);
        }
        Some(stores)
    }

    /// Copies `whole` to workgroup memory and stores each slot's part of the copy.
    fn share(&self, slots: &[AnswerSlot], whole: &str, text: &mut Statements) -> Option<()> {
        let name = format!("{SHARED}{}", text.functions.len());
        let type_name = self.type_of_whole(&slots[0])?;
        let (ty, dimensions) = type_name.split_at(type_name.find('[').unwrap_or(type_name.len()));
        text.functions.push(format!("groupshared {ty} {name}{dimensions};\n"));
        let stores = self.store_parts(slots, &name)?;
        text.body.extend([
            "    { ",
            &name,
            " = ",
            whole,
            ";\n    GroupMemoryBarrierWithGroupSync();\n",
            &stores,
            "    }\n",
        ]);
        Some(())
    }

    /// Returns the type of the value that [`Self::whole`] names: the element of a structured
    /// buffer, or the member of a block.
    fn type_of_whole(&self, slot: &AnswerSlot) -> Option<&str> {
        let block = self.layout.result.as_ref().ok()?;
        if let Some(element) = self.element() {
            return Some(element);
        }
        let mut here = block;
        // Members of a base class are named without the base.
        for step in &self.leaf(slot).steps {
            let (LaidOutShape::Struct(members), LeafStep::Member(index)) = (&here.shape, step) else { break };
            let member = members.get(*index as usize)?;
            here = &member.layout;
            if !member.is_base {
                return Some(&here.type_name);
            }
        }
        Some(&block.type_name)
    }

    /// Passes `whole` to a function and stores each slot's part of it.
    fn pass(&self, slots: &[AnswerSlot], whole: &str, text: &mut Statements) -> Option<()> {
        let stores = self.store_parts(slots, VALUE)?;
        match self.dialect {
            // FXC has no generic functions, and Clang cannot copy a struct out of a constant
            // buffer. Their plans have no such form.
            Dialect::OldHlsl | Dialect::Clang => return None,
            Dialect::Hlsl => {
                let name = format!("{MARK}whole{}", text.functions.len());
                text.functions.push(format!("template <typename T> void {name}(T {VALUE})\n{{\n{stores}}}\n"));
                text.body.extend(["    ", &name, "(", whole, ");\n"]);
            }
            // A generic function does not know the members of its value, so the parts are read
            // outside.
            Dialect::Slang => {
                let function = format!("T {MARK}whole<T>(T {VALUE}) {{ return {VALUE}; }}\n");
                if !text.functions.contains(&function) {
                    text.functions.push(function);
                }
                text.body.extend(["    { var ", VALUE, " = ", MARK, "whole(", whole, ");\n", &stores, "    }\n"]);
            }
        }
        Some(())
    }

    /// Returns what reads the leaf by its name; `None` for kinds of block that HLSL does not have.
    fn expression(&self, leaf: &Leaf) -> Option<String> {
        let name = self.name(leaf)?;
        Some(if self.is_atomic(leaf) { name + LOAD } else { name })
    }

    fn name(&self, leaf: &Leaf) -> Option<String> {
        if self.layout.kind != BlockKind::Pointee {
            return expression(self.layout, leaf);
        }
        let is_one = self.layout.count == Count::Finite(1);
        let pointer = self.layout.name.replace("[]", "[0]") + if is_one { "" } else { "[0]" };
        if is_array_of_elements(self.layout) {
            // The path begins with the element's index.
            return has_pointer_arithmetic(self.layout, self.dialect).then(|| format!("{pointer}{}", leaf.path));
        }
        let dot = if leaf.path.is_empty() || leaf.path.starts_with('[') { "" } else { "." };
        match self.dialect {
            Dialect::Hlsl => Some(format!("{pointer}.Get(){dot}{}", leaf.path)),
            Dialect::Slang if self.is_buffer_pointer() => Some(format!("{pointer}.Get(){dot}{}", leaf.path)),
            Dialect::Slang => Some(format!("(*{pointer}){dot}{}", leaf.path)),
            Dialect::Clang | Dialect::OldHlsl => None,
        }
    }

    fn is_buffer_pointer(&self) -> bool {
        self.layout.reach.pointer().is_some_and(|pointer| pointer.is_buffer_pointer)
    }

    /// Returns the name of a leaf of the second element, through the pointer in the first one.
    fn linked(&self, leaf: &Leaf) -> Option<String> {
        let SelfLink { member, .. } = self_link(self.layout)?;
        let pointer = &self.layout.name;
        let path = leaf.path.strip_prefix("[1]")?;
        let load = if self.is_atomic(leaf) { LOAD } else { "" };
        match self.dialect {
            Dialect::Hlsl => Some(format!("{pointer}.Get().{member}.Get(){path}")),
            Dialect::Slang if self.is_buffer_pointer() => Some(format!("{pointer}.Get().{member}.Get(){path}{load}")),
            Dialect::Slang => Some(format!("(*(*{pointer}).{member}){path}{load}")),
            Dialect::Clang | Dialect::OldHlsl => None,
        }
    }

    /// Returns the type as declared of a buffer's element or of a pointee; `None` for other blocks.
    fn element(&self) -> Option<&str> {
        let element = self.layout.result.as_ref().ok()?;
        let is_element = matches!(self.layout.kind, BlockKind::StructuredElement | BlockKind::Pointee);
        is_element.then_some(element.type_name.as_str())
    }

    /// Returns the leaf's path in a variable of the element's type.
    fn part(&self, slot: &AnswerSlot) -> String {
        let path = &self.leaf(slot).path;
        let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
        format!("{VALUE}{dot}{path}")
    }

    /// Returns the alignment to promise for an element at an address; `None` if it is in a
    /// byte-address buffer.
    fn alignment_at_address(&self) -> Option<u32> {
        let entry = self.plan.entries.first()?;
        (entry.space == AddressSpace::Address).then(|| address_alignment(self.layout, self.plan))
    }

    /// Loads the element from the byte-address buffer, or from its address, and stores each slot's
    /// part of it.
    fn load_element(&self, slots: &[AnswerSlot]) -> Option<String> {
        let element = self.element()?;
        let load = match self.alignment_at_address() {
            Some(alignment) => format!("vk::RawBufferLoad<{element} >({ADDRESS}.value, {alignment})"),
            None => format!("{BYTES}.Load<{element} >(0)"),
        };
        let mut text = format!("    {{ {element} {VALUE} = {load};\n");
        for slot in slots {
            let part = self.converted(self.leaf(slot), self.part(slot));
            text += &self.store(&part, self.leaf(slot).component, word(slot)?);
        }
        Some(text + "    }\n")
    }

    /// Builds an element from all values and stores it to the byte-address buffer, or at its
    /// address.
    fn store_element(&self, slots: &[AnswerSlot]) -> Option<String> {
        let element = self.element()?;
        let mut text = format!("    {{ {element} {VALUE};\n");
        for slot in slots {
            let value = self.loaded(self.leaf(slot).component, word(slot)?);
            text += &self.assign(self.leaf(slot), &self.part(slot), &value);
        }
        let store = match self.alignment_at_address() {
            Some(alignment) => format!("vk::RawBufferStore<{element} >({ADDRESS}.value, {VALUE}, {alignment})"),
            None => format!("{BYTES}.Store<{element} >(0, {VALUE})"),
        };
        Some(text + &format!("    {store};\n    }}\n"))
    }

    /// Reads a vector or a matrix row at once. `stem` is the length of its path.
    fn vector(&self, slots: &[AnswerSlot], stem: usize, path: &str) -> Option<String> {
        let first = self.leaf(&slots[0]);
        let (vector, _) = path.split_at(path.len() - (first.path.len() - stem));
        let vector = vector.trim_end_matches('.');
        let cast = if self.handle(first).is_some() { "(uint2)" } else { "" };
        let ty = format!("{}{}", first.component.scalar.spelling(), slots.len());
        let mut text = format!("    {{ {ty} {VALUE} = {cast}{vector};\n");
        for slot in slots {
            let leaf = self.leaf(slot);
            let part = &leaf.path[stem..];
            // In an element that is a vector itself, the component's path has no dot.
            let dot = if part.starts_with(['.', '[']) { "" } else { "." };
            text += &self.store(&format!("{VALUE}{dot}{part}"), leaf.component, word(slot)?);
        }
        Some(text + "    }\n")
    }

    /// Stores leaves that are accessed by indices from the input.
    fn indexed_leaves(&self, slots: &[AnswerSlot]) -> Option<String> {
        let store = |slot: &AnswerSlot| {
            let leaf = self.leaf(slot);
            let path = indexed(&self.spelled(leaf, self.expression(leaf)?));
            Some(self.store(&path, leaf.component, word(slot)?))
        };
        slots.iter().map(store).collect()
    }

    /// Stores the cells of a matrix. `stem` is the length of its path. The second and the last
    /// cell, which reveal order and strides, are accessed like other leaves; the rest are read from
    /// a copy.
    fn cells(&self, slots: &[AnswerSlot], stem: usize, path: &str) -> Option<String> {
        let (first, [second, middle @ .., last]) = slots.split_first()? else { return None };
        let matrix = &path[..path.len() - (self.leaf(first).path.len() - stem)];
        let mut text = format!("    {{ var {VALUE} = {};\n", indexed(matrix));
        for slot in std::iter::once(first).chain(middle) {
            let leaf = self.leaf(slot);
            let cell = indexed(&leaf.path[stem..]);
            text += &self.store(&format!("{VALUE}{cell}"), leaf.component, word(slot)?);
        }
        Some(text + "    }\n" + &self.indexed_leaves(&[second.clone(), last.clone()])?)
    }

    /// Returns the path in the form that the dialect accepts. FXC rejects a second subscript on a
    /// matrix in a structured buffer (error X3512) and needs a component name instead.
    fn spelled(&self, leaf: &Leaf, path: String) -> String {
        let path = self.converted(leaf, path);
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

    /// Returns the path of a handle's word through the `uint2` that the handle converts to. The
    /// handle itself has no names for its words.
    fn converted(&self, leaf: &Leaf, path: String) -> String {
        match (self.handle(leaf), path.rsplit_once('.')) {
            (Some(_), Some((handle, word))) => format!("((uint2){handle}).{word}"),
            (Some(_), None) | (None, _) => path,
        }
    }

    /// Declares the locals for the indices in `paths`, loaded from the table of numbers in the
    /// input. A load at every use would cost more than the leaf, since lavapipe makes several
    /// blocks of code from each load.
    fn index_locals(&self, paths: &[String]) -> String {
        let indices: BTreeSet<u32> = paths.iter().flat_map(|path| indices(path)).collect();
        let declared = |index: u32| {
            let value = self.dialect.load(4 * (self.wiring.table + index));
            format!("    uint {INDEX}{index} = {value};\n")
        };
        indices.into_iter().map(declared).collect::<Vec<_>>().concat()
    }

    fn write(&self, slot: &AnswerSlot) -> Option<String> {
        let leaf = self.leaf(slot);
        let value = self.loaded(leaf.component, word(slot)?);
        Some(self.assign(leaf, &self.expression(leaf)?, &value))
    }

    /// Returns the statement that assigns a value to the leaf at `path`.
    fn assign(&self, leaf: &Leaf, path: &str, value: &str) -> String {
        match (self.handle(leaf), path.rsplit_once('.')) {
            (Some(handle), Some((variable, word))) => format!(
                "    {{ uint2 {WORDS} = (uint2){variable}; {WORDS}.{word} = {value}; {variable} = {handle}({WORDS}); }}\n"
            ),
            (Some(_), None) | (None, _) => format!("    {} = {value};\n", self.spelled(leaf, path.to_owned())),
        }
    }

    /// Returns the type of the handle whose word the leaf is; `None` for other leaves.
    fn handle(&self, leaf: &Leaf) -> Option<&str> {
        self.type_name(leaf).filter(|name| name.starts_with(HANDLE))
    }

    fn is_atomic(&self, leaf: &Leaf) -> bool {
        self.type_name(leaf).is_some_and(|name| name.starts_with(ATOMIC))
    }

    /// Returns the type of which the leaf is a component, as the source spells it.
    fn type_name(&self, leaf: &Leaf) -> Option<&str> {
        let mut here = self.layout.result.as_ref().ok()?;
        for step in &leaf.steps {
            here = here.at_step(step).unwrap_or(here);
        }
        Some(&here.type_name)
    }

    /// Returns the statement that stores a leaf's bits at a word of the output.
    fn store(&self, path: &str, component: Component, word: u32) -> String {
        let (low, high) = (4 * word, 4 * word + 4);
        let one = |value: &str| format!("    {}\n", self.dialect.store(low, value));
        let two = |values: [&str; 2]| self.dialect.store_two(low, high, values);
        match (component.scalar, component.size) {
            (Scalar::Bool, _) => one(&format!("{path} ? 1u : 0u")),
            (scalar, 8) if scalar.is_float() => {
                let [low, high] = HALVES;
                format!("    {{ uint {low}, {high}; asuint({path}, {low}, {high}); {} }}\n", two(HALVES))
            }
            (_, 8) => {
                let values = [format!("(uint)({path})"), format!("(uint)((uint64_t)({path}) >> 32)")];
                format!("    {}\n", two([&values[0], &values[1]]))
            }
            (scalar, 2) if scalar.is_float() => one(&format!("(uint)asuint16((half)({path}))")),
            // The conversion of a signed number would extend its sign.
            (_, 2) => one(&format!("(uint)({path}) & 0xFFFFu")),
            (_, 1) => one(&format!("(uint)({path}) & 0xFFu")),
            (scalar, _) if scalar.is_float() => one(&self.dialect.bits(path)),
            // Enums convert, too.
            (_, _) => one(&format!("(uint)({path})")),
        }
    }

    /// Returns a leaf's value from a word of the input.
    fn loaded(&self, component: Component, word: u32) -> String {
        let [low, high] = [4 * word, 4 * word + 4].map(|byte| self.dialect.load(byte));
        let spelling = component.scalar.spelling();
        match (component.scalar, component.size) {
            (Scalar::Bool, _) => format!("{low} != 0"),
            (scalar, 8) if scalar.is_float() => format!("asdouble({low}, {high})"),
            (_, 8) => format!("({spelling})((uint64_t){low} | ((uint64_t){high} << 32))"),
            (scalar, 2) if scalar.is_float() => format!("asfloat16((uint16_t){low})"),
            (scalar, _) if scalar.is_float() => self.dialect.float_of_bits(&low),
            (_, _) => format!("({spelling}){low}"),
        }
    }
}

/// Returns true if the language reaches other elements behind the pointer to the block, as in `p[1]`.
/// `vk::BufferPointer` has no arithmetic.
pub fn has_pointer_arithmetic(layout: &BlockLayout, dialect: Dialect) -> bool {
    dialect == Dialect::Slang && !layout.reach.pointer().is_some_and(|pointer| pointer.is_buffer_pointer)
}

/// Returns the path of the vector or matrix row that contains the leaf.
fn vector_stem(leaf: &Leaf) -> Option<&str> {
    match leaf.steps.last()? {
        LeafStep::Component(_) => leaf.path.rsplit_once('.').map(|(stem, _)| stem).or(Some("")),
        LeafStep::Cell { .. } => leaf.path.rfind('[').map(|at| &leaf.path[..at]),
        LeafStep::Member(_) | LeafStep::Element(_) => None,
    }
}

/// Returns the path of the matrix whose cell the leaf is.
fn matrix_stem(leaf: &Leaf) -> Option<&str> {
    match leaf.steps.last()? {
        LeafStep::Cell { .. } => {
            let row = vector_stem(leaf)?;
            row.rfind('[').map(|at| &row[..at])
        }
        LeafStep::Component(_) | LeafStep::Member(_) | LeafStep::Element(_) => None,
    }
}

/// Returns the end of the enclosing member's path, or of the path of the structured buffer's
/// element or of the pointee.
fn whole_end(path: &str, layout: &BlockLayout, leaf: &Leaf) -> usize {
    let in_block = path.len() - leaf.path.len();
    // `S[0]` of `S[0].a`, whose path in the block is `a`; `(*p)` of `(*p).a`; `S.p` of `S.p.b`.
    let is_element = layout.stride.is_some() || layout.kind == BlockKind::Pointee;
    let from = if is_element { in_block.saturating_sub(1) } else { in_block };
    path[from..].find('.').map_or(path.len(), |dot| from + dot)
}

/// Returns the numeric indices in a path.
fn indices(path: &str) -> impl Iterator<Item = u32> {
    path.split('[').skip(1).filter_map(|part| part.split_once(']')?.0.parse().ok())
}

/// Replaces every numeric index in the path by the local that holds it.
fn indexed(path: &str) -> String {
    let with_local = |part: &str| {
        let (index, _) = part.split_once(']')?;
        index.parse::<u32>().ok().map(|_| format!("{INDEX}{part}"))
    };
    path.split_inclusive('[').map(|part| with_local(part).unwrap_or_else(|| part.to_owned())).collect()
}

fn word(slot: &AnswerSlot) -> Option<u32> {
    match slot.places[..] {
        [AnswerPlace::Word(word)] => Some(word),
        _ => None,
    }
}
