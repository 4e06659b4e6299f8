//! Connects over a port on the loopback address, where a process cannot inherit a socket.
//!
//! Every user of the machine can connect to the port, so the worker shows a token that it received
//! on its standard input. Strangers cause no delay: each handshake has its own thread and time
//! limit, and the parent keeps accepting connections.

use std::hash::BuildHasher;
use std::io::{self, BufRead, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

/// Time limit for a worker to start and to connect.
const START_LIMIT: Duration = Duration::from_secs(60);

/// Time limit for a peer to show the token.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(1);

/// Length of a token, in bytes.
const TOKEN_LENGTH: usize = 32;

/// One end of a connection.
pub(crate) type Stream = TcpStream;

/// The parent's end, before the worker connects.
#[derive(Debug)]
pub(crate) struct Offer {
    listener: TcpListener,
    token: String,
}

impl Offer {
    /// Listens for the process that `command` is going to start.
    pub(crate) fn new(command: &mut Command) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        command.stdin(Stdio::piped());
        Ok(Self { listener, token: token() })
    }

    /// Sends the address and the token to the started process, and waits for it to connect.
    pub(crate) fn accept(self, child: &mut Child) -> io::Result<Stream> {
        if let Some(mut stdin) = child.stdin.take() {
            writeln!(stdin, "{}\n{}", self.listener.local_addr()?, self.token)?;
        }
        self.wait(|| child.try_wait().map(|status| status.map(|status| status.to_string())))
    }

    /// Waits for the peer that shows the token. `ended` returns how the process ended, once it has.
    fn wait(self, mut ended: impl FnMut() -> io::Result<Option<String>>) -> io::Result<Stream> {
        let (sender, receiver) = channel();
        let deadline = Instant::now() + START_LIMIT;

        while Instant::now() < deadline {
            match self.listener.accept() {
                Ok((stream, _)) => shake_hands(stream, self.token.clone(), sender.clone())?,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if let Ok(stream) = receiver.try_recv() {
                        return Ok(stream);
                    }
                    if let Some(how) = ended()? {
                        return Err(io::Error::other(format!("the worker ended with {how} before it connected")));
                    }
                    thread::sleep(Duration::from_millis(1));
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "the worker did not connect"))
    }
}

/// Passes the stream on if it shows the token in time.
fn shake_hands(mut stream: TcpStream, token: String, sender: Sender<TcpStream>) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(HANDSHAKE_LIMIT))?;
    let hear = move || {
        let mut shown = [0; TOKEN_LENGTH];
        if stream.read_exact(&mut shown).is_ok() && shown == token.as_bytes() {
            // The receiver is gone if another peer connected first.
            let _ = sender.send(stream);
        }
    };
    thread::Builder::new().spawn(hear).map(drop)
}

/// The worker's end.
pub(crate) fn connect_to_parent() -> anyhow::Result<Stream> {
    let mut lines = io::stdin().lock().lines();
    let mut line = || lines.next().context("`worker` is for other commands, which tell it where to connect");
    let (address, token) = (line()??, line()??);
    let mut stream = TcpStream::connect(address.as_str())?;
    stream.set_nodelay(true)?;
    stream.write_all(token.as_bytes())?;
    Ok(stream)
}

/// A random word of [`TOKEN_LENGTH`] bytes that no other user of the machine can guess.
fn token() -> String {
    let half = || std::collections::hash_map::RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", half(), half())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listening() -> (Offer, std::net::SocketAddr) {
        let offer = Offer::new(&mut Command::new("")).unwrap();
        let address = offer.listener.local_addr().unwrap();
        (offer, address)
    }

    /// The strangers connect first, send nothing or the wrong token, and stay connected.
    #[test]
    fn strangers_do_not_keep_the_worker_waiting() {
        let (offer, address) = listening();
        let mut strangers: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
        strangers[0].write_all(&[b'0'; TOKEN_LENGTH]).unwrap();
        let token = offer.token.clone();
        let worker = thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(token.as_bytes()).unwrap();
            stream.write_all(b"!").unwrap();
            stream
        });
        let started = Instant::now();
        let mut stream = offer.wait(|| Ok(None)).unwrap();
        assert!(started.elapsed() < HANDSHAKE_LIMIT, "{:?}", started.elapsed());
        let mut first = [0];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(first, *b"!");
        drop((worker.join().unwrap(), strangers));
    }

    #[test]
    fn a_worker_that_ends_at_once_is_told() {
        let (offer, _) = listening();
        let error = offer.wait(|| Ok(Some("exit status: 3".to_owned()))).unwrap_err();
        assert_eq!(error.to_string(), "the worker ended with exit status: 3 before it connected");
    }
}
