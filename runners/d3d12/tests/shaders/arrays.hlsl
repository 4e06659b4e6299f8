// Arrays, one without end, typed buffers, and an array of constant buffers. DXC 1.7.2308 and FXC 10.0.22621 made arrays.dxil
// and arrays.dxbc.
struct Words
{
    uint4 words;
};
ConstantBuffer<Words> constants[2] : register(b4, space6);
ByteAddressBuffer endless[] : register(t2, space5);
StructuredBuffer<uint3> structured[3] : register(t0, space6);
Buffer<uint4> typed : register(t9);
RWBuffer<uint4> written : register(u1);
RWByteAddressBuffer output : register(u0);

[numthreads(1, 1, 1)]
void main()
{
    output.Store(0, constants[0].words.x);
    output.Store(4, constants[1].words.y);
    output.Store(8, endless[0].Load(0));
    output.Store(12, endless[3].Load(4));
    output.Store(16, structured[0][0].x);
    output.Store(20, structured[2][1].y);
    output.Store(24, typed[0].z);
    uint size;
    uint stride;
    structured[2].GetDimensions(size, stride);
    output.Store(28, size);
    written[0] = uint4(1, 2, 3, 4);
}
