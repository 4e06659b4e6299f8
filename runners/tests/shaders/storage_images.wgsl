// Reads a storage image, and writes a texel of another.
@group(0) @binding(0) var input: texture_storage_2d<rgba32uint, read>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding(2) var written: texture_storage_2d<rgba32float, write>;

@compute @workgroup_size(1)
fn main() {
    output[0] = textureLoad(input, vec2(0, 0));
    textureStore(written, vec2(0, 0), vec4(1.0));
    output[1] = vec4(textureDimensions(input), textureDimensions(written));
}
