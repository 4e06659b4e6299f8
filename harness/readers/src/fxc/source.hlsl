struct Deep { int i; float2 f[2][3]; };
struct Element { float3 p; Deep deep[2]; row_major float2x2 m; };
struct Base { float b; };
struct Derived : Base { float3 d; };
cbuffer Values : register(b3, space2) { float a; float2 c[3]; float tail; Derived inherits; float4 big[2] = { float4(1, 2, 3, 4), float4(5, 6, 7, 8) }; min16uint2 mu; double dd; };
tbuffer T { float tt; float3 tu; };
int loose;
ConstantBuffer<Element> block : register(b9, space3);
ConstantBuffer<Base> many[] : register(b20, space7);
StructuredBuffer<double> scalars : register(t3);
RWStructuredBuffer<Element> elements : register(u2, space1);
RWByteAddressBuffer words : register(u7, space1000);
[numthreads(1, 1, 1)]
void main()
{
    uint low, high;
    asuint(scalars[1], low, high);
    words.Store(0, asuint(tail + inherits.d.y + big[1].y + mu.y + block.deep[1].f[1][2].y + many[3].b + tt + loose));
    words.Store(4, high);
    elements[2].deep[1].f[0][1] = c[1];
}
