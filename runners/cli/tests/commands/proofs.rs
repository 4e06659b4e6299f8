//! `layoutproof run --target`: devices read parameters where a convention binds them.

use super::folder::Folder;

/// DXC 1.7.2308 with `-spirv -T cs_6_6` decorates these as follows: the register number is the
/// binding, its space the set.
const FILE: &str = "
cbuffer C : register(b0) { float4 c; };
Texture2D tex[3] : register(t2);
SamplerState smp : register(s6);
RWStructuredBuffer<float4> rw : register(u7);
RaytracingAccelerationStructure scene : register(t11);
";

const RUN: &str = "run a.hlsl --target vulkan --convention dxc --used C,tex,smp,rw,scene --device model";

#[test]
fn a_file_is_read_back_and_what_is_not_is_no_agreement() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    let answer = folder.run(&format!("{RUN} -v --json records.jsonl")).exits(3);
    let answer = answer.prints("Agree a.hlsl · vulkan.dxc · rspirv · model via model");
    let answer = answer.prints("Bound 0 resources read back: by no device");
    answer.prints("incomplete scene (parameter): no device here read it (an acceleration structure); 1 check agrees");
    let records = std::fs::read_to_string(folder.path("records.jsonl")).unwrap();
    let check = records.lines().find(|line| line.contains("\"type\":\"check\"")).unwrap();
    let check: serde_json::Value = serde_json::from_str(check).unwrap();
    assert_eq!(check["bound"], serde_json::json!({"read": 6, "not_read": {"an acceleration structure": 1}}));
    let observed: Vec<_> = check["rows"].as_array().unwrap().iter().map(|row| &row["observed"]).collect();
    let expected =
        serde_json::json!(["set 0 binding 0", "set 0 binding 2", "set 0 binding 6", "set 0 binding 7", null]);
    assert_eq!(serde_json::json!(observed), expected);
}

#[test]
fn swapped_descriptors_are_blamed_on_the_device() {
    let text = "Texture2D a[2] : register(t0); Texture2D b : register(t2); Texture2D c : register(t0, space1);";
    let folder = Folder::with(&[("a.hlsl", text)]);
    let run = "run a.hlsl --target vulkan --convention dxc --used a,b,c --device model";
    for (name, row) in [
        ("swapped-bindings", "b · set 0 binding 2 · ! set 0 binding 0"),
        ("swapped-sets", "c · set 1 binding 0 · ! set 0 binding 0"),
        ("swapped-elements", "a · set 0 binding 0 · ! set 0 binding 0 element 1"),
    ] {
        folder.run(run).exits(0).prints("ok 1 check agrees");
        let planted = folder.run(&format!("{run} --plant-misreading {name}")).exits(1).prints(row);
        planted.prints("verdict device: case, rules and shader agree").prints("FAIL 1 differs; 0 checks agree");
    }
}

#[test]
fn a_target_is_asked_about_alone_unless_rule_sets_are_named() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    folder.run(&format!("{RUN} -v")).exits(3).prints("Cases 1, 1 rule set, 1 producer (rspirv): 1 check");
    folder
        .run(&format!("{RUN} --rules std140 -v"))
        .exits(3)
        .prints("Cases 1, 2 rule sets, 1 producer (rspirv): 2 checks");
}

/// The command in a failure's report requests the same placement.
#[test]
fn the_command_to_run_again_has_the_flags() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    let planted = folder.run(&format!("{RUN} --plant-misreading swapped-elements")).exits(1);
    planted.prints(
        "again layoutproof run a.hlsl --target vulkan --convention dxc --used 'C,tex,smp,rw,scene' --device model",
    );
}
