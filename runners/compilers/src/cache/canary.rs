//! Asks a program one fixed question in each run: its answer, and the code that it runs for it, are part
//! of the program's identity.
//!
//! The files of a program do not always decide its answers: it may be a launcher, which starts the
//! compiler that a configuration names, or load a library that one names, or ask another process.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use std::{
    fs::File,
    io::{Read, Seek},
    process::{Command, Stdio},
    time::Duration,
};

use super::store::{CacheKey, KeyParts};
use crate::child::OUTPUT_LIMIT;
use crate::regular_file;
#[cfg(target_os = "linux")]
use crate::{scratch::ScratchFolder, search_path::keep_absolute_path};

/// Time limit for the answer.
#[cfg(target_os = "linux")]
const LIMIT: Duration = Duration::from_secs(60);

/// The fixed question: arguments, and the files that they name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CanaryQuestion {
    pub(crate) arguments: Vec<String>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// The fixed question to one program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Canary {
    pub(crate) program: PathBuf,
    /// Arguments that precede those of the question.
    pub(crate) leading: Vec<OsString>,
    pub(crate) environment: Vec<(&'static str, OsString)>,
    pub(crate) question: CanaryQuestion,
}

/// What a program did for the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CanaryAnswer {
    /// SHA-256 of exit status, output and files.
    pub(super) digest: CacheKey,
    /// The programs that it started.
    pub(super) started: BTreeSet<PathBuf>,
    /// The files whose code was mapped.
    pub(super) mapped: BTreeSet<PathBuf>,
}

impl Canary {
    /// Asks the program.
    ///
    /// # Errors
    /// It cannot be started or traced, or gives no answer.
    #[cfg(target_os = "linux")]
    pub(super) fn ask(&self) -> io::Result<CanaryAnswer> {
        let folder = ScratchFolder::new()?;
        for (name, content) in &self.question.files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            fs::write(path, content)?;
        }
        let output = [tempfile::tempfile()?, tempfile::tempfile()?];
        let mut command = Command::new(&self.program);
        keep_absolute_path(&mut command);
        command.args(&self.leading).args(&self.question.arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value))).current_dir(folder.path());
        command.stdin(Stdio::null()).stdout(output[0].try_clone()?).stderr(output[1].try_clone()?);

        let trace = super::traced::trace(&mut command, LIMIT)?;
        let status = trace.status.ok_or_else(|| io::Error::other("it was killed"))?;
        let mut parts = KeyParts::of_kind("canary");
        parts.add(&status.to_le_bytes());
        for file in output {
            parts.add(&printed(file)?);
        }
        for (name, content) in self.written(folder.path())? {
            parts.add(name.as_encoded_bytes());
            parts.add(&content);
        }
        Ok(CanaryAnswer { digest: parts.key(), started: trace.started, mapped: trace.mapped })
    }

    /// Other systems show nothing of what a program starts.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn ask(&self) -> io::Result<CanaryAnswer> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The files that the program wrote, by name.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux asks"))]
    fn written(&self, folder: &Path) -> io::Result<BTreeMap<OsString, Vec<u8>>> {
        let mut written = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            let is_given = |given: &String| Path::new(given).iter().next() == Some(&name);
            if !self.question.files.keys().any(is_given) {
                let content = regular_file::read(&folder.join(&name), OUTPUT_LIMIT).map_err(io::Error::other)?;
                written.insert(name, content);
            }
        }
        Ok(written)
    }
}

#[cfg(target_os = "linux")]
fn printed(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(OUTPUT_LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
