struct Head { count: atomic<u32>, items: array<array<vec2<i32>, 3>>, }
@group(0) @binding(0) var<storage, read_write> head: Head;
var<workgroup> scratch: array<f32, 64>;
@compute @workgroup_size(64)
fn main() { scratch[0] = f32(head.items[1][2].x); atomicAdd(&head.count, 1u); }
