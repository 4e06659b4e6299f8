// Writes its specialization constants.
@id(7) override seven: u32 = 70u;
@id(2) override two: u32 = 20u;
@id(5) override five: u32 = 50u;

@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(1)
fn main() {
    output[0] = seven;
    output[1] = two;
    output[2] = five;
}
