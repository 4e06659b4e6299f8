@compute @workgroup_size(1)
fn probe() {
    output[0] = input[0];
    block.m0_tint = vec2<f32>(bitcast<f32>(input[1]), bitcast<f32>(input[2]));
    block.m1_ids[0].element = bitcast<u32>(input[3]);
    block.m1_ids[1].element = bitcast<u32>(input[4]);
    block.m2_m[0] = vec2<f32>(bitcast<f32>(input[5]), bitcast<f32>(input[7]));
    block.m2_m[1] = vec2<f32>(bitcast<f32>(input[6]), bitcast<f32>(input[8]));
}
