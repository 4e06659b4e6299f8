//! A debugging information entry with the attributes that this crate uses.

use gimli::{AttributeValue, DwAt, DwTag, EntriesRaw, Expression, Operation};

use super::Slice;
use crate::RecordKind;

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of DWARF, and they do not depend on each other")]
pub(crate) struct Entry<'a> {
    pub(crate) tag: DwTag,
    pub(crate) has_children: bool,
    pub(crate) name: Option<AttributeValue<Slice<'a>>>,
    pub(crate) ty: Option<AttributeValue<Slice<'a>>>,
    /// The declaration that this entry completes, the namespace that it continues, or the function
    /// of which it is an instance.
    pub(crate) specification: Option<AttributeValue<Slice<'a>>>,
    /// The type unit with the definition.
    pub(crate) signature: Option<AttributeValue<Slice<'a>>>,
    pub(crate) is_declaration: bool,
    pub(crate) is_external: bool,
    pub(crate) is_artificial: bool,
    pub(crate) is_vector: bool,
    pub(crate) is_virtual: bool,
    pub(crate) byte_size: Option<u64>,
    pub(crate) bit_size: Option<u64>,
    /// Offset in bits as DWARF 4 and 5 write it.
    pub(crate) data_bit_offset: Option<u64>,
    /// Offset in bits as DWARF 2 and 3 write it, counted from the highest bit of the storage unit.
    pub(crate) old_bit_offset: Option<u64>,
    pub(crate) member_offset: MemberOffset,
    pub(crate) alignment: Option<u64>,
    pub(crate) encoding: Option<gimli::DwAte>,
    pub(crate) file: Option<u64>,
    pub(crate) line: Option<u64>,
    pub(crate) count: Option<Bound>,
    pub(crate) lower_bound: Option<Bound>,
    pub(crate) upper_bound: Option<Bound>,
    pub(crate) byte_stride: Option<u64>,
    pub(crate) constant: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberOffset {
    /// Not stated; this means 0.
    Unstated,
    Bytes(u64),
    /// An expression that needs the running program.
    Computed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Constant(i64),
    /// An expression that needs the running program.
    Computed,
}

impl<'a> Entry<'a> {
    /// Reads the attributes of an entry. The reader is just past the entry's abbreviation.
    pub(crate) fn read(
        abbreviation: &gimli::Abbreviation,
        entries: &mut EntriesRaw<'_, '_, Slice<'a>>,
        encoding: gimli::Encoding,
    ) -> gimli::Result<Self> {
        let mut entry = Self::empty(abbreviation);
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            entry.take(attribute.name(), &attribute, encoding);
        }
        Ok(entry)
    }

    /// The alignment that the entry states, in bytes.
    pub(crate) fn stated_alignment(&self) -> Option<u32> {
        self.alignment.and_then(|alignment| u32::try_from(alignment).ok())
    }

    fn empty(abbreviation: &gimli::Abbreviation) -> Self {
        Self {
            tag: abbreviation.tag(),
            has_children: abbreviation.has_children(),
            name: None,
            ty: None,
            specification: None,
            signature: None,
            is_declaration: false,
            is_external: false,
            is_artificial: false,
            is_vector: false,
            is_virtual: false,
            byte_size: None,
            bit_size: None,
            data_bit_offset: None,
            old_bit_offset: None,
            member_offset: MemberOffset::Unstated,
            alignment: None,
            encoding: None,
            file: None,
            line: None,
            count: None,
            lower_bound: None,
            upper_bound: None,
            byte_stride: None,
            constant: None,
        }
    }

    fn take(&mut self, name: DwAt, attribute: &gimli::Attribute<Slice<'a>>, encoding: gimli::Encoding) {
        let value = attribute.value();
        match name {
            gimli::DW_AT_name => self.name = Some(value),
            gimli::DW_AT_type => self.ty = Some(value),
            gimli::DW_AT_specification | gimli::DW_AT_extension | gimli::DW_AT_abstract_origin => {
                self.specification = Some(value);
            }
            gimli::DW_AT_signature => self.signature = Some(value),
            gimli::DW_AT_declaration => self.is_declaration = is_set(&value),
            gimli::DW_AT_external => self.is_external = is_set(&value),
            gimli::DW_AT_artificial => self.is_artificial = is_set(&value),
            gimli::DW_AT_GNU_vector => self.is_vector = is_set(&value),
            gimli::DW_AT_virtuality => {
                self.is_virtual = !matches!(value, AttributeValue::Virtuality(gimli::DW_VIRTUALITY_none));
            }
            gimli::DW_AT_byte_size => self.byte_size = attribute.udata_value(),
            gimli::DW_AT_bit_size => self.bit_size = attribute.udata_value(),
            gimli::DW_AT_data_bit_offset => self.data_bit_offset = attribute.udata_value(),
            gimli::DW_AT_bit_offset => self.old_bit_offset = attribute.udata_value(),
            gimli::DW_AT_data_member_location => self.member_offset = member_offset(attribute, encoding),
            gimli::DW_AT_alignment => self.alignment = attribute.udata_value(),
            gimli::DW_AT_encoding => {
                self.encoding = match value {
                    AttributeValue::Encoding(encoding) => Some(encoding),
                    _ => None,
                };
            }
            gimli::DW_AT_decl_file => {
                self.file = match value {
                    AttributeValue::FileIndex(index) => Some(index),
                    _ => None,
                };
            }
            gimli::DW_AT_decl_line => self.line = attribute.udata_value(),
            gimli::DW_AT_count => self.count = Some(bound(attribute)),
            gimli::DW_AT_lower_bound => self.lower_bound = Some(bound(attribute)),
            gimli::DW_AT_upper_bound => self.upper_bound = Some(bound(attribute)),
            gimli::DW_AT_byte_stride => self.byte_stride = attribute.udata_value(),
            gimli::DW_AT_const_value => self.constant = constant(attribute),
            _ => {}
        }
    }
}

fn is_set(value: &AttributeValue<Slice<'_>>) -> bool {
    matches!(value, AttributeValue::Flag(true))
}

fn bound(attribute: &gimli::Attribute<Slice<'_>>) -> Bound {
    constant(attribute).map_or(Bound::Computed, Bound::Constant)
}

/// Returns a number of any form. Only the type tells the sign of a number of fixed size; bounds and
/// small template arguments do not need it.
fn constant(attribute: &gimli::Attribute<Slice<'_>>) -> Option<i64> {
    match attribute.value() {
        AttributeValue::Sdata(value) => Some(value),
        AttributeValue::Data4(value) if value == u32::MAX => Some(-1),
        _ => attribute.udata_value().map(u64::cast_signed),
    }
}

fn member_offset(attribute: &gimli::Attribute<Slice<'_>>, encoding: gimli::Encoding) -> MemberOffset {
    match attribute.value() {
        AttributeValue::Exprloc(expression) => constant_expression(expression, encoding),
        AttributeValue::Block(bytes) => constant_expression(Expression(bytes), encoding),
        _ => attribute.udata_value().map_or(MemberOffset::Computed, MemberOffset::Bytes),
    }
}

/// Evaluates `DW_OP_plus_uconst N` and `DW_OP_constu N`, which DWARF 2 uses for offsets.
fn constant_expression(expression: Expression<Slice<'_>>, encoding: gimli::Encoding) -> MemberOffset {
    let mut operations = expression.operations(encoding);
    match (operations.next(), operations.next()) {
        (Ok(Some(Operation::PlusConstant { value } | Operation::UnsignedConstant { value })), Ok(None)) => {
            MemberOffset::Bytes(value)
        }
        _ => MemberOffset::Computed,
    }
}

pub(crate) fn record_kind(tag: DwTag) -> RecordKind {
    match tag {
        gimli::DW_TAG_class_type | gimli::DW_TAG_interface_type => RecordKind::Class,
        gimli::DW_TAG_union_type => RecordKind::Union,
        gimli::DW_TAG_enumeration_type => RecordKind::Enum,
        _ => RecordKind::Struct,
    }
}
