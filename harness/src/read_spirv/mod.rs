//! Reads SPIR-V.
