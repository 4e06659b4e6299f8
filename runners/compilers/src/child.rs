//! One run of a compiler: a child process with a time limit, whose death is an answer too.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use wait_timeout::ChildExt;

/// Longest time that a compiler gets for one source.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

/// How a child process ended, and what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// How a child process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit status.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// It did not end within the limit and was killed.
    TimedOut(Duration),
}

/// Runs `command` to its end, at most for `limit`.
///
/// # Errors
/// The process could not be started, or its output not be read.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Finished> {
    // Files rather than pipes: nobody has to read while the child writes.
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut child = command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?).spawn()?;
    let end = if let Some(status) = child.wait_timeout(limit)? {
        end_of(status)
    } else {
        child.kill()?;
        child.wait()?;
        End::TimedOut(limit)
    };
    Ok(Finished { end, stdout: text(&mut stdout)?, stderr: text(&mut stderr)? })
}

fn text(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn end_of(status: ExitStatus) -> End {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return End::Signalled(signal);
    }
    End::Exited(status.code().unwrap_or(-1))
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
        assert_eq!(finished, Finished { end: End::Exited(3), stdout: "out\n".into(), stderr: "err\n".into() });
    }

    #[test]
    fn a_crash_names_its_signal() {
        assert_eq!(run(&mut shell("kill -SEGV $$"), TIME_LIMIT).unwrap().end, End::Signalled(11));
    }

    #[test]
    fn a_hang_is_killed_and_its_output_kept() {
        let limit = Duration::from_millis(200);
        let finished = run(&mut shell("echo begun; exec sleep 1000"), limit).unwrap();
        assert_eq!((finished.end, finished.stdout.as_str()), (End::TimedOut(limit), "begun\n"));
    }
}
