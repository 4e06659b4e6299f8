#version 460
#if defined(TASK) || defined(MESH)
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 1) in;
#else
#extension GL_EXT_ray_tracing : require
#endif
// As payload.hlsl. A ray needs the address of a scene, which the push constants hold.

struct Item { vec2 uv; uint id; };
struct Payload { vec3 place; uint kind; mat2x3 m; Item items[2]; float weights[3]; };

layout(set = 0, binding = 1) writeonly buffer Output { uint to[]; };
layout(set = 0, binding = 2) readonly buffer Input { uint from[]; };

#if defined(TASK)
taskPayloadSharedEXT Payload p;
#elif defined(MESH)
layout(triangles, max_vertices = 3, max_primitives = 1) out;
taskPayloadSharedEXT Payload p;
#elif defined(CALLER)
layout(location = 0) callableDataEXT Payload p;
#elif defined(MISS_CALLER) || defined(HIT_CALLER)
layout(location = 0) rayPayloadEXT Payload p;
layout(push_constant) uniform Scene { uvec2 address; };
#elif defined(CALLABLE)
layout(location = 0) callableDataInEXT Payload p;
#else
layout(location = 0) rayPayloadInEXT Payload p;
#endif

float number(uint at) { return uintBitsToFloat(from[at]); }

#if !defined(MESH)
void fill(uint at)
{
    p.place = vec3(number(at), number(at + 1), number(at + 2));
    p.kind = from[at + 3];
    p.m[0] = vec3(number(at + 4), number(at + 5), number(at + 6));
    p.m[1] = vec3(number(at + 7), number(at + 8), number(at + 9));
    p.items[0].uv = vec2(number(at + 10), number(at + 11));
    p.items[0].id = from[at + 12];
    p.items[1].uv = vec2(number(at + 13), number(at + 14));
    p.items[1].id = from[at + 15];
    for (uint i = 0; i < 3; i++) p.weights[i] = number(at + 16 + i);
}
#endif

void put(uint at, float value) { to[at] = floatBitsToUint(value); }

void write(uint at)
{
    for (uint i = 0; i < 3; i++) {
        put(at + i, p.place[i]);
        put(at + 4 + i, p.m[0][i]);
        put(at + 7 + i, p.m[1][i]);
        put(at + 16 + i, p.weights[i]);
    }
    to[at + 3] = p.kind;
    for (uint i = 0; i < 2; i++) {
        put(at + 10 + 3 * i, p.items[i].uv.x);
        put(at + 11 + 3 * i, p.items[i].uv.y);
        to[at + 12 + 3 * i] = p.items[i].id;
    }
}

void main()
{
#if defined(TASK)
    fill(0);
    EmitMeshTasksEXT(1, 1, 1);
#elif defined(MESH)
    SetMeshOutputsEXT(0, 0);
    write(0);
#elif defined(CALLER) || defined(MISS_CALLER) || defined(HIT_CALLER)
    fill(0);
#if defined(CALLER)
    executeCallableEXT(2, 0);
#elif defined(MISS_CALLER)
    traceRayEXT(accelerationStructureEXT(address), 0, 0, 0, 0, 2, vec3(0), 0.0, vec3(0, 0, 1), 10.0, 0);
#else
    traceRayEXT(accelerationStructureEXT(address), 1, 1, 1, 0, 0, vec3(0), 0.0, vec3(0, 0, 1), 10.0, 0);
#endif
    write(19);
#else
    write(0);
    fill(19);
#endif
}
