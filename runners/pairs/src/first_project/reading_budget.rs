//! Bounds how often `init` reads shaders and programs. It counts readings, not seconds, so that a busy machine gives the
//! same answer, only later.

use std::cell::Cell;

use layoutproof_source::shader_language::ShaderLanguage;

/// The cost of all readings of a project: about 40 seconds of one processor for the shaders of ggml, or 500 files of GLSL.
const WHOLE: u32 = 6000;

/// The least share of a shader: enough to read GLSL alone, with its own eight sets of macros and with those of the build.
const SHARE: u32 = 17 * cost(Reader::Own, Some(ShaderLanguage::Glsl));

/// Who reads a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// Our own readers; for GLSL they need glslang.
    Own,
    /// Our own readers, and compilers where these refuse a shader.
    Compilers,
}

/// The cost of one reading in units of 7 milliseconds of a processor. glslang 16.6 takes 80 ms for its built-in
/// declarations, and DXC and slangc start with about 150.
pub(super) const fn cost(reader: Reader, language: Option<ShaderLanguage>) -> u32 {
    match (reader, language) {
        (Reader::Own, Some(ShaderLanguage::Glsl)) => 12,
        (Reader::Own, _) => 1,
        (Reader::Compilers, _) => 16,
    }
}

/// Bytes of text that cost as much as one small file. A shader of `WickedEngine` includes half a megabyte.
const BYTES_PER_UNIT: usize = 256 << 10;

/// The cost of a text with everything that it includes, besides that of its reading.
pub(super) fn cost_of_text(bytes: usize) -> u32 {
    u32::try_from(bytes / BYTES_PER_UNIT).unwrap_or(u32::MAX)
}

/// What is left for the shaders that were not tried yet.
#[derive(Debug)]
pub(super) struct ReadingBudget {
    left: u32,
}

impl ReadingBudget {
    pub(super) fn whole() -> Self {
        Self::of(WHOLE)
    }

    pub(super) fn of(left: u32) -> Self {
        Self { left }
    }

    /// How many of the next shaders to read at once, and the share of each. `None` if nothing is left.
    pub(super) fn shares(&self, shaders: usize) -> Option<(usize, u32)> {
        let count = shaders.min((self.left / SHARE).max(1) as usize);
        let share = self.left / u32::try_from(count).ok().filter(|count| *count > 0)?;
        (share > 0).then_some((count, share))
    }

    pub(super) fn spend(&mut self, used: u32) {
        self.left = self.left.saturating_sub(used);
    }
}

/// The share of one shader. Its last reading may cost more than what is left.
#[derive(Debug)]
pub(super) struct Share {
    limit: u32,
    used: Cell<u32>,
}

impl Share {
    pub(super) fn new(limit: u32) -> Self {
        Self { limit, used: Cell::new(0) }
    }

    pub(super) fn is_left(&self) -> bool {
        self.used.get() < self.limit
    }

    pub(super) fn spend(&self, cost: u32) {
        self.used.set(self.used.get().saturating_add(cost));
    }

    pub(super) fn used(&self) -> u32 {
        self.used.get()
    }
}
