//! Reads DWARF 2 to 5: in ELF, Mach-O and PE files, split or whole, linked or not.
//!
//! `sections` extracts the sections of an object, `object` finds its units, `walk` collects names
//! for the index, and `type_reader` with `record_reader`, `array_reader` and `simple_reader` reads
//! the chosen types. `entry` decodes single entries for all of them.

mod array_reader;
mod entry;
mod file_names;
mod inner_names;
mod object;
mod record_reader;
mod sections;
mod simple_reader;
mod template_name;
mod type_key;
mod type_name;
mod type_reader;
mod unit;
mod unit_names;
mod walk;

pub(crate) use file_names::FileNames;
pub(crate) use object::{DwarfObject, DwarfStorage};
pub(crate) use sections::DebugSections;
pub(crate) use type_key::TypeKey;
pub(crate) use type_reader::TypeReader;
pub(crate) use unit::SkeletonLink;
pub(crate) use unit_names::UnitNames;
pub(crate) use walk::walk_unit;

/// The bytes of a section, with their byte order.
pub(crate) type Slice<'a> = gimli::EndianSlice<'a, gimli::RunTimeEndian>;
