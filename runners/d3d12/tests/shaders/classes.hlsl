// One resource of each class, in spaces of their own. DXC 1.7.2308 and FXC 10.0.22621 made classes.dxil and classes.dxbc.
cbuffer Constants : register(b3, space2)
{
    uint4 constants;
};
ByteAddressBuffer raw : register(t1);
StructuredBuffer<uint3> structured : register(t1, space1);
RWByteAddressBuffer written : register(u1, space1);
RWByteAddressBuffer output : register(u7, space9);

[numthreads(1, 1, 1)]
void main(uint3 group : SV_GroupID)
{
    output.Store(32 * group.x, constants.x);
    output.Store(32 * group.x + 4, constants.w);
    output.Store(32 * group.x + 8, raw.Load(4));
    output.Store(32 * group.x + 12, structured[1].z);
    output.Store(32 * group.x + 16, written.Load(8));
    output.Store(32 * group.x + 20, group.x);
    written.Store(12, 0x600D);
}
