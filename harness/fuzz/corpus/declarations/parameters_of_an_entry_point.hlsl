struct T { float4 a; float3 b; };
cbuffer S { T s; };
[shader("compute")] [numthreads(1, 1, 1)] void main(uniform float4 x, uniform float3 y) { }
