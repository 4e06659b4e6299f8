//! Values during the execution of a function.

use super::ir_error::IrError;
use super::memory::RegisterSite;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bits(u64),
    /// `undef` or `poison`.
    Undefined,
    /// A vector's components, or parts of an aggregate.
    Parts(Vec<Value>),
    Handle(Handle),
    Pointer(Pointer),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handle {
    pub(super) site: RegisterSite,
    pub(super) unit: IndexUnit,
}

/// The unit in which code indexes a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexUnit {
    /// Bytes: a raw buffer. DXIL's constant buffers, too, whose operation counts registers.
    Bytes,
    /// Elements of this many bytes: a structured buffer.
    Elements(u64),
    /// Registers of 16 bytes that typed loads read: a `tbuffer`.
    Registers,
    /// None in which an element has an address: textures, and constant buffers in Clang's IR, whose
    /// members are variables.
    Opaque,
}

/// An address: an object and an offset in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) object: AddressedObject,
    pub(super) offset: i64,
}

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

impl Value {
    pub(super) fn bits(&self) -> Result<u64, IrError> {
        match self {
            Self::Bits(bits) => Ok(*bits),
            Self::Undefined => Err("an undefined value is used".into()),
            _ => Err("no scalar where one is needed".into()),
        }
    }

    /// The value as 32 bits.
    pub(super) fn word(&self) -> Result<u32, IrError> {
        u32::try_from(self.bits()?).map_err(|_| "a value beyond 32 bits".into())
    }

    pub(super) fn pointer(&self) -> Result<Pointer, IrError> {
        if let Self::Pointer(pointer) = self { Ok(*pointer) } else { Err("no address where one is needed".into()) }
    }

    pub(super) fn handle(&self) -> Result<Handle, IrError> {
        if let Self::Handle(handle) = self { Ok(*handle) } else { Err("no resource where one is needed".into()) }
    }

    /// `count` components.
    pub(super) fn parts(self, count: usize) -> Result<Vec<Self>, IrError> {
        match self {
            Self::Parts(parts) if parts.len() == count => Ok(parts),
            Self::Undefined => Ok(vec![Self::Undefined; count]),
            _ => Err(IrError::Components(count)),
        }
    }

    /// The part of an aggregate that `extractvalue` selects.
    pub(super) fn part(&self, index: u64) -> Result<Self, IrError> {
        let Self::Parts(parts) = self else { return Err("a part of a scalar".into()) };
        let part = usize::try_from(index).ok().and_then(|index| parts.get(index).cloned());
        part.ok_or("a part that is not there".into())
    }

    /// The low and the high word of a double.
    pub(super) fn split_double(&self) -> Result<Self, IrError> {
        let bits = self.bits()?;
        Ok(Self::Parts(vec![Self::Bits(bits & u64::from(u32::MAX)), Self::Bits(bits >> u32::BITS)]))
    }

    /// The double of two words.
    pub(super) fn make_double(low: &Self, high: &Self) -> Result<Self, IrError> {
        Ok(Self::Bits(u64::from(low.word()?) | u64::from(high.word()?) << u32::BITS))
    }
}

impl Pointer {
    pub(super) fn after(self, bytes: i64) -> Self {
        Self { offset: self.offset.wrapping_add(bytes), ..self }
    }
}
