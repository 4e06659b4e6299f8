//! Programs for hand-made placements on the model device: they find every place and notice every
//! swap.

use layoutproof_device::{Batch, BufferAfter, JobBuffer, ReadBack, Runner, Shader};
use layoutproof_generators::binding::{spirv, wgsl};
use layoutproof_model::{BINDING_MISREADINGS, Misreading, Model};
use layoutproof_probes::binding::{BindingAnswer, BindingPlan, BindingProgram, BindingSite, job, observe, programs};
use layoutproof_probes::image::nonce_word;

use crate::fixture::bound::{EVERYTHING, EVERYWHERE, SWAPPED, SWAPPED_PLACES, VARYING_PLACES, VARYINGS, planned};

/// The model's observations for every program of a plan, in order.
fn run(plan: &BindingPlan, misreading: Option<Misreading>) -> Vec<Vec<BindingAnswer>> {
    let programs = programs(plan);
    let nonces = (1..).map(nonce_word);
    let job = |(program, nonce): (&BindingProgram, u32)| job(program, Shader::Spirv(spirv::module(program)), nonce);
    let batch = Batch { jobs: programs.iter().zip(nonces).map(job).collect() };
    let answers = misreading.map_or_else(Model::new, Model::with_misreading).run(&batch);
    let each = programs.iter().zip(&batch.jobs).zip(answers);
    each.map(|((program, job), answer)| observe(program, job, &answer.expect("the model runs it")).expect("it ran"))
        .collect()
}

#[test]
fn every_kind_of_resource_is_read_where_it_is() {
    let plan = planned(EVERYTHING, EVERYWHERE);
    assert_eq!(plan.skipped, []);
    let seen = run(&plan, None);
    let whole = &seen[0];
    // One per row, one more for `cb` and for `s1`, two more for `t2`.
    assert_eq!(whole.len(), EVERYWHERE.len() + 4);
    let wrong: Vec<String> = seen.iter().flatten().filter(|seen| !seen.is_right()).map(ToString::to_string).collect();
    assert_eq!(wrong, [] as [String; 0]);
}

#[test]
fn every_swap_is_noticed_and_names_both_places() {
    let expected = [
        (
            "swapped-bindings",
            [
                "set 0 binding 1 gave 0x50000500, the word of set 0 binding 5",
                "set 0 binding 5 gave 0x50000100, the word of set 0 binding 1",
            ],
        ),
        (
            "swapped-sets",
            [
                "set 0 binding 1 gave 0x50800000, the word of set 2 binding 0",
                "set 2 binding 0 gave 0x50000100, the word of set 0 binding 1",
            ],
        ),
        (
            "swapped-elements",
            [
                "set 0 binding 1 gave 0x50000101, the word of set 0 binding 1 element 1",
                "set 0 binding 1 element 1 gave 0x50000100, the word of set 0 binding 1",
            ],
        ),
    ];
    assert_eq!(BINDING_MISREADINGS.len(), expected.len());
    for (name, wrong) in expected {
        let seen = run(&planned(SWAPPED, SWAPPED_PLACES), Misreading::find(name));
        let found: Vec<String> = seen[0].iter().filter(|seen| !seen.is_right()).map(ToString::to_string).collect();
        assert_eq!(found, wrong, "{name}");
    }
}

#[test]
fn each_kind_of_descriptor_shows_its_swap() {
    for (text, rows) in [
        ("cbuffer A { int a; } cbuffer B { int b; }", [("A", "set 0 binding 0"), ("B", "set 0 binding 1")]),
        ("ByteAddressBuffer A, B;", [("A", "set 0 binding 0"), ("B", "set 0 binding 1")]),
        ("TextureCube A, B;", [("A", "set 0 binding 0"), ("B", "set 0 binding 1")]),
        ("RWTexture2D<float4> A, B;", [("A", "set 0 binding 0"), ("B", "set 0 binding 1")]),
        ("Buffer<int> A, B;", [("A", "set 0 binding 0"), ("B", "set 0 binding 1")]),
        ("SamplerState A, B;", [("A", "set 0 binding 0"), ("B", "set 0 binding 1")]),
        ("SamplerComparisonState A, B;", [("A", "set 0 binding 0"), ("B", "set 0 binding 1")]),
        ("Sampler2D A, B;", [("A", "set 0 binding 0"), ("B", "set 0 binding 1")]),
    ] {
        let seen = run(&planned(text, &rows), Misreading::find("swapped-bindings"));
        let wrong = seen.iter().flatten().filter(|seen| !seen.is_right()).count();
        assert_eq!(wrong, 2, "{text}");
    }
}

#[test]
fn constants_take_the_value_of_their_id() {
    let plan = planned(
        "[[vk::constant_id(3)]] const int a = 1; [[vk::constant_id(7)]] const int b = 2;",
        &[("a", "constant-id 3"), ("b", "constant-id 7")],
    );
    let seen = run(&plan, None);
    let sites: Vec<_> = seen[0].iter().map(BindingAnswer::site).collect();
    assert_eq!(sites, [Some(BindingSite::Constant { id: 3 }), Some(BindingSite::Constant { id: 7 })]);
}

#[test]
fn a_job_that_did_not_run_has_no_answers() {
    let plan = planned("Texture2D a;", &[("a", "set 0 binding 0")]);
    let program = &programs(&plan)[0];
    let job = job(program, Shader::Spirv(Vec::new()), nonce_word(9));
    let after = |buffer: &JobBuffer| BufferAfter { before: Vec::new(), bytes: buffer.bytes.clone(), after: Vec::new() };
    let buffers = job.buffers.iter().map(after).collect();
    let idle = ReadBack { buffers, targets: Vec::new(), messages: Vec::new() };
    let said = observe(program, &job, &idle).unwrap_err().to_string();
    assert_eq!(said, "the job did not run: its first word is 0xF111F111, not the nonce 0x600D0009");
}

/// The result of naga 30's validator for a program's WGSL.
fn naga_says(program: &BindingProgram) -> Result<(), String> {
    let text = wgsl::module(program);
    let module = naga::front::wgsl::parse_str(&text).map_err(|error| error.emit_to_string(&text))?;
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
    validator.validate(&module).map(|_| ()).map_err(|error| error.emit_to_string(&text))
}

#[test]
fn wgsl_of_every_resource_is_valid_and_the_rest_has_a_reason() {
    let plan = planned(EVERYTHING, EVERYWHERE).without(wgsl::not_expressible);
    let skipped: Vec<String> = plan.skipped.iter().map(|it| format!("{}: {}", it.path, it.reason)).collect();
    let expected = [
        "cb: an array of bindings, which WGSL has not",
        "t1a: an array of 1D textures, which WGSL has not",
        "t2: an array of bindings, which WGSL has not",
        "typed: a typed buffer, which WGSL has not",
        "rwtyped: a typed buffer, which WGSL has not",
        "s1: an array of bindings, which WGSL has not",
        "sc: a sampler that compares: WebGPU copies nothing to the depths that would tell it",
    ];
    assert_eq!(skipped, expected);
    for program in programs(&plan) {
        assert_eq!(naga_says(&program), Ok(()), "{}", wgsl::module(&program));
    }
}

#[test]
fn wgsl_of_draws_is_valid() {
    let programs = programs(&planned(VARYINGS, VARYING_PLACES));
    assert_eq!(programs.len(), 2);
    for program in programs {
        assert_eq!(naga_says(&program), Ok(()), "{}", wgsl::module(&program));
    }
}

#[test]
fn wgsl_has_one_variable_for_parameters_at_one_binding() {
    let plan = planned("Texture2D a; Texture2D b;", &[("a", "set 0 binding 2"), ("b", "set 0 binding 2")]);
    let text = wgsl::module(&programs(&plan)[0]);
    let declared: Vec<&str> = text.lines().filter(|line| line.contains("@binding(2)")).collect();
    assert_eq!(declared, ["@group(0) @binding(2) var r0: texture_2d<f32>;"]);
}
