//! The connection to a host: an HTTP server on the loopback address, from which the host takes messages and to which it
//! sends answers.
//!
//! Each request of the host brings the answer to the last message, and its response is the next message. A request without the
//! token in its path gets nothing, nor does a page of another origin, or one whose name resolves to this address.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use tiny_http::{Method, Request};

/// The script, which a page loads and Node.js gets as an argument.
pub(crate) const SCRIPT: &str = include_str!("host.mjs");

/// The page. It has no script of its own, so that the policy can forbid those.
const PAGE: &str = include_str!("page.html");

/// What the page may do: load the script of this server, and talk to it.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// A request without a message is answered after this time, since hosts end requests that take minutes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Most bytes of an answer. A longer one comes from something else than our script.
const MAX_ANSWER: u64 = 1 << 30;

/// A server with its one host.
#[derive(Debug)]
pub(crate) struct Server {
    url: String,
    messages: Sender<String>,
    answers: Receiver<String>,
}

impl Server {
    pub(crate) fn start() -> io::Result<Self> {
        let http = tiny_http::Server::http(SocketAddr::from(([127, 0, 0, 1], 0))).map_err(io::Error::other)?;
        let address = http.server_addr().to_ip().ok_or_else(|| io::Error::other("no address"))?.to_string();
        let mut token = [0; 16];
        getrandom::fill(&mut token).map_err(io::Error::other)?;
        let token = format!("{:032x}", u128::from_le_bytes(token));

        let (messages, sent) = mpsc::channel();
        let (answered, answers) = mpsc::channel();
        let url = format!("http://{address}/{token}/");
        let door = Door { host: address, folder: format!("/{token}/"), sent, answered };
        let http = Arc::new(http);
        thread::spawn(move || door.keep(&http));
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
    /// The value that the header `Host` must have.
    host: String,
    folder: String,
    sent: Receiver<String>,
    answered: Sender<String>,
}

impl Door {
    fn keep(&self, http: &tiny_http::Server) {
        while let Ok(request) = http.recv() {
            // A host that is gone gets no response.
            let _ = self.respond(request);
        }
    }

    fn respond(&self, mut request: Request) -> io::Result<()> {
        let name = request.url().strip_prefix(&self.folder).filter(|_| self.is_own(&request)).map(str::to_owned);
        match (request.method(), name.as_deref()) {
            (Method::Get, Some("")) => write(request, "200 OK", "text/html; charset=utf-8", PAGE),
            (Method::Get, Some("host.mjs")) => write(request, "200 OK", "text/javascript; charset=utf-8", SCRIPT),
            (Method::Post, Some("jobs")) => {
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
            _ => write(request, "404 Not Found", "text/plain", ""),
        }
    }

    /// True for requests of our page, and of Node.js, which names no origin.
    fn is_own(&self, request: &Request) -> bool {
        let header = |name: &'static str| {
            let found = request.headers().iter().find(|header| header.field.equiv(name));
            found.map(|header| header.value.as_str())
        };
        let origin = format!("http://{}", self.host);
        header("Host") == Some(&self.host) && header("Origin").is_none_or(|named| named == origin)
    }
}

/// Writes a response in one piece. `tiny_http` 0.12 sends head and body of its own responses separately, and the second
/// part waits 40 ms for the acknowledgement of the first.
fn write(request: Request, status: &str, kind: &str, body: &str) -> io::Result<()> {
    let mut writer = request.into_writer();
    let length = body.len();
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\r\n{body}"
    );
    writer.write_all(response.as_bytes())?;
    writer.flush()
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
        let server = Server::start().expect("a port is free");
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
            assert!(response.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"), "{response}");
        }
    }

    #[test]
    fn a_request_brings_an_answer_and_takes_a_message() {
        let server = Server::start().expect("a port is free");
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
