//! The connection between the command and a worker process.
//!
//! On Unix it is an unnamed pair of sockets. The worker gets one end as its standard input, so no
//! other process can connect, not even one of the same user. Other systems use a port on the
//! loopback address and a token.

#[cfg(any(not(unix), test))]
#[cfg_attr(unix, expect(dead_code, reason = "on Unix only the tests use it"))]
mod loopback;
#[cfg(unix)]
mod socket_pair;

#[cfg(not(unix))]
pub(crate) use loopback::{Offer, Stream, connect_to_parent};
#[cfg(unix)]
pub(crate) use socket_pair::{Offer, Stream, connect_to_parent};
