cbuffer S { float a : packoffset(c0.x); float b : packoffset(c0.g); float c : packoffset(c0.z); float d : packoffset(c0.a); };
