//! Macros that compilers define, by the language of the source.
//!
//! `.hlsl` and `.hlsli` see those of DXC, `.slang` those of Slang; a case, which goes to both compilers, sees only what
//! both have. `__spirv__`, which DXC defines for SPIR-V, is left to `-D __spirv__`, and so is `__SHADER_TARGET_STAGE`,
//! whose use without a value is an error.
//!
//! Sources: measured with DXC 1.7.2308, `-T cs_6_6`, and `slangc -E` 2026.14.1.

use super::definition::{Macro, Replacement};

/// Value of each of DXC's macros; the stages in the order of its `__SHADER_STAGE_` constants.
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
    ("__SHADER_TARGET_MAJOR", 6),
    ("__SHADER_TARGET_MINOR", 6),
    ("__clang__", 1),
    ("__hlsl_dx_compiler", 1),
];

/// Value of each of Slang's macros.
const SLANG: &[(&str, u32)] = &[("__HLSL_VERSION", 2018), ("__HLSL__", 0), ("__SLANG_COMPILER__", 1), ("__SLANG__", 1)];

/// Which compiler's macros a source sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Dxc,
    Slang,
    Both,
}

impl Dialect {
    /// By the extension of a file's name.
    pub(super) fn of(file: &str) -> Self {
        match file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).as_deref() {
            Some("hlsl" | "hlsli") => Self::Dxc,
            Some("slang") => Self::Slang,
            Some(_) | None => Self::Both,
        }
    }
}

/// The definitions that a source of this dialect sees.
pub(super) fn text(dialect: Dialect) -> String {
    let table = match dialect {
        Dialect::Dxc => DXC,
        Dialect::Slang => SLANG,
        Dialect::Both => &[],
    };
    table.iter().map(|(name, value)| define_line(name, &value.to_string())).collect()
}

/// A definition as a directive; on one line, whatever its value holds.
pub(super) fn define_line(name: &str, value: &str) -> String {
    format!("#define {name} {}\n", value.replace(['\n', '\r'], " "))
}

/// The macros whose value is not always the same.
pub(super) fn dynamic(dialect: Dialect) -> impl Iterator<Item = Macro<'static>> {
    let standard = [("__LINE__", Replacement::Line), ("__FILE__", Replacement::File)];
    let of_dxc = [("__COUNTER__", Replacement::Counter), ("__SHADER_TARGET_STAGE", Replacement::Unknown)];
    let of_dxc = of_dxc.into_iter().filter(move |_| dialect == Dialect::Dxc);
    standard.into_iter().chain(of_dxc).map(|(name, replacement)| Macro::built_in(name, replacement))
}
