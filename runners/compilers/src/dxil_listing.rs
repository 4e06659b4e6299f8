//! Lists a DXIL container from a user's build with DXC, so that its reflection can be read.
//!
//! `layoutproof show`, `check` and `run` call this for such containers. Listing parses bitcode, and
//! DXC crashes on damaged bitcode, so the caller has to limit the process.

use std::io;
use std::process::Command;
use std::time::Duration;

use crate::child::run;
use crate::compiler::{Compiler, CompilerAnswer};
use crate::scratch::ScratchFolder;

/// The name under which DXC gets the container.
const CONTAINER: &str = "shader.dxil";

/// The option that lists a container, both in the dxc program and in our driver of its library.
pub(crate) const LIST: &str = "-dumpbin";

/// Asks DXC for its listing of `container`, within the time `limit`. `limited` may wrap the command
/// in a process with further limits.
///
/// # Errors
/// DXC's refusal, or how it ended; a sentence.
pub fn ask_for_listing(
    dxc: &Compiler,
    container: &[u8],
    limited: impl Fn(&Command) -> io::Result<Command>,
    limit: Duration,
) -> Result<String, String> {
    match answer(dxc, container, limited, limit) {
        Ok(CompilerAnswer::Accepted(finished)) => Ok(finished.stdout),
        Ok(CompilerAnswer::Refused(finished)) => {
            let words =
                finished.stderr.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("without a word");
            Err(format!("{} refuses the container: {words}", dxc.name()))
        }
        Ok(CompilerAnswer::Broken(how)) => Err(how),
        Err(error) => Err(format!("{} could not be run: {error}", dxc.name())),
    }
}

fn answer(
    dxc: &Compiler,
    container: &[u8],
    limited: impl Fn(&Command) -> io::Result<Command>,
    limit: Duration,
) -> io::Result<CompilerAnswer> {
    let folder = ScratchFolder::new()?;
    std::fs::write(folder.path().join(CONTAINER), container)?;
    let mut command = dxc.command();
    command.args([LIST, CONTAINER]);

    let finished = run(limited(&command)?.current_dir(folder.path()), limit);
    Ok(dxc.answer(finished))
}
