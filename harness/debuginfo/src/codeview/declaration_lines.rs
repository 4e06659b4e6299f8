//! The declaration places of types, from separate records of a PDB or object.

use std::collections::HashMap;

use ms_codeview::types::{Leaf, TypeData};

use super::read_text;
use super::type_stream::{CodeViewTypes, NumberedRecord};
use crate::DeclarationPlace;

/// Declaration places by type number.
pub(super) fn declaration_lines(types: &CodeViewTypes<'_>) -> HashMap<u32, DeclarationPlace> {
    let mut places = HashMap::new();
    for NumberedRecord { record, .. } in types.identifiers() {
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
