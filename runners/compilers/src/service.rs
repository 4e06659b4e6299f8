//! Processes that answer for a compiler about one source after the other, because starting a
//! compiler takes longer than compiling many sources.
//!
//! [`LineService`] asks compilers under Wine and Dawn's Tint, which read command lines from their
//! standard input. [`LibraryService`] asks processes of our own program that hold the library of
//! DXC or Slang and run [`serve`]. Both are separate processes because compilers crash on some
//! inputs. `toolchains` asks [`CompileServices`] before it starts a compiler; each driver knows
//! which service its compilers have.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use wait_timeout::ChildExt;

use crate::child::{LOOK, OUTPUT_LIMIT, ProcessEnd, ProcessOutput, end_of, is_ending, run};
use crate::compiler::Compiler;
use crate::process_tree::ProcessTree;
use crate::programs::WINE_PREFIX_VARIABLE;
use crate::regular_file;

/// Processes that answer for a compiler. Many threads may ask at once.
pub(crate) trait CompileService: fmt::Debug + Send + Sync {
    /// Does what the compiler does with these arguments in `folder`, and leaves its files there.
    fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput>;

    /// False for arguments that only the compiler's program follows.
    fn takes(&self, _arguments: &[&str]) -> bool {
        true
    }
}

/// The service of one compiler, started on first use. The inner value is `None` if the compiler has
/// no service.
type ServiceCell = OnceLock<Option<Box<dyn CompileService>>>;

/// The services of a run's compilers. The first source for a compiler starts its service.
#[derive(Debug)]
pub(crate) struct CompileServices {
    start: fn(&Compiler) -> Option<Box<dyn CompileService>>,
    by_compiler: Mutex<BTreeMap<&'static str, Arc<ServiceCell>>>,
}

impl CompileServices {
    /// Starts nothing yet. `start` will start the services; it returns `None` for a compiler
    /// without one.
    pub(crate) fn new(start: fn(&Compiler) -> Option<Box<dyn CompileService>>) -> Self {
        Self { start, by_compiler: Mutex::default() }
    }

    /// Asks the service of `compiler`; `None` if it has no service.
    pub(crate) fn run(
        &self,
        compiler: &Compiler,
        folder: &Path,
        arguments: &[&str],
    ) -> Option<io::Result<ProcessOutput>> {
        let cell = {
            let mut cells = self.by_compiler.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(compiler.name()).or_default())
        };
        // The start may take a while. Only this compiler's sources wait for it.
        let service = cell.get_or_init(|| (self.start)(compiler)).as_ref().filter(|it| it.takes(arguments))?;
        Some(service.run(folder, arguments, compiler.limit()))
    }
}

/// A process that answers one line with one line, until it dies. Dropping it kills the process.
#[derive(Debug)]
struct Session {
    child: Child,
    tree: ProcessTree,
    /// True if Wine runs it, whose server and services are there for other processes, too.
    is_wine: bool,
    questions: ChildStdin,
    answers: Receiver<String>,
}

impl Session {
    /// Starts the process. Discards its standard error.
    fn start(command: &mut Command) -> io::Result<Self> {
        let is_wine = command.get_envs().any(|(name, _)| name == WINE_PREFIX_VARIABLE);
        ProcessTree::prepare(command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let tree = ProcessTree::below(&child);
        let questions = child.stdin.take().expect("stdin is piped");
        let output = child.stdout.take().expect("stdout is piped");
        let (sender, answers) = channel();
        // A separate thread, because reading from a pipe has no time limit. It ends with the
        // process.
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Ok(Self { child, tree, is_wine, questions, answers })
    }

    /// Sends a line and waits for its answer, which is returned without the line's end.
    fn ask(&mut self, line: &str, limit: Duration) -> Result<String, RecvTimeoutError> {
        writeln!(self.questions, "{line}").map_err(|_| RecvTimeoutError::Disconnected)?;
        let started = Instant::now();
        loop {
            let left = limit.saturating_sub(started.elapsed());
            match self.answers.recv_timeout(left.min(LOOK)) {
                Err(RecvTimeoutError::Timeout) if !left.is_zero() && !is_ending() => {}
                answer => return answer,
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended by itself already.
        if self.is_wine {
            let _ = self.child.kill();
            let _ = self.child.wait();
        } else {
            let _ = self.tree.kill(&mut self.child);
        }
    }
}

/// The processes that wait for their next source. There are as many as there were requests at once.
#[derive(Debug, Default)]
struct IdleSessions(Mutex<Vec<Session>>);

impl IdleSessions {
    fn take(&self) -> Option<Session> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put_back(&self, session: Session) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    }
}

/// The service of a compiler that reads command lines from its standard input.
///
/// A line has the arguments with tabs between them. The compiler writes its files, and answers `0`
/// if it accepts the source, `1` if it refuses it, or `2` and a reason.
#[derive(Debug)]
pub(crate) struct LineService {
    compiler: Compiler,
    idle: IdleSessions,
}

/// Files in the source's folder, to which the compiler writes what it would print.
const LISTING: &str = "stdout";
const DIAGNOSTICS: &str = "stderr";

impl LineService {
    /// Starts nothing before the first source.
    pub(crate) fn new(compiler: Compiler) -> Self {
        Self { compiler, idle: IdleSessions::default() }
    }

    /// The service of a compiler that serves lines; `None` for other compilers.
    pub(crate) fn of(compiler: &Compiler) -> Option<Self> {
        compiler.serves_lines().then(|| Self::new(compiler.clone()))
    }
}

impl CompileService for LineService {
    fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput> {
        let folder = &std::path::absolute(folder)?;
        let place = folder.to_str().ok_or_else(|| io::Error::other("the path of the folder is not UTF-8 text"))?;
        let mut words = vec!["-Cd", place, "-Fc", LISTING, "-Fe", DIAGNOSTICS];
        words.extend(without_listing(arguments));
        if let Some(wrong) = words.iter().find(|word| word.contains(['\t', '\n', '\r'])) {
            return Err(io::Error::other(format!("an argument must not contain tabs or line breaks: {wrong:?}")));
        }
        let line = words.join("\t");

        let mut session = self.idle.take();
        let mut answer = session.as_mut().map_or(Err(RecvTimeoutError::Disconnected), |old| old.ask(&line, limit));
        // Something else may have killed an old process, so a fresh one gets a second attempt.
        if answer == Err(RecvTimeoutError::Disconnected) {
            let fresh = Session::start(self.compiler.command().current_dir(folder))?;
            answer = session.insert(fresh).ask(&line, limit);
        }
        // After an unexpected answer, it is unknown which answer belongs to which source.
        if let (Some(session), Ok("0" | "1")) = (session, answer.as_deref()) {
            self.idle.put_back(session);
        }

        let ended = |end| ProcessOutput { end, stdout: String::new(), stderr: String::new() };
        match answer.as_deref() {
            Ok("0") => {
                let (stdout, stderr) = (take_file(folder, LISTING)?, take_file(folder, DIAGNOSTICS)?);
                Ok(ProcessOutput { end: ProcessEnd::Exited(0), stdout, stderr })
            }
            Ok("1") => Ok(ProcessOutput { stderr: take_file(folder, DIAGNOSTICS)?, ..ended(ProcessEnd::Exited(1)) }),
            Ok(other) => Err(io::Error::other(other.trim_start_matches("2 ").to_owned())),
            Err(RecvTimeoutError::Disconnected) => Ok(ended(ProcessEnd::Unanswered)),
            Err(RecvTimeoutError::Timeout) => Ok(ended(ProcessEnd::TimedOut(limit))),
        }
    }
}

/// Drops `-Fc` and the file of the listing from the arguments; the compiler always gets our own
/// listing file.
fn without_listing<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let Some(at) = arguments.iter().position(|argument| *argument == "-Fc") else { return arguments.to_vec() };
    let after = arguments.get(at + 2..).unwrap_or_default();
    [&arguments[..at], after].concat()
}

/// Reads a text that the compiler wrote, and removes its file.
fn take_file(folder: &Path, name: &str) -> io::Result<String> {
    let path = folder.join(name);
    let bytes = regular_file::read(&path, OUTPUT_LIMIT);
    let bytes = bytes.map_err(|error| io::Error::other(format!("its {name}: {error}")))?;
    fs::remove_file(path)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The service of a compiler's library, which processes of our program load.
///
/// A process greets with the compiler's version. Then each line is JSON: a request is an array of
/// the folder and the arguments, its answer a [`LibraryAnswer`].
#[derive(Debug)]
pub(crate) struct LibraryService {
    program: PathBuf,
    arguments: Vec<OsString>,
    /// Answers for a source that ends a process; `None` to report that end.
    fallback: Option<Compiler>,
    /// An argument that the library does not follow.
    not_followed: Option<&'static str>,
    idle: IdleSessions,
}

/// The output and exit status that the compiler's own program would have had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LibraryAnswer {
    /// 0 if the compiler accepted the source.
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Time limit for a process to load the library.
const START_LIMIT: Duration = Duration::from_secs(60);

/// Time limit for a process to end after it has closed its pipe.
const DEATH_LIMIT: Duration = Duration::from_secs(5);

impl LibraryService {
    /// Starts the service for the library that `program` loads with `arguments`; `None` if it does
    /// not greet with this version.
    pub(crate) fn start(program: PathBuf, arguments: Vec<OsString>, version: &str) -> Option<Self> {
        let service = Self { program, arguments, fallback: None, not_followed: None, idle: IdleSessions::default() };
        let (session, greeting) = service.greeted().ok()?;
        service.idle.put_back(session);
        (greeting == version).then_some(service)
    }

    /// The same service, where this compiler is started for a source that ends a process. The
    /// sources before it may be at fault, and only a process that ends by itself reports how it
    /// ended.
    #[must_use]
    pub(crate) fn with_fallback(self, compiler: &Compiler) -> Self {
        Self { fallback: Some(compiler.clone()), ..self }
    }

    /// The same service, which leaves sources with this argument to the program.
    #[must_use]
    pub(crate) fn except(self, argument: &'static str) -> Self {
        Self { not_followed: Some(argument), ..self }
    }

    fn greeted(&self) -> io::Result<(Session, String)> {
        let session = Session::start(Command::new(&self.program).args(&self.arguments))?;
        match session.answers.recv_timeout(START_LIMIT) {
            Ok(greeting) => Ok((session, greeting)),
            Err(_) => Err(io::Error::other("the process that loads the library did not start")),
        }
    }

    fn ask(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput> {
        let mut session = match self.idle.take() {
            Some(session) => session,
            None => self.greeted()?.0,
        };
        let folder = std::path::absolute(folder)?.display().to_string();
        let request: Vec<&str> = [folder.as_str()].into_iter().chain(arguments.iter().copied()).collect();

        match session.ask(&serde_json::to_string(&request)?, limit) {
            Ok(answer) => {
                let LibraryAnswer { status, stdout, stderr } = serde_json::from_str(&answer)?;
                self.idle.put_back(session);
                Ok(ProcessOutput { end: ProcessEnd::Exited(status), stdout, stderr })
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = session.child.wait_timeout(DEATH_LIMIT).ok().flatten();
                let end = status.map_or(ProcessEnd::Exited(-1), end_of);
                let stderr = "the process that holds the library hung up".to_owned();
                Ok(ProcessOutput { end, stdout: String::new(), stderr })
            }
            Err(RecvTimeoutError::Timeout) => {
                let end = ProcessEnd::TimedOut(limit);
                Ok(ProcessOutput { end, stdout: String::new(), stderr: String::new() })
            }
        }
    }
}

impl CompileService for LibraryService {
    fn takes(&self, arguments: &[&str]) -> bool {
        self.not_followed.is_none_or(|argument| !arguments.contains(&argument))
    }

    fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput> {
        let served = self.ask(folder, arguments, limit)?;
        match &self.fallback {
            Some(compiler) if !matches!(served.end, ProcessEnd::Exited(0 | 1)) => {
                run(compiler.command().args(arguments).current_dir(folder), limit)
            }
            Some(_) | None => Ok(served),
        }
    }
}

/// The part of a library service that holds the library: prints `version`, then answers the
/// requests on standard input with `compile` until that ends. The folder of a request becomes the
/// working folder.
pub(crate) fn serve<E: From<io::Error>>(
    version: &str,
    compile: impl Fn(&[String]) -> Result<LibraryAnswer, E>,
) -> Result<(), E> {
    let mut answers = io::stdout().lock();
    writeln!(answers, "{version}")?;
    for line in io::stdin().lock().lines() {
        let request: Vec<String> = serde_json::from_str(&line?).map_err(io::Error::from)?;
        let Some((folder, arguments)) = request.split_first() else {
            return Err(io::Error::other("a request without a folder").into());
        };
        std::env::set_current_dir(folder)?;
        let answer = serde_json::to_string(&compile(arguments)?).map_err(io::Error::from)?;
        writeln!(answers, "{answer}")?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Serves lines like `layoutproof-d3d.exe`, and obeys `source` in the folder. Each process adds
    /// a line to `starts` in the folder above.
    const SCRIPT: &str = r#"
        echo >>../starts
        while read -r change folder rest; do
            cd "$folder" || exit
            echo "$rest" >stdout
            echo "said" >stderr
            case $(cat source) in
            crash) exit 3 ;;
            hang) exec sleep 1000 ;;
            refuse) echo 1 ;;
            fail) echo "2 cannot read it" ;;
            leave) echo 0; exit ;;
            *) echo 0 ;;
            esac
        done"#;

    #[test]
    fn one_process_answers_in_many_folders_until_a_source_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let service = LineService::new(Compiler::script("fake", SCRIPT));
        let run = |source: &str| {
            let own = folder.path().join(source);
            fs::create_dir_all(&own).unwrap();
            fs::write(own.join("source"), source).unwrap();
            service.run(&own, &["-T", "a"], Duration::from_secs(2)).map_err(|error| error.to_string())
        };
        let starts = || fs::read_to_string(folder.path().join("starts")).unwrap().lines().count();
        let finished =
            |end, stdout: &str, stderr: &str| Ok(ProcessOutput { end, stdout: stdout.into(), stderr: stderr.into() });

        let line = "-Fc\tstdout\t-Fe\tstderr\t-T\ta\n";
        assert_eq!(run("a"), finished(ProcessEnd::Exited(0), line, "said\n"));
        assert_eq!(run("refuse"), finished(ProcessEnd::Exited(1), "", "said\n"));
        assert_eq!(starts(), 1);
        assert_eq!(run("fail"), Err("cannot read it".to_owned()));
        // A fresh process retries the crash, and another one serves the source that follows.
        assert_eq!(run("b"), finished(ProcessEnd::Exited(0), line, "said\n"));
        assert_eq!(run("crash"), finished(ProcessEnd::Unanswered, "", ""));
        assert_eq!(starts(), 3);
        assert_eq!(run("hang"), finished(ProcessEnd::TimedOut(Duration::from_secs(2)), "", ""));
        // A process that is gone already is not the fault of the next source.
        assert_eq!(run("leave"), finished(ProcessEnd::Exited(0), line, "said\n"));
        assert_eq!(run("c"), finished(ProcessEnd::Exited(0), line, "said\n"));
    }

    #[test]
    fn arguments_cannot_hold_tabs() {
        let folder = tempfile::tempdir().unwrap();
        let service = LineService::new(Compiler::script("fake", "exit"));
        let error = service.run(folder.path(), &["a\tb"], Duration::from_secs(2)).unwrap_err().to_string();
        assert_eq!(error, "an argument must not contain tabs or line breaks: \"a\\tb\"");
    }

    /// A process that greets with `7` and answers requests like the library of a compiler.
    fn library(script: &str) -> Option<LibraryService> {
        let script = format!("echo 7; while read -r request; do {script}; done");
        LibraryService::start("/bin/sh".into(), vec!["-c".into(), script.into()], "7")
    }

    #[test]
    fn a_library_answers_until_it_dies() {
        let service = library(r#"printf '%s\n' '{"status":1,"stdout":"","stderr":"a\nb"}'"#).unwrap();
        let answer = service.run(Path::new("/"), &["-DA=\"b\nc\""], START_LIMIT).unwrap();
        assert_eq!((answer.end, answer.stderr.as_str()), (ProcessEnd::Exited(1), "a\nb"));

        let run = |script: &str| library(script).unwrap().run(Path::new("/"), &[], Duration::from_secs(2)).unwrap();
        assert_eq!(run("kill -SEGV $$").end, ProcessEnd::Signalled(11));
        assert_eq!(run("sleep 1000").end, ProcessEnd::TimedOut(Duration::from_secs(2)));
        assert!(library("echo Segmentation fault").unwrap().run(Path::new("/"), &[], START_LIMIT).is_err());
        assert!(LibraryService::start("/bin/sh".into(), vec!["-c".into(), "echo 8".into()], "7").is_none());
    }

    #[test]
    fn a_compiler_answers_for_a_source_that_ends_the_process() {
        let compiler = Compiler::script("fake", "echo alone; exit 1");
        let service = library("exit 3").unwrap().with_fallback(&compiler);
        let answer = service.run(Path::new("/"), &[], START_LIMIT).unwrap();
        assert_eq!((answer.end, answer.stdout.as_str()), (ProcessEnd::Exited(1), "alone\n"));
    }
}
