struct Vertex { float3 pos : POSITION; float2 uv : TEXCOORD0; uint id : SV_VertexID; float4x2 turn : TURN; };
struct Output { float4 p : SV_Position; float2 uv : TEXCOORD0; nointerpolation uint k : KIND; float c : SV_ClipDistance; };
cbuffer C : register(b2, space1) { float4x4 vp; };
Texture2D<float4> tex[3] : register(t4);
SamplerState smp : register(s1);
Buffer<float> buf;
RWStructuredBuffer<float4> rw : register(u3, space2);
ByteAddressBuffer bab[] : register(t0, space7);
Texture2D unused : register(t9);

Output main(Vertex v)
{
    Output o;
    o.p = mul(vp, float4(v.pos, 1)) + tex[1].SampleLevel(smp, v.uv, 0) + buf[2] + mul(rw[0], v.turn).x + bab[v.id].Load(0);
    o.uv = v.uv;
    o.k = v.id;
    o.c = 0;
    return o;
}
