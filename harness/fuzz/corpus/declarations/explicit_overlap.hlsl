Texture2D<float> all[] : register(t4);
Texture2D<float> one : register(t7);
RWBuffer<float> A;
[numthreads(4, 1, 1)]
void main() {
  A[0] = all[9].Load(int3(0, 0, 0)) + one.Load(int3(0, 0, 0));
}
