#version 460
// Outputs that two buffers take: every member has a number of its own.

layout(xfb_buffer = 0, xfb_stride = 64) out;
layout(xfb_buffer = 1, xfb_stride = 80) out;

layout(location = 0, xfb_buffer = 0, xfb_offset = 4) out vec3 place;
layout(location = 1, xfb_buffer = 0, xfb_offset = 20) out float weights[3];
layout(location = 4, xfb_buffer = 0, xfb_offset = 36) out mat2x3 m;
layout(location = 6, xfb_buffer = 1, xfb_offset = 8) out Light { vec2 cone; layout(xfb_offset = 24) float ranges[2]; vec4 colour; } light;
layout(location = 10) out vec3 not_captured;

void main()
{
    gl_Position = vec4(0, 0, 0, 1);
    gl_PointSize = 1;
    place = vec3(1, 2, 3);
    for (int i = 0; i < 3; i++) weights[i] = 4 + i;
    m = mat2x3(7, 8, 9, 10, 11, 12);
    light.cone = vec2(13, 14);
    for (int i = 0; i < 2; i++) light.ranges[i] = 15 + i;
    light.colour = vec4(17, 18, 19, 20);
    not_captured = vec3(21);
}
