//! What placement is asked for: a target, a convention, and what a compiler would get on its command line.

use std::fmt;

/// The graphics API that parameters are placed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Direct3D 12: registers and spaces.
    D3d12,
    /// Vulkan: descriptor sets and bindings.
    Vulkan,
    /// WebGPU: groups and bindings.
    Webgpu,
    /// Metal: buffer, texture and sampler indices.
    Metal,
}

impl Target {
    /// All targets.
    pub const ALL: [Self; 4] = [Self::D3d12, Self::Vulkan, Self::Webgpu, Self::Metal];

    /// The name in the command-line contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::D3d12 => "d3d12",
            Self::Vulkan => "vulkan",
            Self::Webgpu => "webgpu",
            Self::Metal => "metal",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whose rules place parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Convention {
    /// What slangc does (measured with 2026.12 and 2026.14.1).
    Slang,
    /// What the Slang user guide, Parameter Layout Rules, says where slangc does otherwise.
    SlangDocumented,
    /// What DXC does (measured with 1.7.2308).
    Dxc,
    /// What wg-hlsl 0024, implicit resource binding, proposes for Clang.
    Clang,
}

impl Convention {
    /// All conventions.
    pub const ALL: [Self; 4] = [Self::Slang, Self::SlangDocumented, Self::Dxc, Self::Clang];

    /// The name in the command-line contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slang => "slang",
            Self::SlangDocumented => "slang-documented",
            Self::Dxc => "dxc",
            Self::Clang => "clang",
        }
    }

    /// The targets that the convention speaks of.
    pub fn targets(self) -> &'static [Target] {
        match self {
            Self::Slang | Self::SlangDocumented => &Target::ALL,
            Self::Dxc | Self::Clang => &[Target::D3d12, Target::Vulkan],
        }
    }
}

/// What a placement is asked with beside target and convention: a case's keys, or flags of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Shader profile; see [`Request::profile`].
    pub profile: Option<String>,
    /// Entry point; see [`Request::entry`].
    pub entry: Option<String>,
    /// See [`Request::used`].
    pub used: Vec<String>,
    /// See [`Request::unused`].
    pub unused: Vec<String>,
    /// See [`Request::options`].
    pub options: Vec<String>,
}

impl Invocation {
    /// The whole question.
    pub fn request(&self, target: Target, convention: Convention, version: Option<String>) -> Request {
        let Self { profile, entry, used, unused, options } = self.clone();
        Request { target, convention, version, profile, entry, used, unused, options }
    }
}

/// `dxc` or `dxc@1.9`: a convention and, behind `@`, the version of its compiler.
pub fn parse_convention(text: &str) -> Option<(Convention, Option<String>)> {
    let (name, version) = match text.split_once('@') {
        Some((_, "")) => return None,
        Some((name, version)) => (name, Some(version.to_owned())),
        None => (text, None),
    };
    let convention = Convention::ALL.into_iter().find(|convention| convention.as_str() == name)?;
    Some((convention, version))
}

impl fmt::Display for Convention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One question: where does this module's every parameter go?
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Target.
    pub target: Target,
    /// Convention.
    pub convention: Convention,
    /// Version of the convention's compiler, as in `dxc@1.9`; `None` for the one that was measured.
    pub version: Option<String>,
    /// Shader profile (`sm_6_6`, `ps_5_0`); `None` for the one that the compiler takes by itself.
    pub profile: Option<String>,
    /// Entry point, where the module has several and the compiler takes one.
    pub entry: Option<String>,
    /// Parameters that an optimiser keeps though no body names them.
    pub used: Vec<String>,
    /// Parameters that an optimiser drops though a body names them.
    pub unused: Vec<String>,
    /// Command-line options that change bindings, one with its values each: `-fvk-t-shift 10 all`.
    pub options: Vec<String>,
}

impl Request {
    /// `d3d12.dxc`, `vulkan.dxc@1.9`: how checks and headings name the question.
    pub fn name(&self) -> String {
        let Self { target, convention, .. } = self;
        match &self.version {
            Some(version) => format!("{target}.{convention}@{version}"),
            None => format!("{target}.{convention}"),
        }
    }

    /// Placement by `convention` for `target` with nothing else asked.
    pub fn new(target: Target, convention: Convention) -> Self {
        Self {
            target,
            convention,
            version: None,
            profile: None,
            entry: None,
            used: Vec::new(),
            unused: Vec::new(),
            options: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convention_may_name_its_compilers_version() {
        assert_eq!(parse_convention("dxc"), Some((Convention::Dxc, None)));
        assert_eq!(parse_convention("dxc@1.9"), Some((Convention::Dxc, Some("1.9".to_owned()))));
        assert_eq!(parse_convention("slang-documented"), Some((Convention::SlangDocumented, None)));
        for text in ["", "dxc@", "DXC", "fxc", "@1.9"] {
            assert_eq!(parse_convention(text), None, "{text}");
        }
    }
}
