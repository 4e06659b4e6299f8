//! `manifest.toml` of a frozen set: which compiler made the decisions, and with which command
//! lines.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::answer::CaseDecisions;

/// The version of the format.
pub const SCHEMA: u32 = 1;

/// The manifest of one compiler's frozen decisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The compiler's family: `dxc`, `slang`.
    pub family: String,
    /// The version as a dotted number: [`dotted_version`] of `says`.
    pub version: String,
    /// The version that the compiler prints.
    pub says: String,
    /// SHA-256 of the program, or of the library if our own driver loads one.
    pub digest: String,
    /// SHA-256 over the names and digests of all cases.
    pub cases: String,
    pub layoutproof: String,
    /// One for each target and layout option.
    #[serde(rename = "toolchain")]
    pub toolchains: Vec<FrozenToolchain>,
}

/// A target with a layout option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenToolchain {
    /// The decisions are in the file with this name and the extension `.txt`.
    pub name: String,
    /// The command line; a case's own options come before the source's name.
    pub command: String,
}

/// A TOML file of a frozen set that cannot be read.
#[derive(Clone, Debug, Error)]
pub enum FrozenFileError {
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    #[error("schema is {0}, this version reads {SCHEMA}")]
    Schema(u32),
}

pub(super) fn check_schema(found: u32) -> Result<(), FrozenFileError> {
    if found == SCHEMA { Ok(()) } else { Err(FrozenFileError::Schema(found)) }
}

impl Manifest {
    pub fn read(text: &str) -> Result<Self, FrozenFileError> {
        let manifest: Self = toml::from_str(text)?;
        check_schema(manifest.schema)?;
        Ok(manifest)
    }

    pub fn write(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

pub fn case_set_digest(decided: &BTreeMap<String, CaseDecisions>) -> String {
    let cases: BTreeSet<(&str, &str)> =
        decided.values().flatten().map(|(id, case)| (id.as_str(), case.digest.as_str())).collect();
    let mut digest = Sha256::new();
    for (id, case) in cases {
        digest.update(format!("{id} {case}\n"));
    }
    format!("{:x}", digest.finalize())
}

/// The version of a compiler that prints none.
pub const UNKNOWN_VERSION: &str = "unknown";

/// Parses the version from a compiler's version line: the dotted number with the most parts. DXC's
/// library prints the commit count separately: `libdxcompiler: 1.7 (4006, 69e54e29)` is 1.7.4006.
pub fn dotted_version(says: &str) -> String {
    let is_part = |c: char| !c.is_ascii_digit() && c != '.';
    let numbers = says.split(is_part).map(|number| number.trim_matches('.'));
    let parts = |number: &str| number.split('.').count();
    let dotted = numbers
        .filter(|number| !number.is_empty())
        .fold("", |best, number| if best.is_empty() || parts(number) > parts(best) { number } else { best });
    let count = says.split_once('(').and_then(|(_, rest)| rest.split_once(',')).map(|(count, _)| count.trim());
    match count.filter(|count| parts(dotted) == 2 && !count.is_empty() && count.chars().all(|c| c.is_ascii_digit())) {
        Some(count) => format!("{dotted}.{count}"),
        None if dotted.is_empty() => UNKNOWN_VERSION.to_owned(),
        None => dotted.to_owned(),
    }
}

/// The parts of a dotted version, for sorting.
pub fn version_order(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_compilers_say() {
        assert_eq!(dotted_version("libdxcompiler: 1.7 (4006, 69e54e29)"), "1.7.4006");
        // dxc --version of a release.
        assert_eq!(dotted_version("libdxcompiler.so: 1.8 - 1.8.2505.1 (b106a961d)"), "1.8.2505.1");
        assert_eq!(dotted_version("2026.14.1"), "2026.14.1");
        assert_eq!(dotted_version("built today"), "unknown");
        assert!(version_order("1.10.1") > version_order("1.9.2602"));
    }
}
