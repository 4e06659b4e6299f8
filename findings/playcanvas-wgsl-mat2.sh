#!/usr/bin/env bash
# PlayCanvas places a mat2 by GLSL's std140 and declares it in WGSL, which has another rule for it.
#
# Packages: npm playcanvas 2.23.3, the modules that its WebGPU device uses; wgsl_reflect 1.6.0 as the judge of the WGSL.
# Guess:    The engine computes the offsets of a uniform buffer and writes the WGSL struct for the same members, so both agree:
#           by WGSL 14.4.1 a mat2x2f after an f32 is at 8, and the f32 after its 16 bytes at 24.
# Measured: The engine writes the values to 16 and 48 (two columns of 16 bytes, as in std140); the struct that it generates has no
#           attributes and puts them at 8 and 24. For mat3, vec3 and arrays, which it wraps in structs, both agree.
# Matters:  mat2 and other matrices of two rows are where "std140 and WGSL's uniform rules are the same" is wrong.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts playcanvas@2.23.3 wgsl_reflect@1.6.0 >npm.log 2>&1 ||
    skip "npm cannot install playcanvas 2.23.3 and wgsl_reflect 1.6.0"

cat >run.mjs <<'END'
const graphics = './node_modules/playcanvas/build/playcanvas/src/platform/graphics';
const {UniformBufferFormat, UniformFormat} = await import(`${graphics}/uniform-buffer-format.js`);
const {WebgpuShaderProcessorWGSL} = await import(`${graphics}/webgpu/webgpu-shader-processor-wgsl.js`);
const types = await import(`${graphics}/constants.js`);
const {WgslReflect} = await import('./node_modules/wgsl_reflect/wgsl_reflect.module.js');
for (const matrix of ['MAT2', 'MAT3']) {
  const members = [['a', 'FLOAT'], ['m', matrix], ['b', 'FLOAT']].map(([name, type]) => new UniformFormat(name, types[`UNIFORMTYPE_${type}`]));
  const format = new UniformBufferFormat({scope: {resolve: name => name}}, members);
  const wgsl = WebgpuShaderProcessorWGSL.getUniformShaderDeclaration(format, 0, 0, 'block');
  const declared = new WgslReflect(wgsl).structs[0].members;
  const show = (name, list, scale) => console.log(matrix, name, ...list.map(member => `${member.name} ${scale * member.offset}`));
  show('written', format.uniforms, 4);
  show('declared', declared, 1);
}
END
measured=$(node run.mjs)
expected='MAT2 written a 0 m 16 b 48
MAT2 declared a 0 m 8 b 24
MAT3 written a 0 m 16 b 64
MAT3 declared a 0 m 16 b 64'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: PlayCanvas places or declares members otherwise now" >&2; exit 1; }
echo "$measured"
