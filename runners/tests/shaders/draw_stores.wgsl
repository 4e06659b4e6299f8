// Draws one point; each stage writes a word of its own buffer.
@group(0) @binding(0) var<storage, read_write> of_vertex: array<u32>;
@group(0) @binding(1) var<storage, read_write> of_fragment: array<u32>;

@vertex
fn vertex() -> @builtin(position) vec4<f32> {
    of_vertex[1] = 0x0e47u;
    return vec4(0.0, 0.0, 0.0, 1.0);
}

@fragment
fn fragment() {
    of_fragment[2] = 0xf4a6u;
}
