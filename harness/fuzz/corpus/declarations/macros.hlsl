#define COUNT 2
#define PASTE(a, b) a##b
#define TEXT(x) #x
#define MEMBER(type, name, ...) type PASTE(m_, name) __VA_ARGS__;
#if defined(COUNT) && COUNT * 2 == 4 && !(1 ? 0 : 1)
cbuffer S : register(b0) { MEMBER(float3, a) MEMBER(float, b, [COUNT]) }
#elif __LINE__ > 3
#error never
#else
int x;
#endif
#undef COUNT
#line 100 "other.hlsl"
#pragma pack_matrix(row_major)
#ifndef COUNT
float3x4 PASTE(m, at); // a comment
#endif
#warning done \
    here
