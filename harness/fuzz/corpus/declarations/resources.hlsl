Texture2D<float> a;
namespace N { Texture2D<float> b; }
Texture2D<float> c;
RWBuffer<float> A;
[numthreads(4, 1, 1)]
void main() {
  A[0] = a.Load(int3(0, 0, 0)) + N::b.Load(int3(0, 0, 0)) + c.Load(int3(0, 0, 0));
}
