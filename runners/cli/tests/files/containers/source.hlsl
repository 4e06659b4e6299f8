struct Light { float3 pos; float intensity; uint2 id; };
struct Inner { float2 uv; float3 n[2]; };
struct Outer { float a; Inner inner[2]; row_major float3x4 rm; column_major float3x4 cm; bool on; double dd; };

cbuffer Frame : register(b1)
{
    float4x4 viewProj;
    row_major float4x3 rm;
    column_major float4x3 cm;
    float3 sun;
    float weights[2];
    float exposure;
    Light lights[2];
    float2 grid[2][3];
    row_major float3x3 mats[2];
    bool flag;
    double dbl;
    uint64_t u64;
    half h;
    min16float mf;
    min16int2 mi;
    float3x1 column;
    float tail;
};
ConstantBuffer<Outer> cb : register(b2);
ConstantBuffer<Light> many[3] : register(b5);
StructuredBuffer<Light> elements;
StructuredBuffer<Outer> outers;
tbuffer TB { float3 tb0; float tb1; };
RWByteAddressBuffer result;

[numthreads(1, 1, 1)]
void main()
{
    float s = viewProj[0][1] + rm[0][1] + cm[1][0] + sun.x + weights[1] + exposure + lights[1].intensity;
    s += grid[1][2].x + mats[1][0][0] + (flag ? 1 : 0) + (float)dbl + (float)u64 + h + mf + mi.x + column[0][0] + tail;
    s += cb.a + cb.inner[1].n[1].x + many[1].pos.x + elements[1].pos.x + (float)outers[2].dd + tb0.x;
    result.Store(0, asuint(s));
}
