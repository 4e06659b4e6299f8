// A call with a struct: the ray generation fills it from the input, the callee writes what it reads to the output and fills it
// again, and the ray generation writes what comes back. A task shader fills the same struct, and its mesh shader writes it.

struct Item { float2 uv; uint id; };
struct Payload { float3 place; uint kind; float2x3 m; Item items[2]; float weights[3]; };

[[vk::binding(1, 0)]] RWByteAddressBuffer output;
[[vk::binding(2, 0)]] ByteAddressBuffer input;

void fill(inout Payload p, uint at)
{
    p.place = asfloat(input.Load3(at));
    p.kind = input.Load(at + 12);
    p.m[0] = asfloat(input.Load3(at + 16));
    p.m[1] = asfloat(input.Load3(at + 28));
    p.items[0].uv = asfloat(input.Load2(at + 40));
    p.items[0].id = input.Load(at + 48);
    p.items[1].uv = asfloat(input.Load2(at + 52));
    p.items[1].id = input.Load(at + 60);
    p.weights[0] = asfloat(input.Load(at + 64));
    p.weights[1] = asfloat(input.Load(at + 68));
    p.weights[2] = asfloat(input.Load(at + 72));
}

void write(Payload p, uint at)
{
    output.Store3(at, asuint(p.place));
    output.Store(at + 12, p.kind);
    output.Store3(at + 16, asuint(p.m[0]));
    output.Store3(at + 28, asuint(p.m[1]));
    output.Store2(at + 40, asuint(p.items[0].uv));
    output.Store(at + 48, p.items[0].id);
    output.Store2(at + 52, asuint(p.items[1].uv));
    output.Store(at + 60, p.items[1].id);
    output.Store(at + 64, asuint(p.weights[0]));
    output.Store(at + 68, asuint(p.weights[1]));
    output.Store(at + 72, asuint(p.weights[2]));
}

#if defined(TASK)
groupshared Payload passed;

[numthreads(1, 1, 1)]
void main()
{
    fill(passed, 0);
    DispatchMesh(1, 1, 1, passed);
}
#elif defined(MESH)
struct Vertex { float4 place : SV_Position; };

[numthreads(1, 1, 1)] [outputtopology("triangle")]
void main(in payload Payload p, out vertices Vertex vertices[3], out indices uint3 triangles[1])
{
    SetMeshOutputCounts(0, 0);
    write(p, 0);
}
#elif defined(CALLER)
[shader("raygeneration")]
void main()
{
    Payload p;
    fill(p, 0);
    CallShader(2, p);
    write(p, 76);
}
#elif defined(CALLABLE)
[shader("callable")]
void main(inout Payload p)
{
    write(p, 0);
    fill(p, 76);
}
#elif defined(MISS)
[shader("miss")]
void main(inout Payload p)
{
    write(p, 0);
    fill(p, 76);
}
#else
[shader("closesthit")]
void main(inout Payload p, in BuiltInTriangleIntersectionAttributes hit)
{
    write(p, 0);
    fill(p, 76);
}
#endif
