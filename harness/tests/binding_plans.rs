//! The parameters that a binding probe reads, the reasons for leaving others out, and the
//! distribution over programs.

use layoutproof_device::{ImageKind, ImageView, TexelType};
use layoutproof_probes::binding::{BindingPlan, BoundKind, Pass, ProgramExtent, programs};

use crate::fixture::bound::{VARYING_PLACES, VARYINGS, planned};

/// `path: first place x elements` of each parameter that the plan reads.
fn probed(plan: &BindingPlan) -> Vec<String> {
    plan.probed.iter().map(|it| format!("{}: {} x {}", it.path, it.site, it.elements)).collect()
}

/// `path: reason` of each parameter that the plan leaves out.
fn skipped(plan: &BindingPlan) -> Vec<String> {
    plan.skipped.iter().map(|it| format!("{}: {}", it.path, it.reason)).collect()
}

#[test]
fn paths_lead_to_declarations() {
    let text = "
        struct Inner { Texture2D map; SamplerState how[2]; float w; };
        struct Outer { Inner inner[3]; StructuredBuffer<float4> data; };
        Outer outer;
        ParameterBlock<Outer> block;
        namespace N { Texture3D volume; }
        float loose;
        cbuffer Open { Texture2D inside; };
        [shader(\"compute\")] void main(uniform Texture2D own, uniform float x) {}";
    let rows = [
        ("outer.inner[1].map", "set 0 binding 0"),
        ("outer.inner.how", "set 0 binding 1"),
        ("outer.inner[].map", "set 0 binding 10"),
        ("outer.data", "set 0 binding 2"),
        ("block", "set 1 binding 0"),
        ("block.inner[2].how[1]", "set 1 binding 1"),
        ("N::volume", "set 0 binding 3"),
        ("$Globals", "set 0 binding 4"),
        ("main.own", "set 0 binding 5"),
        ("own", "set 0 binding 6"),
        ("$Entry.main", "set 0 binding 7"),
        ("inside", "set 0 binding 8"),
        ("outer.data.$counter", "set 0 binding 9"),
    ];
    let plan = planned(text, &rows);
    assert_eq!(skipped(&plan), [] as [String; 0]);
    assert_eq!(
        probed(&plan),
        [
            "outer.inner[1].map: set 0 binding 0 x 1",
            "outer.inner.how: set 0 binding 1 x 6",
            "outer.inner[].map: set 0 binding 10 x 3",
            "outer.data: set 0 binding 2 x 1",
            "block: set 1 binding 0 x 1",
            "block.inner[2].how[1]: set 1 binding 1 x 1",
            "N::volume: set 0 binding 3 x 1",
            "$Globals: set 0 binding 4 x 1",
            "main.own: set 0 binding 5 x 1",
            "own: set 0 binding 6 x 1",
            "$Entry.main: set 0 binding 7 x 1",
            "inside: set 0 binding 8 x 1",
            "outer.data.$counter: set 0 binding 9 x 1",
        ]
    );
}

#[test]
fn what_is_not_read_has_a_reason() {
    let text = "
        RaytracingAccelerationStructure scene; Texture2DMS<float4> ms; [[vk::input_attachment_index(0)]] SubpassInput sub;
        Texture2D<double> wide; Texture2D far; Texture2D many[20]; Texture2D endless[]; Texture2D here;
";
    let rows = [
        ("scene", "set 0 binding 0"),
        ("ms", "set 0 binding 1"),
        ("sub", "set 0 binding 2"),
        ("wide", "set 0 binding 3"),
        ("far", "set 64 binding 0"),
        ("many", "set 0 binding 4"),
        ("endless", "set 0 binding 5"),
        ("here", "set 0 binding 6"),
        ("nowhere", "set 0 binding 7"),
        ("here", "metal-texture 0"),
    ];
    let plan = planned(text, &rows);
    assert_eq!(
        skipped(&plan),
        [
            "scene: an acceleration structure",
            "ms: a multisampled texture",
            "sub: an input attachment",
            "wide: 64-bit texels",
            "far: a set, binding or element whose number is too large for the word that names it",
            "many: elements from 8 on",
            "endless: elements from 4 on, of an array without end",
            "nowhere: no declaration at this path",
            "here: no device here has the registers of vulkan",
        ]
    );
    let read = ["many: set 0 binding 4 x 8", "endless: set 0 binding 5 x 4", "here: set 0 binding 6 x 1"];
    assert_eq!(probed(&plan), read);
}

#[test]
fn a_texture_and_a_sampler_at_one_binding_are_one_descriptor() {
    let plan = planned("Texture2D a; SamplerState b;", &[("a", "set 0 binding 2"), ("b", "set 0 binding 2")]);
    let kinds: Vec<BoundKind> = plan.probed.iter().map(|probed| probed.kind).collect();
    let combined = BoundKind::Image { kind: ImageKind::Combined, view: ImageView::D2, texel: TexelType::Float };
    assert_eq!(kinds, [combined; 2]);
}

#[test]
fn a_counter_has_the_second_binding() {
    let text = "AppendStructuredBuffer<float> a; RWStructuredBuffer<float> b;";
    let rows = [("a", "set 0 binding 3[2]"), ("b", "set 0 binding 0"), ("b", "set 0 binding 9")];
    let plan = planned(text, &rows);
    let expected =
        ["a: set 0 binding 3 x 1", "a: set 0 binding 4 x 1", "b: set 0 binding 0 x 1", "b: set 0 binding 9 x 1"];
    assert_eq!(probed(&plan), expected);
}

#[test]
fn varyings_are_read_by_the_fragment_stage_and_targets_by_the_host() {
    let plan = planned(VARYINGS, VARYING_PLACES);
    assert_eq!(skipped(&plan), ["vertex.at: a vertex attribute"]);
    let programs = programs(&plan);
    let passes: Vec<(Pass, usize, u32)> =
        programs.iter().map(|program| (program.pass, program.reads.len(), program.targets())).collect();
    // Seven locations, four per target. One target is at location 3, so the program writes four.
    assert_eq!(passes, [(Pass::Varyings, 7, 2), (Pass::Targets, 1, 4)]);
}

/// Extent, bound parameters and reads of each program.
fn spread(text: &str, rows: &[(String, String)]) -> Vec<(ProgramExtent, usize, usize)> {
    let rows: Vec<(&str, &str)> = rows.iter().map(|(path, place)| (path.as_str(), place.as_str())).collect();
    let programs = programs(&planned(text, &rows));
    programs.iter().map(|program| (program.extent, program.bound.len(), program.reads.len())).collect()
}

fn rows(name: char, count: u32) -> (String, Vec<(String, String)>) {
    let names: Vec<String> = (0..count).map(|index| format!("{name}{index}")).collect();
    let rows = names.iter().enumerate().map(|(index, name)| (name.clone(), format!("set 0 binding {index}")));
    (names.join(", "), rows.collect())
}

#[test]
fn what_not_every_device_has_room_for_is_bound_in_shares_as_well() {
    let (names, rows) = rows('b', 7);
    let spread = spread(&format!("ByteAddressBuffer {names};"), &rows);
    let share = |count| (ProgramExtent::Share, count, count);
    // Vulkan guarantees four storage buffers per stage, and one of them holds the answers.
    assert_eq!(spread, [(ProgramExtent::Whole, 7, 7), share(3), share(3), share(1)]);
}

#[test]
fn samplers_are_read_seven_at_a_time() {
    let (names, rows) = rows('s', 10);
    let spread = spread(&format!("SamplerState {names};"), &rows);
    let shares = [(ProgramExtent::Share, 7, 7), (ProgramExtent::Share, 3, 3)];
    assert_eq!(spread[..2], [(ProgramExtent::Whole, 10, 7), (ProgramExtent::Whole, 10, 3)]);
    assert_eq!(spread[2..], shares);
}

#[test]
fn far_sets_do_not_keep_near_ones_from_being_read() {
    let rows = [("a", "set 0 binding 0"), ("b", "set 5 binding 0")];
    let rows = rows.map(|(path, place)| (path.to_owned(), place.to_owned()));
    let share = (ProgramExtent::Share, 1, 1);
    assert_eq!(spread("Texture2D a, b;", &rows), [(ProgramExtent::Whole, 2, 2), share, share]);
}

#[test]
fn what_cannot_be_bound_together_has_a_program_of_its_own() {
    let text = "
        Texture2D a; Buffer<int> b; Texture2D c;
        [[vk::push_constant]] cbuffer P { int p; } [[vk::push_constant]] cbuffer Q { int q; }";
    let rows = [
        ("a", "set 0 binding 6"),
        ("b", "set 0 binding 6"),
        ("c", "set 0 binding 6"),
        ("P", "push-constant 0"),
        ("Q", "push-constant 0"),
    ];
    let programs = programs(&planned(text, &rows));
    let bound: Vec<(ProgramExtent, Vec<&str>)> = programs
        .iter()
        .map(|program| (program.extent, program.bound.iter().map(|probed| &*probed.path).collect()))
        .collect();
    let alone = |path| (ProgramExtent::Share, vec![path]);
    assert_eq!(bound, [(ProgramExtent::Whole, vec!["a", "c", "P"]), alone("b"), alone("Q")]);
}
