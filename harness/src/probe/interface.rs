//! Where a probe's buffers are bound.

use layoutproof_layout::shape::Count;

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
    /// The block in another layout; `None` in code of compilers, where the binding that ours has may be the user's.
    pub copy: Option<Socket>,
    /// Registers of the array that the block is the first element of; 1 where there is no array. Only Direct3D 12 needs it.
    pub block_count: Count,
    /// True if the shader declares the block as one that it can write, so that it is bound as such where it is read, too.
    pub is_block_writable: bool,
    /// True if the shader declares the input so.
    pub is_input_writable: bool,
    /// True if push constants are root constants of Direct3D 12, at the register of the block.
    pub has_root_constants: bool,
}

impl Interface {
    /// The interface of code that a compiler made of a user's text, in which the probe has only these two buffers.
    pub fn in_user_text(output: Socket, input: Socket) -> Self {
        Self { output, input, copy: None, ..Self::default() }
    }
}

impl Default for Interface {
    fn default() -> Self {
        let block_count = Count::Finite(1);
        Self {
            block: (0, 0),
            output: (0, 1),
            input: (0, 2),
            copy: Some((0, 3)),
            block_count,
            is_block_writable: false,
            is_input_writable: false,
            has_root_constants: false,
        }
    }
}
