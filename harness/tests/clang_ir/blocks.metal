#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

struct O
{
    uint n;
    float3 v[4];
    float last[1];
};

struct T
{
    packed_float3 p;
    float w;
    float2 uv;
};

struct S
{
    float a;
    float4 b[3];
    packed_float3 c;
    float d;
    float4x3 m;
    T t[2];
    char _m6_pad[16];
    float2x4 k;
    uint e;
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(1u);

kernel void main0(constant S& s [[buffer(0)]], device O& o [[buffer(1)]])
{
    o.v[0] = ((float3(s.c) * s.a) + float3(s.t[1].p)) + float4(s.m[0][0], s.m[1][0], s.m[2][0], s.m[3][0]).xyz;
    o.last[2] = ((s.d + s.k[1].x) + float(s.e != 0u)) + s.b[1].x;
}

