//! Where the members of blocks are declared in a text, for editors.

use layoutproof_layout::shape::{StructType, Type};
use layoutproof_layout::{FileId, LaidOut, LaidOutShape, Span, ViewId, join};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::layout_text::member_tree::split_dimensions;
use crate::reordered_text::{body_named, declared_names};
use crate::rule_set_layouts::RuleSetLayouts;
use crate::show_input::{InputContent, ShowInput};

/// The declaration of a member of a block. A struct that several blocks hold has one for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberPlace {
    pub view: ViewId,
    /// As [`MemberRow`](layoutproof_layout::MemberRow) has it: `lights[].position`.
    pub path: String,
    pub span: Span,
}

/// Levels of structs to follow: no text nests deeper, and pointees of a module may hold themselves.
const MOST_LEVELS: usize = 32;

impl ShowInput {
    /// The declarations in `file` of the members of all blocks. Readers of GLSL and WGSL keep no places, so the text is
    /// searched for the names of structs and members there.
    pub fn member_places(&self, layouts: &[RuleSetLayouts], sources: &SourceMap, file: FileId) -> Vec<MemberPlace> {
        let mut found = Vec::new();
        match &self.content {
            InputContent::Declared(source) => {
                for block in &source.module.blocks {
                    of_type(&block.element, "", MOST_LEVELS, &mut |path, span| {
                        if span.file == file && span != Span::default() {
                            found.push(MemberPlace { view: block.view, path: path.to_owned(), span });
                        }
                    });
                }
            }
            InputContent::LaidOut(_) => {
                let searched = SearchedText { file, text: &sources.file(file).text, language: self.written_language() };
                for layout in layouts.iter().flat_map(|column| &column.blocks).map(|block| &block.layout) {
                    if let Ok(root) = &layout.result {
                        let names = [layout.name.as_str(), split_dimensions(&root.type_name).0];
                        searched.members(root, &names, "", MOST_LEVELS, &mut |path, span| {
                            found.push(MemberPlace { view: layout.view, path: path.to_owned(), span });
                        });
                    }
                }
            }
        }
        found
    }
}

fn of_type(ty: &Type, path: &str, levels: usize, found: &mut dyn FnMut(&str, Span)) {
    match ty {
        Type::Array { element, .. } => of_type(element, &format!("{path}[]"), levels, found),
        Type::Struct(structure) if levels > 0 => of_struct(structure, path, levels - 1, found),
        _ => {}
    }
}

fn of_struct(structure: &StructType, path: &str, levels: usize, found: &mut dyn FnMut(&str, Span)) {
    if let Some(base) = &structure.base {
        of_struct(base, path, levels, found);
    }
    for member in &structure.members {
        let path = joined(path, &member.name);
        found(&path, member.span);
        of_type(&member.ty, &path, levels, found);
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { join(path, name) }
}

struct SearchedText<'a> {
    file: FileId,
    text: &'a str,
    language: ShaderLanguage,
}

impl SearchedText<'_> {
    /// The members of a struct that the text calls by one of `names`.
    fn members(&self, ty: &LaidOut, names: &[&str], path: &str, levels: usize, found: &mut dyn FnMut(&str, Span)) {
        let mut ty = ty;
        let mut path = path.to_owned();
        while let LaidOutShape::Array { element, .. } = &ty.shape {
            ty = element;
            path += "[]";
        }
        let LaidOutShape::Struct(members) = &ty.shape else { return };
        let bodies = names.iter().filter(|name| !name.is_empty()).filter_map(|name| body_named(self.text, name));
        let places = bodies.into_iter().find_map(|body| declared_names(self.text, body, self.language));
        let places = places.unwrap_or_default();
        for member in members {
            let path = joined(&path, &member.name);
            if let Some(place) = places.iter().find(|place| self.text[(*place).clone()] == member.name) {
                if let (Ok(start), Ok(end)) = (u32::try_from(place.start), u32::try_from(place.end)) {
                    found(&path, Span { file: self.file, start, end });
                }
            }
            if levels > 0 {
                let name = split_dimensions(&member.layout.type_name).0;
                self.members(&member.layout, &[name], &path, levels - 1, found);
            }
        }
    }
}
