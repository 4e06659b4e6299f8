//! Child processes with all that they start.
//!
//! A compiler may be a script that starts the real one: whoever ends the script must end that too. On Unix the child leads
//! a process group of its own. On Windows it is put into a job object; and since Windows does not tell a child that its
//! parent is gone, [`bind_to_this_process`] puts this process and everything below it into one that ends with it.

use std::io;
use std::process::{Child, Command};

#[cfg(windows)]
use crate::job_object::JobObject;

/// A child process with all that it starts.
#[derive(Debug)]
pub struct ProcessTree {
    /// `None` where the number of the process is none that a group can have.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    /// `None` where Windows gave none: then the child alone can be ended early, and the rest ends with this process.
    #[cfg(windows)]
    job: Option<JobObject>,
}

impl ProcessTree {
    /// Prepares the process that `command` is going to start. A Ctrl-C at the terminal, which is meant for this program,
    /// does not reach it.
    pub fn prepare(command: &mut Command) {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(command, NEW_GROUP);
    }

    /// The tree of a process that was just started by a command for which [`ProcessTree::prepare`] was called.
    ///
    /// On Windows the child already runs; what it starts in the moment before it is in its job ends with this process.
    pub fn below(child: &Child) -> Self {
        #[cfg(unix)]
        return Self { group: i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) };
        #[cfg(windows)]
        return Self { job: job_of(child).ok() };
    }

    /// Ends all processes of the tree.
    ///
    /// # Errors
    /// The child cannot be ended.
    pub fn kill(&self, child: &mut Child) -> io::Result<()> {
        // No group is left where the child was alone in it and is gone; a job stays.
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

/// Makes all processes that this one starts, and those that they start, end when this one does, however it ends; and lets
/// them crash without a dialog that waits for somebody to click.
///
/// For the first lines of `main`. Does nothing on Unix, where children see that their parent hangs up.
///
/// # Errors
/// Windows has no job for this process: children may outlive it.
#[cfg(windows)]
pub fn bind_to_this_process() -> io::Result<()> {
    use windows_sys::Win32::System::Diagnostics::Debug::{
        SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SEM_NOOPENFILEERRORBOX, SetErrorMode,
    };

    // SAFETY: the call takes any mode; children inherit it.
    unsafe { SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX) };

    let job = JobObject::new()?;
    job.end_with_handle()?;
    job.add_this_process()?;
    // The end of this process closes the handle, and with that ends what is left.
    std::mem::forget(job);
    Ok(())
}

/// Makes all processes that this one starts end when it does: on Unix they see to that themselves.
///
/// # Errors
/// None here.
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

    /// The variable that says what this test program does when a test starts it again.
    const ROLE: &str = "LAYOUTPROOF_TEST_ROLE";

    /// Long after every test has given up.
    const SLEEP: Duration = Duration::from_secs(300);

    /// This test program in a role.
    fn in_role(role: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "process_tree::tests::plays_its_role", "--nocapture"]).env(ROLE, role);
        command
    }

    /// What processes of this test program do, not a test.
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

    /// A child whose own child sleeps; and their lines, which end when nobody is left to write any.
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
