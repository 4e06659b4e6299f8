//! Runs the SPIR-V validator (`spirv-val` of SPIRV-Tools) as a child process.
//!
//! It alone decides if a module is valid; validation layers only report.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use layoutproof_core::check::verdict::Validation;
use layoutproof_device::word_bytes;
use layoutproof_layout::BlockRules;
use layoutproof_probes::generate::spirv::required_feature;
use layoutproof_readers::toolchain::AnswerOrigin;

use crate::cache::{AnswerCache, AnswerOfProgram, CacheSlot, EntryKind, ProgramFiles, ProgramQuestion};
use crate::compiler::ProgramOrigin;
use crate::search_path::{named, on_path};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpirvVal {
    program: PathBuf,
    origin: ProgramOrigin,
    version: String,
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

/// The environment whose rules modules must meet.
const TARGET: &str = "vulkan1.1";

impl SpirvVal {
    /// Finds the validator that `SPIRV_VAL` names, or the one on the `PATH`; `None` if neither
    /// answers.
    pub fn find() -> Option<Self> {
        let (program, origin) = match std::env::var_os(VARIABLE) {
            Some(program) => (named(&program)?, ProgramOrigin::Variable(VARIABLE)),
            None => (on_path("spirv-val")?, ProgramOrigin::SearchPath),
        };
        let version = version(&program)?;
        Some(Self { program, origin, version })
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    pub fn origin(&self) -> ProgramOrigin {
        self.origin
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    /// Validates a module under these rules for explicit layouts. If a module breaks them,
    /// validates it under the looser rules, too, to find the feature that a device would need. Does
    /// not ask again for answers in `cache`.
    pub fn validate(&self, words: &[u32], rules: BlockRules, cache: Option<&AnswerCache>) -> ValidatorAnswer {
        let verdict = self.under(words, rules, cache);
        let Validation::Invalid(message) = verdict.validation else { return verdict };

        let mut origin = verdict.origin;
        for looser in BlockRules::ALL.into_iter().filter(|other| *other > rules) {
            let other = self.under(words, looser, cache);
            origin = origin.and(other.origin);
            if let (Validation::Valid, Some(feature)) = (other.validation, required_feature(looser)) {
                return ValidatorAnswer { validation: Validation::ValidOnlyWith { feature, message }, origin };
            }
        }
        ValidatorAnswer { validation: Validation::Invalid(message), origin }
    }

    fn under(&self, words: &[u32], rules: BlockRules, cache: Option<&AnswerCache>) -> ValidatorAnswer {
        let arguments = ["--target-env", TARGET].into_iter().chain(rules.spirv_val_flag()).chain(["-"]);
        let arguments: Vec<String> = arguments.map(str::to_owned).collect();
        let bytes = word_bytes(words);

        let (kind, files) = (EntryKind::Validation, BTreeMap::new());
        let program = ProgramFiles { program: Some(self.program.clone()), ..ProgramFiles::default() };
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
            Ok(AnswerOfProgram { stdout, stderr, .. }) => Validation::Invalid((stderr + &stdout).trim().to_owned()),
            Err(reason) => Validation::NotRun(reason.to_string()),
        };
        ValidatorAnswer { validation, origin }
    }

    fn run(&self, arguments: &[String], module: &[u8]) -> Result<AnswerOfProgram, NoAnswer> {
        let mut child = Command::new(&self.program)
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

fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.lines().next().unwrap_or("spirv-val").trim().to_owned())
}
