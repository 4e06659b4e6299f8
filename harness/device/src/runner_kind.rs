//! The APIs through which jobs reach devices.

use serde::{Deserialize, Serialize};

use crate::ShaderForm;

// One list makes the enum, `ALL` and the names in text and in records, so that no kind is missing
// and no kind has two names.
macro_rules! runner_kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)*) => {
        /// The API that drives a device.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum RunnerKind { $($(#[doc = $doc])+ #[serde(rename = $text)] $variant,)* }

        impl RunnerKind {
            /// All kinds, in the order of listings.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in trial names and on the command line.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

runner_kinds! {
    /// Vulkan through ash.
    Ash = "ash",
    /// wgpu.
    Wgpu = "wgpu",
    /// Direct3D 12 through its COM interfaces.
    D3d12 = "d3d12",
    /// The evaluator of DXIL.
    Dxil = "dxil",
    /// The model on the CPU.
    Model = "model",
}

impl RunnerKind {
    /// True if a driver provides the devices, false if this project implements them.
    pub const fn is_driven(self) -> bool {
        match self {
            Self::Ash | Self::Wgpu | Self::D3d12 => true,
            Self::Model | Self::Dxil => false,
        }
    }

    /// The forms of code that its devices take.
    pub const fn forms(self) -> &'static [ShaderForm] {
        match self {
            Self::Ash | Self::Model => &[ShaderForm::Spirv],
            Self::Wgpu => &[ShaderForm::Wgsl],
            Self::D3d12 => &[ShaderForm::Dxil, ShaderForm::Dxbc],
            Self::Dxil => &[ShaderForm::Dxil, ShaderForm::ClangIr],
        }
    }

    /// The kinds whose devices drivers provide. Only worker processes list and open those.
    pub fn driven() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| kind.is_driven())
    }
}
