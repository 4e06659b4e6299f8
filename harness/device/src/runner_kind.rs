//! The list of device APIs, with what checks and reports must know of each.
//!
//! It has no code of an API, so that records can be read where no driver is. That code implements
//! [`DeviceApi`](crate::DeviceApi).

use serde::{Deserialize, Serialize};

use crate::ShaderForm;

// One row per API makes the enum, the order of listings, and the names in text and in records, so
// that no kind is missing and no kind has two names.
macro_rules! runner_kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal, $api:literal, $title:literal, $provider:ident,
        [$($form:ident),+];)*) => {
        /// The API that drives a device.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum RunnerKind { $($(#[doc = $doc])+ #[serde(rename = $text)] $variant,)* }

        impl RunnerKind {
            /// All kinds, in the order of listings.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The names on the command line, separated by commas.
            pub const NAMES: &'static str = {
                const NAMES: &str = concat!($($api, ",",)*);
                NAMES.split_at(NAMES.len() - 1).0
            };

            /// The name in trial names and records.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The name on the command line.
            pub const fn api(self) -> &'static str {
                match self { $(Self::$variant => $api,)* }
            }

            /// The name in texts for people.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// The part of a machine that provides the devices.
            pub const fn provider(self) -> Provider {
                match self { $(Self::$variant => Provider::$provider,)* }
            }

            /// The forms of code that its devices take. Producers whose output has one of them
            /// take part on its devices.
            pub const fn forms(self) -> &'static [ShaderForm] {
                match self { $(Self::$variant => &[$(ShaderForm::$form),+],)* }
            }
        }
    };
}

runner_kinds! {
    /// Vulkan through ash.
    Ash = "ash", "vulkan", "Vulkan", Driver, [Spirv];
    /// wgpu. It could take SPIR-V as well, but this would repeat ash's path.
    Wgpu = "wgpu", "wgpu", "wgpu", Driver, [Wgsl];
    /// Direct3D 12 through its COM interfaces.
    D3d12 = "d3d12", "d3d12", "D3D12", Driver, [Dxil, Dxbc];
    /// WebGPU as JavaScript programs see it: Dawn in Node.js, and browsers.
    WebGpu = "webgpu", "webgpu", "WebGPU", Driver, [Wgsl];
    /// The evaluator of DXIL.
    Dxil = "dxil", "dxil", "dxil", Evaluator, [Dxil, ClangIr];
    /// The model on the CPU.
    Model = "model", "model", "model", Model, [Spirv];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A driver of the machine. Only worker processes load it.
    Driver,
    /// This project executes compilers' code, in the command's own process.
    Evaluator,
    /// This project follows decorations, in the command's own process. The answers follow from the
    /// shader by definition, so they prove nothing about devices or compilers.
    Model,
}

impl RunnerKind {
    /// True if a driver provides the devices, false if this project implements them.
    pub const fn is_driven(self) -> bool {
        matches!(self.provider(), Provider::Driver)
    }

    /// True if its devices take code of this form.
    pub fn accepts(self, form: ShaderForm) -> bool {
        self.forms().contains(&form)
    }

    /// The kinds whose devices drivers provide. Only worker processes list and open those.
    pub fn driven() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| kind.is_driven())
    }
}
