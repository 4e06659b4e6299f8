// The types and functions of HLSL that probes need, for packages of Clang without its own hlsl.h.
//
// vector<> and matrix<> are built in. Types and their sizes are those of "HLSL Scalar, Vector and Matrix types" and of
// DXC's language reference; min-precision types are left out, since Clang has none.
#pragma once

#define LAYOUTPROOF_VECTORS(scalar) \
    typedef vector<scalar, 1> scalar##1; \
    typedef vector<scalar, 2> scalar##2; \
    typedef vector<scalar, 3> scalar##3; \
    typedef vector<scalar, 4> scalar##4;
#define LAYOUTPROOF_MATRICES(scalar, rows) \
    typedef matrix<scalar, rows, 1> scalar##rows##x1; \
    typedef matrix<scalar, rows, 2> scalar##rows##x2; \
    typedef matrix<scalar, rows, 3> scalar##rows##x3; \
    typedef matrix<scalar, rows, 4> scalar##rows##x4;
#define LAYOUTPROOF_TYPES(scalar) \
    LAYOUTPROOF_VECTORS(scalar) \
    LAYOUTPROOF_MATRICES(scalar, 1) \
    LAYOUTPROOF_MATRICES(scalar, 2) \
    LAYOUTPROOF_MATRICES(scalar, 3) \
    LAYOUTPROOF_MATRICES(scalar, 4)

typedef unsigned int uint;
typedef unsigned int dword;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef float float32_t;
typedef double float64_t;

LAYOUTPROOF_TYPES(bool)
LAYOUTPROOF_TYPES(int)
LAYOUTPROOF_TYPES(uint)
LAYOUTPROOF_TYPES(int32_t)
LAYOUTPROOF_TYPES(uint32_t)
LAYOUTPROOF_TYPES(int64_t)
LAYOUTPROOF_TYPES(uint64_t)
LAYOUTPROOF_TYPES(half)
LAYOUTPROOF_TYPES(float)
LAYOUTPROOF_TYPES(float32_t)
LAYOUTPROOF_TYPES(double)
LAYOUTPROOF_TYPES(float64_t)

#ifdef __HLSL_ENABLE_16_BIT
typedef short int16_t;
typedef unsigned short uint16_t;
typedef half float16_t;
LAYOUTPROOF_TYPES(int16_t)
LAYOUTPROOF_TYPES(uint16_t)
LAYOUTPROOF_TYPES(float16_t)

uint16_t asuint16(half value) { return __builtin_bit_cast(uint16_t, value); }
half asfloat16(uint16_t value) { return __builtin_bit_cast(half, value); }
#endif

uint asuint(float value) { return __builtin_bit_cast(uint, value); }
void asuint(double value, out uint low, out uint high) {
    uint64_t bits = __builtin_bit_cast(uint64_t, value);
    low = (uint)bits;
    high = (uint)(bits >> 32);
}
float asfloat(uint value) { return __builtin_bit_cast(float, value); }
double asdouble(uint low, uint high) {
    return __builtin_bit_cast(double, (uint64_t)low | ((uint64_t)high << 32));
}
