//! Values during the execution of a function.

use crate::llvm::buffers::RegisterSite;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ClangValue {
    /// A scalar's bits.
    Bits(u64),
    /// `undef` or `poison`.
    Undefined,
    /// A vector's components, or parts of an aggregate.
    Parts(Vec<ClangValue>),
    /// A resource.
    Handle(ClangHandle),
    /// An address.
    Pointer(ClangPointer),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClangHandle {
    pub(super) site: RegisterSite,
    /// Bytes from one element to the next; `None` if elements have no addresses.
    pub stride: Option<u64>,
}

/// An address: an object and an offset in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClangPointer {
    pub(super) object: AddressedObject,
    pub offset: i64,
}

/// The memory that an address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressedObject {
    /// Private memory, by index of the object.
    Private(usize),
    Resource(RegisterSite),
    /// Nothing: the code accesses a member that the struct does not have. LLVM then reads past its
    /// own table of offsets and gets a different number in each run. Here such an address points to
    /// no byte.
    Nowhere,
}

impl ClangValue {
    pub(super) fn bits(&self) -> Result<u64, String> {
        match self {
            Self::Bits(bits) => Ok(*bits),
            Self::Undefined => Err("an undefined value is used".to_owned()),
            Self::Parts(_) | Self::Handle(_) | Self::Pointer(_) => Err("no scalar where one is needed".to_owned()),
        }
    }

    /// The value as 32 bits.
    pub(super) fn word(&self) -> Result<u32, String> {
        u32::try_from(self.bits()?).map_err(|_| "a value beyond 32 bits".to_owned())
    }

    pub(super) fn pointer(&self) -> Result<ClangPointer, String> {
        match self {
            Self::Pointer(pointer) => Ok(*pointer),
            Self::Bits(_) | Self::Undefined | Self::Parts(_) | Self::Handle(_) => {
                Err("no address where one is needed".to_owned())
            }
        }
    }

    pub(super) fn handle(&self) -> Result<ClangHandle, String> {
        match self {
            Self::Handle(handle) => Ok(*handle),
            Self::Bits(_) | Self::Undefined | Self::Parts(_) | Self::Pointer(_) => {
                Err("no resource where one is needed".to_owned())
            }
        }
    }

    /// `count` components.
    pub(super) fn parts(self, count: usize) -> Result<Vec<ClangValue>, String> {
        match self {
            Self::Parts(parts) if parts.len() == count => Ok(parts),
            Self::Undefined => Ok(vec![Self::Undefined; count]),
            Self::Parts(_) | Self::Bits(_) | Self::Handle(_) | Self::Pointer(_) => {
                Err(format!("no {count} components where they are needed"))
            }
        }
    }
}
