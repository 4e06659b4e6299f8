//! The driver behind EGL, without a window.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use gl::types::{GLenum, GLint, GLuint};
use khronos_egl as egl;

use crate::{DriverBlock, DriverLayouts, DriverMember, DriverQuestion};

/// `EGL_PLATFORM_SURFACELESS_MESA`, which needs no display.
const SURFACELESS: egl::Enum = 0x31DD;

/// Longest name and message that is read, in bytes.
const LONGEST_TEXT: usize = 1 << 16;

type Egl = egl::DynamicInstance<egl::EGL1_5>;

pub(crate) fn ask(question: &DriverQuestion) -> Result<DriverLayouts, String> {
    let stage = stage_of(&question.stage).ok_or_else(|| format!("OpenGL has no stage `{}`", question.stage))?;
    // SAFETY: libEGL is loaded for its documented functions, and stays loaded until the process ends.
    let egl = unsafe { Egl::load_required() }.map_err(|error| format!("no EGL is here: {error}"))?;
    make_current(&egl, is_embedded(&question.text))?;
    gl::load_with(|name| egl.get_proc_address(name).map_or(ptr::null(), |function| function as *const _));

    let program = link(stage, &question.text)?;
    let blocks = [(gl::UNIFORM_BLOCK, gl::UNIFORM), (gl::SHADER_STORAGE_BLOCK, gl::BUFFER_VARIABLE)];
    let blocks = blocks.into_iter().flat_map(|(block, member)| blocks_of(program, block, member)).collect();
    Ok(DriverLayouts { version: string(gl::VERSION), renderer: string(gl::RENDERER), blocks })
}

fn stage_of(suffix: &str) -> Option<GLenum> {
    Some(match suffix {
        "vert" => gl::VERTEX_SHADER,
        "tesc" => gl::TESS_CONTROL_SHADER,
        "tese" => gl::TESS_EVALUATION_SHADER,
        "geom" => gl::GEOMETRY_SHADER,
        "frag" => gl::FRAGMENT_SHADER,
        "comp" => gl::COMPUTE_SHADER,
        _ => return None,
    })
}

/// True for a text of OpenGL ES: `#version 310 es`.
fn is_embedded(text: &str) -> bool {
    let version = text.lines().find(|line| line.trim_start().starts_with("#version"));
    version.is_some_and(|version| version.split_whitespace().any(|word| word == "es"))
}

/// Makes a context current on this thread, without a surface.
fn make_current(egl: &Egl, is_embedded: bool) -> Result<(), String> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: egl::Error| format!("{what} failed: {error}")
    };
    // SAFETY: the default display needs no native handle.
    let surfaceless = unsafe { egl.get_platform_display(SURFACELESS, egl::DEFAULT_DISPLAY, &[egl::ATTRIB_NONE]) };
    let display = match surfaceless {
        Ok(display) => display,
        // SAFETY: as above.
        Err(_) => unsafe { egl.get_display(egl::DEFAULT_DISPLAY) }.ok_or("EGL has no display")?,
    };
    egl.initialize(display).map_err(failed("eglInitialize"))?;
    let (api, renderable) =
        if is_embedded { (egl::OPENGL_ES_API, egl::OPENGL_ES3_BIT) } else { (egl::OPENGL_API, egl::OPENGL_BIT) };
    egl.bind_api(api).map_err(failed("eglBindAPI"))?;
    let wanted = [egl::SURFACE_TYPE, egl::PBUFFER_BIT, egl::RENDERABLE_TYPE, renderable, egl::NONE];
    let config = egl.choose_first_config(display, &wanted).map_err(failed("eglChooseConfig"))?;
    let config = config.ok_or("EGL has no configuration for this OpenGL")?;

    let desktop = [[4, 6], [4, 5], [4, 3], [3, 3]];
    let embedded = [[3, 2], [3, 1], [3, 0]];
    let versions: &[[egl::Int; 2]] = if is_embedded { &embedded } else { &desktop };
    let context = versions.iter().find_map(|[major, minor]| {
        let mut attributes = vec![egl::CONTEXT_MAJOR_VERSION, *major, egl::CONTEXT_MINOR_VERSION, *minor];
        if !is_embedded {
            attributes.extend([egl::CONTEXT_OPENGL_PROFILE_MASK, egl::CONTEXT_OPENGL_CORE_PROFILE_BIT]);
        }
        attributes.push(egl::NONE);
        egl.create_context(display, config, None, &attributes).ok()
    });
    let context = context.ok_or("the driver makes no context of OpenGL 3.3 or later")?;
    egl.make_current(display, None, None, Some(context)).map_err(failed("eglMakeCurrent"))
}

/// Compiles and links the text as a program of one stage.
#[expect(clippy::multiple_unsafe_ops_per_block, reason = "all calls are to OpenGL, and need the same current context")]
fn link(stage: GLenum, text: &str) -> Result<GLuint, String> {
    let text = CString::new(text).map_err(|_| "the text has a NUL".to_owned())?;
    // SAFETY: a context is current, and all pointers outlive their calls.
    unsafe {
        let shader = gl::CreateShader(stage);
        gl::ShaderSource(shader, 1, &text.as_ptr(), ptr::null());
        gl::CompileShader(shader);
        let mut is_done = 0;
        gl::GetShaderiv(shader, gl::COMPILE_STATUS, &raw mut is_done);
        if is_done == 0 {
            return Err(read(|length, written, buffer| gl::GetShaderInfoLog(shader, length, written, buffer)));
        }
        let program = gl::CreateProgram();
        // The stages beside it are not there.
        gl::ProgramParameteri(program, gl::PROGRAM_SEPARABLE, 1);
        gl::AttachShader(program, shader);
        gl::LinkProgram(program);
        gl::GetProgramiv(program, gl::LINK_STATUS, &raw mut is_done);
        if is_done == 0 {
            return Err(read(|length, written, buffer| gl::GetProgramInfoLog(program, length, written, buffer)));
        }
        Ok(program)
    }
}

/// The blocks of one kind, with their active members.
fn blocks_of(program: GLuint, block: GLenum, member: GLenum) -> Vec<DriverBlock> {
    let count = |interface| {
        let mut count = 0;
        // SAFETY: the program is linked, and the pointer outlives the call.
        unsafe { gl::GetProgramInterfaceiv(program, interface, gl::ACTIVE_RESOURCES, &raw mut count) };
        u32::try_from(count).unwrap_or(0)
    };
    let blocks = (0..count(block)).map(|index| {
        let [size] = properties(program, block, index, [gl::BUFFER_DATA_SIZE]);
        DriverBlock { name: name(program, block, index), size: bytes(size), members: Vec::new() }
    });
    let mut blocks: Vec<DriverBlock> = blocks.collect();
    for index in 0..count(member) {
        let asked = [gl::BLOCK_INDEX, gl::OFFSET, gl::ARRAY_STRIDE, gl::MATRIX_STRIDE, gl::IS_ROW_MAJOR];
        let [place, offset, array_stride, matrix_stride, is_row_major] = properties(program, member, index, asked);
        // A uniform outside of blocks has no block.
        let Some(block) = usize::try_from(place).ok().and_then(|place| blocks.get_mut(place)) else { continue };
        block.members.push(DriverMember {
            name: name(program, member, index),
            offset: bytes(offset),
            array_stride: bytes(array_stride),
            matrix_stride: bytes(matrix_stride),
            is_row_major: is_row_major != 0,
        });
    }
    for block in &mut blocks {
        block.members.sort_by_key(|member| member.offset);
    }
    blocks
}

fn properties<const N: usize>(program: GLuint, interface: GLenum, index: GLuint, asked: [GLenum; N]) -> [GLint; N] {
    let (mut values, length) = ([0; N], GLint::try_from(N).unwrap_or(GLint::MAX));
    // SAFETY: both arrays have the stated length and outlive the call.
    unsafe {
        let written = ptr::null_mut();
        gl::GetProgramResourceiv(
            program,
            interface,
            index,
            length,
            asked.as_ptr(),
            length,
            written,
            values.as_mut_ptr(),
        );
    }
    values
}

fn name(program: GLuint, interface: GLenum, index: GLuint) -> String {
    // SAFETY: the buffer has the stated length and outlives the call.
    read(|length, written, buffer| unsafe {
        gl::GetProgramResourceName(program, interface, index, length, written, buffer);
    })
}

/// A text that OpenGL writes into a buffer of a length.
fn read(write: impl FnOnce(GLint, *mut GLint, *mut c_char)) -> String {
    let (mut buffer, mut written) = (vec![0_u8; LONGEST_TEXT], 0);
    write(GLint::try_from(LONGEST_TEXT).unwrap_or(GLint::MAX), &raw mut written, buffer.as_mut_ptr().cast());
    buffer.truncate(usize::try_from(written).unwrap_or(0));
    String::from_utf8_lossy(&buffer).trim().to_owned()
}

fn string(name: GLenum) -> String {
    // SAFETY: a context is current.
    let text = unsafe { gl::GetString(name) };
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the driver's strings are static and end with a NUL.
    let text = unsafe { CStr::from_ptr(text.cast()) };
    text.to_string_lossy().into_owned()
}

fn bytes(value: GLint) -> u32 {
    u32::try_from(value).unwrap_or(0)
}
