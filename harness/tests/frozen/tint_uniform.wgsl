// Compiled to tint_uniform.spv by Tint of Dawn for Node 0.6.2, with clamped indices as browsers have them:
// runners/compilers/dawn/tint.js without its `disable_robustness`.
struct Light { position: vec3<f32>, power: f32 }
struct S { a: f32, v: vec3<f32>, m: mat3x3<f32>, c: mat2x2<f32>, lights: array<Light, 2>, t: u32 }
@group(0) @binding(0) var<uniform> block: S;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> input: array<u32>;
@compute @workgroup_size(1)
fn read_uniform() {
    output[0] = input[0];
    output[1] = bitcast<u32>(block.a);
    output[2] = bitcast<u32>(block.v.y);
    output[3] = bitcast<u32>(block.m[1].z);
    output[4] = bitcast<u32>(block.c[1].x);
    output[5] = bitcast<u32>(block.lights[1].power);
    output[6] = block.t;
    let whole = block;
    output[7] = bitcast<u32>(whole.a);
    output[8] = bitcast<u32>(whole.v.y);
    output[9] = bitcast<u32>(whole.m[1].z);
    output[10] = bitcast<u32>(whole.c[1].x);
    output[11] = bitcast<u32>(whole.lights[1].power);
    output[12] = whole.t;
}
