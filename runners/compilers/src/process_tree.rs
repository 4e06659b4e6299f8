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

    /// The tree below a process that was just started by a prepared command.
    ///
    /// On Windows the child already runs. A process that it starts before it joins its job ends
    /// with this process.
    pub fn below(child: &Child) -> Self {
        #[cfg(unix)]
        return Self { group: i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) };
        #[cfg(windows)]
        return Self { job: job_of(child).ok() };
    }

    pub fn kill(&self, child: &mut Child) -> io::Result<()> {
        // The group no longer exists if the child was alone in it and is gone; a job stays.
        #[cfg(unix)]
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(windows)]
        if let Some(job) = &self.job {
            let _ = job.end_all();
        }

        child.kill()?;
        child.wait().map(drop)
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

/// Makes all processes below this one end when it does. Not needed on this system, where children
/// see that their parent is gone.
///
/// # Errors
/// Never fails here.
#[cfg(not(windows))]
pub fn bind_to_this_process() -> io::Result<()> {
    Ok(())
}

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

    #[cfg(windows)]
    #[test]
    fn what_a_bound_process_started_ends_when_it_is_killed() {
        let mut family = Family::of("bound parent");
        family.child.kill().unwrap();
        family.expect_all_gone();
    }
}
