//! The pure core of layoutproof: declarations in, layouts, probes and verdicts out.
//!
//! Data flows one way, one module per arrow: [`declare`] reads declarations into a [`module::Module`],
//! [`layoutproof_layout`] places its blocks under a rule set and [`bindings`] its parameters, [`probe`] plans the bytes to
//! upload and the shader that looks for them, [`generate`] makes the shader, a [`layoutproof_device::Runner`] executes it,
//! [`check`] compares the witnesses, [`results`] keeps what came out and [`report`] prints it. Nothing here touches a GPU, a
//! file, the environment or the terminal.
//!
//! The rest of this page is `harness/ARCHITECTURE.md`, which is about the whole repository.
//!
#![doc = include_str!("../ARCHITECTURE.md")]
#![forbid(unsafe_code)]
#![expect(missing_docs, reason = "some names need no docs")]

pub mod bindings;
pub mod case;
pub mod check;
pub mod declare;
pub mod export;
pub mod generate;
pub mod host;
pub mod input;
pub mod inspect;
pub mod model;
pub mod module;
pub mod probe;
pub mod random;
pub mod report;
pub mod results;
pub mod show;
pub mod stable_hash;
pub mod version;
