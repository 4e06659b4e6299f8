//! Second pass over `CodeView`: reads a type together with all types that make up its bytes.

use std::collections::HashMap;

use ms_codeview::types::number::Number;
use ms_codeview::types::{Array, Bitfield, Enum, Leaf, Pointer, TypeData};

use super::collect_names::{NamedRecord, named_record, plain_name};
use super::declaration_lines::declaration_lines;
use super::primitive::{Primitive, primitive};
use super::type_stream::{CodeViewTypes, NumberedRecord};
use crate::type_table::NewType;
use crate::{
    DebugInfoError, DebugLimits, DeclarationPlace, ElementCount, HostArray, HostLanguage, HostRecord, HostShape,
    HostTypeId, HostTypes, HostUnit, LayoutContract, RecordKind,
};

/// Number of the first record that is not built in.
const FIRST_TYPE: u32 = 0x1000;

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
        for NumberedRecord { number, record } in types.records() {
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
        self.add(NewType {
            name: plain_name(named.name).unwrap_or_default(),
            shape: HostShape::Incomplete(named.kind),
            size: None,
            alignment: None,
            place: self.places.get(&number).cloned(),
        })
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

        let data = self.types.parse(number)?;
        let language = named_record(&data).map_or(HostLanguage::Other, |named| language(&named));
        if language == HostLanguage::Rust {
            record.contract = self.rust_contract(&record);
        }
        self.add(NewType {
            name: self.type_name(number, 0),
            shape: HostShape::Record(record),
            size: Some(size),
            alignment: None,
            place: self.places.get(&number).cloned(),
        })
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
        self.add(NewType {
            name: self.type_name(number, 0),
            shape: HostShape::Enum { signed },
            size,
            alignment: None,
            place: self.places.get(&number).cloned(),
        })
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
        let new_type = match primitive(number) {
            Some(Primitive::Scalar { name, scalar }) => NewType {
                name: name.to_owned(),
                shape: HostShape::Scalar(scalar),
                size: Some(scalar.size),
                alignment: None,
                place: None,
            },
            Some(Primitive::Pointer { size, target }) => NewType {
                name: format!("{target}*"),
                shape: HostShape::Pointer { target: target.to_owned() },
                size: Some(size),
                alignment: None,
                place: None,
            },
            Some(Primitive::Other { name }) => NewType::opaque(name, "it has no bytes"),
            None => NewType::opaque("", "it is a built-in type of an unknown kind"),
        };
        self.add(new_type)
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
