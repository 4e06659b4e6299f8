//! Families of compilers: those that take the same command lines, whatever their version and where they lie.

use std::fmt;
use std::path::Path;

/// Compilers that take the same command lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The DirectX Shader Compiler.
    Dxc,
    /// slangc.
    Slang,
    /// Clang as a compiler of HLSL.
    Clang,
}

/// What makes Clang print its version: it knows no HLSL under its plain name, and none without a profile.
pub(crate) const CLANG_QUESTION: &[&str] = &["--driver-mode=dxc", "-T", "cs_6_6", "--version"];

/// A file whose name says nothing of a family.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing in the name says whether it is dxc, slangc or clang; --family says so")]
pub struct UnknownFamily;

impl Family {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Dxc, Self::Slang, Self::Clang];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dxc => "dxc",
            Self::Slang => "slang",
            Self::Clang => "clang",
        }
    }

    /// The name under which toolchains know its compiler.
    pub fn compiler(self) -> &'static str {
        match self {
            Self::Dxc => "dxc",
            Self::Slang => "slangc",
            Self::Clang => "clang-dxc",
        }
    }

    /// The arguments that make it print its version.
    pub fn question(self) -> &'static [&'static str] {
        match self {
            Self::Dxc => &["--version"],
            Self::Slang => &["-v"],
            Self::Clang => CLANG_QUESTION,
        }
    }

    /// The family of the compiler of this name, whatever its version: `dxc-old` and `dxc-1.9` are a dxc each.
    pub fn of_name(name: &str) -> Option<Self> {
        let is_version = |rest: &str| ["", "-old", "-1.9", "-dev"].contains(&rest);
        Self::ALL.into_iter().find(|family| name.strip_prefix(family.compiler()).is_some_and(is_version))
    }

    /// The family that a file's name tells: `dxc`, `dxc-3.7`, `libdxcompiler.so`, `slangc`, `clang-dxc`, `clang-22`.
    ///
    /// # Errors
    /// A name that says nothing, or both.
    pub fn of_file(path: &Path) -> Result<Self, UnknownFamily> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        // Clang in DXC's place is no DXC.
        if name.contains(Self::Clang.as_str()) {
            return Ok(Self::Clang);
        }
        let told: Vec<Self> = Self::ALL.into_iter().filter(|family| name.contains(family.as_str())).collect();
        match told.as_slice() {
            [family] => Ok(*family),
            _ => Err(UnknownFamily),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_families() {
        let of = |name: &str| Family::of_file(Path::new(name));
        assert_eq!(of("/opt/bin/dxc-3.7"), Ok(Family::Dxc));
        assert_eq!(of("libdxcompiler.so.3.7"), Ok(Family::Dxc));
        assert_eq!(of("build/Release/bin/slangc"), Ok(Family::Slang));
        assert_eq!(of("/usr/lib/llvm-22/bin/clang-dxc"), Ok(Family::Clang));
        assert_eq!(of("a.out"), Err(UnknownFamily));
        assert_eq!(Family::of_name("dxc-old"), Some(Family::Dxc));
        assert_eq!(Family::of_name("dxc-1.9"), Some(Family::Dxc));
        assert_eq!(Family::of_name("glslang"), None);
    }
}
