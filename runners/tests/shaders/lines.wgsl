// Loads the texel of a one-dimensional image.
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@group(1) @binding(4) var line: texture_1d<f32>;

@compute @workgroup_size(1)
fn main() {
    output[0] = bitcast<vec4<u32>>(textureLoad(line, 0, 0));
}
