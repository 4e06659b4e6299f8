//! `ci/attack`: attacks the built program from outside, through its users' files, machines and
//! accidents.
//!
//! Mutates the input of every reader, plants faults, kills and resumes runs, provides lying
//! compilers and strange folders, and fills disks. Each attack has a number: the seed, the name of
//! its kind and its number reproduce it. The program may refuse, with a message and an exit code of
//! the contract. It must not crash, hang, need more than 1 GiB, run programs that lie around, lose
//! a record, or report success without proof.
//!
//! Not part of `cargo test`: `ci/attack` runs it, with limits on memory and time from the shell
//! (`ulimit`), so it works on Unix only.

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
