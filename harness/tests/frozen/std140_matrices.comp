#version 450
// Compiled to std140_matrices.spv with glslang 12: glslangValidator -V std140_matrices.comp -o std140_matrices.spv
layout(local_size_x = 1) in;
struct Inner { vec3 p; float q; };
layout(std140, row_major, binding = 0) uniform S {
    vec3 a;
    float b[2];
    layout(column_major) mat2x3 c;
    mat2x3 r;
    Inner s[2];
    mat3x2 m[2];
} s;
layout(std430, binding = 1) buffer Output { uint words[]; } o;
layout(std430, binding = 2) readonly buffer Input { uint words[]; } i;

void main() {
    o.words[0] = i.words[0];
    Inner inner = s.s[1];
    mat2x3 r = s.r;
    o.words[1] = floatBitsToUint(s.a.z);
    o.words[2] = floatBitsToUint(s.b[1]);
    o.words[3] = floatBitsToUint(s.c[1][2]);
    o.words[4] = floatBitsToUint(s.r[1][2]);
    o.words[5] = floatBitsToUint(r[1].y);
    o.words[6] = floatBitsToUint(inner.q);
    o.words[7] = floatBitsToUint(s.m[1][2][1]);
}
