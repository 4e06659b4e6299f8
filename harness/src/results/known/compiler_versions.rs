//! The versions of compilers that an entry of a list is about.

use std::collections::BTreeSet;
use std::fmt;

use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_source::version_range::{BadRange, VersionRange};

use crate::results::frozen::manifest::dotted_version;
use layoutproof_events::ShaderMaker;
use layoutproof_events::producer::Producer;

/// The value of an entry's `version`: `> 23.1.4`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CompilerVersions {
    range: VersionRange,
    /// The toolchains of the run whose compilers have such a version; empty until the run is known.
    of_run: BTreeSet<&'static str>,
}

impl CompilerVersions {
    pub(super) fn read(text: &str) -> Result<Self, BadRange> {
        Ok(Self { range: text.parse()?, of_run: BTreeSet::new() })
    }

    /// The same versions with the toolchains of a run that have them.
    pub(super) fn of_run<'a>(self, version_of: impl Fn(&Toolchain) -> Option<&'a str>) -> Self {
        let has_version = |toolchain: &&Toolchain| {
            version_of(toolchain).is_some_and(|version| self.range.contains(&dotted_version(version)))
        };
        Self { of_run: toolchains().iter().filter(has_version).map(|toolchain| toolchain.name).collect(), ..self }
    }

    /// True if a compiler of the run with such a version made the shaders.
    pub(super) fn have_made(&self, maker: &ShaderMaker) -> bool {
        match maker {
            ShaderMaker::Producer(Producer::Compiler(toolchain)) => self.of_run.contains(toolchain.name),
            ShaderMaker::Producer(Producer::Generator(_)) | ShaderMaker::NoShader | ShaderMaker::Unknown(_) => false,
        }
    }
}

impl fmt::Display for CompilerVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.range.fmt(f)
    }
}
