//! Processes of our program that load a compiler's library and run one command line after another.
//!
//! [`LibraryService`] starts them and sends requests; `slang_library` and `dxc_library` run inside them, in
//! [`serve`]. A [`frame`] is a message between the two. They are separate processes because
//! compilers crash on some inputs.

pub mod frame;
mod serve;
mod service;

pub use serve::{LibraryAnswer, serve};
pub use service::LibraryService;
