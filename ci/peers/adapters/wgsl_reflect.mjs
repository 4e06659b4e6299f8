// What wgsl_reflect says about the block of each WGSL file: one line of JSON per file.
import { readFileSync } from "node:fs";
// The main file of 1.6.0 is CommonJS under "type": "module", which Node.js refuses.
import { WgslReflect } from "wgsl_reflect/wgsl_reflect.module.js";

function walk(type, path, base, numbers) {
  if (type.isArray) {
    numbers.array_strides[path] = type.stride;
    walk(type.format, path + "[]", base, numbers);
  } else if (type.isStruct) {
    for (const member of type.members) {
      numbers.offsets[`${path}.${member.name}`] = base + member.offset;
      walk(member.type, `${path}.${member.name}`, base + member.offset, numbers);
    }
  }
}

for (const file of process.argv.slice(2)) {
  let answer;
  try {
    const reflection = new WgslReflect(readFileSync(file, "utf8"));
    const [root] = [...reflection.uniforms, ...reflection.storage];
    const numbers = { offsets: {}, array_strides: {}, sizes: { root: root.size } };
    walk(root.type, "root", 0, numbers);
    answer = numbers;
  } catch (error) {
    answer = { error: String(error.message ?? error).split("\n")[0] };
  }
  console.log(JSON.stringify({ file, answer }));
}
