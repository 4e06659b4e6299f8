// Copies a uniform block, and reports how long the bound storage ranges are.
struct Block { words: array<vec4<u32>, 4> }

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> input: array<u32>;

@compute @workgroup_size(1)
fn main() {
    output[0] = input[0];
    output[1] = arrayLength(&output);
    output[2] = arrayLength(&input);
    for (var i = 0u; i < 16u; i++) {
        output[3u + i] = block.words[i / 4u][i % 4u];
    }
}
