// Reads and writes chosen elements of arrays of buffers; the others are left alone.
enable wgpu_binding_array;

struct Words { words: array<u32> }

@group(0) @binding(0) var<storage, read_write> written: binding_array<Words, 4>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(1) @binding(3) var<storage, read> given: binding_array<Words, 3>;

@compute @workgroup_size(1)
fn main() {
    output[0] = given[0].words[0];
    output[1] = given[1].words[0];
    output[2] = given[2].words[0];
    written[3].words[0] = 3u;
    written[1].words[0] = 1u;
}
