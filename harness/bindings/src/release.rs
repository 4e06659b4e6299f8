//! The compiler versions (`dxc@1.7.2207`) whose placement is known, and what the older ones did
//! differently.
//!
//! Source: measurements of DXC 1.7.2308, of DXC 1.7 of commit d66bdf94 (2022, before release
//! 1.7.2207), and of slangc 2026.12 and 2026.14.1. On D3D12 DXC 1.9.2602 gives every parameter of
//! every case the same register as 1.7.2308 (compared on the frozen sets of both and on random
//! programs); no commit between them changes how `DxilCondenseResources` and `DxilSpanAllocator`
//! choose. On Vulkan 1.9.2602 makes one variable of an array that 1.7.2308 splits. layoutproof does
//! not model that, so it counts 1.9.2602 as unknown there.

use layoutproof_layout::Span;
use layoutproof_layout::shape::{Count, Type};

use super::{Convention, Target};
use layoutproof_frontend::module::{Module, Parameter};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::version_range::VersionRange;

/// A way in which releases of DXC place parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DxcRelease {
    /// Releases up to 1.7.2207.
    Old,
    /// Releases from 1.7.2308 on.
    Measured,
}

/// The releases of DXC that place parameters as [`DxcRelease::Old`].
const OLD: &str = "<= 1.7.2207";

/// The known versions: those that were measured and, on D3D12, those between them.
fn known(target: Target, convention: Convention) -> &'static [&'static str] {
    match (convention, target) {
        (Convention::Slang, _) => &["= 2026.12", "= 2026.14.1"],
        (Convention::Dxc, Target::D3d12) => &["= 1.7.2207", ">= 1.7.2308, < 1.10"],
        (Convention::Dxc, Target::Vulkan | Target::Webgpu | Target::Metal) => &["= 1.7.2207", "= 1.7.2308"],
        (Convention::SlangDocumented | Convention::Clang, _) => &[],
    }
}

/// Returns why the placement by `version` of the convention's compiler is unknown; `None` if it is
/// known.
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
    Some(format!(
        "layoutproof does not know how {convention} {version} places parameters for {target}; known versions: {known}"
    ))
}

fn is_in(range: &str, version: &str) -> bool {
    range.parse::<VersionRange>().is_ok_and(|range| range.contains(version))
}

impl DxcRelease {
    /// Returns the placement of a version that is not [`unknown`]. `None` means the measured
    /// version.
    pub(super) fn of(version: Option<&str>) -> Self {
        if version.is_some_and(|version| is_in(OLD, version)) { Self::Old } else { Self::Measured }
    }

    /// True if each `RWStructuredBuffer` of a SPIR-V module reserves a binding for its counter,
    /// used or not.
    pub(super) fn counts_everywhere(self) -> bool {
        matches!(self, Self::Old)
    }

    /// Returns the errors of this release about options and declarations that only later releases
    /// accept.
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

/// True for a parameter such as `A[][3]`.
fn is_array_of_arrays(parameter: &Parameter) -> bool {
    match &parameter.ty {
        Type::Array { element, count: Count::Unbounded } => !element.dimensions().1.is_empty(),
        _ => false,
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
        let start = "layoutproof does not know how dxc 1.7.2212 places parameters for";
        assert_eq!(message(Target::Vulkan), format!("{start} vulkan; known versions: 1.7.2207 and 1.7.2308"));
        let range = "1.7.2207 and from 1.7.2308 to below 1.10";
        assert_eq!(message(Target::D3d12), format!("{start} d3d12; known versions: {range}"));
        assert_eq!(unknown(Target::Metal, Convention::Slang, "2026.12"), None);
        assert!(unknown(Target::Metal, Convention::Slang, "2025.1").is_some());
        assert!(unknown(Target::Vulkan, Convention::Clang, "21").is_some());
    }
}
