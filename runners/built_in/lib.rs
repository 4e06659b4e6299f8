//! The data files that are built into the `layoutproof` program: cases, known differences, reduced
//! sources that show them, frozen decisions of compilers, and the scripts of its set-up.
//!
//! This crate contains texts only and does not interpret them. The package's folder is the root of
//! the repository.
#![forbid(unsafe_code)]

/// A data file of the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltInFile {
    /// Its path below the folder of its kind, with `/` as separator. Names of cases, known
    /// differences and reduced sources have no suffix.
    pub name: &'static str,
    pub text: &'static str,
}

/// The cases, by id.
pub const CASES: &[BuiltInFile] = &include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// The format of case files, for people who write one: `cases/README.md`.
pub const CASE_FORMAT: &str = include_str!("../../cases/README.md");

/// The lists of known differences: `ci/known`.
pub const KNOWN: &[BuiltInFile] = &include!(concat!(env!("OUT_DIR"), "/known.rs"));

/// Sources, reduced by hand, that show known differences: `ci/upstream`.
pub const UPSTREAM: &[BuiltInFile] = &include!(concat!(env!("OUT_DIR"), "/upstream.rs"));

/// Shaders, reduced by hand, that show known differences of drivers: `ci/upstream-drivers`.
pub const UPSTREAM_DRIVERS: &[BuiltInFile] = &include!(concat!(env!("OUT_DIR"), "/upstream_drivers.rs"));

/// Checks that show known differences, one per line, compressed. `ci/known-evidence` extracts them from the
/// records of a run.
pub const KNOWN_EVIDENCE: &[u8] = include_bytes!("../../ci/known-evidence.jsonl.zst");

/// A data file of a folder with compressed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltInBytes {
    /// Its path below the folder of its kind. Names of runs have no suffixes.
    pub name: &'static str,
    pub bytes: &'static [u8],
}

/// What runs of the whole suite found about devices: compressed records, `ci/devices`.
pub const DEVICE_RUNS: &[BuiltInBytes] = &include!(concat!(env!("OUT_DIR"), "/devices.rs"));

/// The results of other libraries for the test vectors: `ci/peers/results.json`.
pub const PEERS: &str = include_str!("../../ci/peers/results.json");

/// Recorded decisions of compiler builds: `shaders/frozen`.
pub const FROZEN: &[BuiltInBytes] = &include!(concat!(env!("OUT_DIR"), "/frozen.rs"));

/// The parts of the set-up: `ci/setup`.
pub const SETUP_PARTS: &[BuiltInFile] = &include!(concat!(env!("OUT_DIR"), "/setup.rs"));

/// The set-up's scripts that are directly in `ci`.
pub const SETUP_SCRIPTS: &[BuiltInFile] = &[
    BuiltInFile { name: "setup.sh", text: include_str!("../../ci/setup.sh") },
    BuiltInFile { name: "tools-folder", text: include_str!("../../ci/tools-folder") },
    BuiltInFile { name: "versions.sh", text: include_str!("../../ci/versions.sh") },
];
