// Prints the structs that a module exports as three.js `struct()`s, with their offsets, as a layout file for `check`:
//
//     node layout.mjs particles.mjs > particles.json      # export const Particle = struct({ position: 'vec3' }, 'Particle')
//
// three.js keeps no offsets: programs fill such buffers by hand. It has the length of a struct, from the lengths and alignments of the
// members' types. This adds them up as it does, with its own functions, and stops where the sum is another one than three.js has.
// The module's own copy of three.js is used.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const path = process.argv[2];
if (!path) {
  console.error('usage: node layout.mjs MODULE > LAYOUT.json');
  process.exit(2);
}
const file = pathToFileURL(resolve(path));
const utils = await import(pathToFileURL(createRequire(file).resolve('three/src/nodes/core/NodeUtils.js')));
const structs = [];

// The member of a layout file with this type. Lengths are words of 4 bytes.
function describe(type, name) {
  const words = /^(?:([iub]?)vec(\d)|mat(\d)|(float|int|uint|bool|color))$/.exec(type);
  if (!words) throw new Error(`\`${name}\`: ${type} has no form in a layout file`);
  const [, prefix, length, columns, scalar] = words;
  const kinds = { '': 'float', i: 'signed', u: 'unsigned', b: 'bool', float: 'float', int: 'signed', uint: 'unsigned', bool: 'bool', color: 'float' };
  const kind = kinds[scalar ?? prefix ?? ''];
  if (columns) {
    // An array of columns.
    const stride = (4 * utils.getMemoryLengthFromType(type)) / columns;
    return { kind, size: 4 * columns, components: Number(columns), count: Number(columns), stride, type };
  }
  const components = Number(length ?? (type === 'color' ? 3 : 1));
  return { kind, size: 4 * components, ...(components > 1 && { components }), type };
}

for (const [exported, struct] of Object.entries(await import(file))) {
  if (!struct?.isStructTypeNode) continue;
  const name = struct.name ?? exported;
  let [offset, largest] = [0, 1];
  const members = struct.membersLayout.map(({ name: member, type }) => {
    const alignment = utils.getAlignmentFromType(type);
    largest = Math.max(largest, alignment);
    const start = Math.ceil(offset / alignment) * alignment;
    offset = start + utils.getMemoryLengthFromType(type);
    return { name: member, offset: 4 * start, ...describe(type, `${name}.${member}`), alignment: 4 * alignment };
  });
  const length = Math.ceil(offset / largest) * largest;
  if (length !== struct.getLength()) {
    throw new Error(`\`${name}\`: the members end at ${4 * length}, and three.js says ${4 * struct.getLength()}`);
  }
  structs.push({ name, size: 4 * length, file: path, members });
}
console.log(JSON.stringify({ schema: 1, structs }, null, 1));
