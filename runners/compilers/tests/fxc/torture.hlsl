// Packing of constant buffers where it surprises. SPACE is empty in a 5.0 profile.
struct Inner { float2 p; float3 q[2]; double d; row_major float3x2 m; uint flag; };

cbuffer C : register(b3 SPACE)
{
    float a;
    float2 c[3];
    float tail;
    row_major float3x2 rm;
    float next;
    column_major float2x3 cm;
    int after;
    Inner s;
    float behind;
    Inner arr[2];
    float last;
    double dd;
    float2x2 ms[2];
    float z;
    min16float mf;
    float end;
};

cbuffer P : register(b1)
{
    float4 pa : packoffset(c1);
    float pb : packoffset(c0.y);
    uint2 pc : packoffset(c2.z);
};

struct Element { float3 p; float2x2 m; uint2 e[3]; };
RWStructuredBuffer<Element> elements : register(u4);

StructuredBuffer<Element> fixed_elements : register(t5);

tbuffer T : register(t2)
{
    float ta;
    float3 tb[2];
    column_major float2x3 tm;
    uint tc;
    double td;
};

RWByteAddressBuffer layoutproof_output : register(u0);
RWByteAddressBuffer layoutproof_input : register(u1);

uint low(double value)
{
    uint low, high;
    asuint(value, low, high);
    return low;
}

uint high(double value)
{
    uint low, high;
    asuint(value, low, high);
    return high;
}
