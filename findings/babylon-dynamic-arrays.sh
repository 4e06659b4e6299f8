#!/usr/bin/env bash
# Babylon.js writes an array into a dynamic uniform buffer without the padding that it reserves for it.
#
# Package:  npm @babylonjs/core 9.35.0. Its engine for tests has no uniform buffers, so the script adds stubs that keep the bytes.
# Guess:    "Dynamic" is about how often the buffer changes. OpenGL 4.6, 7.6.2.2: the elements of a float[3] or vec3[2] in std140 are 16
#           bytes apart, and UniformBuffer uploads them so either way.
# Measured: Both kinds put the members at the same offsets and reserve 16 bytes for each element. A static buffer spreads the elements; a
#           dynamic one copies them packed, so the shader reads other values from the second element on.
# Matters:  Scalars, vectors and matrices are right in both kinds, so switching a buffer to dynamic breaks only its arrays.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts @babylonjs/core@9.35.0 >npm.log 2>&1 || skip "npm cannot install @babylonjs/core 9.35.0"

cat >run.mjs <<'END'
import {NullEngine} from '@babylonjs/core/Engines/nullEngine.js';
import {UniformBuffer} from '@babylonjs/core/Materials/uniformBuffer.js';
import {Logger} from '@babylonjs/core/Misc/logger.js';

let uploaded;
class Engine extends NullEngine {
  get supportsUniformBuffers() { return true; }
  createUniformBuffer(data) { uploaded = data; return {references: 1}; }
  createDynamicUniformBuffer(data) { return this.createUniformBuffer(data); }
  updateUniformBuffer(buffer, data) { uploaded = data; }
}
Logger.LogLevels = Logger.NoneLogLevel;  // The engine prints its version.
const engine = new Engine();
for (const dynamic of [false, true]) {
  const block = new UniformBuffer(engine, undefined, dynamic, 'block');
  block.addUniform('weights', 1, 3);
  block.addUniform('colors', 3, 2);
  block.addUniform('last', 2);
  block.create();
  block.updateArray('weights', [1, 2, 3]);
  block.updateArray('colors', [4, 5, 6, 7, 8, 9]);
  block.updateUniform('last', [10, 11], 2);
  block.update();
  console.log(dynamic ? 'dynamic:' : 'static: ', ...uploaded);
}
END
measured=$(node run.mjs)
expected='static:  1 0 0 0 2 0 0 0 3 0 0 0 4 5 6 0 7 8 9 0 10 11 0 0
dynamic: 1 2 3 0 0 0 0 0 0 0 0 0 4 5 6 7 8 9 0 0 10 11 0 0'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: Babylon.js writes arrays otherwise now" >&2; exit 1; }
echo "$measured"
