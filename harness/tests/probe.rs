//! The probe engine on the model device: it agrees without faults, notices each fault, and does not
//! panic on nonsense.

use std::collections::{BTreeSet, HashMap};

use layoutproof_device::{Batch, ReadBack, Runner, Shader};
use layoutproof_generators::spirv::{SpirvModule, caller, produce};
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{
    BlockKind, BlockLayout, ElementChoice, Extent, LaidOut, LaidOutShape, Reach, UNSIZED_ELEMENTS,
};
use layoutproof_model::{MISREADINGS, Misreading, Model, compiled};
use layoutproof_probes::{
    AddressSpace, AnswerPlace, Form, Interface, Observed, PlanShader, ProbeJob, ProbePlan, ProbeProblem, Stage,
    elements, jobs, observe, plan, plan_in, self_link,
};
use layoutproof_readers::spirv::{DeclaredBlock, declared};
use proptest::prelude::*;

use crate::fixture::{self, any_block, block, blocks, scalar, structure, vector};

fn spaces() -> BTreeSet<AddressSpace> {
    BTreeSet::from([AddressSpace::Uniform, AddressSpace::Storage, AddressSpace::PushConstant])
}

/// A block in one of the rarer spaces.
fn run_in(space: AddressSpace, layout: &BlockLayout, model: &mut Model) -> (ProbePlan, Vec<(ProbeJob, Observed)>) {
    let plan = plan(layout, &layout.leaves(), &[space].into());
    if plan.entries.is_empty() {
        return (plan, Vec::new());
    }
    let produced = produce(layout, &plan).expect("a planned block can be written");
    observed(layout, plan, &produced, model)
}

/// A block in a shader record of each ray-tracing stage; `None` for a block that fits no record.
fn run_record(layout: &BlockLayout, model: &mut Model) -> Option<(ProbePlan, Vec<(ProbeJob, Observed)>)> {
    let places = Stage::ALL.into_iter().filter(Stage::is_traced).map(|stage| (AddressSpace::ShaderRecord, stage));
    let plan = plan_in(layout, &layout.leaves(), &places.collect());
    let produced = (!plan.entries.is_empty()).then(|| produce(layout, &plan).expect("a planned block can be written"));
    produced.map(|produced| observed(layout, plan, &produced, model))
}

fn planned(layout: &BlockLayout) -> (ProbePlan, SpirvModule) {
    let plan = plan(layout, &layout.leaves(), &spaces());
    let produced = produce(layout, &plan).expect("a planned block can be written");
    (plan, produced)
}

fn run(layout: &BlockLayout, model: &mut Model) -> (ProbePlan, Vec<(ProbeJob, Observed)>) {
    let (plan, produced) = planned(layout);
    observed(layout, plan, &produced, model)
}

/// The same with only some elements of arrays.
fn run_sample(layout: &BlockLayout, model: &mut Model) -> (ProbePlan, Vec<(ProbeJob, Observed)>) {
    let plan = plan(layout, &layout.leaves_in(ElementChoice::Sample), &spaces());
    let produced = produce(layout, &plan).expect("a planned block can be written");
    observed(layout, plan, &produced, model)
}

fn observed(
    layout: &BlockLayout,
    plan: ProbePlan,
    produced: &SpirvModule,
    model: &mut Model,
) -> (ProbePlan, Vec<(ProbeJob, Observed)>) {
    let shader = produced.shader();
    let probes = jobs(
        layout,
        &plan,
        PlanShader { shader: &shader, requires: &produced.requires(), interface: Interface::default(), caller },
    );
    let probes = probes.expect("blocks of the fixture have images");
    let observed = probes.into_iter().map(|probe| {
        let observed = observe(&plan, &probe, &answers(&probe, model));
        (probe, observed)
    });
    let observed = observed.collect();
    (plan, observed)
}

fn answers(probe: &ProbeJob, model: &mut Model) -> Vec<ReadBack> {
    let batch = Batch { jobs: probe.runs.iter().map(|run| run.job.clone()).collect() };
    model.run(&batch).into_iter().map(|answer| answer.expect("the model runs what was generated")).collect()
}

/// The differences from the layout, in words.
fn differences(plan: &ProbePlan, results: &[(ProbeJob, Observed)]) -> Vec<String> {
    let mut differences = Vec::new();
    for (probe, observed) in results {
        if observed.observations.len() != probe.wiring.slots.len() {
            differences.push(format!("{}: {} observations", probe.entry.name, observed.observations.len()));
        }
        for observation in &observed.observations {
            let leaf = &plan.leaves[observation.leaf as usize];
            let expected = if observation.form.is_length() { UNSIZED_ELEMENTS } else { leaf.offset };
            if observation.offset != Some(expected) || observation.note.is_some() {
                differences.push(format!("{}: {} {observation:?}", probe.entry.name, leaf.path));
            }
        }
        differences.extend(observed.problems.iter().map(|problem| format!("{}: {problem}", probe.entry.name)));
    }
    differences
}

fn misreading(name: &str) -> Misreading {
    Misreading::find(name).expect("the fault is in the catalogue")
}

#[test]
fn model_agrees_with_every_block() {
    for (name, layout) in blocks() {
        let (plan, results) = run(&layout, &mut Model::new());
        assert!(!results.is_empty(), "{name} was not run");
        assert_eq!(differences(&plan, &results), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn d3d_tail_packing_is_read_where_dxc_lists_it() {
    let (_, layout) = blocks().swap_remove(0);
    let (plan, results) = run(&layout, &mut Model::new());
    let paths: Vec<&str> = plan.leaves.iter().map(|leaf| leaf.path.as_str()).collect();
    assert_eq!(paths, ["a.x", "a.y", "a.z", "b[0]", "b[1]", "c", "d.x", "d.y"]);
    let (probe, observed) = &results[0];
    assert_eq!(probe.entry.name, "read_uniform");
    // DXC 1.7.2308, -T cs_6_6, listing: a 0, b 16 (stride 16), c 36, d 40.
    let offsets: Vec<Option<u32>> = observed.observations[..8].iter().map(|observation| observation.offset).collect();
    assert_eq!(offsets, [0, 4, 8, 16, 32, 36, 40, 44].map(Some));
}

/// The memory behind a pointer to a struct of 8 bytes whose elements are 12 bytes apart.
fn behind_pointer() -> BlockLayout {
    let members = vec![("a", 0, scalar(fixture::FLOAT)), ("b", 4, scalar(fixture::UINT))];
    let pointee = BlockLayout { stride: Some(12), ..block(structure("S", members)) };
    elements(&pointee).expect("a stride of 12 has room for 8 bytes")
}

#[test]
fn elements_behind_a_pointer_are_read_and_written() {
    let (plan, results) = run_in(AddressSpace::Address, &behind_pointer(), &mut Model::new());
    let paths: Vec<&str> = plan.leaves.iter().map(|leaf| leaf.path.as_str()).collect();
    assert_eq!(paths, ["[0].a", "[0].b", "[1].a", "[1].b"]);
    let entries: BTreeSet<&str> = results.iter().map(|(probe, _)| probe.entry.name.as_str()).collect();
    let untyped = ["read_address_untyped", "read_address_retyped", "write_address_untyped"];
    assert_eq!(entries, ["read_address", "write_address"].into_iter().chain(untyped).collect());
    assert_eq!(differences(&plan, &results), Vec::<String>::new());
}

/// Devices refuse an address at another byte than a multiple of 8.
#[test]
fn a_link_is_where_a_job_can_have_an_address() {
    let link_at = |offset| {
        let shape = LaidOutShape::Pointer { pointee: Some("S".to_owned()) };
        let pointer = LaidOut { type_name: "S*".to_owned(), size: Extent::Finite(8), alignment: 4, shape };
        let element = block(structure("S", vec![("next", offset, pointer)]));
        let element = BlockLayout { kind: BlockKind::Pointee, stride: Some(24), ..element };
        self_link(&elements(&element).expect("a stride of 24 has room for the pointer"))
    };
    assert_eq!([0, 4, 8].map(|offset| link_at(offset).map(|link| link.offset)), [Some(0), None, Some(8)]);
}

#[test]
fn every_misreading_is_noticed_by_a_block() {
    let mut killers: HashMap<&str, Vec<&str>> = HashMap::new();
    for misreading in MISREADINGS {
        for (name, layout) in blocks() {
            let (plan, results) = run(&layout, &mut Model::with_misreading(*misreading));
            let mut seen = differences(&plan, &results);
            if let Some((plan, results)) = run_record(&layout, &mut Model::with_misreading(*misreading)) {
                seen.extend(differences(&plan, &results));
            }
            // Other faults move the push constants that hold the address, and the model stops where it
            // leads nowhere.
            let is_of_addresses = misreading.name == "address-rounded";
            let others = [AddressSpace::StorageElement, AddressSpace::Workgroup];
            for space in if is_of_addresses { &[AddressSpace::Address][..] } else { &others } {
                let (plan, results) = run_in(*space, &layout, &mut Model::with_misreading(*misreading));
                seen.extend(differences(&plan, &results));
            }
            if !seen.is_empty() {
                killers.entry(misreading.name).or_default().push(name);
            }
        }
        if misreading.name.starts_with("pointer-") {
            let (plan, results) =
                run_in(AddressSpace::Address, &behind_pointer(), &mut Model::with_misreading(*misreading));
            if !differences(&plan, &results).is_empty() {
                killers.entry(misreading.name).or_default().push("behind_pointer");
            }
        }
    }
    let unnoticed = MISREADINGS.iter().filter(|misreading| !killers.contains_key(misreading.name));
    assert_eq!(unnoticed.map(|misreading| misreading.name).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn misread_leaf_says_what_was_read() {
    let (_, layout) = blocks().swap_remove(0);
    let (plan, results) = run(&layout, &mut Model::with_misreading(misreading("array-stride-four")));
    let (_, observed) = &results[0];
    let b1 = observed.observations.iter().find(|it| plan.leaves[it.leaf as usize].path == "b[1]").unwrap();
    assert_eq!((b1.form, b1.offset), (Form::Leaf, Some(20)));
    assert_eq!(b1.note.as_deref(), Some("read 0xBADD0014, padding at byte 20"));
}

#[test]
fn misplaced_write_says_where_it_went() {
    let (_, layout) = blocks().swap_remove(0);
    let (plan, results) = run(&layout, &mut Model::with_misreading(misreading("array-stride-four")));
    let (_, observed) = results.iter().find(|(probe, _)| probe.entry.name == "write_storage_leaf").unwrap();
    let b1 = observed.observations.iter().find(|it| plan.leaves[it.leaf as usize].path == "b[1]").unwrap();
    assert_eq!(b1.offset, Some(20));
    assert_eq!(b1.note.as_deref(), Some("written to byte 20, which is padding"));
    let problems: Vec<String> = observed.problems.iter().map(ProbeProblem::to_string).collect();
    assert_eq!(problems, ["block byte 20 changed from 0xBADD0014 to 0xC0DE0020, data at byte 32"]);
}

/// Arrays whose elements are 16 bytes apart, on a device that uses a stride of 4 bytes.
#[test]
fn narrow_and_wide_leaves_say_where_they_were() {
    let members = vec![
        ("h", 0, fixture::array(scalar(fixture::HALF), 2, 16)),
        ("b", 32, fixture::array(scalar(fixture::BOOL), 2, 16)),
        ("w", 64, fixture::array(scalar(fixture::DOUBLE), 2, 16)),
    ];
    let layout = block(structure("S", members));
    let (plan, results) = run(&layout, &mut Model::with_misreading(misreading("array-stride-four")));
    let seen = |entry: &str, path: &str| {
        let (_, observed) = results.iter().find(|(probe, _)| probe.entry.name == entry).unwrap();
        let found = observed.observations.iter().find(|it| plan.leaves[it.leaf as usize].path == path).unwrap();
        (found.offset, found.note.clone().unwrap_or_default())
    };
    let text = |offset: u32, note: &str| (Some(offset), note.to_owned());
    assert_eq!(seen("read_uniform", "h[0]"), text(0, ""));
    assert_eq!(seen("read_uniform", "h[1]"), text(4, "read padding at byte 4"));
    assert_eq!(seen("read_uniform", "b[1]"), text(36, "read padding at byte 36"));
    assert_eq!(seen("read_uniform", "w[1]"), text(68, "read 0xC0DE0044, data at byte 68, which is `w[0]`"));
    assert_eq!(seen("write_storage_leaf", "h[1]"), text(4, "written to byte 4, which is padding"));
    assert_eq!(seen("write_storage_leaf", "b[1]"), text(36, "written to byte 36, which is padding"));
    assert_eq!(seen("write_storage_leaf", "w[1]"), text(68, "written to byte 68, which is `w[0]`"));
    let split = "written to byte 64, which is `w[0]`, but not from its byte 4 on";
    assert_eq!(seen("write_storage_leaf", "w[0]"), (None, split.to_owned()));
}

/// `float a[3]` and `float2x2 m`: lanes 0 to 63 read three elements and four cells.
#[test]
fn every_lane_reads_its_own_element() {
    let members = vec![
        ("a", 0, fixture::array(scalar(fixture::FLOAT), 3, 16)),
        ("m", 48, fixture::matrix(fixture::FLOAT, 2, 2, MatrixOrder::Column, 16)),
        ("x", 80, scalar(fixture::UINT)),
    ];
    let layout = block(structure("S", members));
    let (plan, results) = run(&layout, &mut Model::new());
    let (probe, observed) = results.iter().find(|(probe, _)| probe.entry.name == "read_storage_divergent").unwrap();
    let paths: Vec<&str> = observed.observations.iter().map(|it| plan.leaves[it.leaf as usize].path.as_str()).collect();
    assert_eq!(paths, ["a[0]", "a[1]", "a[2]", "m[0][0]", "m[0][1]", "m[1][0]", "m[1][1]"]);
    let lanes: Vec<usize> = probe.wiring.slots.iter().map(|slot| slot.places.len()).collect();
    assert_eq!(lanes, [22, 21, 21, 16, 16, 16, 16]);
    // The nonce, then one word per lane for each member.
    assert_eq!(probe.wiring.output, 129);
    // The last lane reads the last cell, m[1][1].
    assert_eq!(probe.wiring.indices[190..], [1, 1]);
    assert_eq!(probe.wiring.indices[..4], [0, 1, 2, 0]);
}

/// A driver that applies one lane's index to all lanes reads the first lane's element everywhere.
#[test]
fn every_lane_of_a_divergent_read_is_looked_at() {
    let layout = block(structure("S", vec![("a", 0, fixture::array(scalar(fixture::UINT), 3, 16))]));
    let (plan, results) = run(&layout, &mut Model::new());
    let (probe, _) = results.iter().find(|(probe, _)| probe.entry.name == "read_storage_divergent").unwrap();
    let slot = probe.wiring.slots.iter().find(|slot| slot.places.len() > 2).unwrap();
    let AnswerPlace::Word(last) = slot.places.last().unwrap() else { panic!("lanes answer in words of the output") };
    let mut answers = answers(probe, &mut Model::new());
    // The word at byte 32 of the block, where the leaf of this slot is not.
    assert_ne!(plan.leaves[slot.leaf as usize].offset, 32);
    let output = &mut answers[0].buffers[1].bytes;
    output[*last as usize * 4..][..4].copy_from_slice(&probe.runs[0].salt.turn(0xC0DE_0020).to_le_bytes());
    let observed = observe(&plan, probe, &answers);
    let of_slot = observed.observations.iter().find(|it| (it.leaf, it.form) == (slot.leaf, slot.form)).unwrap();
    assert_eq!(of_slot.offset, Some(32), "{:?}", of_slot.note);
}

/// A write before or after the bound range belongs to no leaf.
#[test]
fn what_changes_around_a_buffer_is_told() {
    let (_, layout) = blocks().swap_remove(0);
    let (plan, results) = run(&layout, &mut Model::new());
    let (probe, observed) = results.iter().find(|(probe, _)| probe.entry.name == "write_storage_leaf").unwrap();
    assert_eq!(observed.problems, []);
    let right = answers(probe, &mut Model::new());
    for buffer in 0..right[0].buffers.len() {
        let mut behind = right.clone();
        behind[0].buffers[buffer].after[0] ^= 1;
        let mut before = right.clone();
        before[0].buffers[buffer].before[0] ^= 1;
        for answers in [behind, before] {
            let problems = observe(&plan, probe, &answers).problems;
            assert!(matches!(problems[..], [ProbeProblem::Changed { .. }]), "buffer {buffer}: {problems:?}");
        }
    }
}

#[test]
fn idle_device_is_found_by_the_nonce() {
    let (_, layout) = blocks().swap_remove(0);
    let (_, results) = run(&layout, &mut Model::with_misreading(misreading("idle")));
    for (probe, observed) in &results {
        let nonce = ProbeProblem::NoNonce { found: 0xF111_F111 };
        assert!(observed.problems.contains(&nonce), "{}: {:?}", probe.entry.name, observed.problems);
    }
}

#[test]
fn leaves_that_cannot_be_probed_are_listed_with_the_reason() {
    let overlapping = block(structure(
        "S",
        vec![
            ("v", 0, vector(fixture::FLOAT, 3)),
            ("inside", 8, scalar(fixture::UINT)),
            ("odd", 14, scalar(fixture::INT)),
            ("wide", 20, scalar(fixture::DOUBLE)),
        ],
    ));
    let names = |layout: &BlockLayout| -> Vec<String> {
        let plan = plan(layout, &layout.leaves(), &spaces());
        plan.not_probed.iter().map(|it| format!("{}: {}", it.leaf.path, it.reason)).collect()
    };
    let expected = ["inside: overlaps `v`", "odd: byte 14 is no multiple of 4", "wide: byte 20 is no multiple of 8"];
    assert_eq!(names(&overlapping), expected);
    let (_, narrow_and_wide) = blocks().swap_remove(5);
    assert_eq!(names(&narrow_and_wide), Vec::<String>::new());
}

#[test]
fn stride_of_structured_elements_is_observed() {
    // StructuredBuffer<S> of { float3 a; uint b; float c; }: C's layout, 12 + 4 + 4 bytes.
    let members =
        vec![("a", 0, vector(fixture::FLOAT, 3)), ("b", 12, scalar(fixture::UINT)), ("c", 16, scalar(fixture::FLOAT))];
    let element = BlockLayout { stride: Some(20), ..block(structure("S", members)) };
    let layout = elements(&element).unwrap();
    let (plan, results) = run(&layout, &mut Model::new());
    assert_eq!(differences(&plan, &results), Vec::<String>::new());
    let second: Vec<Option<u32>> = results[0].1.observations[5..10].iter().map(|it| it.offset).collect();
    assert_eq!(second, [20, 24, 28, 32, 36].map(Some));
    assert_eq!(elements(&layout), None);
    assert_eq!(elements(&BlockLayout { stride: Some(16), ..element }), None);
}

#[test]
fn large_blocks_are_run_whole() {
    let layout = block(structure("S", vec![("a", 0, fixture::array(vector(fixture::FLOAT, 4), 1024, 16))]));
    let (plan, results) = run(&layout, &mut Model::new());
    assert_eq!(plan.leaves.len(), 4096);
    assert_eq!(differences(&plan, &results), Vec::<String>::new());
}

/// `float4 a[6000]` and a `half`: 96 KB. The probes cover the first two elements, the middle one
/// and the last, in both directions.
#[test]
fn blocks_beyond_64_kib_have_two_images() {
    let members = vec![
        ("a", 0, fixture::array(vector(fixture::FLOAT, 4), 6000, 16)),
        ("h", 96_000, scalar(fixture::HALF)),
        ("d", 96_008, scalar(fixture::DOUBLE)),
    ];
    let layout = block(structure("S", members));
    let (plan, results) = run_sample(&layout, &mut Model::new());
    assert_eq!(differences(&plan, &results), Vec::<String>::new());
    let offsets: Vec<u32> = plan.leaves.iter().map(|leaf| leaf.offset).collect();
    let elements = [0, 16, 48_000, 95_984].into_iter().flat_map(|start| [0, 4, 8, 12].map(|at| start + at));
    assert_eq!(offsets, elements.chain([96_000, 96_008]).collect::<Vec<u32>>());
    let entries: Vec<&str> = plan.entries.iter().map(|entry| entry.name.as_str()).collect();
    let written = ["write_storage_leaf", "write_storage_vector", "write_storage_indexed"];
    assert_eq!(entries[..2], ["read_uniform", "read_storage"]);
    assert_eq!(entries[2..5], written);
    // Two halves for words; for the half 17 digits and one that separates data from padding; all of
    // them twice.
    assert_eq!(results[0].0.runs.len(), 2 + 36);
}

#[test]
fn misread_leaf_beyond_64_kib_says_what_was_read() {
    let members =
        vec![("a", 0, fixture::array(vector(fixture::FLOAT, 4), 6000, 16)), ("x", 96_000, scalar(fixture::UINT))];
    let layout = block(structure("S", members));
    let (plan, results) = run_sample(&layout, &mut Model::with_misreading(misreading("shifted-sixteen")));
    let seen = |entry: &str, path: &str| {
        let (_, observed) = results.iter().find(|(probe, _)| probe.entry.name == entry).unwrap();
        let found = observed.observations.iter().find(|it| plan.leaves[it.leaf as usize].path == path).unwrap();
        (found.offset, found.note.clone().unwrap_or_default())
    };
    let x = "read 0xC0DE7700, data at byte 96000, which is `x`";
    assert_eq!(seen("read_storage", "a[5999].x"), (Some(96_000), x.to_owned()));
    let (_, observed) = results.iter().find(|(probe, _)| probe.entry.name == "write_storage_leaf").unwrap();
    let moved = "block byte 96016 changed from 0xCAFE7710 to 0xC0DE7700, data at byte 30464 (offsets modulo 65536)";
    assert!(observed.problems.iter().any(|problem| problem.to_string() == moved), "{:?}", observed.problems);
    let behind = "read 0xCAFE7710, guard at byte 96016, after the block";
    assert_eq!(seen("read_storage", "x"), (Some(96_016), behind.to_owned()));
    assert_eq!(
        seen("write_storage_leaf", "a[5999].x"),
        (Some(96_000), "written to byte 96000, which is `x`".to_owned())
    );
}

/// `lights[]` at byte 16 with a stride of 32 bytes. Vulkan, "Unsized Arrays": the length is the
/// size of the bound range without the bytes before the array, divided by the stride and rounded
/// down.
#[test]
fn length_of_the_array_at_the_end_shows_its_stride() {
    let (_, layout) = blocks().swap_remove(6);
    let lengths = |model: &mut Model| {
        let (_, results) = run(&layout, model);
        let seen = results.iter().filter(|(probe, _)| probe.entry.name == "read_storage_length");
        let seen = seen.map(|(probe, observed)| (probe.image.owners.len(), observed.observations[0].offset));
        seen.collect::<Vec<_>>()
    };
    assert_eq!(lengths(&mut Model::new()), [(108, Some(2)), (80, Some(2))]);
    let sixteen = Model::with_misreading(misreading("array-stride-sixteen"));
    assert_eq!(lengths(&mut { sixteen }), [(108, Some(5)), (80, Some(4))]);
}

#[test]
fn answer_of_another_shape_is_a_problem() {
    let (_, layout) = blocks().swap_remove(0);
    let (plan, results) = run(&layout, &mut Model::new());
    for (answers, reason) in [
        (
            vec![ReadBack { buffers: Vec::new(), targets: Vec::new(), messages: Vec::new() }],
            "read-back does not match the job: 3 buffers, 0 came back",
        ),
        (Vec::new(), "read-back does not match the job: 1 dispatches, 0 answers"),
    ] {
        let observed = observe(&plan, &results[0].0, &answers);
        let problems: Vec<String> = observed.problems.iter().map(ProbeProblem::to_string).collect();
        assert_eq!(problems, [reason]);
    }
}

#[test]
fn what_no_module_can_hold_is_refused() {
    let table = blocks();
    let (array_tail, unsized_array) = (&table[0].1, &table[6].1);
    let (plan, _) = planned(array_tail);
    let without_entries = ProbePlan { entries: Vec::new(), ..plan.clone() };
    let without_a_leaf = ProbePlan { leaves: plan.leaves[1..].to_vec(), ..plan.clone() };
    let refused = BlockLayout { result: Err(Vec::new()), ..array_tail.clone() };
    let errors = [
        (produce(&refused, &plan), "rule set by-hand forbids block `S`"),
        (produce(array_tail, &without_entries), "block `S` has nothing to probe"),
        (produce(unsized_array, &plan), "entry `read_uniform` cannot hold the unsized array of block `S`"),
        (produce(&table[4].1, &plan), "block `S` has no leaf `a.x`"),
        (
            produce(array_tail, &without_a_leaf),
            "entry `read_uniform_copied` stores whole vectors or structs, and the plan leaves out some of their components",
        ),
    ];
    for (result, text) in errors {
        assert_eq!(result.expect_err(text).to_string(), text);
    }
}

#[test]
fn declared_lists_what_the_generator_decorated() {
    let (_, layout) = blocks().swap_remove(0);
    let (_, produced) = planned(&layout);
    let blocks = declared(&produced.words).unwrap();
    // Memory of workgroups without offsets is listed as well.
    let is_decorated = |it: &&DeclaredBlock| !matches!(it.layout.reach, Reach::Stage(_));
    let names: Vec<&str> = blocks.iter().filter(is_decorated).map(|it| it.layout.name.as_str()).collect();
    let typed = ["output", "input", "S", "copy", "S#2", "S#3", "copy#2", "S#4"];
    let untyped = ["S#5", "S_retyped", "S#6", "S_retyped#2", "S#7", "S_retyped#3", "S#8", "S_retyped#4"];
    assert_eq!(names, [typed, untyped].concat());
    let declared = &blocks[2].layout;
    let found: Vec<(String, u32)> = declared.leaves().into_iter().map(|leaf| (leaf.path, leaf.offset)).collect();
    let expected: Vec<(String, u32)> = layout.leaves().into_iter().map(|leaf| (leaf.path, leaf.offset)).collect();
    assert_eq!(found, expected);
}

fn truncated_everywhere(words: &[u32]) {
    for length in 0..words.len() {
        if let Err(bad) = declared(&words[..length]) {
            assert!(bad.word <= length, "{bad}");
        }
    }
}

#[test]
fn truncated_module_is_refused_with_a_word_index() {
    let (_, layout) = blocks().swap_remove(0);
    let (_, produced) = planned(&layout);
    truncated_everywhere(&produced.words);
    let bad = declared(&produced.words[..3]).unwrap_err();
    assert_eq!(bad.to_string(), "word 3: the header has 5 words, the module 3");
    let bad = declared(&[0x0203_0723]).unwrap_err();
    assert_eq!(bad.word, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn model_agrees_with_random_blocks(layout in any_block()) {
        prop_assume!(!plan(&layout, &layout.leaves(), &spaces()).entries.is_empty());
        let (plan, results) = run(&layout, &mut Model::new());
        prop_assert_eq!(differences(&plan, &results), Vec::<String>::new());
    }

    #[test]
    fn nonsense_never_panics(
        layout in any_block(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>(), 0..3_u32), 1..6),
    ) {
        prop_assume!(!plan(&layout, &layout.leaves(), &spaces()).entries.is_empty());
        let (plan, mut produced) = planned(&layout);
        for (place, word, kind) in changes {
            let place = place.index(produced.words.len());
            let old = produced.words[place];
            produced.words[place] = match kind {
                0 => word,
                1 => old ^ (1 << (word % 32)),
                _ => word % 512,
            };
        }
        let listed = declared(&produced.words);
        let ran = compiled(&layout, &plan, &Shader::Spirv(produced.words.clone()), Interface::default());
        // Any answer is valid data, and a module of this size ends within its budget.
        prop_assert!(listed.is_ok() || listed.is_err_and(|bad| bad.word <= produced.words.len()));
        prop_assert!(ran.is_ok() || !plan.leaves.is_empty());
    }
}
