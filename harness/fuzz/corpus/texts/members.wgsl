enable f16;
struct Light { @align(16) position: vec3<f32>, @size(32) colour: vec3<f32>, kind: u32, }
struct Frame { world: mat4x3<f32>, lights: array<Light, 4>, half: f16, tail: vec2<u32>, }
alias Words = array<u32>;
@group(0) @binding(0) var<uniform> frame: Frame;
@group(1) @binding(2) var<storage, read> words: Words;
@group(1) @binding(3) var<storage, read_write> out: array<vec4<f32>>;
const count = 1 + 2 * 3;
@compute @workgroup_size(count, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < 4u && words[id.x] > 7u { out[id.x] = vec4<f32>(frame.lights[id.x].position, 1.0); } else { out[0].x = 2.0; }
    loop { break; }
}
