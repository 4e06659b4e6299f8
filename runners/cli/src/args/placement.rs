//! The flags about bindings, for every command that has them.
//!
//! `show`, `reflect` and `run` combine them with the settings of a case into one [`BindingRequest`]
//! per convention.

use std::fmt;

use anyhow::bail;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use layoutproof_bindings::request::parse_convention;
use layoutproof_bindings::{BindingInvocation, BindingRequest, Convention, Target};
use layoutproof_source::shader_language::ShaderLanguage;

/// Where parameters are bound, for whom.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Placement of parameters")]
pub struct PlacementArgs {
    /// Where parameters are bound for this API.
    #[arg(long, value_parser = target_parser(), value_name = "API")]
    pub target: Option<Target>,
    /// By whose rules: slang, slang-documented, dxc, clang; `dxc@1.9` names a version. Several stand side by side. Default:
    /// those of the target's usual compiler, dxc for HLSL on d3d12 and vulkan, else slang.
    #[arg(long, value_parser = convention, value_delimiter = ',', requires = "target", value_name = "NAME[@VERSION]")]
    pub convention: Vec<NamedConvention>,
    /// Parameters that count as used though no function body names them.
    #[arg(long, value_delimiter = ',', requires = "target", value_name = "PATH[,PATH...]")]
    pub used: Vec<String>,
    /// Parameters that count as unused though a function body names them.
    #[arg(long, value_delimiter = ',', requires = "target", value_name = "PATH[,PATH...]")]
    pub unused: Vec<String>,
    /// Shader profile: `sm_6_6`, `ps_5_0`, `lib_6_3`; DXC's `__SHADER_TARGET_` macros tell it.
    #[arg(long)]
    pub profile: Option<String>,
    /// An option of the compiler that changes bindings, with its values: "-fvk-t-shift 10 all".
    #[arg(long, requires = "target", allow_hyphen_values = true, value_name = "TEXT")]
    pub option: Vec<String>,
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

fn target_parser() -> impl TypedValueParser<Value = Target> {
    let named = |name: String| Target::ALL.into_iter().find(|target| target.as_str() == name);
    PossibleValuesParser::new(Target::ALL.map(Target::as_str)).try_map(move |name| named(name).ok_or("no such target"))
}

fn convention(text: &str) -> Result<NamedConvention, String> {
    let known = || Convention::ALL.map(Convention::as_str).join(", ");
    let (convention, version) = parse_convention(text).ok_or_else(|| format!("known conventions are {}", known()))?;
    Ok(NamedConvention { convention, version })
}

impl PlacementArgs {
    /// The conventions that the user names. Otherwise the convention of the usual compiler for the
    /// language and `target`.
    fn conventions(&self, target: Target, language: Option<ShaderLanguage>) -> Vec<NamedConvention> {
        if !self.convention.is_empty() {
            return self.convention.clone();
        }
        let is_slang = language == Some(ShaderLanguage::Slang);
        let convention = match target {
            Target::D3d12 | Target::Vulkan if !is_slang => Convention::Dxc,
            Target::D3d12 | Target::Vulkan | Target::Webgpu | Target::Metal => Convention::Slang,
        };
        vec![NamedConvention { convention, version: None }]
    }

    /// One request per convention that the user names, or for that of the target's usual compiler;
    /// empty without a target. `own` holds the settings of a case: the user's lists extend them,
    /// the user's profile replaces theirs. `language` is that of a file.
    ///
    /// # Errors
    /// A convention does not cover the target.
    pub(crate) fn requests(
        &self,
        own: &BindingInvocation,
        language: Option<ShaderLanguage>,
    ) -> anyhow::Result<Vec<BindingRequest>> {
        let Some(target) = self.target else { return Ok(Vec::new()) };
        let invocation = BindingInvocation {
            profile: self.profile.clone().or_else(|| own.profile.clone()),
            entry: own.entry.clone(),
            used: [&own.used[..], &self.used].concat(),
            unused: [&own.unused[..], &self.unused].concat(),
            options: [&own.options[..], &self.option].concat(),
        };

        let mut requests = Vec::new();
        for NamedConvention { convention, version } in self.conventions(target, language) {
            if !convention.targets().contains(&target) {
                let targets: Vec<_> = convention.targets().iter().map(|target| target.as_str()).collect();
                bail!("{convention} places no parameters for {target}, only for {}", targets.join(", "));
            }
            requests.push(invocation.request(target, convention, version));
        }
        Ok(requests)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// A command line with these flags only.
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
            (&["--target", "d3d11", "--convention", "dxc"][..], "[possible values: d3d12, vulkan, webgpu, metal]"),
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
