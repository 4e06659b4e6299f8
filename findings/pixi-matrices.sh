#!/usr/bin/env bash
# PixiJS writes matrices that are not square, and arrays of mat3x3, to the wrong bytes of a uniform buffer.
#
# Package:  npm pixi.js 8.22.0, its public createUboElements* and createUboSyncFunction*.
# Guess:    WGSL 14.4.1: mat3x2<f32> is three columns of vec2, 24 bytes without gaps, so 1 2 3 4 5 6 lie side by side and
#           the f32 after it is at 24. In std140 (OpenGL 7.6.2.2) and in WGSL each column of a mat3x3 starts on 16 bytes,
#           in arrays too, so both writers put 1 2 3 _ 4 5 6 _ 7 8 9 _ there from the 18 packed values of two matrices.
# Measured: The member is placed right, but its values are written in groups of three at a stride of four, as if the
#           matrix had two columns of three rows: the shader reads 1 2, 3 0, 4 5, and the 6 lands on the next member,
#           which overwrites it. An array of mat3x3 is written in groups of nine for std140, and without any gap for
#           WGSL, which then runs out of values (NaN): the same packed values suit neither API.
# Matters:  A layout can be right while the code that fills it is not; offsets alone do not show it.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts pixi.js@8.22.0 >npm.log 2>&1 || skip "npm cannot install pixi.js 8.22.0"

cat >run.mjs <<'END'
globalThis.navigator ??= {};
const pixi = await import('pixi.js');
const show = (rules, members, values) => {
  const {uboElements, size} = pixi[`createUboElements${rules}`](members);
  const buffer = new ArrayBuffer(size);
  pixi[`createUboSyncFunction${rules}`](uboElements)(values, new Float32Array(buffer), new Int32Array(buffer), 0);
  console.log(rules, uboElements.map(({data, offset}) => `${data.name}@${offset}`).join(' '), '|', new Float32Array(buffer).join(' '));
};
const member = (name, type, size, value) => ({name, type, size, value});
const count = n => Float32Array.from({length: n}, (_, i) => i + 1);
show('WGSL', [member('m', 'mat3x2<f32>', 1, count(6)), member('next', 'f32', 1, 99)], {m: count(6), next: 99});
for (const rules of ['STD40', 'WGSL'])
  show(rules, [member('m', 'mat3x3<f32>', 2, count(18)), member('next', 'f32', 1, 99)], {m: count(18), next: 99});
END
measured=$(node run.mjs 2>/dev/null)
expected='WGSL m@0 next@24 | 1 2 3 0 4 5 99 0
STD40 m@0 next@96 | 1 2 3 4 5 6 7 8 9 0 0 0 10 11 12 13 14 15 16 17 18 0 0 0 99 NaN NaN NaN
WGSL m@0 next@96 | 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 NaN NaN NaN NaN NaN NaN 99 0 0 0'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: pixi.js writes other bytes now" >&2; exit 1; }
echo "$measured"
