cbuffer S : register(b3, space2) { float3 a; float b[2]; float c; double d; min16float e; bool on; };
struct L { float3 p; float16_t h; };
StructuredBuffer<L> l : register(t4);
ByteAddressBuffer given : register(t7);
RWByteAddressBuffer told : register(u1);
[numthreads(1, 1, 1)] void probe() {
    told.Store(0, asuint(a.z));
    told.Store(4, asuint(c));
    uint low, high; asuint(d, low, high);
    told.Store(8, high);
    told.Store(12, (uint)asuint16((float16_t)e));
    told.Store(16, (uint)on);
    told.Store(20, asuint(l[2].p.y));
    told.Store(24, (uint)asuint16(l[1].h));
    told.Store(28, asuint(b[given.Load(4)]));
    told.Store(32, asuint(a[given.Load(4)]));
}
