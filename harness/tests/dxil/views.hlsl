struct P { float a; double d; };
StructuredBuffer<P> s;
tbuffer T : register(t1) { float3 b; double c; };
RWStructuredBuffer<float2> r : register(u0, space1);
RWByteAddressBuffer o : register(u1);

[numthreads(1, 1, 1)]
void views()
{
    uint low, high;
    asuint(s[1].d, low, high);
    o.Store2(0, uint2(low, high));
    asuint(c, low, high);
    o.Store2(8, uint2(low, high));
    o.Store(16, asuint(b.z));
    o.Store(20, asuint(r[2].y));
}
