//! Finds the words in which a driver refuses a shader.
//!
//! A pipeline that cannot be made has a code and no words. vkd3d's compiler of shaders is asked again for them; on
//! Windows the code must do.

use layoutproof_device::{RunnerError, Shader};

/// What stands before vkd3d's words in an error.
pub(crate) const TOLD: &str = "what vkd3d calls ";

/// The error of a pipeline for `shader`, whose container is `code`, that could not be made for this reason.
///
/// `Unsupported` if the translator says that it lacks something; anything else is a refusal.
pub(crate) fn of_shader(shader: &Shader, code: &[u8], reason: &str) -> RunnerError {
    match words(shader, code) {
        Some(Vkd3dMessage { text, is_limit: true }) => RunnerError::Unsupported(text),
        Some(Vkd3dMessage { text, is_limit: false }) => RunnerError::ShaderRefused(format!("{reason}: {text}")),
        None => RunnerError::ShaderRefused(reason.to_owned()),
    }
}

/// The error message of vkd3d.
struct Vkd3dMessage {
    text: String,
    /// True if vkd3d lacks something, false if the shader is wrong.
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
        Shader::Spirv(_) | Shader::Wgsl(_) | Shader::DxilListing(_) | Shader::ClangIr(_) | Shader::Msl(_) => {
            return None;
        }
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
    // SAFETY: the container lives until the call returns, as do the places for what it makes.
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
        // SAFETY: the text came from this library, and is not used again.
        unsafe { free_messages(messages) };
        text
    };

    (result < 0 && !text.trim().is_empty()).then(|| told(&text))
}

/// The first error of vkd3d's compiler, without the place: `<anonymous>:1:1: E8018: ...`.
#[cfg(not(windows))]
fn told(text: &str) -> Vkd3dMessage {
    /// Words for things that vkd3d lacks.
    // It takes no constant index beyond a private array either, which is undefined, but no error.
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
