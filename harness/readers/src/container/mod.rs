//! Reads the layouts of buffers that a container of compiled HLSL (`.dxil`, `.cso`, `.dxbc`)
//! states.
//!
//! [`ContainerReflection::find`] examines the container. FXC's has a part `RDEF`, which `rdef`
//! reads. DXC's reflection is LLVM bitcode, which only DXC can list; [`listed_blocks`] reads that
//! listing. Neither form states strides, so `reflected` derives them from sizes, and rejects a
//! block whose members then do not add up to the size that the container states. These modules do
//! not read the code; see `llvm` and `fxc`. `tables` reads the registers of resources and signatures.

mod dxil_listing;
mod parts;
mod rdef;
mod reflected;
mod tables;

use thiserror::Error;

use crate::ReadError;
use crate::llvm::IrError;
use layoutproof_layout::listing::LISTED_BYTES;

pub use dxil_listing::listed_blocks;
use parts::MOST_PARTS;
pub use parts::{CONTAINER_MAGIC, ContainerReflection};
pub use rdef::RdefError;
pub use tables::{ContainerTables, SignatureElement, SignatureSide};

/// Why a container, or DXC's listing of one, has no layouts to read.
#[derive(Debug, Error)]
pub enum ContainerError {
    #[error("{0} bytes that do not start like a container")]
    NoContainer(usize),
    #[error("the container has {} bytes, but a part of it is at byte {}: it is truncated", .0.length, .0.at)]
    Truncated(#[from] Ended),
    #[error("{0} parts, more than {MOST_PARTS}: the container is damaged")]
    Damaged(u32),
    /// With the names of the parts.
    #[error("no part of this container describes where members are (its parts: {0})")]
    Undescribed(String),
    #[error("a table of the container has {0} records: it is damaged")]
    ManyRecords(u32),
    #[error("its part RDEF: {0}")]
    Rdef(#[from] RdefError),
    #[error("the container holds its code, but not its reflection")]
    Stripped,
    #[error("the line `{0}` of DXC's listing cannot be read")]
    Line(String),
    #[error("its blocks take more than {LISTED_BYTES} bytes to list")]
    TooLarge,
    #[error(transparent)]
    Bindings(#[from] ReadError),
    /// Its code cannot be read.
    #[error(transparent)]
    Code(#[from] IrError),
}

/// A place after the end of the bytes.
#[derive(Clone, Copy, Debug, Error)]
#[error("{length} bytes, but byte {at} is needed")]
pub struct Ended {
    length: usize,
    at: usize,
}

/// Bytes with little-endian numbers, which can be read at any place.
#[derive(Clone, Copy, Debug)]
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn word(self, at: usize) -> Result<u32, Ended> {
        Ok(u32::from_le_bytes(self.array(at)?))
    }

    fn half(self, at: usize) -> Result<u16, Ended> {
        Ok(u16::from_le_bytes(self.array(at)?))
    }

    fn array<const SIZE: usize>(self, at: usize) -> Result<[u8; SIZE], Ended> {
        self.from(at)?.first_chunk().copied().ok_or(Ended { length: self.0.len(), at })
    }

    /// The text at a place, up to its zero.
    fn text(self, at: usize) -> Result<String, Ended> {
        let text = self.from(at)?.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn from(self, at: usize) -> Result<&'a [u8], Ended> {
        self.0.get(at..).ok_or(Ended { length: self.0.len(), at })
    }
}
