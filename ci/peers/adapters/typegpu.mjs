// The bytes that TypeGPU writes for each block: one line of JSON per JSON file of a declaration and its value.
import { readFileSync } from "node:fs";
import * as d from "typegpu/data";
import { writeToArrayBuffer } from "typegpu";

const SCALARS = { float: [d.f32, "f"], int: [d.i32, "i"], uint: [d.u32, "u"] };
let next = 0;
const number = () => (next++ % 2048) + 1;

function schema(type) {
  switch (type.kind) {
    case "scalar":
      return SCALARS[type.scalar][0];
    case "vector":
      return d[`vec${type.length}${SCALARS[type.scalar][1]}`];
    case "matrix":
      return d[`mat${type.rows}x${type.columns}f`];
    case "array":
      return d.arrayOf(schema(type.element), type.count);
    case "struct":
      return d.struct(Object.fromEntries(type.members.map((member) => [`m_${member.name}`, schema(member.type)])));
  }
}

function value(type) {
  switch (type.kind) {
    case "scalar":
      return number();
    case "vector":
      return schema(type)(...Array.from({ length: type.length }, number));
    case "matrix": {
      // Scalars are numbered row by row; the constructor takes contiguous vectors one after the other.
      const rows = Array.from({ length: type.rows }, () => Array.from({ length: type.columns }, number));
      const cells = type.order === "row" ? rows : rows[0].map((_, column) => rows.map((row) => row[column]));
      return schema(type)(...cells.flat());
    }
    case "array":
      return Array.from({ length: type.count }, () => value(type.element));
    case "struct":
      return Object.fromEntries(type.members.map((member) => [`m_${member.name}`, value(member.type)]));
  }
}

for (const file of process.argv.slice(2)) {
  let answer;
  try {
    const type = JSON.parse(readFileSync(file, "utf8"));
    next = 0;
    const data = new ArrayBuffer(d.sizeOf(schema(type)));
    writeToArrayBuffer(data, schema(type), value(type));
    answer = { bytes: Buffer.from(data).toString("hex") };
  } catch (error) {
    answer = { error: String(error.message ?? error).split("\n")[0] };
  }
  console.log(JSON.stringify({ file, answer }));
}
