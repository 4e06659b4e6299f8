#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
// Loads a tile by rows from element 3, 11 apart, and stores it by columns from element 5, 13 apart.

layout(local_size_x = 8) in;

layout(set = 0, binding = 1) buffer Output { float to[]; };
layout(set = 0, binding = 2) readonly buffer Input { float from[]; };

void main()
{
    coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> tile;
    coopMatLoad(tile, from, 3, 11, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(tile, to, 5, 13, gl_CooperativeMatrixLayoutColumnMajor);
}
