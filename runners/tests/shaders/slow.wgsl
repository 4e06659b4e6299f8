// Counts to the first word of the input.
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> input: array<u32>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < input[0]; i++) {
        output[0] = output[0] + 1u;
    }
}
