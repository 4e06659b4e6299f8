//! Second pass: reads a type together with all types that make up its bytes.
//!
//! A type is read after the types that it contains, so the recursion is as deep as types nest,
//! which is bounded. Each entry is read once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use gimli::AttributeValue;

use super::Slice;
use super::entry::{Bound, Entry, record_kind};
use super::object::{DwarfObject, MainUnit, TypeKey, unit_offset};
use super::unit::{FileNames, OpenUnit, join_path};
use crate::host_types::NewType;
use crate::index::TypeLocation;
use crate::{
    DebugIndex, DebugInfoError, DebugLimits, DeclarationPlace, ElementCount, HostArray, HostLanguage, HostScalar,
    HostShape, HostType, HostTypeId, HostTypes, HostUnit, ScalarClass,
};

/// Larger sizes, in bytes, count as damage.
const MAX_SIZE: u64 = 1 << 31;

pub(crate) struct TypeReader<'a, 'reader> {
    pub(crate) object: &'reader DwarfObject<'a>,
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

pub(crate) struct UnitInUse<'a> {
    pub(crate) number: u32,
    pub(crate) unit: OpenUnit<'a>,
    pub(crate) files: Rc<FileNames>,
}

impl UnitInUse<'_> {
    pub(super) fn language(&self) -> HostLanguage {
        self.unit.language.unwrap_or(HostLanguage::Other)
    }
}

/// The entry that is being read.
#[derive(Clone, Copy)]
pub(super) struct CurrentEntry<'e, 'a> {
    pub(super) in_use: &'e UnitInUse<'a>,
    /// The type that the entry describes, or whose member it is.
    pub(super) key: TypeKey,
    pub(super) entry: &'e Entry<'a>,
    /// Number of types around it.
    pub(super) depth: u32,
}

impl<'e, 'a> CurrentEntry<'e, 'a> {
    /// A child of the entry, such as a member.
    pub(super) fn child(self, entry: &'e Entry<'a>) -> Self {
        Self { entry, ..self }
    }

    pub(super) fn place(self) -> Option<DeclarationPlace> {
        self.in_use.files.place(self.entry.file, self.entry.line)
    }
}

impl<'a, 'reader> TypeReader<'a, 'reader> {
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
        let id = self.read_entry(CurrentEntry { in_use: &in_use, key, entry: &entry, depth })?;
        self.finished.insert(key, id);
        Ok(id)
    }

    fn read_entry(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostTypeId, DebugInfoError> {
        match at.entry.tag {
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_interface_type
            | gimli::DW_TAG_union_type => self.read_record(at),
            gimli::DW_TAG_enumeration_type => self.read_enum(at),
            gimli::DW_TAG_array_type => self.read_array(at),
            gimli::DW_TAG_base_type => self.read_scalar(at),
            gimli::DW_TAG_typedef => self.read_alias(at),
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
            | gimli::DW_TAG_ptr_to_member_type => self.read_pointer(at),
            gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type
            | gimli::DW_TAG_packed_type
            | gimli::DW_TAG_immutable_type
            | gimli::DW_TAG_shared_type => self.read_target(at),
            tag => self.add_opaque(at, tag.static_string().unwrap_or("an entry of an unknown kind")),
        }
    }

    /// Reads the type in the `DW_AT_type` of an entry.
    pub(super) fn read_target(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostTypeId, DebugInfoError> {
        match &at.entry.ty {
            Some(target) => match self.resolve(at.key.unit, target) {
                Some(target) => self.read(target, at.depth + 1),
                None => self.add_unresolved(at.key, target),
            },
            None => self.add(NewType::opaque("void", "it has no type")),
        }
    }

    /// Finds the definition of a declared type, by its signature or by its name in the same object.
    pub(super) fn read_declaration(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostTypeId, DebugInfoError> {
        let signed = at.entry.signature.as_ref().and_then(|signature| self.resolve(at.key.unit, signature));
        let name = self.name(at);
        let named = || self.index.definition_in(&name, self.object_number);
        let definition =
            signed.or_else(|| named().map(|location| TypeKey { unit: location.unit, entry: location.entry }));
        if let Some(definition) = definition.filter(|definition| *definition != at.key) {
            return self.read(definition, at.depth + 1);
        }
        let shape = HostShape::Incomplete(record_kind(at.entry.tag));
        self.add(NewType { name, shape, size: None, alignment: None, place: at.place() })
    }

    fn add_opaque(&mut self, at: CurrentEntry<'_, 'a>, reason: &str) -> Result<HostTypeId, DebugInfoError> {
        let name = self.own_name(at).unwrap_or_default();
        let size = at.entry.byte_size.and_then(|size| u32::try_from(size).ok());
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

    pub(super) fn name(&self, at: CurrentEntry<'_, 'a>) -> String {
        self.known_name(at.key).map(str::to_owned).or_else(|| self.own_name(at)).unwrap_or_default()
    }

    /// The name in the entry itself, without namespaces.
    pub(super) fn own_name(&self, at: CurrentEntry<'_, 'a>) -> Option<String> {
        at.entry.name.as_ref().and_then(|name| self.string(at.in_use, name))
    }

    /// The qualified name of an entry, if it is in the index.
    pub(crate) fn known_name(&self, key: TypeKey) -> Option<&'reader str> {
        self.index.name_at(TypeLocation { object: self.object_number, unit: key.unit, entry: key.entry })
    }

    pub(crate) fn string(&self, in_use: &UnitInUse<'a>, value: &AttributeValue<Slice<'a>>) -> Option<String> {
        let dwarf = self.object.dwarf(in_use.number)?;
        in_use.unit.string(dwarf, value).map(std::borrow::Cow::into_owned)
    }

    /// A type with the name, alignment and place of its entry.
    pub(super) fn new_type(&self, at: CurrentEntry<'_, 'a>, shape: HostShape, size: Option<u32>) -> NewType {
        NewType { name: self.name(at), shape, size, alignment: at.entry.stated_alignment(), place: at.place() }
    }

    /// Checks a size in bytes.
    pub(crate) fn size(&self, key: TypeKey, size: u64) -> Result<u32, DebugInfoError> {
        let fitting = Some(size).filter(|&size| size <= MAX_SIZE).and_then(|size| u32::try_from(size).ok());
        fitting.ok_or_else(|| self.damaged(key, format!("it has {size} bytes; at most {MAX_SIZE} are possible")))
    }

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

/// Maximum number of pointers, qualifiers and array types that a name spells out.
const MAX_DEPTH: u32 = 16;

impl<'a> TypeReader<'a, '_> {
    /// Returns the spelling of a type; empty if the type has no name.
    pub(crate) fn type_name(&self, key: TypeKey, depth: u32) -> String {
        if let Some(name) = self.known_name(key) {
            return name.to_owned();
        }
        if depth >= MAX_DEPTH {
            return "...".to_owned();
        }
        let Ok(in_use) = self.unit(key.unit) else { return String::new() };
        let Ok(entry) = in_use.unit.entry(unit_offset(key.entry)) else { return String::new() };
        if let Some(name) = entry.name.as_ref().and_then(|name| self.string(&in_use, name)) {
            return name;
        }

        let target = || self.target_name(key, &entry, depth);
        match entry.tag {
            gimli::DW_TAG_pointer_type => format!("{}*", target()),
            gimli::DW_TAG_reference_type => format!("{}&", target()),
            gimli::DW_TAG_rvalue_reference_type => format!("{}&&", target()),
            gimli::DW_TAG_const_type => format!("const {}", target()),
            gimli::DW_TAG_volatile_type => format!("volatile {}", target()),
            gimli::DW_TAG_restrict_type | gimli::DW_TAG_packed_type => target(),
            gimli::DW_TAG_array_type => format!("{}{}", target(), self.dimensions_text(&in_use, key)),
            gimli::DW_TAG_subroutine_type => format!("{}(...)", target()),
            _ => String::new(),
        }
    }

    fn target_name(&self, key: TypeKey, entry: &Entry<'a>, depth: u32) -> String {
        match entry.ty.as_ref().map(|target| self.resolve(key.unit, target)) {
            None => "void".to_owned(),
            Some(Some(target)) => self.type_name(target, depth + 1),
            Some(None) => String::new(),
        }
    }

    fn dimensions_text(&self, in_use: &UnitInUse<'a>, key: TypeKey) -> String {
        let counts = self.dimensions(in_use, key).unwrap_or_default();
        let texts = counts.iter().map(|count| match count {
            ElementCount::Finite(count) => format!("[{count}]"),
            ElementCount::Unstated => "[]".to_owned(),
        });
        texts.collect()
    }
}

impl<'a> TypeReader<'a, '_> {
    fn read_alias(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostTypeId, DebugInfoError> {
        let target = self.read_target(at)?;
        let HostType { size, alignment, .. } = self.types[target];
        let alias = self.new_type(at, HostShape::Alias(target), size);
        self.add(NewType { alignment: alias.alignment.or(alignment), ..alias })
    }

    fn read_scalar(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostTypeId, DebugInfoError> {
        let CurrentEntry { key, entry, .. } = at;
        let bits = entry.bit_size.map(|bits| bits.div_ceil(8));
        let size = self.size(key, entry.byte_size.or(bits).unwrap_or(0))?;
        let class = entry.encoding.map_or(ScalarClass::Other, scalar_class);
        let scalar = self.new_type(at, HostShape::Scalar(HostScalar { class, size }), Some(size));
        self.add(NewType { place: None, ..scalar })
    }

    fn read_enum(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostTypeId, DebugInfoError> {
        let CurrentEntry { key, entry, .. } = at;
        if entry.is_declaration || entry.signature.is_some() {
            return self.read_declaration(at);
        }
        let integer = entry.ty.as_ref().map(|_| self.read_target(at)).transpose()?;
        let integer = integer.map(|integer| &self.types[self.types.resolve(integer)]);
        let signed = match integer.map(|integer| &integer.shape) {
            Some(HostShape::Scalar(scalar)) => Some(scalar.is_signed()),
            _ => entry.encoding.map(|encoding| HostScalar { class: scalar_class(encoding), size: 0 }.is_signed()),
        };
        let integer_size = integer.and_then(|integer| integer.size);
        let size = match entry.byte_size {
            Some(size) => Some(self.size(key, size)?),
            None => integer_size,
        };
        self.add(self.new_type(at, HostShape::Enum { signed }, size))
    }

    fn read_pointer(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostTypeId, DebugInfoError> {
        let CurrentEntry { in_use, key, entry, .. } = at;
        let target = entry.ty.as_ref().and_then(|target| self.resolve(key.unit, target));
        let target = match target {
            Some(target) => self.type_name(target, 0),
            None => "void".to_owned(),
        };
        // Only pointers to member functions differ in size, and compilers state it for them.
        let size = entry.byte_size.unwrap_or(u64::from(in_use.unit.header.address_size()));
        let size = self.size(key, size)?;
        let (name, shape) = (self.type_name(key, 0), HostShape::Pointer { target });
        self.add(NewType { name, shape, size: Some(size), alignment: entry.stated_alignment(), place: None })
    }
}

fn scalar_class(encoding: gimli::DwAte) -> ScalarClass {
    match encoding {
        gimli::DW_ATE_float => ScalarClass::Float,
        gimli::DW_ATE_signed => ScalarClass::Signed,
        gimli::DW_ATE_unsigned => ScalarClass::Unsigned,
        gimli::DW_ATE_boolean => ScalarClass::Bool,
        gimli::DW_ATE_signed_char => ScalarClass::Character { signed: true },
        gimli::DW_ATE_unsigned_char | gimli::DW_ATE_UTF | gimli::DW_ATE_ASCII | gimli::DW_ATE_UCS => {
            ScalarClass::Character { signed: false }
        }
        _ => ScalarClass::Other,
    }
}

const MAX_DIMENSIONS: u32 = 64;

impl<'a> TypeReader<'a, '_> {
    fn read_array(&mut self, at: CurrentEntry<'_, 'a>) -> Result<HostTypeId, DebugInfoError> {
        let CurrentEntry { in_use, key, entry, .. } = at;
        let element = self.read_target(at)?;
        let counts = self.dimensions(in_use, key)?;
        let name = self.type_name(key, 0);
        let alignment = entry.stated_alignment();

        if entry.is_vector {
            let count = counts.iter().try_fold(1u32, |product, count| product.checked_mul(finite(*count)?));
            let count = count.ok_or_else(|| self.damaged(key, "it is a vector without a number of components"))?;
            let size = match entry.byte_size {
                Some(size) => size,
                None => u64::from(self.types[element].size.unwrap_or(0)) * u64::from(count),
            };
            let size = Some(self.size(key, size)?);
            let shape = HostShape::Vector { component: element, count };
            return self.add(NewType { name, shape, size, alignment, place: None });
        }

        let stride = match entry.byte_stride {
            Some(stride) => Some(self.size(key, stride)?),
            None => self.types[element].size,
        };
        let computed = stride.and_then(|stride| {
            let mut size = u64::from(stride);
            for count in &counts {
                size = size.saturating_mul(u64::from(finite(*count)?));
            }
            Some(size)
        });
        let size = entry.byte_size.or(computed).map(|size| self.size(key, size)).transpose()?;
        let shape = HostShape::Array(HostArray { element, counts, stride });
        self.add(NewType { name, shape, size, alignment, place: None })
    }

    /// The wanted children of an entry, which may have up to `limit` of them.
    pub(super) fn children(
        &self,
        in_use: &UnitInUse<'a>,
        key: TypeKey,
        limit: u32,
        noun: &str,
        is_wanted: impl Fn(gimli::DwTag) -> bool,
    ) -> Result<Vec<Entry<'a>>, DebugInfoError> {
        let children = in_use.unit.children(unit_offset(key.entry), limit, is_wanted);
        let children = children.map_err(|error| self.damaged(key, error))?;
        if children.is_cut {
            return Err(self.damaged(key, format!("it has more than {limit} {noun}")));
        }
        Ok(children.entries)
    }

    pub(super) fn dimensions(&self, in_use: &UnitInUse<'a>, key: TypeKey) -> Result<Vec<ElementCount>, DebugInfoError> {
        let is_bound = |tag| matches!(tag, gimli::DW_TAG_subrange_type | gimli::DW_TAG_enumeration_type);
        let children = self.children(in_use, key, MAX_DIMENSIONS, "dimensions", is_bound)?;
        let too_large = || self.damaged(key, "one of its counts is too large");
        let counts = children.iter().map(|dimension| element_count(dimension).ok_or_else(too_large));
        let mut counts: Vec<ElementCount> = counts.collect::<Result<_, _>>()?;
        if counts.is_empty() {
            counts.push(ElementCount::Unstated);
        }
        Ok(counts)
    }
}

fn finite(count: ElementCount) -> Option<u32> {
    match count {
        ElementCount::Finite(count) => Some(count),
        ElementCount::Unstated => None,
    }
}

/// Returns the number of elements of one dimension; `None` if it is out of range.
fn element_count(dimension: &Entry<'_>) -> Option<ElementCount> {
    let count = match (dimension.count, dimension.upper_bound, dimension.lower_bound) {
        // Clang writes -1 for a flexible array.
        (Some(Bound::Constant(count)), ..) if count >= 0 => count,
        (Some(_), ..) | (None, None | Some(Bound::Computed), _) | (None, _, Some(Bound::Computed)) => {
            return Some(ElementCount::Unstated);
        }
        (None, Some(Bound::Constant(upper)), lower) => {
            let lower = match lower {
                Some(Bound::Constant(lower)) => lower,
                _ => 0,
            };
            // GCC writes an upper bound of -1 for `float a[0]`.
            upper.checked_sub(lower)?.checked_add(1)?.max(0)
        }
    };
    u32::try_from(count).ok().map(ElementCount::Finite)
}
