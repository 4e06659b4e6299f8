//! The command `layoutproof` as users see it: arguments and files in, exit code, text and files
//! out.
//!
//! Every run is a separate process in a temporary folder, without the variables that affect drivers
//! or colours. No test needs a GPU or a driver: shaders run on the model device.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accesses;
mod accounts;
mod archives;
mod bad_compilers;
mod bench;
mod bindings;
mod book;
mod bugs;
#[cfg(target_os = "linux")]
mod cache;
mod compare;
mod compared_runs;
mod compared_shaders;
mod containers;
mod demands;
#[cfg(target_os = "linux")]
mod driver_library;
mod elements;
mod endings;
mod explorer;
mod fast;
mod faults;
mod folder;
#[cfg(unix)]
mod foreign_files;
mod host_check;
mod host_pairs;
mod host_structs;
mod hostile;
mod interrupts;
mod kit;
mod known;
mod listings;
mod locks;
mod lost_apis;
mod lsp;
mod measured;
mod mistakes;
mod modules;
mod offload_tests;
mod outcomes;
mod outputs;
mod pages;
mod planted_mistakes;
mod progress;
mod proofs;
mod records;
mod reflect;
mod refused;
mod regress;
mod repro;
mod revisions;
mod run;
mod run_history;
mod setup;
mod shards;
mod show;
mod site;
mod spaces;
mod strange_folders;
mod survival;
mod tampered;
mod temporary_folders;
mod upstream;
mod vectors;
mod vocabulary;
mod watch;
