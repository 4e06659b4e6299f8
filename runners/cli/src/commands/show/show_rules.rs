//! Which rule sets `layoutproof show` takes: those that the user names, or what the input's language suggests.

use anyhow::bail;
use layoutproof_layout::native::{Native, find_native, natives};
use layoutproof_layout::{Block, RuleSet};

use crate::args::ShaderLanguage;
use crate::commands::show::args::{ShowArgs, ShowFormat};
use crate::select::inputs::InputWord;
use crate::select::rule_set::{RuleChoice, rule_choices};
use crate::select::shader_file::explicit_layouts::check_rules;

/// The rule sets that the assert formats take for HLSL files: those of the compiler and target that need no flag.
const HLSL: &str = "native:dxc-dxil";

/// Rule sets for all blocks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ShownRules {
    /// The targets that programs in the input's language ship for; modules that say their own offsets have them under
    /// `declared` alone.
    Shipping,
    /// What ships as the project says, under the names that targets have; a block that a compiler lacks is left out of its
    /// column.
    OfProject(Vec<RuleChoice>),
    /// Every bare one; a block that one of them forbids is shown as forbidden.
    Bare,
    /// Of the bare ones those that some compiler takes for such a block.
    Relevant,
    /// These.
    Named(Vec<RuleChoice>),
}

impl ShownRules {
    /// The rule sets that the arguments name for one input.
    ///
    /// # Errors
    /// Unknown names, and for the assert formats several rule sets or none where no language suggests one.
    pub(crate) fn of(args: &ShowArgs, input: &str) -> anyhow::Result<Self> {
        let (one, chosen) = match args.format {
            ShowFormat::Text | ShowFormat::Json | ShowFormat::Html | ShowFormat::Svg => (false, false),
            ShowFormat::RustAsserts | ShowFormat::CppAsserts | ShowFormat::CAsserts => (true, true),
            ShowFormat::Llvm | ShowFormat::LlvmLayout => (false, true),
        };

        if args.padding && matches!(args.format, ShowFormat::Html | ShowFormat::Svg) {
            bail!("--padding goes with the formats text and json: byte maps show padding by themselves");
        }
        if chosen && args.padding {
            bail!("--padding goes with the formats text and json: host structs and LLVM types have padding as fields");
        }
        if let InputWord::LaidOut(path) = InputWord::of(input, args.declare.lang) {
            check_rules(&path, &args.rules)?;
            return Ok(Self::Shipping);
        }

        let choices = rule_choices(&args.rules)?;
        match (choices.as_slice(), args.format) {
            ([], _) if chosen => Self::suggested(input, args.declare.lang),
            ([], ShowFormat::Json) => Ok(Self::Bare),
            ([], _) if args.all => Ok(Self::Relevant),
            ([], _) => Ok(Self::Shipping),
            ([_, _, ..], _) if one => bail!("host structs are written for one rule set: name one with --rules"),
            ([_, ..], _) => Ok(Self::Named(choices)),
        }
    }

    fn suggested(input: &str, named: Option<ShaderLanguage>) -> anyhow::Result<Self> {
        match InputWord::of(input, named) {
            InputWord::Declarations(path) if ShaderLanguage::of(named, &path) == Some(ShaderLanguage::Hlsl) => {
                Ok(Self::Named(find_native(HLSL).map(RuleChoice::Native).into_iter().collect()))
            }
            InputWord::Declarations(_) | InputWord::LaidOut(_) | InputWord::CaseFile(_) | InputWord::Filter(_) => {
                bail!("{input}: the layout depends on the target: name a rule set with --rules (std140, {HLSL}, ...)")
            }
        }
    }
}

/// True if some compiler takes this rule set, or a dialect of it, for such a block.
pub(crate) fn is_relevant(rules: &RuleSet, block: &Block) -> bool {
    let bare = |name: &'static str| name.split_once('@').map_or(name, |(bare, _)| bare);
    let takes = |native: &Native| native.rules(block).is_some_and(|taken| bare(taken.name) == rules.name);
    natives().iter().any(takes)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use layoutproof_layout::{BlockKind, Scalar, Type, find};

    use super::*;
    use crate::command_line::{Cli, Command};

    fn shown_rules(words: &str) -> Result<String, String> {
        let cli = Cli::parse_from(["layoutproof", "show"].into_iter().chain(words.split(' ')));
        let Command::Show(args) = cli.command else { panic!("{words} is not about show") };
        match ShownRules::of(&args, &args.inputs[0]) {
            Ok(ShownRules::Shipping) => Ok("shipping".to_owned()),
            Ok(ShownRules::OfProject(_)) => Ok("of the project".to_owned()),
            Ok(ShownRules::Bare) => Ok("bare".to_owned()),
            Ok(ShownRules::Relevant) => Ok("relevant".to_owned()),
            Ok(ShownRules::Named(choices)) => {
                Ok(choices.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(" "))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn one_rule_set_is_named_or_suggested_by_the_language() {
        for (words, expected) in [
            ("a.hlsl", "shipping"),
            ("a.hlsl --all", "relevant"),
            ("a.hlsl --format json", "bare"),
            ("a.hlsl --rules std140,std430", "std140 std430"),
            ("a.hlsl --rules native:slang-vulkan,native:dxc-dxil", "native:slang-vulkan native:dxc-dxil"),
            ("a.hlsl --rules dx-*", "dx-cbuffer dx-structured"),
            ("a.hlsl --format rust-asserts", "native:dxc-dxil"),
            ("a.slang --format cpp-asserts --rules scalar@slang", "scalar@slang"),
            ("a.wgsl --format cpp-asserts", "shipping"),
            ("a.spv --rules declared", "shipping"),
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
            ("a.hlsl --rules std14", "unknown rule set `std14`: did you mean `std140`?"),
            ("a.hlsl --rules declared", "`declared` is what .spv, .wgsl and .glsl files say themselves"),
            ("a.wgsl --rules declared,std140", "a.wgsl says its own offsets"),
            ("a.hlsl --format cpp-asserts --padding", "--padding goes with the formats text and json"),
        ] {
            let error = shown_rules(words).unwrap_err();
            assert!(error.contains(expected), "{words}: {error}");
        }
    }

    #[test]
    fn a_structured_buffer_has_nothing_to_do_with_constant_registers() {
        let block = |kind| Block::new("b", kind, Type::Scalar(Scalar::Float32));
        let relevant = |name: &str, kind| is_relevant(find(name).unwrap(), &block(kind));
        assert!(relevant("hlsl-cbuffer", BlockKind::Cbuffer) && relevant("std430", BlockKind::StructuredElement));
        assert!(!relevant("hlsl-cbuffer", BlockKind::StructuredElement));
        assert!(!relevant("hlsl-structured", BlockKind::Cbuffer));
    }
}
