struct P { uint a : 4; uint64_t b : 4; float c; };
ConstantBuffer<P> S;
