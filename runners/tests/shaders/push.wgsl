// Copies the push constants.
struct Pushed { first: vec4<u32>, second: vec4<u32> }

var<immediate> pushed: Pushed;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 4u; i++) {
        output[i] = pushed.first[i];
        output[4u + i] = pushed.second[i];
    }
}
