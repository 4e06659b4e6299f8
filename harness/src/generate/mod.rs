//! Shader generators: a laid-out block and a probe plan in, a shader module out, one module per language.

pub mod wgsl;
