// Reads through every element of arrays of images and samplers.
enable wgpu_binding_array;

@group(0) @binding(0) var images: binding_array<texture_2d<f32>, 4>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding(2) var samplers: binding_array<sampler, 3>;

@compute @workgroup_size(1)
fn main() {
    output[0] = bitcast<vec4<u32>>(textureLoad(images[0], vec2(0, 0), 0));
    output[1] = bitcast<vec4<u32>>(textureLoad(images[1], vec2(0, 0), 0));
    output[2] = bitcast<vec4<u32>>(textureLoad(images[3], vec2(0, 0), 0));
    output[3] = bitcast<vec4<u32>>(textureSampleLevel(images[3], samplers[0], vec2(0.5), 0.0));
    output[4] = bitcast<vec4<u32>>(textureSampleLevel(images[3], samplers[1], vec2(0.5), 0.0));
    output[5] = bitcast<vec4<u32>>(textureSampleLevel(images[3], samplers[2], vec2(0.5), 0.0));
}
