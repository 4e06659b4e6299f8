struct Vertex { float3 position : POSITION; float2 uv : TEXCOORD0; float4x4 m : MATRIX; };
struct Pixel { float4 position : SV_Position; float2 uv : TEXCOORD0; float3 n[2] : NORMAL; };
[shader("vertex")]
Pixel main(Vertex v) { Pixel p = {}; return p; }
