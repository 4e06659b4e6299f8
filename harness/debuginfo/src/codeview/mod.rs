//! Reads `CodeView`: program databases (PDB) of MSVC's linker and lld, and the `.debug$T` section
//! of objects.
//!
//! `type_stream` opens the container and finds the records in it, `collect_names` indexes them, and
//! `codeview_reader` reads the chosen types. The crate `ms-codeview` decodes records.

mod codeview_reader;
mod collect_names;
mod type_stream;

pub(crate) use codeview_reader::CodeViewReader;
pub(crate) use collect_names::collect_names;
pub(crate) use type_stream::{CodeViewTypes, object_types, pdb_build, pdb_types};

fn read_u32(bytes: &[u8], offset: usize) -> Option<u32> {
    let field = bytes.get(offset..offset.checked_add(4)?)?;
    Some(u32::from_le_bytes(field.try_into().ok()?))
}

fn read_u16(bytes: &[u8], offset: usize) -> Option<u16> {
    let field = bytes.get(offset..offset.checked_add(2)?)?;
    Some(u16::from_le_bytes(field.try_into().ok()?))
}

/// Reads a zero-terminated text.
fn read_text(bytes: &[u8], offset: usize) -> Option<String> {
    let rest = bytes.get(offset..)?;
    let length = rest.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..length]).into_owned())
}
