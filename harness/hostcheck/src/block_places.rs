//! The declarations of a block's members, by path.

use std::collections::BTreeMap;

use layoutproof_layout::{Block, Span, StructType, Type};

use super::names::join_path;
use super::program_struct::LinePlace;
use layoutproof_source::sources::SourceMap;

/// Maximum number of members. Structs of structs double with each level.
const MAX_PLACES: usize = 1 << 16;

/// Lists the declarations of the members of `block`, by path without indices; the empty path is the
/// block itself.
pub fn member_places(block: &Block, sources: &SourceMap) -> BTreeMap<String, LinePlace> {
    let mut places = BTreeMap::new();
    places.extend(line_of(block.span, sources).map(|place| (String::new(), place)));
    if let Type::Struct(structure) = &block.element {
        add_members(structure, "", sources, &mut places);
    }
    places
}

fn add_members(structure: &StructType, parent: &str, sources: &SourceMap, places: &mut BTreeMap<String, LinePlace>) {
    if let Some(base) = &structure.base {
        add_members(base, parent, sources, places);
    }
    for member in &structure.members {
        if places.len() >= MAX_PLACES {
            return;
        }
        let path = join_path(parent, &member.name);
        if let (Type::Struct(inner), _) = member.ty.dimensions() {
            add_members(inner, &path, sources, places);
        }
        places.extend(line_of(member.span, sources).map(|place| (path, place)));
    }
}

/// The file and line of a span; `None` for the default span, which has no text.
fn line_of(span: Span, sources: &SourceMap) -> Option<LinePlace> {
    let file = sources.files().get(span.file.0 as usize).filter(|_| span.end > 0)?;
    Some(LinePlace { file: file.name.clone(), line: Some(sources.position(span).line) })
}
