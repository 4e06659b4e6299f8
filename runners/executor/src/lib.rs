//! Keeps a run alive: worker processes for each device, batches of jobs, time limits, planted
//! faults, and the shaders that the run makes on the way.
//!
//! Only workers load drivers ([`worker`], [`serve`]); [`launch`] describes how they start. [`pool`]
//! hands out jobs and replaces workers that die.
//!
//! [`plan`] lists the checks of a run, [`produce`] makes their shaders, and [`answer`] has devices
//! answer them, which [`batching`] does faster. This crate reads no arguments and prints nothing: it
//! reports progress to a [`watch::Watcher`].
#![forbid(unsafe_code)]

pub mod answer;
pub mod batching;
pub mod compiler_devices;
mod connection;
pub mod current_lavapipe;
mod device_apis;
pub mod device_listing;
mod device_workers;
pub mod drivers;
pub mod fault;
pub mod interrupt;
pub mod launch;
pub mod own;
pub mod plan;
pub mod pool;
pub mod produce;
pub mod protocol;
pub mod serve;
mod sign_of_life;
pub mod spare_workers;
pub mod tools;
mod validator;
pub mod watch;
pub mod worker;
