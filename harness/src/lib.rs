//! The pure core of layoutproof: turns declarations into layouts, probes and verdicts.
//!
//! Data flows one way, with one module per step: [`layoutproof_frontend`] reads declarations into a
//! [`layoutproof_frontend::module::Module`], [`layoutproof_layout`] places its blocks under a rule set and [`layoutproof_bindings`]
//! its parameters, [`layoutproof_probes`] plans the bytes to upload and the shader that looks for them,
//! [`layoutproof_generators`] writes the shader, a [`layoutproof_device::Runner`] executes it, [`check`] compares
//! the witnesses and [`results`] stores the outcome; `layoutproof-report` prints it. This crate uses no GPU,
//! file, environment variable or terminal.
//!
//! The rest of this page is `harness/ARCHITECTURE.md`, which describes the whole repository.
//!
#![doc = include_str!("../ARCHITECTURE.md")]
#![forbid(unsafe_code)]

pub mod book;
pub mod case;
pub mod check;
pub mod results;
pub mod toml_table;
