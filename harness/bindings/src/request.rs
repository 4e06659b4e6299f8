//! A request for bindings: a target, a convention, and the compiler options that change bindings.

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

/// The compiler or document whose rules place parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Convention {
    /// The placement of slangc (measured with 2026.12 and 2026.14.1).
    Slang,
    /// The placement of the Slang user guide, Parameter Layout Rules, where slangc does otherwise.
    SlangDocumented,
    /// The placement of DXC (measured with 1.7.2308).
    Dxc,
    /// The placement that wg-hlsl 0024, implicit resource binding, proposes for Clang.
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

/// Settings of a placement beside target and convention, from a case's keys or a command's flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BindingInvocation {
    /// Shader profile; see [`BindingRequest::profile`].
    pub profile: Option<String>,
    /// Entry point; see [`BindingRequest::entry`].
    pub entry: Option<String>,
    /// See [`BindingRequest::used`].
    pub used: Vec<String>,
    /// See [`BindingRequest::unused`].
    pub unused: Vec<String>,
    /// See [`BindingRequest::options`].
    pub options: Vec<String>,
}

impl BindingInvocation {
    /// The request for one target and convention.
    pub fn request(&self, target: Target, convention: Convention, version: Option<String>) -> BindingRequest {
        let Self { profile, entry, used, unused, options } = self.clone();
        BindingRequest { target, convention, version, profile, entry, used, unused, options }
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

/// A request to place every parameter of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct BindingRequest {
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

impl BindingRequest {
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
