//! Who writes shaders, for whom, and what agreement with them proves.

use std::fmt;

use crate::generate::wgsl;
use crate::record::Proves;
use crate::runner::RunnerKind;
use crate::verdict::Writer;

/// Who writes the shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Producer {
    /// Our own SPIR-V through rspirv.
    Rspirv,
    /// Our own WGSL, compiled by naga.
    Naga,
}

impl Producer {
    /// All producers.
    pub const ALL: [Self; 2] = [Self::Rspirv, Self::Naga];

    /// The name in trial names and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rspirv => "rspirv",
            Self::Naga => "naga",
        }
    }

    /// Whether this API takes what the producer makes. wgpu with our SPIR-V would be ash's path again; the model
    /// follows decorations, which naga's own code adds nothing to.
    pub fn feeds(self, runner: RunnerKind) -> bool {
        match (self, runner) {
            (Self::Rspirv, RunnerKind::Ash | RunnerKind::Model) | (Self::Naga, RunnerKind::Ash | RunnerKind::Wgpu) => {
                true
            }
            (Self::Rspirv, RunnerKind::Wgpu) | (Self::Naga, RunnerKind::Model) => false,
        }
    }

    /// Whose the offsets in the shaders are.
    pub fn writer(self) -> Writer {
        match self {
            Self::Rspirv => Writer::Generator,
            Self::Naga => Writer::Compiler,
        }
    }

    /// What agreement proves under `rules`: naga chooses offsets only under WGSL's own rules.
    pub fn proves(self, rules: &str) -> Proves {
        match self {
            Self::Naga if wgsl::chooses_offsets(rules) => Proves::Compiler,
            Self::Rspirv | Self::Naga => Proves::Decorations,
        }
    }
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
