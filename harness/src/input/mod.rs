//! What people write, before its meaning is known: source texts, places in them, diagnostics about them, limits on them.

pub mod diagnostics;
pub mod glsl_text;
pub mod plain_text;
pub mod sources;
pub mod text_limits;
pub mod toml_table;
