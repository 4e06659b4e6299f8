// Structs of an engine: those in `right` fill the blocks of right.hlsl, those in `wrong` have one mistake each.
#pragma once
#include <cstdint>

struct Vec2 { float x, y; };
struct Vec3 { float x, y, z; };
struct Vec4 { float x, y, z, w; };
struct Mat3 { float m[9]; };
struct Mat4 { Vec4 columns[4]; };

template <typename T, int N> struct Array { T values[N]; };

struct FrameBase { Mat4 viewProj; };

namespace right {

struct PerFrame : FrameBase {
    Vec3 m_eye;
    float m_time;
    Vec2 m_jitter;
    uint32_t m_frame;
    int32_t m_mode;
};

struct CameraCB {
    Vec3 position;
    float nearPlane;
    union {
        Vec4 color;
        float components[4];
    };
    struct { float exposure; float gamma; };
};

struct alignas(16) Light {
    Vec3 position;
    float radius;
    Vec3 color;
    bool pad;
};

struct LightData {
    Light lights[4];
    uint32_t count;
};

enum class Mode : uint32_t { Off, On };

struct Options {
    uint32_t enabled;
    Mode mode;
    uint64_t handle;
    float weights[16];
    Array<Vec4, 3> planes;
};

struct Particle {
    Vec3 position;
    float life;
    uint8_t color[4];
    uint16_t uv[2];
};

struct ShadowConstants {
    alignas(16) Vec3 direction;
    alignas(16) Vec3 normalRows[2];
};

struct BonesData { Vec4 bones[12]; char tail[40]; };

} // namespace right

namespace wrong {

// 1: a vector of three that takes 16 bytes, behind which the shader packs a number.
struct PackedBehind { alignas(16) Vec3 eye; alignas(16) float t; Vec4 c; };
// 2: numbers of an array, one in each register.
struct ArrayStride { Vec3 probes[4]; };
// 3: a bool of one byte.
struct BoolSize { bool on; float t; };
// 4: a matrix of three vectors.
struct MatrixStride { Mat3 normal; };
// 5: a double that is not aligned.
#pragma pack(push, 4)
struct DoubleAlign { float a; float b; float c; double d; };
#pragma pack(pop)
// 6: half and float.
struct HalfSize { Vec2 uv; float t; };
// 7: padding that is missing at the end of an element.
struct TailPadding { Vec3 a; float b; Vec3 c; };
// 8: swapped members.
struct Swapped { Mat4 m_proj; Mat4 m_view; };
// 9: whole numbers and floats.
struct ClassDiffers { float count; float t; };
// 10: counts of arrays.
struct ArrayCount { Vec4 lights[4]; };
// 11: bit-fields.
struct BitField { uint32_t flags : 8; uint32_t layer : 8; float t; };
// 12: an enum of one byte.
enum class Small : uint8_t { A, B };
struct EnumSize { Small mode; float t; };
// 13: a nested struct that begins a register.
struct Fog { float density; float start; };
struct NestedAlign { float t; Fog fog; };
// 14: a vector that the shader does not let straddle a register.
struct Straddle { Vec2 jitter; Vec3 sunDir; float exposure; };

} // namespace wrong
