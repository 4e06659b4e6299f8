// Blocks that the structs in namespace `right` of engine.h fill.
cbuffer per_frame { float4x4 viewProj; float3 eye; float time; float2 jitter; uint frame; int mode; };

cbuffer Camera { float4 camPosNear; float4 color; float exposure; float gamma; };

struct Light { float3 position; float radius; float3 color; };
cbuffer LightData { Light lights[4]; uint _pad; uint count; };

// layoutproof: host=right::Options
cbuffer cbOptions { bool enabled; uint mode; uint2 handle; float4 weights[4]; float4 planes[3]; };

struct Particle { float3 position; float life; uint color; float16_t2 uv; };
StructuredBuffer<Particle> particles;

cbuffer Shadow { float3 direction; };

cbuffer Bones { float4 bones[12]; };
