//! The targets that programs in a language ship for. These are the default columns of `show`.

use layoutproof_layout::native::{Native, find_native};

use layoutproof_bindings::{Convention, Target};
use layoutproof_source::shader_language::ShaderLanguage;

/// A compiler with its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShippingTarget {
    /// `D3D12 · DXC`.
    pub label: &'static str,
    /// The compiler's default choice of rule sets for this target.
    pub native: &'static str,
}

/// HLSL is compiled with DXC, and for Vulkan with either compiler.
const HLSL: &[ShippingTarget] = &[
    ShippingTarget { label: "D3D12 · DXC", native: "native:dxc-dxil" },
    ShippingTarget { label: "Vulkan · DXC", native: "native:dxc-spirv" },
    ShippingTarget { label: "Vulkan · Slang", native: "native:slang-vulkan" },
];

/// Slang has one compiler, so WebGPU and Metal are labelled without its name.
const SLANG: &[ShippingTarget] = &[
    ShippingTarget { label: "D3D12 · Slang", native: "native:slang-d3d12" },
    ShippingTarget { label: "Vulkan · Slang", native: "native:slang-vulkan" },
    ShippingTarget { label: "WebGPU", native: "native:slang-webgpu" },
    ShippingTarget { label: "Metal", native: "native:slang-metal" },
];

/// Most columns that `show` has by default.
pub const MOST_COLUMNS: usize = 4;

impl ShippingTarget {
    /// The targets of a language whose files are laid out by rule sets, four at most.
    pub fn of(language: ShaderLanguage) -> &'static [Self] {
        match language {
            ShaderLanguage::Slang => SLANG,
            _ => HLSL,
        }
    }

    /// The target of files that declare their own offsets; GLSL and SPIR-V belong to Vulkan here.
    pub fn of_laid_out(language: Option<ShaderLanguage>) -> Self {
        match language {
            Some(ShaderLanguage::Wgsl) => Self { label: "WebGPU", native: "native:wgsl" },
            _ => Self { label: "Vulkan", native: "native:glsl" },
        }
    }

    /// True if `half` always has 2 bytes: slangc has no option for that (2026.14.1, reflection).
    pub fn has_fixed_half(self) -> bool {
        self.native.starts_with("native:slang-")
    }

    /// A compiler's choice as a column, under its common label or else under its own name.
    pub fn of_native(native: &'static Native) -> Self {
        Self { label: Self::label_of(native.name).unwrap_or(native.name), native: native.name }
    }

    /// The compiler and target that a convention for bindings describes; `None` if no such compiler
    /// was measured.
    pub fn native_of(target: Target, convention: Convention) -> Option<&'static Native> {
        let name = match (target, convention) {
            (Target::D3d12, Convention::Dxc) => "native:dxc-dxil",
            (Target::Vulkan, Convention::Dxc) => "native:dxc-spirv",
            (Target::D3d12, Convention::Slang) => "native:slang-d3d12",
            (Target::Vulkan, Convention::Slang) => "native:slang-vulkan",
            (Target::Webgpu, Convention::Slang) => "native:slang-webgpu",
            (Target::Metal, Convention::Slang) => "native:slang-metal",
            (_, Convention::SlangDocumented | Convention::Clang)
            | (Target::Webgpu | Target::Metal, Convention::Dxc) => {
                return None;
            }
        };
        find_native(name)
    }

    /// The common label of a compiler's choice.
    pub fn label_of(native: &str) -> Option<&'static str> {
        HLSL.iter().chain(SLANG).find(|target| target.native == native).map(|target| target.label)
    }

    /// The compiler's choice for each block.
    pub fn native(self) -> Option<&'static Native> {
        find_native(self.native)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_a_compilers_choice() {
        for target in HLSL.iter().chain(SLANG) {
            assert!(target.native().is_some(), "{target:?}");
        }
        assert!(HLSL.len() <= MOST_COLUMNS && SLANG.len() <= MOST_COLUMNS);
    }
}
