//! Which rule sets `layoutproof show` takes: those that the user names, or what the input's language suggests.

use anyhow::{Context, bail};
use layoutproof_layout::native::{Native, find_native, natives};
use layoutproof_layout::{Block, RuleSet};

use crate::args::ShaderLanguage;
use crate::commands::show::args::{ShowArgs, ShowFormat};
use crate::select::inputs::InputWord;
use crate::select::rule_set::rule_set;
use crate::select::shader_file::explicit_layouts::check_rules;

/// The rule sets that the assert formats take for HLSL files: those of the compiler and target that need no flag.
const HLSL: &str = "native:dxc-dxil";

/// Rule sets for all blocks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ShownRules {
    /// Every bare one; a block that one of them forbids is shown as forbidden. Modules that say their own offsets have
    /// them under `declared` alone.
    Bare,
    /// These.
    Rules(Vec<&'static RuleSet>),
    /// For each block the one that this compiler takes by itself.
    Native(&'static Native),
}

impl ShownRules {
    /// The rule sets that the arguments name.
    ///
    /// # Errors
    /// Unknown names, and for the assert formats several rule sets or none where no language suggests one.
    pub(crate) fn of(args: &ShowArgs) -> anyhow::Result<Self> {
        let (one, chosen) = match args.format {
            ShowFormat::Text | ShowFormat::Json => (false, false),
            ShowFormat::RustAsserts | ShowFormat::CppAsserts => (true, true),
            ShowFormat::Llvm | ShowFormat::LlvmLayout => (false, true),
        };

        if chosen && args.padding {
            bail!("--padding goes with the formats text and json: host structs and LLVM types have padding as fields");
        }
        if let InputWord::LaidOut(path) = InputWord::of(&args.input, args.declare.lang) {
            check_rules(&path, &args.rules)?;
            return Ok(Self::Bare);
        }

        match args.rules.as_slice() {
            [] if chosen => Self::suggested(&args.input, args.declare.lang),
            [] => Ok(Self::Bare),
            [name] if name.starts_with("native:") => Ok(Self::Native(native(name)?)),
            [_, _, ..] if one => bail!("host structs are written for one rule set: name one with --rules"),
            names => Ok(Self::Rules(names.iter().map(|name| rule_set(name)).collect::<anyhow::Result<_>>()?)),
        }
    }

    fn suggested(input: &str, named: Option<ShaderLanguage>) -> anyhow::Result<Self> {
        match InputWord::of(input, named) {
            InputWord::Declarations(path) if ShaderLanguage::of(named, &path) == Some(ShaderLanguage::Hlsl) => {
                Ok(Self::Native(native(HLSL)?))
            }
            InputWord::Declarations(_) | InputWord::LaidOut(_) | InputWord::CaseFile(_) | InputWord::Filter(_) => {
                bail!("{input}: the layout depends on the target: name a rule set with --rules (std140, {HLSL}, ...)")
            }
        }
    }
}

fn native(name: &str) -> anyhow::Result<&'static Native> {
    let known = || natives().iter().map(|native| native.name).collect::<Vec<_>>().join(", ");
    find_native(name).with_context(|| format!("unknown compiler `{name}`; known are {}", known()))
}

/// The rule set that `native` takes for a block.
///
/// # Errors
/// A sentence where the compiler has no such block.
pub(crate) fn native_rules(native: &Native, block: &Block) -> anyhow::Result<&'static RuleSet> {
    native.rules(block).with_context(|| {
        format!("{} has no layout for {} `{}`: name a rule set with --rules", native.name, block.kind, block.name)
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::command_line::{Cli, Command};

    fn shown_rules(words: &str) -> Result<String, String> {
        let cli = Cli::parse_from(["layoutproof", "show"].into_iter().chain(words.split(' ')));
        let Command::Show(args) = cli.command else { panic!("{words} is not about show") };
        match ShownRules::of(&args) {
            Ok(ShownRules::Bare) => Ok("bare".to_owned()),
            Ok(ShownRules::Rules(rules)) => Ok(rules.iter().map(|rules| rules.name).collect::<Vec<_>>().join(" ")),
            Ok(ShownRules::Native(native)) => Ok(native.name.to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn one_rule_set_is_named_or_suggested_by_the_language() {
        for (words, expected) in [
            ("a.hlsl", "bare"),
            ("a.hlsl --rules std140,std430", "std140 std430"),
            ("a.hlsl --rules native:slang-vulkan", "native:slang-vulkan"),
            ("a.hlsl --format rust-asserts", "native:dxc-dxil"),
            ("a.slang --format cpp-asserts --rules scalar@slang", "scalar@slang"),
            ("a.wgsl --format cpp-asserts", "bare"),
            ("a.spv --rules declared", "bare"),
            ("a.hlsl --format llvm", "native:dxc-dxil"),
            ("a.hlsl --format llvm-layout --rules std140,std430", "std140 std430"),
        ] {
            assert_eq!(shown_rules(words).as_deref(), Ok(expected), "{words}");
        }
    }

    #[test]
    fn what_cannot_be_chosen_is_an_error() {
        for (words, expected) in [
            ("a.slang --format rust-asserts", "name a rule set with --rules"),
            ("arrays/x --format rust-asserts", "name a rule set with --rules"),
            ("a.hlsl --format rust-asserts --rules std140,std430", "written for one rule set"),
            ("a.hlsl --rules native:gcc", "unknown compiler `native:gcc`"),
            ("a.hlsl --rules std14", "unknown rule set `std14`"),
            ("a.hlsl --rules declared", "`declared` is what .spv, .wgsl and .glsl files say themselves"),
            ("a.wgsl --rules declared,std140", "a.wgsl says its own offsets"),
            ("a.hlsl --format cpp-asserts --padding", "--padding goes with the formats text and json"),
        ] {
            let error = shown_rules(words).unwrap_err();
            assert!(error.contains(expected), "{words}: {error}");
        }
    }
}
