//! Where a probe's buffers are bound.

/// Descriptor set and binding; for DXIL register space and register.
pub type Socket = (u32, u32);

/// The sockets of the buffers of a probe. Our own generators bind them as [`crate::probe`] says; a compiler binds the
/// block where it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The block under test.
    pub block: Socket,
    /// The output.
    pub output: Socket,
    /// The input.
    pub input: Socket,
    /// The block in another layout.
    pub copy: Socket,
}

impl Default for Interface {
    fn default() -> Self {
        Self { block: (0, 0), output: (0, 1), input: (0, 2), copy: (0, 3) }
    }
}
