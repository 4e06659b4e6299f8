#version 450
#define COUNT 4
#define SQUARE(x) ((x) * (x))
struct Light { vec3 position; float range; mat3 basis; };
layout(std140, set = 0, binding = 0) uniform Frame { mat4 world; Light lights[COUNT]; vec4 weights[4]; } frame;
layout(std430, set = 0, binding = 1) buffer Words { uint count; mat2x3 m; vec2 items[]; } words;
layout(push_constant) uniform Push { vec4 tint; } push;
const uint n = 1u + 2u * 3u;
layout(local_size_x = 1) in;
void main() {
#if COUNT > 3
    if (push.tint.x > 2.0) { words.count = n; } else { words.count = uint(SQUARE(2)); }
#else
    words.count = 2u;
#endif
}
