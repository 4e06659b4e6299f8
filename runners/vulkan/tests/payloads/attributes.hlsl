// A hit of a box: the intersection stage fills a struct from the input and reports it, and the closest-hit stage writes what it
// reads to the output.

struct Attributes { float3 place; uint kind; float2 uv; float weights[2]; };
struct Payload { uint nothing; };

[[vk::binding(1, 0)]] RWByteAddressBuffer output;
[[vk::binding(2, 0)]] ByteAddressBuffer input;

#if defined(REPORT)
[shader("intersection")]
void main()
{
    Attributes a;
    a.place = asfloat(input.Load3(0));
    a.kind = input.Load(12);
    a.uv = asfloat(input.Load2(16));
    a.weights[0] = asfloat(input.Load(24));
    a.weights[1] = asfloat(input.Load(28));
    ReportHit(1.5, 0, a);
}
#else
[shader("closesthit")]
void main(inout Payload payload, in Attributes a)
{
    output.Store3(0, asuint(a.place));
    output.Store(12, a.kind);
    output.Store2(16, asuint(a.uv));
    output.Store(24, asuint(a.weights[0]));
    output.Store(28, asuint(a.weights[1]));
}
#endif
