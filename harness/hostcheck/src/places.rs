//! The places in a shader at which the members of a block are declared: from a module of our own front
//! end, or from the text of a file that another reader laid out.

use std::collections::BTreeMap;

use layoutproof_layout::{Block, BlockLayout, LaidOut, LaidOutMember, LaidOutShape, Span, StructType, Type};
use layoutproof_source::sources::{LinePlace, SourceFile, SourceMap};

use super::names::join_path;

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

/// Maximum nesting of structs.
const DEEPEST: u32 = 32;

/// Maximum number of members. Structs of structs double with each level.
const MOST_TEXT_PLACES: usize = 1 << 12;

/// The declarations of WGSL or GLSL files, by name.
#[derive(Clone, Debug, Default)]
pub struct TextPlaces {
    records: BTreeMap<String, BTreeMap<String, LinePlace>>,
    /// Variables, blocks and records.
    names: BTreeMap<String, LinePlace>,
}

impl TextPlaces {
    /// Scans the texts of files. The first declaration of a name counts.
    pub fn of_files<'a>(files: impl Iterator<Item = &'a SourceFile>) -> Self {
        let mut places = Self::default();
        for file in files {
            places.add(&file.name, &tokens(&file.text));
        }
        places
    }

    /// The places of a block's members, by path without indices; the empty path is the block.
    pub fn of_block(&self, layout: &BlockLayout) -> BTreeMap<String, LinePlace> {
        let mut found = BTreeMap::new();
        found.extend(self.names.get(&layout.name).map(|place| (String::new(), place.clone())));
        if let Ok(root) = &layout.result {
            self.add_members(root, "", DEEPEST, &mut found);
        }
        found
    }

    fn add_members(&self, layout: &LaidOut, path: &str, depth: u32, found: &mut BTreeMap<String, LinePlace>) {
        let mut element = layout;
        while let LaidOutShape::Array { element: inner, .. } = &element.shape {
            element = inner;
        }
        let (LaidOutShape::Struct(members), Some(depth)) = (&element.shape, depth.checked_sub(1)) else { return };
        let Some(record) = self.records.get(&element.type_name) else { return };
        for LaidOutMember { name, layout, .. } in members {
            if found.len() >= MOST_TEXT_PLACES {
                return;
            }
            let path = join_path(path, name);
            self.add_members(layout, &path, depth, found);
            found.extend(record.get(name).map(|place| (path, place.clone())));
        }
    }

    fn add(&mut self, file: &str, tokens: &[Token<'_>]) {
        let place = |token: &Token<'_>| LinePlace { file: file.to_owned(), line: Some(token.line) };
        // Open braces, each with its record.
        let mut open: Vec<Option<&str>> = Vec::new();
        let mut parentheses = 0_u32;
        for (index, token) in tokens.iter().enumerate() {
            let before = |count: usize| index.checked_sub(count).map(|before| tokens[before].text);
            let next = tokens.get(index + 1).map(|token| token.text);
            match token.text {
                "(" => parentheses += 1,
                ")" => parentheses = parentheses.saturating_sub(1),
                // Matches `struct S {` and `buffer S {`, but not a function's body: `main() {`,
                // `fn main() -> S {`.
                "{" => open.push(before(1).filter(|name| is_word(name) && before(2).is_some_and(is_word))),
                "}" => drop(open.pop()),
                word if is_word(word) && parentheses == 0 => {
                    // In WGSL a type follows a colon or an angle bracket.
                    let is_type = matches!(before(1), Some(":" | "<"));
                    let declares = !is_type && matches!(next, Some(":" | ";" | "," | "[" | "="));
                    match open.as_slice() {
                        [] if declares || next == Some("{") => {
                            self.names.entry(word.to_owned()).or_insert_with(|| place(token));
                        }
                        [Some(record)] if declares => {
                            let members = self.records.entry((*record).to_owned()).or_default();
                            members.entry(word.to_owned()).or_insert_with(|| place(token));
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
}

/// A word or a punctuation mark, with its line.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    line: u32,
}

fn is_word(text: &str) -> bool {
    text.starts_with(|character: char| character.is_alphabetic() || character == '_')
}

/// The words and punctuation marks of a text, without its comments.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let comment = if rest.starts_with("//") {
            Some(rest.find('\n').unwrap_or(rest.len()))
        } else {
            rest.strip_prefix("/*").map(|inside| inside.find("*/").map_or(rest.len(), |end| end + 4))
        };
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        let length = match comment {
            Some(length) => length,
            None if is_part(first) => rest.find(|character| !is_part(character)).unwrap_or(rest.len()),
            None => first.len_utf8(),
        };
        let (taken, after) = rest.split_at(length);
        if comment.is_none() && !first.is_whitespace() {
            tokens.push(Token { text: taken, line });
        }
        line += u32::try_from(taken.matches('\n').count()).unwrap_or(0);
        rest = after;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> (Vec<String>, Vec<String>) {
        let mut places = TextPlaces::default();
        places.add("a", &tokens(text));
        let line = |place: &LinePlace| place.line.unwrap();
        let names = places.names.iter().map(|(name, place)| format!("{name}:{}", line(place)));
        let members = places.records.iter().flat_map(|(record, members)| {
            members.iter().map(move |(name, place)| format!("{record}.{name}:{}", line(place)))
        });
        (names.collect(), members.collect())
    }

    #[test]
    fn members_stand_at_their_lines() {
        let (names, members) = lines(
            "// struct S { wrong: f32 }\nstruct S {\n  a: f32, /* b: f32,\n */ @size(16) b: array<vec3<f32>, 4>,\n}\n\
             @group(0) @binding(0)\nvar<uniform> s: S;\nfn main() { let a = s.b; }",
        );
        assert_eq!(members, ["S.a:3", "S.b:4"]);
        assert!(names.contains(&"s:7".to_owned()) && names.contains(&"S:2".to_owned()), "{names:?}");
        let (names, members) = lines(
            "struct Sphere { vec3 place;\nfloat radius, mass; };\nlayout(std430, binding = 1) buffer Counted {\n\
             uint count;\nSphere spheres[]; } counted;\nvoid main() { count = 1; }",
        );
        assert_eq!(
            members,
            ["Counted.count:4", "Counted.spheres:5", "Sphere.mass:2", "Sphere.place:1", "Sphere.radius:2"]
        );
        assert!(names.contains(&"Counted:3".to_owned()) && names.contains(&"counted:5".to_owned()), "{names:?}");
    }
}
