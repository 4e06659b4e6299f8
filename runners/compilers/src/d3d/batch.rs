//! Compiles sources with a Windows compiler in one process, and translates what FXC makes to SPIR-V
//! that keeps Direct3D's offsets.

use std::fs;
use std::io;
use std::sync::{Mutex, PoisonError};

use super::executable::{Executable, NoExecutable, translate};
use crate::child::OUTPUT_LIMIT;
use crate::compiler::{Compiler, CompilerAnswer};
use crate::regular_file;
use crate::scratch::ScratchFolder;
use crate::service::{CompileService, LineService};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct D3dSource {
    pub text: String,
    /// For example `cs_5_1`.
    pub profile: String,
    pub entry: String,
    /// Options in the spelling of fxc.exe and dxc.exe, with a dash: `-Zpr`, `-DNAME=VALUE`, `-I`
    /// and an absolute folder.
    pub options: Vec<String>,
}

/// The files that a compiler wrote for a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct D3dObject {
    /// The container, with DXBC or DXIL inside.
    pub container: Vec<u8>,
    /// The compiler's disassembly of it, with the compiler's reports in comments.
    pub listing: String,
    /// The compiler's warnings.
    pub diagnostics: String,
}

/// The result of compiling a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum D3dOutcome<T> {
    Made(T),
    /// The compiler refused the source; the text is its message.
    Refused(String),
    /// The compiler crashed, hung or could not be run; the text is a sentence.
    Broken(String),
}

/// `fxc` or `dxc-1.9` of [`Compiler::known`], kept running. Starts nothing before the first source.
#[derive(Debug)]
pub struct D3dCompiler {
    compiler: Compiler,
    service: LineService,
    /// Every source has the same name in this folder, so that diagnostics do not depend on its
    /// place.
    folder: ScratchFolder,
}

const OBJECT: &str = "object";
const SOURCE: &str = "source.hlsl";

impl D3dCompiler {
    /// Takes the time limit for a source from `compiler`.
    pub fn new(compiler: Compiler) -> io::Result<Self> {
        Ok(Self { service: LineService::new(compiler.clone()), compiler, folder: ScratchFolder::new()? })
    }

    /// Compiles every source; one answer each, in order. A source that kills or blocks the process
    /// does not affect the next one.
    pub fn compile(&mut self, sources: &[D3dSource]) -> Vec<D3dOutcome<D3dObject>> {
        let broken = |error| D3dOutcome::Broken(format!("{}: {error}", self.compiler.name()));
        sources.iter().map(|source| self.compile_one(source).unwrap_or_else(broken)).collect()
    }

    fn compile_one(&self, source: &D3dSource) -> io::Result<D3dOutcome<D3dObject>> {
        let folder = self.folder.path();
        fs::write(folder.join(SOURCE), &source.text)?;
        match fs::remove_file(folder.join(OBJECT)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }

        let mut arguments = vec!["-T", &source.profile, "-E", &source.entry];
        arguments.extend(source.options.iter().map(String::as_str).chain(["-Fo", OBJECT, SOURCE]));
        let finished = self.service.run(folder, &arguments, self.compiler.limit())?;
        Ok(match self.compiler.answer(Ok(finished)) {
            CompilerAnswer::Accepted(finished) => D3dOutcome::Made(D3dObject {
                container: regular_file::read(&folder.join(OBJECT), OUTPUT_LIMIT).map_err(io::Error::other)?,
                listing: finished.stdout,
                diagnostics: finished.stderr,
            }),
            CompilerAnswer::Refused(finished) => D3dOutcome::Refused(finished.stderr),
            CompilerAnswer::Broken(how) => D3dOutcome::Broken(how),
        })
    }
}

/// FXC, kept running, followed by vkd3d-compiler.
#[derive(Debug)]
pub struct Fxc {
    compiler: Mutex<D3dCompiler>,
    translator: Compiler,
}

#[derive(Debug)]
pub struct FxcProgram {
    pub object: D3dObject,
    /// The module that vkd3d-compiler makes of it.
    pub executable: Result<Executable, NoExecutable>,
}

impl Fxc {
    /// Takes `fxc` and `vkd3d` of [`Compiler::known`], and starts nothing yet.
    pub fn new(fxc: Compiler, vkd3d: Compiler) -> io::Result<Self> {
        Ok(Self { compiler: Mutex::new(D3dCompiler::new(fxc)?), translator: vkd3d })
    }

    /// Compiles every source; one answer each, in order. Threads take turns.
    pub fn compile_all(&self, sources: &[D3dSource]) -> Vec<D3dOutcome<FxcProgram>> {
        // A panicking thread drops the process, so it leaves no half-read answer.
        let objects = self.compiler.lock().unwrap_or_else(PoisonError::into_inner).compile(sources);
        objects.into_iter().map(|compiled| self.finish(compiled)).collect()
    }

    fn finish(&self, compiled: D3dOutcome<D3dObject>) -> D3dOutcome<FxcProgram> {
        match compiled {
            D3dOutcome::Made(object) => {
                let executable = translate(&self.translator, &object);
                D3dOutcome::Made(FxcProgram { object, executable })
            }
            D3dOutcome::Refused(said) => D3dOutcome::Refused(said),
            D3dOutcome::Broken(how) => D3dOutcome::Broken(how),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Serves lines like `layoutproof-d3d.exe`, and obeys the source.
    const SCRIPT: &str = r#"
        while read -r line; do
            cp source.hlsl object
            echo "$line" >stdout
            echo "error: said" >stderr
            case $(cat source.hlsl) in
            crash) exit 3 ;;
            hang) exec sleep 1000 ;;
            refuse) echo 1 ;;
            fail) echo "2 cannot read it" ;;
            *) echo 0 ;;
            esac
        done"#;

    fn compiler() -> D3dCompiler {
        let fake = Compiler::script("fake", SCRIPT).with_limit(Duration::from_secs(2));
        D3dCompiler::new(fake).expect("a temporary folder")
    }

    fn source(text: &str) -> D3dSource {
        let (profile, entry) = ("cs_5_1".to_owned(), "main".to_owned());
        D3dSource { text: text.to_owned(), profile, entry, options: vec!["-DX=a b".to_owned()] }
    }

    #[test]
    fn every_source_has_its_own_answer() {
        let told = compiler().compile(&["a", "refuse", "crash", "b", "hang", "fail", "c"].map(source));
        let told = told.into_iter().map(|compiled| match compiled {
            D3dOutcome::Made(object) => format!("made of {}", String::from_utf8_lossy(&object.container)),
            D3dOutcome::Refused(said) => format!("refused: {}", said.trim()),
            D3dOutcome::Broken(how) => how,
        });
        let expected = [
            "made of a",
            "refused: error: said",
            "fake ended without an answer",
            "made of b",
            "fake gave no answer within 2s",
            "fake: cannot read it",
            "made of c",
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn arguments_keep_their_spaces() {
        let Some(D3dOutcome::Made(object)) = compiler().compile(&[source("a")]).pop() else { panic!("not made") };
        assert!(object.listing.contains("\t-T\tcs_5_1\t-E\tmain\t-DX=a b\t-Fo\tobject\tsource.hlsl\n"), "{object:?}");
        assert_eq!(object.diagnostics, "error: said\n");
    }
}
