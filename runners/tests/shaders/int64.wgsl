// Adds in 64 bits, so that a device without 64-bit integers cannot run it.
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> input: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let sum = u64(input[0]) + u64(input[1]);
    output[0] = u32(sum >> 32u);
    output[1] = u32(sum & 0xfffffffflu);
}
