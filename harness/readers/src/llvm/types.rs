//! LLVM's types, and their sizes and offsets under a module's data layout.
//!
//! LLVM 3.7, which DXC writes, gives pointers the type of what they point to; later versions do
//! not, and nothing here needs it. The target types are those of Clang's IR for Direct3D and Vulkan.
//!
//! Source: LLVM Language Reference Manual, "Type System" and "Data Layout"; LLVM's DirectX target,
//! "DirectX Types"; LLVM's SPIR-V target, "SPIR-V Target Extension Types".

use std::collections::HashMap;

use super::ir_error::IrError;

/// Widest integer in HLSL, in bits.
const MAX_WIDTH: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// Width in bits, at most 64.
    Integer(u32),
    Half,
    Float,
    Double,
}

impl Primitive {
    /// The type with this name: `i32`, `half`.
    pub(crate) fn named(word: &str) -> Option<Self> {
        match word {
            "half" => Some(Self::Half),
            "float" => Some(Self::Float),
            "double" => Some(Self::Double),
            _ => {
                let width = word.strip_prefix('i')?.parse().ok()?;
                (1..=MAX_WIDTH).contains(&width).then_some(Self::Integer(width))
            }
        }
    }

    /// Width in bits.
    pub(crate) fn width(self) -> u32 {
        match self {
            Self::Integer(width) => width,
            Self::Half => 16,
            Self::Float => 32,
            Self::Double => 64,
        }
    }

    /// The bits of a constant in integer notation.
    pub(crate) fn integer(self, digits: &str) -> Result<u64, IrError> {
        let value: i128 = digits.parse().map_err(|_| IrError::literal(digits, "is too large"))?;
        let low = u64::try_from(value & i128::from(u64::MAX))?;
        let width = self.width();
        Ok(if width < 64 { low & ((1 << width) - 1) } else { low })
    }

    /// The bits of a constant in decimal or hexadecimal floating-point notation. LLVM writes a
    /// `float` in decimal or as the bits of the equal `double`, and a `half` as its own bits.
    pub(crate) fn float(self, text: &str) -> Result<u64, IrError> {
        let bad = || IrError::literal(text, "is no number");
        if let Some(digits) = text.strip_prefix("0xH") {
            return u64::from_str_radix(digits, 16).map_err(|_| bad());
        }

        let value = match text.strip_prefix("0x") {
            Some(digits) => f64::from_bits(u64::from_str_radix(digits, 16).map_err(|_| bad())?),
            None => text.parse().map_err(|_| bad())?,
        };

        match self {
            #[expect(clippy::cast_possible_truncation, reason = "LLVM writes only values that the type holds")]
            Self::Float => Ok(u64::from((value as f32).to_bits())),
            Self::Double => Ok(value.to_bits()),
            Self::Half | Self::Integer(_) => Err(bad()),
        }
    }
}

const BYTE: u64 = 8;

/// The size and alignment of a type, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SizeAndAlignment {
    /// Bytes from one array element to the next.
    pub(crate) size: u64,
    pub(crate) alignment: u64,
}

/// Alignments in bytes by class (`i`, `f`, `v`) and size in bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataLayout {
    alignments: HashMap<(char, u64), u64>,
    /// True if other vectors are aligned like their elements: `ve`, since LLVM 23.
    by_element: bool,
    /// True for pointers of [`POINTER`] bytes, as in Direct3D; the others have twice as many.
    has_short_pointers: bool,
}

impl DataLayout {
    /// Parses the text and skips the parts about other things.
    pub(crate) fn parse(text: &str) -> Result<Self, IrError> {
        let mut layout = Self::default();
        for part in text.split('-') {
            let bad = || IrError::unsupported("the data layout", part);

            match part.chars().next() {
                Some('p') if part == "p:32:32" => layout.has_short_pointers = true,
                Some('E' | 'p') => return Err(bad()),
                Some('v') if part == "ve" => layout.by_element = true,
                Some(class @ ('i' | 'f' | 'v')) => {
                    let mut numbers = part[1..].split(':').map(|number| number.parse::<u64>().ok());
                    let (size, bits) = (numbers.next().flatten(), numbers.next().flatten());
                    let alignment = bits.map(|bits| bits / BYTE).filter(|bytes| bytes.is_power_of_two());
                    let (size, alignment) = size.zip(alignment).ok_or_else(bad)?;
                    layout.alignments.insert((class, size), alignment);
                }
                _ => {}
            }
        }
        Ok(layout)
    }

    /// A pointer or a handle.
    fn pointer(&self) -> SizeAndAlignment {
        let size = if self.has_short_pointers { POINTER } else { 2 * POINTER };
        SizeAndAlignment { size, alignment: size }
    }

    pub(crate) fn primitive(&self, primitive: Primitive) -> SizeAndAlignment {
        let bits = u64::from(primitive.width());
        let class = match primitive {
            Primitive::Integer(_) => 'i',
            Primitive::Half | Primitive::Float | Primitive::Double => 'f',
        };
        self.measure(class, bits, None)
    }

    /// A vector's elements are contiguous. A vector that the text does not name is aligned to its
    /// size, rounded up to a power of two.
    pub(crate) fn vector(&self, count: u32, element: Primitive) -> SizeAndAlignment {
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

/// Most bytes of a type: more than any buffer has.
const MAX_SIZE: u64 = 1 << 31;

/// Deepest nesting of named types.
const MAX_DEPTH: u32 = 64;

/// Fewest bytes of a pointer or of a handle.
pub(crate) const POINTER: u64 = 4;

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Void,
    Primitive(Primitive),
    /// A pointer of any address space, to a value of any type.
    Pointer,
    Vector(u32, Primitive),
    Array(u64, Box<Type>),
    Struct(StructType),
    Named(String),
    Target(Target),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StructType {
    pub(crate) packed: bool,
    pub(crate) members: Vec<Type>,
}

/// A type of the target: `target("dx.RawBuffer", %struct.T, 1, 0)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    pub(crate) name: String,
    pub(crate) types: Vec<Type>,
    pub(crate) numbers: Vec<u64>,
}

impl Type {
    /// Bytes of explicit padding in a constant buffer.
    pub(crate) fn padding(&self) -> Option<u64> {
        match self {
            Self::Target(target) if ["dx.Padding", "spirv.Padding"].contains(&target.name.as_str()) => {
                target.numbers.first().copied()
            }
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LaidOutStruct {
    pub(crate) members: Vec<Type>,
    /// Offsets in bytes.
    pub(crate) offsets: Vec<u64>,
    pub(crate) measure: SizeAndAlignment,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct NamedTypes {
    data_layout: DataLayout,
    named: HashMap<String, LaidOutStruct>,
}

impl NamedTypes {
    /// Lays out the defined structs.
    pub(crate) fn new(data_layout: DataLayout, defined: &HashMap<String, StructType>) -> Result<Self, IrError> {
        let mut types = Self { data_layout, named: HashMap::new() };
        let mut names: Vec<&String> = defined.keys().collect();
        names.sort();
        for name in names {
            types.define(name, defined, MAX_DEPTH)?;
        }
        Ok(types)
    }

    /// Lays out a named struct, after the structs that it contains.
    fn define(&mut self, name: &str, defined: &HashMap<String, StructType>, depth: u32) -> Result<(), IrError> {
        if self.named.contains_key(name) {
            return Ok(());
        }
        let depth = depth.checked_sub(1).ok_or_else(|| IrError::name("%", name, "is too deep, or contains itself"))?;
        let own = defined.get(name).ok_or_else(|| IrError::name("%", name, "is not defined"))?;

        let mut inner = Vec::new();
        own.members.iter().for_each(|member| names_in(member, &mut inner));
        for name in inner {
            self.define(name, defined, depth)?;
        }

        let laid_out = self.lay_out(own)?;
        self.named.insert(name.to_owned(), laid_out);
        Ok(())
    }

    /// The layout of a struct type; `None` for other types.
    pub(crate) fn structure(&self, ty: &Type) -> Result<Option<LaidOutStruct>, IrError> {
        match ty {
            Type::Struct(own) => self.lay_out(own).map(Some),
            Type::Named(name) => Ok(Some(self.named(name)?.clone())),
            _ => Ok(None),
        }
    }

    fn named(&self, name: &str) -> Result<&LaidOutStruct, IrError> {
        self.named.get(name).ok_or_else(|| IrError::name("%", name, "is not defined"))
    }

    pub(crate) fn measure(&self, ty: &Type) -> Result<SizeAndAlignment, IrError> {
        match ty {
            Type::Void => Err("a value without bytes".into()),
            Type::Primitive(primitive) => Ok(self.data_layout.primitive(*primitive)),
            Type::Pointer => Ok(self.data_layout.pointer()),
            Type::Vector(count, primitive) => Ok(self.data_layout.vector(*count, *primitive)),
            Type::Array(count, element) => {
                let element = self.measure(element)?;
                let size = element.size.checked_mul(*count).filter(|size| *size <= MAX_SIZE);
                Ok(SizeAndAlignment { size: size.ok_or_else(too_large)?, ..element })
            }
            Type::Struct(own) => Ok(self.lay_out(own)?.measure),
            Type::Named(name) => Ok(self.named(name)?.measure),
            Type::Target(target) => match ty.padding() {
                Some(size) if size <= MAX_SIZE => Ok(SizeAndAlignment { size, alignment: 1 }),
                Some(_) => Err(too_large()),
                None if target.name == "dx.Layout" => Err("a type of an older Clang: `dx.Layout`".into()),
                // Every other target type is a handle.
                None => Ok(self.data_layout.pointer()),
            },
        }
    }

    fn lay_out(&self, own: &StructType) -> Result<LaidOutStruct, IrError> {
        let (mut end, mut alignment) = (0_u64, 1);
        let mut offsets = Vec::with_capacity(own.members.len());
        for member in &own.members {
            let measure = self.measure(member)?;
            let of_member = if own.packed { 1 } else { measure.alignment };
            alignment = alignment.max(of_member);
            let offset = end.next_multiple_of(of_member);
            offsets.push(offset);

            end = offset + measure.size;
            if end > MAX_SIZE {
                return Err(too_large());
            }
        }
        let measure = SizeAndAlignment { size: end.next_multiple_of(alignment), alignment };
        Ok(LaidOutStruct { members: own.members.clone(), offsets, measure })
    }
}

fn names_in<'a>(ty: &'a Type, names: &mut Vec<&'a str>) {
    match ty {
        Type::Named(name) => names.push(name),
        Type::Array(_, element) => names_in(element, names),
        Type::Struct(own) => own.members.iter().for_each(|member| names_in(member, names)),
        // A handle's size does not depend on its resource.
        _ => {}
    }
}

fn too_large() -> IrError {
    IrError::limit("a type of more than", MAX_SIZE, "bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Clang 22.1.8 writes it for the DirectX target.
    const DIRECTX: &str =
        "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64-v48:16:16-v96:32:32-v192:64:64";

    #[test]
    fn vectors_have_the_alignment_of_their_bits_or_that_of_their_size() {
        let layout = DataLayout::parse(DIRECTX).unwrap();
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
        let layout = DataLayout::parse("e-p:32:32-f32:32-ve").unwrap();
        assert_eq!(layout.vector(2, Primitive::Float), SizeAndAlignment { size: 8, alignment: 4 });
    }

    #[test]
    fn pointers_have_the_size_of_their_target() {
        // As Clang 23.1.4 writes it for Vulkan. LLVM Language Reference Manual, "Data Layout": pointers have
        // 64 bits by default.
        let vulkan = DataLayout::parse("e-ve-i64:64-n8:16:32:64-G10").unwrap();
        assert_eq!(vulkan.pointer().size, 8);
        assert_eq!(DataLayout::parse(DIRECTX).unwrap().pointer().size, 4);
    }

    #[test]
    fn other_machines_are_refused() {
        assert!(DataLayout::parse("E-p:32:32").is_err());
        assert!(DataLayout::parse("e-p:64:64").unwrap_err().to_string().contains("p:64:64"));
        assert!(DataLayout::parse("e-i32:what").is_err());
    }
}
