RWBuffer<float> A;
RWBuffer<float> C : register(u0);
[numthreads(4, 1, 1)]
void main() {
  if (false) {
    C[0] = 1.0;
  }
  A[0] = 1.0;
}
