AppendStructuredBuffer<float> a;
ConsumeStructuredBuffer<float> c;
RWBuffer<float> U;
[numthreads(4, 1, 1)]
void main() {
  a.Append(c.Consume());
  U[0] = 1;
}
