// Loads a texel of each mip level of images of each kind of component and of most shapes.
@group(0) @binding(0) var floats: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding(2) var ints: texture_2d_array<i32>;
@group(1) @binding(0) var uints: texture_3d<u32>;

@compute @workgroup_size(1)
fn main() {
    output[0] = bitcast<vec4<u32>>(textureLoad(floats, vec2(0, 3), 0));
    output[1] = bitcast<vec4<u32>>(textureLoad(floats, vec2(1, 1), 1));
    output[2] = bitcast<vec4<u32>>(textureLoad(floats, vec2(0, 0), 2));
    output[3] = bitcast<vec4<u32>>(textureLoad(ints, vec2(0, 0), 1, 0));
    output[4] = textureLoad(uints, vec3(1, 1, 1), 0);
    output[5] = textureLoad(uints, vec3(0, 0, 0), 1);
    output[6] = vec4(textureNumLevels(floats), textureDimensions(floats, 0), textureNumLevels(uints));
}
