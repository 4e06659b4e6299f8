// Reads an item at each offset. Its size is 32 and its alignment 16 (WGSL, "Memory Layout").
requires buffer_view;

struct Item { v: vec3u, n: u32, a: array<u32, 3> }

@group(0) @binding(0) var<storage> pool: buffer;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage> offsets: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let count = arrayLength(&offsets);
    for (var i = 0u; i < count; i++) {
        let item = bufferView<Item>(&pool, offsets[i]);
        out[3 * i] = item.v.x;
        out[3 * i + 1] = item.n;
        out[3 * i + 2] = item.a[2];
    }
    out[3 * count] = bufferLength(&pool);
}
