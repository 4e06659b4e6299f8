//! The command `layoutproof` with the drivers and compilers that are installed on this machine.
//!
//! A trial that needs a missing one is ignored, with the reason. One program contains all trials,
//! so that long ones of one file run next to those of another.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accesses;
mod accounts;
mod contributing;
mod drivers;
mod editor;
#[expect(dead_code, reason = "the tests of commands use the rest")]
#[path = "../commands/folder.rs"]
mod folder;
mod fuzz;
mod glsl;
#[path = "../commands/outcomes.rs"]
mod outcomes;
mod own;
mod reads_by_name;
mod reflected;
mod reserved;
mod shared_modules;
mod translators;
mod typescript;
mod upstream;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = [
        accesses::trials(),
        accounts::trials(),
        contributing::trials(),
        drivers::trials(),
        editor::trials(),
        fuzz::trials(),
        glsl::trials(),
        own::trials(),
        reads_by_name::trials(),
        reflected::trials(),
        reserved::trials(),
        shared_modules::trials(),
        translators::trials(),
        typescript::trials(),
        upstream::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}

/// A trial that is ignored if this machine lacks what it needs.
fn trial(name: &str, lacking: Option<String>, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    match lacking {
        None => Trial::test(name, test),
        // If ignored trials are run too, this one fails with the same reason.
        Some(reason) => {
            let told = reason.clone();
            Trial::test(name, move || Err(told.into())).with_ignored_flag(true).with_kind(reason)
        }
    }
}
