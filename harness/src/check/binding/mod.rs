//! Checks where a convention places parameters.
//!
//! `binding_check` compares the convention's answer with the case. [`binding_shaders`] writes
//! shaders that reveal the placement on a device. `binding_jobs` lists the jobs for one device and
//! makes a record of its answers, and `proof_texts` keeps the shaders of checks that differ. `translated_binding` compares
//! the places with those that a translator writes.

mod binding_check;
mod binding_jobs;
pub mod binding_shaders;
mod proof_texts;
mod translated_binding;

pub use binding_check::BindingCheck;
pub use binding_jobs::ProofJobs;
pub use binding_shaders::{Proof, ProofCheck, ProofModule};
pub use translated_binding::TranslatedBinding;
