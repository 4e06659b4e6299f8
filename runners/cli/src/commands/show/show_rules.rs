//! Selects the rule sets for `layoutproof show`: the user's, or the usual ones for the input's
//! language.

use anyhow::bail;

use layoutproof_inputs::inputs::InputWord;
use layoutproof_inputs::rule_set::rule_choices;
use layoutproof_layout::RuleChoice;
use layoutproof_layout::native::find_native;
use layoutproof_show::ShownRules;
use layoutproof_source::shader_language::ShaderLanguage;

use crate::commands::show::args::ShowArgs;
use crate::commands::show::formats::FormatKind;

/// The default of the assert formats for HLSL files: the compiler and target that need no flag.
const HLSL: &str = "native:dxc-dxil";

/// The rule sets that the arguments select for one input.
pub(crate) fn shown_rules(args: &ShowArgs, input: &str) -> anyhow::Result<ShownRules> {
    let kind = args.format.kind;
    if args.padding && kind == FormatKind::Drawing {
        bail!("--padding goes with the formats text and json: byte maps show padding by themselves");
    }
    if args.padding && kind.is_program_file() {
        bail!("--padding goes with the formats text and json: host structs and LLVM types have padding as fields");
    }
    if let InputWord::Shader(file) = InputWord::of(input, args.declare.lang)
        && file.fixes_offsets()
    {
        file.check_rules(&args.rules)?;
        return Ok(ShownRules::Shipping);
    }

    let choices = rule_choices(&args.rules)?;
    match (choices.as_slice(), kind) {
        // The columns of the targets take their place.
        ([], FormatKind::HostStructs | FormatKind::LlvmTypes) if args.placement.selects_columns() => {
            Ok(ShownRules::Shipping)
        }
        ([], FormatKind::HostStructs | FormatKind::LlvmTypes) => suggested(input, args.declare.lang),
        ([], FormatKind::Data) => Ok(ShownRules::Bare),
        ([], FormatKind::Tables | FormatKind::Drawing) if args.all => Ok(ShownRules::Relevant),
        ([], FormatKind::Tables | FormatKind::Drawing) => Ok(ShownRules::Shipping),
        ([_, _, ..], FormatKind::HostStructs) => {
            bail!("host structs are written for one rule set: name one with --rules")
        }
        ([_, ..], _) => Ok(ShownRules::Named(choices)),
    }
}

/// The columns of the targets and compilers that the user names.
pub(crate) fn selected_columns(args: &ShowArgs, language: ShaderLanguage) -> anyhow::Result<ShownRules> {
    let choices = args.placement.column_choices(Some(language))?;
    match (choices.as_slice(), args.format.kind) {
        // As in earlier versions, a program that asks about one target gets its bindings alone.
        (_, FormatKind::Data) if args.placement.is_one_plain_target() && args.declare.args.is_none() => {
            Ok(ShownRules::Bare)
        }
        ([_, _, ..], FormatKind::HostStructs) => {
            bail!("host structs are written for one target: name one with --target")
        }
        (_, FormatKind::HostStructs | FormatKind::LlvmTypes) => {
            Ok(ShownRules::Named(choices.into_iter().map(|column| column.choice).collect()))
        }
        (_, FormatKind::Tables | FormatKind::Data | FormatKind::Drawing) => Ok(ShownRules::Columns(choices)),
    }
}

fn suggested(input: &str, named: Option<ShaderLanguage>) -> anyhow::Result<ShownRules> {
    match InputWord::of(input, named) {
        InputWord::Shader(file) if file.front_end.language() == Some(ShaderLanguage::Hlsl) => {
            Ok(ShownRules::Named(find_native(HLSL).map(RuleChoice::Native).into_iter().collect()))
        }
        InputWord::Shader(_) | InputWord::CaseFile(_) | InputWord::Filter(_) => {
            bail!(
                "{input}: the layout depends on the target: name one, as --target vulkan, or a rule set, as --rules std140"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::{Cli, Command};
    use clap::Parser;

    fn shown(words: &str) -> Result<String, String> {
        let mut cli = Cli::parse_from(["layoutproof", "show"].into_iter().chain(words.split(' ')));
        cli.command.complete_columns().unwrap();
        let Command::Show(args) = cli.command else { panic!("{words} is not about show") };
        let selects = args.rules.is_empty() && args.placement.selects_columns();
        let language = ShaderLanguage::of(None, args.inputs[0].as_ref()).unwrap_or(ShaderLanguage::Hlsl);
        let shown = if selects { selected_columns(&args, language) } else { shown_rules(&args, &args.inputs[0]) };
        match shown {
            Ok(ShownRules::Shipping) => Ok("shipping".to_owned()),
            Ok(ShownRules::Columns(choices)) => {
                Ok(choices.iter().map(|choice| choice.column_name().to_string()).collect::<Vec<_>>().join(", "))
            }
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
            assert_eq!(shown(words).as_deref(), Ok(expected), "{words}");
        }
    }

    /// Old spellings select what the new ones do.
    #[test]
    fn targets_and_compilers_are_columns() {
        for (words, expected) in [
            ("a.hlsl --target d3d12,vulkan", "D3D12 · DXC, Vulkan · DXC"),
            ("a.slang --target vulkan,vulkan/scalar", "Vulkan · Slang, Vulkan · Slang (scalar)"),
            ("a.hlsl --target vulkan --compiler dxc,slangc", "Vulkan · DXC, Vulkan · Slang"),
            ("a.hlsl --compiler dxc", "D3D12 · DXC, Vulkan · DXC"),
            ("a.hlsl --compiler fxc", "D3D12 · FXC"),
            ("a.hlsl --target vulkan --compiler dxc-1.9", "Vulkan · DXC 1.9"),
            ("a.hlsl --target vulkan/gl --compiler dxc@1.9", "Vulkan · DXC 1.9 (gl)"),
            ("a.hlsl --target d3d12 --format json", "bare"),
            ("a.hlsl --target vulkan/dx --format json", "Vulkan · DXC (dx)"),
            ("a.hlsl --target d3d12,metal --format json", "D3D12 · DXC, Metal · Slang"),
            ("a.hlsl --target vulkan/scalar --format cpp-asserts", "native:dxc-spirv-scalar"),
            ("a.hlsl --target d3d12 --convention dxc", "shipping"),
            ("a.hlsl --target vulkan --rules std140", "std140"),
            ("a.hlsl --args=-spirv", "Vulkan · DXC"),
            ("a.hlsl --args=-Tcs_6_6 --format json", "D3D12 · DXC"),
            ("a.hlsl --args=-DX=1", "shipping"),
        ] {
            assert_eq!(shown(words).as_deref(), Ok(expected), "{words}");
        }
    }

    #[test]
    fn what_cannot_be_chosen_is_an_error() {
        for (words, expected) in [
            ("a.hlsl --target vulkan,d3d12 --format cpp-asserts", "host structs are written for one target"),
            ("a.hlsl --target metal --compiler dxc", "dxc is not known to write code for metal"),
            ("a.slang --format rust-asserts", "name one, as --target vulkan"),
            ("arrays/x --format rust-asserts", "name one, as --target vulkan"),
            ("a.hlsl --format rust-asserts --rules std140,std430", "written for one rule set"),
            ("a.hlsl --rules native:gcc", "unknown compiler `native:gcc`"),
            ("a.hlsl --rules std14", "unknown rule set `std14`: did you mean `std140`?"),
            ("a.hlsl --rules declared", "`declared` is what .glsl, .wgsl, .spv, .dxil, .cso or .metal files declare"),
            ("a.wgsl --rules declared,std140", "a.wgsl declares its own offsets"),
            ("a.hlsl --format cpp-asserts --padding", "--padding goes with the formats text and json"),
        ] {
            let error = shown(words).unwrap_err();
            assert!(error.contains(expected), "{words}: {error}");
        }
    }
}
