//! Confines a compiler that reads a user's file: it opens its own files, the system's libraries and what the
//! shader may include, and writes to one folder.
//!
//! On Linux the kernel enforces it (Landlock, since Linux 5.13), with the crate `landlock` of the authors of that
//! part of the kernel. Elsewhere nothing does. A file is then given to a compiler only if none of its
//! directives names an existing file that [`IncludedFiles`] refuses, whether or not the directive is active.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use layoutproof_compilers::user_files::FileView;
use layoutproof_source::sources::SourceFile;

use crate::declare::DeclareArgs;
use crate::files::{self, FileKind};

use super::included::IncludedFiles;

/// The system's libraries, and the programs that scripts need. Not its configuration, data or headers.
#[cfg(target_os = "linux")]
const SYSTEM: [&str; 18] = [
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local/bin",
    "/usr/local/lib",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/dev/urandom",
    "/dev/zero",
    "/sys/devices/system/cpu",
];

/// Confines this process and all that it starts.
///
/// # Errors
/// The kernel refuses.
#[cfg(target_os = "linux")]
pub(super) fn confine(view: &FileView) -> Result<(), landlock::RulesetError> {
    use std::path::PathBuf;

    use landlock::{ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, path_beneath_rules};

    // An older kernel enforces those that it knows.
    let version = ABI::V5;
    let (read, all) = (AccessFs::from_read(version), AccessFs::from_all(version));
    let readable = view.readable.iter().map(PathBuf::as_path).chain(SYSTEM.iter().map(Path::new));
    let writable = view.writable.iter().map(PathBuf::as_path).chain([Path::new("/dev/null")]);
    let rules = Ruleset::default().handle_access(all)?.create()?;
    let rules = rules.add_rules(path_beneath_rules(readable, read))?;
    rules.add_rules(path_beneath_rules(writable, all))?.restrict_self().map(drop)
}

/// True if the kernel confines processes.
#[cfg(target_os = "linux")]
pub(super) fn is_available() -> bool {
    use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};

    static FOUND: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        rules.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
    });
    *FOUND
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_available() -> bool {
    false
}

/// The words that name a file in the text of a shader.
const DIRECTIVES: [&str; 4] = ["include", "include_next", "embed", "import"];

/// A name in these texts that a compiler could follow out of the project; `None` if there is none. The names of
/// directives are relative to the file with the directive and to `folders`; one that a macro gives may be any.
pub(super) fn outside_name<'a>(
    files: &IncludedFiles,
    texts: impl Iterator<Item = &'a SourceFile>,
    folders: &[String],
) -> Option<String> {
    for text in texts {
        let own = Path::new(&text.name).parent().unwrap_or(Path::new(""));
        let joined = text.text.replace("\\\r\n", "").replace("\\\n", "");
        for name in joined.lines().flat_map(named_files) {
            let Some(name) = name else { return Some("a file that a macro names".to_owned()) };
            let folders = folders.iter().map(Path::new).chain([own, Path::new("")]);
            let mut places = folders.map(|folder| folder.join(name));
            if places.any(|place| files.excludes(&place)) {
                return Some(format!("`{name}`"));
            }
        }
    }
    None
}

/// An existing file outside of the project that these texts name in a directive, whether or not it is active, or that a
/// macro is. Follows the names inside of the project.
pub(super) fn outside_file<'a>(
    files: &IncludedFiles,
    texts: impl Iterator<Item = &'a SourceFile>,
    declare: &DeclareArgs,
) -> Option<String> {
    let folder = |file: &Path| file.parent().unwrap_or(Path::new("")).to_owned();
    let mut pending: Vec<(PathBuf, String)> =
        texts.map(|text| (folder(Path::new(&text.name)), text.text.clone())).collect();
    pending.extend(declare.define.iter().map(|define| (PathBuf::new(), format!("#define {define}"))));
    let mut seen = BTreeSet::new();
    while let Some((own, text)) = pending.pop() {
        let joined = text.replace("\\\r\n", "").replace("\\\n", "");
        let macros = joined.lines().filter(|line| line.contains("define")).flat_map(quoted_parts);
        for name in joined.lines().flat_map(named_files).flatten().chain(macros) {
            let folders = declare.include.iter().map(Path::new).chain([own.as_path(), Path::new("")]);
            for place in folders.map(|folder| folder.join(name)) {
                if files.excludes(&place) && !place.is_dir() {
                    return Some(name.to_owned());
                }
                if seen.len() < MOST_FOLLOWED && seen.insert(place.clone()) {
                    let text = files::read_text_if_there(&place, FileKind::Shader).ok().flatten();
                    pending.extend(text.map(|text| (folder(&place), text)));
                }
            }
        }
    }
    None
}

/// Maximum number of places to look for the files that a shader names.
const MOST_FOLLOWED: usize = 10_000;

/// What is in quotes or angle brackets in a line.
fn quoted_parts(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices(['"', '<']).filter_map(|(start, _)| quoted(&line[start..]))
}

/// A name in a text that a compiler in another folder could follow anywhere: an absolute one, one that leads up, or
/// one that a macro gives.
pub(super) fn distant_name(text: &str) -> Option<String> {
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    joined.lines().flat_map(named_files).find_map(|name| match name {
        None => Some("a file by a macro".to_owned()),
        Some(name) => {
            let path = Path::new(name);
            let leads_up = path.components().any(|part| part == Component::ParentDir);
            (leads_up || path.has_root()).then(|| format!("`{name}`"))
        }
    })
}

/// The names of files in a line: `None` for a directive without a plain name.
fn named_files(line: &str) -> impl Iterator<Item = Option<&str>> {
    let of_directive = |rest: &str| {
        let rest = rest.trim_start();
        let word = DIRECTIVES.iter().filter(|word| rest.starts_with(**word)).max_by_key(|word| word.len())?;
        Some(rest.len() - word.len())
    };
    let directives = line.split('#').skip(1).filter_map(move |part| {
        let length = of_directive(part)?;
        Some(quoted(part[part.len() - length..].trim_start()))
    });
    // Slang's, which take no `#`; a name without quotes is a module next to the file.
    let modules = ["import", "__include", "implementing"].into_iter().flat_map(move |word| {
        let rests = line.match_indices(word).map(move |(start, _)| line[start + word.len()..].trim_start());
        rests.filter_map(|rest| quoted(rest).map(Some))
    });
    directives.chain(modules)
}

/// The name in quotes or angle brackets at the start of a text.
fn quoted(text: &str) -> Option<&str> {
    let end = match text.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    text[1..].split_once(end).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_name_that_leads_elsewhere_is_found() {
        for text in ["#include \"/etc/x\"", "#if 0\n#include <../x>\n#endif", "#include NAME"] {
            assert!(distant_name(text).is_some(), "{text}");
        }
        for text in ["#version 450", "#include \"a/b.glsl\"", "#extension GL_GOOGLE_include_directive : require"] {
            assert_eq!(distant_name(text), None);
        }
    }

    /// Where no kernel confines compilers.
    #[test]
    fn a_name_outside_of_the_project_is_found_in_any_branch() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name).display().to_string();
        for folder in ["project/.git", "project/shaders", "project/common"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["secret", "project/common/b.h", "project/shaders/a.hlsl"] {
            fs::write(at(file), "x").unwrap();
        }
        let files = IncludedFiles::of_shader(Path::new(&at("project/shaders/a.hlsl")), &[]);
        let found = |text: &str| {
            let text = SourceFile { name: at("project/shaders/a.hlsl"), text: text.to_owned() };
            outside_name(&files, [&text].into_iter(), &[at("project/common")])
        };
        for text in [
            "float a;",
            "#include \"b.h\"",
            "#if 0\n#include <../common/b.h>\n#endif",
            "#include \"nosuch.h\"",
            "import common;\nimport \"../common/b.h\";",
            "// \"../../secret\"",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        for text in [
            "#include \"../../secret\"",
            "#if 0\n  # include <../../secret>\n#endif",
            "#ifdef __spirv__\n#inc\\\nlude \"../../secret\"\n#endif",
            "/* */ #include \"../../secret\"",
            "import \"../../secret\";",
            "__include \"../../secret\";",
            &format!("#include \"{}\"", at("secret")),
            "#define NAME \"b.h\"\n#include NAME",
        ] {
            assert!(found(text).is_some(), "{text}");
        }
    }
}
