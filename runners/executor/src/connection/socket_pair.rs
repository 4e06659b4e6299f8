//! Connects through a pair of sockets that only the two processes hold.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};

use anyhow::Context;

/// One end of a connection.
pub(crate) type Stream = UnixStream;

/// The parent's end, before the worker starts.
#[derive(Debug)]
pub(crate) struct Offer(Stream);

impl Offer {
    /// Makes a connection for the process that `command` is going to start.
    ///
    /// `command` holds the worker's end as well. Until the caller drops it, the parent cannot see
    /// that the worker is gone.
    pub(crate) fn new(command: &mut Command) -> io::Result<Self> {
        let (own, of_worker) = UnixStream::pair()?;
        command.stdin(OwnedFd::from(of_worker));
        Ok(Self(own))
    }

    /// Returns the connection to the started process.
    #[expect(clippy::unnecessary_wraps, reason = "the loopback version of this function can fail")]
    pub(crate) fn accept(self, _: &mut Child) -> io::Result<Stream> {
        Ok(self.0)
    }
}

/// The worker's end.
///
/// It moves from standard input to a fresh descriptor, because drivers may read or close the
/// standard streams. Programs that drivers start do not inherit it.
pub(crate) fn connect_to_parent() -> anyhow::Result<Stream> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    stream.peer_addr().context("`worker` is for other commands, which start it with a socket as standard input")?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    /// The shell echoes its standard input, so this uses both directions of the connection.
    #[test]
    fn a_child_gets_the_other_end_and_its_death_ends_the_connection() {
        let mut command = Command::new("sh");
        command.args(["-c", "read word; echo \"$word\" >&0"]);
        let offer = Offer::new(&mut command).unwrap();
        let mut child = command.spawn().unwrap();
        drop(command);
        let mut stream = offer.accept(&mut child).unwrap();
        stream.write_all(b"hello\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "hello\n");
        assert!(child.wait().unwrap().success());
    }
}
