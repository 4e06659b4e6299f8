// Samples an image through samplers that see different mip levels.
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding(2) var second: sampler;
@group(0) @binding(3) var third: sampler;
@group(0) @binding(4) var first: sampler;

@compute @workgroup_size(1)
fn main() {
    output[0] = bitcast<vec4<u32>>(textureSampleLevel(image, first, vec2(0.5), 1.0));
    output[1] = bitcast<vec4<u32>>(textureSampleLevel(image, second, vec2(0.5), 0.0));
    output[2] = bitcast<vec4<u32>>(textureSampleLevel(image, third, vec2(0.5), 0.0));
}
