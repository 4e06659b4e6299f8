//! Finds the lines of Rust's and Zig's structs in their sources: the debug information of these compilers names only the root
//! file of a crate or module.
//!
//! A declaration counts if it is the only one of its name that has all of the struct's members.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use layoutproof_compilers::regular_file::read_text;
use layoutproof_debuginfo::FoundTypes;
use layoutproof_hostcheck::{LinePlace, ProgramContract, ProgramStruct};
use layoutproof_inputs::files::entries;

/// Longest file to read, in bytes.
const LONGEST: u64 = 1 << 20;

/// Most files and folders of one crate or module.
const MOST_ENTRIES: usize = 4000;

/// Folders that have no sources of a crate.
const SKIPPED: [&str; 3] = ["target", ".zig-cache", "zig-out"];

/// The texts below the folders of root files.
#[derive(Debug, Default)]
pub(crate) struct SourceLines {
    texts: BTreeMap<PathBuf, Vec<(PathBuf, String)>>,
}

/// A language whose debug information has no lines of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Rust,
    Zig,
}

impl Language {
    fn of(contract: ProgramContract) -> Option<Self> {
        match contract {
            ProgramContract::Unstated | ProgramContract::Reordered => Some(Self::Rust),
            ProgramContract::UnstatedZig => Some(Self::Zig),
            ProgramContract::Fixed | ProgramContract::Stated => None,
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Self::Rust => "rs",
            Self::Zig => "zig",
        }
    }

    /// The part of a line after the declaration of a struct's name: `struct Light {`, `const Light = extern struct {`.
    fn after_name<'t>(self, line: &'t str, name: &str) -> Option<&'t str> {
        let is_end = |rest: &&str| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        match self {
            Self::Rust => {
                let (before, rest) = line.split_once("struct ")?;
                let is_declared = before.is_empty() || before.ends_with(|letter: char| !letter.is_alphanumeric());
                rest.trim_start().strip_prefix(name).filter(is_end).filter(|_| is_declared)
            }
            Self::Zig => {
                let (_, rest) = line.split_once("const ")?;
                let value = rest.trim_start().strip_prefix(name).filter(is_end)?.split_once('=')?.1;
                value.contains("struct").then_some(value)
            }
        }
    }
}

impl SourceLines {
    /// Adds the places of structs and their members that were found in a program.
    pub(crate) fn add_to_all(&mut self, structs: &mut [ProgramStruct], found: &FoundTypes, working_folder: &Path) {
        for program in structs {
            let layout = found.find(&program.name).and_then(|named| named.layouts.first());
            if let Some(unit) = layout.and_then(|layout| layout.units.first()) {
                self.add_to(program, &found.unit(*unit).source, working_folder);
            }
        }
    }

    /// `root` is the source of the struct's unit.
    fn add_to(&mut self, program: &mut ProgramStruct, root: &str, working_folder: &Path) {
        let Some(language) = Language::of(program.contract).filter(|_| program.place.is_none()) else { return };
        // rustc names a part of the crate after its root file: `src/main.rs/@/app.0123-cgu.0`.
        let root = Path::new(root.split("/@/").next().unwrap_or(root));
        let Some(folder) = root.parent().filter(|_| root.extension().is_some_and(|end| end == language.suffix()))
        else {
            return;
        };
        let texts = self.texts.entry(folder.to_owned()).or_insert_with(|| {
            let mut texts = Vec::new();
            add_texts(folder, language, &mut 0, &mut texts);
            texts
        });
        let own = program.name.split('<').next().unwrap_or_default();
        let name = own.rsplit([':', '.']).next().unwrap_or(own);
        let mut found = texts
            .iter()
            .flat_map(|(path, text)| declarations(text, name, language).map(move |start| (path, text, start)))
            .filter_map(|(path, text, start)| Some((path, start, member_lines(text, start, program)?)));
        let (Some((path, line, members)), None) = (found.next(), found.next()) else { return };
        let file = path.strip_prefix(working_folder).unwrap_or(path).display().to_string();
        program.place = Some(place(&file, line));
        for (field, line) in program.fields.iter_mut().zip(members) {
            field.place = line.map(|line| place(&file, line));
        }
    }
}

/// The place of a line that counts from 0.
fn place(file: &str, line: usize) -> LinePlace {
    LinePlace { file: file.to_owned(), line: u32::try_from(line + 1).ok() }
}

fn add_texts(folder: &Path, language: Language, visited: &mut usize, texts: &mut Vec<(PathBuf, String)>) {
    for entry in entries(folder).unwrap_or_default() {
        *visited += 1;
        if *visited > MOST_ENTRIES {
            return;
        }
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        if entry.is_symlink() || SKIPPED.contains(&name.as_ref()) {
            continue;
        }
        if entry.is_dir() {
            add_texts(&entry, language, visited, texts);
        } else if entry.extension().is_some_and(|end| end == language.suffix())
            && let Ok(text) = read_text(&entry, LONGEST)
        {
            texts.push((entry, text));
        }
    }
}

/// The lines, from 0, that declare a struct of this name.
fn declarations<'t>(text: &'t str, name: &'t str, language: Language) -> impl Iterator<Item = usize> + 't {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines.filter_map(move |(number, line)| language.after_name(line, name).map(|_| number))
}

/// The lines of the members in the declaration that starts in a line; `None` if it lacks one. Members of tuples have none.
fn member_lines(text: &str, start: usize, program: &ProgramStruct) -> Option<Vec<Option<usize>>> {
    let mut body: Vec<(usize, &str)> = Vec::new();
    let mut depth = 0_i32;
    for (number, line) in text.lines().enumerate().skip(start) {
        let line = line.split("//").next().unwrap_or(line);
        body.push((number, line));
        depth += line.chars().map(|letter| i32::from(letter == '{') - i32::from(letter == '}')).sum::<i32>();
        if depth <= 0 && (line.contains('}') || line.contains(';')) {
            break;
        }
    }
    let has_member = |line: &str, name: &str| {
        line.match_indices(name).any(|(at, _)| {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            let starts = !line[..at].ends_with(is_word);
            starts && line[at + name.len()..].trim_start().starts_with(':')
        })
    };
    let line_of = |name: &str| {
        if name.trim_start_matches('_').chars().all(|letter| letter.is_ascii_digit()) {
            return Some(None);
        }
        body.iter().find(|(_, line)| has_member(line, name)).map(|(number, _)| Some(*number))
    };
    program.fields.iter().map(|field| line_of(&field.name)).collect()
}

#[cfg(test)]
mod tests {
    use layoutproof_hostcheck::{LaneClass, ProgramField, ProgramScalar, ProgramShape};

    use super::*;

    fn program(name: &str, members: &[&str], contract: ProgramContract) -> ProgramStruct {
        let scalar = ProgramScalar { class: LaneClass::Float, size: 4, is_enum: false };
        let field = |name: &&str| ProgramField {
            name: (*name).to_owned(),
            type_name: "f32".to_owned(),
            offset: 0,
            shape: ProgramShape::Scalar(scalar),
            bits: None,
            alignment: None,
            place: None,
        };
        ProgramStruct {
            name: name.to_owned(),
            object: "app".to_owned(),
            size: 4,
            fields: members.iter().map(field).collect(),
            place: None,
            contract,
            other_layouts: Vec::new(),
            is_named_by_variable: false,
            written_by: None,
        }
    }

    /// The lines of a struct and of its members, from 1; 0 for none.
    fn lines(text: &str, name: &str, members: &[&str], contract: ProgramContract) -> Vec<u32> {
        let end = Language::of(contract).unwrap().suffix();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join(format!("main.{end}"));
        std::fs::write(&root, text).unwrap();
        let mut program = program(name, members, contract);
        SourceLines::default().add_to(&mut program, &format!("{}/@/app.01-cgu.0", root.display()), folder.path());
        let line = |place: &Option<LinePlace>| place.as_ref().and_then(|place| place.line).unwrap_or(0);
        std::iter::once(line(&program.place)).chain(program.fields.iter().map(|field| line(&field.place))).collect()
    }

    #[test]
    fn declarations_are_found_by_their_name_and_members() {
        let rust = |text: &str, members: &[&str]| lines(text, "app::Light<f32>", members, ProgramContract::Unstated);
        assert_eq!(rust("/// A\npub struct Light {\n  a: f32,\n  pub b: f32,\n}\n", &["a", "b"]), [2, 3, 4]);
        assert_eq!(rust("pub(crate) struct Light<T> { b: T, a: T }", &["a", "b"]), [1, 1, 1]);
        assert_eq!(rust("struct Light\n{\n  aa: f32,\n  r#b: f32\n}\nfn f(a: f32) {}", &["a"]), [0, 0]);
        assert_eq!(rust("struct Lights { a: f32 }\n// struct Light { a: f32 }\n", &["a"]), [0, 0]);
        assert_eq!(rust("struct Light(f32);\n", &["__0"]), [1, 0]);
        assert_eq!(rust("mod x { struct Light { a: f32 } }\nmod y { struct Light { a: f32 } }", &["a"]), [0, 0]);
        let zig = |text: &str| lines(text, "main.Light", &["a"], ProgramContract::UnstatedZig);
        assert_eq!(zig("const std = 1;\npub const Light = extern struct {\n    a: f32,\n};\n"), [2, 3]);
        assert_eq!(zig("const Light = other.Light;\n"), [0, 0]);
    }
}
