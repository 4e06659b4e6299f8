//! What instructions work on.

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    /// Result of another instruction.
    Local(String),
    /// A variable of the module.
    Global(String),
    /// A constant's bits.
    Bits(u64),
    Undefined,
    /// `<i32 0, i32 1>`.
    Parts(Vec<Operand>),
    /// `getelementptr` as a constant.
    Address(Box<Address>),
}

/// An address that an instruction or a constant computes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Address {
    /// Where it starts.
    pub(super) base: Operand,
    /// Bytes that the constant indices come to; `None` where one asks for a member that the struct does not have.
    pub(super) fixed: Option<i64>,
    /// The other indices: a width in bits and the bytes that each counts.
    pub(super) scaled: Vec<(Operand, u32, i64)>,
}
