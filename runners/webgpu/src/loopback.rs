//! An HTTP server on the loopback address that answers only those who know its token.
//!
//! A request without the token in its path gets nothing, nor does a page of another origin, or one whose name resolves to
//! this address.

use std::fmt;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

pub use tiny_http::{Method, Request};

/// How long the server before may take to give its port back.
const END_LIMIT: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_millis(20);

pub struct Loopback {
    http: tiny_http::Server,
    /// The value that the header `Host` must have.
    host: String,
    token: String,
}

impl Loopback {
    /// Starts a server at the address that [`Self::url`] of an earlier one gave, or at a new one.
    ///
    /// # Errors
    /// The port is not free, or the system gives no random numbers.
    pub fn start(chosen: Option<&str>) -> io::Result<Self> {
        let (port, token) = match chosen {
            Some(address) => port_and_token(address).ok_or_else(|| io::Error::other("no address of a page"))?,
            None => (0, token()?),
        };
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let deadline = Instant::now() + END_LIMIT;
        let http = loop {
            match tiny_http::Server::http(address) {
                Ok(http) => break http,
                // The worker before is about to end.
                Err(_) if chosen.is_some() && Instant::now() < deadline => thread::sleep(RETRY),
                Err(error) => return Err(io::Error::other(error)),
            }
        };
        let host = http.server_addr().to_ip().ok_or_else(|| io::Error::other("no address"))?.to_string();
        Ok(Self { http, host, token })
    }

    /// The address of the start page.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.host, self.token)
    }

    /// Waits for a request, and returns it with the name of what it asks for, below [`Self::url`] and without a query.
    /// Answers all others.
    ///
    /// # Errors
    /// The server has ended.
    pub fn next_request(&self) -> io::Result<(Request, String)> {
        loop {
            let request = self.http.recv()?;
            let path = request.url().split(['?', '#']).next().unwrap_or_default();
            let below = path.strip_prefix('/').and_then(|path| path.strip_prefix(self.token.as_str()));
            let name = below.and_then(|path| path.strip_prefix('/')).filter(|_| self.is_own(&request));
            match name.map(str::to_owned) {
                Some(name) => return Ok((request, name)),
                // A page that is gone gets no response.
                None => drop(respond_not_found(request)),
            }
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

impl fmt::Debug for Loopback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loopback").field("host", &self.host).finish_non_exhaustive()
    }
}

fn token() -> io::Result<String> {
    let mut token = [0; 16];
    getrandom::fill(&mut token).map_err(io::Error::other)?;
    Ok(format!("{:032x}", u128::from_le_bytes(token)))
}

fn port_and_token(address: &str) -> Option<(u16, String)> {
    let (host, token) = address.strip_prefix("http://")?.strip_suffix('/')?.split_once('/')?;
    let socket: SocketAddr = host.parse().ok()?;
    Some((socket.port(), token.to_owned()))
}

/// A response, which no browser keeps.
#[derive(Clone, Copy, Debug)]
pub struct Response<'a> {
    /// As `200 OK`.
    pub status: &'a str,
    pub content_type: &'a str,
    /// The content security policy.
    pub policy: &'a str,
    pub body: &'a [u8],
}

pub fn respond_not_found(request: Request) -> io::Result<()> {
    let response =
        Response { status: "404 Not Found", content_type: "text/plain", policy: "default-src 'none'", body: b"" };
    respond(request, response)
}

/// Writes a response in one piece. `tiny_http` 0.12 sends head and body of its own responses separately, and the second
/// part waits 40 ms for the acknowledgement of the first.
pub fn respond(request: Request, response: Response<'_>) -> io::Result<()> {
    let Response { status, content_type, policy, body } = response;
    let mut writer = request.into_writer();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: {policy}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\r\n"
    );
    writer.write_all(&[head.as_bytes(), body].concat())?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of a browser that the user opens stays where it is when a worker replaces another.
    #[test]
    fn a_chosen_address_is_served_again() {
        let first = Loopback::start(None).expect("a port is free");
        let address = first.url();
        drop(first);
        assert_eq!(Loopback::start(Some(&address)).expect("the port is free again").url(), address);
        assert!(Loopback::start(Some("http://127.0.0.1/")).is_err());
    }
}
