// Copies the push constants.
struct Pushed { words: array<vec4<u32>, 2> }

var<immediate> pushed: Pushed;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 2u; i++) {
        let words = pushed.words[i];
        output[4u * i] = words.x;
        output[4u * i + 1u] = words.y;
        output[4u * i + 2u] = words.z;
        output[4u * i + 3u] = words.w;
    }
}
