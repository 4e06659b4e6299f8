//! A compiler as the user names it: by its name in files, `dxc` or `dxc@1.9`, and on the command line
//! also by the file of a build, `dxc=PATH`.
//!
//! [`CompilerName`] has no path. Files of ours, such as `layoutproof.toml`, name compilers with it alone, so
//! that a stranger's file cannot name a program that the user then starts.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::bail;
use layoutproof_layout::ShaderCompiler;
use layoutproof_layout::column::compiler_and_version;
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_source::nearest_name::did_you_mean;

use crate::compiler_builds::CURRENT;

/// A compiler whose rules are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerName {
    pub compiler: ShaderCompiler,
    /// The version of its build.
    pub version: Option<String>,
}

/// A compiler on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCompiler {
    pub name: CompilerName,
    /// The build: a program or a library.
    pub file: Option<PathBuf>,
}

impl CompilerName {
    /// The compiler, in the build that its rules were measured with.
    pub fn any(compiler: ShaderCompiler) -> Self {
        Self { compiler, version: None }
    }

    /// The compiler and its version, as columns have them.
    pub fn column_part(&self) -> (ShaderCompiler, Option<&str>) {
        (self.compiler, self.version.as_deref())
    }
}

impl fmt::Display for CompilerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.compiler)?;
        self.version.iter().try_for_each(|version| write!(f, "-{version}"))
    }
}

impl NamedCompiler {
    /// The compiler, in the build that its rules were measured with.
    pub fn any(compiler: ShaderCompiler) -> Self {
        Self { name: CompilerName::any(compiler), file: None }
    }

    /// The word for it: `dxc`, `dxc-1.9` or `dxc=PATH`.
    pub fn word(&self) -> String {
        match &self.file {
            Some(file) => format!("{}={}", self.name.compiler, file.display()),
            None => self.name.to_string(),
        }
    }

    /// The version for bindings. The builds before 1.9 print numbers of commits, which are no
    /// releases, and bind as the measured ones do.
    pub fn binding_version(&self) -> Option<&str> {
        let is_early = |version: &&str| version.starts_with("1.7.") || version.starts_with("1.8.");
        self.name.version.as_deref().filter(|version| self.file.is_none() || !is_early(version))
    }

    /// The compiler and its version, as columns have them.
    pub fn column_part(&self) -> (ShaderCompiler, Option<&str>) {
        self.name.column_part()
    }
}

/// Splits `dxc=PATH` into the name and the file of a build.
pub fn name_and_file(word: &str) -> (&str, Option<&Path>) {
    word.split_once('=').map_or((word, None), |(name, file)| (name, Some(Path::new(file))))
}

/// Parses `dxc`, `dxc@1.9`, `dxc-1.9` or `dxc=PATH`, and suggests the nearest name.
///
/// # Errors
/// The word names no compiler, or a target with it.
pub fn named_compiler(word: &str) -> anyhow::Result<NamedCompiler> {
    let (name, file) = name_and_file(word);
    if file == Some(Path::new("")) {
        bail!("a build is named by its file, as `{name}=/path/to/{name}`");
    }
    Ok(NamedCompiler { name: name.parse()?, file: file.map(Path::to_owned) })
}

impl FromStr for CompilerName {
    type Err = anyhow::Error;

    /// Parses `dxc`, `dxc@1.9` or `dxc-1.9`, and suggests the nearest name.
    fn from_str(word: &str) -> anyhow::Result<Self> {
        if let (name, Some(_)) = name_and_file(word) {
            bail!("a file names no program: write `{name}`, and give --compiler {name}=PATH on the command line");
        }
        if let Ok((compiler, version)) = compiler_and_version(word) {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
            if version.is_some_and(|version| !version.chars().all(is_plain)) {
                bail!("a version has digits, letters, dots and hyphens, as `{compiler}@1.9`");
            }
            return Ok(Self { compiler, version: version.map(str::to_owned) });
        }

        // The builds that the set-up fetches have names such as `dxc-1.9`.
        let column = toolchains().iter().find(|toolchain| toolchain.compiler == word).and_then(Toolchain::column);
        if let Some((column, compiler)) = column.and_then(|column| Some((column, column.compiler?))) {
            return Ok(Self { compiler, version: column.version.map(str::to_owned) });
        }
        let single = toolchains().iter().find(|toolchain| toolchain.name == word);
        if let Some(column) = single.and_then(Toolchain::column) {
            let compiler = single.map_or(word, |toolchain| toolchain.compiler);
            bail!("name compiler and target apart: `--target {} --compiler {compiler}`", column.choice());
        }
        // `NAME-VERSION` and `NAME-current`.
        let is_version =
            |version: &str| version == CURRENT || version.starts_with(|first: char| first.is_ascii_digit());
        if let Some((name, version)) = word.rsplit_once('-').filter(|(_, version)| is_version(version)) {
            if ShaderCompiler::named(name).is_some() {
                return format!("{name}@{version}").parse();
            }
        }
        let known = || ShaderCompiler::ALL.iter().map(|compiler| compiler.as_str());
        let meant = did_you_mean(word, known());
        let listed = || known().collect::<Vec<_>>().join(", ");
        bail!("unknown compiler{}", if meant.is_empty() { format!("; known are {}", listed()) } else { meant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_no_path() {
        let named = |word: &str| word.parse::<CompilerName>().map(|name| name.to_string()).map_err(|e| e.to_string());
        assert_eq!(named("dxc"), Ok("dxc".to_owned()));
        assert_eq!(named("dxc@1.9"), Ok("dxc-1.9".to_owned()));
        for word in ["dxc=tools/dxc", "dxc@1.9=tools/dxc", "slangc=./x", "dxc=", "=dxc"] {
            assert!(named(word).unwrap_err().starts_with("a file names no program"), "{word}");
        }
        for word in ["dxc@../dxc", "dxc@/bin/sh", "tools/dxc", "./dxc", "/usr/bin/dxc", "../dxc"] {
            assert!(named(word).is_err(), "{word}");
        }
        let build = named_compiler("dxc=tools/dxc").unwrap();
        assert_eq!((build.word().as_str(), build.file.as_deref()), ("dxc=tools/dxc", Some(Path::new("tools/dxc"))));
    }
}
