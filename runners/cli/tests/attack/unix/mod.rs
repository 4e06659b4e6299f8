//! The attacks, their schedule and their table.
#![expect(clippy::unwrap_used, reason = "an attack that cannot be set up has failed")]

mod assault;
mod compilers;
mod disks;
mod folders;
#[cfg(target_os = "linux")]
mod foreign;
mod interrupted;
mod mutation;
mod options;
mod planted;
mod program;
mod readers;
mod records;
mod sandbox;
mod schedule;
mod tally;

use std::process::ExitCode;

use clap::Parser;

use crate::unix::assault::Assault;
use crate::unix::options::Options;
use crate::unix::program::Installed;

/// Carries out what the arguments ask for.
pub(crate) fn main() -> ExitCode {
    let options = Options::parse();
    let _installed = Installed::new();
    let assaults = assaults();
    if options.list {
        tally::print_names(&assaults);
        return ExitCode::SUCCESS;
    }

    let tallies = schedule::carry_out(&assaults, &options);
    tally::print(&tallies, options.seed());
    let failed = tallies.iter().any(|tally| !tally.failures.is_empty());
    let attacked = tallies.iter().any(|tally| tally.attacks > 0);
    if failed || !attacked { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Every kind of attack, in the order of the table.
fn assaults() -> Vec<Box<dyn Assault>> {
    let mut assaults = readers::assaults();
    assaults.extend(planted::assaults());
    assaults.extend(interrupted::assaults());
    assaults.extend(compilers::assaults());
    assaults.extend(folders::assaults());
    #[cfg(target_os = "linux")]
    assaults.extend(foreign::assaults());
    assaults.extend(disks::assaults());
    assaults
}
