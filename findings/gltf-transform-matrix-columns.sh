#!/usr/bin/env bash
# glTF-Transform reads and writes matrices of bytes without the padding that glTF requires after each column.
#
# Packages: npm @gltf-transform/core 4.5.1, gltf-validator 2.0.0-dev.3.10.
# Guess:    glTF 2.0, 3.6.2.4: the columns of a matrix in an accessor start on multiples of 4 bytes, so a MAT2 of
#           unsigned bytes takes 8 bytes, 1 2 _ _ 3 4 _ _, and a library reads it as 1 2 3 4 and writes it back alike.
# Measured: It reads 1 2 0 0: the padding of the first column as the second column. It writes four bytes side by side and
#           describes them as a MAT2, so a reader that follows the specification takes other values than were given.
#           gltf-validator reports no error in the input, so the input is valid.
# Matters:  Vertex attributes have a matrix stride too. Only columns of 2 or 3 bytes or of 3 shorts differ from
#           tight packing, so matrices of floats never show it.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts @gltf-transform/core@4.5.1 gltf-validator@2.0.0-dev.3.10 >npm.log 2>&1 ||
    skip "npm cannot install @gltf-transform/core 4.5.1 and gltf-validator 2.0.0-dev.3.10"

cat >run.mjs <<'END'
import {Document, NodeIO} from '@gltf-transform/core';
import validator from 'gltf-validator';
const buffer = bytes => ({byteLength: bytes.length, uri: `data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`});
const json = {
  asset: {version: '2.0'},
  buffers: [buffer([1, 2, 0, 0, 3, 4, 0, 0]), buffer(Array(12).fill(0))],
  bufferViews: [{buffer: 0, byteLength: 8, byteStride: 8, target: 34962}, {buffer: 1, byteLength: 12, target: 34962}],
  accessors: [{bufferView: 0, componentType: 5121, count: 1, type: 'MAT2'},
              {bufferView: 1, componentType: 5126, count: 1, type: 'VEC3', min: [0, 0, 0], max: [0, 0, 0]}],
  meshes: [{primitives: [{mode: 0, attributes: {POSITION: 1, _MATRIX: 0}}]}],
  nodes: [{mesh: 0}], scenes: [{nodes: [0]}], scene: 0,
};
const {issues} = await validator.validateBytes(Buffer.from(JSON.stringify(json)));
console.log(`validator: ${issues.numErrors} errors`);
const read = await new NodeIO().readJSON({json, resources: {}});
console.log('read:', ...read.getRoot().listAccessors()[0].getArray());

const document = new Document();
const accessor = document.createAccessor().setType('MAT2').setArray(new Uint8Array([1, 2, 3, 4])).setBuffer(document.createBuffer());
document.createMesh().addPrimitive(document.createPrimitive().setAttribute('_MATRIX', accessor));
const written = await new NodeIO().writeJSON(document);
console.log('written:', ...Object.values(written.resources)[0]);
END
measured=$(node run.mjs)
expected='validator: 0 errors
read: 1 2 0 0
written: 1 2 3 4'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: @gltf-transform/core treats columns otherwise now" >&2; exit 1; }
echo "$measured"
