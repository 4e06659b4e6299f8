#!/usr/bin/env bash
# TypeGPU makes vertex layouts that no WebGPU device accepts.
#
# Package:  npm typegpu 0.12.5, tgpu.vertexLayout.
# Guess:    A vertex layout is typed so that it fits WebGPU: the stride is a multiple of 4 and each offset a multiple of
#           the smaller of 4 and the size of the format (WebGPU, "validating GPUVertexBufferLayout"). For a two-byte colour before
#           three floats in an unstruct that is 0, 4 and a stride of 16, or an error.
# Measured: unstruct packs without gaps, and vertexLayout hands this on without a message: offsets 0 and 2, stride 14. With a
#           single byte in front the floats are at 1. wgpu-py 0.32.0 refuses such layouts when a pipeline is made ("Vertex buffer 0
#           stride 22 does not respect VERTEX_ALIGNMENT"). d.align(4, ...) on the members mends it.
# Matters:  A type system that computes a layout does not have to know where the layout is used.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
command -v node npm >/dev/null || skip "Node.js and npm are missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts typegpu@0.12.5 >npm.log 2>&1 || skip "npm cannot install typegpu 0.12.5"

cat >run.mjs <<'END'
import tgpu, {d} from 'typegpu';
const show = (name, members) => {
  const {stride, attrib} = tgpu.vertexLayout(count => d.disarrayOf(d.unstruct(members), count));
  const refused = Object.values(attrib).filter(({format, offset}) => offset % (format === 'unorm8' ? 1 : format === 'unorm8x2' ? 2 : 4));
  console.log(name, 'offsets', ...Object.values(attrib).map(({offset}) => offset), 'stride', stride,
              refused.length || stride % 4 ? 'refused' : 'valid');
};
show('two bytes:', {color: d.unorm8x2, position: d.float32x3});
show('one byte:', {color: d.unorm8, position: d.float32x3});
show('aligned:', {color: d.unorm8x2, position: d.align(4, d.float32x3)});
END
measured=$(node run.mjs)
expected='two bytes: offsets 0 2 stride 14 refused
one byte: offsets 0 1 stride 13 refused
aligned: offsets 0 4 stride 16 valid'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: typegpu makes other vertex layouts now" >&2; exit 1; }
echo "$measured"
