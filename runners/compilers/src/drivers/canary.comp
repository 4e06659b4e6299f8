#version 450
struct S { vec3 a; float b; };
layout(std140, binding = 0) uniform C { float a; vec3 b; mat2x3 m; vec2 n[2]; S s; vec4 z; };
layout(std430, binding = 1) buffer B { S canary[2]; };
void main() {
    canary[0].a = b + m[1] + s.a;
    canary[1].b = a + n[1].y + s.b + z.w;
}
