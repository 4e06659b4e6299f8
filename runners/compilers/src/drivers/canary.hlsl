struct S { float3 a; float b; };
cbuffer C { float a; float3 b; float2x3 m; float2 n[2]; S s; float4 z; };
RWStructuredBuffer<S> canary;
[numthreads(1, 1, 1)] void main() {
    canary[0].a = b + m[1] + s.a;
    canary[1].b = a + n[1].y + s.b + z.w;
}
