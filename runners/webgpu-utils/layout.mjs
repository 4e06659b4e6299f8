// Prints the structs of the webgpu-utils definitions that a module exports, with their offsets, as a layout file for `check`:
//
//     node layout.mjs scene.mjs > scene.json      # export const definitions = makeShaderDataDefinitions(shader)
//
// The offsets are those that webgpu-utils reads from its copy of the shader and that its views write to. Strides
// are those of its views. The module's own copy of webgpu-utils is used.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const SCALARS = { f: ['float', 4], h: ['float', 2], i: ['signed', 4], u: ['unsigned', 4] };

const path = process.argv[2];
if (!path) {
  console.error('usage: node layout.mjs MODULE > LAYOUT.json');
  process.exit(2);
}
// Browsers have these; Node.js has the first since 24.
globalThis.Float16Array ??= class Float16Array extends Uint16Array {};
globalThis.GPUShaderStage ??= { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 };
const file = pathToFileURL(resolve(path));
const utils = await import(pathToFileURL(createRequire(file).resolve('webgpu-utils')));
const structs = new Map();

// WGSL's short spelling: `vec3f` for `vec3<f32>`, `u32` for `atomic<u32>`.
function short(type) {
  const plain = type.replace(/^atomic<(.*)>$/, '$1');
  return plain.replace(/<f16>$/, 'h').replace(/<([fiu])32>$/, '$1');
}

// The member of a layout file with this type. `name` is that of a struct of which webgpu-utils keeps none.
function describe(type, name) {
  if (type.elementType) {
    const element = type.elementType;
    const { count = [], stride = [], ...own } = describe(element, name);
    const { size: ownStride } = utils.getSizeAndAlignmentOfUnsizedArrayElement(type);
    return { ...own, count: [type.numElements || 'unbounded', count].flat(), stride: [ownStride, stride].flat() };
  } else if (type.fields) {
    return { kind: 'struct', size: type.size, struct: addStruct(type, name) };
  }
  const words = /^(?:vec(\d)|mat(\d)x(\d)|)([fhiu])(?:16|32)?$/.exec(short(type.type));
  if (!words) throw new Error(`\`${name}\`: ${type.type} has no form in a layout file`);
  const [, length, columns, rows, letter] = words;
  const [kind, size] = type.type === 'f16' ? SCALARS.h : SCALARS[letter];
  if (columns) {
    // An array of columns.
    const bytes = type.size / Number(columns);
    return { kind, size: size * rows, components: Number(rows), count: Number(columns), stride: bytes, type: `vec${rows}${letter}` };
  }
  return length ? { kind, size: size * length, components: Number(length), type: short(type.type) } : { kind, size, type: short(type.type) };
}

// The name of a struct in the layout file; adds it and the structs in it.
function addStruct(struct, name) {
  const text = JSON.stringify(struct);
  const known = [...structs].find(([, other]) => other.text === text);
  if (known) return known[0];
  const members = Object.entries(struct.fields).map(([member, { offset, type }]) => (
    { name: member, offset, ...describe(type, `${name}_${member}`) }
  ));
  structs.set(name, { text, entry: { name, size: struct.size, file: path, members } });
  return name;
}

for (const exported of Object.values(await import(file))) {
  // Inner structs first, so that they keep their names.
  const all = Object.entries(exported?.structs ?? {}).sort(([, left], [, right]) => JSON.stringify(left).length - JSON.stringify(right).length);
  for (const [name, struct] of all) addStruct(struct, name);
}
console.log(JSON.stringify({ schema: 1, structs: [...structs.values()].map(({ entry }) => entry) }, null, 1));
