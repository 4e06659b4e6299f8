//! Decides whether a case's numbers come from the compiler in use, and whether the case expects
//! that compiler to refuse it.
//!
//! A case gives a compiler's name, version and flags; each compiler formats its version in its own
//! way.

use crate::case::{Authority, By, ExpectedDiagnostic};
use layoutproof_device::ShaderForm;
use layoutproof_readers::toolchain::Toolchain;
use layoutproof_source::version_range::VersionRange;

/// Maps the commit number in the version of DXC's library to the release, which is named by date.
/// Source: `ci/transcription/tools.py`.
const DXC_RELEASES: [(&str, &str); 1] = [("4006", "1.7.2308")];

/// Returns true if `authority` is the compiler of `toolchain`, with its target and its layout
/// option, in the version `said` that it prints.
pub(super) fn is_authority(authority: &Authority, toolchain: &Toolchain, said: &str) -> bool {
    let is_named = authority.compiler.as_deref().is_some_and(|name| name == toolchain.name_in_cases);
    let is_version = authority.version.as_deref().is_some_and(|version| says_version(said, version));
    // Without flags the target is unknown, so the case counts for every target.
    is_named && is_version && authority.flags.as_deref().is_none_or(|flags| has_flags(flags, toolchain))
}

/// Returns true if the case expects the compiler of `toolchain` to refuse it with the message
/// `words`.
pub(super) fn is_expected(told: &ExpectedDiagnostic, toolchain: &Toolchain, said: &str, words: &str) -> bool {
    let By::Compiler(by) = &told.by else { return false };
    let (name, range) = by.split_once(' ').unwrap_or((by, ""));
    let is_in_range = || range.parse().is_ok_and(|range: VersionRange| range.contains(said));
    name == toolchain.name_in_cases && (range.is_empty() || is_in_range()) && told.matches(None, words)
}

/// Returns true if a compiler that prints the version `said` has this version. `said` must contain
/// each word of `version`, or a longer number that begins with it (`1.7.2308.7`).
fn says_version(said: &str, version: &str) -> bool {
    let is_separator = |c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-');
    let mut words: Vec<&str> = said.split(is_separator).filter(|word| !word.is_empty()).collect();
    let releases = DXC_RELEASES.iter().filter(|(commits, _)| words.contains(commits));
    let releases: Vec<&str> = releases.map(|(_, release)| *release).collect();
    words.extend(releases);
    let is_said = |wanted: &str| {
        let longer =
            |word: &&str| word.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        words.iter().any(longer)
    };
    version.split_whitespace().all(is_said)
}

/// Returns true if these flags select the toolchain's target and its layout option.
fn has_flags(flags: &str, toolchain: &Toolchain) -> bool {
    let words: Vec<&str> = flags.split_whitespace().collect();
    let target = words.iter().position(|word| *word == "-target").and_then(|at| words.get(at + 1)).copied();
    let is_spirv = words.contains(&"-spirv") || target == Some("spirv");
    let is_target = match toolchain.output {
        ShaderForm::Spirv => is_spirv,
        ShaderForm::Dxil | ShaderForm::ClangIr | ShaderForm::Dxbc => !is_spirv && matches!(target, None | Some("hlsl")),
        ShaderForm::Wgsl => target == Some("wgsl"),
    };
    let is_layout = |word: &&str| word.starts_with("-fvk-use-") && word.ends_with("-layout");
    let layouts: Vec<&str> = words.iter().copied().filter(is_layout).collect();
    is_target && layouts == toolchain.flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::{FileId, Span};
    use layoutproof_readers::toolchain::toolchains;
    use layoutproof_source::sources::SourceMap;

    fn named(name: &str) -> &'static Toolchain {
        toolchains().iter().find(|toolchain| toolchain.name == name).unwrap()
    }

    fn authority(compiler: &str, version: &str, flags: Option<&str>) -> Authority {
        Authority {
            compiler: Some(compiler.to_owned()),
            version: Some(version.to_owned()),
            flags: flags.map(str::to_owned),
            ..Authority::default()
        }
    }

    /// Version texts as `layoutproof doctor compilers` lists them.
    #[test]
    fn a_version_is_known_in_the_words_of_its_compiler() {
        for (said, version, expected) in [
            ("libdxcompiler: 1.7 (4006, 69e54e29)", "1.7.2308", true),
            ("dxcompiler.dll: 1.7 - 1.7.2308.7 (69e54e290)", "1.7.2308", true),
            ("libdxcompiler: 1.7 (3435, d66bdf94)", "1.7 d66bdf94", true),
            ("libdxcompiler: 1.7 (3435, d66bdf94)", "1.7.2308", false),
            ("dxcompiler.dll: 1.7 - 1.7.23081 (69e54e290)", "1.7.2308", false),
            ("2026.14.1", "2026.14.1", true),
            ("2026.14.1", "2026.14.2", false),
            ("Glslang Version: 11:12.0.0", "12.0.0", true),
            ("dxc of a test", "1.7.2308", false),
        ] {
            assert_eq!(says_version(said, version), expected, "{said} {version}");
        }
    }

    #[test]
    fn an_authority_is_a_compiler_with_its_target_and_layout_option() {
        let dxc = "libdxcompiler: 1.7 (4006, 69e54e29)";
        for (toolchain, said, compiler, version, flags, expected) in [
            ("dxc-dxil", dxc, "dxc", "1.7.2308", Some("-T cs_6_6 -enable-16bit-types"), true),
            ("dxc-dxil", dxc, "dxc", "1.7.2308", Some("-spirv -T cs_6_6"), false),
            ("dxc-spirv", dxc, "dxc", "1.7.2308", Some("-spirv -T cs_6_6"), true),
            ("dxc-spirv", dxc, "dxc", "1.7.2308", Some("-spirv -T cs_6_6 -fvk-use-dx-layout"), false),
            ("dxc-spirv-dx", dxc, "dxc", "1.7.2308", Some("-spirv -T cs_6_6 -fvk-use-dx-layout"), true),
            ("dxc-spirv-dx", dxc, "dxc", "1.7.2308", None, true),
            ("dxc-old-dxil", dxc, "dxc", "1.7.2308", None, true),
            ("slang-vulkan", "2026.14.1", "slang", "2026.14.1", Some("-target spirv -profile sm_6_6"), true),
            ("slang-vulkan", "2026.14.1", "slang", "2026.14.1", Some("-target metal"), false),
            ("slang-webgpu", "2026.14.1", "slang", "2026.14.1", Some("-target wgsl"), true),
            ("glslang", "Glslang Version: 11:12.0.0", "glslang", "12.0.0", None, true),
            ("slang-vulkan", "2026.14.1", "dxc", "2026.14.1", None, false),
        ] {
            let authority = authority(compiler, version, flags);
            assert_eq!(is_authority(&authority, named(toolchain), said), expected, "{toolchain} {authority}");
        }
    }

    #[test]
    fn a_case_says_which_versions_refuse_it_and_how() {
        let file: FileId = SourceMap::default().add("a.toml", "");
        for (by, expected) in
            [("dxc", true), ("dxc < 1.8", true), ("dxc >= 1.8.2405", false), ("slang", false), ("layoutproof", false)]
        {
            let told = ExpectedDiagnostic {
                by: By::Compiler(by.to_owned()),
                code: None,
                line: None,
                message: Some("unknown moon".to_owned()),
                span: Span { file, start: 0, end: 0 },
            };
            let says = |words| is_expected(&told, named("dxc-dxil"), "libdxcompiler: 1.7 (4006, 69e54e29)", words);
            assert_eq!(says("error: unknown moon"), expected, "{by}");
            assert!(!says("error: out of memory"), "{by}");
        }
    }
}
