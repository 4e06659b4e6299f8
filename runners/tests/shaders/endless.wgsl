// Never ends, unless the first word of the input is 1.
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> input: array<u32>;

@compute @workgroup_size(1)
fn main() {
    loop {
        if input[0] == 1u { break; }
        output[0] = output[0] + 1u;
    }
}
