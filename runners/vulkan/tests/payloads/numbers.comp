#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
// Reads a word of four buffers of a descriptor heap, whose numbers are in the buffer at binding 2. Writes the words to the buffer
// at binding 1.

layout(local_size_x = 1) in;

layout(descriptor_heap, std140) uniform Block { uint before; uint word; } blocks[];
layout(set = 0, binding = 1) writeonly buffer Output { uint to[]; };
layout(set = 0, binding = 2) readonly buffer Input { uint from[]; };

void main()
{
    for (uint i = 0; i < 4; i++) to[i] = blocks[from[i]].word;
}
