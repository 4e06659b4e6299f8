//! Asks an OpenGL driver where it puts the members of blocks that name no layout.
//!
//! OpenGL 4.6, 7.6.2.2: the driver lays out a block with neither `std140` nor `std430`, and a program queries it. The
//! shader is compiled and linked alone; nothing is drawn. A driver may end the process, so callers ask in one of their own.

#[cfg(all(unix, not(target_vendor = "apple")))]
mod driver;

use serde::{Deserialize, Serialize};

/// A GLSL text for OpenGL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverQuestion {
    /// Its stage, as the suffixes of glslang name it: `frag`.
    pub stage: String,
    /// Without `#include`, which no driver reads.
    pub text: String,
}

/// How a driver lays out the blocks of a shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverLayouts {
    /// `4.5 (Core Profile) Mesa 22.3.6`.
    pub version: String,
    /// `llvmpipe (LLVM 15.0.6, 256 bits)`.
    pub renderer: String,
    pub blocks: Vec<DriverBlock>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverBlock {
    /// The name of the block, not that of its instance.
    pub name: String,
    /// The least size of its buffer in bytes (`BUFFER_DATA_SIZE`).
    pub size: u32,
    /// In the order of their offsets.
    pub members: Vec<DriverMember>,
}

/// A member without members of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverMember {
    /// `lights[0].color`, with the block's name first if the block has an instance name.
    pub name: String,
    /// In bytes.
    pub offset: u32,
    /// Bytes from one element to the next; 0 for no array.
    pub array_stride: u32,
    /// Bytes from one vector to the next; 0 for no matrix.
    pub matrix_stride: u32,
    pub is_row_major: bool,
}

impl DriverQuestion {
    /// Asks the driver that EGL offers by default.
    ///
    /// # Errors
    /// A sentence: no OpenGL is here, or the driver refuses the text.
    #[cfg(all(unix, not(target_vendor = "apple")))]
    pub fn ask(&self) -> Result<DriverLayouts, String> {
        driver::ask(self)
    }

    /// # Errors
    /// A sentence: EGL is not searched on this system.
    #[cfg(not(all(unix, not(target_vendor = "apple"))))]
    pub fn ask(&self) -> Result<DriverLayouts, String> {
        Err("layoutproof queries no OpenGL driver on this system".to_owned())
    }
}
