// Reads one word through each of three sets; set 2 is left out.
struct Block { word: vec4<u32> }

@group(0) @binding(7) var<storage, read_write> output: array<u32>;
@group(1) @binding(0) var<uniform> first: Block;
@group(1) @binding(4) var<uniform> second: Block;
@group(3) @binding(2) var<storage, read> third: array<u32>;

@compute @workgroup_size(1)
fn main() {
    output[0] = first.word.x;
    output[1] = second.word.x;
    output[2] = third[0];
}
