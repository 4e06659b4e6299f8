//! Versions of compilers (`dxc@1.7.2207`): of which it is known where they put parameters, and what the older ones did
//! otherwise.
//!
//! Source: DXC 1.7.2308 and DXC 1.7 of commit d66bdf94 (2022, before release 1.7.2207), slangc 2026.12 and 2026.14.1,
//! all measured. On D3D12 DXC 1.9.2602 gives every parameter of every case the register that 1.7.2308 gives it (the
//! frozen sets of both, and random programs); no commit between them changes how `DxilCondenseResources` and
//! `DxilSpanAllocator` choose. On Vulkan 1.9.2602 makes one variable of an array that 1.7.2308 takes apart, which is
//! not modelled, so it is not known.

use layoutproof_layout::Span;
use layoutproof_layout::shape::{Count, Type};

use super::{Convention, Target};
use layoutproof_frontend::module::{Module, Parameter};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::version_range::VersionRange;

/// A release of DXC with its way of placing parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DxcRelease {
    /// Up to 1.7.2207.
    Old,
    /// From 1.7.2308 on.
    Measured,
}

/// Releases of DXC that do as [`DxcRelease::Old`].
const OLD: &str = "<= 1.7.2207";

/// Versions that are known: those that were measured, and on D3D12 those between them.
fn known(target: Target, convention: Convention) -> &'static [&'static str] {
    match (convention, target) {
        (Convention::Slang, _) => &["= 2026.12", "= 2026.14.1"],
        (Convention::Dxc, Target::D3d12) => &["= 1.7.2207", ">= 1.7.2308, < 1.10"],
        (Convention::Dxc, Target::Vulkan | Target::Webgpu | Target::Metal) => &["= 1.7.2207", "= 1.7.2308"],
        (Convention::SlangDocumented | Convention::Clang, _) => &[],
    }
}

/// Reason why placement by `version` of the convention's compiler is not known; `None` if it is known.
pub fn unknown(target: Target, convention: Convention, version: Option<&str>) -> Option<String> {
    let version = version?;
    let known = known(target, convention);
    if known.is_empty() {
        return Some(format!("the convention `{convention}` has no versions: leave out `@{version}`"));
    }
    let is_version = version.chars().all(|c| c.is_ascii_digit() || c == '.');
    if is_version && known.iter().any(|range| is_in(range, version)) {
        return None;
    }
    let known = known.join(" and ").replace("= ", "").replace('>', "from ").replace(", < ", " to below ");
    Some(format!("it is not known how {convention} {version} places parameters for {target}; known are {known}"))
}

fn is_in(range: &str, version: &str) -> bool {
    range.parse::<VersionRange>().is_ok_and(|range| range.contains(version))
}

impl DxcRelease {
    /// How a version that is not [`unknown`] places; `None` is the version that was measured.
    pub(super) fn of(version: Option<&str>) -> Self {
        if version.is_some_and(|version| is_in(OLD, version)) { Self::Old } else { Self::Measured }
    }

    /// True if each `RWStructuredBuffer` of a SPIR-V module keeps a binding for its counter, used or not.
    pub(super) fn counts_everywhere(self) -> bool {
        match self {
            Self::Old => true,
            Self::Measured => false,
        }
    }

    /// Errors of this release about options and declarations that only later ones accept.
    pub(super) fn refused(self, module: &Module, options: &[String]) -> Vec<Diagnostic> {
        match self {
            Self::Old => {
                let preserve = options.iter().filter(|option| option.trim() == "-fspv-preserve-bindings");
                let unknown = preserve.map(|option| {
                    Diagnostic::error(Code::BadOption, Span::default(), format!("Unknown argument: '{option}'"))
                });

                let arrays = module.parameters.iter().filter(|parameter| is_array_of_arrays(parameter));
                let message = "definition of variable with array type needs an explicit size or an initializer";
                let arrays = arrays.map(|array| Diagnostic::error(Code::BadArrayLength, array.span, message));

                unknown.chain(arrays).collect()
            }
            Self::Measured => Vec::new(),
        }
    }
}

/// `A[][3]`.
fn is_array_of_arrays(parameter: &Parameter) -> bool {
    match &parameter.ty {
        Type::Array { element, count: Count::Unbounded } => !element.dimensions().1.is_empty(),
        Type::Array { count: Count::Finite(_), .. }
        | Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Struct(_)
        | Type::Enum(_)
        | Type::Pointer { .. }
        | Type::Handle { .. }
        | Type::Interface { .. }
        | Type::Resource(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_known_or_refused_with_what_is_known() {
        let unknown = |target, convention, version| unknown(target, convention, Some(version));
        for version in ["1.7.2207", "1.7.2308", "1.8.2405", "1.9"] {
            assert_eq!(unknown(Target::D3d12, Convention::Dxc, version), None, "{version}");
        }
        for version in ["1.7.2207", "1.7.2308"] {
            assert_eq!(unknown(Target::Vulkan, Convention::Dxc, version), None, "{version}");
        }
        for version in ["1.6.2112", "1.7.2212", "1.7", "1.10", "2", "new", "1.7.x", ""] {
            assert!(unknown(Target::D3d12, Convention::Dxc, version).is_some(), "{version}");
        }
        let message = |target| unknown(target, Convention::Dxc, "1.7.2212").unwrap_or_default();
        let start = "it is not known how dxc 1.7.2212 places parameters for";
        assert_eq!(message(Target::Vulkan), format!("{start} vulkan; known are 1.7.2207 and 1.7.2308"));
        let range = "1.7.2207 and from 1.7.2308 to below 1.10";
        assert_eq!(message(Target::D3d12), format!("{start} d3d12; known are {range}"));
        assert_eq!(unknown(Target::Metal, Convention::Slang, "2026.12"), None);
        assert!(unknown(Target::Metal, Convention::Slang, "2025.1").is_some());
        assert!(unknown(Target::Vulkan, Convention::Clang, "21").is_some());
    }
}
