//! The table of toolchains (a compiler with a target and a layout option), and the interface to the
//! compilers themselves.
//!
//! A [`Toolchain`] states what its compiler reads and writes.
//! [`Native`](layoutproof_layout::native::Native) defines which rule set it applies to which block,
//! unless the source itself names the rule set. Implementors of [`Compilers`], in
//! `layoutproof-compilers`, start the compiler's process, so that this crate stays pure.

use layoutproof_bindings::SourceText;
use std::fmt;

use layoutproof_device::{DeviceInfo, Direct3d, Feature, Shader, ShaderForm, ShaderModel, Stage, word_bytes};
use layoutproof_layout::native::find_native;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{Block, Column, LayoutOptions, RuleSet, ShaderCompiler, ShaderTarget, find};
use layoutproof_source::shader_language::ShaderLanguage;

use TextLanguage::{Glsl, Hlsl, Msl, Wgsl};

use crate::module_reader::ModuleReader;

/// A compiler, a target and a layout option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Toolchain {
    /// Name in trial names and on the command line: `dxc-spirv-dx`.
    pub name: &'static str,
    /// The compiler's name, which several toolchains share: `dxc`.
    pub compiler: &'static str,
    /// Which of several builds that the set-up can install, in columns of tables: `1.9`; `None` for the
    /// usual one. It also names an option that changes no declared layout.
    pub build: Option<&'static str>,
    /// The compiler's name in authorities and in `by` of cases, which identify its builds by
    /// version: `dxc` for each build of DXC.
    pub name_in_cases: &'static str,
    pub follows: AppliedRules,
    pub input: Input,
    /// The form of its output. Beside DXBC there is the SPIR-V that vkd3d makes from it, in which
    /// each constant buffer is one array of `vec4` and each other buffer an array of words, so their
    /// offsets are those of the DXBC.
    pub output: ShaderForm,
    /// The layout option on the command line.
    pub flags: &'static [&'static str],
    /// The text that it writes for another compiler, if its output is not code yet: HLSL, which DXC
    /// compiles.
    pub text: Option<Text>,
    /// What the compiler has no usable code for, although its language has it.
    pub lacks: &'static [Lack],
}

/// A text that one compiler writes and another one compiles to code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text {
    pub language: TextLanguage,
    /// The compiler of the text.
    pub compiler: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextLanguage {
    Glsl,
    Hlsl,
    Msl,
    Wgsl,
}

impl TextLanguage {
    const fn by(self, compiler: &'static str) -> Text {
        Text { language: self, compiler }
    }

    /// True if each element of an array of resources has a number of its own.
    pub fn counts_elements(self) -> bool {
        matches!(self, Self::Hlsl | Self::Msl)
    }
}

/// A part of a language that a compiler refuses, or compiles to no usable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lack {
    /// Loads and stores at an address of bytes.
    Addresses,
    /// In SPIR-V, loads of a struct with a base from untyped bytes.
    UntypedBases,
    ShaderRecords,
    /// Blocks in workgroup memory.
    WorkgroupBlocks,
    /// Buffers of the descriptor heap, in GLSL.
    DescriptorHeaps,
    /// Matrices whose rows are contiguous.
    MatricesByRows,
    /// Arrays of one struct that has a matrix: the compiler of the text ends at them.
    SingleStructsWithMatrices,
    /// Vectors that cross 16 bytes in a block that the compiler flattens: it ends at them.
    CrossingVectors,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AppliedRules {
    /// One for each kind of block: those in the row of
    /// [`Native`](layoutproof_layout::native::Native) with this name.
    Native(&'static str),
    /// Those of this row of natives for elements with matrices in byte-address buffers, and none for
    /// declared blocks. An option makes loads and stores there read matrices by rows.
    RawLoadsByRows(&'static str),
    /// Each of these for any block, as the source declares, in this column.
    Named(&'static [&'static str], Column<'static>),
    /// Those of the module that a translator reads, which states every offset.
    Decorations,
    /// The rule set of the subject, by which the translator packs a module that has another one.
    Packing,
}

/// A language as a compiler reads it. HLSL is three, because what a probe may contain differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Input {
    /// HLSL as DXC reads it.
    Hlsl,
    /// HLSL as Clang reads it.
    ClangHlsl,
    /// HLSL as FXC reads it: profile 5.1.
    OldHlsl,
    Slang,
    Glsl,
    Wgsl,
    /// A module with decorations, for a translator.
    Spirv,
}

impl Input {
    /// `None` for modules.
    pub fn language(self) -> Option<ShaderLanguage> {
        match self {
            Self::Hlsl | Self::ClangHlsl | Self::OldHlsl => Some(ShaderLanguage::Hlsl),
            Self::Slang => Some(ShaderLanguage::Slang),
            Self::Glsl => Some(ShaderLanguage::Glsl),
            Self::Wgsl => Some(ShaderLanguage::Wgsl),
            Self::Spirv => None,
        }
    }
}

/// The device or evaluator that code is compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CodeTarget {
    /// Vulkan devices and our evaluators, which accept the newest code that a compiler writes.
    #[default]
    Newest,
    Direct3d {
        model: ShaderModel,
        /// `On` if its 16-bit types have 16 bits.
        sixteen_bit: SixteenBit,
    },
}

impl CodeTarget {
    /// The newest shader model of our probes.
    const NEWEST: ShaderModel = ShaderModel { major: 6, minor: 6 };

    /// The newest shader model that works on vkd3d's device, which reports 6.0. From 6.3 on, DXC
    /// loads 64-bit types in a way for which vkd3d 2.1 writes invalid SPIR-V, and vkd3d rejects
    /// 16-bit types (its error E2008).
    const VKD3D: ShaderModel = ShaderModel { major: 6, minor: 2 };

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

    /// The options of code for this target: the source's, unless the device has no 16-bit types.
    pub fn options(self, options: LayoutOptions) -> LayoutOptions {
        match self {
            Self::Newest | Self::Direct3d { sixteen_bit: SixteenBit::On, .. } => options,
            Self::Direct3d { sixteen_bit, .. } => LayoutOptions { sixteen_bit, ..options },
        }
    }
}

/// The toolchain of a compiler that has only one, under the compiler's name.
const fn only_toolchain(name: &'static str, follows: AppliedRules, input: Input, output: ShaderForm) -> Toolchain {
    Toolchain {
        name,
        compiler: name,
        build: None,
        name_in_cases: name,
        follows,
        input,
        output,
        flags: &[],
        text: None,
        lacks: &[],
    }
}

/// A build of a compiler: its name, the one that columns show, and what it lacks.
type Build = (&'static str, Option<&'static str>, &'static [Lack]);

const DXC: Build = ("dxc", None, &[Lack::UntypedBases]);
const DXC_1_9: Build = ("dxc-1.9", Some("1.9"), &[]);
const DXC_LEGACY: Build = ("dxc", Some("legacy order"), &[Lack::UntypedBases]);
const DXC_1_9_LEGACY: Build = ("dxc-1.9", Some("1.9 legacy order"), &[]);
const DXC_DEV: Build = ("dxc-dev", Some("dev"), &[]);
const DXC_OLD: Build = ("dxc-old", Some("old"), &[Lack::UntypedBases, Lack::Addresses]);

const fn dxc(
    (compiler, build, lacks): Build,
    name: &'static str,
    native: &'static str,
    output: ShaderForm,
    flags: &'static [&'static str],
) -> Toolchain {
    let follows = AppliedRules::Native(native);
    let toolchain = only_toolchain(name, follows, Input::Hlsl, output);
    Toolchain { compiler, build, name_in_cases: "dxc", flags, lacks, ..toolchain }
}

/// DXC with the option that makes `Load<T>` and `Store<T>` of byte-address buffers take matrices by rows,
/// whatever their declared order; without it they take columns. Nothing else changes: members of structs
/// keep their offsets, and structured buffers their layout. Under D3D's layout, raw loads also have no
/// padding that rule sets know.
///
/// Source: DXC 1.7.2308 and 1.9.2602, measured; `RawBufferMethods.cpp`, `isBufferColumnMajor`.
const fn dxc_by_rows(build: Build, name: &'static str) -> Toolchain {
    let flags = &["-fvk-use-dx-layout", "-fspv-use-legacy-buffer-matrix-order"];
    let toolchain = dxc(build, name, "native:dxc-spirv-dx", ShaderForm::Spirv, flags);
    Toolchain { follows: AppliedRules::RawLoadsByRows("native:dxc-spirv-dx"), ..toolchain }
}

const fn slangc(
    name: &'static str,
    native: &'static str,
    output: ShaderForm,
    flags: &'static [&'static str],
) -> Toolchain {
    let follows = AppliedRules::Native(native);
    let toolchain = only_toolchain(name, follows, Input::Slang, output);
    Toolchain { compiler: "slangc", name_in_cases: "slang", flags, ..toolchain }
}

/// A compiler from GLSL to SPIR-V.
const fn glsl(name: &'static str, compiler: ShaderCompiler, rules: &'static [&'static str]) -> Toolchain {
    let column = Column::new(ShaderTarget::Vulkan, compiler);
    only_toolchain(name, AppliedRules::Named(rules, column), Input::Glsl, ShaderForm::Spirv)
}

/// A compiler of WGSL.
const fn wgsl(name: &'static str, compiler: ShaderCompiler, target: ShaderTarget, output: ShaderForm) -> Toolchain {
    let follows = AppliedRules::Named(&["wgsl-uniform", "wgsl-storage"], Column::new(target, compiler));
    only_toolchain(name, follows, Input::Wgsl, output)
}

const FXC: Toolchain = only_toolchain("fxc", AppliedRules::Native("native:fxc"), Input::OldHlsl, ShaderForm::Dxbc);

/// slangc for Direct3D: DXC compiles the HLSL that it writes.
const SLANG_D3D12: Toolchain =
    Toolchain { text: Some(Hlsl.by("dxc")), ..slangc("slang-d3d12", "native:slang-d3d12", ShaderForm::Dxil, &[]) };

/// Clang, from HLSL to its IR for Direct3D.
const CLANG: Toolchain = Toolchain {
    compiler: "clang-dxc",
    name_in_cases: "clang-dxc",
    ..only_toolchain("clang-dxil", AppliedRules::Native("native:clang-dxil"), Input::ClangHlsl, ShaderForm::ClangIr)
};

/// A later Clang next to that of the distribution.
const CLANG_23: Toolchain = Toolchain { name: "clang-23-dxil", compiler: "clang-23", build: Some("23"), ..CLANG };

/// The same for Vulkan. It stops at the IR, because the back end of Clang 23.1.4 crashes on 277 of the 342
/// probes that it accepts (at `-O3`; with `ConstantBuffer<T>` at every level), and spirv-val 2026.4 rejects
/// the other 65 for the capability `Addresses`. Their decorations are the offsets of the types in the IR.
/// `-Vd` leaves out a second process, which a Clang in a folder of its own cannot start.
const CLANG_23_VULKAN: Toolchain = Toolchain {
    name: "clang-23-vulkan",
    follows: AppliedRules::Native("native:clang-vulkan"),
    flags: &["-spirv", "-Vd", "-fspv-target-env=vulkan1.3"],
    ..CLANG_23
};

/// The glslang of the distribution: Debian 12 has 12.0.
const GLSLANG: Toolchain = Toolchain {
    lacks: &[Lack::DescriptorHeaps],
    ..glsl("glslang", ShaderCompiler::Glslang, &["std140", "std430", "scalar"])
};

/// The glslang of Debian sid next to that of the distribution.
const GLSLANG_CURRENT: Toolchain = Toolchain {
    build: Some("current"),
    name_in_cases: "glslang",
    ..glsl("glslang-current", ShaderCompiler::Glslang, &["std140", "std430", "scalar"])
};

const NAGA_GLSL: Toolchain = Toolchain {
    lacks: &[Lack::Addresses, Lack::ShaderRecords, Lack::WorkgroupBlocks, Lack::DescriptorHeaps],
    ..glsl("naga-glsl", ShaderCompiler::Naga, &["std140", "std430"])
};

const TINT: Toolchain = wgsl("tint", ShaderCompiler::Tint, ShaderTarget::Webgpu, ShaderForm::Spirv);

/// naga for Direct3D 12, from WGSL: DXC compiles the HLSL that it writes, as in wgpu.
const NAGA_D3D12: Toolchain = Toolchain {
    text: Some(Hlsl.by("dxc")),
    lacks: &[Lack::SingleStructsWithMatrices],
    ..wgsl("naga-d3d12", ShaderCompiler::Naga, ShaderTarget::D3d12, ShaderForm::Dxil)
};

/// A row for each toolchain. `layoutproof-compilers` finds and runs the compilers; it has a driver
/// for each name in the column `compiler`.
const TOOLCHAINS: &[Toolchain] = &[
    FXC,
    dxc(DXC, "dxc-dxil", "native:dxc-dxil", ShaderForm::Dxil, &[]),
    dxc(DXC, "dxc-spirv", "native:dxc-spirv", ShaderForm::Spirv, &[]),
    dxc(DXC, "dxc-spirv-dx", "native:dxc-spirv-dx", ShaderForm::Spirv, &["-fvk-use-dx-layout"]),
    dxc(DXC, "dxc-spirv-gl", "native:dxc-spirv-gl", ShaderForm::Spirv, &["-fvk-use-gl-layout"]),
    dxc(DXC, "dxc-spirv-scalar", "native:dxc-spirv-scalar", ShaderForm::Spirv, &["-fvk-use-scalar-layout"]),
    dxc(DXC_1_9, "dxc-1.9-dxil", "native:dxc-dxil", ShaderForm::Dxil, &[]),
    dxc(DXC_1_9, "dxc-1.9-spirv", "native:dxc-1.9-spirv", ShaderForm::Spirv, &[]),
    dxc(DXC_1_9, "dxc-1.9-spirv-dx", "native:dxc-spirv-dx", ShaderForm::Spirv, &["-fvk-use-dx-layout"]),
    dxc(DXC_1_9, "dxc-1.9-spirv-gl", "native:dxc-spirv-gl", ShaderForm::Spirv, &["-fvk-use-gl-layout"]),
    dxc(DXC_1_9, "dxc-1.9-spirv-scalar", "native:dxc-1.9-spirv-scalar", ShaderForm::Spirv, &["-fvk-use-scalar-layout"]),
    dxc_by_rows(DXC_LEGACY, "dxc-spirv-dx-legacy"),
    dxc_by_rows(DXC_1_9_LEGACY, "dxc-1.9-spirv-dx-legacy"),
    dxc(DXC_DEV, "dxc-dev-dxil", "native:dxc-dxil", ShaderForm::Dxil, &[]),
    dxc(DXC_OLD, "dxc-old-dxil", "native:dxc-dxil", ShaderForm::Dxil, &[]),
    dxc(DXC_OLD, "dxc-old-spirv", "native:dxc-spirv", ShaderForm::Spirv, &[]),
    dxc(DXC_OLD, "dxc-old-spirv-dx", "native:dxc-spirv-dx", ShaderForm::Spirv, &["-fvk-use-dx-layout"]),
    dxc(DXC_OLD, "dxc-old-spirv-gl", "native:dxc-spirv-gl", ShaderForm::Spirv, &["-fvk-use-gl-layout"]),
    dxc(DXC_OLD, "dxc-old-spirv-scalar", "native:dxc-spirv-scalar", ShaderForm::Spirv, &["-fvk-use-scalar-layout"]),
    slangc("slang-vulkan", "native:slang-vulkan", ShaderForm::Spirv, &[]),
    slangc("slang-vulkan-scalar", "native:slang-vulkan-scalar", ShaderForm::Spirv, &["-fvk-use-scalar-layout"]),
    slangc("slang-vulkan-dx", "native:slang-vulkan-dx", ShaderForm::Spirv, &["-fvk-use-dx-layout"]),
    slangc("slang-vulkan-c", "native:slang-vulkan-c", ShaderForm::Spirv, &["-fvk-use-c-layout"]),
    SLANG_D3D12,
    slangc("slang-webgpu", "native:slang-webgpu", ShaderForm::Wgsl, &[]),
    CLANG,
    CLANG_23,
    CLANG_23_VULKAN,
    GLSLANG,
    GLSLANG_CURRENT,
    NAGA_GLSL,
    TINT,
    NAGA_D3D12,
];

pub fn toolchains() -> &'static [Toolchain] {
    TOOLCHAINS
}

/// A translator from SPIR-V, under the name of its output or option.
const fn translator(
    name: &'static str,
    compiler: &'static str,
    output: ShaderForm,
    flags: &'static [&'static str],
    text: Option<Text>,
) -> Toolchain {
    let toolchain = only_toolchain(name, AppliedRules::Decorations, Input::Spirv, output);
    Toolchain { compiler, name_in_cases: compiler, flags, text, ..toolchain }
}

const fn naga_to(name: &'static str, output: ShaderForm, text: Text) -> Toolchain {
    translator(name, "naga", output, &[], Some(text))
}

const fn spirv_cross(name: &'static str, output: ShaderForm, flags: &'static [&'static str], text: Text) -> Toolchain {
    translator(name, "spirv-cross", output, flags, Some(text))
}

/// SPIRV-Cross 1.4.357 ends without an answer at matrices by rows.
const fn spirv_cross_msl(name: &'static str, flags: &'static [&'static str]) -> Toolchain {
    let toolchain = spirv_cross(name, ShaderForm::ClangIr, flags, Msl.by("clang-dxc"));
    Toolchain { lacks: &[Lack::MatricesByRows], ..toolchain }
}

const fn spirv_opt(name: &'static str, flags: &'static [&'static str]) -> Toolchain {
    translator(name, "spirv-opt", ShaderForm::Spirv, flags, None)
}

/// A compiler of declarations that goes through a text. `build` names the text in columns.
const fn through(toolchain: Toolchain, build: &'static str, text: Text) -> Toolchain {
    Toolchain { build: Some(build), text: Some(text), ..toolchain }
}

const TO_GLSL: &[&str] = &["--vulkan-semantics"];
const TO_ESSL: &[&str] = &["--vulkan-semantics", "--es", "--version", "310"];
const TO_HLSL: &[&str] = &["--hlsl", "--shader-model", "62", "--hlsl-enable-16bit-types"];
const TO_STRUCTURED: &[&str] =
    &["--hlsl", "--shader-model", "62", "--hlsl-enable-16bit-types", "--hlsl-preserve-structured-buffers"];
const TO_FLAT_HLSL: &[&str] = &["--hlsl", "--shader-model", "62", "--hlsl-enable-16bit-types", "--flatten-ubo"];
/// For glslang's front end, which has no `Load<T>`.
const TO_OLD_HLSL: &[&str] = &["--hlsl", "--shader-model", "51"];

/// Buffers keep the numbers of their bindings.
/// Arrays that are copied are not in a template that needs Metal's address spaces, which Clang does not have.
const TO_MSL: &[&str] = &["--msl", "--msl-version", "30100", "--msl-decoration-binding", "--msl-force-native-arrays"];
const TO_MSL_1_2: &[&str] =
    &["--msl", "--msl-version", "10200", "--msl-decoration-binding", "--msl-force-native-arrays"];
const TO_MSL_IOS: &[&str] =
    &["--msl", "--msl-ios", "--msl-version", "20100", "--msl-decoration-binding", "--msl-force-native-arrays"];
const TO_ARGUMENT_BUFFERS: &[&str] = &[
    "--msl",
    "--msl-version",
    "30100",
    "--msl-decoration-binding",
    "--msl-force-native-arrays",
    "--msl-argument-buffers",
];

/// A row for each translator with its output or option, and for each compiler whose text takes a way of its own to code.
/// Only `run --through` uses them, so they are no columns of tables. Translators read the SPIR-V that we write with given
/// offsets, and are producers of every rule set.
const TRANSLATORS: &[Toolchain] = &[
    translator("naga:wgsl", "naga", ShaderForm::Wgsl, &[], None),
    naga_to("naga:wgsl:tint", ShaderForm::Spirv, Wgsl.by("tint")),
    naga_to("naga:glsl", ShaderForm::Spirv, Glsl.by("glslang")),
    Toolchain { lacks: &[Lack::SingleStructsWithMatrices], ..naga_to("naga:hlsl", ShaderForm::Dxil, Hlsl.by("dxc")) },
    naga_to("naga:msl", ShaderForm::ClangIr, Msl.by("clang-dxc")),
    spirv_cross("spirv-cross:glsl", ShaderForm::Spirv, TO_GLSL, Glsl.by("glslang")),
    spirv_cross("spirv-cross:essl", ShaderForm::Spirv, TO_ESSL, Glsl.by("glslang")),
    spirv_cross("spirv-cross:hlsl", ShaderForm::Dxil, TO_HLSL, Hlsl.by("dxc")),
    spirv_cross("spirv-cross:hlsl:structured", ShaderForm::Dxil, TO_STRUCTURED, Hlsl.by("dxc")),
    Toolchain {
        lacks: &[Lack::CrossingVectors],
        ..spirv_cross("spirv-cross:hlsl:flat", ShaderForm::Dxil, TO_FLAT_HLSL, Hlsl.by("dxc"))
    },
    spirv_cross("spirv-cross:hlsl:dxc-spirv", ShaderForm::Spirv, TO_HLSL, Hlsl.by("dxc")),
    spirv_cross("spirv-cross:hlsl:slangc", ShaderForm::Spirv, TO_HLSL, Hlsl.by("slangc")),
    spirv_cross("spirv-cross:hlsl:glslang", ShaderForm::Spirv, TO_OLD_HLSL, Hlsl.by("glslang")),
    spirv_cross_msl("spirv-cross:msl", TO_MSL),
    spirv_cross_msl("spirv-cross:msl:1.2", TO_MSL_1_2),
    spirv_cross_msl("spirv-cross:msl:ios", TO_MSL_IOS),
    spirv_cross_msl("spirv-cross:msl:arguments", TO_ARGUMENT_BUFFERS),
    spirv_opt("spirv-opt:O", &["-O"]),
    spirv_opt("spirv-opt:Os", &["-Os"]),
    spirv_opt("spirv-opt:scalars", &["--scalar-replacement=0"]),
    spirv_opt("spirv-opt:dead-members", &["--eliminate-dead-members"]),
    spirv_opt("spirv-opt:robust", &["--graphics-robust-access"]),
    spirv_opt("spirv-opt:hlsl", &["--legalize-hlsl"]),
    spirv_opt("spirv-opt:split", &["--split-combined-image-sampler"]),
    spirv_opt("spirv-opt:resolve", &["--split-combined-image-sampler", "--resolve-binding-conflicts"]),
    Toolchain { follows: AppliedRules::Packing, ..spirv_opt("spirv-opt:packing", &[]) },
    through(slangc("slangc:glsl", "native:slang-vulkan", ShaderForm::Spirv, &[]), "GLSL", Glsl.by("glslang")),
    through(slangc("slangc:msl", "native:slang-metal", ShaderForm::ClangIr, &[]), "MSL", Msl.by("clang-dxc")),
    through(Toolchain { name: "tint:glsl", ..TINT }, "GLSL", Glsl.by("glslang")),
];

/// The rule sets of the modules that translators read in a run of cases that names none. Translators see offsets, not
/// rules, and these four give all kinds: strides of 16, natural strides, no padding, and vectors that fill registers.
pub const RULES_TO_TRANSLATE: [&str; 4] = ["std140", "std430", "scalar", "hlsl-cbuffer"];

pub fn translators() -> &'static [Toolchain] {
    TRANSLATORS
}

impl Toolchain {
    /// The language that it reads; `None` for a translator.
    pub fn language(&self) -> Option<ShaderLanguage> {
        self.input.language()
    }

    /// True for its name, and for that of its compiler.
    pub fn is_named(&self, word: &str) -> bool {
        [self.name, self.compiler].contains(&word)
    }

    /// True if it reads modules with given offsets, and not declarations.
    pub fn reads_modules(&self) -> bool {
        self.input == Input::Spirv
    }

    /// True for the rows of `run --through`.
    pub fn is_translator(&self) -> bool {
        translators().contains(self)
    }

    /// The compiler of its text.
    pub fn second_compiler(&self) -> Option<&'static str> {
        self.text.map(|text| text.compiler)
    }

    /// The language of the text that it writes for another compiler.
    pub fn text_language(&self) -> Option<TextLanguage> {
        self.text.map(|text| text.language)
    }

    pub fn has(&self, part: Lack) -> bool {
        !self.lacks.contains(&part)
    }

    /// The column in which people look for it; `None` for translators alone.
    pub fn column(&self) -> Option<Column<'static>> {
        let column = match self.follows {
            AppliedRules::Native(name) | AppliedRules::RawLoadsByRows(name) => find_native(name)?.column,
            AppliedRules::Named(_, column) => column,
            AppliedRules::Decorations | AppliedRules::Packing => return None,
        };
        Some(Column { version: self.build, ..column })
    }

    /// The target with its layout option as people type them: `d3d12`, `vulkan`, `vulkan/scalar`.
    pub fn target(&self) -> String {
        self.column().map_or_else(|| self.output.to_string(), |column| column.choice().to_string())
    }

    /// The rule sets that the compiler uses for `block`.
    ///
    /// # Panics
    /// Never: each name in the table is a row of another table, which a test checks.
    pub fn rules_for(&self, block: &Block) -> Vec<&'static RuleSet> {
        match self.follows {
            AppliedRules::Native(name) => {
                let native = find_native(name).expect("each toolchain names a row of the natives, which a test checks");
                native.rules(block).into_iter().collect()
            }
            AppliedRules::RawLoadsByRows(_) | AppliedRules::Decorations | AppliedRules::Packing => Vec::new(),
            AppliedRules::Named(names, _) => names.iter().filter_map(|name| find(name)).collect(),
        }
    }

    /// The toolchain, followed by the rule set if the source names it.
    pub fn option(&self, rules: &str) -> String {
        match self.follows {
            AppliedRules::Native(_) | AppliedRules::RawLoadsByRows(_) => self.to_string(),
            AppliedRules::Named(..) | AppliedRules::Decorations | AppliedRules::Packing => format!("{self}-{rules}"),
        }
    }

    /// The rule set that the compiler uses for the elements of `block` in a byte-address buffer;
    /// `None` if it has no such loads.
    ///
    /// # Panics
    /// Never, as [`Self::rules_for`].
    pub fn byte_address_rules(&self, block: &Block) -> Option<&'static RuleSet> {
        let name = match self.follows {
            AppliedRules::Native(name) => name,
            AppliedRules::RawLoadsByRows(name) if block.element.has_matrix() => name,
            AppliedRules::RawLoadsByRows(_)
            | AppliedRules::Named(..)
            | AppliedRules::Decorations
            | AppliedRules::Packing => return None,
        };
        let native = find_native(name).expect("each toolchain names a row of the natives, which a test checks");
        native.byte_address_rules(block)
    }

    /// True if loads from byte-address buffers take every matrix by rows.
    pub fn loads_matrices_by_rows(&self) -> bool {
        matches!(self.follows, AppliedRules::RawLoadsByRows(_))
    }

    /// True if the compiler uses the rule set with this name for the elements of `block` in a
    /// byte-address buffer.
    pub fn follows_by_address(&self, rules: &str, block: &Block) -> bool {
        self.byte_address_rules(block).is_some_and(|own| own.name == rules)
    }

    /// True if the compiler uses the rule set with this name for `block`.
    pub fn follows(&self, rules: &str, block: &Block) -> bool {
        self.rules_for(block).iter().any(|own| own.name == rules)
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The profile to request from a compiler that writes HLSL for another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceProfile<'a> {
    /// The newest profile of our probes.
    #[default]
    Newest,
    /// None: the compiler uses its default.
    Unnamed,
    /// This one: `sm_5_0`.
    Named(&'a str),
}

impl<'a> SourceProfile<'a> {
    /// The profile that a case names; [`Self::Unnamed`] if it names none.
    pub fn of_case(profile: Option<&'a str>) -> Self {
        profile.map_or(Self::Unnamed, Self::Named)
    }
}

#[derive(Clone, Debug)]
pub struct CompileRequest<'a> {
    pub toolchain: &'static Toolchain,
    /// A name for people and folders: case, toolchain and block, separated by `/`.
    pub name: &'a str,
    pub source: SourceText,
    /// The module for a translator; empty for other compilers.
    pub words: &'a [u32],
    pub entry: &'a str,
    /// The stage of the entry point. Compilers other than DXC and slangc compile only compute
    /// shaders here.
    pub stage: Stage,
    /// True if the source has blocks in workgroup memory.
    pub has_workgroup_blocks: bool,
    /// Matrix order and 16-bit types.
    pub options: LayoutOptions,
    pub target: CodeTarget,
    /// The profile for slangc; its registers depend on it.
    pub profile: SourceProfile<'a>,
    /// The source's own arguments. If they conflict with ours (profile, stage), they win.
    pub extra: Vec<String>,
}

impl CompileRequest<'_> {
    /// The compute shader `main` of a text, with default options.
    pub fn of_text(toolchain: &'static Toolchain, text: &str) -> Self {
        Self {
            toolchain,
            name: "main",
            source: SourceText { text: text.to_owned(), ..SourceText::default() },
            words: &[],
            entry: "main",
            stage: Stage::Compute,
            has_workgroup_blocks: false,
            options: LayoutOptions::default(),
            target: CodeTarget::Newest,
            profile: SourceProfile::Newest,
            extra: Vec::new(),
        }
    }

    /// The compiler's input: the text, or the module.
    pub fn input(&self) -> Vec<u8> {
        if self.toolchain.reads_modules() { word_bytes(self.words) } else { self.source.text.clone().into_bytes() }
    }

    /// Returns true if the code needs SPIR-V 1.4, as ray tracing and blocks in workgroup memory do.
    pub fn needs_spirv_1_4(&self) -> bool {
        self.has_workgroup_blocks || self.stage.is_traced()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CompiledShader {
    pub shader: Shader,
    /// The code as a container for Direct3D, if it is for that API; `shader` is then its readable
    /// form.
    pub container: Option<Vec<u8>>,
    pub report: Report,
}

/// A compiler's report in addition to its code: the reported witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Nothing: decorations or types in the code determine where members are.
    None,
    /// The listing of DXIL.
    Listing(String),
    FxcListing(String),
    SlangJson(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum CompileOutcome {
    Compiled(CompiledShader),
    /// The compiler rejected the source, with this message.
    Rejected(String),
    /// The compiler crashed, timed out or produced output that could not be parsed; the reason in one sentence.
    Failed(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerOrigin {
    #[default]
    Asked,
    /// The cache has it from an earlier run with the same input, or has the part of one of two
    /// compilers.
    Cached,
}

impl AnswerOrigin {
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Asked, Self::Asked) => Self::Asked,
            (Self::Cached, _) | (_, Self::Cached) => Self::Cached,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Compilation {
    pub outcome: CompileOutcome,
    /// A new run of the compiler, or the cache.
    pub origin: AnswerOrigin,
}

impl From<CompileOutcome> for Compilation {
    /// The result of a compiler that ran.
    fn from(outcome: CompileOutcome) -> Self {
        Self { outcome, origin: AnswerOrigin::Asked }
    }
}

/// The compilers of this machine, which `layoutproof-compilers` starts as processes or loads as
/// libraries.
pub trait Compilers: fmt::Debug + Sync {
    fn has(&self, toolchain: &Toolchain) -> bool;

    /// The version that the compiler of this toolchain prints; `None` if it is not installed.
    fn version(&self, toolchain: &Toolchain) -> Option<&str>;

    /// Compiles one source. May be called from many threads at once.
    fn compile(&self, request: &CompileRequest<'_>) -> Compilation;

    /// The reader for compiled modules that only third-party code can parse.
    fn reader(&self) -> &dyn ModuleReader;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_toolchain_has_rule_sets_and_a_name_of_its_own() {
        let all = || toolchains().iter().chain(translators());
        let mut names: Vec<&str> = all().map(|toolchain| toolchain.name).collect();
        assert!(all().all(|toolchain| match toolchain.follows {
            AppliedRules::Native(native) | AppliedRules::RawLoadsByRows(native) => find_native(native).is_some(),
            AppliedRules::Named(rules, _) => rules.iter().all(|name| find(name).is_some()),
            AppliedRules::Decorations | AppliedRules::Packing => toolchain.reads_modules(),
        }));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), toolchains().len() + translators().len());
    }

    #[test]
    fn every_toolchain_belongs_to_a_column() {
        let title = |name: &str| {
            let toolchain = toolchains().iter().find(|toolchain| toolchain.name == name).unwrap();
            toolchain.column().unwrap().to_string()
        };
        assert!(toolchains().iter().all(|toolchain| toolchain.column().is_some()));
        for (name, expected) in [
            ("dxc-dxil", "D3D12 · DXC"),
            ("dxc-1.9-spirv-scalar", "Vulkan · DXC 1.9 (scalar)"),
            ("dxc-1.9-spirv-dx-legacy", "Vulkan · DXC 1.9 legacy order (dx)"),
            ("dxc-old-dxil", "D3D12 · DXC old"),
            ("slang-vulkan-c", "Vulkan · Slang (c)"),
            ("clang-dxil", "D3D12 · Clang"),
            ("clang-23-dxil", "D3D12 · Clang 23"),
            ("clang-23-vulkan", "Vulkan · Clang 23"),
            ("glslang-current", "Vulkan · glslang current"),
            ("naga-d3d12", "D3D12 · naga"),
            ("tint", "WebGPU · Tint"),
        ] {
            assert_eq!(title(name), expected);
        }
    }
}
