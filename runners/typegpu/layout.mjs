// Prints the structs that a module exports as TypeGPU schemas, with their offsets, as a layout file for `check`:
//
//     node layout.mjs scene.mjs > scene.json
//
// The offsets are those that TypeGPU itself computes and writes with. The module's own copy of TypeGPU is used.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const SCALARS = { f32: ['float', 4], f16: ['float', 2], i32: ['signed', 4], u32: ['unsigned', 4], u16: ['unsigned', 2] };
const COMPONENTS = { f: SCALARS.f32, h: SCALARS.f16, i: SCALARS.i32, u: SCALARS.u32 };

const path = process.argv[2];
if (!path) {
  console.error('usage: node layout.mjs MODULE > LAYOUT.json');
  process.exit(2);
}
const file = pathToFileURL(resolve(path));
const data = await import(pathToFileURL(createRequire(file).resolve('typegpu/data')));
const structs = new Map();

// The schema without attributes such as `d.align`.
function plain(schema) {
  return schema.type === 'decorated' || schema.type === 'atomic' ? plain(schema.inner) : schema;
}

// The struct's name in the layout file; adds it and the structs in it.
function addStruct(schema, exported) {
  const known = structs.get(schema);
  if (known) return known.name;
  const own = schema.toString().replace(/^struct:/, '');
  let name = own && own !== '<unnamed>' ? own : exported;
  const names = new Set([...structs.values()].map((other) => other.name));
  for (let number = 2; names.has(name); number += 1) name = `${exported}_${number}`;
  const entry = { name, size: data.sizeOf(schema), file: path, members: [] };
  structs.set(schema, entry);
  for (const [member, ty] of Object.entries(schema.propTypes)) {
    const { offset } = data.memoryLayoutOf(schema, (value) => value[member]);
    const alignment = data.alignmentOf(ty);
    entry.members.push({ name: member, offset, ...describe(plain(ty), `${name}_${member}`), alignment });
  }
  return name;
}

function describe(ty, name) {
  const size = data.sizeOf(ty);
  const vector = /^vec(\d)([fhiu])$/.exec(ty.type);
  const matrix = /^mat(\d)x(\d)f$/.exec(ty.type);
  if (SCALARS[ty.type]) {
    return { kind: SCALARS[ty.type][0], size, type: ty.type };
  } else if (vector) {
    return { kind: COMPONENTS[vector[2]][0], size, components: Number(vector[1]), type: ty.type };
  } else if (matrix) {
    // An array of columns.
    const [columns, rows] = [Number(matrix[1]), Number(matrix[2])];
    return { kind: 'float', size: 4 * rows, components: rows, count: columns, stride: size / columns, type: `vec${rows}f` };
  } else if (ty.type === 'struct') {
    return { kind: 'struct', size, struct: addStruct(ty, name) };
  } else if (ty.type === 'array') {
    const element = plain(ty.elementType);
    const [inner, alignment] = [data.sizeOf(element), data.alignmentOf(ty.elementType)];
    const stride = Math.ceil(data.sizeOf(ty.elementType) / alignment) * alignment;
    const { count = [], stride: strides = [], ...own } = describe(element, name);
    return { size: inner, ...own, count: [ty.elementCount, count].flat(), stride: [stride, strides].flat() };
  }
  throw new Error(`\`${name}\`: ${ty.type} has no form in a layout file`);
}

for (const [name, exported] of Object.entries(await import(file))) {
  const schema = exported && plain(exported);
  if (schema?.type === 'struct') addStruct(schema, name);
}
console.log(JSON.stringify({ schema: 1, structs: [...structs.values()] }, null, 1));
