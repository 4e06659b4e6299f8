//! `ci/attack`: attacks the built program from outside, as its users' files, machines and accidents do.
//!
//! Mutates what every reader reads, plants faults, kills runs and goes on with them, puts lying compilers and strange
//! folders before it, and fills disks. Each attack is numbered: the seed, the name of its kind and its number make it
//! again. The program may refuse, with words and an exit code of the contract. It may not crash, hang, take more than
//! 1 GiB, run what lies around, lose a record, or be green without proof.
//!
//! No part of `cargo test`: `ci/attack` runs it, with limits of memory and time from the shell (`ulimit`), so on Unix
//! alone.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    unix::main()
}

#[cfg(not(unix))]
fn main() {
    panic!("the attacks need ulimit and signals, which only Unix has");
}
