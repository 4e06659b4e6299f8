struct Element0 {
    @size(16) element: i32,
}

struct Struct1 {
    filler: u32,
    @size(16) m0_tint: vec3<f32>,
    m1_ids: array<Element0, 2>,
    m2_m: mat2x3<f32>,
}

@group(0) @binding(0) var<uniform> block: Struct1;
// The buffers that every probe has beside the block: what it saw, and the nonce with the values to write.
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> input: array<u32>;

@compute @workgroup_size(1)
fn probe() {
    output[0] = input[0];
    output[1] = bitcast<u32>(block.m0_tint.x);
    output[2] = bitcast<u32>(block.m0_tint.y);
    output[3] = bitcast<u32>(block.m0_tint.z);
    output[4] = bitcast<u32>(block.m1_ids[0].element);
    output[5] = bitcast<u32>(block.m1_ids[1].element);
    output[6] = bitcast<u32>(block.m2_m[0].x);
    output[7] = bitcast<u32>(block.m2_m[0].y);
    output[8] = bitcast<u32>(block.m2_m[0].z);
    output[9] = bitcast<u32>(block.m2_m[1].x);
    output[10] = bitcast<u32>(block.m2_m[1].y);
    output[11] = bitcast<u32>(block.m2_m[1].z);
    let v0 = block.m0_tint;
    output[12] = bitcast<u32>(v0.x);
    output[13] = bitcast<u32>(v0.y);
    output[14] = bitcast<u32>(v0.z);
    output[15] = bitcast<u32>(block.m1_ids[0].element);
    output[16] = bitcast<u32>(block.m1_ids[1].element);
    let v5 = block.m2_m[0];
    output[17] = bitcast<u32>(v5.x);
    output[18] = bitcast<u32>(v5.y);
    output[19] = bitcast<u32>(v5.z);
    let v8 = block.m2_m[1];
    output[20] = bitcast<u32>(v8.x);
    output[21] = bitcast<u32>(v8.y);
    output[22] = bitcast<u32>(v8.z);
    let whole = block;
    output[23] = bitcast<u32>(whole.m0_tint.x);
    output[24] = bitcast<u32>(whole.m0_tint.y);
    output[25] = bitcast<u32>(whole.m0_tint.z);
    output[26] = bitcast<u32>(whole.m1_ids[0].element);
    output[27] = bitcast<u32>(whole.m1_ids[1].element);
    output[28] = bitcast<u32>(whole.m2_m[0].x);
    output[29] = bitcast<u32>(whole.m2_m[0].y);
    output[30] = bitcast<u32>(whole.m2_m[0].z);
    output[31] = bitcast<u32>(whole.m2_m[1].x);
    output[32] = bitcast<u32>(whole.m2_m[1].y);
    output[33] = bitcast<u32>(whole.m2_m[1].z);
    output[34] = bitcast<u32>(block.m1_ids[input[1]].element);
    output[35] = bitcast<u32>(block.m1_ids[input[2]].element);
    output[36] = bitcast<u32>(block.m2_m[input[1]][input[1]]);
    output[37] = bitcast<u32>(block.m2_m[input[1]][input[2]]);
    output[38] = bitcast<u32>(block.m2_m[input[1]][input[3]]);
    output[39] = bitcast<u32>(block.m2_m[input[2]][input[1]]);
    output[40] = bitcast<u32>(block.m2_m[input[2]][input[2]]);
    output[41] = bitcast<u32>(block.m2_m[input[2]][input[3]]);
}
