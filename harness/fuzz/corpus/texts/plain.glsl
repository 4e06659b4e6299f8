#version 450
layout(std430, binding = 0) buffer U { float l[2][3]; dvec3 d; ivec2 i; uint b; } u;
void main() { u.l[0][1] = 1.0; }
