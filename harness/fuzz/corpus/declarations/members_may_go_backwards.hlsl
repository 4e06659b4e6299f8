struct P { [[vk::offset(16)]] float a; [[vk::offset(0)]] float b; float c; };
ConstantBuffer<P> S;
