//! Runs a program and lists what it really executes: the programs that it and its children start,
//! and the files whose code they map.
//!
//! A launcher (of Snap, mise, volta, Nix) is a program like any other; only its system calls show
//! that another one answers. The tracer is `ptrace`, which needs no privileges for a child and
//! misses no short-lived process, unlike a look at `/proc` now and then. `nix` has its calls in safe
//! functions, and is the crate that most Rust programs use for them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// Pause between two looks at the traced processes. They stop some dozen times.
const PAUSE: Duration = Duration::from_micros(100);

/// Time limit for killed processes to end.
const END_LIMIT: Duration = Duration::from_secs(5);

/// A traced program's end and what it executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trace {
    /// Exit status; `None` if it was killed.
    pub(super) status: Option<i32>,
    /// The programs that were executed after the first one, as the system resolves them: for a
    /// script its interpreter.
    pub(super) started: BTreeSet<PathBuf>,
    /// The files that were mapped as code when a process ended. A removed file has ` (deleted)` at
    /// its end.
    pub(super) mapped: BTreeSet<PathBuf>,
}

/// Runs `command` to its end, for at most `limit`. Processes that outlive it are killed.
///
/// # Errors
/// It cannot be started, or the system allows no tracing, as inside another tracer.
pub(super) fn trace(command: &mut Command, limit: Duration) -> io::Result<Trace> {
    let request = || ptrace::traceme().map_err(io::Error::from);
    // SAFETY: the closure makes one system call, which is allowed between fork and exec.
    unsafe { command.process_group(0).pre_exec(request) };
    // Only the thread that starts a traced process may wait for it and continue it. The thread has
    // no other children, so it takes no news of theirs.
    thread::scope(|scope| {
        let tracer = thread::Builder::new().spawn_scoped(scope, || follow(command, limit))?;
        tracer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn follow(command: &mut Command, limit: Duration) -> io::Result<Trace> {
    let child = command.spawn()?;
    let root = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    let mut tracer = Tracer { living: BTreeSet::from([root]), trace: Trace::default() };
    let followed = tracer.follow(root, Instant::now() + limit);
    tracer.end_all();
    followed.map(|()| tracer.trace)
}

struct Tracer {
    /// The processes and threads that have not ended.
    living: BTreeSet<Pid>,
    trace: Trace,
}

impl Tracer {
    /// Follows the processes until the first one ends.
    fn follow(&mut self, root: Pid, deadline: Instant) -> io::Result<()> {
        // The first stop is that of the execution itself.
        waitpid(root, Some(WaitPidFlag::__WALL))?;
        let options = Options::PTRACE_O_TRACEEXEC
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEEXIT
            | Options::PTRACE_O_EXITKILL;
        ptrace::setoptions(root, options)?;
        ptrace::cont(root, None)?;

        loop {
            match self.next_change()? {
                WaitStatus::Exited(process, status) if process == root => {
                    self.trace.status = Some(status);
                    return Ok(());
                }
                WaitStatus::Signaled(process, ..) if process == root => return Ok(()),
                WaitStatus::StillAlive if Instant::now() > deadline => return Err(io::ErrorKind::TimedOut.into()),
                WaitStatus::StillAlive => thread::sleep(PAUSE),
                WaitStatus::PtraceEvent(process, _, event) => {
                    if event == ptrace::Event::PTRACE_EVENT_EXEC as i32 {
                        self.trace.started.insert(program_of(process)?);
                    } else if event == ptrace::Event::PTRACE_EVENT_EXIT as i32 {
                        self.trace.mapped.extend(code_of(process)?);
                    }
                    resume(process, None);
                }
                // A new process or thread starts with this stop.
                WaitStatus::Stopped(process, Signal::SIGSTOP | Signal::SIGTRAP) => resume(process, None),
                WaitStatus::Stopped(process, signal) => resume(process, Some(signal)),
                _ => {}
            }
        }
    }

    /// The next change of a process that this thread traces.
    fn next_change(&mut self) -> io::Result<WaitStatus> {
        let flags = WaitPidFlag::WNOHANG | WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
        let status = waitpid(None, Some(flags))?;
        match status {
            WaitStatus::Exited(process, _) | WaitStatus::Signaled(process, ..) => drop(self.living.remove(&process)),
            _ => self.living.extend(status.pid()),
        }
        Ok(status)
    }

    /// Kills the processes that are left, and waits for them.
    fn end_all(&mut self) {
        let deadline = Instant::now() + END_LIMIT;
        let mut killed = BTreeSet::new();
        while Instant::now() < deadline {
            for process in &self.living {
                if killed.insert(*process) {
                    let _ = kill(*process, Signal::SIGKILL);
                }
            }
            match self.next_change() {
                Ok(WaitStatus::StillAlive) => thread::sleep(PAUSE),
                Ok(WaitStatus::PtraceEvent(process, ..) | WaitStatus::Stopped(process, _)) => resume(process, None),
                Ok(_) => {}
                // No process is left.
                Err(_) => return,
            }
        }
    }
}

/// A process that was killed meanwhile cannot go on.
fn resume(process: Pid, signal: Option<Signal>) {
    let _ = ptrace::cont(process, signal);
}

fn program_of(process: Pid) -> io::Result<PathBuf> {
    fs::read_link(format!("/proc/{process}/exe"))
}

/// The files whose code a process has mapped.
///
/// Source: `proc_pid_maps(5)`: address, permissions, offset, device, inode, path.
fn code_of(process: Pid) -> io::Result<BTreeSet<PathBuf>> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps"))?;
    let code = |line: &str| {
        let (permissions, path) = (line.split_whitespace().nth(1)?, line.find('/')?);
        permissions.contains('x').then(|| PathBuf::from(&line[path..]))
    };
    Ok(maps.lines().filter_map(code).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traced(script: &str) -> Trace {
        trace(Command::new("sh").args(["-c", script]), Duration::from_secs(60)).unwrap()
    }

    #[test]
    fn what_a_program_starts_is_listed() {
        let real = |path: &str| fs::canonicalize(path).unwrap();
        let Trace { status, started, mapped } = traced("exit 3");
        assert_eq!((status, started), (Some(3), BTreeSet::new()));
        assert!(mapped.contains(&real("/bin/sh")), "{mapped:?}");
        for script in ["/bin/true; exit 3", "exec /bin/true", "/bin/true & wait $!", "exit $(/bin/true)"] {
            let Trace { started, mapped, .. } = traced(script);
            assert_eq!(started, BTreeSet::from([real("/bin/true")]), "{script}");
            assert!(mapped.contains(&real("/bin/true")), "{script}");
        }
        // An interpreter may start itself with another script.
        assert_eq!(traced("exec /bin/sh -c :").started, BTreeSet::from([real("/bin/sh")]));
        assert_eq!(traced("kill -KILL $$").status, None);
        assert!(trace(&mut Command::new("/no/such/program"), Duration::from_secs(60)).is_err());
    }

    #[test]
    fn nothing_outlives_it() {
        let folder = tempfile::tempdir().unwrap();
        let background = "sleep 1000 & echo $! >one; setsid sleep 1000 & echo $! >two; while ! [ -s two ]; do :; done";
        let started = Instant::now();
        trace(Command::new("sh").args(["-c", background]).current_dir(&folder), Duration::from_secs(60)).unwrap();
        let limited = trace(Command::new("sleep").arg("1000"), Duration::from_millis(50));
        assert_eq!(limited.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(500));
        for name in ["one", "two"] {
            let id = fs::read_to_string(folder.path().join(name)).unwrap();
            let stat = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
            // A killed process may stay as a zombie until its new parent reaps it.
            assert!(stat.is_empty() || stat.contains(") Z "), "{name}: {stat}");
        }
    }
}
