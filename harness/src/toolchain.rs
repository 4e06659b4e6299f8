//! Compilers with a target and a layout option, what they are asked, and what they answer.
//!
//! A [`Toolchain`] names a compiler, the language that it is fed and what comes out. Which rule set it takes for which
//! block is [`Native`]'s business. Everything that starts a process is behind [`Compile`], so this crate stays pure.

use std::fmt;

use crate::layout::LayoutOptions;
use crate::layout::native::{Native, find_native};
use crate::module::Block;
use crate::runner::Shader;

/// A compiler, a target and a layout option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Toolchain {
    /// Name in trial names and on the command line: `dxc-spirv-dx`.
    pub name: &'static str,
    /// The compiler's own name, under which several toolchains go: `dxc`.
    pub compiler: &'static str,
    /// The row of [`Native`] that says which rule set goes with which block.
    pub native: &'static str,
    /// What the compiler reads.
    pub language: Language,
    /// What comes out.
    pub output: Output,
    /// The layout option as it stands on the command line.
    pub flags: &'static [&'static str],
}

/// What a compiler reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// HLSL as DXC and Clang read it.
    Hlsl,
    /// Slang.
    Slang,
}

/// What comes out of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Output {
    /// DXIL, which the evaluator executes.
    Dxil,
    /// SPIR-V.
    Spirv,
}

/// DXC, from HLSL.
const fn dxc(
    (name, compiler): (&'static str, &'static str),
    native: &'static str,
    output: Output,
    flags: &'static [&'static str],
) -> Toolchain {
    Toolchain { name, compiler, native, language: Language::Hlsl, output, flags }
}

/// slangc, to SPIR-V.
const fn slangc(name: &'static str, native: &'static str, flags: &'static [&'static str]) -> Toolchain {
    Toolchain { name, compiler: "slangc", native, language: Language::Slang, output: Output::Spirv, flags }
}

const TOOLCHAINS: &[Toolchain] = &[
    dxc(("dxc-dxil", "dxc"), "native:dxc-dxil", Output::Dxil, &[]),
    dxc(("dxc-spirv", "dxc"), "native:dxc-spirv", Output::Spirv, &[]),
    dxc(("dxc-spirv-dx", "dxc"), "native:dxc-spirv-dx", Output::Spirv, &["-fvk-use-dx-layout"]),
    dxc(("dxc-spirv-gl", "dxc"), "native:dxc-spirv-gl", Output::Spirv, &["-fvk-use-gl-layout"]),
    dxc(("dxc-spirv-scalar", "dxc"), "native:dxc-spirv-scalar", Output::Spirv, &["-fvk-use-scalar-layout"]),
    dxc(("dxc-old-dxil", "dxc-old"), "native:dxc-dxil", Output::Dxil, &[]),
    dxc(("dxc-old-spirv", "dxc-old"), "native:dxc-spirv", Output::Spirv, &[]),
    dxc(("dxc-old-spirv-dx", "dxc-old"), "native:dxc-spirv-dx", Output::Spirv, &["-fvk-use-dx-layout"]),
    dxc(("dxc-old-spirv-gl", "dxc-old"), "native:dxc-spirv-gl", Output::Spirv, &["-fvk-use-gl-layout"]),
    dxc(("dxc-old-spirv-scalar", "dxc-old"), "native:dxc-spirv-scalar", Output::Spirv, &["-fvk-use-scalar-layout"]),
    slangc("slang-vulkan", "native:slang-vulkan", &[]),
    slangc("slang-vulkan-scalar", "native:slang-vulkan-scalar", &["-fvk-use-scalar-layout"]),
    slangc("slang-vulkan-dx", "native:slang-vulkan-dx", &["-fvk-use-dx-layout"]),
    slangc("slang-vulkan-c", "native:slang-vulkan-c", &["-fvk-use-c-layout"]),
];

/// All of them, in the order in which they are listed.
pub fn toolchains() -> &'static [Toolchain] {
    TOOLCHAINS
}

impl Toolchain {
    /// The rule sets that the compiler takes by itself.
    pub fn rules(&self) -> &'static Native {
        find_native(self.native).expect("each row names a row of the other table, which a test checks")
    }

    /// Whether the compiler takes the rule set of this name for `block`.
    pub fn follows(&self, rules: &str, block: &Block) -> bool {
        self.rules().rules(block).is_some_and(|own| own.name == rules)
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
    /// Arguments of the source's own. Where they say what ours say too (profile, stage), they win.
    pub extra: Vec<String>,
}

/// What a compiler made.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The code.
    pub shader: Shader,
    /// What the compiler reports beside it.
    pub report: Report,
}

/// What a compiler reports beside its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Nothing; decorations in the code say where members are.
    None,
    /// The listing of DXIL.
    Listing(String),
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

    /// Compiles; asked from many threads at once.
    fn compile(&self, request: &CompileRequest<'_>) -> Compilation;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_toolchain_has_rule_sets_and_a_name_of_its_own() {
        let mut names: Vec<&str> = toolchains().iter().map(|toolchain| toolchain.name).collect();
        assert!(toolchains().iter().all(|toolchain| find_native(toolchain.native).is_some()));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), toolchains().len());
    }
}
