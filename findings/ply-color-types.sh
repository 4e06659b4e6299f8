#!/usr/bin/env bash
# loaders.gl and trimesh reduce 16-bit colours of a PLY file modulo 256, and loaders.gl truncates colours of floats to bytes.
#
# Packages: npm @loaders.gl/core and @loaders.gl/ply 4.4.5; PyPI trimesh 5.2.0, numpy 2.4.6, plyfile 1.1.5 (which writes the files).
# Guess:    A property of a PLY file has the type that its header declares. A red of ushort or float becomes an array of that
#           type, or is scaled to bytes, as trimesh does with floats: 65535, 32768 and 1.0, 0.5 become 255 and 128.
# Measured: loaders.gl copies the three colours into a Uint8Array whatever their type: ushorts 32768 and 65535 become 0 and 255, floats 0.5
#           and 1.0 become 0 and 1. trimesh scales floats and wraps ushorts. loaders.gl keeps the values of other properties.
# Matters:  White and black survive, so tests with them pass; greys of scanners with 16 bits become noise.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts @loaders.gl/{core,ply}@4.4.5 >npm.log 2>&1 || skip "npm cannot install @loaders.gl/core and @loaders.gl/ply 4.4.5"
{ python3 -m venv venv && venv/bin/pip install -q trimesh==5.2.0 numpy==2.4.6 plyfile==1.1.5; } >pip.log 2>&1 ||
    skip "pip cannot install trimesh 5.2.0, numpy 2.4.6 and plyfile 1.1.5"

cat >run.py <<'END'
import numpy
import trimesh
from plyfile import PlyData, PlyElement

for name, kind, white, grey in ("uchar", "u1", 255, 128), ("ushort", "u2", 65535, 32768), ("float", "f4", 1, 0.5):
    types = [(axis, "f4") for axis in "xyz"] + [(color, kind) for color in ("red", "green", "blue", "weight")]
    vertices = numpy.array([(x, y, 0, white, grey, 0, grey) for x, y in ((0, 0), (1, 0), (0, 1))], types)
    faces = numpy.array([([0, 1, 2],)], [("vertex_indices", "i4", (3,))])
    elements = [PlyElement.describe(vertices, "vertex"), PlyElement.describe(faces, "face")]
    PlyData(elements).write(f"{name}.ply")
    mesh = trimesh.load(f"{name}.ply", process=False)
    print(f"trimesh, {name} {white} {grey} 0:", *mesh.visual.vertex_colors[0][:3])
END
cat >run.mjs <<'END'
import {readFileSync} from 'node:fs';
import {parseSync} from '@loaders.gl/core';
import {PLYLoader} from '@loaders.gl/ply';
for (const name of ['uchar', 'ushort', 'float']) {
  const {buffer, byteOffset, byteLength} = readFileSync(`${name}.ply`);
  const {COLOR_0, weight} = parseSync(buffer.slice(byteOffset, byteOffset + byteLength), PLYLoader).attributes;
  console.log(`loaders.gl, ${name}: ${COLOR_0.value.constructor.name} ${COLOR_0.value.slice(0, 3).join(' ')}; weight ${weight.value[0]}`);
}
END
measured=$(
    venv/bin/python run.py
    node run.mjs
)
expected='trimesh, uchar 255 128 0: 255 128 0
trimesh, ushort 65535 32768 0: 255 0 0
trimesh, float 1 0.5 0: 255 128 0
loaders.gl, uchar: Uint8Array 255 128 0; weight 128
loaders.gl, ushort: Uint8Array 255 0 0; weight 32768
loaders.gl, float: Uint8Array 1 0 0; weight 0.5'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: loaders.gl or trimesh reads other colours now" >&2; exit 1; }
echo "$measured"
