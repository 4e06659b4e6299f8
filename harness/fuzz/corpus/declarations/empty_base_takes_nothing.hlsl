struct B { };
struct D : B { float g; float2 h; };
ConstantBuffer<D> S;
