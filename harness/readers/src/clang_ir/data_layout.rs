//! Parses a module's `target datalayout = "..."`: sizes and alignments of scalars and vectors.
//!
//! Source: LLVM Language Reference Manual, "Data Layout".

use std::collections::HashMap;

use crate::llvm::primitive::Primitive;

const BYTE: u64 = 8;

/// The size and alignment of a type, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SizeAndAlignment {
    /// Bytes from one array element to the next.
    pub(super) size: u64,
    pub(super) alignment: u64,
}

/// Alignments in bytes by class (`i`, `f`, `v`) and size in bits.
#[derive(Clone, Debug, Default)]
pub(super) struct LlvmDataLayout {
    alignments: HashMap<(char, u64), u64>,
    /// True if other vectors are aligned like their elements: `ve`, since LLVM 23.
    by_element: bool,
}

impl LlvmDataLayout {
    /// Parses the text and skips the parts about other things.
    ///
    /// # Errors
    /// A part that cannot be parsed, big-endian numbers, or a pointer size that the target does not
    /// have.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (mut alignments, mut by_element) = (HashMap::new(), false);
        for part in text.split('-') {
            let bad = || format!("the data layout `{part}`");

            match part.chars().next() {
                Some('E') => return Err(bad()),
                Some('p') if part != "p:32:32" => return Err(bad()),
                Some('v') if part == "ve" => by_element = true,
                Some(class @ ('i' | 'f' | 'v')) => {
                    let mut numbers = part[1..].split(':').map(|number| number.parse::<u64>().ok());
                    let (size, bits) = (numbers.next().flatten(), numbers.next().flatten());
                    let alignment = bits.map(|bits| bits / BYTE).filter(|bytes| bytes.is_power_of_two());
                    let (size, alignment) = size.zip(alignment).ok_or_else(bad)?;
                    alignments.insert((class, size), alignment);
                }
                _ => {}
            }
        }
        Ok(Self { alignments, by_element })
    }

    pub(super) fn primitive(&self, primitive: Primitive) -> SizeAndAlignment {
        let bits = u64::from(primitive.width());
        let class = match primitive {
            Primitive::Integer(_) => 'i',
            Primitive::Half | Primitive::Float | Primitive::Double => 'f',
        };
        self.measure(class, bits, None)
    }

    /// A vector's elements are contiguous. A vector that the text does not name is aligned to its
    /// size, rounded up to a power of two.
    pub(super) fn vector(&self, count: u32, element: Primitive) -> SizeAndAlignment {
        let of_element = self.by_element.then(|| self.primitive(element).alignment);
        self.measure('v', u64::from(count) * u64::from(element.width()), of_element)
    }

    fn measure(&self, class: char, bits: u64, otherwise: Option<u64>) -> SizeAndAlignment {
        let bytes = bits.div_ceil(BYTE);
        let natural = otherwise.unwrap_or(bytes.next_power_of_two());
        let alignment = self.alignments.get(&(class, bits)).copied().unwrap_or(natural);
        SizeAndAlignment { size: bytes.next_multiple_of(alignment), alignment }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Clang 22.1.8 writes it for the DirectX target.
    const DIRECTX: &str =
        "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64";

    #[test]
    fn vectors_have_the_alignment_of_their_bits_or_that_of_their_size() {
        let layout = LlvmDataLayout::parse(DIRECTX).unwrap();
        let measured = |count, element| {
            let SizeAndAlignment { size, alignment } = layout.vector(count, element);
            (size, alignment)
        };
        // LLVM's DirectX target: `v48:16:16-v96:32:32-v192:64:64`; the manual: "default to natural alignment".
        assert_eq!(measured(3, Primitive::Half), (6, 2));
        assert_eq!(measured(3, Primitive::Float), (12, 4));
        assert_eq!(measured(3, Primitive::Double), (24, 8));
        assert_eq!(measured(2, Primitive::Float), (8, 8));
        assert_eq!(measured(4, Primitive::Float), (16, 16));
        assert_eq!(measured(6, Primitive::Float), (24, 8));
        assert_eq!(layout.primitive(Primitive::Integer(1)), SizeAndAlignment { size: 4, alignment: 4 });
    }

    #[test]
    fn vectors_can_be_aligned_like_their_elements() {
        // LLVM Language Reference Manual, "Data Layout": `ve`.
        let layout = LlvmDataLayout::parse("e-p:32:32-f32:32-ve").unwrap();
        assert_eq!(layout.vector(2, Primitive::Float), SizeAndAlignment { size: 8, alignment: 4 });
    }

    #[test]
    fn other_machines_are_refused() {
        assert!(LlvmDataLayout::parse("E-p:32:32").is_err());
        assert!(LlvmDataLayout::parse("e-p:64:64").unwrap_err().contains("p:64:64"));
        assert!(LlvmDataLayout::parse("e-i32:what").is_err());
    }
}
