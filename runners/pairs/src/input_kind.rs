//! Distinguishes shaders from files with debug information: by their first bytes, then by their
//! suffixes.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use layoutproof_compilers::regular_file::open_regular;
use layoutproof_inputs::misnamed::{is_host_text, near_file};
use layoutproof_inputs::shared_suffixes::language_of_file;
use layoutproof_readers::container::CONTAINER_MAGIC;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_source::shader_language::ShaderLanguage;

use crate::host_text_shaders::program_language;

/// An input of `check`, sorted by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckInput {
    /// A shader: source, SPIR-V or a container of compiled HLSL.
    Shader(PathBuf),
    /// A file with debug information, or a layout file.
    Host(PathBuf),
    /// The text of a program, which may have shaders in its strings.
    HostText(PathBuf),
}

/// First bytes of files with debug information.
const HOST_MAGICS: [&[u8]; 10] = [
    b"\x7fELF",
    b"MZ",
    b"!<arch>\n",
    b"!<thin>\n",
    b"Microsoft C/C++ MSF",
    b"\xfe\xed\xfa\xce",
    b"\xce\xfa\xed\xfe",
    b"\xfe\xed\xfa\xcf",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];

/// Suffixes of objects without characteristic first bytes, and of layout files.
const HOST_SUFFIXES: [&str; 5] = ["obj", "o", "rlib", "lib", "json"];

/// First bytes of SPIR-V, in both byte orders.
const SPIRV_MAGICS: [&[u8]; 2] = [b"\x03\x02\x23\x07", b"\x07\x23\x02\x03"];

impl CheckInput {
    /// Sorts a path. For a `.dSYM` bundle, returns the file inside.
    ///
    /// # Errors
    /// The file is of neither kind, or cannot be read.
    pub fn of(path: &Path, named: Option<ShaderLanguage>) -> anyhow::Result<Self> {
        let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase()).unwrap_or_default();
        if path.is_dir() {
            return match bundled(path) {
                Some(file) if suffix == "dsym" => Ok(Self::Host(file)),
                _ => bail!("{} is a folder: name the files in it", path.display()),
            };
        }

        let start = start_of(path)?;
        if HOST_MAGICS.iter().any(|magic| start.starts_with(magic)) {
            return Ok(Self::Host(path.to_owned()));
        }
        if SPIRV_MAGICS.iter().any(|magic| start.starts_with(magic)) && suffix != "spv" {
            bail!("{} is SPIR-V: give it the suffix .spv", path.display());
        }
        let front_end = FrontEnd::of(language_of_file(named, path), path);
        if start.starts_with(CONTAINER_MAGIC) && !matches!(front_end, Some(FrontEnd::Module(_))) {
            bail!("{} is a DXIL or DXBC container: give it the suffix .dxil, .cso or .dxbc", path.display());
        }

        match (front_end.is_some(), HOST_SUFFIXES.contains(&suffix.as_str())) {
            (true, _) => Ok(Self::Shader(path.to_owned())),
            (false, true) => Ok(Self::Host(path.to_owned())),
            (false, false) if program_language(path, named).is_some() => Ok(Self::HostText(path.to_owned())),
            (false, false) if is_host_text(path) => Err(no_shader_in(path)),
            (false, false) => bail!(
                "{} is neither a shader ({}) nor an object, library, program, .pdb or layout file (.json); \
                 --lang names the language of a shader with another suffix",
                path.display(),
                FrontEnd::suffixes().join(", ")
            ),
        }
    }
}

/// The message about the text of a program without shaders.
pub fn no_shader_in(path: &Path) -> anyhow::Error {
    anyhow!(
        "{} is the text of a program: name the object or program that the build makes of it, with debug information",
        path.display()
    )
}

/// The file with debug information in a bundle that `dsymutil` wrote.
fn bundled(bundle: &Path) -> Option<PathBuf> {
    let folder = bundle.join("Contents/Resources/DWARF");
    layoutproof_inputs::files::entries(&folder).ok()?.into_iter().next()
}

/// The first bytes of a file.
fn start_of(path: &Path) -> anyhow::Result<Vec<u8>> {
    let file = open_regular(path).map_err(|error| {
        let near = if error.is_not_found() { near_file(path) } else { String::new() };
        anyhow!("reading {}: {error}{near}", path.display())
    })?;
    let mut start = Vec::new();
    file.take(32).read_to_end(&mut start).with_context(|| format!("reading {}", path.display()))?;
    Ok(start)
}
