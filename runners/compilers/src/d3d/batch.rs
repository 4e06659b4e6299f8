//! Many sources in one process of a compiler that serves lines, as `layoutproof-d3d.exe` does.
//!
//! The sources are sent one after the other, each behind the answer to the one before, so the source that kills or stops
//! the process is known, and a new process goes on with the next.

use std::fs;
use std::io;
use std::time::Duration;

use tempfile::TempDir;

use super::Compiled;
use super::session::{Death, Session};
use crate::child::TIME_LIMIT;
use crate::compiler::Compiler;

/// A source, and what is asked of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// HLSL.
    pub text: String,
    /// `cs_5_1`.
    pub profile: String,
    /// Name of the entry point.
    pub entry: String,
    /// Options as fxc.exe or dxc.exe spell them, with a dash: `-Zpr`, `-DNAME=VALUE`, `-I` and an absolute folder.
    pub options: Vec<String>,
}

/// What a compiler made of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// The container, with DXBC or DXIL inside.
    pub container: Vec<u8>,
    /// The compiler's disassembly of it; its comments say what the compiler reports.
    pub listing: String,
    /// Warnings.
    pub diagnostics: String,
}

/// `fxc` or `dxc-1.9` of [`Compiler::known`], kept running.
#[derive(Debug)]
pub struct D3dCompiler {
    compiler: Compiler,
    limit: Duration,
    session: Option<Session>,
    /// The process works here; every source has the same name, so that diagnostics do not depend on its place. Dropped
    /// after the process.
    folder: TempDir,
}

/// Arguments of every source.
const ALWAYS: [&str; 7] = ["-Fo", "object", "-Fc", "listing", "-Fe", "diagnostics", "source.hlsl"];

impl D3dCompiler {
    /// Nothing is started before the first source.
    ///
    /// # Errors
    /// No temporary folder can be made.
    pub fn new(compiler: Compiler) -> io::Result<Self> {
        Ok(Self { compiler, limit: TIME_LIMIT, session: None, folder: tempfile::tempdir()? })
    }

    /// The compiler.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Compiles every source; one answer each, in order.
    pub fn compile(&mut self, sources: &[Source]) -> Vec<Compiled<Object>> {
        sources.iter().map(|source| self.compile_one(source)).collect()
    }

    fn compile_one(&mut self, source: &Source) -> Compiled<Object> {
        let mut arguments = vec!["-T", &source.profile, "-E", &source.entry];
        arguments.extend(source.options.iter().map(String::as_str).chain(ALWAYS));
        if let Some(wrong) = arguments.iter().find(|argument| argument.contains(['\t', '\n', '\r'])) {
            return Compiled::Broken(format!("{}: no argument has tabs or lines: {wrong:?}", self.compiler.name()));
        }
        let answered = self.prepare(source).and_then(|()| self.ask(&arguments.join("\t")));
        answered
            .and_then(|status| self.collect(&status))
            .unwrap_or_else(|error| Compiled::Broken(format!("{}: {error}", self.compiler.name())))
    }

    /// Puts the source where the process reads it, and takes away what the one before left.
    fn prepare(&self, source: &Source) -> io::Result<()> {
        for name in ["object", "listing", "diagnostics"] {
            match fs::remove_file(self.folder.path().join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        fs::write(self.folder.path().join("source.hlsl"), &source.text)
    }

    /// The status that the process answers with, or how it died.
    fn ask(&mut self, line: &str) -> io::Result<Result<String, Death>> {
        // A process that was there before may have been ended by somebody else: a second one decides.
        let attempts = if self.session.is_some() { 2 } else { 1 };
        let mut answer = Err(Death::Ended);
        for _ in 0..attempts {
            let mut session = match self.session.take() {
                Some(session) => session,
                None => Session::start(self.compiler.command().current_dir(self.folder.path()))?,
            };
            answer = session.ask(line, self.limit);
            if answer.is_ok() {
                self.session = Some(session);
            }
            if answer != Err(Death::Ended) {
                break;
            }
        }
        Ok(answer)
    }

    fn collect(&self, answer: &Result<String, Death>) -> io::Result<Compiled<Object>> {
        let text = |name: &str| {
            fs::read(self.folder.path().join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(match answer.as_ref().map(|status| status.trim()) {
            Ok("0") => Compiled::Made(Object {
                container: fs::read(self.folder.path().join("object"))?,
                listing: text("listing")?,
                diagnostics: text("diagnostics")?,
            }),
            Ok("1") => Compiled::Refused(text("diagnostics")?),
            Ok(other) => Compiled::Broken(format!("{} answered `{other}`", self.compiler.name())),
            Err(death) => Compiled::Broken(format!("{} {death}", self.compiler.name())),
        })
    }
}
