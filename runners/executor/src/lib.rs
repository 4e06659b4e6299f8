//! Keeps a run alive: worker processes for each device, batches of jobs, time limits, planted faults, and the shaders that
//! are made on the way.
//!
//! Drivers are loaded in workers only ([`worker`], [`serve`]); [`launch`] says how workers are started. [`pool`] hands out
//! jobs, and starts a worker anew where one dies; [`execute`] makes shaders and carries checks out, [`proofs`] does so for
//! placements. No argument is read here and nothing is printed: a [`watch::Watcher`] hears what is going on.
#![forbid(unsafe_code)]

pub mod compiler_devices;
mod connection;
pub mod device_listing;
mod device_workers;
pub mod drivers;
pub mod execute;
pub mod fault;
pub mod interrupt;
pub mod launch;
pub mod pool;
pub mod proofs;
pub mod protocol;
pub mod rotation;
mod screen;
pub mod serve;
mod sign_of_life;
pub mod spare_workers;
pub mod tools;
mod validator;
pub mod watch;
pub mod worker;
