//! Macros that compilers define, by the language of the source.
//!
//! `.hlsl`, `.hlsli`, `.fx` and `.fxh` files see DXC's macros, `.slang` files see Slang's. A case
//! goes to both compilers and sees only the macros that both define. `__spirv__`, which DXC defines
//! for SPIR-V, depends on the target: a text that asks for it without a target or `-D` is warned of.
//! `__SHADER_TARGET_STAGE` depends on the profile; using it without a profile and without `-D` is an error.
//!
//! Sources: measured with DXC 1.7.2308, `-T cs_6_6`, and `slangc -E` 2026.14.1.

use std::path::Path;

use layoutproof_source::shader_language::ShaderLanguage;

use super::definition::{Macro, Replacement};

/// Values of DXC's macros. The stages are in the order of its `__SHADER_STAGE_` constants.
const DXC: &[(&str, u32)] = &[
    ("__DXC_VERSION_MAJOR", 1),
    ("__DXC_VERSION_MINOR", 7),
    ("__HLSL_VERSION", 2021),
    ("__SHADER_STAGE_AMPLIFICATION", 14),
    ("__SHADER_STAGE_COMPUTE", 5),
    ("__SHADER_STAGE_DOMAIN", 4),
    ("__SHADER_STAGE_GEOMETRY", 2),
    ("__SHADER_STAGE_HULL", 3),
    ("__SHADER_STAGE_LIBRARY", 6),
    ("__SHADER_STAGE_MESH", 13),
    ("__SHADER_STAGE_PIXEL", 0),
    ("__SHADER_STAGE_VERTEX", 1),
    ("__clang__", 1),
    ("__hlsl_dx_compiler", 1),
];

/// Defined by DXC 1.7.2308 and Clang 22.1.8 if they write SPIR-V.
pub(super) const SPIRV: &str = "__spirv__";

/// The default shader model for DXC's macros.
const SHADER_MODEL: (u32, u32) = (6, 6);

/// The minor version that `lib_6_x` stands for (DXC 1.7.2308).
const ANY_MINOR: u32 = 15;

/// Stage and shader model of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ShaderTarget {
    /// DXC's number of the stage.
    stage: Option<u32>,
    major: u32,
    minor: u32,
}

impl ShaderTarget {
    /// Parses `ps_6_0`, `lib_6_x` and the like. `sm_6_6` counts as a compute shader, as everywhere in this crate.
    fn of(profile: Option<&str>) -> Self {
        let none = Self { stage: None, major: SHADER_MODEL.0, minor: SHADER_MODEL.1 };
        let Some(profile) = profile else { return none };
        let mut words = profile.split('_');
        let stage = match words.next() {
            Some("cs" | "sm") => Some("__SHADER_STAGE_COMPUTE"),
            Some("ps") => Some("__SHADER_STAGE_PIXEL"),
            Some("vs") => Some("__SHADER_STAGE_VERTEX"),
            Some("gs") => Some("__SHADER_STAGE_GEOMETRY"),
            Some("hs") => Some("__SHADER_STAGE_HULL"),
            Some("ds") => Some("__SHADER_STAGE_DOMAIN"),
            Some("lib") => Some("__SHADER_STAGE_LIBRARY"),
            Some("ms") => Some("__SHADER_STAGE_MESH"),
            Some("as") => Some("__SHADER_STAGE_AMPLIFICATION"),
            Some(_) | None => None,
        };

        let number = |word: Option<&str>| match word {
            Some("x") => Some(ANY_MINOR),
            Some(digits) => digits.parse().ok(),
            None => None,
        };
        let (major, minor) = (number(words.next()), number(words.next()));
        let value = |name| DXC.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        Self { stage: stage.and_then(value), major: major.unwrap_or(none.major), minor: minor.unwrap_or(none.minor) }
    }
}

/// Values of Slang's macros.
const SLANG: &[(&str, u32)] = &[("__HLSL_VERSION", 2018), ("__HLSL__", 0), ("__SLANG_COMPILER__", 1), ("__SLANG__", 1)];

/// The compilers whose macros a source sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MacroDialect {
    Dxc,
    Slang,
    Both,
}

impl MacroDialect {
    /// Derives the dialect from the language, or else from the extension of a file's name.
    pub(super) fn of(language: Option<ShaderLanguage>, file: &str) -> Self {
        match ShaderLanguage::of(language, Path::new(file)) {
            Some(ShaderLanguage::Hlsl) => Self::Dxc,
            Some(ShaderLanguage::Slang) => Self::Slang,
            _ => Self::Both,
        }
    }
}

/// Returns the definitions for a source of this dialect, compiled for a profile, maybe to SPIR-V.
pub(super) fn text(dialect: MacroDialect, profile: Option<&str>, is_spirv: bool) -> String {
    let ShaderTarget { stage, major, minor } = ShaderTarget::of(profile);
    let target = [("__SHADER_TARGET_MAJOR", Some(major)), ("__SHADER_TARGET_MINOR", Some(minor))];
    let target = target.into_iter().chain([("__SHADER_TARGET_STAGE", stage), (SPIRV, is_spirv.then_some(1))]);
    let of_target = target.filter_map(|(name, value)| Some((name, value?))).filter(|_| dialect == MacroDialect::Dxc);
    let table = match dialect {
        MacroDialect::Dxc => DXC,
        MacroDialect::Slang => SLANG,
        MacroDialect::Both => &[],
    };
    let all = table.iter().copied().chain(of_target);
    all.map(|(name, value)| define_line(name, &value.to_string())).collect()
}

/// Returns a definition as a directive on one line, even if its value contains newlines.
pub(super) fn define_line(name: &str, value: &str) -> String {
    format!("#define {name} {}\n", value.replace(['\n', '\r'], " "))
}

/// Returns the macros whose value varies.
pub(super) fn dynamic(dialect: MacroDialect) -> impl Iterator<Item = Macro<'static>> {
    let standard = [("__LINE__", Replacement::Line), ("__FILE__", Replacement::File)];
    let of_dxc = [("__COUNTER__", Replacement::Counter), ("__SHADER_TARGET_STAGE", Replacement::Unknown)];
    let of_dxc = of_dxc.into_iter().filter(move |_| dialect == MacroDialect::Dxc);
    standard.into_iter().chain(of_dxc).map(|(name, replacement)| Macro::built_in(name, replacement))
}
