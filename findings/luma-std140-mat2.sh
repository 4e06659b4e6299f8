#!/usr/bin/env bash
# luma.gl aligns matrices of two rows to 8 bytes in std140.
#
# Package:  npm @luma.gl/core 9.4.2, makeShaderBlockLayout.
# Guess:    OpenGL 4.6, 7.6.2.2, rules 4 and 5: a column-major matrix is laid out as an array of its columns, and the
#           alignment of an array is rounded up to that of a vec4. After a float at 0, a mat2 starts at 16, and a float
#           after its two columns of 16 bytes at 48; a mat3x2 (mat3x2<f32> in WGSL) then starts at 64.
# Measured: The mat2 starts at 8, with the second column 16 bytes later, the float is at 40 and the matrix of three columns
#           at 48. Arrays of floats and matrices of three rows in the same layout are right.
# Matters:  The stride follows the rule and the start does not, so a check of sizes and strides alone passes.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts @luma.gl/core@9.4.2 >npm.log 2>&1 || skip "npm cannot install @luma.gl/core 9.4.2"

cat >run.mjs <<'END'
import {makeShaderBlockLayout} from '@luma.gl/core';
const show = members => {
  const {fields} = makeShaderBlockLayout(members, {layout: 'std140'});
  console.log(Object.entries(fields).map(([name, {offset, columnStride}]) => `${name} ${4 * offset} (${4 * columnStride})`).join(', '));
};
show({a: 'f32', m: 'mat2x2<f32>', b: 'f32', n: 'mat3x2<f32>'});
show({a: 'f32', m: 'mat3x3<f32>', b: 'f32', n: ['f32', 2]});
END
measured=$(node run.mjs)
expected='a 0 (4), m 8 (16), b 40 (4), n 48 (16)
a 0 (4), m 16 (16), b 64 (4), n[0] 80 (4), n[1] 96 (4)'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: luma.gl places matrices elsewhere now" >&2; exit 1; }
echo "$measured"
