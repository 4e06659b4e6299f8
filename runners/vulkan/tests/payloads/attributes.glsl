#version 460
#extension GL_EXT_ray_tracing : require
// As attributes.hlsl. A ray needs the address of a scene, which the push constants hold.

struct Attributes { vec3 place; uint kind; vec2 uv; float weights[2]; };

layout(set = 0, binding = 1) writeonly buffer Output { uint to[]; };
layout(set = 0, binding = 2) readonly buffer Input { uint from[]; };

#if defined(RAY)
layout(location = 0) rayPayloadEXT uint nothing;
layout(push_constant) uniform Scene { uvec2 address; };

void main()
{
    traceRayEXT(accelerationStructureEXT(address), 0, 2, 1, 0, 0, vec3(0), 0.0, vec3(0, 0, 1), 10.0, 0);
}
#elif defined(REPORT)
hitAttributeEXT Attributes a;

float number(uint at) { return uintBitsToFloat(from[at]); }

void main()
{
    a.place = vec3(number(0), number(1), number(2));
    a.kind = from[3];
    a.uv = vec2(number(4), number(5));
    a.weights[0] = number(6);
    a.weights[1] = number(7);
    reportIntersectionEXT(1.5, 0);
}
#else
layout(location = 0) rayPayloadInEXT uint nothing;
hitAttributeEXT Attributes a;

void main()
{
    for (uint i = 0; i < 3; i++) to[i] = floatBitsToUint(a.place[i]);
    to[3] = a.kind;
    to[4] = floatBitsToUint(a.uv.x);
    to[5] = floatBitsToUint(a.uv.y);
    for (uint i = 0; i < 2; i++) to[6 + i] = floatBitsToUint(a.weights[i]);
}
#endif
