//! Second pass: reads a type together with all types that make up its bytes.
//!
//! A type is read after the types that it contains, so the recursion is as deep as types nest,
//! which is bounded. Each entry is read once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use gimli::AttributeValue;

use super::Slice;
use super::entry::{Entry, record_kind};
use super::file_names::{FileNames, join_path};
use super::object::{DwarfObject, MainUnit};
use super::type_key::{TypeKey, unit_offset};
use super::unit::OpenUnit;
use crate::index::TypeLocation;
use crate::type_table::NewType;
use crate::{
    DebugIndex, DebugInfoError, DebugLimits, DeclarationPlace, HostLanguage, HostShape, HostTypeId, HostTypes, HostUnit,
};

/// Larger sizes, in bytes, count as damage.
const MAX_SIZE: u64 = 1 << 31;

/// Reads the types of one object.
pub(crate) struct TypeReader<'a, 'reader> {
    pub(crate) object: &'reader DwarfObject<'a>,
    /// The number of the object in the index.
    pub(crate) object_number: u32,
    pub(crate) index: &'reader DebugIndex,
    pub(crate) types: &'reader mut HostTypes,
    pub(crate) limits: &'reader DebugLimits,
    /// Source files of split units, by unit number; the object has those of all other units.
    pub(crate) split_files: &'reader HashMap<u64, Rc<FileNames>>,
    /// Units with a working folder, by the offsets of their line tables. Opening the first type
    /// unit fills this.
    main_units: RefCell<Option<HashMap<usize, MainUnit>>>,
    units: RefCell<HashMap<u32, Rc<UnitInUse<'a>>>>,
    finished: HashMap<TypeKey, HostTypeId>,
}

/// A unit from which types are read.
pub(crate) struct UnitInUse<'a> {
    pub(crate) number: u32,
    pub(crate) unit: OpenUnit<'a>,
    pub(crate) files: Rc<FileNames>,
}

impl<'a> UnitInUse<'a> {
    /// The declaration place of an entry.
    pub(super) fn place(&self, entry: &Entry<'a>) -> Option<DeclarationPlace> {
        self.files.place(entry.file, entry.line)
    }

    pub(super) fn language(&self) -> HostLanguage {
        self.unit.language.unwrap_or(HostLanguage::Other)
    }
}

impl<'a, 'reader> TypeReader<'a, 'reader> {
    /// Makes a reader for one object.
    pub(crate) fn new(
        object: &'reader DwarfObject<'a>,
        object_number: u32,
        index: &'reader DebugIndex,
        types: &'reader mut HostTypes,
        limits: &'reader DebugLimits,
        split_files: &'reader HashMap<u64, Rc<FileNames>>,
    ) -> Self {
        let (main_units, units, finished) = (RefCell::default(), RefCell::default(), HashMap::new());
        Self { object, object_number, index, types, limits, split_files, main_units, units, finished }
    }

    /// Reads the type at `key`, at nesting depth `depth`.
    pub(crate) fn read(&mut self, key: TypeKey, depth: u32) -> Result<HostTypeId, DebugInfoError> {
        if let Some(&id) = self.finished.get(&key) {
            return Ok(id);
        }
        if depth >= self.limits.depth {
            let (object, name) = (self.object.name.to_owned(), self.known_name(key).unwrap_or_default().to_owned());
            return Err(DebugInfoError::TooDeep { object, name, offset: self.offset(key), limit: self.limits.depth });
        }

        let in_use = self.unit(key.unit)?;
        let entry = in_use.unit.entry(unit_offset(key.entry)).map_err(|error| self.damaged(key, error))?;
        let id = self.read_entry(&in_use, key, &entry, depth)?;
        self.finished.insert(key, id);
        Ok(id)
    }

    fn read_entry(
        &mut self,
        in_use: &UnitInUse<'a>,
        key: TypeKey,
        entry: &Entry<'a>,
        depth: u32,
    ) -> Result<HostTypeId, DebugInfoError> {
        match entry.tag {
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_interface_type
            | gimli::DW_TAG_union_type => self.read_record(in_use, key, entry, depth),
            gimli::DW_TAG_enumeration_type => self.read_enum(in_use, key, entry, depth),
            gimli::DW_TAG_array_type => self.read_array(in_use, key, entry, depth),
            gimli::DW_TAG_base_type => self.read_scalar(in_use, key, entry),
            gimli::DW_TAG_typedef => self.read_alias(in_use, key, entry, depth),
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
            | gimli::DW_TAG_ptr_to_member_type => self.read_pointer(in_use, key, entry),
            gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type
            | gimli::DW_TAG_packed_type
            | gimli::DW_TAG_immutable_type
            | gimli::DW_TAG_shared_type => self.read_target(key, entry, depth),
            tag => self.add_opaque(in_use, entry, tag.static_string().unwrap_or("an entry of an unknown kind")),
        }
    }

    /// Reads the type in the `DW_AT_type` of an entry.
    pub(crate) fn read_target(
        &mut self,
        key: TypeKey,
        entry: &Entry<'a>,
        depth: u32,
    ) -> Result<HostTypeId, DebugInfoError> {
        match &entry.ty {
            Some(target) => match self.resolve(key.unit, target) {
                Some(target) => self.read(target, depth + 1),
                None => self.add_unresolved(key, target),
            },
            None => self.add(NewType::opaque("void", "it has no type")),
        }
    }

    /// Finds the definition of a declared type, by its signature or by its name in the same object.
    pub(crate) fn read_declaration(
        &mut self,
        in_use: &UnitInUse<'a>,
        key: TypeKey,
        entry: &Entry<'a>,
        depth: u32,
    ) -> Result<HostTypeId, DebugInfoError> {
        let signed = entry.signature.as_ref().and_then(|signature| self.resolve(key.unit, signature));
        let name = self.name(in_use, key, entry);
        let named = || self.index.definition_in(&name, self.object_number);
        let definition =
            signed.or_else(|| named().map(|location| TypeKey { unit: location.unit, entry: location.entry }));
        if let Some(definition) = definition.filter(|definition| *definition != key) {
            return self.read(definition, depth + 1);
        }
        self.add(NewType {
            name,
            shape: HostShape::Incomplete(record_kind(entry.tag)),
            size: None,
            alignment: None,
            place: in_use.place(entry),
        })
    }

    fn add_opaque(
        &mut self,
        in_use: &UnitInUse<'a>,
        entry: &Entry<'a>,
        reason: &str,
    ) -> Result<HostTypeId, DebugInfoError> {
        let name = entry.name.as_ref().and_then(|name| self.string(in_use, name)).unwrap_or_default();
        let size = entry.byte_size.and_then(|size| u32::try_from(size).ok());
        self.add(NewType { size, ..NewType::opaque(&name, reason) })
    }

    fn add_unresolved(
        &mut self,
        key: TypeKey,
        target: &AttributeValue<Slice<'a>>,
    ) -> Result<HostTypeId, DebugInfoError> {
        match target {
            AttributeValue::DebugInfoRefSup(_) => {
                self.add(NewType::opaque("", "it is in a supplementary file (made by dwz), which is not read"))
            }
            AttributeValue::DebugTypesRef(_) => {
                self.add(NewType::opaque("", "its type unit is in none of the files that were read"))
            }
            _ => Err(self.damaged(key, "it refers to a type outside of the debug information")),
        }
    }

    /// Returns the target entry of a reference.
    pub(crate) fn resolve(&self, unit: u32, reference: &AttributeValue<Slice<'a>>) -> Option<TypeKey> {
        match *reference {
            AttributeValue::UnitRef(offset) => Some(TypeKey { unit, entry: u32::try_from(offset.0).ok()? }),
            AttributeValue::DebugInfoRef(offset) => self.object.find_offset(unit, offset.0),
            AttributeValue::DebugTypesRef(signature) => self.object.find_signature(signature.0),
            _ => None,
        }
    }

    /// Opens a unit, or returns it if it is already open.
    pub(crate) fn unit(&self, number: u32) -> Result<Rc<UnitInUse<'a>>, DebugInfoError> {
        if let Some(unit) = self.units.borrow().get(&number) {
            return Ok(Rc::clone(unit));
        }
        let mut unit = self.object.open(number)?;
        if unit.folder.is_empty() {
            self.adopt_folder(&mut unit);
        }
        let files = match unit.dwo_id().and_then(|id| self.split_files.get(&id)) {
            Some(files) => Rc::clone(files),
            None => Rc::new(self.object.dwarf(number).map(|dwarf| FileNames::read(dwarf, &unit)).unwrap_or_default()),
        };
        let in_use = Rc::new(UnitInUse { number, unit, files });
        self.units.borrow_mut().insert(number, Rc::clone(&in_use));
        Ok(in_use)
    }

    /// Copies to a type unit the folder of the unit that it was compiled with. Both have the same
    /// line table.
    fn adopt_folder(&self, unit: &mut OpenUnit<'a>) {
        let mut main_units = self.main_units.borrow_mut();
        let main_units = main_units.get_or_insert_with(|| self.object.main_units());
        if let Some(main) = unit.lines.and_then(|lines| main_units.get(&lines.0)) {
            unit.folder.clone_from(&main.folder);
            unit.name.clone_from(&main.name);
            unit.producer.clone_from(&main.producer);
        }
    }

    /// Describes a unit in a report's form.
    pub(crate) fn host_unit(&self, in_use: &UnitInUse<'a>) -> HostUnit {
        let unit = &in_use.unit;
        let source = if unit.name.is_empty() { in_use.files.main_source() } else { &unit.name };
        HostUnit {
            object: self.object.name.to_owned(),
            source: join_path(&unit.folder, source),
            language: in_use.language(),
            producer: unit.producer.clone(),
        }
    }

    /// The qualified name of an entry.
    pub(crate) fn name(&self, in_use: &UnitInUse<'a>, key: TypeKey, entry: &Entry<'a>) -> String {
        if let Some(name) = self.known_name(key) {
            return name.to_owned();
        }
        entry.name.as_ref().and_then(|name| self.string(in_use, name)).unwrap_or_default()
    }

    /// The qualified name of an entry, if it is in the index.
    pub(crate) fn known_name(&self, key: TypeKey) -> Option<&'reader str> {
        self.index.name_at(TypeLocation { object: self.object_number, unit: key.unit, entry: key.entry })
    }

    /// The text of an attribute.
    pub(crate) fn string(&self, in_use: &UnitInUse<'a>, value: &AttributeValue<Slice<'a>>) -> Option<String> {
        let dwarf = self.object.dwarf(in_use.number)?;
        in_use.unit.string(dwarf, value).map(std::borrow::Cow::into_owned)
    }

    /// Checks a size in bytes.
    pub(crate) fn size(&self, key: TypeKey, size: u64) -> Result<u32, DebugInfoError> {
        let fitting = Some(size).filter(|&size| size <= MAX_SIZE).and_then(|size| u32::try_from(size).ok());
        fitting.ok_or_else(|| self.damaged(key, format!("it has {size} bytes; at most {MAX_SIZE} are possible")))
    }

    /// Numbers a type.
    pub(crate) fn add(&mut self, new_type: NewType) -> Result<HostTypeId, DebugInfoError> {
        self.types.add(new_type, self.limits)
    }

    /// Makes an error about an entry.
    pub(crate) fn damaged(&self, key: TypeKey, message: impl std::fmt::Display) -> DebugInfoError {
        DebugInfoError::DamagedType {
            object: self.object.name.to_owned(),
            name: self.known_name(key).unwrap_or_default().to_owned(),
            offset: self.offset(key),
            message: message.to_string(),
        }
    }

    fn offset(&self, key: TypeKey) -> u64 {
        self.object.unit_offset(key.unit).saturating_add(u64::from(key.entry))
    }
}
