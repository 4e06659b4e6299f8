[shader("raygeneration")]
void main(uniform float4 x, uniform float3 y) {}
