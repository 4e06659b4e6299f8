#!/usr/bin/env bash
# The interpreter in wgsl_reflect stores NaN where a shader copies a matrix from one buffer to another.
#
# Package:  npm wgsl_reflect 1.6.0, WgslExec (the engine of its debugger).
# Guess:    A store of a loaded value gives the value, WGSL 9.2: after `o.m = s.m` the nine components of a mat3x3<f32> are at
#           0, 4, 8, 16, 20, 24, 32, 36 and 40 of the second buffer, as after `o = s` and as on a device.
# Measured: The places are right, with the padding left alone, and each value is NaN, directly and through a `let`. Copying the whole
#           struct, storing a matrix constructor, copying a vector, and reading one component of a matrix are right.
# Matters:  An oracle for layouts must be tested with whole values, too, not only by components.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts wgsl_reflect@1.6.0 >npm.log 2>&1 || skip "npm cannot install wgsl_reflect 1.6.0"

cat >run.mjs <<'END'
const {WgslExec, WgslParser} = await import('./node_modules/wgsl_reflect/wgsl_reflect.module.js');
for (const body of ['o.m = s.m;', 'let m = s.m; o.m = m;', 'o.v = s.v;', 'o.v.y = s.m[1][2];', 'o = s;',
                    'o.m = mat3x3<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);']) {
  const source = `struct S { m: mat3x3<f32>, v: vec3<f32> }
@group(0) @binding(0) var<storage, read> s: S;
@group(0) @binding(1) var<storage, read_write> o: S;
@compute @workgroup_size(1) fn main() { ${body} }`;
  const output = new Float32Array(16).fill(-1);
  const buffers = {0: {0: Float32Array.from({length: 16}, (_, i) => i + 1), 1: output}};
  new WgslExec(new WgslParser().parse(source)).dispatchWorkgroups('main', 1, buffers);
  console.log(body, '|', ...output);
}
END
measured=$(node run.mjs)
expected='o.m = s.m; | NaN NaN NaN -1 NaN NaN NaN -1 NaN NaN NaN -1 -1 -1 -1 -1
let m = s.m; o.m = m; | NaN NaN NaN -1 NaN NaN NaN -1 NaN NaN NaN -1 -1 -1 -1 -1
o.v = s.v; | -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 13 14 15 -1
o.v.y = s.m[1][2]; | -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 7 -1 -1
o = s; | 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
o.m = mat3x3<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0); | 1 2 3 -1 4 5 6 -1 7 8 9 -1 -1 -1 -1 -1'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: WgslExec stores other values now" >&2; exit 1; }
echo "$measured"
