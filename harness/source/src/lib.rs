//! Handles text that people write, before its meaning is known: sources, places in them,
//! diagnostics about them, limits on them, and the languages they can be in.
#![forbid(unsafe_code)]

pub mod diagnostics;
pub mod encoding;
pub mod host_text;
pub mod nearest_name;
pub mod plain_text;
pub mod shader_language;
pub mod sources;
pub mod stable_hash;
pub mod text_limits;
pub mod top_level;
pub mod version_range;
pub mod words;
