@compute @workgroup_size(1)
fn probe() {
    output[0] = input[0];
    block = Struct1(block.filler, vec2<f32>(bitcast<f32>(input[1]), bitcast<f32>(input[2])), array<Element0, 2>(Element0(bitcast<u32>(input[3])), Element0(bitcast<u32>(input[4]))), mat2x2<f32>(vec2<f32>(bitcast<f32>(input[5]), bitcast<f32>(input[7])), vec2<f32>(bitcast<f32>(input[6]), bitcast<f32>(input[8]))));
}
