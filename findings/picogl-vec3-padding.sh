#!/usr/bin/env bash
# PicoGL places a float after a vec3 at 16, not at 12.
#
# Package:  npm picogl 0.17.9 (UniformBuffer, with a stub for the WebGL context).
# Guess:    "Data is stored in std140 layout": OpenGL 4.6, 7.6.2.2, aligns a vec3 to 16 bytes and gives it 12, so a float after it is at 12.
#           The documentation names matrices with columns of two or three as the one thing to pad by hand.
# Measured: Each vec3 takes 16 bytes: { vec3; float } has the float at 16 and 32 bytes, where a shader has 12 and 16. Two vec3, and a vec3 before
#           a vec4 or a matrix, are right.
# Matters:  { vec3 direction; float intensity } is the usual way to save a register. List such a pair as one vec4.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts picogl@0.17.9 >npm.log 2>&1 || skip "npm cannot install picogl 0.17.9"

# Node.js reads the package's modules as such only outside it, in a folder of type "module".
mkdir picogl
cp node_modules/picogl/build/module/*.js picogl/
echo '{"type": "module"}' >picogl/package.json
cat >run.mjs <<'END'
import {GL} from './picogl/constants.js';
import {UniformBuffer} from './picogl/uniform-buffer.js';

const context = {createBuffer() { return {}; }, bindBuffer() {}, bufferData() {}};
for (const names of [['vec3', 'float'], ['float', 'vec3', 'float'], ['vec2', 'float'], ['vec3', 'vec3'], ['vec3', 'vec4'], ['vec3', 'mat4']]) {
  const types = names.map((name) => GL[name === 'float' ? 'FLOAT' : `FLOAT_${name.toUpperCase()}`]);
  const buffer = new UniformBuffer(context, {uniformBuffers: []}, types);
  console.log(names.join(' '), '|', ...buffer.offsets.map((offset) => offset * 4), 'size', buffer.size * 4);
}
END
measured=$(node run.mjs)
expected='vec3 float | 0 16 size 32
float vec3 float | 0 16 32 size 48
vec2 float | 0 8 size 16
vec3 vec3 | 0 16 size 32
vec3 vec4 | 0 16 size 32
vec3 mat4 | 0 16 size 80'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: PicoGL places members otherwise now" >&2; exit 1; }
echo "$measured"
