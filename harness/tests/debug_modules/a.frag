#version 450
layout(std140, binding = 0) uniform S { vec3 a; vec2 b[3]; float c; };
layout(location = 0) out vec4 o;
void main() { o = vec4(a, c) + b[1].xyxy; }
