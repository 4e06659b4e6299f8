// What DXC takes: every scalar type, shape and kind of block of HLSL 2021, each once.
#pragma pack_matrix(column_major)

static const uint N = 2, M = N * 2 + 1;
enum Mode { Off, On = 5, Auto };
enum class Wide : uint64_t { X = 1ull << 3 };
typedef float3 Position;
using Corners = float2[4];

struct Empty {};

struct Base {
    float3 normal;
};

struct Light : Base {
    struct Falloff {
        float near;
        float far[N];
    } falloff;
    half intensity;
    Position at;
};

struct Packed {
    uint low : 3;
    uint middle : 10;
    uint high : 32;
    int after;
};

template<typename T, int K> struct Pair {
    T first;
    T rest[K];
};

cbuffer Scalars : register(b0, space1) {
    bool s_bool;
    int s_int;
    uint s_uint;
    dword s_dword;
    half s_half;
    float s_float;
    double s_double;
    min16float s_min16float;
    min16int s_min16int;
    min16uint s_min16uint;
    float16_t s_float16;
    float32_t s_float32;
    float64_t s_float64;
    int16_t s_int16;
    uint16_t s_uint16;
    int32_t s_int32;
    uint32_t s_uint32;
    int64_t s_int64;
    uint64_t s_uint64;
    unsigned int s_unsigned;
    Mode s_mode;
};

cbuffer Shapes : register(b1) {
    float1 v1;
    float2 v2;
    vector<float, 3> v3;
    vector v4;
    half3 h3;
    double2 d2;
    bool2 b2;
    float2x3 m23;
    matrix<float, 3, 2> m32;
    row_major float2x3 r23;
    column_major int4x2 c42;
    float1x4 m14;
    row_major float4x1 r41;
    float1x1 m11;
    matrix m44;
    Position grid[N][M];
    float after_grid;
    float3x3 ms[1 + N];
    half tail[(M - 1) / 2];
};

namespace Outer {
    namespace Inner {
        cbuffer Structs {
            float before;
            Light light;
            float between;
            Light lights[N];
            Empty nothing;
            Pair<half2, M - 2> pair;
            Packed packed;
            float2 last;
        };
    }
    cbuffer Structs {
        float other;
    };
}

cbuffer Placed : register(b2) {
    float4 first : packoffset(c2);
    float2 second : packoffset(c0.z);
    float third : packoffset(c0);
    float4x4 fourth : packoffset(c4);
};

tbuffer Table : register(t7) {
    float4 rows[8];
    float3 tail_of_table;
};

ConstantBuffer<Light> constant_buffer;
ConstantBuffer<Base> constant_buffers[3] : register(b4, space2);
TextureBuffer<Pair<half2, 3> > texture_buffer;
StructuredBuffer<float3> vectors;
RWStructuredBuffer<Light> lights_out : register(u1);
RWStructuredBuffer<Packed> unbounded_out[] : register(u0, space3);
AppendStructuredBuffer<Base> appended;
ConsumeStructuredBuffer<Base> consumed;
ByteAddressBuffer bytes;
RWByteAddressBuffer bytes_out;
Buffer<float4> typed;
RWBuffer<uint> typed_out;
Texture1D<float> t1;
Texture1DArray<float> t1_array;
Texture2D t2;
Texture2DArray<float3> t2_array;
Texture2DMS<float4, 4> t2_samples;
Texture2DMSArray<float4> t2_samples_array;
Texture3D<int4> t3;
TextureCube cube;
TextureCubeArray cube_array;
RWTexture1D<float> t1_out;
RWTexture2D<unorm float4> t2_out;
RWTexture3D<uint> t3_out;
SamplerState linear_sampler;
SamplerComparisonState shadow_sampler : register(s3);
RaytracingAccelerationStructure scene;
[[vk::binding(5, 1)]] Texture2D bound_in_vulkan;

float4 loose;
float loose_tail[N];
row_major float3x2 loose_matrix;

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    // Reading one member of a buffer makes DXC list all of them.
    float read = before + other + third + tail_of_table.x + loose.x + v1.x;
    read += constant_buffer.normal.x + constant_buffers[0].normal.x + texture_buffer.first.x + vectors[0].x;
    read += consumed.Consume().normal.x + s_float;
    Base base = (Base)read;
    appended.Append(base);
    lights_out[id.x] = (Light)read;
    unbounded_out[0][id.x].after = 1;
    typed_out[id.x] = read;
}
