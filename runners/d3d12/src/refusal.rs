//! Finds the driver's message for a shader that it refuses.
//!
//! When a pipeline cannot be made, Direct3D returns a code without a message. On vkd3d, this module
//! compiles the shader again with vkd3d's compiler to get its message; on Windows the code has to
//! suffice.

use layoutproof_device::{RunnerError, Shader};

/// Precedes vkd3d's message in an error.
pub(crate) const TOLD: &str = "what vkd3d calls ";

/// The error for `shader`, with the container `code`, after making its pipeline failed for this
/// reason.
///
/// `Unsupported` if the translator reports a missing feature; anything else is a refusal.
pub(crate) fn of_shader(shader: &Shader, code: &[u8], reason: &str) -> RunnerError {
    match words(shader, code) {
        Some(Vkd3dMessage { text, is_limit: true }) => RunnerError::Unsupported(text),
        Some(Vkd3dMessage { text, is_limit: false }) => RunnerError::ShaderRefused(format!("{reason}: {text}")),
        None => RunnerError::ShaderRefused(reason.to_owned()),
    }
}

/// An error message of vkd3d.
struct Vkd3dMessage {
    text: String,
    /// True if vkd3d lacks a feature, false if the shader is wrong.
    is_limit: bool,
}

#[cfg(windows)]
fn words(_: &Shader, _: &[u8]) -> Option<Vkd3dMessage> {
    None
}

#[cfg(not(windows))]
fn words(shader: &Shader, code: &[u8]) -> Option<Vkd3dMessage> {
    use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
    use std::ptr;

    use crate::library;

    /// `struct vkd3d_shader_code`.
    #[repr(C)]
    struct ShaderCode {
        code: *const c_void,
        size: usize,
    }

    /// `struct vkd3d_shader_compile_info`.
    #[repr(C)]
    struct CompileInfo {
        /// 0: this structure.
        kind: c_uint,
        next: *const c_void,
        source: ShaderCode,
        /// 1: DXBC, 4: DXIL.
        source_kind: c_uint,
        /// 1: SPIR-V.
        target_kind: c_uint,
        options: *const c_void,
        option_count: c_uint,
        /// 1: errors.
        log_level: c_uint,
        name: *const c_char,
    }

    type Vkd3dCompile = unsafe extern "C" fn(*const CompileInfo, *mut ShaderCode, *mut *mut c_char) -> c_int;
    type FreeMessages = unsafe extern "C" fn(*mut c_char);
    type FreeCode = unsafe extern "C" fn(*mut ShaderCode);

    let source_kind = match shader {
        Shader::Dxbc(_) => 1,
        Shader::Dxil(_) => 4,
        _ => return None,
    };

    let library = library::open("libvkd3d-shader.so.1").ok()?;
    // SAFETY: the functions have these types in `vkd3d_shader.h`.
    let compile = unsafe { library.get::<Vkd3dCompile>(b"vkd3d_shader_compile\0") }.ok()?;
    // SAFETY: as above.
    let free_messages = unsafe { library.get::<FreeMessages>(b"vkd3d_shader_free_messages\0") }.ok()?;
    // SAFETY: as above.
    let free_code = unsafe { library.get::<FreeCode>(b"vkd3d_shader_free_shader_code\0") }.ok()?;

    let info = CompileInfo {
        kind: 0,
        next: ptr::null(),
        source: ShaderCode { code: code.as_ptr().cast(), size: code.len() },
        source_kind,
        target_kind: 1,
        options: ptr::null(),
        option_count: 0,
        log_level: 1,
        name: ptr::null(),
    };

    let (mut made, mut messages) = (ShaderCode { code: ptr::null(), size: 0 }, ptr::null_mut());
    // SAFETY: the container and the results live until the call returns.
    let result = unsafe { compile(&raw const info, &raw mut made, &raw mut messages) };
    if result >= 0 {
        // SAFETY: the call made this code.
        unsafe { free_code(&raw mut made) };
    }

    let text = if messages.is_null() {
        String::new()
    } else {
        // SAFETY: the call stored a text.
        let text = unsafe { CStr::from_ptr(messages) }.to_string_lossy().into_owned();
        // SAFETY: the text came from this library, and is not used after this.
        unsafe { free_messages(messages) };
        text
    };

    (result < 0 && !text.trim().is_empty()).then(|| told(&text))
}

/// The first error of vkd3d's compiler, without its place: `<anonymous>:1:1: E8018: ...`.
#[cfg(not(windows))]
fn told(text: &str) -> Vkd3dMessage {
    /// Phrases in messages about features that vkd3d lacks.
    // vkd3d also refuses a constant index beyond a private array, which is undefined behaviour but
    // not an error.
    const LIMITS: [&str; 7] = [
        "not supported",
        "does not support",
        "only supported",
        "unsupported",
        "unhandled",
        "not implemented",
        "out of bounds",
    ];
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let words = line.find(": E").map_or(line, |at| &line[at + 2..]);
    let lower = words.to_lowercase();
    Vkd3dMessage { text: format!("{TOLD}{words}"), is_limit: LIMITS.iter().any(|limit| lower.contains(limit)) }
}
