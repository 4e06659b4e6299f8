//! The bindings of a probe's buffers.

use layoutproof_layout::shape::Count;

/// Descriptor set and binding; for DXIL, register space and register.
pub type Socket = (u32, u32);

/// The sockets of a probe's buffers. Our own generators use the bindings in [`crate`]; a
/// compiler chooses the block's binding itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The block under test.
    pub block: Socket,
    pub output: Socket,
    pub input: Socket,
    /// The block in another layout; `None` in compilers' code, where our binding for it may belong
    /// to the user.
    pub copy: Option<Socket>,
    /// Registers of the array whose first element is the block; 1 if there is no array. Only
    /// Direct3D 12 needs it.
    pub block_count: Count,
    /// True if the shader declares the block as writable. It is then bound as writable for reads,
    /// too.
    pub is_block_writable: bool,
    /// True if the shader declares the input as writable.
    pub is_input_writable: bool,
    /// True if push constants are root constants of Direct3D 12, at the register of the block.
    pub has_root_constants: bool,
    /// The shader record that holds the address of a block in a ray-tracing stage.
    pub record: PointerHolder,
    /// The push constants that hold it in other stages.
    pub pushed: PointerHolder,
    /// The memory on the way: the push constants or the record have its address, and it has that of the block.
    pub between: Option<PointerHolder>,
}

/// Memory with an address. Numbers are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerHolder {
    /// The place of the address, a multiple of 8.
    pub at: u32,
    pub size: u32,
}

/// Alignment of the memory between push constants and the block. No type needs more.
pub const BETWEEN_ALIGNMENT: u32 = 64;

impl Interface {
    /// Returns the interface of code that a compiler made from a user's text. There the probe has
    /// only these two buffers.
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
            record: PointerHolder { at: 8, size: 16 },
            pushed: PointerHolder { at: 0, size: 8 },
            between: None,
        }
    }
}
