//! Child processes together with the processes that they start.
//!
//! A compiler may be a script that starts the real one, so ending the script must also end that
//! one. On Unix the child leads its own process group. On Windows it joins a job object. Since
//! Windows does not tell a child that its parent is gone, [`bind_to_this_process`] also puts this
//! process and everything below it into a job that ends with it.

use std::io;
use std::process::{Child, Command};

#[cfg(windows)]
use crate::job_object::JobObject;

/// A child process and all processes that it starts.
#[derive(Debug)]
pub struct ProcessTree {
    /// `None` if the process id is not a valid group id.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    /// `None` if Windows refused to make a job. Then only the child can be ended early, and the
    /// rest ends with this process.
    #[cfg(windows)]
    job: Option<JobObject>,
}

impl ProcessTree {
    /// Prepares the process that `command` is going to start. It does not receive a Ctrl-C at the
    /// terminal, which is meant for this program.
    pub fn prepare(command: &mut Command) {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(command, NEW_GROUP);
    }

    /// Prepares a process that ends in good order on Ctrl-C, and to which the caller passes such requests
    /// on with [`ProcessTree::interrupt`]. The console of Windows sends them to it by itself.
    pub fn prepare_attended(command: &mut Command) {
        #[cfg(unix)]
        Self::prepare(command);
        #[cfg(not(unix))]
        let _ = command;
    }

    /// Asks all processes of the tree to end, as a Ctrl-C at the terminal does.
    pub fn interrupt(&self) {
        // A group without processes needs no request.
        #[cfg(unix)]
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::INT);
        }
    }

    /// The tree below a process that was just started by a prepared command. On Linux, no process of
    /// the tree can write a file of more than 1 GiB.
    ///
    /// On Windows the child already runs. A process that it starts before it joins its job ends
    /// with this process.
    pub fn below(child: &Child) -> Self {
        #[cfg(unix)]
        {
            let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
            #[cfg(target_os = "linux")]
            limit_files(group);
            Self { group }
        }
        #[cfg(windows)]
        return Self { job: job_of(child).ok() };
    }

    /// Kills the processes that the child left behind when it ended.
    pub fn kill_rest(&self) {
        self.kill_all();
    }

    pub fn kill(&self, child: &mut Child) -> io::Result<()> {
        self.kill_all();
        child.kill()?;
        child.wait().map(drop)
    }

    fn kill_all(&self) {
        // The group no longer exists if the child was alone in it and is gone; a job stays.
        #[cfg(unix)]
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(windows)]
        if let Some(job) = &self.job {
            let _ = job.end_all();
        }
    }
}

/// Longest file that a compiler may write, in bytes. Wine's and node's own files need some hundred
/// megabytes.
#[cfg(target_os = "linux")]
const FILE_LIMIT: u64 = 1 << 30;

/// A process that writes more dies of SIGXFSZ. A process that has ended already needs no limit.
#[cfg(target_os = "linux")]
fn limit_files(process: Option<rustix::process::Pid>) {
    use rustix::process::{Resource, Rlimit, getrlimit, prlimit};

    let most = getrlimit(Resource::Fsize).current.map_or(FILE_LIMIT, |current| current.min(FILE_LIMIT));
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    if process.is_some() {
        let _ = prlimit(process, Resource::Fsize, limit);
    }
}

/// `CREATE_NEW_PROCESS_GROUP`: the process ignores Ctrl-C.
#[cfg(windows)]
const NEW_GROUP: u32 = 0x200;

#[cfg(windows)]
fn job_of(child: &Child) -> io::Result<JobObject> {
    use std::os::windows::io::AsHandle;

    let job = JobObject::new()?;
    job.add(child.as_handle())?;
    Ok(job)
}

/// Makes all processes below this one end when it does, however it ends, and lets them crash
/// without a dialog that waits for a click.
///
/// Call it first in `main`. Does nothing on Unix, where children see that their parent has closed
/// their pipes.
///
/// # Errors
/// Windows makes no job for this process: children may outlive it.
#[cfg(windows)]
pub fn bind_to_this_process() -> io::Result<()> {
    use windows_sys::Win32::System::Diagnostics::Debug::{
        SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SEM_NOOPENFILEERRORBOX, SetErrorMode,
    };

    // SAFETY: the call accepts any mode; children inherit it.
    unsafe { SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX) };

    let job = JobObject::new()?;
    job.end_with_handle()?;
    job.add_this_process()?;
    // The handle is closed when this process ends, which ends the remaining processes.
    std::mem::forget(job);
    Ok(())
}

/// Makes processes that leave their tree children of this one on Linux, so that [`end_orphans`]
/// finds them. Other children see that their parent is gone.
///
/// # Errors
/// Never fails here.
#[cfg(not(windows))]
pub fn bind_to_this_process() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        // A shell that became this process (`exec layoutproof`) may have started some.
        BEFORE.get_or_init(|| children().into_iter().collect());
        // Without it, such processes outlive this one.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    }
    Ok(())
}

/// The children that this process began with.
#[cfg(target_os = "linux")]
static BEFORE: std::sync::OnceLock<std::collections::BTreeSet<i32>> = std::sync::OnceLock::new();

/// The ids of this process's children; none if the kernel does not list them.
#[cfg(target_os = "linux")]
fn children() -> Vec<i32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().filter_map(Result::ok);
    let ids = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    ids.flat_map(|ids| ids.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Kills the processes that compilers have left behind in sessions of their own, where no signal to
/// their tree reaches them. Wine's server and services end by themselves, after other programs.
#[cfg(target_os = "linux")]
pub fn end_orphans() {
    use rustix::process::{Pid, Signal, kill_process};

    let own = session("self");
    // Without a start there is nothing to tell them from.
    let Some(before) = BEFORE.get() else { return };
    for id in children().into_iter().filter(|id| !before.contains(id)) {
        let Some(child) = Pid::from_raw(id) else { continue };
        let variables = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        let is_wines = variables.split(|byte| *byte == 0).any(|variable| variable.starts_with(WINE));
        // A process that this one has started is in its session.
        if session(&id.to_string()) != own && !is_wines {
            let _ = kill_process(child, Signal::KILL);
        }
    }
}

/// The session of a process, as `/proc` names it; 0 if its leader is outside of this process's
/// namespace, as in a container. (`rustix::process::getsid` panics there.)
#[cfg(target_os = "linux")]
fn session(process: &str) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may hold any character.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(3)?.parse().ok()
}

/// The start of the variable that all processes under Wine have.
#[cfg(target_os = "linux")]
const WINE: &[u8] = b"WINEPREFIX=";

/// Does nothing: on Windows the job ends them, and other systems do not show them.
#[cfg(not(target_os = "linux"))]
pub fn end_orphans() {}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// The variable that gives this test program a role when a test starts it again.
    const ROLE: &str = "LAYOUTPROOF_TEST_ROLE";

    /// Longer than any test waits.
    const SLEEP: Duration = Duration::from_secs(300);

    /// This test program in a role.
    fn in_role(role: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "process_tree::tests::plays_its_role", "--nocapture"]).env(ROLE, role);
        command
    }

    /// Not a test: runs in the processes that the tests start.
    #[test]
    #[expect(clippy::print_stdout, reason = "the family's lines are its sign of life")]
    fn plays_its_role() {
        match std::env::var(ROLE).as_deref() {
            Ok("sleeper") => {
                println!("\nasleep");
                thread::sleep(SLEEP);
            }
            Ok("parent") => {
                in_role("sleeper").status().unwrap();
            }
            Ok("bound parent") => {
                bind_to_this_process().unwrap();
                in_role("sleeper").status().unwrap();
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// A child whose own child sleeps, and the lines they print. The channel closes when both have
    /// ended.
    struct Family {
        child: Child,
        tree: ProcessTree,
        lines: Receiver<String>,
    }

    impl Family {
        fn of(role: &str) -> Self {
            let mut command = in_role(role);
            ProcessTree::prepare(&mut command);
            let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            let tree = ProcessTree::below(&child);

            let (sender, lines) = channel();
            let stdout = BufReader::new(child.stdout.take().unwrap());
            thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
            let family = Self { child, tree, lines };
            while family.lines.recv_timeout(SLEEP / 2).expect("the sleeper says so") != "asleep" {}
            family
        }

        #[track_caller]
        fn expect_all_gone(mut self) {
            let last = self.lines.recv_timeout(Duration::from_secs(60));
            assert_eq!(last, Err(RecvTimeoutError::Disconnected), "a process of the tree goes on");
            self.child.wait().unwrap();
        }
    }

    #[test]
    fn what_a_child_started_is_killed_with_it() {
        let mut family = Family::of("parent");
        family.tree.kill(&mut family.child).unwrap();
        family.expect_all_gone();
    }

    /// A process in a session of its own is in no group that a signal reaches.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_left_its_tree_ends_too() {
        bind_to_this_process().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let script = "setsid sleep 1000 & echo $! >id; while ! ps -o sid= -p $! | grep -qw $!; do :; done";
        let mut command = Command::new("sh");
        crate::child::run(command.args(["-c", script]).current_dir(&folder), SLEEP).unwrap();
        let stat = || {
            let id = std::fs::read_to_string(folder.path().join("id")).unwrap();
            std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default()
        };
        assert!(!stat().is_empty() && !stat().contains(") Z "), "{}", stat());
        end_orphans();
        let is_gone = |_| {
            thread::sleep(Duration::from_millis(10));
            stat().is_empty() || stat().contains(") Z ")
        };
        assert!((0..500).any(is_gone), "{}", stat());
    }

    /// In a container, the leader of the session is a process outside of it: its id is 0.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_in_its_parents_session() {
        let mut command = Command::new("cat");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let own = session("self");
        assert!(own.is_some());
        assert_eq!(session(&child.id().to_string()), own);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(session("not a process"), None);
    }

    #[cfg(windows)]
    #[test]
    fn what_a_bound_process_started_ends_when_it_is_killed() {
        let mut family = Family::of("bound parent");
        family.child.kill().unwrap();
        family.expect_all_gone();
    }
}
