//! Who writes shaders, for whom, and what agreement with them proves.

use std::fmt;

use layoutproof_device::{DeviceInfo, RunnerKind};

use crate::check::subject::Subject;
use crate::check::verdict::Writer;
use crate::generate::wgsl;
use crate::inspect::toolchain::{Language, Output, Toolchain, toolchains};
use crate::results::record::Proves;

/// A generator of ours, which writes the offsets that it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generator {
    /// Our own SPIR-V through rspirv.
    Rspirv,
    /// Our own WGSL, compiled by naga.
    Naga,
}

/// The writer of shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Producer {
    /// A generator of ours.
    Generator(Generator),
    /// A compiler, which reads the declarations and chooses the offsets itself.
    Compiler(&'static Toolchain),
}

impl Generator {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Rspirv, Self::Naga];

    /// The name in trial names and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rspirv => "rspirv",
            Self::Naga => "naga",
        }
    }

    /// The claim that agreement proves under `rules`: naga chooses offsets only under WGSL's own rules.
    pub fn proves(self, rules: &str) -> Proves {
        match self {
            Self::Naga if wgsl::chooses_offsets(rules) => Proves::Compiler,
            Self::Rspirv | Self::Naga => Proves::Decorations,
        }
    }
}

impl Producer {
    /// Those that need no compiler on the machine.
    pub const BUILT_IN: [Self; 2] = [Self::Generator(Generator::Rspirv), Self::Generator(Generator::Naga)];

    /// The name in trial names and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generator(generator) => generator.as_str(),
            Self::Compiler(toolchain) => toolchain.name,
        }
    }

    /// The producer of this name.
    pub fn named(name: &str) -> Option<Self> {
        let compilers = toolchains().iter().map(Self::Compiler);
        Self::BUILT_IN.into_iter().chain(compilers).find(|producer| producer.as_str() == name)
    }

    /// Returns true if this API takes what the producer makes. wgpu with SPIR-V would be ash's path again; the model follows
    /// decorations, which a compiler's own code adds nothing to.
    pub fn feeds(self, runner: RunnerKind) -> bool {
        match self {
            Self::Generator(generator) => match (generator, runner) {
                (Generator::Rspirv, RunnerKind::Ash | RunnerKind::Model)
                | (Generator::Naga, RunnerKind::Ash | RunnerKind::Wgpu) => true,
                (Generator::Rspirv, RunnerKind::Wgpu | RunnerKind::D3d12 | RunnerKind::Dxil)
                | (Generator::Naga, RunnerKind::D3d12 | RunnerKind::Dxil | RunnerKind::Model) => false,
            },
            Self::Compiler(toolchain) => match (toolchain.output, runner) {
                (Output::Dxil, RunnerKind::D3d12 | RunnerKind::Dxil)
                | (Output::ClangIr, RunnerKind::Dxil)
                | (Output::SpirvOfDxbc, RunnerKind::Ash | RunnerKind::D3d12)
                | (Output::Spirv, RunnerKind::Ash)
                | (Output::Wgsl, RunnerKind::Wgpu) => true,
                (Output::Dxil, RunnerKind::Ash | RunnerKind::Wgpu | RunnerKind::Model)
                | (Output::ClangIr, RunnerKind::Ash | RunnerKind::Wgpu | RunnerKind::D3d12 | RunnerKind::Model)
                | (Output::SpirvOfDxbc, RunnerKind::Wgpu | RunnerKind::Dxil | RunnerKind::Model)
                | (Output::Spirv, RunnerKind::Wgpu | RunnerKind::D3d12 | RunnerKind::Dxil | RunnerKind::Model)
                | (Output::Wgsl, RunnerKind::Ash | RunnerKind::D3d12 | RunnerKind::Dxil | RunnerKind::Model) => false,
            },
        }
    }

    /// Returns true if the producer has shaders for `subject`: a compiler for blocks that it lays out by that rule set itself, and
    /// for a user's text in its language.
    pub fn takes(self, subject: &Subject) -> bool {
        match self {
            Self::Generator(_) => !subject.is_native,
            Self::Compiler(toolchain) if subject.is_own_wgsl() => toolchain.language == Language::Wgsl,
            Self::Compiler(toolchain) => {
                let rules = subject.rules;
                let mut blocks = subject.source.module.blocks.iter();
                let by_address = |block| subject.source.is_case && toolchain.follows_by_address(rules, block);
                blocks.any(|block| toolchain.follows(rules, block) || by_address(block))
            }
        }
    }

    /// Returns true if a module of many blocks can hold what this producer writes one module at a time for.
    pub fn can_share_modules(self) -> bool {
        self == Self::Generator(Generator::Rspirv)
    }

    /// Whose the offsets in the shaders are.
    pub fn writer(self) -> Writer {
        match self {
            Self::Generator(Generator::Rspirv) => Writer::Generator,
            Self::Generator(Generator::Naga) | Self::Compiler(_) => Writer::Compiler,
        }
    }

    /// The claim that agreement proves under `rules` on `device`.
    pub fn proves(self, rules: &str, device: &DeviceInfo) -> Proves {
        let is_native = device.direct3d.as_ref().is_some_and(|direct3d| direct3d.translator.is_none());
        match (self.can_prove(rules, device.runner), device.runner) {
            ([.., Proves::Native], RunnerKind::D3d12) if is_native => Proves::Native,
            (all, _) => all[0],
        }
    }

    /// The claims that agreement can prove under `rules` through this API, first the one where nothing is known of the device.
    /// Older records call everything `native` that was made for Direct3D.
    pub fn can_prove(self, rules: &str, runner: RunnerKind) -> &'static [Proves] {
        match self {
            Self::Generator(generator) => match generator.proves(rules) {
                Proves::Compiler => &[Proves::Compiler],
                Proves::Decorations | Proves::Evaluated | Proves::Translated | Proves::Native => &[Proves::Decorations],
            },
            Self::Compiler(toolchain) => match (toolchain.output, runner) {
                (Output::Spirv | Output::Wgsl, _) => &[Proves::Compiler],
                // Elsewhere than on Direct3D 12, FXC's code is executed as what vkd3d makes of it.
                (Output::Dxil | Output::ClangIr | Output::SpirvOfDxbc, RunnerKind::D3d12)
                | (Output::SpirvOfDxbc, RunnerKind::Ash | RunnerKind::Wgpu | RunnerKind::Model | RunnerKind::Dxil) => {
                    &[Proves::Translated, Proves::Native]
                }
                (
                    Output::Dxil | Output::ClangIr,
                    RunnerKind::Dxil | RunnerKind::Ash | RunnerKind::Wgpu | RunnerKind::Model,
                ) => &[Proves::Evaluated, Proves::Native],
            },
        }
    }
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
