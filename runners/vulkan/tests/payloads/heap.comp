#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_scalar_block_layout : require
// Reads structs of a descriptor heap: by std140 at number 3, by scalar rules at 9, and the second element of a list at 6.
// Writes their numbers, in order, to the buffer at 12.

layout(local_size_x = 1) in;

struct Light { vec3 place; float range; vec2 cone; };
struct Tint { float scale; float weights[3]; vec3 colour; mat2x3 m; Light lights[2]; float last; };

layout(descriptor_heap, std140) uniform Loose { Tint it; } loose[];
layout(descriptor_heap, scalar) uniform Tight { Tint it; } tight[];
layout(descriptor_heap, std430) readonly buffer List { Tint items[]; } lists[];
layout(descriptor_heap) writeonly buffer Output { float to[]; } outputs[];

void write(uint at, Tint t)
{
    outputs[12].to[at] = t.scale;
    for (uint i = 0; i < 3; i++) {
        outputs[12].to[at + 1 + i] = t.weights[i];
        outputs[12].to[at + 4 + i] = t.colour[i];
        outputs[12].to[at + 7 + i] = t.m[0][i];
        outputs[12].to[at + 10 + i] = t.m[1][i];
        outputs[12].to[at + 13 + i] = t.lights[0].place[i];
        outputs[12].to[at + 19 + i] = t.lights[1].place[i];
    }
    for (uint i = 0; i < 2; i++) {
        outputs[12].to[at + 16 + 6 * i] = t.lights[i].range;
        outputs[12].to[at + 17 + 6 * i] = t.lights[i].cone.x;
        outputs[12].to[at + 18 + 6 * i] = t.lights[i].cone.y;
    }
    outputs[12].to[at + 25] = t.last;
}

void main()
{
    write(0, loose[3].it);
    write(26, tight[9].it);
    write(52, lists[6].items[1]);
}
