//! Checks: from what a user gives to records.
//!
//! [`source`] is a declared case or file, [`subject`] the same under one rule set, [`placed`] the same as one convention
//! places its parameters, [`produce`] its shaders by one producer in the spaces and stages that `reach` chooses,
//! [`conduct`] the jobs for one device and the record that their results add up to; [`proof`] and [`prove`] are the same
//! two for a placement. Everything that runs a device or a validator is the caller's.

pub mod conduct;
mod hint;
pub mod placed;
pub mod produce;
pub mod proof;
pub mod prove;
mod reach;
mod row;
mod share;
pub mod source;
pub mod subject;

pub use conduct::{Check, Jobs};
pub use placed::Placed;
pub use produce::{Produced, Producer, Settings, ShaderModule};
pub use proof::{Proof, ProofCheck, ProofModule};
pub use prove::ProofJobs;
pub use share::Share;
pub use source::Source;
pub use subject::Subject;
