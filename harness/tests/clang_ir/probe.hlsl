struct Pair { float a; half2 h; };
struct Light { float3 position; float range; };
cbuffer B : register(b3, space2) {
    float x;
    float3 v;
    float arr[3];
    Pair p;
    float3x2 m;
    bool on;
    double d;
};
StructuredBuffer<Light> lights : register(t4);
StructuredBuffer<uint> given : register(t7);
RWStructuredBuffer<uint> told : register(u1);

[shader("compute")]
[numthreads(1, 1, 1)]
void probe() {
    uint low, high;
    told[0] = asuint(v.z);
    told[1] = asuint(arr[given[1]]);
    told[2] = asuint16(p.h.y);
    told[3] = asuint(m[2][1]);
    told[4] = on ? 1u : 0u;
    asuint(d, low, high);
    told[5] = high;
    told[6] = asuint(lights[given[1]].range);
    Light copy = lights[1];
    told[7] = asuint(copy.position.y);
    if (given[0] == 0) told[8] = 7; else told[8] = 9;
}
