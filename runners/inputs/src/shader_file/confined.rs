//! Confines a compiler that reads a user's file: it opens its own files, the system's libraries and what the
//! shader may include, and writes to one folder.
//!
//! On Linux the kernel enforces it (Landlock, since Linux 5.13), with the crate `landlock` of the authors of that
//! part of the kernel. Elsewhere nothing does. A file is then given to a compiler only if none of its
//! directives names an existing file that [`IncludedFiles`] refuses, whether or not the directive is active.

use std::collections::{BTreeMap, BTreeSet};
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
        let joined = joined_lines(&text.text);
        let plain = without_comments(&joined);
        for name in joined.lines().chain(plain.lines()).flat_map(named_files) {
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

/// A file that a compiler would open for a shader, which is not shown to be in the project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OutsideFile {
    #[error("names `{0}`, which is outside of the project: a compiler would open it")]
    Named(String),
    #[error(
        "includes `{0}`, a name that macros put together: a compiler would open it, wherever it is; write the name in \
         quotes in the directive, or as the whole macro"
    )]
    Composed(String),
}

/// An existing file outside of the project that these texts name in a directive, whether or not it is active, or that a
/// macro is; or a name that macros compose. Follows the names inside of the project.
pub(super) fn outside_file<'a>(
    files: &IncludedFiles,
    texts: impl Iterator<Item = &'a SourceFile>,
    declare: &DeclareArgs,
) -> Option<OutsideFile> {
    let folder = |file: &Path| file.parent().unwrap_or(Path::new("")).to_owned();
    let mut pending: Vec<(PathBuf, String)> =
        texts.map(|text| (folder(Path::new(&text.name)), text.text.clone())).collect();
    let defines = declare.define.iter().map(|define| match define.split_once('=') {
        Some((name, value)) => format!("#define {name} {value}"),
        None => format!("#define {define} 1"),
    });
    pending.extend(defines.map(|define| (PathBuf::new(), define)));
    let (mut seen, mut macros) = (BTreeSet::new(), IncludedMacros::default());
    while let Some((own, text)) = pending.pop() {
        let joined = joined_lines(&text);
        let plain = without_comments(&joined);
        for line in plain.lines() {
            macros.add(line);
        }
        let lines = || joined.lines().chain(plain.lines());
        let parts = lines().filter(|line| line.contains("define")).flat_map(quoted_parts);
        for name in lines().flat_map(named_files).flatten().chain(parts) {
            let folders = declare.include.iter().map(Path::new).chain([own.as_path(), Path::new("")]);
            for place in folders.map(|folder| folder.join(name)) {
                if files.excludes(&place) && !place.is_dir() {
                    return Some(OutsideFile::Named(name.to_owned()));
                }
                if seen.len() < MOST_FOLLOWED && seen.insert(place.clone()) {
                    let text = files::read_text_if_there(&place, FileKind::Shader).ok().flatten();
                    pending.extend(text.map(|text| (folder(&place), text)));
                }
            }
        }
    }
    macros.composed().map(OutsideFile::Composed)
}

fn joined_lines(text: &str) -> String {
    text.replace("\\\r\n", "").replace("\\\n", "")
}

/// The text with a blank for each comment, as compilers read directives: `#/* */include /* */ "a.h"`.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['"', '/']) {
        plain.push_str(&rest[..start]);
        rest = &rest[start..];
        let length = if let Some(inside) = rest.strip_prefix('"') {
            let end = inside.find(['"', '\n']).map_or(rest.len(), |end| end + 2);
            plain.push_str(&rest[..end]);
            end
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix("/*") {
            plain.push(' ');
            inside.find("*/").map_or(rest.len(), |end| end + 4)
        } else {
            plain.push('/');
            1
        };
        rest = &rest[length..];
    }
    plain + rest
}

/// The macros that directives include, and what the texts define.
#[derive(Debug, Default)]
struct IncludedMacros {
    /// What comes after `include` if that is no name in quotes.
    included: BTreeSet<String>,
    /// The values of each macro; those of a macro with parameters begin with `(`.
    values: BTreeMap<String, BTreeSet<String>>,
}

impl IncludedMacros {
    fn add(&mut self, line: &str) {
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else { return };
        if let Some(rest) = directive.strip_prefix("define").filter(|rest| rest.starts_with(char::is_whitespace)) {
            let (name, value) = split_word(rest.trim_start());
            self.values.entry(name.to_owned()).or_default().insert(value.trim().to_owned());
        }
        let word = DIRECTIVES.iter().filter(|word| directive.starts_with(**word)).max_by_key(|word| word.len());
        let Some(rest) = word.map(|word| directive[word.len()..].trim()) else { return };
        if quoted(rest).is_none() && !rest.is_empty() {
            self.included.insert(rest.to_owned());
        }
    }

    /// A directive whose name is composed: more than one macro that is a name in quotes.
    fn composed(&self) -> Option<String> {
        self.included.iter().find(|included| !self.is_plain(included, 0)).cloned()
    }

    /// True for a word that is no macro of the texts, and for a macro that is such a word or one name in quotes. Prose
    /// after a `#include` in a comment names no macro.
    fn is_plain(&self, text: &str, depth: usize) -> bool {
        let (word, rest) = split_word(text);
        if word.is_empty() || !rest.trim().is_empty() {
            let whole = quoted(text).is_some_and(|name| name.len() + 2 == text.len());
            return whole || depth == 0 && !self.names_macro(text);
        }
        let Some(values) = self.values.get(word) else { return true };
        depth < MOST_MACROS && values.iter().all(|value| self.is_plain(value, depth + 1))
    }

    /// True if the text has a macro of the texts: it is no prose after a `#include` in a comment.
    fn names_macro(&self, text: &str) -> bool {
        let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        text.starts_with('(') || words.any(|word| self.values.contains_key(word))
    }
}

/// Most macros that stand for each other.
const MOST_MACROS: usize = 32;

/// The identifier at the start of a text, and what follows.
fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    text.split_at(end)
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
    let joined = joined_lines(text);
    let plain = without_comments(&joined);
    joined.lines().chain(plain.lines()).flat_map(named_files).find_map(|name| match name {
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

    /// Runs give texts to compilers that nothing confines.
    #[test]
    fn a_name_that_macros_compose_is_found() {
        let place = tempfile::tempdir().unwrap();
        let own = place.path().join("a.hlsl").display().to_string();
        let files = IncludedFiles::of_shader(Path::new(&own), &[]);
        let found = |text: &str, define: &[&str]| {
            let text = SourceFile { name: own.clone(), text: text.to_owned() };
            let define = define.iter().map(|define| (*define).to_owned()).collect();
            outside_file(&files, [&text].into_iter(), &DeclareArgs { define, ..DeclareArgs::default() })
        };
        for text in [
            "#define Q(x) #x\n#include Q(b.h)",
            "#ifdef __spirv__\n#define P(a, b) <a##b>\n#include P(b, .h)\n#endif",
            "#define E\n#include E \"b.h\"",
            "#define L <\n#include L b.h>",
            "#define Q(x) #x\n#define N Q(b.h)\n#include N",
            "#define Q(x) #x\n#/* */include/* */Q(b.h)",
            "#define N \"b.h\"\n#undef N\n#define N Q(b.h)\n#inc\\\nlude N",
        ] {
            assert!(matches!(found(text, &[]), Some(OutsideFile::Composed(_))), "{text}");
        }
        assert!(matches!(found("#include N", &["N=Q(b.h)"]), Some(OutsideFile::Composed(_))));
        for text in [
            "#include \"b.h\"",
            "#define N \"b.h\"\n#include N",
            "#define N <b.h>\n#define M N // the file\n#include M",
            "// a #include that Q(x) makes\n#define Q(x) #x",
            "/*\n#include Q(x)\n*/\n#define Q(x) #x",
            "#if 0\n#include NOWHERE\n#endif",
        ] {
            assert_eq!(found(text, &[]), None, "{text}");
        }
        assert_eq!(found("#include N", &["N=\"b.h\""]), None);
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
            "#/* */include /* */ \"../../secret\"",
            &format!("#include \"{}\"", at("secret")),
            "#define NAME \"b.h\"\n#include NAME",
        ] {
            assert!(found(text).is_some(), "{text}");
        }
    }
}
