//! HLSL and Slang declarations: text in, [`crate::module::Module`] out.
