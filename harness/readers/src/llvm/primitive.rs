//! LLVM's scalar types, and the bits of their literals.

/// Widest integer in HLSL, in bits.
const MAX_WIDTH: u32 = 64;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primitive {
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
    ///
    /// # Errors
    /// More digits than any type has.
    pub(crate) fn integer(self, digits: &str) -> Result<u64, String> {
        let value: i128 = digits.parse().map_err(|_| format!("`{digits}` is too large"))?;
        let low = u64::try_from(value & i128::from(u64::MAX)).map_err(|error| error.to_string())?;
        let width = self.width();
        Ok(if width < 64 { low & ((1 << width) - 1) } else { low })
    }

    /// The bits of a constant in decimal or hexadecimal floating-point notation. LLVM writes a
    /// `float` in decimal or as the bits of the equal `double`, and a `half` as its own bits.
    ///
    /// # Errors
    /// Text that is not a constant of this type.
    pub(crate) fn float(self, text: &str) -> Result<u64, String> {
        let bad = || format!("`{text}` is no number");
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
