//! Programs that show the Direct3D 12 registers in a compiler's code: the resources that they read,
//! how they read them, and their root signature.

use std::sync::Arc;

use layoutproof_bindings::SourceText;
use layoutproof_bindings::{BindingInvocation, BindingRequest, Convention, Target};
use layoutproof_core::check::{BindingCheck, Proof, Source};
use layoutproof_device::RegisterRange;
use layoutproof_layout::LayoutOptions;
use layoutproof_probes::image::REFILL_WORD;
use layoutproof_probes::reserved::Reserved;
use layoutproof_source::sources::LinePlace;

use crate::fixture::bound::module;

/// The proof of our rules' placement for some declarations.
fn proof(text: &str, convention: Convention) -> Proof {
    let source = Source {
        id: "bindings/registers".to_owned(),
        summary: "registers".to_owned(),
        place: LinePlace { file: "registers.toml".to_owned(), line: Some(3) },
        module: module(text),
        options: LayoutOptions::default(),
        expect: Vec::new(),
        accessed: Vec::new(),
        bind: Vec::new(),
        invocation: BindingInvocation::default(),
        rejects: Vec::new(),
        warns: Vec::new(),
        text: Some(SourceText { text: text.to_owned(), ..SourceText::default() }),
        included: None,
        reserved: Reserved::default(),
        assumes_sixteen_bit: false,
        is_case: true,
    };
    let request =
        BindingRequest { profile: Some("sm_6_6".to_owned()), ..BindingRequest::new(Target::D3d12, convention) };
    Proof::of_registers(&BindingCheck::new(Arc::new(source), request)).expect("a compiler binds so")
}

/// The statements of each program.
fn statements(proof: &Proof) -> Vec<Vec<&str>> {
    let body = |text: &'_ str| text.rfind("{\n").map_or(0, |start| start + 2);
    let sources = proof.modules.iter().map(|module| module.source.as_deref().expect("a source"));
    sources
        .map(|text| text[body(text)..].lines().map(str::trim).filter(|line| line.contains("Store")).collect())
        .collect()
}

/// The registers of the first program's root signature: `u1`, `t0[4] space2`.
fn ranges(proof: &Proof) -> Vec<String> {
    let told = |range: &RegisterRange| {
        let count = match range.count {
            Some(1) => String::new(),
            Some(count) => format!("[{count}]"),
            None => "[]".to_owned(),
        };
        format!("{}{}{count} space{}", range.class.letter(), range.first, range.space)
    };
    proof.modules[0].ranges.iter().map(told).collect()
}

fn reasons(proof: &Proof) -> Vec<&str> {
    proof.plan.skipped.iter().map(|skipped| skipped.reason.as_str()).collect()
}

#[test]
fn an_entry_point_s_own_parameters_are_read_under_their_names() {
    let text = "Texture2D a;\n[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main(uniform float4 x, uniform Texture2D t) {}\n";
    let proof = proof(text, Convention::Slang);
    assert_eq!(
        statements(&proof),
        [[
            "layoutproof_output.Store(8, asuint(a.Load(int3(0, 0, 0)).x));",
            "layoutproof_output.Store(12, asuint(x.x));",
            "layoutproof_output.Store(16, asuint(t.Load(int3(0, 0, 0)).x));",
            "layoutproof_output.Store(0, layoutproof_output.Load(4));",
        ]]
    );
    let source = proof.modules[0].source.as_deref().unwrap();
    assert!(source.contains("void read_bindings(uniform float4 x, uniform Texture2D t)"), "{source}");
}

#[test]
fn parameters_of_two_entry_points_are_left_out() {
    let entry =
        |name: &str| format!("[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid {name}(uniform Texture2D t) {{}}\n");
    let proof = proof(&format!("Texture2D a;\n{}{}", entry("first"), entry("second")), Convention::Slang);
    assert_eq!(reasons(&proof), ["a parameter of an entry point"; 2]);
    assert_eq!(statements(&proof)[0].len(), 2);
}

#[test]
fn samplers_that_compare_are_told_by_the_last_reference_that_passes() {
    let proof = proof("SamplerComparisonState a;\nSamplerComparisonState b;\n", Convention::Slang);
    let compared = |levels: u32, name: &str, reference: &str| {
        format!("layoutproof_levels{levels}.SampleCmpLevelZero({name}, float2(0.5, 0.5), {reference}) == 1.0")
    };
    // The words of s0 and s1; the refill follows.
    let words = |levels, name| {
        format!(
            "({} ? 1344274688u : ({} ? 1344274432u : {REFILL_WORD}u))",
            compared(levels, name, "0.1875"),
            compared(levels, name, "0.0625")
        )
    };
    let found = statements(&proof);
    let texture = |index: usize| proof.modules[0].program.tools.levels[index];
    assert_eq!(found[0][0], format!("layoutproof_output.Store(8, {});", words(texture(0), "a")));
    assert_eq!(found[0][1], format!("layoutproof_output.Store(12, {});", words(texture(1), "b")));
}

#[test]
fn the_parts_of_a_texture_with_a_sampler_are_read_apart() {
    let proof = proof("Sampler2D s;\n", Convention::Slang);
    let found = statements(&proof);
    assert_eq!(found[0][0], "layoutproof_output.Store(8, asuint(s.__getTexture().Load(int3(0, 0, 0)).x));");
    assert!(found[0][1].contains(".SampleLevel(s.__getSampler(), "), "{found:?}");
    assert_eq!(ranges(&proof), ["t0 space0", "s0 space0"]);
}

/// DXC binds only used parameters.
#[test]
fn what_cannot_be_read_is_used_where_unused_parameters_are_not_bound() {
    let text = "AppendStructuredBuffer<float> a;\nRWBuffer<float> b;\n[numthreads(1, 1, 1)]\nvoid main() { a.Append(b[0]); }\n";
    let dxc = proof(text, Convention::Dxc);
    assert_eq!(reasons(&dxc), ["a buffer that only appends or consumes"]);
    assert_eq!(ranges(&dxc), ["u0 space0", "u1 space0"]);
    let source = dxc.modules[0].source.as_deref().unwrap();
    assert!(
        source.contains("if (layoutproof_output.Load(4) == 0u) {") && source.contains("a.GetDimensions("),
        "{source}"
    );

    let slang = proof(text, Convention::Slang);
    assert_eq!(ranges(&slang), ["u1 space0"]);
    assert!(!slang.modules[0].source.as_deref().unwrap().contains("layoutproof_sum"));
}

#[test]
fn a_texture_buffer_has_a_program_of_its_own_where_all_is_bound() {
    let text = "tbuffer TB { float4 a; };\nTexture2D t;\n";
    let proof = proof(text, Convention::Slang);
    let read = |statements: &Vec<&str>| statements[0].to_owned();
    assert_eq!(
        statements(&proof).iter().map(read).collect::<Vec<_>>(),
        ["layoutproof_output.Store(8, asuint(t.Load(int3(0, 0, 0)).x));", "layoutproof_output.Store(8, asuint(a.x));"]
    );
}

#[test]
fn resources_in_a_constant_buffer_are_named_as_its_members() {
    let proof = proof("cbuffer C { float4 x; Texture2D<float> t; };\n", Convention::Slang);
    assert_eq!(
        statements(&proof)[0][..2],
        ["layoutproof_output.Store(8, asuint(x.x));", "layoutproof_output.Store(12, asuint(t.Load(int3(0, 0, 0)).x));"]
    );
}

/// DXC gives unused samplers no register, so the eighth one would be s0 in a program that omits the
/// others.
#[test]
fn a_program_uses_what_another_one_reads() {
    let nine = "SamplerState a0, a1, a2, a3, a4, a5, a6, a7, a8; float4 g;";
    let sources = |convention| {
        let proof = proof(nine, convention);
        proof.modules.into_iter().map(|module| module.source.expect("a source")).collect::<Vec<_>>()
    };
    let of_dxc = sources(Convention::Dxc);
    assert_eq!(of_dxc.len(), 2);
    let sampled = |text: &str| (0..9).filter(|number| text.contains(&format!("SampleLevel(a{number},"))).count();
    assert_eq!(of_dxc.iter().map(|text| sampled(text)).collect::<Vec<_>>(), [9, 9]);
    // Slang also binds unused parameters.
    assert_eq!(sources(Convention::Slang).iter().map(|text| sampled(text)).collect::<Vec<_>>(), [7, 2]);
}
