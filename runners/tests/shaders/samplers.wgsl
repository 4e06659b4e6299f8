// Samples an image through samplers that see different mip levels, and cubes through one of them.
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding(2) var second: sampler;
@group(0) @binding(3) var third: sampler;
@group(0) @binding(4) var first: sampler;
@group(0) @binding(5) var cube: texture_cube<f32>;
@group(0) @binding(6) var cubes: texture_cube_array<f32>;

@compute @workgroup_size(1)
fn main() {
    output[0] = bitcast<vec4<u32>>(textureSampleLevel(image, first, vec2(0.5), 1.0));
    output[1] = bitcast<vec4<u32>>(textureSampleLevel(image, second, vec2(0.5), 0.0));
    output[2] = bitcast<vec4<u32>>(textureSampleLevel(image, third, vec2(0.5), 0.0));
    output[3] = bitcast<vec4<u32>>(textureSampleLevel(cube, second, vec3(0.0, 0.0, -1.0), 0.0));
    output[4] = bitcast<vec4<u32>>(textureSampleLevel(cubes, first, vec3(0.0, 1.0, 0.0), 0, 0.0));
}
