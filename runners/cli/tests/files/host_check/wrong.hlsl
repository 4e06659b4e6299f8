// Blocks that the structs in namespace `wrong` of engine.h do not fill.
cbuffer PackedBehind { float3 eye; float t; float4 c; };
cbuffer ArrayStride { float3 probes[4]; };
cbuffer BoolSize { bool on; float t; };
cbuffer MatrixStride { float3x3 normal; };
struct DoubleAlign { float a; float b; float c; double d; };
StructuredBuffer<DoubleAlign> doubles;
struct HalfSize { float16_t2 uv; float t; };
StructuredBuffer<HalfSize> halves;
struct TailPadding { float3 a; float b; float3 c; float _pad; };
StructuredBuffer<TailPadding> tails;
cbuffer Swapped { float4x4 view; float4x4 proj; };
cbuffer ClassDiffers { int count; float t; };
cbuffer ArrayCount { float4 lights[8]; };
cbuffer BitField { uint flags; float t; };
cbuffer EnumSize { uint mode; float t; };
struct Fog { float density; float start; };
cbuffer NestedAlign { float t; Fog fog; };
cbuffer Straddle { float2 jitter; float3 sunDir; float exposure; };
