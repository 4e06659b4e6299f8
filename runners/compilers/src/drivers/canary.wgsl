struct S { a: vec3f, b: f32 };
struct C { a: f32, b: vec3f, m: mat2x3f, s: S, z: vec4f };
@group(0) @binding(0) var<uniform> c: C;
@group(0) @binding(1) var<storage, read_write> canary: array<S, 2>;
@compute @workgroup_size(1) fn main() {
    canary[0].a = c.b + c.m[1] + c.s.a;
    canary[1].b = c.a + c.s.b + c.z.w;
}
