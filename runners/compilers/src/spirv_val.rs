//! The SPIR-V validator (`spirv-val` of SPIRV-Tools) as a child process.
//!
//! It alone decides whether a module is valid; validation layers only report.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use layoutproof_core::check::verdict::Validation;
use layoutproof_core::generate::spirv::required_feature;
use layoutproof_layout::BlockRules;

use crate::compiler::ProgramOrigin;
use crate::search_path::{named, on_path};

/// The validator on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpirvVal {
    program: PathBuf,
    origin: ProgramOrigin,
    version: String,
}

/// The environment variable that names the validator.
const VARIABLE: &str = "SPIRV_VAL";

/// The environment whose rules modules must meet.
const TARGET: &str = "vulkan1.1";

impl SpirvVal {
    /// The validator that `SPIRV_VAL` names, or the one on the `PATH`; `None` if neither answers.
    pub fn find() -> Option<Self> {
        let (program, origin) = match std::env::var_os(VARIABLE) {
            Some(program) => (named(&program)?, ProgramOrigin::Variable(VARIABLE)),
            None => (on_path("spirv-val")?, ProgramOrigin::SearchPath),
        };
        let version = version(&program)?;
        Some(Self { program, origin, version })
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Why it is this program.
    pub fn origin(&self) -> ProgramOrigin {
        self.origin
    }

    /// The first line that the validator prints about itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Validates a module under these rules for explicit layouts. A module that breaks them is validated under the looser
    /// ones, too, to tell what a device would have to allow.
    pub fn validate(&self, words: &[u32], rules: BlockRules) -> Validation {
        let verdict = self.under(words, rules);
        let Validation::Invalid(message) = verdict else { return verdict };

        let looser = BlockRules::ALL.into_iter().filter(|other| *other > rules);
        let enough = looser.filter(|rules| self.under(words, *rules) == Validation::Valid).find_map(required_feature);
        match enough {
            Some(feature) => Validation::ValidOnlyWith { feature, message },
            None => Validation::Invalid(message),
        }
    }

    fn under(&self, words: &[u32], rules: BlockRules) -> Validation {
        self.run(words, rules.spirv_val_flag())
            .unwrap_or_else(|error| Validation::NotRun(format!("spirv-val: {error}")))
    }

    fn run(&self, words: &[u32], flag: Option<&str>) -> std::io::Result<Validation> {
        let mut child = Command::new(&self.program)
            .args(["--target-env", TARGET])
            .args(flag)
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;

        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // A validator that gives up early closes its input; its output says why.
        let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(&bytes));
        let output = child.wait_with_output()?;

        match output.status.code() {
            Some(0) => written.map(|()| Validation::Valid),
            Some(_) => {
                let said = [output.stderr, output.stdout].concat();
                Ok(Validation::Invalid(String::from_utf8_lossy(&said).trim().to_owned()))
            }
            None => Ok(Validation::NotRun(format!("spirv-val ended with {}", output.status))),
        }
    }
}

fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.lines().next().unwrap_or("spirv-val").trim().to_owned())
}
