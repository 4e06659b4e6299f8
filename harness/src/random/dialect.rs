//! The compilers that random programs are written for.

/// The compilers that a program is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramDialect {
    /// DXC: spaces alone, unbounded arrays once per class and space.
    Dxc,
    /// Slang: parameter blocks, any number of unbounded arrays.
    Slang,
}
