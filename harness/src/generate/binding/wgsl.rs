//! WGSL.
