cbuffer S : register(b0) { float3 a; float2 b[3]; float c; };
float4 main() : SV_Target { return float4(a, c) + b[1].xyxy; }
