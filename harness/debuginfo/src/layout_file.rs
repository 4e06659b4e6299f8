//! Reads structs from a layout file: JSON with the offsets that a program of any language uses.
//!
//! Debug information exists for compiled languages. A program in TypeScript, Python or C# that fills a buffer by offsets
//! can write them here, from the data that it has. `harness/book/engines.md` describes the format for users.

use std::collections::HashMap;
use std::fmt::Display;

use serde::Deserialize;

use crate::host_types::NewType;
use crate::index::{EntryKind, NameTable, UnitEntry};
use crate::{
    DebugInfoError, DebugLimits, DeclarationPlace, ElementCount, HostArray, HostLanguage, HostMember, HostRecord,
    HostScalar, HostShape, HostTypeId, HostTypes, HostUnit, IndexedKind, LayoutContract, RecordKind, ScalarClass,
};

/// The version of the format that is read.
const SCHEMA: u32 = 1;

/// A layout file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LayoutFile {
    schema: u32,
    structs: Vec<StatedStruct>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatedStruct {
    name: String,
    size: u32,
    /// The source file that declares it.
    file: Option<String>,
    line: Option<u32>,
    members: Vec<StatedMember>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatedMember {
    name: String,
    offset: u32,
    kind: StatedKind,
    /// Bytes of the value; of an array, those of an element.
    size: u32,
    /// Components of a vector.
    components: Option<u32>,
    /// The name of the struct, for that kind.
    #[serde(rename = "struct")]
    structure: Option<String>,
    /// Elements of an array, outermost dimension first.
    count: Option<OneOrMore<StatedCount>>,
    /// Bytes from one element to the next, for each dimension.
    stride: Option<OneOrMore<u32>>,
    alignment: Option<u32>,
    /// The type as the program spells it, for messages.
    #[serde(rename = "type")]
    spelling: Option<String>,
    line: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StatedKind {
    Float,
    Signed,
    Unsigned,
    Bool,
    Struct,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore<Value> {
    One(Value),
    More(Vec<Value>),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum StatedCount {
    Finite(u32),
    Word(CountWord),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CountWord {
    Unbounded,
}

impl<Value> OneOrMore<Value> {
    fn as_slice(&self) -> &[Value] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::More(values) => values,
        }
    }
}

/// True for bytes that start as JSON does. No format of programs starts so.
pub(crate) fn is_layout_file(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{")
}

impl LayoutFile {
    /// Reads a file and checks that it contradicts nothing in itself.
    pub(crate) fn parse(name: &str, bytes: &[u8], limits: &DebugLimits) -> Result<Self, DebugInfoError> {
        let damaged = |message: String| damaged(name, message);
        let file: Self = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
        if file.schema != SCHEMA {
            return Err(damaged(format!("its schema is {}, and {SCHEMA} is read", file.schema)));
        }
        let mut types = HostTypes::default();
        let mut reader = LayoutFileReader::new(name, &file, &mut types, limits);
        if reader.numbers.len() < file.structs.len() {
            let repeated =
                (0..).zip(&file.structs).find(|(number, own)| reader.numbers.get(&*own.name) != Some(number));
            let name = repeated.map_or("", |(_, own)| &own.name);
            return Err(damaged(format!("it has two structs `{name}`")));
        }
        for number in (0..).take(file.structs.len()) {
            reader.read(number, 0)?;
        }
        Ok(file)
    }

    pub(crate) fn collect_names(&self, names: &mut NameTable) -> Vec<UnitEntry> {
        let kind = EntryKind { kind: IndexedKind::Record(RecordKind::Struct), is_declaration: false };
        let entries = (0..).zip(&self.structs);
        entries.filter_map(|(entry, own)| Some(UnitEntry { entry, name: names.number(&own.name)?, kind })).collect()
    }
}

fn damaged(name: &str, message: impl Display) -> DebugInfoError {
    DebugInfoError::DamagedContainer { object: name.to_owned(), container: "layout file", message: message.to_string() }
}

/// Reads structs of one layout file, by their numbers in it.
pub(crate) struct LayoutFileReader<'a> {
    name: &'a str,
    file: &'a LayoutFile,
    numbers: HashMap<&'a str, u32>,
    finished: HashMap<u32, HostTypeId>,
    types: &'a mut HostTypes,
    limits: &'a DebugLimits,
}

impl<'a> LayoutFileReader<'a> {
    pub(crate) fn new(name: &'a str, file: &'a LayoutFile, types: &'a mut HostTypes, limits: &'a DebugLimits) -> Self {
        let numbers = (0..).zip(&file.structs).map(|(number, own)| (own.name.as_str(), number)).collect();
        Self { name, file, numbers, finished: HashMap::new(), types, limits }
    }

    pub(crate) fn host_unit(&self) -> HostUnit {
        let (object, empty) = (self.name.to_owned(), String::new());
        HostUnit { object, source: empty.clone(), language: HostLanguage::Other, producer: empty }
    }

    pub(crate) fn read(&mut self, number: u32, depth: u32) -> Result<HostTypeId, DebugInfoError> {
        if let Some(&id) = self.finished.get(&number) {
            return Ok(id);
        }
        let Some(own) = self.file.structs.get(number as usize) else {
            return Err(damaged(self.name, "it changed while it was read"));
        };
        let of_struct = |message: String| damaged(self.name, format!("struct `{}`: {message}", own.name));
        if depth >= self.limits.depth {
            return Err(of_struct(format!("it contains more than {} levels of structs, or itself", self.limits.depth)));
        }
        if own.members.len() > self.limits.members as usize {
            return Err(of_struct(format!("more than {} members", self.limits.members)));
        }

        let place = |line: Option<u32>| own.file.clone().map(|file| DeclarationPlace { file, line });
        let mut members = Vec::new();
        for member in &own.members {
            let (ty, size) = self.member(own, member, depth)?;
            let end = u64::from(member.offset) + size;
            if end > u64::from(own.size) {
                let message = format!("its member `{}` ends at byte {end}, but it has {} bytes", member.name, own.size);
                return Err(damaged(self.name, format!("struct `{}`: {message}", own.name)));
            }
            members.push(HostMember {
                name: Some(member.name.clone()),
                ty,
                offset: member.offset,
                bits: None,
                is_artificial: false,
                alignment: member.alignment,
                place: place(member.line),
            });
        }
        let record = HostRecord {
            kind: RecordKind::Struct,
            bases: Vec::new(),
            members,
            template_parameters: Vec::new(),
            contract: LayoutContract::Stated,
            has_variants: false,
        };
        if let Some(message) = self.types.shared_bytes(&record) {
            return Err(damaged(self.name, format!("struct `{}`: {message}", own.name)));
        }
        let id = self.add(own.name.clone(), HostShape::Record(record), Some(own.size), place(own.line))?;
        self.finished.insert(number, id);
        Ok(id)
    }

    /// The type of a member and its size with all elements.
    fn member(
        &mut self,
        own: &StatedStruct,
        member: &StatedMember,
        depth: u32,
    ) -> Result<(HostTypeId, u64), DebugInfoError> {
        let name = self.name;
        let wrong = |message: &str| damaged(name, format!("`{}.{}`: {message}", own.name, member.name));
        let mut ty = self.element(own, member, depth)?;
        let mut size = u64::from(member.size);

        let counts = member.count.as_ref().map_or(&[][..], OneOrMore::as_slice);
        let strides = member.stride.as_ref().map_or(&[][..], OneOrMore::as_slice);
        if counts.len() != strides.len() {
            return Err(wrong("an array needs `count` and `stride` for each dimension"));
        }
        for (depth, (count, stride)) in counts.iter().zip(strides).enumerate().rev() {
            if u64::from(*stride) < size {
                return Err(wrong(&format!("its elements of {size} bytes are {stride} bytes apart")));
            }
            let (count, all) = match count {
                StatedCount::Finite(count) => (ElementCount::Finite(*count), u64::from(*count) * u64::from(*stride)),
                StatedCount::Word(CountWord::Unbounded) if depth == 0 => (ElementCount::Unstated, 0),
                StatedCount::Word(CountWord::Unbounded) => return Err(wrong("only the first count may be unbounded")),
            };
            size = all;
            let finite = u32::try_from(size).ok().filter(|_| count != ElementCount::Unstated);
            let array = HostArray { element: ty, counts: vec![count], stride: Some(*stride) };
            ty = self.add(String::new(), HostShape::Array(array), finite, None)?;
        }
        Ok((ty, size))
    }

    /// The type of a member without its arrays.
    fn element(&mut self, own: &StatedStruct, member: &StatedMember, depth: u32) -> Result<HostTypeId, DebugInfoError> {
        let name = self.name;
        let wrong = |message: &str| damaged(name, format!("`{}.{}`: {message}", own.name, member.name));
        let (word, class) = match member.kind {
            StatedKind::Float => ("f", ScalarClass::Float),
            StatedKind::Signed => ("i", ScalarClass::Signed),
            StatedKind::Unsigned => ("u", ScalarClass::Unsigned),
            StatedKind::Bool => ("bool", ScalarClass::Bool),
            StatedKind::Struct => {
                let Some(structure) = &member.structure else { return Err(wrong("`struct` names no struct")) };
                let Some(&number) = self.numbers.get(structure.as_str()) else {
                    return Err(wrong(&format!("the file has no struct `{structure}`")));
                };
                let id = self.read(number, depth + 1)?;
                if self.types[id].size != Some(member.size) {
                    return Err(wrong(&format!("`{structure}` has another size than {}", member.size)));
                }
                return Ok(id);
            }
        };
        if member.structure.is_some() {
            return Err(wrong("`struct` is only for the kind `struct`"));
        }

        let components = member.components.unwrap_or(1);
        let size = member.size.checked_div(components).filter(|size| size.checked_mul(components) == Some(member.size));
        let Some(size @ (1 | 2 | 4 | 8)) = size else {
            return Err(wrong(&format!("{} bytes are not {components} scalars of 1, 2, 4 or 8 bytes", member.size)));
        };
        let scalar_name = if word == "bool" { word.to_owned() } else { format!("{word}{}", 8 * size) };
        let name_of_all = match (&member.spelling, components) {
            (Some(spelling), _) => spelling.clone(),
            (None, 1) => scalar_name.clone(),
            (None, _) => format!("{scalar_name}x{components}"),
        };
        let own_name = if components == 1 { name_of_all.clone() } else { scalar_name };
        let scalar = self.add(own_name, HostShape::Scalar(HostScalar { class, size }), Some(size), None)?;
        if components == 1 {
            return Ok(scalar);
        }
        let vector = HostShape::Vector { component: scalar, count: components };
        self.add(name_of_all, vector, Some(member.size), None)
    }

    fn add(
        &mut self,
        name: String,
        shape: HostShape,
        size: Option<u32>,
        place: Option<DeclarationPlace>,
    ) -> Result<HostTypeId, DebugInfoError> {
        self.types.add(NewType { name, shape, size, alignment: None, place }, self.limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DebugFile, NoSiblings};

    fn read(text: &str) -> Result<crate::FoundTypes, DebugInfoError> {
        let file = DebugFile::new("scene.json", text.as_bytes(), &NoSiblings);
        let index = file.index()?;
        file.read(&index, |_| true)
    }

    #[test]
    fn structs_have_their_stated_places() {
        let found = read(
            r#"{"schema": 1, "structs": [
                {"name": "Scene", "size": 224, "file": "scene.ts", "line": 3, "members": [
                    {"name": "view", "offset": 0, "kind": "float", "size": 16, "components": 4, "count": 4, "stride": 16},
                    {"name": "lights", "offset": 64, "kind": "struct", "struct": "Light", "size": 16, "count": [2, 3],
                     "stride": [64, 16]},
                    {"name": "end", "offset": 192, "kind": "unsigned", "size": 4, "count": "unbounded", "stride": 4}]},
                {"name": "Light", "size": 16, "members": [
                    {"name": "color", "offset": 0, "kind": "float", "size": 12, "components": 3, "type": "vec3f"}]}]}"#,
        )
        .unwrap();
        let names: Vec<&str> = found.named.iter().map(|named| named.name.as_str()).collect();
        assert_eq!(names, ["Light", "Scene"]);
        let scene = found.find("Scene").unwrap().layouts[0].ty;
        let all = found.types.all_members(scene);
        let members: Vec<(Option<&str>, u32)> =
            all.iter().map(|placed| (placed.member.name.as_deref(), placed.offset)).collect();
        assert_eq!(members, [(Some("view"), 0), (Some("lights"), 64), (Some("end"), 192)]);
        assert_eq!(found.types[scene].place.as_ref().unwrap().line, Some(3));
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused_with_the_reason() {
        let member = |text: &str| format!(r#"{{"schema":1,"structs":[{{"name":"A","size":16,"members":[{text}]}}]}}"#);
        let cases = [
            (r#"{"schema": 2, "structs": []}"#.to_owned(), "its schema is 2, and 1 is read"),
            (r#"{"structs": []}"#.to_owned(), "missing field `schema`"),
            (member(r#"{"name":"a","offset":12,"kind":"float","size":8}"#), "ends at byte 20, but it has 16 bytes"),
            (
                member(r#"{"name":"a","offset":0,"kind":"float","size":12}"#),
                "12 bytes are not 1 scalars of 1, 2, 4 or 8 bytes",
            ),
            (
                member(r#"{"name":"a","offset":0,"kind":"float","size":4,"count":2}"#),
                "`count` and `stride` for each dimension",
            ),
            (
                member(r#"{"name":"a","offset":0,"kind":"float","size":4,"count":2,"stride":2}"#),
                "4 bytes are 2 bytes apart",
            ),
            (
                member(r#"{"name":"a","offset":0,"kind":"float","size":4,"count":[2,"unbounded"],"stride":[8,4]}"#),
                "only the first",
            ),
            (member(r#"{"name":"a","offset":0,"kind":"struct","size":4,"struct":"B"}"#), "the file has no struct `B`"),
            (member(r#"{"name":"a","offset":0,"kind":"struct","size":16,"struct":"A"}"#), "or itself"),
            (member(r#"{"name":"a","offset":0,"kind":"float","size":4,"strides":4}"#), "unknown field `strides`"),
            (
                member(
                    r#"{"name":"a","offset":0,"kind":"float","size":4},{"name":"b","offset":2,"kind":"float","size":4}"#,
                ),
                "share bytes",
            ),
        ];
        for (text, reason) in cases {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
