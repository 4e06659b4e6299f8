#!/usr/bin/env bash
# PyGLM's two ways to the bytes of a matrix give transposed bytes.
#
# Packages: PyPI PyGLM 2.8.3, numpy 2.4.6.
# Guess:    GLM keeps a matrix by columns, as GLSL does, and PyGLM's types support the buffer protocol, so bytes(m),
#           memoryview(m).tobytes(), numpy.array(m).tobytes() and m.to_bytes() are the same 24 bytes of a mat2x3.
# Measured: Only m.to_bytes() is by columns. The buffer has the shape (3, 2), rows first, with the strides of column order,
#           and bytes() and tobytes() flatten it by rows: the transposed matrix for a shader.
# Matters:  A square matrix has the same size both ways, so nothing reports the mistake.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q PyGLM==2.8.3 numpy==2.4.6; } >"$work/pip.log" 2>&1 ||
    skip "pip cannot install PyGLM 2.8.3 and numpy 2.4.6"

cat >"$work/run.py" <<'END'
import struct
import glm
import numpy

matrix = glm.mat2x3(1, 2, 3, 4, 5, 6)  # Two columns of three.
array = glm.array(matrix)
for name, data in (
    ("to_bytes", matrix.to_bytes()),
    ("bytes", bytes(matrix)),
    ("memoryview", memoryview(matrix).tobytes()),
    ("numpy", numpy.array(matrix).tobytes()),
    ("array.to_bytes", array.to_bytes()),
    ("bytes of array", bytes(array)),
):
    print(f"{name}:", *(int(value) for value in struct.unpack("6f", data)))
view = memoryview(matrix)
print("shape", view.shape, "strides", view.strides)
END
measured=$("$work/venv/bin/python" "$work/run.py")
expected='to_bytes: 1 2 3 4 5 6
bytes: 1 4 2 5 3 6
memoryview: 1 4 2 5 3 6
numpy: 1 4 2 5 3 6
array.to_bytes: 1 2 3 4 5 6
bytes of array: 1 4 2 5 3 6
shape (3, 2) strides (4, 12)'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: PyGLM gives other bytes now" >&2; exit 1; }
echo "$measured"
