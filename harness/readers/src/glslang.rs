//! Requests to glslang about a user's GLSL, and its answers. The command runs glslang; the front end
//! for GLSL asks it and reads the module.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlslDialect {
    /// Vulkan's, `GL_KHR_vulkan_glsl`.
    Vulkan,
    /// OpenGL's, with uniforms outside of blocks.
    OpenGl,
}

#[derive(Clone, Copy, Debug)]
pub struct GlslRequest<'a> {
    pub text: &'a str,
    /// Name of the stage in glslang: `comp`, `vert`, `rgen` ...
    pub stage: &'a str,
    pub dialect: GlslDialect,
    /// Macros, in the form that follows `-D`.
    pub defines: &'a [String],
    /// True for a module that names the line of each instruction.
    pub with_lines: bool,
}

/// Whether glslang takes a text in the version and profile that the text names. It writes no module, so that the text may
/// contain what SPIR-V cannot express. The text defines its macros: without a module, glslang 16.6.0 takes `-D` only with
/// `-l`, which refuses texts without an entry point.
#[derive(Clone, Copy, Debug)]
pub struct GlslCheck<'a> {
    pub text: &'a str,
    pub stage: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GlslAnswer {
    Module(Vec<u8>),
    /// It refuses the text, with these errors.
    Refused(Vec<GlslError>),
    /// It crashed, timed out or wrote no module; a sentence.
    Broken(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlslError {
    /// Line number from 1; `None` for an error about the whole text.
    pub line: Option<usize>,
    pub message: String,
}
