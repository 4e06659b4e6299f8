struct S { RWBuffer<float> B; RWBuffer<float> C; };
RWBuffer<float> A;
S s, t;
[numthreads(4, 1, 1)]
void main() {
  A[0] = t.C[0] + s.B[0] + t.B[0];
}
