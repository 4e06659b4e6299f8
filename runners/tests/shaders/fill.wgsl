// Writes its own index to every word of the bound output range, one invocation per word.
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    output[id.x + groups.x * (id.y + groups.y * id.z)] = 0x1000u + id.x + 16u * id.y + 256u * id.z;
}
