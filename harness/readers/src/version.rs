//! The versions of libraries that records name.

/// The version of naga in use. `Cargo.toml` requires exactly this one, and a test compares it with
/// `Cargo.lock`.
pub const NAGA_VERSION: &str = "30.0.1";

/// The version of rspirv in use; `Cargo.toml` requires exactly this one.
pub const RSPIRV_VERSION: &str = "0.13.0+sdk-1.4.341.0";
