//! The compilers that random programs target.

/// The compiler that a program targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramDialect {
    /// DXC: `register(space1)` without a number, unbounded arrays once per class and space.
    Dxc,
    /// Slang: parameter blocks, any number of unbounded arrays.
    Slang,
}
