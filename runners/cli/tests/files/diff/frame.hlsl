struct Light { float3 position; float radius; float3x4 shadow; };
cbuffer Frame { float4x4 view; bool fog; float3 colour; row_major float2x3 uv; };
StructuredBuffer<Light> lights;
RWStructuredBuffer<float4> result;
RWByteAddressBuffer raw;
[numthreads(1, 1, 1)] void main() {
  result[0] = view[0][1] + lights[1].shadow[2] + uv[0][1] + (fog ? colour.x : lights[2].radius);
  raw.Store(0, 1u);
}
