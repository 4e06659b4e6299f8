//! A compiler as the user names it: `dxc`, `dxc@1.9`, or a build of it by its file, `dxc=PATH`.

use std::path::{Path, PathBuf};

use anyhow::bail;
use layoutproof_layout::ShaderCompiler;
use layoutproof_layout::column::compiler_and_version;
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_source::nearest_name::did_you_mean;

/// A compiler whose rules are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCompiler {
    pub compiler: ShaderCompiler,
    /// The version of its build.
    pub version: Option<String>,
    /// The build: a program or a library.
    pub file: Option<PathBuf>,
}

impl NamedCompiler {
    /// The compiler, in the build that its rules were measured with.
    pub fn any(compiler: ShaderCompiler) -> Self {
        Self { compiler, version: None, file: None }
    }

    /// The word for it: `dxc`, `dxc-1.9` or `dxc=PATH`.
    pub fn word(&self) -> String {
        match (&self.file, &self.version) {
            (Some(file), _) => format!("{}={}", self.compiler, file.display()),
            (None, Some(version)) => format!("{}-{version}", self.compiler),
            (None, None) => self.compiler.to_string(),
        }
    }

    /// The version for bindings. The builds before 1.9 print numbers of commits, which are no
    /// releases, and bind as the measured ones do.
    pub fn binding_version(&self) -> Option<&str> {
        let is_early = |version: &&str| version.starts_with("1.7.") || version.starts_with("1.8.");
        self.version.as_deref().filter(|version| self.file.is_none() || !is_early(version))
    }

    /// The compiler and its version, as columns have them.
    pub fn column_part(&self) -> (ShaderCompiler, Option<&str>) {
        (self.compiler, self.version.as_deref())
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
    let file = file.map(Path::to_owned);
    if let Ok((compiler, version)) = compiler_and_version(name) {
        return Ok(NamedCompiler { compiler, version: version.map(str::to_owned), file });
    }

    // The builds that the set-up fetches have names such as `dxc-1.9`.
    let column = toolchains().iter().find(|toolchain| toolchain.compiler == name).and_then(Toolchain::column);
    if let Some((column, compiler)) = column.and_then(|column| Some((column, column.compiler?))) {
        return Ok(NamedCompiler { compiler, version: column.version.map(str::to_owned), file });
    }
    let single = toolchains().iter().find(|toolchain| toolchain.name == name);
    if let Some(column) = single.and_then(Toolchain::column) {
        let compiler = single.map_or(name, |toolchain| toolchain.compiler);
        bail!("name compiler and target apart: `--target {} --compiler {compiler}`", column.choice());
    }
    let known = || ShaderCompiler::ALL.iter().map(|compiler| compiler.as_str());
    let meant = did_you_mean(name, known());
    let listed = || known().collect::<Vec<_>>().join(", ");
    bail!("unknown compiler{}", if meant.is_empty() { format!("; known are {}", listed()) } else { meant })
}
