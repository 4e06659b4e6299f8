#!/usr/bin/env bash
# pyglet places the members of a uniform block where OpenGL says, and packs the elements inside arrays and matrices.
#
# Package:  PyPI pyglet 2.1.19, ShaderProgram.uniform_blocks; needs EGL with any OpenGL 4.3, for instance Mesa's llvmpipe.
# Guess:    pyglet asks OpenGL for the offset of each member, and OpenGL also answers with the strides, so the structure that
#           it makes for `with ubo as block` has float c[3] at a stride of 16 and the columns of a mat3 at a stride of 16.
# Measured: The offsets are right, with padding between the members, but c is three floats side by side, mat3 nine, vec3[2]
#           six, and mat2 four: everything after the first element or column goes to bytes that the shader does not read.
# Matters:  The padding that follows such a member makes the size of the block right, so no size check fails.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q pyglet==2.1.19; } >"$work/pip.log" 2>&1 ||
    skip "pip cannot install pyglet 2.1.19"

cat >"$work/run.py" <<'END'
import ctypes
import sys

import pyglet

pyglet.options["headless"] = True
try:
    window = pyglet.window.Window(8, 8, visible=False)
    from pyglet import gl
    from pyglet.graphics.shader import Shader, ShaderProgram
except Exception as error:
    print(error, file=sys.stderr)
    sys.exit(3)
vertex = Shader("""#version 430
layout(std140) uniform Block { float a; float c[3]; mat3 m; vec3 f[2]; mat2 h; float z; } block;
out float sum;
void main() {
    sum = block.a + block.c[2] + block.m[2].z + block.f[1].z + block.h[1].y + block.z;
    gl_Position = vec4(0);
}""", "vertex")
fragment = Shader("#version 430\nin float sum; out vec4 color; void main() { color = vec4(sum); }", "fragment")
program = ShaderProgram(vertex, fragment)
block = program.uniform_blocks["Block"]
block.create_ubo()
view = block.view_cls


def ask(name, what):
    text = ctypes.create_string_buffer(f"Block.{name}".encode())
    names = ctypes.pointer(ctypes.cast(text, ctypes.POINTER(gl.GLchar)))
    index, value = gl.GLuint(), gl.GLint()
    gl.glGetUniformIndices(program.id, 1, names, index)
    gl.glGetActiveUniformsiv(program.id, 1, index, what, value)
    return value.value


for name, member, what, lanes in (
    ("c", "c[0]", gl.GL_UNIFORM_ARRAY_STRIDE, 1),
    ("m", "m", gl.GL_UNIFORM_MATRIX_STRIDE, 3),
    ("f", "f[0]", gl.GL_UNIFORM_ARRAY_STRIDE, 3),
    ("h", "h", gl.GL_UNIFORM_MATRIX_STRIDE, 2),
):
    field = getattr(view, name)
    print(f"{name}: at {field.offset}, OpenGL {ask(member, gl.GL_UNIFORM_OFFSET)};",
          f"stride {4 * lanes} of {field.size} bytes, OpenGL {ask(member, what)}")
print("size", ctypes.sizeof(view))
END
measured=$("$work/venv/bin/python" "$work/run.py" 2>"$work/error") || {
    [[ $? -eq 3 ]] && skip "no OpenGL context without a window: $(tail -n 1 "$work/error")"
    cat "$work/error" >&2
    exit 1
}
expected='c: at 16, OpenGL 16; stride 4 of 12 bytes, OpenGL 16
m: at 64, OpenGL 64; stride 12 of 36 bytes, OpenGL 16
f: at 112, OpenGL 112; stride 12 of 24 bytes, OpenGL 16
h: at 144, OpenGL 144; stride 8 of 16 bytes, OpenGL 16
size 192'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: pyglet lays out other bytes now" >&2; exit 1; }
echo "$measured"
