struct I { Texture2D t; float4 x; };
struct O { ParameterBlock<I> i; Texture2D u; float y; };
ParameterBlock<O> o;
Texture2D z;
