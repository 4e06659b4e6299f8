// The stages of two draws: `place` with `pixel`, which writes, and `vertex`, which writes, with `nothing`. DXC 1.7.2308 made
// place.dxil, vertex.dxil, pixel.dxil and nothing.dxil.
cbuffer Constants : register(b3, space2)
{
    uint4 constants;
};
RWByteAddressBuffer output : register(u7, space9);

float4 place() : SV_Position
{
    return float4(0, 0, 0, 1);
}

float4 vertex() : SV_Position
{
    output.Store(0, constants.y);
    return float4(0, 0, 0, 1);
}

void pixel()
{
    output.Store(4, constants.z);
}

void nothing()
{
}
