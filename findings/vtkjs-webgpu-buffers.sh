#!/usr/bin/env bash
# vtk.js writes the struct of a WebGPU buffer and the offsets of its members by two rules.
#
# Packages: npm @kitware/vtk.js 37.4.3, wgsl_reflect 1.6.0 (which computes the offsets of WGSL 14.4.1).
# Guess:    vtkWebGPUUniformBuffer and vtkWebGPUStorageBuffer take members by name and type, generate the WGSL struct, and write a value
#           where that struct has the member. Uniform buffers may reorder the members, since the struct is generated.
# Measured: A uniform buffer pairs a vec3 with a float and sorts; without a float to pair, a second vec3 is written at 12, and a vec3
#           after a vec2 at 8, where the generated struct has 16. A mat3x3 has 36 bytes instead of 48. A storage buffer only adds up sizes:
#           a vec3 after a float is written at 4, and its instances are 16 bytes apart where the shader's stride is 32.
# Matters:  Members with a size of 4, 8, 16 or 64 bytes do not show it, and adding one vec3 to such a buffer moves the rest.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts @kitware/vtk.js@37.4.3 wgsl_reflect@1.6.0 >npm.log 2>&1 ||
    skip "npm cannot install @kitware/vtk.js 37.4.3 and wgsl_reflect 1.6.0"

cat >run.mjs <<'END'
import UniformBuffer from './node_modules/@kitware/vtk.js/Rendering/WebGPU/UniformBuffer.js';
import StorageBuffer from './node_modules/@kitware/vtk.js/Rendering/WebGPU/StorageBuffer.js';
import {WgslReflect} from './node_modules/wgsl_reflect/wgsl_reflect.module.js';

const components = {'f32': 1, 'vec2<f32>': 2, 'vec3<f32>': 3, 'vec4<f32>': 4, 'mat3x3<f32>': 9};

// Writes another number into each member, and prints at which byte it starts and where the generated WGSL has the member.
function show(kind, buffer, set, types) {
  types.forEach((type, i) => buffer.addEntry(`m${i}`, type));
  types.forEach((type, i) => set(`m${i}`, Array(components[type]).fill(i + 1)));
  const written = new Float32Array(buffer.get('arrayBuffer').arrayBuffer);
  const struct = new WgslReflect(buffer.getShaderCode(0, 0)).structs.find((found) => found.members[0].name.startsWith('m'));
  const places = types.map((type, i) => {
    const member = struct.members.find((found) => found.name === `m${i}`);
    return `${type} written at ${written.indexOf(i + 1) * 4}, read at ${member.offset}`;
  });
  console.log(`${kind}: ${places.join('; ')}; size ${buffer.getSizeInBytes()}, in WGSL ${struct.size}`);
}
for (const types of [['f32', 'vec3<f32>', 'vec4<f32>'], ['vec3<f32>', 'vec3<f32>'], ['vec2<f32>', 'vec3<f32>'], ['mat3x3<f32>', 'f32']]) {
  const buffer = UniformBuffer.newInstance({label: 'block'});
  show('uniform', buffer, (name, value) => (value.length === 1 ? buffer.setValue(name, value[0]) : buffer.setArray(name, value)), types);
}
const buffer = StorageBuffer.newInstance({label: 'block', numberOfInstances: 1});
const set = (name, value) => (value.length === 1 ? buffer.setValue(name, 0, value[0]) : buffer.setArray(name, 0, value));
show('storage', buffer, set, ['f32', 'vec3<f32>']);
END
measured=$(node run.mjs)
expected='uniform: f32 written at 28, read at 28; vec3<f32> written at 16, read at 16; vec4<f32> written at 0, read at 0; size 32, in WGSL 32
uniform: vec3<f32> written at 0, read at 0; vec3<f32> written at 12, read at 16; size 24, in WGSL 32
uniform: vec2<f32> written at 0, read at 0; vec3<f32> written at 8, read at 16; size 24, in WGSL 32
uniform: mat3x3<f32> written at 0, read at 0; f32 written at 36, read at 48; size 40, in WGSL 64
storage: f32 written at 0, read at 0; vec3<f32> written at 4, read at 16; size 16, in WGSL 32'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: vtk.js writes at other places now" >&2; exit 1; }
echo "$measured"
