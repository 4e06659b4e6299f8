#!/usr/bin/env bash
# trimesh writes a vertex attribute of three bytes as one of four, so it comes back with another shape.
#
# Packages: PyPI trimesh 5.2.0, numpy 2.4.6.
# Guess:    glTF 2.0, 3.6.2.4: vertex attributes start on multiples of 4 bytes, so VEC3 of bytes is written with a byteStride of 4, the
#           type stays VEC3, and an attribute of shape (8, 3) is read back as (8, 3).
# Measured: The accessor is a VEC4 without a byteStride, with a zero as the fourth value, and reading gives (8, 4). Three shorts change in
#           the same way; three floats do not.
# Matters:  The padding becomes a value: the vertex format, and with it what w is in the shader (0, not the 1 of a missing component),
#           depends on the element type.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q trimesh==5.2.0 numpy==2.4.6; } >"$work/pip.log" 2>&1 ||
    skip "pip cannot install trimesh 5.2.0 and numpy 2.4.6"

cat >"$work/run.py" <<'END'
import io
import json
import struct

import numpy
import trimesh

mesh = trimesh.creation.box()
types = {"_bytes": numpy.uint8, "_shorts": numpy.uint16, "_floats": numpy.float32}
for name, number in types.items():
    mesh.vertex_attributes[name] = numpy.arange(1, 25, dtype=number).reshape(8, 3)
file = trimesh.exchange.gltf.export_glb(mesh)
document = json.loads(file[20:20 + struct.unpack("<I", file[12:16])[0]])
attributes = document["meshes"][0]["primitives"][0]["attributes"]
read = trimesh.load(io.BytesIO(file), file_type="glb", process=False, force="mesh").vertex_attributes
for name in types:
    accessor = document["accessors"][attributes[name]]
    view = document["bufferViews"][accessor["bufferView"]]
    print(name, accessor["type"], "byteStride", view.get("byteStride"), "read", read[name].shape, *(int(value) for value in read[name][1]))
END
measured=$("$work/venv/bin/python" "$work/run.py")
expected='_bytes VEC4 byteStride None read (8, 4) 4 5 6 0
_shorts VEC4 byteStride None read (8, 4) 4 5 6 0
_floats VEC3 byteStride None read (8, 3) 4 5 6'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: trimesh writes other accessors now" >&2; exit 1; }
echo "$measured"
