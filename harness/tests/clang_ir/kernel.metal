#include <metal_stdlib>
using namespace metal;
struct I { float p; float3 q; };
struct B { float a; I i[2]; packed_float3 n; float z; };
struct O { uint w[1]; };
kernel void read_x(constant B& b [[buffer(2)]], device O& o [[buffer(1)]]) { o.w[0] = as_type<uint>(b.i[1].q.y); o.w[1] = as_type<uint>(b.z); }
