@compute @workgroup_size(1)
fn probe() {
    output[0] = input[0];
    block.m1_ids[input[9]].element = bitcast<u32>(input[3]);
    block.m1_ids[input[10]].element = bitcast<u32>(input[4]);
    block.m2_m[input[9]][input[9]] = bitcast<f32>(input[5]);
    block.m2_m[input[10]][input[9]] = bitcast<f32>(input[6]);
    block.m2_m[input[9]][input[10]] = bitcast<f32>(input[7]);
    block.m2_m[input[10]][input[10]] = bitcast<f32>(input[8]);
}
