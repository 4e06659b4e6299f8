//! Checks of where one convention places parameters.
//!
//! `binding_check` compares the convention's answer with the case. [`binding_shaders`] writes the shaders that make a
//! device show it, `binding_jobs` lists the jobs for one device and makes a record of its answers, `proof_texts` keeps the
//! shaders of those that differ.

mod binding_check;
mod binding_jobs;
pub mod binding_shaders;
mod proof_texts;

pub use binding_check::BindingCheck;
pub use binding_jobs::ProofJobs;
pub use binding_shaders::{Proof, ProofCheck, ProofModule};
