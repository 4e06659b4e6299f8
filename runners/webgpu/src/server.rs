//! The connection to a host: an HTTP server on the loopback address, from which the host takes messages and to which it
//! sends answers.
//!
//! Each request of the host brings the answer to the last message, and its response is the next message.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use layoutproof_webgpu_messages::SCRIPT;

use crate::loopback::{Loopback, Method, Request, Response, respond, respond_not_found};

/// The page. It has no script of its own, so that the policy can forbid those.
const PAGE: &str = include_str!("page.html");

/// What the page may do: load the script of this server, and talk to it.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// A request without a message is answered after this time, since hosts end requests that take minutes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Most bytes of an answer. A longer one comes from something else than our script.
const MAX_ANSWER: u64 = 1 << 30;

/// The address of the page for the browser that the user opens. Every worker serves it in turn, so it is chosen before the
/// first of them starts.
///
/// # Errors
/// No port of the loopback address is free, or the system gives no random numbers.
pub fn page_address() -> io::Result<String> {
    Ok(Loopback::start(None)?.url())
}

/// A server with its one host.
#[derive(Debug)]
pub(crate) struct Server {
    url: String,
    messages: Sender<String>,
    answers: Receiver<String>,
}

impl Server {
    /// Starts a server at an address of [`page_address`], or at a new one.
    pub(crate) fn start(chosen: Option<&str>) -> io::Result<Self> {
        let loopback = Loopback::start(chosen)?;
        let url = loopback.url();
        let (messages, sent) = mpsc::channel();
        let (answered, answers) = mpsc::channel();
        let door = Door { loopback, sent, answered };
        thread::spawn(move || door.keep());
        Ok(Self { url, messages, answers })
    }

    /// The address of the page. Messages are at `jobs` below it.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Gives the host a message.
    pub(crate) fn send(&self, message: String) {
        // The server runs as long as this process.
        let _ = self.messages.send(message);
    }

    /// Waits for the answer to the last message, but no longer than `wait`.
    pub(crate) fn answer(&self, wait: Duration) -> Option<String> {
        self.answers.recv_timeout(wait).ok()
    }
}

/// The thread that answers requests.
struct Door {
    loopback: Loopback,
    sent: Receiver<String>,
    answered: Sender<String>,
}

impl Door {
    fn keep(&self) {
        while let Ok((request, name)) = self.loopback.next_request() {
            // A host that is gone gets no response.
            let _ = self.respond(request, &name);
        }
    }

    fn respond(&self, mut request: Request, name: &str) -> io::Result<()> {
        let write = |request, status, content_type, body: &str| {
            respond(request, Response { status, content_type, policy: POLICY, body: body.as_bytes() })
        };
        match (request.method(), name) {
            (Method::Get, "") => write(request, "200 OK", "text/html; charset=utf-8", PAGE),
            (Method::Get, "host.mjs") => write(request, "200 OK", "text/javascript; charset=utf-8", SCRIPT),
            (Method::Post, "jobs") => {
                let mut answer = String::new();
                request.as_reader().take(MAX_ANSWER).read_to_string(&mut answer)?;
                if !answer.is_empty() && self.answered.send(answer).is_err() {
                    return write(request, "410 Gone", "text/plain", "");
                }
                match self.sent.recv_timeout(PATIENCE) {
                    Ok(message) => write(request, "200 OK", "application/json", &message),
                    Err(RecvTimeoutError::Timeout) => write(request, "204 No Content", "text/plain", ""),
                    Err(RecvTimeoutError::Disconnected) => write(request, "410 Gone", "text/plain", ""),
                }
            }
            _ => respond_not_found(request),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    /// Sends a request to the server of `url`, with this path and these headers, and returns the whole response.
    fn ask(url: &str, request: &str, headers: &str) -> String {
        let address = url.trim_start_matches("http://").split('/').next().expect("a host");
        let mut stream = TcpStream::connect(address).expect("the server listens");
        write!(stream, "{request} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").expect("a request");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        response
    }

    #[test]
    fn only_the_own_page_is_answered() {
        let server = Server::start(None).expect("a port is free");
        let (host, folder) = server.url()["http://".len()..].split_once('/').expect("a path");
        let own = format!("Host: {host}\r\n");
        let from = |origin: &str| format!("{own}Origin: {origin}\r\n");
        for (path, headers, status) in [
            (format!("/{folder}"), own.clone(), "200 OK"),
            (format!("/{folder}host.mjs"), from(&format!("http://{host}")), "200 OK"),
            (format!("/{folder}"), "Host: attacker.example\r\n".to_owned(), "404 Not Found"),
            (format!("/{folder}"), from("http://attacker.example"), "404 Not Found"),
            (format!("/{folder}"), from("null"), "404 Not Found"),
            (format!("/{folder}jobs"), own.clone(), "404 Not Found"),
            (format!("/{folder}../host.mjs"), own.clone(), "404 Not Found"),
            ("/".to_owned(), own.clone(), "404 Not Found"),
            (format!("/{}/host.mjs", "0".repeat(32)), own.clone(), "404 Not Found"),
        ] {
            let response = ask(server.url(), &format!("GET {path}"), &headers);
            assert!(response.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{path} {headers}: {response}");
            let policy =
                if status == "200 OK" { "default-src 'none'; script-src 'self'" } else { "default-src 'none'\r\n" };
            assert!(response.contains(&format!("Content-Security-Policy: {policy}")), "{response}");
        }
    }

    #[test]
    fn a_request_brings_an_answer_and_takes_a_message() {
        let server = Server::start(None).expect("a port is free");
        let (host, folder) = server.url()["http://".len()..].split_once('/').expect("a path");
        server.send("{\"a\":1}".to_owned());
        let headers = format!("Host: {host}\r\nContent-Length: 2\r\n");
        let mut stream = TcpStream::connect(host).expect("the server listens");
        write!(stream, "POST /{folder}jobs HTTP/1.1\r\n{headers}Connection: close\r\n\r\nok").expect("a request");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        assert!(response.ends_with("\r\n\r\n{\"a\":1}"), "{response}");
        assert_eq!(server.answer(Duration::from_secs(5)).as_deref(), Some("ok"));
    }
}
