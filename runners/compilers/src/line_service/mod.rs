//! Serves compilers that take longer to start than to compile many sources: one process answers one
//! line per source.
//!
//! Compilers under Wine and Dawn's Tint serve lines. [`LineService`] asks them as if they were
//! started for each source.

mod server;
mod service;
mod session;

pub(crate) use server::{Server, command_line, read_file};
pub(crate) use service::LineService;
pub(crate) use session::SessionDeath;
