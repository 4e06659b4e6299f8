//! Numbers, booleans and characters.

/// A scalar type. Its size is that of the [`crate::HostType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostScalar {
    pub class: ScalarClass,
    /// Size in bytes.
    pub size: u32,
}

/// The meaning of a scalar's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarClass {
    /// Binary floating point.
    Float,
    /// Signed integer.
    Signed,
    /// Unsigned integer.
    Unsigned,
    /// Boolean.
    Bool,
    /// Character: `char`, `signed char`, `unsigned char`, `wchar_t`, `char16_t`, Rust's `char`.
    ///
    /// `uint8_t` is an alias of `unsigned char`, so a character of one byte is often a small integer.
    Character {
        /// True if its values can be negative.
        signed: bool,
    },
    /// Something else, such as a complex or decimal number.
    Other,
}

impl HostScalar {
    /// True if its values can be negative.
    pub fn is_signed(self) -> bool {
        match self.class {
            ScalarClass::Float | ScalarClass::Signed | ScalarClass::Character { signed: true } => true,
            ScalarClass::Unsigned
            | ScalarClass::Bool
            | ScalarClass::Character { signed: false }
            | ScalarClass::Other => false,
        }
    }
}
