struct Inner { float a; float2 b; };
struct Frame { float x; Inner inner[2]; float3 v; };
ConstantBuffer<Frame> frame : register(b3, space2);
StructuredBuffer<uint> given : register(t7);
RWStructuredBuffer<uint> told : register(u1);

[shader("compute")]
[numthreads(1, 1, 1)]
void probe() {
    told[0] = asuint(frame.inner[given[1]].b.y);
    told[1] = asuint(frame.v.z);
    Frame copy = frame;
    told[2] = asuint(copy.inner[0].a);
}
