//! Reads DWARF 2 to 5: in ELF, Mach-O and PE files, split or whole, linked or not.
//!
//! `sections` extracts the sections of an object, `object` finds its units, `walk` collects names
//! for the index, with `inner_names` and `template_name` for those that no entry states, and
//! `type_reader` with `record_reader` reads the chosen types. `entry` decodes single entries for all
//! of them.

mod entry;
mod inner_names;
mod instances;
mod object;
mod record_reader;
mod sections;
mod template_name;
mod type_reader;
mod unit;
mod walk;

pub(crate) use object::{DwarfObject, DwarfStorage, TypeKey};
pub(crate) use sections::DebugSections;
pub(crate) use type_reader::TypeReader;
pub(crate) use unit::{FileNames, SkeletonLink};
pub(crate) use walk::walk_unit;

/// The bytes of a section, with their byte order.
pub(crate) type Slice<'a> = gimli::EndianSlice<'a, gimli::RunTimeEndian>;
