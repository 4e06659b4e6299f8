//! Images: the bytes of a block, where each byte encodes its own position.
//!
//! Turns a laid-out block into the bytes that a host uploads. Every 32-bit word carries its own
//! byte offset under a tag, so a value read from the wrong place names that place: `0xC0DE0024` is
//! the data at byte 36, `0xBADD0030` the padding at byte 48. All words are normal floats, also as
//! halves of 64-bit floats, so no device flushes or changes them. Leaves that have no room for a
//! tag are written in planes ([`encoding`]).
//!
//! A tag leaves 16 bits for the offset, so larger blocks have two images, one for each half of the
//! offset. The layout decides which bytes hold data: leaves that no shader reads are data, too.

pub mod encoding;

use std::fmt;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockLayout, LaidOut, LaidOutShape, UNSIZED_ELEMENTS};
use thiserror::Error;

use self::encoding::{Half, Ink, Salt};
use crate::ProbePlan;

/// Limit on a block with its guards. The tags could number more bytes, but every dispatch carries
/// all bytes of its block.
pub const MAX_BYTES: u32 = 1 << 24;

/// The word that fills the memory before the bound range.
pub const BEFORE_WORD: u32 = 0xBEEF_BEEF;

/// The word that fills the output buffer before each dispatch.
pub const REFILL_WORD: u32 = 0xF111_F111;

const DATA_TAG: u32 = 0xC0DE_0000;
const PADDING_TAG: u32 = 0xBADD_0000;
const GUARD_TAG: u32 = 0xCAFE_0000;
const NONCE_TAG: u32 = 0x600D_0000;
/// Both halves are normal 16-bit floats, too.
const ELEMENT_TAG: u32 = 0xE1E1_E1E0;
const ELEMENT_MASK: u32 = 0xFFFF_FFF0;
const TAG_MASK: u32 = 0xFFFF_0000;

/// Why a block has no image.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ImageError {
    /// The rule set forbids the block.
    #[error("rule set {rules} forbids block `{block}`")]
    Refused { rules: String, block: String },
    /// The block exceeds [`MAX_BYTES`].
    #[error("block `{block}` takes {size} bytes, images end at {MAX_BYTES} bytes")]
    TooLarge {
        block: String,
        /// Bytes that the image would need.
        size: u64,
    },
    /// The block has no bytes.
    #[error("block `{block}` has no bytes")]
    Empty { block: String },
}

/// The owner of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A leaf, as its index into [`ProbePlan::leaves`].
    Leaf(u32),
    /// A leaf that the plan does not probe.
    NotProbed,
    /// No member.
    Padding,
    /// A guard after the block.
    Guard,
}

/// The owner of each byte of a block. The bytes themselves depend on the ink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockImage {
    /// One owner per byte. The length is a multiple of 4.
    pub owners: Vec<Owner>,
}

impl BlockImage {
    /// Makes the image of a block, without guards. An unsized array gets [`UNSIZED_ELEMENTS`]
    /// elements. If leaves overlap, the first one in plan order owns the byte.
    ///
    /// # Errors
    ///
    /// The rule set forbids the block, or the block has no bytes or more than [`MAX_BYTES`].
    pub fn new(layout: &BlockLayout, plan: &ProbePlan) -> Result<Self, ImageError> {
        let size = image_size(layout, plan)?;
        let mut owners = vec![Owner::Padding; size];
        for (index, leaf) in (0..).zip(&plan.leaves) {
            claim(&mut owners, leaf.offset as usize, leaf.component.size, Owner::Leaf(index));
        }
        if let Ok(laid_out) = &layout.result {
            claim_rest(&mut owners, laid_out, 0);
        }
        Ok(Self { owners })
    }

    /// Returns the bytes before a read probe.
    pub fn bytes(&self, ink: Ink, salt: Salt) -> Vec<u8> {
        let mut bytes = bytes_of(&self.owners, 0, ink);
        if matches!(ink, Ink::Words(_)) {
            salt.add(&mut bytes);
        }
        bytes
    }

    /// Returns the bytes before a write probe. Each byte of a leaf is the complement of its byte in
    /// [`Self::bytes`], so every byte of a write shows.
    pub fn complemented_bytes(&self, ink: Ink, salt: Salt) -> Vec<u8> {
        let mut bytes = self.bytes(ink, salt);
        for (byte, owner) in bytes.iter_mut().zip(&self.owners) {
            match owner {
                Owner::Leaf(_) | Owner::NotProbed => *byte = !*byte,
                Owner::Padding | Owner::Guard => {}
            }
        }
        bytes
    }

    /// Adds up to `length` bytes of guards after the block, fewer if the image reaches its limit.
    #[must_use]
    pub fn with_guards(mut self, length: u32) -> Self {
        self.owners.resize(self.owners.len() + self.guards(length), Owner::Guard);
        self
    }

    /// Returns how many guard bytes, up to `length`, fit after the block.
    fn guards(&self, length: u32) -> usize {
        (MAX_BYTES as usize).saturating_sub(self.owners.len()).min(length as usize)
    }

    /// Returns up to `length` guard bytes for the memory after the image, fewer if the image
    /// reaches its limit.
    pub fn guards_behind(&self, length: u32, ink: Ink) -> Vec<u8> {
        let start = u32::try_from(self.owners.len()).unwrap_or(u32::MAX);
        bytes_of(&vec![Owner::Guard; self.guards(length)], start, ink)
    }
}

/// Returns the bytes for these owners. The first owner is at byte `start` of the block, a multiple
/// of 4.
fn bytes_of(owners: &[Owner], start: u32, ink: Ink) -> Vec<u8> {
    let is_data = |owner: &Owner| matches!(owner, Owner::Leaf(_) | Owner::NotProbed);
    let half = match ink {
        Ink::Plane(plane) => {
            return (start..).zip(owners).map(|(offset, owner)| plane.byte(offset, is_data(owner))).collect();
        }
        Ink::Words(half) => half,
    };

    let mut bytes = Vec::with_capacity(owners.len());
    for (offset, owners) in (start..).step_by(4).zip(owners.chunks(4)) {
        let tag = if owners.iter().any(is_data) {
            DATA_TAG
        } else if owners.contains(&Owner::Guard) {
            GUARD_TAG
        } else {
            PADDING_TAG
        };
        bytes.extend_from_slice(&(tag | half.of(offset)).to_le_bytes());
    }
    bytes
}

/// Returns the word at byte `offset` of a block's data without a salt, for offsets below
/// [`MAX_BYTES`].
pub fn data_word(offset: u32, half: Half) -> u32 {
    DATA_TAG | half.of(offset)
}

/// Returns the word that fills element `element` (below 16) of an array of buffers, for elements
/// other than the block under test.
pub fn element_word(element: u32) -> u32 {
    ELEMENT_TAG | (element & !ELEMENT_MASK)
}

/// Returns the word that proves that dispatch `number` ran. Numbers repeat after 2^16.
pub fn nonce_word(number: u32) -> u32 {
    NONCE_TAG | (number & !TAG_MASK)
}

/// Returns true if the first word of `bytes` could be data of a block, of any dispatch. Faster than
/// [`decode`].
pub fn may_be_data(bytes: &[u8]) -> bool {
    matches!(bytes.get(2..4), Some(&[0xDE, 0xC0..=0xC7]))
}

/// The meaning of a word of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecodedWord {
    /// Data at this byte of the block.
    Data(u32),
    /// The complement of the data at this byte, which is there before a write.
    Unwritten(u32),
    /// The data at this byte, or its complement, in another dispatch.
    OtherDispatch(u32),
    /// Padding at this byte of the block.
    Padding(u32),
    /// A guard, this many bytes from the start of the block.
    Guard(u32),
    /// Memory before the bound range.
    Before,
    /// A nonce with its number.
    Nonce(u32),
    /// Another element of the array of buffers.
    Element(u32),
    /// The word that fills the output buffer before a dispatch.
    Refill,
    /// Zero: the result of an out-of-bounds read on robust devices.
    Zero,
    /// A word that no image contains.
    Unknown(u32),
}

/// Decodes the meaning of `word`, which has no salt any more.
pub fn decode(word: u32) -> DecodedWord {
    let offset = word & !TAG_MASK;
    match word & TAG_MASK {
        _ if word == BEFORE_WORD => DecodedWord::Before,
        _ if word == REFILL_WORD => DecodedWord::Refill,
        _ if word == 0 => DecodedWord::Zero,
        DATA_TAG => DecodedWord::Data(offset),
        PADDING_TAG => DecodedWord::Padding(offset),
        GUARD_TAG => DecodedWord::Guard(offset),
        NONCE_TAG => DecodedWord::Nonce(offset),
        _ if word & ELEMENT_MASK == ELEMENT_TAG => DecodedWord::Element(word & !ELEMENT_MASK),
        tag if tag == !DATA_TAG & TAG_MASK => DecodedWord::Unwritten(!word & !TAG_MASK),
        _ => match Salt::bare_tag(word) {
            Some(DATA_TAG) => DecodedWord::OtherDispatch(offset),
            Some(_) => DecodedWord::OtherDispatch(!word & !TAG_MASK),
            None => DecodedWord::Unknown(word),
        },
    }
}

/// Decodes the words at one place in both images of a block. With one image, this is the same as
/// [`decode`].
pub fn decode_halves(low: u32, high: Option<u32>) -> DecodedWord {
    let said = decode(low);
    let Some(upper) = high.map(decode) else { return said };
    let whole = |high: u32, low: u32| high << 16 | low;
    match (upper, said) {
        (DecodedWord::Data(high), DecodedWord::Data(low)) => DecodedWord::Data(whole(high, low)),
        (DecodedWord::Unwritten(high), DecodedWord::Unwritten(low)) => DecodedWord::Unwritten(whole(high, low)),
        (DecodedWord::OtherDispatch(high), DecodedWord::OtherDispatch(low)) => {
            DecodedWord::OtherDispatch(whole(high, low))
        }
        (DecodedWord::Padding(high), DecodedWord::Padding(low)) => DecodedWord::Padding(whole(high, low)),
        (DecodedWord::Guard(high), DecodedWord::Guard(low)) => DecodedWord::Guard(whole(high, low)),
        (upper, said) if upper == said => said,
        (_, _) => DecodedWord::Unknown(low),
    }
}

impl fmt::Display for DecodedWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(offset) => write!(f, "data at byte {offset}"),
            Self::Unwritten(offset) => write!(f, "what stood at byte {offset} before"),
            Self::OtherDispatch(offset) => write!(f, "what another dispatch had at byte {offset}"),
            Self::Padding(offset) => write!(f, "padding at byte {offset}"),
            Self::Guard(offset) => write!(f, "guard at byte {offset}, after the block"),
            Self::Before => f.write_str("memory before the block"),
            Self::Nonce(number) => write!(f, "nonce {number}"),
            Self::Element(element) => write!(f, "element {element} of the array of buffers"),
            Self::Refill => f.write_str("the output buffer's refill"),
            Self::Zero => f.write_str("zero"),
            Self::Unknown(_) => f.write_str("no word of the image"),
        }
    }
}

/// Returns the bytes of a block's image, a multiple of 4.
///
/// # Errors
/// The block or the plan does not fit into an image.
pub fn image_size(layout: &BlockLayout, plan: &ProbePlan) -> Result<usize, ImageError> {
    let block = || layout.name.clone();
    let Ok(laid_out) = &layout.result else {
        return Err(ImageError::Refused { rules: layout.rules.clone(), block: block() });
    };

    let last_end = plan.leaves.iter().map(|leaf| u64::from(leaf.offset) + u64::from(leaf.component.size)).max();
    let end = last_end.unwrap_or(0).max(leaves_end(laid_out));

    let size = occupied(laid_out).max(end).max(layout.stride.unwrap_or(0).into());
    let size = size.next_multiple_of(4);

    if size == 0 {
        return Err(ImageError::Empty { block: block() });
    }
    match usize::try_from(size) {
        Ok(bytes) if size <= u64::from(MAX_BYTES) => Ok(bytes),
        Ok(_) | Err(_) => Err(ImageError::TooLarge { block: block(), size }),
    }
}

/// Returns the bytes of a type in which an unsized array has [`UNSIZED_ELEMENTS`] elements.
pub(crate) fn occupied(laid_out: &LaidOut) -> u64 {
    if let Some(size) = laid_out.size.finite() {
        return size.into();
    }

    match &laid_out.shape {
        LaidOutShape::Array { element, count, stride } => {
            (u64::from(*stride) * u64::from(elements(*count))).max(occupied(element))
        }
        LaidOutShape::Struct(members) => {
            members.iter().map(|member| u64::from(member.offset) + occupied(&member.layout)).max().unwrap_or(0)
        }
        _ => 0,
    }
}

/// Assigns the bytes of a type's leaves at `offset` that have no owner yet to [`Owner::NotProbed`].
fn claim_rest(owners: &mut [Owner], laid_out: &LaidOut, offset: usize) {
    match &laid_out.shape {
        LaidOutShape::Scalar(component) => claim(owners, offset, component.size, Owner::NotProbed),
        LaidOutShape::Vector { component, length } => {
            claim(owners, offset, component.size.saturating_mul(*length), Owner::NotProbed);
        }
        LaidOutShape::Matrix { component, rows, columns, order, stride } => {
            let (vectors, length) = order.vectors_and_length(*rows, *columns);
            for vector in 0..vectors as usize {
                let size = component.size.saturating_mul(length);
                claim(owners, offset + vector * *stride as usize, size, Owner::NotProbed);
            }
        }
        LaidOutShape::Array { element, count, stride } => {
            if leaves_end(element) > 0 {
                for index in 0..elements(*count) as usize {
                    claim_rest(owners, element, offset + index * *stride as usize);
                }
            }
        }
        LaidOutShape::Struct(members) => {
            for member in members.iter().filter(|member| member.bits.is_none()) {
                claim_rest(owners, &member.layout, offset + member.offset as usize);
            }
        }
        LaidOutShape::Pointer { .. } | LaidOutShape::Resource => {}
    }
}

/// Returns the end of a type's last leaf. An unsized array has [`UNSIZED_ELEMENTS`] elements.
fn leaves_end(laid_out: &LaidOut) -> u64 {
    match &laid_out.shape {
        LaidOutShape::Scalar(_) | LaidOutShape::Vector { .. } | LaidOutShape::Matrix { .. } => laid_out.data_end(),
        LaidOutShape::Array { element, count, stride } => match (elements(*count), leaves_end(element)) {
            (0, _) | (_, 0) => 0,
            (count, end) => u64::from(*stride) * u64::from(count - 1) + end,
        },
        LaidOutShape::Struct(members) => {
            let members = members.iter().filter(|member| member.bits.is_none());
            let ends = members.map(|member| (u64::from(member.offset), leaves_end(&member.layout)));
            ends.filter(|(_, end)| *end > 0).map(|(offset, end)| offset + end).max().unwrap_or(0)
        }
        LaidOutShape::Pointer { .. } | LaidOutShape::Resource => 0,
    }
}

fn elements(count: Count) -> u32 {
    match count {
        Count::Finite(count) => count,
        Count::Unbounded => UNSIZED_ELEMENTS,
    }
}

/// Assigns `size` bytes at `offset` to an owner, except those that already have one.
fn claim(owners: &mut [Owner], offset: usize, size: u32, owner: Owner) {
    let bytes = owners.iter_mut().skip(offset).take(size as usize);
    bytes.filter(|byte| **byte == Owner::Padding).for_each(|byte| *byte = owner);
}

#[cfg(test)]
mod tests;
