//! The flags about targets and bindings, for every command that has them.
//!
//! With the compilers that the user names they select columns. `show`, `reflect` and `run` combine
//! them with the settings of a case into one [`BindingRequest`] per target and compiler.

use std::fmt;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use layoutproof_bindings::request::{layout_flag, parse_convention};
use layoutproof_bindings::{BindingInvocation, BindingRequest, Convention, Target};
use layoutproof_inputs::compile_args::CompileArguments;
use layoutproof_inputs::compiler_builds::program_of;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::layout_selection::{choice, compiler_of, target};
use layoutproof_inputs::named_compiler::{NamedCompiler, named_compiler};
use layoutproof_inputs::rule_set::{is_rules_word, is_target_word};
use layoutproof_layout::native::natives;
use layoutproof_layout::{Column, ShaderCompiler, TargetChoice};
use layoutproof_readers::toolchain::toolchains;
use layoutproof_show::{ShownColumnChoice, columns};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::command_line::Command;
use crate::compilers::find_version;
use crate::output::warn;

/// Targets, and where parameters are bound there.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Targets and bindings")]
pub struct PlacementArgs {
    /// Only these targets: d3d12, vulkan, webgpu, metal, opengl. A layout option of Vulkan's compilers follows a slash:
    /// vulkan/scalar, vulkan/dx, vulkan/gl, vulkan/c.
    #[arg(long, value_parser = target, value_delimiter = ',', value_name = "TARGET[,TARGET...]")]
    pub target: Vec<TargetChoice>,
    /// Bindings alone, by whose rules: slang, slang-documented, dxc, clang; `dxc@1.9` names a version. Earlier versions had it in
    /// place of --compiler.
    #[arg(
        long,
        hide = true,
        value_parser = convention,
        value_delimiter = ',',
        requires = "target",
        value_name = "NAME[@VERSION]"
    )]
    pub convention: Vec<NamedConvention>,
    /// Parameters that count as used though no function body names them.
    #[arg(long, value_delimiter = ',', requires = "target", value_name = "PATH[,PATH...]")]
    pub used: Vec<String>,
    /// Parameters that count as unused though a function body names them.
    #[arg(long, value_delimiter = ',', requires = "target", value_name = "PATH[,PATH...]")]
    pub unused: Vec<String>,
    /// Shader profile: `sm_6_6`, `ps_5_0`, `lib_6_3`; DXC's `__SHADER_TARGET_` macros tell it.
    #[arg(short = 'T', long)]
    pub profile: Option<String>,
    /// An option of the compiler that changes bindings, with its values: "-fvk-t-shift 10 all". --args takes whole command lines.
    #[arg(long, hide = true, requires = "target", allow_hyphen_values = true, value_name = "TEXT")]
    pub option: Vec<String>,
    /// The compilers of the columns, of `--compiler` or of `--args`; empty for the usual ones.
    #[arg(skip)]
    pub compilers: Vec<NamedCompiler>,
}

/// A convention with the version of its compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedConvention {
    /// The convention.
    pub convention: Convention,
    /// The version behind `@`.
    pub version: Option<String>,
}

impl fmt::Display for NamedConvention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.convention)?;
        self.version.iter().try_for_each(|version| write!(f, "@{version}"))
    }
}

fn convention(text: &str) -> anyhow::Result<NamedConvention> {
    let known = || Convention::ALL.map(Convention::as_str).join(", ");
    let (convention, version) = parse_convention(text).with_context(|| format!("known conventions are {}", known()))?;
    Ok(NamedConvention { convention, version })
}

/// The stages of profiles, and what stands for any of them.
const STAGES: [&str; 10] = ["vs", "ps", "gs", "hs", "ds", "cs", "ms", "as", "lib", "sm"];

/// Refuses profiles that no compiler has, and the shader models of Direct3D 9, whose constants have registers of their own:
/// FXC 10.0.22621 `-T vs_2_0` gives a `float4x4` four of them, a `float` one, and constants without uses none.
pub(crate) fn check_profile(profile: Option<&str>) -> anyhow::Result<()> {
    let Some((profile, (stage, model))) = profile.and_then(|profile| Some((profile, profile.split_once('_')?))) else {
        return Ok(());
    };
    // Slang has profiles with other words: `glsl_450`, `spirv_1_5`.
    if !STAGES.contains(&stage) && stage.len() != 2 {
        return Ok(());
    }
    let Some(major) = model.split('_').next().and_then(|major| major.parse::<u32>().ok()) else { return Ok(()) };
    if major < 4 {
        bail!(
            "`{profile}`: layoutproof does not compute the constant registers of shader models before 4; name a later profile"
        );
    }
    if !STAGES.contains(&stage) || major > 6 {
        bail!("`{profile}` is no profile: stages are {}, shader models 4 to 6", STAGES.join(", "));
    }
    Ok(())
}

impl PlacementArgs {
    /// True if one target without a layout option is named. Its JSON has bindings alone, as in
    /// earlier versions.
    pub(crate) fn is_one_plain_target(&self) -> bool {
        matches!(self.target.as_slice(), [TargetChoice { variant: None, .. }]) && self.compilers.len() < 2
    }

    /// True if an option is about bindings alone.
    fn names_bindings(&self) -> bool {
        let Self { convention, used, unused, option, .. } = self;
        !(convention.is_empty() && used.is_empty() && unused.is_empty() && option.is_empty())
    }

    /// True if the user names targets or compilers, so that layouts are those of their columns.
    /// With `--convention`, the answer is about bindings only.
    pub(crate) fn selects_columns(&self) -> bool {
        self.convention.is_empty() && !(self.target.is_empty() && self.compilers.is_empty())
    }

    /// The layouts of the columns.
    pub(crate) fn column_choices(&self, language: Option<ShaderLanguage>) -> anyhow::Result<Vec<ShownColumnChoice>> {
        Ok(self.columns(language)?.into_iter().filter_map(choice).collect())
    }

    /// The columns of the targets and compilers that the user names, for a file in `language`;
    /// those that ship where the user names neither.
    pub(crate) fn columns(&self, language: Option<ShaderLanguage>) -> anyhow::Result<Vec<Column<'_>>> {
        let compilers: Vec<_> = self.compilers.iter().map(NamedCompiler::column_part).collect();
        Ok(columns(&self.target, &compilers, language)?)
    }

    /// One request per target and compiler that the user names, or for the target's usual compiler;
    /// empty without a target. `own` holds the settings of a case: the user's lists extend them,
    /// the user's profile replaces theirs. `language` is that of a file.
    pub(crate) fn requests(
        &self,
        own: &BindingInvocation,
        language: Option<ShaderLanguage>,
    ) -> anyhow::Result<Vec<BindingRequest>> {
        if self.target.is_empty() {
            return Ok(Vec::new());
        }
        let invocation = BindingInvocation {
            profile: self.profile.clone().or_else(|| own.profile.clone()),
            entry: own.entry.clone(),
            used: [&own.used[..], &self.used].concat(),
            unused: [&own.unused[..], &self.unused].concat(),
            options: [&own.options[..], &self.option].concat(),
        };
        if !self.convention.is_empty() {
            return self.requests_of_conventions(&invocation);
        }

        let mut requests: Vec<BindingRequest> = Vec::new();
        for Column { target, compiler, version, variant } in self.columns(language)? {
            let of_compiler = Target::of(target).zip(compiler.and_then(Convention::of));
            // FXC's bindings were not measured.
            let Some((target, convention)) = of_compiler else { continue };
            let build = self.compilers.iter().find(|named| named.column_part() == (convention.compiler(), version));
            let version = build.and_then(NamedCompiler::binding_version).map(str::to_owned);
            let mut request = invocation.request(target, convention, version);
            // A layout option moves no binding, so several of them make one request.
            let is_same = |other: &BindingRequest| {
                (other.target, other.convention, &other.version) == (target, convention, &request.version)
            };
            if !requests.iter().any(is_same) {
                request.options.extend(variant.map(|variant| layout_flag(variant).to_owned()));
                requests.push(request);
            }
        }
        Ok(requests)
    }

    /// One request for each target with each convention.
    fn requests_of_conventions(&self, invocation: &BindingInvocation) -> anyhow::Result<Vec<BindingRequest>> {
        let mut requests = Vec::new();
        for choice in &self.target {
            for NamedConvention { convention, version } in &self.convention {
                let target = Target::of(choice.target).filter(|target| convention.targets().contains(target));
                let Some(target) = target else {
                    let targets: Vec<_> = convention.targets().iter().map(|target| target.as_str()).collect();
                    bail!("{convention} places no parameters for {choice}, only for {}", targets.join(", "));
                };
                requests.push(invocation.request(target, *convention, version.clone()));
            }
        }
        Ok(requests)
    }
}

impl Command {
    /// Applies `--args` and `--compiler`. `check` combines `--args` with `layoutproof.toml` itself.
    pub(crate) fn complete_columns(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Show(args) => {
                args.declare.compilers.clone_from(&args.compiler);
                args.compiler.iter_mut().try_for_each(find_version)?;
                args.placement.compilers.clone_from(&args.compiler);
                complete(&mut args.declare, Some(&mut args.placement)).map(drop)
            }
            Self::Run(args) => {
                // Other producers lay out no HLSL, or have no column.
                let named =
                    |words: &[String]| words.iter().filter_map(|word| named_compiler(word).ok()).collect::<Vec<_>>();
                args.declare.compilers = named(&args.producer);
                for word in &mut args.producer {
                    if let Some(program) = build_name(word)? {
                        program.clone_into(word);
                    }
                }
                args.placement.compilers = named(&args.producer).into_iter().filter(lays_out).collect();
                // --args adds options that have nothing to do with bindings alone.
                args.bindings |= args.placement.names_bindings();
                complete(&mut args.declare, Some(&mut args.placement)).map(drop)
            }
            Self::Diff(args) => {
                let arguments = complete(&mut args.declare, None)?;
                let mut targets: Vec<String> = args.target.iter().map(ToString::to_string).collect();
                let is_named = |word: &String| is_target_word(word) || is_rules_word(word);
                if targets.is_empty() && !args.words.iter().skip(1).any(is_named) {
                    let column = arguments.and_then(|arguments| arguments.column());
                    targets.extend(column.map(|column| match column.compiler {
                        Some(compiler) if compiler != ShaderCompiler::Dxc => format!("{}.{compiler}", column.choice()),
                        _ => column.choice().to_string(),
                    }));
                }
                args.has_target_option = !targets.is_empty();
                args.words.extend(targets);
                Ok(())
            }
            Self::Compare(args) => {
                if let (None, Some(text)) = (&args.profile, &args.declare.args) {
                    args.profile = CompileArguments::read(text).context("--args")?.profile;
                }
                complete(&mut args.declare, None).map(drop)
            }
            _ => Ok(()),
        }
    }
}

/// The program of a build that a word names by its version: `dxc@1.9`, `slangc-current`. `None` for the other names of
/// compilers, generators and toolchains.
fn build_name(word: &str) -> anyhow::Result<Option<&'static str>> {
    let is_in_table = toolchains().iter().any(|toolchain| [toolchain.name, toolchain.compiler].contains(&word));
    match named_compiler(word) {
        Ok(named) if !is_in_table => program_of(&named).with_context(|| format!("compiler `{word}`")),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// True if the compiler lays out declarations of HLSL or Slang.
pub(crate) fn lays_out(named: &NamedCompiler) -> bool {
    natives().iter().any(|native| native.column.compiler == Some(named.name.compiler))
}

/// Applies `--args`, and returns them.
fn complete(
    declare: &mut DeclareArgs,
    mut placement: Option<&mut PlacementArgs>,
) -> anyhow::Result<Option<CompileArguments>> {
    for compiler in placement.iter_mut().flat_map(|placement| &mut placement.compilers) {
        find_version(compiler)?;
    }
    let arguments = declare.args.as_deref().map(CompileArguments::read).transpose().context("--args")?;
    if let Some(arguments) = &arguments {
        for sentence in &arguments.not_followed {
            warn(&format!("warning: --args: {sentence}\n"));
        }
        check_profile(arguments.profile.as_deref())?;
        declare.complete(arguments, Path::new(""));
        if let Some(placement) = &mut placement {
            placement.complete(arguments);
        }
    }
    if let Some(placement) = placement {
        declare.targets = placement.target.iter().map(|choice| choice.target).collect();
    }
    Ok(arguments)
}

impl PlacementArgs {
    /// Adds what a compiler's arguments say, where the other options do not say it.
    fn complete(&mut self, arguments: &CompileArguments) {
        self.profile = self.profile.take().or_else(|| arguments.profile.clone());
        self.option.extend(arguments.binding_options.iter().cloned());
        let column = arguments.column();
        if self.target.is_empty() {
            self.target.extend(column.map(|column| column.choice()));
            if self.compilers.is_empty() {
                let compiler = column.and_then(|column| column.compiler);
                self.compilers.extend(compiler.map(NamedCompiler::any));
            }
        } else {
            for choice in &mut self.target {
                *choice = arguments.with_layout(*choice);
            }
            if self.compilers.is_empty() {
                self.compilers.extend(compiler_of(arguments, &self.target).map(NamedCompiler::any));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        placement: PlacementArgs,
    }

    fn requests(words: &[&str], own: &BindingInvocation) -> Result<Vec<BindingRequest>, String> {
        let line = CommandLine::try_parse_from(["layoutproof"].iter().chain(words));
        line.map_err(|error| error.to_string())?.placement.requests(own, None).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_become_one_request_per_convention() {
        let words = [
            ["--target", "vulkan"],
            ["--convention", "slang,dxc@1.9"],
            ["--used", "a,s.B[3]"],
            ["--unused", "c"],
            ["--profile", "sm_6_6"],
            ["--option", "-fvk-t-shift 10 all"],
            ["--option", "-fvk-s-shift 20 0"],
        ];
        let found = requests(words.as_flattened(), &BindingInvocation::default()).unwrap();
        assert_eq!(found.iter().map(BindingRequest::name).collect::<Vec<_>>(), ["vulkan.slang", "vulkan.dxc@1.9"]);
        assert_eq!(found[1].used, ["a", "s.B[3]"]);
        assert_eq!(found[1].unused, ["c"]);
        assert_eq!(found[1].profile.as_deref(), Some("sm_6_6"));
        assert_eq!(found[1].options, ["-fvk-t-shift 10 all", "-fvk-s-shift 20 0"]);
        assert_eq!(requests(&[], &BindingInvocation::default()), Ok(Vec::new()));
    }

    /// DXC is Microsoft's compiler for D3D12, and the Vulkan SDK's compiler for HLSL; Slang
    /// produces WGSL and Metal.
    #[test]
    fn a_target_alone_means_its_usual_compiler() {
        let own = BindingInvocation::default();
        for (target, language, expected) in [
            ("d3d12", None, "d3d12.dxc"),
            ("vulkan", Some(ShaderLanguage::Hlsl), "vulkan.dxc"),
            ("vulkan", Some(ShaderLanguage::Slang), "vulkan.slang"),
            ("webgpu", Some(ShaderLanguage::Hlsl), "webgpu.slang"),
            ("metal", Some(ShaderLanguage::Slang), "metal.slang"),
        ] {
            let line = CommandLine::try_parse_from(["layoutproof", "--target", target]).unwrap();
            let found = line.placement.requests(&own, language).unwrap();
            assert_eq!(found.iter().map(BindingRequest::name).collect::<Vec<_>>(), [expected]);
        }
    }

    #[test]
    fn a_cases_own_keys_count_too() {
        let own = BindingInvocation {
            profile: Some("sm_5_0".to_owned()),
            entry: Some("shade".to_owned()),
            used: vec!["A".to_owned()],
            ..BindingInvocation::default()
        };
        let flags = ["--target", "d3d12", "--convention", "dxc", "--used", "B"];
        let found = requests(&flags, &own).unwrap().remove(0);
        assert_eq!((found.profile.as_deref(), found.entry.as_deref()), (Some("sm_5_0"), Some("shade")));
        assert_eq!(found.used, ["A", "B"]);
        let found = requests(&[&flags[..], &["--profile", "ps_6_0"]].concat(), &own).unwrap().remove(0);
        assert_eq!(found.profile.as_deref(), Some("ps_6_0"));
    }

    #[test]
    fn what_nobody_answers_is_an_error() {
        let own = BindingInvocation::default();
        for (words, expected) in [
            (&["--target", "d3d11", "--convention", "dxc"][..], "did you mean `d3d12`?"),
            (&["--target", "playstation"], "unknown target; known are d3d12, vulkan, webgpu, metal, opengl"),
            (&["--target", "vulkan/std140"], "target `vulkan` has no layout `std140`; known are scalar, dx, gl, c"),
            (
                &["--target", "d3d12", "--convention", "fxc"],
                "known conventions are slang, slang-documented, dxc, clang",
            ),
            (&["--target", "metal", "--convention", "dxc"], "for metal, only for d3d12, vulkan"),
            (&["--convention", "dxc"], "--target"),
            (&["--used", "a"], "--target"),
        ] {
            let error = requests(words, &own).unwrap_err();
            assert!(error.contains(expected), "{words:?}: {error}");
        }
    }
}
