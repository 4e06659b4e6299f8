//! Lists who writes shaders, which runners can use them, and what agreement proves.

use std::fmt;

use layoutproof_device::{DeviceInfo, Provider, RunnerKind, ShaderForm};

use crate::Proves;
use layoutproof_generators::wgsl;
use layoutproof_readers::toolchain::{Toolchain, toolchains, translators};

/// The writer of the code that a device ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Our own generator.
    Generator,
    /// A compiler, from source text. It may lose offsets that the text requests.
    Compiler,
}

/// One of our generators, which writes the offsets that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generator {
    Rspirv,
    Naga,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Producer {
    Generator(Generator),
    /// A compiler, which reads the declarations and chooses the offsets itself.
    Compiler(&'static Toolchain),
}

impl Generator {
    pub const ALL: [Self; 2] = [Self::Rspirv, Self::Naga];

    /// The name in check names and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rspirv => "rspirv",
            Self::Naga => "naga",
        }
    }

    /// The name in titles, next to the columns of compilers.
    pub fn title(self) -> &'static str {
        match self {
            Self::Rspirv => "our SPIR-V",
            Self::Naga => "our WGSL (naga)",
        }
    }

    /// Returns the claim that agreement proves under `rules`. naga chooses offsets only under
    /// WGSL's own rules.
    pub fn proves(self, rules: &str) -> Proves {
        match self {
            Self::Naga if wgsl::chooses_offsets(rules) => Proves::Compiler,
            Self::Rspirv | Self::Naga => Proves::Decorations,
        }
    }
}

impl Producer {
    /// The producers that need no compiler on the machine.
    pub const BUILT_IN: [Self; 2] = [Self::Generator(Generator::Rspirv), Self::Generator(Generator::Naga)];

    /// The name in check names and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generator(generator) => generator.as_str(),
            Self::Compiler(toolchain) => toolchain.name,
        }
    }

    /// The option of `run` that names it.
    pub fn option(self) -> &'static str {
        match self {
            Self::Compiler(toolchain) if toolchain.is_translator() => "--through",
            Self::Generator(_) | Self::Compiler(_) => "--compiler",
        }
    }

    /// The name in titles: `Vulkan · DXC (scalar)`, `our SPIR-V`.
    pub fn title(self) -> String {
        match self {
            Self::Generator(generator) => generator.title().to_owned(),
            Self::Compiler(toolchain) => {
                toolchain.column().map_or_else(|| toolchain.name.to_owned(), |column| column.to_string())
            }
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        let compilers = toolchains().iter().chain(translators()).map(Self::Compiler);
        Self::BUILT_IN.into_iter().chain(compilers).find(|producer| producer.as_str() == name)
    }

    fn forms(self) -> &'static [ShaderForm] {
        match self {
            Self::Generator(Generator::Rspirv) => &[ShaderForm::Spirv],
            Self::Generator(Generator::Naga) => &[ShaderForm::Wgsl, ShaderForm::Spirv],
            Self::Compiler(toolchain) => match &toolchain.output {
                ShaderForm::Wgsl if toolchain.reads_modules() => &[ShaderForm::Wgsl, ShaderForm::Spirv],
                // vkd3d translates it.
                ShaderForm::Dxbc => &[ShaderForm::Dxbc, ShaderForm::Spirv],
                output => std::slice::from_ref(output),
            },
        }
    }

    /// Returns true if this API accepts the producer's output. The model only follows decorations,
    /// so code in which a compiler chose offsets would add nothing there.
    pub fn feeds(self, runner: RunnerKind) -> bool {
        let adds = runner.provider() != Provider::Model || self.writer() == Writer::Generator;
        adds && self.forms().iter().any(|form| runner.accepts(*form))
    }

    /// Returns true if the device gets the producer's output. On OpenGL, naga compiles WGSL to GLSL with a layout that
    /// is not followed for a translator's text.
    pub fn feeds_device(self, device: &DeviceInfo) -> bool {
        let is_translator = matches!(self, Self::Compiler(toolchain) if toolchain.is_translator());
        self.feeds(device.runner) && !(is_translator && device.is_opengl())
    }

    /// Returns true if one module with many blocks can replace the producer's separate modules on a device. On OpenGL and
    /// Direct3D 12, naga translates the blocks with layouts of its own, which depend on what is around them.
    pub fn can_share_modules(self, device: &DeviceInfo) -> bool {
        match self {
            Self::Generator(Generator::Rspirv) => true,
            Self::Generator(Generator::Naga) => {
                device.runner.accepts(ShaderForm::Wgsl) && !device.is_opengl() && !device.takes_naga_hlsl()
            }
            Self::Compiler(_) => false,
        }
    }

    pub fn writer(self) -> Writer {
        match self {
            Self::Generator(Generator::Rspirv) => Writer::Generator,
            Self::Generator(Generator::Naga) | Self::Compiler(_) => Writer::Compiler,
        }
    }

    /// Returns the claim that agreement proves under `rules` on `device`.
    pub fn proves(self, rules: &str, device: &DeviceInfo) -> Proves {
        let is_native = device.direct3d.as_ref().is_some_and(|direct3d| direct3d.translator.is_none());
        match self.can_prove(rules, device.runner) {
            [.., Proves::Native] if is_native => Proves::Native,
            all => all[0],
        }
    }

    /// Returns the claims that agreement can prove under `rules` through this API. The first one
    /// applies if nothing is known about the device. Older records use `native` for all Direct3D
    /// code.
    pub fn can_prove(self, rules: &str, runner: RunnerKind) -> &'static [Proves] {
        match self {
            Self::Generator(generator) => match generator.proves(rules) {
                Proves::Compiler => &[Proves::Compiler],
                Proves::Decorations | Proves::Evaluated | Proves::Translated | Proves::Native => &[Proves::Decorations],
            },
            Self::Compiler(toolchain) => match (toolchain.output, runner.provider()) {
                (ShaderForm::Spirv | ShaderForm::Wgsl, _) => &[Proves::Compiler],
                // Outside Direct3D 12, vkd3d translates FXC's code before a device runs it.
                (ShaderForm::Dxbc, _) | (_, Provider::Driver) => &[Proves::Translated, Proves::Native],
                (ShaderForm::Dxil | ShaderForm::ClangIr, _) => &[Proves::Evaluated, Proves::Native],
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn producers_feed_the_apis_that_take_their_shaders() {
        for (producer, fed, not_fed) in [
            ("rspirv", &[RunnerKind::Ash, RunnerKind::Model][..], &[RunnerKind::Wgpu, RunnerKind::D3d12][..]),
            ("naga", &[RunnerKind::Ash, RunnerKind::Wgpu], &[RunnerKind::Model, RunnerKind::D3d12]),
            ("dxc-spirv", &[RunnerKind::Ash], &[RunnerKind::Model, RunnerKind::Wgpu, RunnerKind::Dxil]),
            ("dxc-dxil", &[RunnerKind::D3d12, RunnerKind::Dxil], &[RunnerKind::Ash, RunnerKind::Wgpu]),
            ("clang-dxil", &[RunnerKind::Dxil], &[RunnerKind::D3d12, RunnerKind::Ash]),
            ("slang-webgpu", &[RunnerKind::Wgpu], &[RunnerKind::Ash, RunnerKind::Model]),
            // vkd3d translates DXBC to SPIR-V.
            ("fxc", &[RunnerKind::D3d12, RunnerKind::Ash], &[RunnerKind::Model, RunnerKind::Dxil]),
        ] {
            let producer = Producer::named(producer).unwrap();
            assert!(fed.iter().all(|api| producer.feeds(*api)), "{producer}");
            assert!(!not_fed.iter().any(|api| producer.feeds(*api)), "{producer}");
        }
    }
}
