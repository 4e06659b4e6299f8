@compute @workgroup_size(1)
fn probe() {
    output[0] = input[0];
    block.m0_tint.x = bitcast<f32>(input[1]);
    block.m0_tint.y = bitcast<f32>(input[2]);
    block.m1_ids[0].element = bitcast<u32>(input[3]);
    block.m1_ids[1].element = bitcast<u32>(input[4]);
    block.m2_m[0].x = bitcast<f32>(input[5]);
    block.m2_m[1].x = bitcast<f32>(input[6]);
    block.m2_m[0].y = bitcast<f32>(input[7]);
    block.m2_m[1].y = bitcast<f32>(input[8]);
}
