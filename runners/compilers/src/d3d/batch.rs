//! Compiles many sources in one process of a compiler that serves lines, like
//! `layoutproof-d3d.exe`.
//!
//! It sends a source only after the answer to the one before. So it knows which source kills or
//! blocks the process, and a new process continues with the next one.

use std::fs;
use std::io;
use std::time::Duration;

use crate::compiler::Compiler;
use crate::line_service::{Server, SessionDeath, command_line, read_file};
use crate::scratch::ScratchFolder;

/// A source with its profile, entry point and options.
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
    /// The compiled result.
    Made(T),
    /// The compiler refused the source; the text is its message.
    Refused(String),
    /// The compiler crashed, hung or could not be run; the text is a sentence.
    Broken(String),
}

/// `fxc` or `dxc-1.9` of [`Compiler::known`], kept running.
#[derive(Debug)]
pub struct D3dCompiler {
    server: Server,
    limit: Duration,
    /// The working folder of the process. Every source has the same name, so that diagnostics do
    /// not depend on its place. Dropped after the process.
    folder: ScratchFolder,
}

/// Arguments of every source.
const ALWAYS: [&str; 7] = ["-Fo", "object", "-Fc", "listing", "-Fe", "diagnostics", "source.hlsl"];

impl D3dCompiler {
    /// Starts nothing before the first source. The time limit for a source is that of `compiler`.
    ///
    /// # Errors
    /// No temporary folder can be made.
    pub fn new(compiler: Compiler) -> io::Result<Self> {
        let limit = compiler.limit();
        Ok(Self { server: Server::new(compiler), limit, folder: ScratchFolder::new()? })
    }

    pub fn compiler(&self) -> &Compiler {
        self.server.compiler()
    }

    /// Compiles every source; one answer each, in order.
    pub fn compile(&mut self, sources: &[D3dSource]) -> Vec<D3dOutcome<D3dObject>> {
        sources.iter().map(|source| self.compile_one(source)).collect()
    }

    fn compile_one(&mut self, source: &D3dSource) -> D3dOutcome<D3dObject> {
        let mut arguments = vec!["-T", &source.profile, "-E", &source.entry];
        arguments.extend(source.options.iter().map(String::as_str).chain(ALWAYS));
        self.ask(source, &arguments)
            .unwrap_or_else(|error| D3dOutcome::Broken(format!("{}: {error}", self.compiler().name())))
    }

    fn ask(&mut self, source: &D3dSource, arguments: &[&str]) -> io::Result<D3dOutcome<D3dObject>> {
        let line = command_line(arguments)?;
        self.prepare(source)?;
        let answer = self.server.ask(&line, self.folder.path(), self.limit)?;
        self.collect(&answer)
    }

    /// Writes the source to the process's folder, and removes the files of the source before.
    fn prepare(&self, source: &D3dSource) -> io::Result<()> {
        for name in ["object", "listing", "diagnostics"] {
            match fs::remove_file(self.folder.path().join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        fs::write(self.folder.path().join("source.hlsl"), &source.text)
    }

    /// Reads the files that belong to the answer.
    fn collect(&self, answer: &Result<String, SessionDeath>) -> io::Result<D3dOutcome<D3dObject>> {
        let folder = self.folder.path();
        let text = |name: &str| read_file(folder, name).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());

        Ok(match answer.as_deref() {
            Ok("0") => D3dOutcome::Made(D3dObject {
                container: read_file(folder, "object")?,
                listing: text("listing")?,
                diagnostics: text("diagnostics")?,
            }),
            Ok("1") => D3dOutcome::Refused(text("diagnostics")?),
            Ok(other) => D3dOutcome::Broken(format!("{} answered `{other}`", self.compiler().name())),
            Err(death) => D3dOutcome::Broken(format!("{} {death}", self.compiler().name())),
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Serves lines like `layoutproof-d3d.exe`, and obeys the source. Each process adds a line to
    /// `starts`.
    const SCRIPT: &str = r#"
        echo >>starts
        while read -r line; do
            cp source.hlsl object
            echo "$line" >listing
            echo "said" >diagnostics
            case $(cat source.hlsl) in
            crash) exit 3 ;;
            hang) exec sleep 1000 ;;
            refuse) echo 1 ;;
            babble) echo what ;;
            leave) echo 0; exit ;;
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

    /// Asserts that these are the answers. Returns the number of processes that it took.
    fn check(wanted: &[(&str, &str)]) -> usize {
        let mut compiler = compiler();
        let sources: Vec<D3dSource> = wanted.iter().map(|(text, _)| source(text)).collect();
        let told = compiler.compile(&sources).into_iter().map(|compiled| match compiled {
            D3dOutcome::Made(object) => format!("made of {}", String::from_utf8_lossy(&object.container)),
            D3dOutcome::Refused(said) => format!("refused: {}", said.trim()),
            D3dOutcome::Broken(how) => how,
        });
        let wanted: Vec<_> = wanted.iter().map(|(_, answer)| (*answer).to_owned()).collect();
        assert_eq!(told.collect::<Vec<_>>(), wanted);
        fs::read_to_string(compiler.folder.path().join("starts")).expect("the script writes it").lines().count()
    }

    #[test]
    fn one_process_serves_many_sources() {
        assert_eq!(check(&[("a", "made of a"), ("refuse", "refused: said"), ("b", "made of b")]), 1);
    }

    #[test]
    fn the_source_that_kills_or_stops_the_process_is_named() {
        let crash = ("crash", "fake ended without an answer");
        let hang = ("hang", "fake gave no answer in 2s");
        // A fresh process retries the crash, and another one compiles the last source after the
        // hang.
        assert_eq!(check(&[("a", "made of a"), crash, ("b", "made of b"), hang, ("c", "made of c")]), 4);
    }

    #[test]
    fn a_process_that_was_gone_before_is_nobodys_fault() {
        assert_eq!(check(&[("leave", "made of leave"), ("a", "made of a")]), 2);
    }

    #[test]
    fn nonsense_is_no_answer() {
        assert_eq!(check(&[("babble", "fake answered `what`"), ("a", "made of a")]), 2);
    }

    #[test]
    fn arguments_keep_their_spaces_and_cannot_hold_tabs() {
        let D3dOutcome::Made(object) = compiler().compile_one(&source("a")) else { panic!("not made") };
        let line = "-T\tcs_5_1\t-E\tmain\t-DX=a b\t-Fo\tobject\t-Fc\tlisting\t-Fe\tdiagnostics\tsource.hlsl\n";
        assert_eq!((object.listing.as_str(), object.diagnostics.as_str()), (line, "said\n"));
        let tab = D3dSource { entry: "a\tb".to_owned(), ..source("a") };
        let broken = D3dOutcome::Broken("fake: an argument must not contain tabs or line breaks: \"a\\tb\"".to_owned());
        assert_eq!(compiler().compile_one(&tab), broken);
    }
}
