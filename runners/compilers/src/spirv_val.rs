//! Runs the SPIR-V validator (`spirv-val` of SPIRV-Tools) as a child process.
//!
//! It alone decides if a module is valid; validation layers only report.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use layoutproof_core::check::verdict::Validation;
use layoutproof_core::results::frozen::manifest::{dotted_version, version_order};
use layoutproof_device::{Feature, word_bytes};
use layoutproof_generators::spirv::required_feature;
use layoutproof_layout::BlockRules;
use layoutproof_probes::AddressSpace;
use layoutproof_readers::spirv::{features_of, target_environment};
use layoutproof_readers::toolchain::AnswerOrigin;
use layoutproof_source::version_range::VersionRange;

use crate::cache::{
    AnswerCache, AnswerOfProgram, CacheSlot, CanaryQuestion, DecidingFiles, EntryKind, ProgramQuestion,
};
use crate::compiler::{Invocation, ProgramOrigin};
use crate::programs::{FetchedProgram, PrivateProgram};
use crate::search_path::{named, on_path};
use crate::tools_folder::ToolsFolder;

/// The validator of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpirvVal {
    /// The build of the distribution, which validates the modules of cases: their records name it.
    usual: Build,
    /// The fetched build, which is later: for modules of users' files, and those that the usual one does not know.
    newer: Option<Build>,
}

/// What a module is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModuleOrigin {
    Case,
    UserFile,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Build {
    invocation: Invocation,
    version: String,
    /// False for a fetched build that is later than the one that was tried.
    is_tried: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidatorAnswer {
    pub validation: Validation,
    pub origin: AnswerOrigin,
}

#[derive(Debug, thiserror::Error)]
enum NoAnswer {
    #[error("spirv-val: {0}")]
    Io(#[from] io::Error),
    #[error("spirv-val ended with {0}")]
    Ended(ExitStatus),
}

/// The environment variable that names the validator.
const VARIABLE: &str = "SPIRV_VAL";

/// The build of a newer Debian that the set-up fetches.
const NEWER: FetchedProgram =
    FetchedProgram::Rooted(PrivateProgram { root: "tools/khronos-current", program: "bin/spirv-val" });

/// The versions of that build that were tried; Debian sid moves. What a later one rejects is reported
/// and not counted. `ci/versions.sh` has the number, too.
const TRIED: &str = "<= 2026.4";

impl SpirvVal {
    /// Finds the validator that `SPIRV_VAL` names, which then validates every module; otherwise the
    /// one on the `PATH`, with the fetched one for the modules of users' files and those that the first does not
    /// know. `None` if none of them answers.
    pub fn find() -> Option<Self> {
        if let Some(program) = std::env::var_os(VARIABLE) {
            let program = Invocation::of(named(&program)?, ProgramOrigin::Variable(VARIABLE));
            return Some(Self { usual: Build::of(program)?, newer: None });
        }
        let usual = on_path("spirv-val").and_then(|path| Build::of(Invocation::of(path, ProgramOrigin::SearchPath)));
        match (usual, Build::fetched()) {
            (Some(usual), Some(newer)) => {
                Some(Self { newer: Some(newer).filter(|newer| newer.is_after(&usual)), usual })
            }
            (Some(usual), None) => Some(Self { usual, newer: None }),
            (None, newer) => Some(Self { usual: newer?, newer: None }),
        }
    }

    pub fn program(&self) -> &Path {
        self.usual.invocation.file()
    }

    pub fn origin(&self) -> ProgramOrigin {
        self.usual.invocation.origin
    }

    pub fn version(&self) -> &str {
        &self.usual.version
    }

    /// The version of the build for modules that the usual one does not know.
    pub fn newer_version(&self) -> Option<&str> {
        self.newer.as_ref().map(|newer| newer.version.as_str())
    }

    /// Validates a module under these rules for explicit layouts. If a module breaks them,
    /// validates it under the looser rules, too, to find the feature that a device would need. Does
    /// not ask again for answers in `cache`.
    pub fn validate(
        &self,
        words: &[u32],
        rules: BlockRules,
        made_of: ModuleOrigin,
        cache: Option<&AnswerCache>,
    ) -> ValidatorAnswer {
        let verdict = self.under(words, rules, made_of, cache);
        let Validation::Invalid(message) = verdict.validation else { return verdict };

        // A module that cannot be read is not valid under any rules.
        let features = features_of(words).unwrap_or_default();
        let space =
            if features.contains(&Feature::WorkgroupLayout) { AddressSpace::Workgroup } else { AddressSpace::Storage };
        let mut origin = verdict.origin;
        for looser in BlockRules::ALL.into_iter().filter(|other| *other > rules) {
            let other = self.under(words, looser, made_of, cache);
            origin = origin.and(other.origin);
            if let (Validation::Valid, Some(feature)) = (other.validation, required_feature(looser, space)) {
                return ValidatorAnswer { validation: Validation::ValidOnlyWith { feature, message }, origin };
            }
        }
        ValidatorAnswer { validation: Validation::Invalid(message), origin }
    }

    fn under(
        &self,
        words: &[u32],
        rules: BlockRules,
        made_of: ModuleOrigin,
        cache: Option<&AnswerCache>,
    ) -> ValidatorAnswer {
        // A build that was not tried decides nothing.
        if let Some(newer) = self.newer.as_ref().filter(|newer| made_of == ModuleOrigin::UserFile && newer.is_tried) {
            let answer = newer.under(words, rules, cache);
            return match answer.validation {
                Validation::Invalid(message) => {
                    let message = format!("spirv-val {}: {message}", dotted_version(&newer.version));
                    ValidatorAnswer { validation: Validation::Invalid(message), ..answer }
                }
                Validation::Valid | Validation::ValidOnlyWith { .. } | Validation::NotRun(_) => answer,
            };
        }
        let answer = self.usual.under(words, rules, cache);
        match (&answer.validation, &self.newer) {
            (Validation::Invalid(message), Some(newer)) if is_unknown(message) => newer.under(words, rules, cache),
            (Validation::Invalid(message), None) if is_unknown(message) => {
                let reason = format!("{} does not know all of the module: {message}", self.usual.version);
                ValidatorAnswer { validation: Validation::NotRun(reason), origin: answer.origin }
            }
            _ => answer,
        }
    }
}

/// True if spirv-val refuses a module because it does not know one of its numbers: those of a
/// capability, an instruction or an operand that is later than this spirv-val.
///
/// Source: `source/binary.cpp` of SPIRV-Tools, `Invalid opcode: ` and `Invalid ... operand: `.
fn is_unknown(message: &str) -> bool {
    message.lines().filter_map(|line| line.split_once(": Invalid ")).any(|(_, what)| {
        let number = what.strip_prefix("opcode: ").or_else(|| Some(what.split_once(" operand: ")?.1));
        number.is_some_and(|number| number.trim().parse::<u32>().is_ok())
    })
}

/// True if a fetched build that prints this version was tried.
fn is_tried(version: &str) -> bool {
    TRIED.parse().is_ok_and(|tried: VersionRange| tried.contains(version))
}

/// The fixed question to a validator: the smallest valid module.
fn canary() -> CanaryQuestion {
    // SPIR-V 1.0 with `OpCapability Shader`, `OpCapability Linkage` and
    // `OpMemoryModel Logical GLSL450`.
    let words = [0x0723_0203, 0x0001_0000, 0, 1, 0, 0x0002_0011, 1, 0x0002_0011, 5, 0x0003_000e, 0, 1];
    let files = BTreeMap::from([("canary.spv".to_owned(), word_bytes(&words))]);
    CanaryQuestion { arguments: vec!["canary.spv".to_owned()], files }
}

impl Build {
    fn of(invocation: Invocation) -> Option<Self> {
        let output = invocation.command().arg("--version").stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next().unwrap_or("spirv-val").trim().to_owned();
        output.status.success().then_some(Self { invocation, version, is_tried: true })
    }

    fn is_after(&self, other: &Self) -> bool {
        let number = |build: &Self| version_order(&dotted_version(&build.version));
        number(self) > number(other)
    }

    /// The build in the tools folder, unless other users can change it.
    fn fetched() -> Option<Self> {
        let tools = ToolsFolder::find().ok()?;
        let invocation = NEWER.invocation(tools.path())?;
        NEWER.inspect(&tools).ok()?;
        let build = Self::of(invocation)?;
        Some(Self { is_tried: is_tried(&build.version), ..build })
    }

    fn under(&self, words: &[u32], rules: BlockRules, cache: Option<&AnswerCache>) -> ValidatorAnswer {
        let environment = ["--target-env", target_environment(words)];
        let arguments = environment.into_iter().chain(rules.spirv_val_flags().iter().copied()).chain(["-"]);
        let arguments: Vec<String> = arguments.map(str::to_owned).collect();
        let bytes = word_bytes(words);

        let (kind, files) = (EntryKind::Validation, BTreeMap::new());
        let program = self.invocation.deciding_files(DecidingFiles::default(), &self.version, canary());
        let question = ProgramQuestion { kind, program: &program, arguments: &arguments, files: &files, input: &bytes };
        let slot = cache.and_then(|cache| cache.slot(&question));
        let (answer, origin) = if let Some((answer, origin)) = slot.as_ref().and_then(CacheSlot::recall) {
            (Ok(answer), origin)
        } else {
            if let Some(cache) = cache {
                cache.note_asked(kind, slot.as_ref());
            }
            let answer = self.run(&arguments, &bytes);
            if let (Some(slot), Ok(answer)) = (&slot, &answer) {
                slot.keep(answer);
            }
            (answer, AnswerOrigin::Asked)
        };

        let validation = match answer {
            Ok(AnswerOfProgram { status: 0, .. }) => Validation::Valid,
            Ok(AnswerOfProgram { stdout, stderr, .. }) => self.rejection((stderr + &stdout).trim()),
            Err(reason) => Validation::NotRun(reason.to_string()),
        };
        ValidatorAnswer { validation, origin }
    }

    /// What a message of this build about a module means.
    fn rejection(&self, message: &str) -> Validation {
        if self.is_tried {
            Validation::Invalid(message.to_owned())
        } else {
            Validation::NotRun(format!("{} was not tried yet; it says: {message}", self.version))
        }
    }

    fn run(&self, arguments: &[String], module: &[u8]) -> Result<AnswerOfProgram, NoAnswer> {
        let mut child = self
            .invocation
            .command()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;

        // A validator that gives up early closes its input; its output has the reason.
        let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(module));
        let output = child.wait_with_output()?;

        let status = output.status.code().ok_or(NoAnswer::Ended(output.status))?;
        if status == 0 {
            written?;
        }
        let [stdout, stderr] = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        Ok(AnswerOfProgram { status, stdout, stderr, files: BTreeMap::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of SPIRV-Tools 2023.1: untyped pointers, a later instruction, and other errors.
    #[test]
    fn unknown_numbers_are_distinguished_from_errors() {
        for (message, unknown) in [
            ("error: line 2: Invalid capability operand: 4473", true),
            ("error: line 9: Invalid opcode: 4417", true),
            ("error: line 0: Invalid SPIR-V magic number.", false),
            (
                "error: line 12: Structure id 7 decorated as Block for variable in Uniform storage class must follow",
                false,
            ),
        ] {
            assert_eq!(is_unknown(message), unknown, "{message}");
        }
    }

    /// Debian 12 has SPIRV-Tools 2023.1, and a user may have no other.
    #[cfg(unix)]
    #[test]
    fn a_module_later_than_the_validator_is_not_invalid() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("spirv-val");
        std::fs::write(&program, "#!/bin/sh\necho 'error: line 2: Invalid capability operand: 4473' >&2\nexit 1\n")
            .unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let usual = Build {
            invocation: Invocation::of(program, ProgramOrigin::SearchPath),
            version: "SPIRV-Tools v2023.1".to_owned(),
            is_tried: true,
        };
        let answer =
            SpirvVal { usual, newer: None }.validate(&[0x0723_0203], BlockRules::Relaxed, ModuleOrigin::Case, None);
        let reason =
            "SPIRV-Tools v2023.1 does not know all of the module: error: line 2: Invalid capability operand: 4473";
        assert_eq!(answer.validation, Validation::NotRun(reason.to_owned()));
    }

    /// The newest build validates what users wrote, and cases keep the build that their records name.
    #[cfg(unix)]
    #[test]
    fn the_newest_build_validates_the_modules_of_files() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let build = |version: &str, is_tried: bool| {
            let program = folder.path().join(version);
            let says = format!("#!/bin/sh\necho 'error: line 2: {version} refuses it' >&2\nexit 1\n");
            std::fs::write(&program, says).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
            let invocation = Invocation::of(program, ProgramOrigin::SearchPath);
            Build { invocation, version: format!("SPIRV-Tools v{version}"), is_tried }
        };
        let (usual, newer) = (build("2023.1", true), build("2026.4", true));
        assert!(newer.is_after(&usual) && !usual.is_after(&newer));
        let says = |newer: Build, made_of| {
            let both = SpirvVal { usual: usual.clone(), newer: Some(newer) };
            let answer = both.validate(&[0x0723_0203], BlockRules::Scalar, made_of, None);
            format!("{:?}", answer.validation)
        };
        assert!(says(newer.clone(), ModuleOrigin::UserFile).contains("2026.4 refuses"));
        assert!(says(newer, ModuleOrigin::Case).contains("2023.1 refuses"));
        assert!(says(build("2027.1", false), ModuleOrigin::UserFile).contains("2023.1 refuses"));
    }

    #[test]
    fn what_a_build_says_that_was_not_tried_is_reported_and_not_counted() {
        let tried = "SPIRV-Tools v2026.4 unknown hash, 2026-10-02T11:54:22+00:00";
        let later = "SPIRV-Tools v2027.1 unknown hash, 2027-02-02T11:54:22+00:00";
        assert!(is_tried(tried) && !is_tried(later));

        let build = |version: &str| Build {
            invocation: Invocation::of("spirv-val".into(), ProgramOrigin::SearchPath),
            version: version.to_owned(),
            is_tried: is_tried(version),
        };
        let message = "error: line 7: OpSpook is no instruction";
        assert_eq!(build(tried).rejection(message), Validation::Invalid(message.to_owned()));
        let reported = Validation::NotRun(format!("{later} was not tried yet; it says: {message}"));
        assert_eq!(build(later).rejection(message), reported);
    }
}
