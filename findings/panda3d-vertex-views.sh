#!/usr/bin/env bash
# Panda3D describes its vertices to Python's buffers without their tail padding, and a matrix by its first row.
#
# Packages: PyPI Panda3D 1.10.16, numpy 2.4.6.
# Guess:    memoryview(array) of a GeomVertexArrayData has one item for each vertex, whose format has all columns and all padding: its
#           struct.calcsize is the stride, and numpy.asarray gives records. Panda3D pads formats between columns with x itself.
# Measured: With a flag of one byte after three floats, the stride is 16 and the format is fffB, of 13 bytes. A column of 4x4 matrices has the
#           format ffff, of 16 bytes, in items of 64. numpy refuses both. With the flag first, or with four bytes, all is right.
# Matters:  The order of two columns decides whether vertices can be read; take offsets and stride from the format object instead.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q Panda3D==1.10.16 numpy==2.4.6; } >"$work/pip.log" 2>&1 ||
    skip "pip cannot install Panda3D 1.10.16 and numpy 2.4.6"

cat >"$work/run.py" <<'END'
import struct

import numpy
from panda3d.core import Geom, GeomVertexArrayFormat, GeomVertexData, GeomVertexFormat, InternalName

position = ("vertex", 3, Geom.NT_float32, Geom.C_point)
for columns in (
    [("flag", 1, Geom.NT_uint8, Geom.C_other), position],
    [position, ("flags", 4, Geom.NT_uint8, Geom.C_other)],
    [position, ("flag", 1, Geom.NT_uint8, Geom.C_other)],
    [("transform", 4, Geom.NT_float32, Geom.C_matrix)],
):
    array_format = GeomVertexArrayFormat()
    for name, *rest in columns:
        array_format.add_column(InternalName.make(name), *rest)
    data = GeomVertexData("data", GeomVertexFormat.register_format(GeomVertexFormat(array_format)), Geom.UH_static)
    data.set_num_rows(2)
    array = data.get_array(0)
    view = memoryview(array)
    stride = array.get_array_format().stride
    names = ", ".join(name for name, *_ in columns)
    print(f"{names}: stride {stride}, strides {view.strides}, format {view.format} of {struct.calcsize(view.format)} bytes", end="; ")
    try:
        print("numpy reads", len(numpy.asarray(view)[0]), "values")
    except RuntimeError as error:
        print("numpy refuses it:", str(error).partition(" for ")[0])
END
measured=$("$work/venv/bin/python" "$work/run.py")
expected='flag, vertex: stride 16, strides (16,), format Bxxxfff of 16 bytes; numpy reads 4 values
vertex, flags: stride 16, strides (16,), format fffBBBB of 16 bytes; numpy reads 7 values
vertex, flag: stride 16, strides (16,), format fffB of 13 bytes; numpy refuses it: Item size 13
transform: stride 64, strides (64,), format ffff of 16 bytes; numpy refuses it: Item size 64'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: Panda3D describes vertices otherwise now" >&2; exit 1; }
echo "$measured"
