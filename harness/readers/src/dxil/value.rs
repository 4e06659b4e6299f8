//! Values during the execution of a function.

use crate::llvm::buffers::RegisterSite;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum DxilValue {
    /// A scalar's bits.
    Bits(u64),
    /// `undef`.
    Undefined,
    /// The components of a load's result, or the parts of an aggregate.
    Parts(Vec<DxilValue>),
    Handle(DxilHandle),
    /// A place in private memory.
    Pointer {
        slot: usize,
        at: usize,
    },
}

impl DxilValue {
    pub(super) fn bits(&self) -> Result<u64, String> {
        match self {
            Self::Bits(bits) => Ok(*bits),
            Self::Undefined => Err("an undefined value is used".to_owned()),
            Self::Parts(_) | Self::Handle(_) | Self::Pointer { .. } => Err("no scalar where one is needed".to_owned()),
        }
    }

    pub(super) fn handle(&self) -> Result<DxilHandle, String> {
        match self {
            Self::Handle(handle) => Ok(*handle),
            Self::Bits(_) | Self::Undefined | Self::Parts(_) | Self::Pointer { .. } => {
                Err("no resource where one is needed".to_owned())
            }
        }
    }

    /// The value as 32 bits.
    pub(super) fn word(&self) -> Result<u32, String> {
        u32::try_from(self.bits()?).map_err(|_| "a value beyond 32 bits".to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DxilHandle {
    pub(super) site: RegisterSite,
    pub(super) view: IndexUnit,
}

/// The unit in which a resource is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexUnit {
    /// Bytes; in constant buffers, registers.
    Bytes,
    /// Elements of this many bytes.
    Elements(u32),
    /// Registers of 16 bytes that typed loads read: a `tbuffer`.
    Registers,
}
