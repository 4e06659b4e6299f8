struct P { min16float x; };
cbuffer S { min16float2 a; min16float b; P p; float c; min16float d; };
