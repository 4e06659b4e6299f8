//! Turns the trees of blocks into structs that C and Rust can express.
//!
//! The writers of Rust and C++ print them. A struct comes after the structs that it contains, and
//! every byte belongs to a field. Members of a base become members of the struct, members are
//! sorted by offset, and if a member lies in the tail of an array, the array's last element becomes
//! a separate field (see [`super::values`]).

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::{BlockKind, BlockLayout, DECLARED, LaidOut, LaidOutMember, LaidOutShape};
use layoutproof_source::shader_language::ShaderLanguage;

use super::HostVector;
use super::host::{Elements, HostField, HostStruct, HostType, packing};
use super::names::ReservedWords;
use crate::host_types::slots::{HostSlot, has_no_end, slots};
use crate::layout_text::declaration_words::{block_keyword, type_words};

/// The structs of all blocks that their rule sets allow.
pub(super) fn structs(
    blocks: &[BlockLayout],
    shader: ShaderLanguage,
    reserved: ReservedWords,
    vectors: &[HostVector],
) -> Vec<HostStruct> {
    let (rules, kind) = (String::new(), BlockKind::Cbuffer);
    let (structs, uses) = (Vec::new(), Vec::new());
    let mut flatten = StructFlattener { shader, reserved, vectors, rules, kind, structs, uses };
    for block in blocks {
        flatten.block(block);
    }
    flatten.name_structs();
    flatten.structs
}

#[derive(Debug)]
pub(super) struct StructFlattener<'a> {
    shader: ShaderLanguage,
    reserved: ReservedWords,
    vectors: &'a [HostVector],
    /// `under std140`, or that the shader states the offsets.
    rules: String,
    kind: BlockKind,
    structs: Vec<HostStruct>,
    uses: Vec<StructUse>,
}

/// The use of a struct, which distinguishes it from other layouts of the same declaration.
#[derive(Clone, Debug)]
pub(super) struct StructUse {
    /// Name of the block or member that the struct was made for.
    pub user: String,
    /// True if a program uploads it: it is a block or an element of a buffer. Other structs are
    /// only members.
    pub is_uploaded: bool,
    pub kind: BlockKind,
}

#[derive(Debug)]
struct StructRequest<'a> {
    /// Name in the shader.
    declared: &'a str,
    /// The block or member that it describes, for the comment.
    usage: String,
    /// The same, for the struct's name.
    made_for: StructUse,
    /// Least size in bytes.
    size: u32,
}

#[derive(Debug, Default)]
pub(super) struct HostStructBody {
    fields: Vec<HostField>,
    notes: Vec<String>,
    taken: BTreeSet<String>,
    end: u32,
    pub(super) elements: Option<Elements>,
}

#[derive(Clone, Debug)]
pub(super) struct FieldPlace {
    /// Name in the shader.
    pub name: String,
    /// Bytes from the start of the struct.
    pub offset: u32,
    /// Bytes up to the next member, or to the end of the struct.
    pub room: u32,
    /// The field's comment; `None` for the member's declaration.
    pub about: Option<String>,
    /// `None` for a field that holds the whole member.
    pub part: Option<MemberPart>,
}

/// The elements of a member that a field holds.
#[derive(Clone, Debug)]
pub(super) struct MemberPart {
    /// The member's name in the shader.
    pub member: String,
    /// In the shader's words: `weights[1]`.
    pub elements: String,
}

impl StructFlattener<'_> {
    fn block(&mut self, block: &BlockLayout) {
        let Ok(root) = &block.result else { return };
        self.rules = if block.rules == DECLARED { "as declared".to_owned() } else { format!("under {}", block.rules) };
        self.kind = block.kind;
        let rules = &self.rules;
        let described = format!("{} {}", block_keyword(self.shader, block.kind), block.name);

        let size = root.size.finite();
        let bytes = size.map_or("runtime-sized".to_owned(), |size| format!("{size} bytes"));
        let stride = block.stride.map(|stride| format!(", stride {stride}")).unwrap_or_default();
        let usage = format!("{described} {rules}: {bytes}{stride}");

        let size = size.unwrap_or(0).max(block.stride.unwrap_or(0));
        let made_for = StructUse { user: block.name.clone(), is_uploaded: true, kind: block.kind };
        if let Some((element, stride)) = only_elements(root) {
            // Nothing comes before the elements, so there is no other struct.
            let usage = format!("element of {described} {rules}: stride {stride}");
            let wrapped = [only_member(element)];
            let (declared, members) = match &element.shape {
                LaidOutShape::Struct(members) => (&element.type_name, members.as_slice()),
                _ => (&block.name, wrapped.as_slice()),
            };
            self.structure(StructRequest { declared, usage, made_for, size: stride }, members);
            return;
        }
        match &root.shape {
            LaidOutShape::Struct(members) => {
                let declared = if root.type_name.is_empty() { &block.name } else { &root.type_name };
                self.structure(StructRequest { declared, usage, made_for, size }, members);
            }
            _ => {
                self.structure(StructRequest { declared: &block.name, usage, made_for, size }, &[only_member(root)]);
            }
        }
    }

    /// A struct of `size` bytes for an element or member of this type. A type that is not a struct
    /// is wrapped in one.
    pub(super) fn nested(&mut self, layout: &LaidOut, size: u32, made_for: StructUse) -> usize {
        let declared = &layout.type_name;
        let wrapped;
        let (usage, members) = match &layout.shape {
            LaidOutShape::Struct(members) => (format!("struct {declared}"), members.as_slice()),
            _ => {
                wrapped = [only_member(layout)];
                (format!("one element {} with the padding after it", self.words(declared)), wrapped.as_slice())
            }
        };

        let usage = format!("{usage} {}", self.rules);
        self.structure(StructRequest { declared, usage, made_for, size }, members)
    }

    fn structure(&mut self, wanted: StructRequest<'_>, members: &[LaidOutMember]) -> usize {
        let slots = slots(members);
        let end = slots.iter().map(HostSlot::end).max().unwrap_or(0);
        let size = wanted.size.max(end);
        let mut body = HostStructBody::default();

        for (index, slot) in slots.iter().enumerate() {
            if slot.offset < body.end {
                let HostSlot { name, offset, .. } = slot;
                body.note(format!(
                    "`{name}` at byte {offset} shares bytes with another field, so it has no field here"
                ));
                continue;
            }
            body.pad_to(slot.offset, self.reserved);
            let next = slots[index + 1..].iter().map(|next| next.offset).find(|next| *next >= slot.end());
            let room = next.unwrap_or(size).saturating_sub(slot.offset);
            let place =
                FieldPlace { name: slot.name.clone(), offset: slot.offset, room, about: slot.bits.clone(), part: None };
            match slot.bits {
                Some(_) => self.unit(&mut body, place, slot.layout),
                None if has_no_end(slot.layout) => self.tail(&mut body, slot),
                None => self.value(&mut body, place, slot.layout),
            }
        }

        body.pad_to(size, self.reserved);
        self.add(wanted, body)
    }

    /// The index of the struct; an equal one is reused.
    fn add(&mut self, wanted: StructRequest<'_>, body: HostStructBody) -> usize {
        let StructRequest { declared, usage, made_for, .. } = wanted;
        let HostStructBody { fields, notes, elements, end: size, .. } = body;
        let same = |known: &HostStruct| known.declared == declared && known.fields == fields && known.notes == notes;
        if let Some(index) = self.structs.iter().position(same) {
            let uses = &mut self.structs[index].uses;
            if !uses.contains(&usage) {
                uses.push(usage);
            }
            if made_for.is_uploaded && !self.uses[index].is_uploaded {
                self.uses[index] = made_for;
            }
            return index;
        }

        let name = String::new();
        let declared = declared.to_owned();
        let (alignment, packing) = packing(&fields, size, &self.structs);
        let uses = vec![usage];
        self.structs.push(HostStruct { name, declared, uses, notes, size, alignment, packing, fields, elements });
        self.uses.push(made_for);
        self.structs.len() - 1
    }

    /// Names the structs. If a struct has several layouts, each is named after its use, as
    /// `Light_cbuffer` and `Light_structured`; of several in one kind of block, the first that a
    /// program uploads has this name, and the others add their user, as `Light_cbuffer_lights`.
    fn name_structs(&mut self) {
        let mut layouts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut named: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (index, (host, used)) in self.structs.iter().zip(&self.uses).enumerate() {
            *layouts.entry(&host.declared).or_default() += 1;
            let first = named.entry((&host.declared, used.kind.use_word())).or_insert(index);
            if used.is_uploaded && !self.uses[*first].is_uploaded {
                *first = index;
            }
        }
        let wanted = self.structs.iter().zip(&self.uses).enumerate().map(|(index, (host, used))| {
            let (declared, word) = (host.declared.as_str(), used.kind.use_word());
            match (layouts[declared], named[&(declared, word)] == index) {
                (1, _) => (0, declared.to_owned()),
                (_, true) => (0, format!("{declared}_{word}")),
                (_, false) => (1, format!("{declared}_{word}_{}", used.user)),
            }
        });
        let wanted: Vec<(usize, String)> = wanted.collect();
        let mut taken = BTreeSet::new();
        for rank in [0, 1] {
            for (index, (_, name)) in wanted.iter().enumerate().filter(|(_, (own, _))| *own == rank) {
                self.structs[index].name = self.reserved.identifier(name, "Block", &mut taken);
            }
        }
    }

    /// A type in the words of the shader's language.
    pub(super) fn words(&self, type_name: &str) -> String {
        type_words(self.shader, type_name)
    }

    /// The use of a struct that is only a member.
    pub(super) fn member_use(&self, user: &str) -> StructUse {
        StructUse { user: user.to_owned(), is_uploaded: false, kind: self.kind }
    }

    /// The use of a struct that is an element at the end of the block.
    pub(super) fn element_use(&self, user: &str) -> StructUse {
        StructUse { is_uploaded: true, ..self.member_use(user) }
    }

    /// The user's type for a vector or matrix without padding in it.
    pub(super) fn vector(&self, layout: &LaidOut) -> Option<HostType> {
        let (component, size) = match &layout.shape {
            LaidOutShape::Scalar(component) => (component, component.size),
            LaidOutShape::Vector { component, length } => (component, component.size * length),
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let (vectors, length) = order.vectors_and_length(*rows, *columns);
                let is_dense = vectors == 1 || *stride == component.size * length;
                (component, Some(component.size * rows * columns).filter(|_| is_dense)?)
            }
            LaidOutShape::Array { .. }
            | LaidOutShape::Struct(_)
            | LaidOutShape::Pointer { .. }
            | LaidOutShape::Resource => {
                return None;
            }
        };
        let index = self.vectors.iter().position(|vector| vector.declared == layout.type_name)?;
        Some(HostType::Vector { index, size, alignment: component.size })
    }

    /// Adds a field with these `dimensions`, outermost first.
    pub(super) fn push(&self, body: &mut HostStructBody, place: FieldPlace, ty: HostType, dimensions: Vec<u32>) {
        let element = match ty {
            HostType::Float => 4,
            HostType::Double => 8,
            HostType::Signed(size) | HostType::Unsigned(size) | HostType::Vector { size, .. } => size,
            HostType::Struct(index) => self.structs[index].size,
        };
        let size = dimensions.iter().fold(element, |size, count| size.saturating_mul(*count));

        let name = self.reserved.identifier(&place.name, "value", &mut body.taken);
        let about = place.about.unwrap_or_default();
        let note = Some(match place.part {
            Some(part) => format!("{about}: {}", part.elements),
            None => about,
        });

        body.end = place.offset.saturating_add(size);
        body.fields.push(HostField { name, ty, dimensions, offset: place.offset, size, note });
    }
}

impl HostStructBody {
    /// Adds a note that the generated file prints.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn pad_to(&mut self, offset: u32, reserved: ReservedWords) {
        let Some(size) = offset.checked_sub(self.end).filter(|size| *size > 0) else { return };
        let name = reserved.identifier(&format!("_pad_{}", self.end), "_pad", &mut self.taken);
        let (ty, dimensions) = (HostType::BYTE, vec![size]);
        self.fields.push(HostField { name, ty, dimensions, offset: self.end, size, note: None });
        self.end = offset;
    }
}

/// Element and stride of an unbounded array, if the block holds nothing else.
fn only_elements(root: &LaidOut) -> Option<(&LaidOut, u32)> {
    let array = match &root.shape {
        LaidOutShape::Struct(members) => match slots(members).as_slice() {
            [only] => only.layout,
            _ => return None,
        },
        _ => root,
    };
    match &array.shape {
        LaidOutShape::Array { element, stride, .. } if has_no_end(array) => Some((element, *stride)),
        _ => None,
    }
}

/// The single member of a wrapper struct.
fn only_member(layout: &LaidOut) -> LaidOutMember {
    LaidOutMember { name: "value".to_owned(), is_base: false, offset: 0, bits: None, layout: layout.clone() }
}
