// `@align` and `@size` on which the size of a struct and so the stride of an array depend: WebGPU Shading Language, "Structure
// Member Layout". naga's code must read each member where the specification places it.
struct Padded { @align(16) a: f32 }
struct Sized { a: f32, @size(20) b: vec2<f32>, c: f32 }
struct Block { padded: array<Padded, 3>, sized: array<Sized, 2>, @size(32) b: f32, @align(64) @size(16) c: f32, rest: array<Padded> }
@group(0) @binding(0) var<storage, read_write> block: Block;
@compute @workgroup_size(1) fn main() { block.c = block.padded[1].a; }
