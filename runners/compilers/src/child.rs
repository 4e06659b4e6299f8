//! Runs a compiler once, as a child process with a time limit. A crash counts as an answer, too.
//!
//! The child is the root of a [`ProcessTree`]. Killing it also kills the processes that it started,
//! and a Ctrl-C at the terminal, which is meant for this program, does not look like a crash of the
//! compiler.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

use crate::process_tree::ProcessTree;
use crate::programs::WINE_PREFIX_VARIABLE;

/// Default time limit of a compiler for one source.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Most bytes that a compiler may print to one stream or write to one file; listings have a few
/// thousand.
pub const OUTPUT_LIMIT: u64 = 64 << 20;

/// Interval at which the length of a child's output is checked, and whether the user ends the command.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// Set once the user ends the command: no compiler is worth waiting for.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Ends all compilers that run, and those that are started later. Their answers must not be used.
pub fn end_all() {
    IS_ENDING.store(true, Ordering::Relaxed);
}

pub(crate) fn is_ending() -> bool {
    IS_ENDING.load(Ordering::Relaxed)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessOutput {
    pub end: ProcessEnd,
    pub stdout: String,
    pub stderr: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    Exited(i32),
    Signalled(i32),
    /// It did not end within the limit and was killed.
    TimedOut(Duration),
    /// It printed more than [`OUTPUT_LIMIT`] and was killed.
    Flooded,
    /// It served many sources, and ended at this one. Wine does not report the reason.
    Unanswered,
}

/// Runs `command` to its end, for at most `limit`.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<ProcessOutput> {
    // Files instead of pipes, so that no thread has to read while the child writes.
    let (stdout, stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);

    ProcessTree::prepare(command);
    let mut child = command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?).spawn()?;
    let tree = ProcessTree::below(&child);

    let end = wait(&mut child, limit, [&stdout, &stderr])?;
    match end {
        // Wine's server and services outlive a program on purpose.
        ProcessEnd::Exited(_) if command.get_envs().any(|(name, _)| name == WINE_PREFIX_VARIABLE) => {}
        ProcessEnd::Exited(_) => tree.kill_rest(),
        ProcessEnd::Signalled(_) | ProcessEnd::TimedOut(_) | ProcessEnd::Flooded | ProcessEnd::Unanswered => {
            tree.kill(&mut child)?;
        }
    }
    Ok(ProcessOutput { end, stdout: text(stdout)?, stderr: text(stderr)? })
}

fn wait(child: &mut Child, limit: Duration, output: [&File; 2]) -> io::Result<ProcessEnd> {
    let started = Instant::now();
    loop {
        let left = limit.saturating_sub(started.elapsed());
        if let Some(status) = child.wait_timeout(left.min(LOOK))? {
            return Ok(end_of(status));
        }

        if is_ending() {
            return Ok(ProcessEnd::Unanswered);
        }
        for file in output {
            if file.metadata()?.len() > OUTPUT_LIMIT {
                return Ok(ProcessEnd::Flooded);
            }
        }

        if left.is_zero() {
            return Ok(ProcessEnd::TimedOut(limit));
        }
    }
}

/// The content of the file, at most [`OUTPUT_LIMIT`] bytes.
fn text(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(OUTPUT_LIMIT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn end_of(status: ExitStatus) -> ProcessEnd {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ProcessEnd::Signalled(signal);
    }
    ProcessEnd::Exited(status.code().unwrap_or(-1))
}

/// The name of a signal: `SIGSEGV`, or `signal 64` for an uncommon one.
pub fn signal_name(signal: i32) -> String {
    #[cfg(unix)]
    if let Some(name) = signal_hook::low_level::signal_name(signal) {
        return name.to_owned();
    }
    format!("signal {signal}")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_status_come_back() {
        let finished = run(&mut shell("echo out; echo err >&2; exit 3"), TIME_LIMIT).unwrap();
        assert_eq!(
            finished,
            ProcessOutput { end: ProcessEnd::Exited(3), stdout: "out\n".into(), stderr: "err\n".into() }
        );
    }

    #[test]
    fn a_crash_names_its_signal() {
        assert_eq!(run(&mut shell("kill -SEGV $$"), TIME_LIMIT).unwrap().end, ProcessEnd::Signalled(11));
    }

    #[test]
    fn a_hang_is_killed_and_its_output_kept() {
        let limit = Duration::from_millis(200);
        let finished = run(&mut shell("echo begun; exec sleep 1000"), limit).unwrap();
        assert_eq!((finished.end, finished.stdout.as_str()), (ProcessEnd::TimedOut(limit), "begun\n"));
    }

    /// Runs a script that writes the id of a process to `id`, and checks that the process ends.
    fn leaves_nothing(script: &str, limit: Duration, end: ProcessEnd) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(run(shell(script).current_dir(folder.path()), limit).expect("a shell").end, end);
        let id = std::fs::read_to_string(folder.path().join("id")).expect("the script writes it");
        // A killed process may stay for a moment, until its new parent reaps it.
        let is_gone = |_| {
            std::thread::sleep(Duration::from_millis(10));
            run(&mut shell(&format!("ps -o stat= -p {} | grep -v Z", id.trim())), TIME_LIMIT)
                .expect("a shell")
                .stdout
                .is_empty()
        };
        assert!((0..500).any(is_gone), "{script}: process {id} goes on");
    }

    #[test]
    fn what_a_child_started_ends_with_it() {
        let limit = Duration::from_millis(300);
        leaves_nothing("sleep 1000 & echo $! > id; wait", limit, ProcessEnd::TimedOut(limit));
        for background in ["sleep 1000 & echo $! > id", "(nohup sleep 1000 >&2 & echo $! > id)"] {
            leaves_nothing(background, TIME_LIMIT, ProcessEnd::Exited(0));
            leaves_nothing(&format!("{background}; exit 1"), TIME_LIMIT, ProcessEnd::Exited(1));
        }
    }

    /// A sparse file, which takes no room.
    #[cfg(target_os = "linux")]
    #[test]
    fn no_file_grows_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let write = "sleep 0.2; exec dd if=/dev/zero of=big bs=1 count=1 seek=1100000000 conv=notrunc";
        let end = run(shell(write).current_dir(folder.path()), TIME_LIMIT).unwrap().end;
        assert_eq!(end, ProcessEnd::Signalled(25), "SIGXFSZ");
    }

    #[test]
    fn a_flood_is_stopped() {
        let finished = run(&mut shell("exec yes"), TIME_LIMIT).unwrap();
        assert_eq!((finished.end, finished.stdout.len() as u64), (ProcessEnd::Flooded, OUTPUT_LIMIT));
    }

    #[test]
    fn signals_have_names() {
        assert_eq!([6, 11, 40].map(signal_name), ["SIGABRT", "SIGSEGV", "signal 40"]);
    }
}
