cbuffer S : register(b3, space2) { float3 a; float b[4]; uint n; };
ByteAddressBuffer given : register(t7);
RWByteAddressBuffer told : register(u1);

[numthreads(1, 1, 1)]
void probe() {
    uint at = given.Load(4);
    float chosen[2] = { a.y, b[at] };
    [branch] if (at > 0) told.Store(0, asuint(b[at])); else told.Store(0, asuint(a.z));
    uint sum = 0;
    [loop] for (uint i = 0; i < 3 + at; ++i) sum += asuint(b[i & 3]);
    told.Store(4, sum);
    switch (at) { case 0: told.Store(8, asuint(a.x)); break; case 1: told.Store(8, asuint(b[1])); break; default: told.Store(8, 7); }
    told.Store(12, asuint(chosen[at]));
}
