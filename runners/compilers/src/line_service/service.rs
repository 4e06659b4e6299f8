//! Asks a compiler that serves lines about one source after the other, as if it were started for
//! each.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::server::{Server, command_line, read_file};
use super::session::SessionDeath;
use crate::child::{ProcessEnd, ProcessOutput};
use crate::compile_service::CompileService;
use crate::compiler::{Compiler, Service};

/// Files in the source's folder, to which the compiler writes what it would print.
const LISTING: &str = "stdout";
const DIAGNOSTICS: &str = "stderr";

/// Processes of a compiler that serves lines: as many as there are concurrent requests.
#[derive(Debug)]
pub(crate) struct LineService {
    compiler: Compiler,
    idle: Mutex<Vec<Server>>,
}

impl LineService {
    /// Starts nothing before the first source.
    fn new(compiler: Compiler) -> Self {
        Self { compiler, idle: Mutex::new(Vec::new()) }
    }

    /// The service of a compiler that serves lines; `None` for other compilers.
    pub(crate) fn of(compiler: &Compiler) -> Option<Self> {
        match compiler.service() {
            Service::Lines => Some(Self::new(compiler.clone())),
            Service::None => None,
        }
    }
}

impl CompileService for LineService {
    /// In addition to the errors of the trait: an argument does not fit into a line, or the
    /// compiler reports why it cannot answer.
    fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput> {
        let folder = &std::path::absolute(folder)?;
        let place = folder.to_str().ok_or_else(|| io::Error::other("the path of the folder is not UTF-8 text"))?;
        let mut words = vec!["-Cd", place, "-Fc", LISTING, "-Fe", DIAGNOSTICS];
        words.extend(without_listing(arguments));
        let line = command_line(&words)?;

        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut server = idle.unwrap_or_else(|| Server::new(self.compiler.clone()));
        let answer = server.ask(&line, folder, limit)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(server);

        let ended = |end| ProcessOutput { end, stdout: String::new(), stderr: String::new() };
        match answer.as_deref() {
            Ok("0") => Ok(ProcessOutput { stdout: read(folder, LISTING)?, ..printed(folder, ProcessEnd::Exited(0))? }),
            Ok("1") => printed(folder, ProcessEnd::Exited(1)),
            // The reason follows the status.
            Ok(other) => Err(io::Error::other(other.trim_start_matches("2 ").to_owned())),
            Err(SessionDeath::Ended) => Ok(ended(ProcessEnd::Unanswered)),
            Err(SessionDeath::Hung(limit)) => Ok(ended(ProcessEnd::TimedOut(*limit))),
        }
    }
}

/// Drops `-Fc` and the file of the listing from the arguments; the server always gets its own
/// listing file.
fn without_listing<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let Some(at) = arguments.iter().position(|argument| *argument == "-Fc") else { return arguments.to_vec() };
    let behind = arguments.get(at + 2..).unwrap_or_default();
    [&arguments[..at], behind].concat()
}

/// Combines the end with the compiler's diagnostics.
fn printed(folder: &Path, end: ProcessEnd) -> io::Result<ProcessOutput> {
    Ok(ProcessOutput { end, stdout: String::new(), stderr: read(folder, DIAGNOSTICS)? })
}

/// Reads a file that the compiler wrote, and removes it.
fn read(folder: &Path, name: &str) -> io::Result<String> {
    let bytes = read_file(folder, name)?;
    fs::remove_file(folder.join(name))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
    }

    #[test]
    fn arguments_cannot_hold_tabs() {
        let folder = tempfile::tempdir().unwrap();
        let service = LineService::new(Compiler::script("fake", "exit"));
        let error = service.run(folder.path(), &["a\tb"], Duration::from_secs(2)).unwrap_err().to_string();
        assert_eq!(error, "an argument must not contain tabs or line breaks: \"a\\tb\"");
    }
}
