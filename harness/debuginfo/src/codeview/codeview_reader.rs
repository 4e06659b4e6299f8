//! Second pass over `CodeView`: reads a type together with all types that make up its bytes.

use std::collections::HashMap;

use ms_codeview::types::fields::Field;
use ms_codeview::types::number::Number;
use ms_codeview::types::{Array, Bitfield, Enum, Leaf, Pointer, TypeData};

use super::collect_names::{NamedRecord, named_record, plain_name};
use super::read_text;
use super::type_stream::{CodeViewTypes, FIRST_TYPE};
use crate::host_types::NewType;
use crate::{
    BitRange, DebugInfoError, DebugLimits, DeclarationPlace, ElementCount, HostArray, HostBase, HostLanguage,
    HostMember, HostRecord, HostScalar, HostShape, HostTypeId, HostTypes, HostUnit, LayoutContract, RecordKind,
    ScalarClass,
};

/// Larger sizes and offsets, in bytes, count as damage.
const MAX_SIZE: u32 = 1 << 31;

/// Reads types of one PDB or object.
pub(crate) struct CodeViewReader<'a, 'reader> {
    pub(super) types: &'reader CodeViewTypes<'a>,
    host_types: &'reader mut HostTypes,
    pub(super) limits: &'reader DebugLimits,
    finished: HashMap<u32, HostTypeId>,
    places: HashMap<u32, DeclarationPlace>,
    /// Numbers of definitions, by decorated name or, without one, by plain name.
    definitions: HashMap<Vec<u8>, u32>,
}

impl<'a, 'reader> CodeViewReader<'a, 'reader> {
    pub(crate) fn new(
        types: &'reader CodeViewTypes<'a>,
        host_types: &'reader mut HostTypes,
        limits: &'reader DebugLimits,
    ) -> Self {
        let mut definitions = HashMap::new();
        for (number, record) in types.records() {
            let data = record.parse().ok();
            if let Some(named) = data.as_ref().and_then(named_record).filter(|named| !named.is_declaration) {
                definitions.insert(named.unique_name.unwrap_or(named.name).to_vec(), number);
            }
        }
        let places = declaration_lines(types);
        Self { types, host_types, limits, finished: HashMap::new(), places, definitions }
    }

    /// The unit of a type, for messages. A PDB does not record it.
    pub(crate) fn host_unit(&self, number: u32) -> HostUnit {
        let data = self.types.parse(number).ok();
        let language = data.as_ref().and_then(named_record).map_or(HostLanguage::Other, |named| language(&named));
        HostUnit { object: self.types.name.to_owned(), source: String::new(), language, producer: String::new() }
    }

    /// Reads the type with this number, at nesting depth `depth`.
    pub(crate) fn read(&mut self, number: u32, depth: u32) -> Result<HostTypeId, DebugInfoError> {
        if let Some(&id) = self.finished.get(&number) {
            return Ok(id);
        }
        if depth >= self.limits.depth {
            let (object, offset) = (self.types.name.to_owned(), u64::from(number));
            let limit = self.limits.depth;
            return Err(DebugInfoError::TooDeep { object, name: self.type_name(number, 0), offset, limit });
        }
        let id = if number < FIRST_TYPE { self.add_primitive(number)? } else { self.read_record(number, depth)? };
        self.finished.insert(number, id);
        Ok(id)
    }

    fn read_record(&mut self, number: u32, depth: u32) -> Result<HostTypeId, DebugInfoError> {
        let types = self.types;
        let data = types.parse(number)?;
        if let Some(named) = named_record(&data)
            && named.is_declaration
        {
            return self.read_declaration(number, &named, depth);
        }

        match data {
            TypeData::Struct(record) => {
                let is_class = types.record(number).is_some_and(|record| record.kind == Leaf::LF_CLASS);
                let kind = if is_class { RecordKind::Class } else { RecordKind::Struct };
                let size = self.size(number, record.length)?;
                self.read_fields(number, kind, size, record.fixed.field_list.get().0, depth)
            }
            TypeData::Union(record) => {
                let size = self.size(number, record.length)?;
                self.read_fields(number, RecordKind::Union, size, record.fixed.fields.get().0, depth)
            }
            TypeData::Enum(record) => self.read_enum(number, &record, depth),
            TypeData::Array(record) => self.read_array(number, &record, depth),
            TypeData::Pointer(record) => self.add_pointer(number, &record),
            TypeData::Modifier(record) => self.read(record.underlying_type.get().0, depth + 1),
            TypeData::Bitfield(record) => self.read(record.underlying_type.get().0, depth + 1),
            TypeData::Alias(record) => self.read(record.utype.0, depth + 1),
            _ => self.add(NewType::opaque("", "it is a function or of an unknown kind")),
        }
    }

    fn read_declaration(
        &mut self,
        number: u32,
        named: &NamedRecord<'_>,
        depth: u32,
    ) -> Result<HostTypeId, DebugInfoError> {
        let definition = self.definitions.get(named.unique_name.unwrap_or(named.name)).copied();
        if let Some(definition) = definition {
            return self.read(definition, depth + 1);
        }
        self.add_declared(number, plain_name(named.name).unwrap_or_default(), HostShape::Incomplete(named.kind), None)
    }

    fn read_fields(
        &mut self,
        number: u32,
        kind: RecordKind,
        size: u32,
        fields: u32,
        depth: u32,
    ) -> Result<HostTypeId, DebugInfoError> {
        let mut record = HostRecord {
            kind,
            bases: Vec::new(),
            members: Vec::new(),
            template_parameters: Vec::new(),
            contract: LayoutContract::Fixed,
            has_variants: false,
        };
        self.read_field_list(number, fields, &mut record, depth)?;
        // Members may share bytes: those of an unnamed union are members of the struct around it.
        if let Some(message) = self.host_types.member_past_the_end(&record, size) {
            return Err(self.types.damaged(number, message));
        }

        let data = self.types.parse(number)?;
        let language = named_record(&data).map_or(HostLanguage::Other, |named| language(&named));
        if language == HostLanguage::Rust {
            record.contract = self.rust_contract(&record);
        }
        self.add_declared(number, self.type_name(number, 0), HostShape::Record(record), Some(size))
    }

    fn rust_contract(&self, record: &HostRecord) -> LayoutContract {
        let sized = record.members.iter().filter(|member| self.host_types[member.ty].size != Some(0));
        if sized.is_sorted_by_key(|member| member.offset) {
            LayoutContract::RustUnknown
        } else {
            LayoutContract::RustReordered
        }
    }

    fn read_enum(&mut self, number: u32, record: &Enum<'_>, depth: u32) -> Result<HostTypeId, DebugInfoError> {
        let integer = self.read(record.fixed.underlying_type.get().0, depth + 1)?;
        let integer = &self.host_types[integer];
        let signed = match &integer.shape {
            HostShape::Scalar(scalar) => Some(scalar.is_signed()),
            _ => None,
        };
        let size = integer.size;
        self.add_declared(number, self.type_name(number, 0), HostShape::Enum { signed }, size)
    }

    /// Reads an array. `CodeView` writes several dimensions as arrays of arrays; this joins them.
    fn read_array(&mut self, number: u32, record: &Array<'_>, depth: u32) -> Result<HostTypeId, DebugInfoError> {
        let element = self.read(record.fixed.element_type.get().0, depth + 1)?;
        let size = self.size(number, record.len)?;
        let count = match self.host_types[element].size {
            Some(stride) if stride > 0 && size > 0 => ElementCount::Finite(size / stride),
            _ => ElementCount::Unstated,
        };

        let array = match &self.host_types[element].shape {
            HostShape::Array(inner) => {
                let counts = std::iter::once(count).chain(inner.counts.iter().copied()).collect();
                HostArray { element: inner.element, counts, stride: inner.stride }
            }
            _ => HostArray { element, counts: vec![count], stride: self.host_types[element].size },
        };
        let size = (count != ElementCount::Unstated).then_some(size);
        let name = self.type_name(number, 0);
        self.add(NewType { name, shape: HostShape::Array(array), size, alignment: None, place: None })
    }

    fn add_pointer(&mut self, number: u32, record: &Pointer<'_>) -> Result<HostTypeId, DebugInfoError> {
        let flags = record.fixed.attr();
        let size = match (flags.size(), flags.pointer_kind()) {
            (0, 0x0c) => 8,
            (0, _) => 4,
            (size, _) => size,
        };
        let target = self.type_name(record.fixed.ty.get().0, 0);
        let name = self.type_name(number, 0);
        let shape = HostShape::Pointer { target };
        self.add(NewType { name, shape, size: Some(size), alignment: None, place: None })
    }

    fn add_primitive(&mut self, number: u32) -> Result<HostTypeId, DebugInfoError> {
        let (name, shape, size) = match primitive(number) {
            Some(Primitive::Scalar { name, scalar }) => (name.to_owned(), HostShape::Scalar(scalar), scalar.size),
            Some(Primitive::Pointer { size, target }) => {
                (format!("{target}*"), HostShape::Pointer { target: target.to_owned() }, size)
            }
            Some(Primitive::Other { name }) => return self.add(NewType::opaque(name, "it has no bytes")),
            None => return self.add(NewType::opaque("", "it is a built-in type of an unknown kind")),
        };
        self.add(NewType { name, shape, size: Some(size), alignment: None, place: None })
    }

    /// Adds a type that the source declares, at the place of its declaration.
    fn add_declared(
        &mut self,
        number: u32,
        name: String,
        shape: HostShape,
        size: Option<u32>,
    ) -> Result<HostTypeId, DebugInfoError> {
        let place = self.places.get(&number).cloned();
        self.add(NewType { name, shape, size, alignment: None, place })
    }

    pub(super) fn type_name(&self, number: u32, depth: u32) -> String {
        if number < FIRST_TYPE {
            return match primitive(number) {
                Some(Primitive::Scalar { name, .. } | Primitive::Other { name }) => name.to_owned(),
                Some(Primitive::Pointer { target, .. }) => format!("{target}*"),
                None => String::new(),
            };
        }
        let Ok(data) = self.types.parse(number) else { return String::new() };
        if let Some(named) = named_record(&data) {
            return plain_name(named.name).unwrap_or_default();
        }
        // Enough for names in real programs; a loop of damaged records ends here.
        if depth >= 16 {
            return "...".to_owned();
        }
        match data {
            TypeData::Pointer(pointer) => format!("{}*", self.type_name(pointer.fixed.ty.get().0, depth + 1)),
            TypeData::Modifier(modifier) => self.type_name(modifier.underlying_type.get().0, depth + 1),
            TypeData::Array(array) => format!("{}[]", self.type_name(array.fixed.element_type.get().0, depth + 1)),
            _ => String::new(),
        }
    }

    /// Checks a size or offset in bytes.
    pub(super) fn size(&self, number: u32, size: Number<'_>) -> Result<u32, DebugInfoError> {
        let fitting = u32::try_from(size).ok().filter(|&size| size <= MAX_SIZE);
        fitting.ok_or_else(|| self.types.damaged(number, format!("a size or offset is not in 0..={MAX_SIZE}")))
    }

    /// The bit-field, if a member's type is one.
    pub(super) fn bit_field(&self, number: u32) -> Option<&'reader Bitfield> {
        match self.types.parse(number) {
            Ok(TypeData::Bitfield(bits)) => Some(bits),
            _ => None,
        }
    }

    fn add(&mut self, new_type: NewType) -> Result<HostTypeId, DebugInfoError> {
        self.host_types.add(new_type, self.limits)
    }
}

/// The language of a type, from its decorated name: it starts with `.?A` in C++, with anything else
/// in Rust, and C has none.
fn language(named: &NamedRecord<'_>) -> HostLanguage {
    match named.unique_name {
        None => HostLanguage::C,
        Some(name) if name.starts_with(b".?A") => HostLanguage::Cpp,
        Some(_) => HostLanguage::Rust,
    }
}

pub(super) enum Primitive {
    Scalar { name: &'static str, scalar: HostScalar },
    Pointer { size: u32, target: &'static str },
    Other { name: &'static str },
}

pub(super) fn primitive(number: u32) -> Option<Primitive> {
    let (kind, mode) = (number & 0xff, number >> 8 & 0xf);
    if number == 0x0103 {
        return Some(Primitive::Other { name: "std::nullptr_t" });
    }
    let row = PRIMITIVES.iter().find(|(known, ..)| *known == kind);
    let name = match (row, kind) {
        (Some((_, name, ..)), _) => name,
        (None, 0x03) => "void",
        (None, 0x00) => "",
        (None, _) => return None,
    };
    let pointer_size = match mode {
        0 => {
            return Some(match row {
                Some(&(_, _, class, size)) => Primitive::Scalar { name, scalar: HostScalar { class, size } },
                None => Primitive::Other { name },
            });
        }
        1..=3 => 2,
        4 | 5 => 4,
        6 => 8,
        _ => 16,
    };
    Some(Primitive::Pointer { size: pointer_size, target: name })
}

const SIGNED_CHARACTER: ScalarClass = ScalarClass::Character { signed: true };
const UNSIGNED_CHARACTER: ScalarClass = ScalarClass::Character { signed: false };

/// Kind, name, class, and size in bytes.
const PRIMITIVES: &[(u32, &str, ScalarClass, u32)] = &[
    (0x08, "HRESULT", ScalarClass::Signed, 4),
    (0x10, "signed char", SIGNED_CHARACTER, 1),
    (0x11, "short", ScalarClass::Signed, 2),
    (0x12, "long", ScalarClass::Signed, 4),
    (0x13, "long long", ScalarClass::Signed, 8),
    (0x14, "__int128", ScalarClass::Signed, 16),
    (0x20, "unsigned char", UNSIGNED_CHARACTER, 1),
    (0x21, "unsigned short", ScalarClass::Unsigned, 2),
    (0x22, "unsigned long", ScalarClass::Unsigned, 4),
    (0x23, "unsigned long long", ScalarClass::Unsigned, 8),
    (0x24, "unsigned __int128", ScalarClass::Unsigned, 16),
    (0x30, "bool", ScalarClass::Bool, 1),
    (0x31, "bool16", ScalarClass::Bool, 2),
    (0x32, "bool32", ScalarClass::Bool, 4),
    (0x33, "bool64", ScalarClass::Bool, 8),
    (0x40, "float", ScalarClass::Float, 4),
    (0x41, "double", ScalarClass::Float, 8),
    (0x42, "long double", ScalarClass::Float, 10),
    (0x43, "__float128", ScalarClass::Float, 16),
    (0x46, "_Float16", ScalarClass::Float, 2),
    (0x68, "__int8", ScalarClass::Signed, 1),
    (0x69, "unsigned __int8", ScalarClass::Unsigned, 1),
    (0x70, "char", SIGNED_CHARACTER, 1),
    (0x71, "wchar_t", UNSIGNED_CHARACTER, 2),
    (0x72, "__int16", ScalarClass::Signed, 2),
    (0x73, "unsigned __int16", ScalarClass::Unsigned, 2),
    (0x74, "int", ScalarClass::Signed, 4),
    (0x75, "unsigned int", ScalarClass::Unsigned, 4),
    (0x76, "__int64", ScalarClass::Signed, 8),
    (0x77, "unsigned __int64", ScalarClass::Unsigned, 8),
    (0x78, "__int128", ScalarClass::Signed, 16),
    (0x79, "unsigned __int128", ScalarClass::Unsigned, 16),
    (0x7a, "char16_t", UNSIGNED_CHARACTER, 2),
    (0x7b, "char32_t", UNSIGNED_CHARACTER, 4),
    (0x7c, "char8_t", UNSIGNED_CHARACTER, 1),
];

/// The maximum number of lists that may continue each other; each has up to 64 KiB.
const MAX_LISTS: u32 = 4096;

impl CodeViewReader<'_, '_> {
    /// Adds the fields of a list, and of the lists that continue it, to a record.
    pub(super) fn read_field_list(
        &mut self,
        owner: u32,
        first_list: u32,
        record: &mut HostRecord,
        depth: u32,
    ) -> Result<(), DebugInfoError> {
        let types = self.types;
        let mut next = Some(first_list).filter(|&list| list != 0);
        for _ in 0..MAX_LISTS {
            let Some(list) = next.take() else { return Ok(()) };
            let TypeData::FieldList(fields) = types.parse(list)? else {
                return Err(types.damaged(owner, "its list of members is not a field list"));
            };
            let mut fields = fields.iter();
            for field in fields.by_ref() {
                if let Field::Index(continued) = field {
                    next = Some(continued.0);
                } else {
                    self.read_field(owner, &field, record, depth)?;
                }
            }
            // The decoder silently stops at records that it does not know; only padding may remain.
            if fields.bytes.iter().any(|&byte| byte < 0xf0) {
                return Err(types.damaged(owner, "its list of members is damaged"));
            }
        }
        Err(types.damaged(owner, "its list of members does not end"))
    }

    fn read_field(
        &mut self,
        owner: u32,
        field: &Field<'_>,
        record: &mut HostRecord,
        depth: u32,
    ) -> Result<(), DebugInfoError> {
        match field {
            Field::BaseClass(base) => {
                let ty = self.read(base.ty.0, depth + 1)?;
                record.bases.push(HostBase { ty, offset: Some(self.size(owner, base.offset)?) });
            }
            Field::DirectVirtualBaseClass(base) => {
                let ty = self.read(base.fixed.btype.get().0, depth + 1)?;
                record.bases.push(HostBase { ty, offset: None });
            }
            Field::Member(member) => {
                let bits = self.bit_field(member.ty.0);
                let ty = self.read(member.ty.0, depth + 1)?;
                let start = self.size(owner, member.offset)?;
                let range = |bits: &Bitfield| {
                    let offset = start.checked_mul(8).and_then(|start| start.checked_add(bits.position.into()));
                    let out_of_range = || self.types.damaged(owner, "the bits of a member are out of range");
                    Ok(BitRange { offset: offset.ok_or_else(out_of_range)?, size: bits.length.into() })
                };
                let bits = bits.map(range).transpose()?;
                let name = member.name.to_string();
                let offset = bits.map_or(start, |bits| bits.offset / 8);
                let name = Some(name).filter(|name| !name.is_empty());
                let (alignment, place, is_artificial) = (None, None, false);
                record.members.push(HostMember { name, ty, offset, bits, is_artificial, alignment, place });
            }
            Field::VFuncTable(table) => {
                let ty = self.read(table.0, depth + 1)?;
                let name = Some("__vfptr".to_owned());
                let (bits, alignment, place) = (None, None, None);
                let member = HostMember { name, ty, offset: 0, bits, is_artificial: true, alignment, place };
                record.members.push(member);
            }
            _ => {}
        }
        if record.members.len() > self.limits.members as usize {
            return Err(self.types.damaged(owner, format!("it has more than {} members", self.limits.members)));
        }
        Ok(())
    }
}

pub(super) fn declaration_lines(types: &CodeViewTypes<'_>) -> HashMap<u32, DeclarationPlace> {
    let mut places = HashMap::new();
    for (_, record) in types.identifiers() {
        let (ty, file, line) = match (record.kind, record.parse()) {
            (Leaf::LF_UDT_SRC_LINE, Ok(TypeData::UdtSrcLine(place))) => {
                (place.ty.get().0, text_record(types, place.src.get()), place.line.get())
            }
            // A linker moved the text into a separate table.
            (Leaf::LF_UDT_MOD_SRC_LINE, Ok(TypeData::UdtModSrcLine(place))) => {
                (place.ty.get().0, read_text(&types.texts, place.src.get() as usize), place.line.get())
            }
            _ => continue,
        };
        if let Some(file) = file.filter(|file| !file.is_empty()) {
            places.insert(ty, DeclarationPlace { file, line: Some(line).filter(|&line| line > 0) });
        }
    }
    places
}

fn text_record(types: &CodeViewTypes<'_>, number: u32) -> Option<String> {
    match types.identifier(number)?.parse().ok()? {
        TypeData::StringId(text) => Some(text.name.to_string()),
        _ => None,
    }
}
