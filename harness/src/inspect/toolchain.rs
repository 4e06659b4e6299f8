//! Compilers with a target and a layout option, what they are asked, and what they answer.
//!
//! A [`Toolchain`] names a compiler, the language that it is fed and what comes out. Which rule set it takes for which
//! block is [`Native`](layoutproof_layout::native::Native)'s business, except where the language has the rule set's name. Everything that starts a process is behind [`Compile`], so this crate stays pure.

use std::fmt;

use layoutproof_device::{DeviceInfo, Direct3d, Feature, Shader, ShaderModel};
use layoutproof_layout::native::find_native;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{Block, LayoutOptions, RuleSet, find};

use crate::inspect::module_reader::ModuleReader;

/// A compiler, a target and a layout option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Toolchain {
    /// Name in trial names and on the command line: `dxc-spirv-dx`.
    pub name: &'static str,
    /// The compiler's own name, under which several toolchains go: `dxc`.
    pub compiler: &'static str,
    /// Which rule sets it takes.
    pub follows: Follows,
    /// What the compiler reads.
    pub language: Language,
    /// What comes out.
    pub output: Output,
    /// The layout option as it stands on the command line.
    pub flags: &'static [&'static str],
}

/// Which rule sets a compiler takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Follows {
    /// One for each kind of block: the row of [`Native`](layoutproof_layout::native::Native) of this name says which.
    Native(&'static str),
    /// Each of these for any block, as the source says.
    Named(&'static [&'static str]),
}

/// What a compiler reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// HLSL as DXC reads it.
    Hlsl,
    /// HLSL as Clang reads it.
    ClangHlsl,
    /// HLSL as FXC reads it: profile 5.1.
    OldHlsl,
    /// Slang.
    Slang,
    /// GLSL for Vulkan.
    Glsl,
    /// WGSL.
    Wgsl,
}

/// What comes out of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Output {
    /// DXIL, which the evaluator and devices of Direct3D 12 execute.
    Dxil,
    /// Clang's IR for Direct3D, which the evaluator executes.
    ClangIr,
    /// SPIR-V.
    Spirv,
    /// DXBC, which devices of Direct3D 12 execute, and SPIR-V that was made of it: each constant buffer is one array of `vec4` and each other buffer one of words, so
    /// their offsets are those of the DXBC.
    SpirvOfDxbc,
    /// WGSL.
    Wgsl,
}

/// Whom code is compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CodeTarget {
    /// Whoever takes the newest that a compiler makes: Vulkan devices, and our evaluators.
    #[default]
    Newest,
    /// A device of Direct3D 12.
    Direct3d {
        /// The shader model of its code.
        model: ShaderModel,
        /// Whether its 16-bit types have 16 bits.
        sixteen_bit: SixteenBit,
    },
}

impl CodeTarget {
    /// The newest shader model that our probes are written in.
    const NEWEST: ShaderModel = ShaderModel { major: 6, minor: 6 };

    /// What vkd3d's device takes, which calls itself 6.0: from 6.3 on DXC loads 64-bit types in a way of which vkd3d 2.1
    /// makes invalid SPIR-V, and 16-bit types it refuses (its error E2008).
    const VKD3D: ShaderModel = ShaderModel { major: 6, minor: 2 };

    /// Whom code for `device` is compiled for.
    pub fn of(device: &DeviceInfo) -> Self {
        let Some(Direct3d { translator, shader_model, .. }) = &device.direct3d else { return Self::Newest };
        let has_sixteen_bit = device.features.contains(&Feature::Float16);
        match translator {
            Some(_) if shader_model.major >= 6 => Self::Direct3d { model: Self::VKD3D, sixteen_bit: SixteenBit::Off },
            Some(_) | None => Self::Direct3d {
                model: Self::NEWEST.min(*shader_model),
                sixteen_bit: if has_sixteen_bit { SixteenBit::On } else { SixteenBit::Off },
            },
        }
    }
}

/// DXC, from HLSL.
const fn dxc(
    (name, compiler): (&'static str, &'static str),
    native: &'static str,
    output: Output,
    flags: &'static [&'static str],
) -> Toolchain {
    Toolchain { name, compiler, follows: Follows::Native(native), language: Language::Hlsl, output, flags }
}

/// slangc.
const fn slangc(name: &'static str, native: &'static str, output: Output, flags: &'static [&'static str]) -> Toolchain {
    Toolchain { name, compiler: "slangc", follows: Follows::Native(native), language: Language::Slang, output, flags }
}

/// A compiler of GLSL, to SPIR-V.
const fn glsl(name: &'static str, rules: &'static [&'static str]) -> Toolchain {
    let follows = Follows::Named(rules);
    Toolchain { name, compiler: name, follows, language: Language::Glsl, output: Output::Spirv, flags: &[] }
}

const FXC: Toolchain = Toolchain {
    name: "fxc",
    compiler: "fxc",
    follows: Follows::Native("native:fxc"),
    language: Language::OldHlsl,
    output: Output::SpirvOfDxbc,
    flags: &[],
};

/// Clang, from HLSL. It has no toolchain for SPIR-V here: of 209 probes Clang 22.1.8 crashes on 179 with
/// `-spirv -fspv-target-env=vulkan1.3`, and spirv-val takes none of the others.
const CLANG: Toolchain = Toolchain {
    name: "clang-dxil",
    compiler: "clang-dxc",
    follows: Follows::Native("native:clang-dxil"),
    language: Language::ClangHlsl,
    output: Output::ClangIr,
    flags: &[],
};

/// Tint, from WGSL.
const TINT: Toolchain = Toolchain {
    name: "tint",
    compiler: "tint",
    follows: Follows::Named(&["wgsl-uniform", "wgsl-storage"]),
    language: Language::Wgsl,
    output: Output::Spirv,
    flags: &[],
};

const TOOLCHAINS: &[Toolchain] = &[
    FXC,
    dxc(("dxc-dxil", "dxc"), "native:dxc-dxil", Output::Dxil, &[]),
    dxc(("dxc-spirv", "dxc"), "native:dxc-spirv", Output::Spirv, &[]),
    dxc(("dxc-spirv-dx", "dxc"), "native:dxc-spirv-dx", Output::Spirv, &["-fvk-use-dx-layout"]),
    dxc(("dxc-spirv-gl", "dxc"), "native:dxc-spirv-gl", Output::Spirv, &["-fvk-use-gl-layout"]),
    dxc(("dxc-spirv-scalar", "dxc"), "native:dxc-spirv-scalar", Output::Spirv, &["-fvk-use-scalar-layout"]),
    dxc(("dxc-1.9-dxil", "dxc-1.9"), "native:dxc-dxil", Output::Dxil, &[]),
    dxc(("dxc-1.9-spirv", "dxc-1.9"), "native:dxc-1.9-spirv", Output::Spirv, &[]),
    dxc(("dxc-1.9-spirv-dx", "dxc-1.9"), "native:dxc-spirv-dx", Output::Spirv, &["-fvk-use-dx-layout"]),
    dxc(("dxc-1.9-spirv-gl", "dxc-1.9"), "native:dxc-spirv-gl", Output::Spirv, &["-fvk-use-gl-layout"]),
    dxc(("dxc-1.9-spirv-scalar", "dxc-1.9"), "native:dxc-1.9-spirv-scalar", Output::Spirv, &["-fvk-use-scalar-layout"]),
    dxc(("dxc-dev-dxil", "dxc-dev"), "native:dxc-dxil", Output::Dxil, &[]),
    dxc(("dxc-old-dxil", "dxc-old"), "native:dxc-dxil", Output::Dxil, &[]),
    dxc(("dxc-old-spirv", "dxc-old"), "native:dxc-spirv", Output::Spirv, &[]),
    dxc(("dxc-old-spirv-dx", "dxc-old"), "native:dxc-spirv-dx", Output::Spirv, &["-fvk-use-dx-layout"]),
    dxc(("dxc-old-spirv-gl", "dxc-old"), "native:dxc-spirv-gl", Output::Spirv, &["-fvk-use-gl-layout"]),
    dxc(("dxc-old-spirv-scalar", "dxc-old"), "native:dxc-spirv-scalar", Output::Spirv, &["-fvk-use-scalar-layout"]),
    slangc("slang-vulkan", "native:slang-vulkan", Output::Spirv, &[]),
    slangc("slang-vulkan-scalar", "native:slang-vulkan-scalar", Output::Spirv, &["-fvk-use-scalar-layout"]),
    slangc("slang-vulkan-dx", "native:slang-vulkan-dx", Output::Spirv, &["-fvk-use-dx-layout"]),
    slangc("slang-vulkan-c", "native:slang-vulkan-c", Output::Spirv, &["-fvk-use-c-layout"]),
    slangc("slang-d3d12", "native:slang-d3d12", Output::Dxil, &[]),
    slangc("slang-webgpu", "native:slang-webgpu", Output::Wgsl, &[]),
    CLANG,
    glsl("glslang", &["std140", "std430", "scalar"]),
    glsl("naga-glsl", &["std140", "std430"]),
    TINT,
];

/// All of them, in the order in which they are listed.
pub fn toolchains() -> &'static [Toolchain] {
    TOOLCHAINS
}

impl Toolchain {
    /// The rule sets that the compiler takes for `block`.
    ///
    /// # Panics
    /// Never: each name in the table is a row of another table, which a test checks.
    pub fn rules_for(&self, block: &Block) -> Vec<&'static RuleSet> {
        match self.follows {
            Follows::Native(name) => {
                let native = find_native(name).expect("each toolchain names a row of the natives, which a test checks");
                native.rules(block).into_iter().collect()
            }
            Follows::Named(names) => names.iter().filter_map(|name| find(name)).collect(),
        }
    }

    /// The compiler that makes code of what this one writes, where that is not code yet: slangc's HLSL goes through DXC.
    pub fn second_compiler(&self) -> Option<&'static str> {
        match (self.language, self.output) {
            (Language::Slang, Output::Dxil) => Some("dxc"),
            (Language::Slang, Output::ClangIr | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl)
            | (
                Language::Hlsl | Language::ClangHlsl | Language::OldHlsl | Language::Glsl | Language::Wgsl,
                Output::Dxil | Output::ClangIr | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl,
            ) => None,
        }
    }

    /// The toolchain, and the rule set where the source names it: what a block is compiled with.
    pub fn option(&self, rules: &str) -> String {
        match self.follows {
            Follows::Native(_) => self.to_string(),
            Follows::Named(_) => format!("{self}-{rules}"),
        }
    }

    /// The rule set that the compiler takes for the elements of `block` in a byte-address buffer; `None` where it has no such
    /// loads.
    ///
    /// # Panics
    /// Never, as [`Self::rules_for`].
    pub fn byte_address_rules(&self, block: &Block) -> Option<&'static RuleSet> {
        let Follows::Native(name) = self.follows else { return None };
        let native = find_native(name).expect("each toolchain names a row of the natives, which a test checks");
        native.byte_address_rules(block)
    }

    /// Whether the compiler takes the rule set of this name for the elements of `block` in a byte-address buffer.
    pub fn follows_by_address(&self, rules: &str, block: &Block) -> bool {
        self.byte_address_rules(block).is_some_and(|own| own.name == rules)
    }

    /// Whether the compiler takes the rule set of this name for `block`.
    pub fn follows(&self, rules: &str, block: &Block) -> bool {
        self.rules_for(block).iter().any(|own| own.name == rules)
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Source text as its author wrote it, and what belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// The text.
    pub text: String,
    /// Macros, as on a command line.
    pub defines: Vec<(String, String)>,
    /// Folders of included files; the author's own first.
    pub include_paths: Vec<String>,
}

/// What a compiler is asked.
#[derive(Clone, Debug)]
pub struct CompileRequest<'a> {
    /// Which compiler, with which options.
    pub toolchain: &'static Toolchain,
    /// A name for people and folders: case, toolchain and block with `/` between.
    pub name: &'a str,
    /// The whole source.
    pub source: SourceText,
    /// Its entry point, of the compute stage.
    pub entry: &'a str,
    /// Matrix order and 16-bit types.
    pub options: LayoutOptions,
    /// Whom the code is for.
    pub target: CodeTarget,
    /// Arguments of the source's own. Where they say what ours say too (profile, stage), they win.
    pub extra: Vec<String>,
}

/// What a compiler made.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The code.
    pub shader: Shader,
    /// The same as a container for Direct3D, where it is for that and `shader` is what can be read of it.
    pub container: Option<Vec<u8>>,
    /// What the compiler reports beside it.
    pub report: Report,
}

/// What a compiler reports beside its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Nothing; decorations or types in the code say where members are.
    None,
    /// The listing of DXIL.
    Listing(String),
    /// FXC's listing of DXBC.
    FxcListing(String),
    /// Slang's reflection JSON.
    SlangJson(String),
}

/// What a compiler says of a source.
#[derive(Clone, Debug, PartialEq)]
pub enum Compilation {
    /// It took it.
    Made(Made),
    /// It refused it, in these words.
    Refused(String),
    /// It crashed, hung or printed what nobody understands; in a sentence.
    Broken(String),
}

/// Compilers that can be asked.
pub trait Compile: fmt::Debug + Sync {
    /// Whether the compiler of this toolchain is there.
    fn has(&self, toolchain: &Toolchain) -> bool;

    /// What the compiler of this toolchain says of its version; `None` where it is not there.
    fn version(&self, toolchain: &Toolchain) -> Option<&str>;

    /// Compiles; asked from many threads at once.
    fn compile(&self, request: &CompileRequest<'_>) -> Compilation;

    /// Reads what compilers make and only third-party code can read.
    fn reader(&self) -> &dyn ModuleReader;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_toolchain_has_rule_sets_and_a_name_of_its_own() {
        let mut names: Vec<&str> = toolchains().iter().map(|toolchain| toolchain.name).collect();
        assert!(toolchains().iter().all(|toolchain| match toolchain.follows {
            Follows::Native(native) => find_native(native).is_some(),
            Follows::Named(rules) => rules.iter().all(|name| find(name).is_some()),
        }));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), toolchains().len());
    }
}
