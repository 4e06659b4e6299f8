// Samples a cube and an array of cubes, each through a sampler of its own.
@group(0) @binding(1) var<storage, read_write> output: array<vec4<u32>>;
@group(0) @binding(2) var second: sampler;
@group(0) @binding(4) var first: sampler;
@group(0) @binding(5) var cube: texture_cube<f32>;
@group(0) @binding(6) var cubes: texture_cube_array<f32>;

@compute @workgroup_size(1)
fn main() {
    output[0] = bitcast<vec4<u32>>(textureSampleLevel(cube, second, vec3(0.0, 0.0, -1.0), 0.0));
    output[1] = bitcast<vec4<u32>>(textureSampleLevel(cubes, first, vec3(0.0, 1.0, 0.0), 1, 1.0));
}
