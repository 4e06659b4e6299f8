//! How near host structs are to a shader, by the names in their paths.
//!
//! In a repository with many programs, each may have its own `UBO`. The shader `shaders/bloom/blur.frag`
//! then means the one of `examples/bloom/bloom.cpp`. Nearness only chooses between structs that fit.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use layoutproof_hostcheck::{ProgramContract, ProgramStruct};

use crate::debug_worker::DebugAnswer;

/// The number of names that two paths have in common. Names of the shader's folders count more than
/// that of its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nearness {
    pub(crate) folders: usize,
    has_file_name: bool,
}

/// The names in the path of a shader.
#[derive(Debug)]
pub(crate) struct ShaderPath {
    folders: BTreeSet<String>,
    file_name: String,
}

impl ShaderPath {
    pub(crate) fn new(shader: &str) -> Self {
        let path = Path::new(shader);
        Self {
            folders: path.parent().map(names_in).unwrap_or_default(),
            file_name: path.file_name().map(|name| folded(&name.to_string_lossy())).unwrap_or_default(),
        }
    }

    fn nearness(&self, host: &Definition<'_>) -> Nearness {
        Nearness {
            folders: self.folders.intersection(&host.path).count(),
            has_file_name: host.path.contains(&self.file_name),
        }
    }
}

/// The folders and the file of a path, so that spellings do not count.
pub(crate) fn names_in(path: &Path) -> BTreeSet<String> {
    path.iter().map(|name| folded(&name.to_string_lossy())).filter(|name| !name.is_empty()).collect()
}

/// A name in lowercase, without suffixes and separators.
pub(crate) fn folded(name: &str) -> String {
    let stem = name.split('.').next().unwrap_or_default();
    stem.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A struct of one host file.
#[derive(Debug)]
pub(crate) struct Definition<'a> {
    program: &'a ProgramStruct,
    /// The names in the paths of its host file and of its declaration.
    path: BTreeSet<String>,
}

impl<'a> Definition<'a> {
    fn new(program: &'a ProgramStruct) -> Self {
        Self { program, path: names_of(program) }
    }
}

/// The names in the paths of a struct's host file and of its declaration.
pub(crate) fn names_of(program: &ProgramStruct) -> BTreeSet<String> {
    let mut names = names_in(Path::new(&program.object));
    // The places of Rust's and Zig's structs are found by their names.
    let has_own_place = matches!(program.contract, ProgramContract::Fixed | ProgramContract::Stated);
    let place = program.place.as_ref().filter(|_| has_own_place);
    names.extend(place.iter().flat_map(|place| names_in(Path::new(&place.file))));
    names
}

/// All definitions of each name, in the order of the host files.
pub(crate) type Definitions<'a> = BTreeMap<&'a str, Vec<Definition<'a>>>;

/// A struct as a shader sees it.
#[derive(Debug)]
pub(crate) struct NearStruct<'a> {
    pub(crate) program: Cow<'a, ProgramStruct>,
    pub(crate) nearness: Nearness,
    /// The host files with this layout of the struct, as far as they are as near.
    pub(crate) objects: BTreeSet<&'a str>,
}

/// One definition of each name.
pub(crate) type StructsByName<'a> = BTreeMap<&'a str, NearStruct<'a>>;

pub(crate) fn definitions(hosts: &[DebugAnswer]) -> Definitions<'_> {
    let mut all = Definitions::new();
    for program in hosts.iter().flat_map(|host| &host.structs) {
        all.entry(program.name.as_str()).or_default().push(Definition::new(program));
    }
    all
}

/// The definition of each name that is nearest to a shader.
pub(crate) fn nearest_definitions<'a>(all: &Definitions<'a>, shader: &ShaderPath) -> StructsByName<'a> {
    all.iter().filter_map(|(name, programs)| Some((*name, nearest_of(programs, shader)?))).collect()
}

/// The nearest definition. If definitions disagree on the bytes, and are equally near or the same text,
/// `other_layouts` has the others.
fn nearest_of<'a>(definitions: &[Definition<'a>], shader: &ShaderPath) -> Option<NearStruct<'a>> {
    let near: Vec<(Nearness, &'a ProgramStruct)> =
        definitions.iter().map(|definition| (shader.nearness(definition), definition.program)).collect();
    let best = near.iter().map(|(nearness, _)| *nearness).max()?;
    let (_, chosen) = *near.iter().find(|(nearness, _)| *nearness == best)?;

    let mut others: Vec<&ProgramStruct> = Vec::new();
    for (nearness, other) in near {
        let is_rival = nearness == best || (other.place.is_some() && other.place == chosen.place);
        let is_known = other.has_same_layout(chosen) || others.iter().any(|known| other.has_same_layout(known));
        if is_rival && !is_known {
            others.push(other);
        }
    }
    let mut program = Cow::Borrowed(chosen);
    if !others.is_empty() {
        let others = others.iter().map(|other| format!("{} bytes in {}", other.size, other.object));
        program.to_mut().other_layouts.extend(others);
    }
    let is_same = |definition: &&Definition<'_>| {
        shader.nearness(definition) == best && definition.program.has_same_layout(chosen)
    };
    let same = definitions.iter().filter(is_same);
    let objects = same.map(|definition| definition.program.object.as_str()).collect();
    Some(NearStruct { program, nearness: best, objects })
}

#[cfg(test)]
mod tests {
    use layoutproof_hostcheck::LinePlace;

    use super::*;

    fn program(object: &str, file: &str, size: u32) -> ProgramStruct {
        ProgramStruct {
            name: "UBO".to_owned(),
            object: object.to_owned(),
            size,
            fields: Vec::new(),
            place: Some(LinePlace { file: file.to_owned(), line: Some(3) }),
            contract: ProgramContract::Fixed,
            other_layouts: Vec::new(),
            is_named_by_variable: false,
            written_by: None,
        }
    }

    fn chosen(programs: &[&ProgramStruct], shader: &str) -> (u32, usize) {
        let definitions: Vec<Definition<'_>> = programs.iter().map(|program| Definition::new(program)).collect();
        let chosen = nearest_of(&definitions, &ShaderPath::new(shader)).unwrap().program;
        (chosen.size, chosen.other_layouts.len())
    }

    #[test]
    fn the_definition_of_the_shaders_own_program_is_chosen() {
        let bloom = program("bin/bloom", "samples/bloom.cpp", 16);
        let shadow = program("bin/demos", "samples/soft_shadow/main.cpp", 32);
        assert_eq!(chosen(&[&bloom, &shadow], "shaders/bloom/blur.frag"), (16, 0));
        assert_eq!(chosen(&[&bloom, &shadow], "shaders/softShadow/blur.frag"), (32, 0));
        assert_eq!(chosen(&[&bloom, &shadow], "shaders/bloom.frag"), (16, 0));
        assert_eq!(chosen(&[&bloom, &shadow], "shaders/other.frag"), (16, 1));
    }

    /// Two layouts of one text are two builds of it, and both may reach the shader.
    #[test]
    fn nearness_does_not_hide_that_units_disagree() {
        let [bloom, other] = ["bloom.o", "b.o"].map(|object| program(object, "ubo.h", 16));
        let other = ProgramStruct { size: 32, ..other };
        assert_eq!(chosen(&[&other, &bloom], "bloom/a.frag"), (16, 1));
    }
}
