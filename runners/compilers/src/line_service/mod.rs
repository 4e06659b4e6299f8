//! Compilers whose start takes longer than many sources: one process answers a line for each source.
//!
//! Those under Wine serve lines, and Dawn's Tint. [`LineService`] asks them as if they were started for each source.

mod server;
mod service;
mod session;

pub(crate) use server::{Server, command_line, read_file};
pub(crate) use service::LineService;
pub(crate) use session::SessionDeath;
