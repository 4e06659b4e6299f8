//! A request for bindings: a target, a convention, and the compiler options that change bindings.

use layoutproof_layout::{Column, LayoutVariant, ShaderCompiler, ShaderTarget};
use strum::{Display, IntoStaticStr};

/// The graphics API for which parameters are placed: those [`ShaderTarget`]s whose bindings a
/// convention decides.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[strum(serialize_all = "kebab-case")]
pub enum Target {
    /// Direct3D 12: registers and spaces.
    D3d12,
    Vulkan,
    /// WebGPU: groups and bindings.
    Webgpu,
    /// Metal: buffer, texture and sampler indices.
    Metal,
}

impl Target {
    pub const ALL: [Self; 4] = [Self::D3d12, Self::Vulkan, Self::Webgpu, Self::Metal];

    /// Returns the name in the command-line contract.
    pub fn as_str(self) -> &'static str {
        ShaderTarget::from(self).as_str()
    }

    /// The API of a target; `None` if no convention places parameters for it.
    pub fn of(target: ShaderTarget) -> Option<Self> {
        Self::ALL.into_iter().find(|known| ShaderTarget::from(*known) == target)
    }
}

impl From<Target> for ShaderTarget {
    fn from(target: Target) -> Self {
        match target {
            Target::D3d12 => Self::D3d12,
            Target::Vulkan => Self::Vulkan,
            Target::Webgpu => Self::Webgpu,
            Target::Metal => Self::Metal,
        }
    }
}

/// The compiler or document whose rules place parameters.
#[derive(Clone, Copy, Debug, Display, IntoStaticStr, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[strum(serialize_all = "kebab-case")]
pub enum Convention {
    /// The placement by slangc (measured with 2026.12 and 2026.14.1).
    Slang,
    /// The placement by the Slang user guide, Parameter Layout Rules, which slangc does not always
    /// follow.
    SlangDocumented,
    /// The placement by DXC (measured with 1.7.2308).
    Dxc,
    /// The placement that wg-hlsl 0024, implicit resource binding, proposes for Clang.
    Clang,
}

impl Convention {
    pub const ALL: [Self; 4] = [Self::Slang, Self::SlangDocumented, Self::Dxc, Self::Clang];

    /// Returns the name in the command-line contract.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The compiler, or the document, whose rules these are.
    pub fn compiler(self) -> ShaderCompiler {
        match self {
            Self::Slang => ShaderCompiler::Slang,
            Self::SlangDocumented => ShaderCompiler::SlangDocumented,
            Self::Dxc => ShaderCompiler::Dxc,
            Self::Clang => ShaderCompiler::Clang,
        }
    }

    /// The convention of a compiler; `None` if its bindings were not measured.
    pub fn of(compiler: ShaderCompiler) -> Option<Self> {
        Self::ALL.into_iter().find(|convention| convention.compiler() == compiler)
    }

    pub fn targets(self) -> &'static [Target] {
        match self {
            Self::Slang | Self::SlangDocumented => &Target::ALL,
            Self::Dxc | Self::Clang => &[Target::D3d12, Target::Vulkan],
        }
    }
}

/// Settings of a placement besides target and convention, from a case's keys or a command's flags;
/// each means the same as in [`BindingRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BindingInvocation {
    pub profile: Option<String>,
    pub entry: Option<String>,
    pub used: Vec<String>,
    pub unused: Vec<String>,
    pub options: Vec<String>,
}

impl BindingInvocation {
    pub fn request(&self, target: Target, convention: Convention, version: Option<String>) -> BindingRequest {
        let Self { profile, entry, used, unused, options } = self.clone();
        BindingRequest { version, profile, entry, used, unused, options, ..BindingRequest::new(target, convention) }
    }
}

/// Parses a convention and, after `@`, the version of its compiler: `dxc` or `dxc@1.9`.
pub fn parse_convention(text: &str) -> Option<(Convention, Option<String>)> {
    let (name, version) = match text.split_once('@') {
        Some((_, "")) => return None,
        Some((name, version)) => (name, Some(version.to_owned())),
        None => (text, None),
    };
    let convention = Convention::ALL.into_iter().find(|convention| convention.as_str() == name)?;
    Some((convention, version))
}

/// A request to place every parameter of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct BindingRequest {
    pub target: Target,
    pub convention: Convention,
    /// Version of the convention's compiler, as in `dxc@1.9`; `None` for the measured one.
    pub version: Option<String>,
    /// Shader profile (`sm_6_6`, `ps_5_0`); `None` for the compiler's default.
    pub profile: Option<String>,
    /// Entry point, for a module with several and a compiler that compiles only one.
    pub entry: Option<String>,
    /// Parameters that an optimiser keeps although no body names them.
    pub used: Vec<String>,
    /// Parameters that an optimiser drops although a body names them.
    pub unused: Vec<String>,
    /// Command-line options that change bindings, each with its values: `-fvk-t-shift 10 all`.
    pub options: Vec<String>,
    /// Two parameters may have one register: those of a header that several shaders include, each of which uses its own.
    pub may_overlap: bool,
}

impl BindingRequest {
    /// The column that the bindings belong to. Layout options do not move bindings, but they are part
    /// of the command line.
    pub fn column(&self) -> Column<'_> {
        let column = Column::new(self.target.into(), self.convention.compiler());
        let variant = self.options.iter().rev().find_map(|option| layout_option(option.trim()));
        Column { version: self.version.as_deref(), variant, ..column }
    }

    /// Returns the name of the request in checks and headings: `d3d12.dxc`, `vulkan.dxc@1.9`.
    pub fn name(&self) -> String {
        let Self { target, convention, .. } = self;
        match &self.version {
            Some(version) => format!("{target}.{convention}@{version}"),
            None => format!("{target}.{convention}"),
        }
    }

    /// Makes a request to place by `convention` for `target`, without other settings.
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
            may_overlap: false,
        }
    }
}

/// The option of DXC and slangc that selects a layout for Vulkan.
pub fn layout_flag(layout: LayoutVariant) -> &'static str {
    match layout {
        LayoutVariant::Scalar => "-fvk-use-scalar-layout",
        LayoutVariant::Dx => "-fvk-use-dx-layout",
        LayoutVariant::Gl => "-fvk-use-gl-layout",
        LayoutVariant::C => "-fvk-use-c-layout",
    }
}

/// The layout that an option of DXC or slangc selects for Vulkan.
pub fn layout_option(option: &str) -> Option<LayoutVariant> {
    let plain = if option == "-force-glsl-scalar-layout" { layout_flag(LayoutVariant::Scalar) } else { option };
    LayoutVariant::ALL.iter().copied().find(|layout| layout_flag(*layout) == plain)
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
