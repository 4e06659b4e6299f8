// The types of the Metal Shading Language for Clang, as far as translated probes need them.
//
// Source: Metal Shading Language Specification, Version 3.2. A size or alignment that the specification states is a
// static assertion, so that Clang itself refuses a header that breaks it. Address spaces have no meaning here: Clang's
// layout of a type does not depend on them, and neither does Metal's.
#pragma once

// 5.1.3 "Kernel Functions", 4 "Address Spaces".
#define kernel
#define constant
#define device
#define thread
#define threadgroup
// 5.2.1 "Locating Buffer, Texture, and Sampler Arguments": the annotation survives in Clang's IR.
#define buffer(index) clang::annotate("buffer:" #index)
#define texture(index) clang::annotate("texture:" #index)
#define sampler(index) clang::annotate("sampler:" #index)
// 2.13 "Argument Buffers": so does the number of a member.
#define id(index) clang::annotate("id:" #index)
#define max_total_threads_per_threadgroup(count) gnu::used

namespace metal {
// 2.1 "Scalar Data Types", table 2.1.
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
typedef __SIZE_TYPE__ size_t;
typedef signed char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
static_assert(sizeof(bool) == 1 && sizeof(char) == 1 && sizeof(short) == 2 && sizeof(half) == 2);
static_assert(sizeof(int) == 4 && sizeof(float) == 4 && sizeof(long) == 8 && sizeof(size_t) == 8);

// 2.2 "Vector Data Types", table 2.3: a vector of three has the size and alignment of one of four.
#define VECTORS(T)                                       \
    typedef T T##2 __attribute__((ext_vector_type(2))); \
    typedef T T##3 __attribute__((ext_vector_type(3))); \
    typedef T T##4 __attribute__((ext_vector_type(4))); \
    static_assert(sizeof(T##2) == 2 * sizeof(T) && alignof(T##2) == 2 * sizeof(T)); \
    static_assert(sizeof(T##3) == 4 * sizeof(T) && alignof(T##3) == 4 * sizeof(T)); \
    static_assert(sizeof(T##4) == 4 * sizeof(T) && alignof(T##4) == 4 * sizeof(T));
VECTORS(char)
VECTORS(uchar)
VECTORS(short)
VECTORS(ushort)
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(half)
VECTORS(float)

// 2.2.2 "Vector Constructors", which Clang has in other languages alone: macros with the names of the types make them calls.
template <typename V, typename A>
inline V make(A all) {
    if constexpr (requires { __builtin_convertvector(all, V); }) return __builtin_convertvector(all, V);
    else return (V)all;
}
template <typename V, typename A, typename B, typename... Rest>
inline V make(A first, B second, Rest... rest) {
    return V{first, second, rest...};
}
#define CONSTRUCTORS(T)                                                                   \
    template <typename... As> inline T##2 make_##T##2(As... as) { return make<T##2>(as...); } \
    template <typename... As> inline T##3 make_##T##3(As... as) { return make<T##3>(as...); } \
    template <typename... As> inline T##4 make_##T##4(As... as) { return make<T##4>(as...); }
CONSTRUCTORS(char)
CONSTRUCTORS(uchar)
CONSTRUCTORS(short)
CONSTRUCTORS(ushort)
CONSTRUCTORS(int)
CONSTRUCTORS(uint)
CONSTRUCTORS(long)
CONSTRUCTORS(ulong)
CONSTRUCTORS(half)
CONSTRUCTORS(float)

// 2.2.3 "Packed Vector Types", table 2.4: the alignment of the component, and the size of all components.
template <typename T, int N>
struct packed_vector {
    typedef T V __attribute__((ext_vector_type(N)));
    T parts[N];
    packed_vector() = default;
    packed_vector(V all) {
        for (int at = 0; at < N; ++at) parts[at] = all[at];
    }
    operator V() const {
        V all;
        for (int at = 0; at < N; ++at) all[at] = parts[at];
        return all;
    }
    T &operator[](size_t at) { return parts[at]; }
    const T &operator[](size_t at) const { return parts[at]; }
};
#define PACKED(T)                            \
    typedef packed_vector<T, 2> packed_##T##2; \
    typedef packed_vector<T, 3> packed_##T##3; \
    typedef packed_vector<T, 4> packed_##T##4; \
    static_assert(sizeof(packed_##T##3) == 3 * sizeof(T) && alignof(packed_##T##3) == sizeof(T));
PACKED(char)
PACKED(uchar)
PACKED(short)
PACKED(ushort)
PACKED(int)
PACKED(uint)
PACKED(long)
PACKED(ulong)
PACKED(half)
PACKED(float)

// 2.3 "Matrix Data Types", table 2.5: columns, each with the size and alignment of a vector. `floatCxR` has C columns.
template <typename T, int C, int R>
struct matrix {
    typedef T V __attribute__((ext_vector_type(R)));
    V columns[C];
    matrix() = default;
    template <typename... Vs>
    explicit matrix(V first, Vs... others) : columns{first, V(others)...} {}
    V &operator[](size_t at) { return columns[at]; }
    const V &operator[](size_t at) const { return columns[at]; }
};
#define MATRICES_OF(T, C) \
    typedef matrix<T, C, 2> T##C##x2; \
    typedef matrix<T, C, 3> T##C##x3; \
    typedef matrix<T, C, 4> T##C##x4; \
    static_assert(sizeof(T##C##x2) == C * sizeof(T##2) && alignof(T##C##x2) == alignof(T##2)); \
    static_assert(sizeof(T##C##x3) == C * sizeof(T##3) && alignof(T##C##x3) == alignof(T##3)); \
    static_assert(sizeof(T##C##x4) == C * sizeof(T##4) && alignof(T##C##x4) == alignof(T##4));
#define MATRICES(T) MATRICES_OF(T, 2) MATRICES_OF(T, 3) MATRICES_OF(T, 4)
MATRICES(half)
MATRICES(float)

// 6.9 "Matrix Functions".
template <typename T, int C, int R>
inline matrix<T, R, C> transpose(matrix<T, C, R> given) {
    matrix<T, R, C> turned;
    for (int column = 0; column < R; ++column)
        for (int row = 0; row < C; ++row) turned[column][row] = given[row][column];
    return turned;
}

// "Aggregate Types", the template `array`: the elements follow each other as in an array of C++.
template <typename T, size_t N>
struct array {
    T elements[N];
    T &operator[](size_t at) { return elements[at]; }
    const T &operator[](size_t at) const { return elements[at]; }
};

// 2.6 "Atomic Data Types": the size and alignment of the value.
typedef struct { int value; } atomic_int;
typedef struct { uint value; } atomic_uint;

// 2.19 "Type Conversions and Re-interpreting Data".
template <typename To, typename From>
    requires(sizeof(To) == sizeof(From))
inline To as_type(From from) {
    return __builtin_bit_cast(To, from);
}

// 6.3 "Common Functions" and 6.4 "Integer Functions".
template <typename T>
inline T min(T one, T other) {
    return other < one ? other : one;
}
template <typename T>
inline T max(T one, T other) {
    return one < other ? other : one;
}

// 2.9 "Textures", 2.10 "Samplers" and 6.12 "Texture Functions", for their numbers alone: the functions have no code.
enum class access { sample, read, write, read_write };
struct sampler {
    int state;
};
struct level {
    explicit level(float);
};
template <typename T, typename R>
struct texel_source {
    int state;
    template <typename... As> R read(As...) const;
    template <typename... As> R sample(As...) const;
    template <typename... As> T sample_compare(As...) const;
};
template <typename T>
struct texels {
    typedef T V __attribute__((ext_vector_type(4)));
};
#define TEXTURE(name, R) \
    template <typename T, access = access::sample> struct name : texel_source<T, R> {};
TEXTURE(texture1d, typename texels<T>::V)
TEXTURE(texture1d_array, typename texels<T>::V)
TEXTURE(texture2d, typename texels<T>::V)
TEXTURE(texture2d_array, typename texels<T>::V)
TEXTURE(texture3d, typename texels<T>::V)
TEXTURE(texturecube, typename texels<T>::V)
TEXTURE(texturecube_array, typename texels<T>::V)
TEXTURE(texture_buffer, typename texels<T>::V)
TEXTURE(depth2d, T)
TEXTURE(depth2d_array, T)
TEXTURE(depthcube, T)
TEXTURE(depthcube_array, T)
} // namespace metal

// Scalars need no namespace; texts without `using namespace metal` write `metal::` before the other types.
using namespace metal;

#define char2(...) make_char2(__VA_ARGS__)
#define char3(...) make_char3(__VA_ARGS__)
#define char4(...) make_char4(__VA_ARGS__)
#define uchar2(...) make_uchar2(__VA_ARGS__)
#define uchar3(...) make_uchar3(__VA_ARGS__)
#define uchar4(...) make_uchar4(__VA_ARGS__)
#define short2(...) make_short2(__VA_ARGS__)
#define short3(...) make_short3(__VA_ARGS__)
#define short4(...) make_short4(__VA_ARGS__)
#define ushort2(...) make_ushort2(__VA_ARGS__)
#define ushort3(...) make_ushort3(__VA_ARGS__)
#define ushort4(...) make_ushort4(__VA_ARGS__)
#define int2(...) make_int2(__VA_ARGS__)
#define int3(...) make_int3(__VA_ARGS__)
#define int4(...) make_int4(__VA_ARGS__)
#define uint2(...) make_uint2(__VA_ARGS__)
#define uint3(...) make_uint3(__VA_ARGS__)
#define uint4(...) make_uint4(__VA_ARGS__)
#define long2(...) make_long2(__VA_ARGS__)
#define long3(...) make_long3(__VA_ARGS__)
#define long4(...) make_long4(__VA_ARGS__)
#define ulong2(...) make_ulong2(__VA_ARGS__)
#define ulong3(...) make_ulong3(__VA_ARGS__)
#define ulong4(...) make_ulong4(__VA_ARGS__)
#define half2(...) make_half2(__VA_ARGS__)
#define half3(...) make_half3(__VA_ARGS__)
#define half4(...) make_half4(__VA_ARGS__)
#define float2(...) make_float2(__VA_ARGS__)
#define float3(...) make_float3(__VA_ARGS__)
#define float4(...) make_float4(__VA_ARGS__)
