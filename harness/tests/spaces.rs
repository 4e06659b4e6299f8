//! Rarer address spaces and stages on the model device: blocks in arrays of buffers, at addresses, in
//! shader records, and in draws.

use std::collections::BTreeSet;

use layoutproof_device::{
    AddressHolder, Batch, BufferKind, Feature, JobAddress, JobBuffer, RecordStage, Runner, Trace,
};
use layoutproof_generators::spirv::{caller, produce};
use layoutproof_layout::BlockLayout;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_model::{Misreading, Model, compiled};
use layoutproof_probes::{
    AddressSpace, BLOCK_ELEMENT, BoundRange, CALLER, Direction, Form, Interface, NOTHING, Observed, POINT, PlanShader,
    PointerHolder, ProbeJob, ProbePlan, Stage, jobs, observe, plan_in,
};

use crate::fixture::{self, array, block, blocks, scalar, structure, vector};

const PLACES: [(AddressSpace, Stage); 17] = [
    (AddressSpace::UniformElement, Stage::Compute),
    (AddressSpace::InlineUniform, Stage::Compute),
    (AddressSpace::HeapUniform, Stage::Compute),
    (AddressSpace::HeapStorage, Stage::Compute),
    (AddressSpace::StorageElement, Stage::Compute),
    (AddressSpace::Address, Stage::Compute),
    (AddressSpace::ShaderRecord, Stage::RayGeneration),
    (AddressSpace::ShaderRecord, Stage::Record(RecordStage::Callable)),
    (AddressSpace::ShaderRecord, Stage::Record(RecordStage::Miss)),
    (AddressSpace::ShaderRecord, Stage::Record(RecordStage::ClosestHit)),
    (AddressSpace::ShaderRecord, Stage::Record(RecordStage::AnyHit)),
    (AddressSpace::ShaderRecord, Stage::Record(RecordStage::Intersection)),
    (AddressSpace::Workgroup, Stage::Compute),
    (AddressSpace::Uniform, Stage::Vertex),
    (AddressSpace::Storage, Stage::Vertex),
    (AddressSpace::Uniform, Stage::Fragment),
    (AddressSpace::Storage, Stage::Fragment),
];

fn planned(layout: &BlockLayout, space: AddressSpace, stage: Stage) -> (ProbePlan, Vec<ProbeJob>) {
    let plan = plan_in(layout, &layout.leaves(), &[(space, stage)].into());
    if plan.entries.is_empty() {
        return (plan, Vec::new());
    }
    let produced = produce(layout, &plan).expect("a planned block can be written");
    let requires = produced.requires();
    let shader = produced.shader();
    let probes = jobs(
        layout,
        &plan,
        PlanShader { shader: &shader, requires: &requires, interface: Interface::default(), caller },
    );
    (plan, probes.expect("blocks of the fixture have images"))
}

fn small() -> BlockLayout {
    block(structure("S", vec![("a", 0, vector(fixture::FLOAT, 3)), ("b", 16, scalar(fixture::UINT))]))
}

fn run(plan: &ProbePlan, probe: &ProbeJob) -> Observed {
    run_on(&mut Model::new(), plan, probe)
}

fn run_on(model: &mut Model, plan: &ProbePlan, probe: &ProbeJob) -> Observed {
    let batch = Batch { jobs: probe.runs.iter().map(|run| run.job.clone()).collect() };
    let answers = model.run(&batch).into_iter();
    let answers: Vec<_> = answers.map(|answer| answer.expect("the model runs what was generated")).collect();
    observe(plan, probe, &answers)
}

#[test]
fn model_agrees_everywhere() {
    for (space, stage) in PLACES {
        let mut leaves = 0;
        for (name, layout) in blocks() {
            let (plan, probes) = planned(&layout, space, stage);
            for probe in &probes {
                let observed = run(&plan, probe);
                assert_eq!(observed.problems, [], "{name} {}", probe.entry.name);
                for seen in observed.observations {
                    let leaf = &plan.leaves[seen.leaf as usize];
                    assert_eq!(
                        (seen.offset, seen.note),
                        (Some(leaf.offset), None),
                        "{name} {} {leaf:?}",
                        probe.entry.name
                    );
                    leaves += 1;
                }
            }
        }
        assert!(leaves > 100, "{space:?} in {stage:?} has {leaves} leaves");
    }
}

/// A device on which blocks start 4 bytes late does so in every space and stage.
#[test]
fn faults_show_everywhere() {
    for (space, stage) in PLACES {
        let (plan, probes) = planned(&small(), space, stage);
        let mut model = Model::with_misreading(Misreading::find("shifted").expect("the fault is in the catalogue"));
        let observed = run_on(&mut model, &plan, &probes[0]);
        let offsets = observed.observations[..4].iter().map(|seen| seen.offset);
        // Nothing follows an inline block, so its last leaf would be outside.
        let last = (space != AddressSpace::InlineUniform).then_some(20);
        assert_eq!(offsets.collect::<Vec<_>>(), [Some(4), Some(8), Some(12), last], "{space:?} in {stage:?}");
    }
}

#[test]
fn modules_say_where_they_lead() {
    for (space, stage) in PLACES {
        let layout = small();
        let (plan, probes) = planned(&layout, space, stage);
        let found = compiled(&layout, &plan, &probes[0].runs[0].job.shader, Interface::default()).unwrap();
        let offsets = found[0].1.observations[..4].iter().map(|seen| seen.offset);
        assert_eq!(offsets.collect::<Vec<_>>(), [0, 4, 8, 16].map(Some), "{space:?} in {stage:?}");
    }
}

/// The block is the last element. The others have the same length and contain no data of an image.
#[test]
fn arrays_of_buffers_are_filled() {
    let (_, probes) = planned(&small(), AddressSpace::StorageElement, Stage::Compute);
    let at_block = |buffer: &&JobBuffer| buffer.binding == 0;
    for probe in &probes {
        let job = &probe.runs[0].job;
        let buffers: Vec<_> = job.buffers.iter().filter(at_block).collect();
        let elements: Vec<u32> = buffers.iter().map(|buffer| buffer.element).collect();
        assert_eq!(elements, [0, 1, 2, BLOCK_ELEMENT]);
        assert_eq!(buffers[2].bytes[..4], 0xE1E1_E1E2_u32.to_le_bytes());
        assert_eq!(buffers[2].bytes.len(), buffers[3].bytes.len());
        let kind = match probe.entry.direction {
            Direction::Read => BufferKind::StorageRead,
            Direction::Write => BufferKind::Storage,
        };
        assert!(buffers.iter().all(|buffer| buffer.kind == kind));
        assert_eq!(job.requires, BTreeSet::from([Feature::StorageBufferArray]));
    }
}

/// Exchanges elements 0 and 3, as a device with the wrong descriptor would.
#[test]
fn another_element_is_named() {
    let (plan, mut probes) = planned(&small(), AddressSpace::StorageElement, Stage::Compute);
    for run in probes.iter_mut().flat_map(|probe| &mut probe.runs) {
        let [first, last] = [0, BLOCK_ELEMENT as usize].map(|index| run.job.buffers[index].element);
        run.job.buffers[0].element = last;
        run.job.buffers[BLOCK_ELEMENT as usize].element = first;
    }
    let notes = |probe: &ProbeJob| -> Vec<_> {
        run(&plan, probe).observations.into_iter().map(|seen| (seen.offset, seen.note.unwrap_or_default())).collect()
    };
    let read = "read 0xE1E1E1E0, element 0 of the array of buffers".to_owned();
    assert_eq!(notes(&probes[0]), vec![(None, read); 4]);
    let written = probes.iter().find(|probe| probe.entry.direction == Direction::Write).unwrap();
    assert_eq!(notes(written), vec![(None, "written nowhere".to_owned()); 4]);
    let problems: Vec<String> = run(&plan, written).problems.iter().map(ToString::to_string).collect();
    let changed = "element 3 byte 0 changed from 0xE1E1E1E0 to 0xC0DE0000, data at byte 0".to_owned();
    assert!(problems.contains(&changed), "{problems:?}");
}

#[test]
fn addresses_stand_in_the_push_constants() {
    let (_, probes) = planned(&small(), AddressSpace::Address, Stage::Compute);
    let forms: Vec<_> = probes.iter().map(|probe| (probe.entry.direction, probe.entry.forms.clone())).collect();
    let read = (Direction::Read, vec![Form::Leaf, Form::Vector, Form::Whole]);
    let write = (Direction::Write, vec![Form::Leaf]);
    let untyped = [
        (Direction::Read, vec![Form::Untyped, Form::UntypedVector]),
        (Direction::Read, vec![Form::Retyped]),
        (Direction::Write, vec![Form::Untyped]),
        (Direction::Write, vec![Form::Retyped]),
    ];
    // Copies are read where there is something to index.
    assert_eq!(forms, [&[read.clone(), read, write.clone(), write][..], &untyped].concat());
    for job in probes.iter().flat_map(|probe| &probe.runs).map(|run| &run.job) {
        assert_eq!(job.buffers[0].kind, BufferKind::Address { alignment: 4 });
        let holder = AddressHolder::PushConstants;
        assert_eq!(job.addresses, [JobAddress { holder, at: 0, buffer: 0, target: 0 }]);
        assert_eq!(job.push_constants, [0; 8]);
        let untyped = Feature::UntypedPointers;
        assert_eq!(job.requires, BTreeSet::from([Feature::BufferDeviceAddress, Feature::PushConstants, untyped]));
    }
}

/// The ray generation has the address in its record, after bytes of its own.
#[test]
fn a_record_can_hold_the_address() {
    let (plan, probes) = planned(&small(), AddressSpace::Address, Stage::RayGeneration);
    let directions: Vec<_> = probes.iter().map(|probe| probe.entry.direction).collect();
    assert_eq!(directions, [Direction::Read, Direction::Read, Direction::Write, Direction::Write]);
    for probe in &probes {
        let observed = run(&plan, probe);
        assert_eq!(observed.problems, [], "{}", probe.entry.name);
        let offsets = observed.observations[..4].iter().map(|seen| seen.offset);
        assert_eq!(offsets.collect::<Vec<_>>(), [0, 4, 8, 16].map(Some), "{}", probe.entry.name);

        let job = &probe.runs[0].job;
        let [record, block] = [0, 1].map(|index| &job.buffers[index]);
        assert_eq!((record.kind, record.bytes.len()), (BufferKind::ShaderRecord, 16));
        assert_eq!(block.kind, BufferKind::Address { alignment: 4 });
        let holder = AddressHolder::ShaderRecords;
        assert_eq!(job.addresses, [JobAddress { holder, at: 8, buffer: 1, target: 0 }]);
        assert_eq!((&job.trace, job.push_constants.len()), (&Some(Trace { reached: None }), 0));
    }
}

#[test]
fn a_ray_generation_has_its_own_record() {
    let (_, probes) = planned(&small(), AddressSpace::ShaderRecord, Stage::RayGeneration);
    for probe in &probes {
        // A device does not know where a record's data ends, so there is no exact range.
        assert_eq!(probe.range, BoundRange::Guarded);
        let job = &probe.runs[0].job;
        assert_eq!((job.entry.as_str(), &job.trace), (probe.entry.name.as_str(), &Some(Trace { reached: None })));
        assert_eq!((job.buffers[0].kind, job.buffers[0].element), (BufferKind::ShaderRecord, 0));
        assert_eq!(job.requires, BTreeSet::from([Feature::RayTracingPipeline]));
    }
}

/// A device that takes another distance of the records, or none, reads the data of another record.
#[test]
fn a_reached_stage_has_the_last_record_of_a_table() {
    for stage in Stage::ALL.into_iter().filter(Stage::is_reached) {
        check_last_record(stage);
    }
}

fn check_last_record(stage: Stage) {
    let (plan, probes) = planned(&small(), AddressSpace::ShaderRecord, stage);
    let [probe] = &probes[..] else { panic!("{} probes", probes.len()) };
    let job = &probe.runs[0].job;
    let reached =
        job.trace.as_ref().and_then(|trace| trace.reached.as_ref()).expect("the ray generation reaches a stage");
    assert_eq!((job.entry.as_str(), &reached.entry), (CALLER, &probe.entry.name));
    assert_eq!(Some(reached.stage), stage.record_stage());
    // A ray needs the address of what it meets.
    assert_eq!(job.push_constants.len(), if reached.stage == RecordStage::Callable { 0 } else { 8 });
    let records = job.buffers.iter().filter(|buffer| buffer.kind == BufferKind::ShaderRecord);
    assert_eq!(records.map(|record| record.element).collect::<Vec<_>>(), [0, 1, 2, BLOCK_ELEMENT]);

    let fault = Misreading::find("record-index-ignored").expect("the fault is in the catalogue");
    let observed = run_on(&mut Model::with_misreading(fault), &plan, probe);
    let notes = observed.observations.into_iter().map(|seen| (seen.offset, seen.note.unwrap_or_default()));
    let read = "read 0xE1E1E1E0, element 0 of the array of buffers".to_owned();
    assert_eq!(notes.collect::<Vec<_>>(), vec![(None, read); 4]);
}

#[test]
fn draws_have_both_stages() {
    for (stage, vertex, fragment, stores) in [
        (Stage::Vertex, "read_uniform_vertex", NOTHING, Feature::VertexStores),
        (Stage::Fragment, POINT, "read_uniform_fragment", Feature::FragmentStores),
    ] {
        let (_, probes) = planned(&small(), AddressSpace::Uniform, stage);
        let job = &probes[0].runs[0].job;
        assert_eq!((job.entry.as_str(), job.draw.as_ref().unwrap().fragment.as_str()), (vertex, fragment));
        assert_eq!(job.requires, BTreeSet::from([Feature::Graphics, stores]));
    }
}

/// Specialization constants size the arrays of the copy. Their default is 1, so a pipeline that
/// leaves them alone loses elements.
#[test]
fn pipelines_set_the_lengths_of_arrays() {
    let rows = array(array(scalar(fixture::FLOAT), 3, 4), 2, 12);
    let layout = block(structure("S", vec![("a", 0, rows)]));
    let (plan, probes) = planned(&layout, AddressSpace::Storage, Stage::Compute);
    let sized = probes.iter().find(|probe| probe.entry.forms == [Form::Sized]).unwrap();
    assert_eq!(sized.runs[0].job.constants, [(2, 2), (3, 3)].into());
    let offsets = run(&plan, sized).observations.into_iter().map(|seen| seen.offset);
    assert_eq!(offsets.collect::<Vec<_>>(), [0, 4, 8, 12, 16, 20].map(Some));

    let fault = Misreading::find("array-specialization-ignored").expect("the fault is in the catalogue");
    let observed = run_on(&mut Model::with_misreading(fault), &plan, sized);
    let offsets = observed.observations.into_iter().map(|seen| seen.offset);
    assert_eq!(offsets.collect::<Vec<_>>(), [Some(0), None, None, None, None, None]);
}

/// The forms of the leaves that `observed` misplaces.
fn misplaced(plan: &ProbePlan, observed: &Observed) -> BTreeSet<Form> {
    let wrong = observed.observations.iter().filter(|seen| seen.offset != Some(plan.leaves[seen.leaf as usize].offset));
    wrong.map(|seen| seen.form).collect()
}

/// The forms that show a fault, in each space.
fn shown(layout: &BlockLayout, fault: &str, space: AddressSpace) -> BTreeSet<Form> {
    let (plan, probes) = planned(layout, space, Stage::Compute);
    let fault = Misreading::find(fault).expect("the fault is in the catalogue");
    let seen =
        probes.iter().flat_map(|probe| misplaced(&plan, &run_on(&mut Model::with_misreading(fault), &plan, probe)));
    seen.collect()
}

/// `SPV_KHR_untyped_pointers`: the indices of an access chain walk its own type. In push constants and
/// workgroup memory the declared type is of words, so that no index fits both.
#[test]
fn a_device_that_follows_the_declared_type_is_noticed() {
    for space in [AddressSpace::Uniform, AddressSpace::Storage, AddressSpace::Address] {
        assert_eq!(shown(&small(), "untyped-declaration-followed", space), [Form::Retyped].into(), "{space:?}");
    }
}

/// The access chain says how far apart the columns of a matrix are, and the load that the value is one.
#[test]
fn a_device_that_forgets_the_stride_of_matrices_is_noticed() {
    let matrix = fixture::matrix(fixture::FLOAT, 3, 2, MatrixOrder::Column, 16);
    let layout = block(structure("S", vec![("m", 0, matrix), ("x", 32, scalar(fixture::FLOAT))]));
    for space in [AddressSpace::Uniform, AddressSpace::Storage, AddressSpace::PushConstant, AddressSpace::Workgroup] {
        assert_eq!(shown(&layout, "untyped-matrices-tight", space), [Form::Retyped].into(), "{space:?}");
    }
}

/// Code of a compiler may have the address of the block in memory that another pointer leads to.
#[test]
fn addresses_can_lead_through_other_memory() {
    let (plan, probes) = planned(&small(), AddressSpace::Address, Stage::Compute);
    let (pushed, between) = (PointerHolder { at: 16, size: 24 }, PointerHolder { at: 8, size: 32 });
    let interface = Interface { pushed, between: Some(between), ..Interface::default() };
    let (shader, requires) = (&probes[0].runs[0].job.shader, BTreeSet::new());
    let shader = PlanShader { shader, requires: &requires, interface, caller };
    for job in jobs(&small(), &plan, shader).unwrap().iter().flat_map(|probe| &probe.runs).map(|run| &run.job) {
        let to_memory = JobAddress { holder: AddressHolder::PushConstants, at: 16, buffer: 0, target: 0 };
        let to_block = JobAddress { holder: AddressHolder::Buffer(0), at: 8, buffer: 1, target: 0 };
        assert_eq!(job.addresses, [to_memory, to_block]);
        assert_eq!((job.push_constants.len(), job.buffers[0].bytes.len()), (24, 32));
    }
}

/// The bytes are in the descriptor set, which holds few.
#[test]
fn small_blocks_are_bound_inline() {
    let (_, probes) = planned(&small(), AddressSpace::InlineUniform, Stage::Compute);
    for job in probes.iter().flat_map(|probe| &probe.runs).map(|run| &run.job) {
        let block = &job.buffers[0];
        assert_eq!((block.kind, block.bytes.len()), (BufferKind::InlineUniform, 20));
        assert_eq!(job.requires, BTreeSet::from([Feature::InlineUniformBlock]));
    }
    let matrix = array(vector(fixture::FLOAT, 4), 17, 16);
    let large = block(structure("S", vec![("a", 0, matrix)]));
    assert!(planned(&large, AddressSpace::InlineUniform, Stage::Compute).1.is_empty());
}

/// The other descriptors before the block's lead to memory that names itself, and output and input keep their bindings.
#[test]
fn a_block_is_at_its_number_of_the_heap() {
    let kinds =
        [(AddressSpace::HeapUniform, BufferKind::HeapUniform), (AddressSpace::HeapStorage, BufferKind::HeapStorage)];
    for (space, kind) in kinds {
        let (_, probes) = planned(&small(), space, Stage::Compute);
        for job in probes.iter().flat_map(|probe| &probe.runs).map(|run| &run.job) {
            let (in_heap, bound): (Vec<_>, Vec<_>) = job.buffers.iter().partition(|buffer| buffer.kind == kind);
            assert_eq!(in_heap.iter().map(|buffer| buffer.element).collect::<Vec<_>>(), [0, 1, 2, BLOCK_ELEMENT]);
            assert_eq!(in_heap[1].bytes[..4], 0xE1E1_E1E1_u32.to_le_bytes());
            assert_eq!(bound.iter().map(|buffer| buffer.binding).collect::<Vec<_>>(), [1, 2]);
            assert_eq!(job.requires, BTreeSet::from([Feature::DescriptorHeap, Feature::UntypedPointers]));
        }
    }
}
