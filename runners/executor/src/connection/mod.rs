//! The connection between the command and a worker process.
//!
//! On Unix it is a pair of sockets without a name, of which the worker gets one end as its standard input: no other
//! process can connect, whoever its user is. Other systems have a port on the loopback address and a token.

#[cfg(any(not(unix), test))]
#[cfg_attr(unix, expect(dead_code, reason = "Unix only tests how strangers are kept out"))]
mod loopback;
#[cfg(unix)]
mod socket_pair;

#[cfg(not(unix))]
pub(crate) use loopback::{Offer, Stream, connect_to_parent};
#[cfg(unix)]
pub(crate) use socket_pair::{Offer, Stream, connect_to_parent};
