//! Bindings on Vulkan; every number and message is from DXC 1.7.2308 (`-T cs_6_6 -spirv -Vd`, decorations and
//! diagnostics).

use super::shader_with;
use crate::Target;

/// Omits `binding`, as in `T 0 set 2`.
fn with(options: &[&str], declarations: &str, statements: &str) -> Vec<String> {
    let rows = shader_with(Target::Vulkan, options, declarations, statements);
    rows.into_iter().map(|row| row.replace("binding", "").replace("space", "set")).collect()
}

fn shader(declarations: &str, statements: &str) -> Vec<String> {
    with(&[], declarations, statements)
}

#[test]
fn unused_resources_take_numbers() {
    assert_eq!(shader("RWBuffer<float4> U; Texture2D T; Texture2D T2;", "U[0] = T2.Load(0);"), ["U 0", "T2 2"]);
    let declarations = "Texture2D T; float g; Texture2D T2; RWBuffer<float4> U; cbuffer C { float z; }
        tbuffer B { float y; }";
    assert_eq!(shader(declarations, "U[0] = T2.Load(0);"), ["T2 2", "U 3"]);
}

#[test]
fn a_cbuffer_of_static_members_takes_a_number() {
    let declarations = "cbuffer E1 { }; cbuffer E2 { static float k = 3; }; Texture2D T;
        cbuffer E3 { static const int N = 3; }; cbuffer R { float4 c; }; RWBuffer<float4> U;";
    assert_eq!(shader(declarations, "U[0] = c * T.Load(0);"), ["T 1", "R 3", "U 4"]);
}

#[test]
fn attributes_come_before_registers_before_the_rest() {
    let declarations = "[[vk::binding(3)]] Texture2D T0; [[vk::binding(4, 2)]] Texture2D T1 : register(t9, space5);
        Texture2D T2; [[vk::binding(0)]] RWBuffer<float4> U;
        [[vk::binding(7)]] Texture2D T3 : register(t1, space1); cbuffer C { float4 c; };";
    let statements = "U[0] = T0.Load(0) + T1.Load(0) + T2.Load(0) + T3.Load(0) + c;";
    assert_eq!(shader(declarations, statements), ["T0 3", "T1 4 set2", "T2 1", "U 0", "T3 7", "C 2"]);
    let rows = with(&["-auto-binding-space 4"], declarations, statements);
    assert_eq!(rows, ["T0 3 set4", "T1 4 set2", "T2 1 set4", "U 0 set4", "T3 7 set4", "C 2 set4"]);
}

#[test]
fn written_numbers_may_collide() {
    let declarations = "Texture2D T : register(t0); RWBuffer<float4> U : register(u0); cbuffer C : register(b0) {
        float z; } SamplerState S : register(s0); Texture2D T2;";
    let rows = shader(declarations, "U[0] = T.SampleLevel(S, 0, 0) + z + T2.Load(0);");
    assert_eq!(rows, ["T 0", "U 0", "C 0", "S 0", "T2 1"]);
    // 2^32 - 1 is an ordinary number here.
    let rows = shader("Texture2D A : register(t4294967295); RWBuffer<float4> U;", "U[0] = A.Load(0);");
    assert_eq!(rows, ["A 4294967295", "U 0"]);
}

#[test]
fn shifts_are_for_registers() {
    let declarations = "Texture2D T0 : register(t1); Texture2D T1 : register(t1, space1); Texture2D T2;
        Texture2D T3 : register(space1); RWBuffer<float4> U; cbuffer C { float4 c; }
        cbuffer D : register(b2, space1) { float4 d; } SamplerState S; float4 g;";
    let statements = "U[0] = T0.Load(0) + T1.Load(0) + T2.SampleLevel(S, 0, 0) + T3.Load(0) + c + d + g;";
    let rows = with(&["-fvk-t-shift 10 0", "-fvk-u-shift 20 all", "-fvk-b-shift 30 1"], declarations, statements);
    let expected = ["T0 11", "T1 1 set1", "T2 0", "T3 0 set1", "U 1", "C 2", "D 32 set1", "S 3", "$Globals 4"];
    assert_eq!(rows, expected);
    let automatic = ["-fvk-t-shift 10 all", "-fvk-auto-shift-bindings", "-fvk-u-shift 20 all"];
    let expected = ["T0 11", "T1 11 set1", "T2 10", "T3 10 set1", "U 20", "C 0", "D 2 set1", "S 1", "$Globals 2"];
    assert_eq!(with(&automatic, declarations, statements), expected);
    let automatic = ["-fvk-s-shift 3 all", "-fvk-b-shift 7 0", "-fvk-auto-shift-bindings"];
    let expected = ["T0 1", "T1 1 set1", "T2 0", "T3 0 set1", "U 2", "C 7", "D 2 set1", "S 3", "$Globals 8"];
    assert_eq!(with(&automatic, declarations, statements), expected);
    let twice = with(&["-fvk-t-shift 10 all", "-fvk-t-shift 5 0"], declarations, statements);
    assert_eq!(twice, ["error: setting all sets via -fvk-t-shift argument should be used alone"]);
    let last = with(&["-fvk-t-shift 10 0", "-fvk-t-shift 5 0"], declarations, statements);
    assert_eq!(last[0], "T0 6");
}

#[test]
fn loose_globals_stand_where_the_first_one_does() {
    let declarations = "Texture2D T0; RWBuffer<float4> U; float4 g; Texture2D T1; float4 h;";
    let statements = "U[0] = T0.Load(0) + T1.Load(0) + g + h;";
    assert_eq!(shader(declarations, statements), ["T0 0", "U 1", "$Globals 2", "T1 3"]);
    let rows = with(&["-fvk-bind-globals 5 2"], declarations, statements);
    assert_eq!(rows, ["T0 0", "U 1", "$Globals 5 set2", "T1 2"]);
    // `-fvk-bind-globals` does not reserve its number.
    let rows = with(&["-fvk-bind-globals 1 0"], declarations, statements);
    assert_eq!(rows, ["T0 0", "U 1", "$Globals 1", "T1 2"]);
}

#[test]
fn arrays_take_one_binding_or_all() {
    let declarations = "Texture2D A[3]; Texture2D C; Texture2D D[2][2]; RWBuffer<float4> U;
        SamplerState S[2] : register(s1); Texture2D E[2] : register(t20);";
    let statements = "U[0] = A[1].Load(0) + C.SampleLevel(S[1], 0, 0) + D[1][0].Load(0) + E[0].Load(0);";
    assert_eq!(shader(declarations, statements), ["A 0", "C 2", "D 3", "U 4", "S 1", "E 20"]);
    let rows = with(&["-fspv-flatten-resource-arrays"], declarations, statements);
    assert_eq!(rows, ["A 3[3]", "C 0", "D 6[4]", "U 10", "S 1[2]", "E 20[2]"]);
}

#[test]
fn structs_fall_apart_in_declaration_order() {
    let declarations = "struct I { Texture2D x; Texture2D y[2]; };
        struct S { Texture2D a; Texture2D b[3]; I i[2]; SamplerState q; }; S s; Texture2D G; RWBuffer<float4> U;";
    let statements = "U[0] = s.a.Load(0) + s.b[1].Load(0) + s.i[1].x.Load(0) + s.i[1].y[1].Load(0)
        + G.SampleLevel(s.q, 0, 0);";
    let expected = ["s.a 0", "s.b[1] 2", "s.i[1].x 7", "s.i[1].y[1] 9", "s.q 10", "G 11", "U 12"];
    assert_eq!(shader(declarations, statements), expected);
    // If DXC splits a struct, it also splits arrays.
    let arrays = "struct S { Texture2D a; }; S s; Texture2D A[3]; RWBuffer<float4> U;";
    assert_eq!(shader(arrays, "U[0] = A[1].Load(0) + s.a.Load(0);"), ["s.a 0", "A 1[3]", "U 4"]);
    // The first register counts for all classes, and its class is the one that a shift moves.
    let declarations = "struct S { Texture2D a; RWBuffer<float> u; SamplerState q; };
        S s : register(u5) : register(t2); RWBuffer<float4> U;";
    let statements = "U[0] = s.a.SampleLevel(s.q, 0, 0) + s.u[0];";
    let rows = with(&["-fvk-t-shift 10 all", "-fvk-u-shift 100 all"], declarations, statements);
    assert_eq!(rows, ["s.a 105", "s.u 106", "s.q 107", "U 0"]);
    let dynamic = "struct S { Texture2D a; Texture2D b[2]; }; S x[2] : register(t5); RWBuffer<float4> U;";
    let rows = shader(dynamic, "int k = U[1].x; U[0] = x[k].a.Load(0);");
    assert_eq!(rows, ["x[0].a 5", "x[1].a 8", "U 0"]);
}

/// The variable after a struct with a base overlaps it.
#[test]
fn base_structs_keep_no_numbers() {
    let declarations = "struct P { Texture2D p; Texture2D p2[2]; }; struct S : P { Texture2D a; };
        S x : register(t2); RWBuffer<float4> U; Texture2D G; S y;";
    let statements = "U[0] = x.a.Load(0) + x.p.Load(0) + G.Load(0) + y.p2[1].Load(0) + y.a.Load(0);";
    assert_eq!(shader(declarations, statements), ["x.p 2", "x.a 5", "U 0", "G 1", "y.p2[1] 5", "y.a 6"]);
}

#[test]
fn some_structs_have_no_spirv() {
    let mixed = shader("struct S { Texture2D a; float4 d; }; S s; RWBuffer<float4> U;", "U[0] = s.a.Load(0);");
    assert_eq!(mixed, ["error: global structures containing both resources and non-resources are not supported"]);
    let both = shader("struct S { float4 d; StructuredBuffer<float4> b; }; S s; RWBuffer<float4> U;", "U[0] = s.b[0];");
    assert_eq!(both, mixed);
    let buffers = "struct V { float4 x; }; struct S { ConstantBuffer<V> b; }; S s; RWBuffer<float4> U;";
    let rows = shader(buffers, "U[0] = s.b.x;");
    assert_eq!(rows, ["error: global structures containing buffers are not supported"]);
    let rows = shader("RWStructuredBuffer<float> A[2];", "A[0][0] = 1;");
    assert_eq!(rows, ["error: arrays of RW/append/consume structured buffers unsupported"]);
}

#[test]
fn resources_in_cbuffers_come_before_them() {
    let declarations = "Texture2D A; cbuffer C { Texture2D x; float4 c; Texture2D y : register(t9); } Texture2D B;
        cbuffer D { Texture2D z; } RWBuffer<float4> U;";
    let statements = "U[0] = A.Load(0) + B.Load(0) + x.Load(0) + y.Load(0) + z.Load(0) + c;";
    // A cbuffer without data takes no number.
    assert_eq!(shader(declarations, statements), ["A 0", "x 1", "y 9", "C 2", "B 3", "z 4", "U 5"]);
}

#[test]
fn counters() {
    let declarations = "AppendStructuredBuffer<float> A; RWStructuredBuffer<float> B; RWStructuredBuffer<float> C;
        ConsumeStructuredBuffer<float> D; Texture2D T; RWStructuredBuffer<float> E : register(u3);
        RWStructuredBuffer<float> F : register(u9, space2);
        [[vk::counter_binding(33)]] RWStructuredBuffer<float> H;";
    let statements = "A.Append(D.Consume()); C[B.IncrementCounter()] = T.Load(0).x; E.DecrementCounter();
        F.IncrementCounter(); H.IncrementCounter();";
    let counters: Vec<String> =
        shader(declarations, statements).into_iter().filter(|row| row.contains("$counter")).collect();
    let expected =
        ["A.$counter 1", "D.$counter 6", "B.$counter 9", "E.$counter 10", "F.$counter 0 set2", "H.$counter 33"];
    assert_eq!(counters, expected);
    // DXC compiles functions in the order in which it finds calls, the entry point first.
    let functions = "RWStructuredBuffer<float> A; RWStructuredBuffer<float> B; RWStructuredBuffer<float> C;
        RWStructuredBuffer<float> D; void h() { D.IncrementCounter(); } void f() { h(); C.IncrementCounter(); }
        void g() { A.IncrementCounter(); }";
    let rows = shader(functions, "f(); B[B.IncrementCounter()] = 1; g();");
    assert_eq!(rows, ["B 1", "B.$counter 4", "C.$counter 5", "A.$counter 6", "D.$counter 7"]);
}

#[test]
fn listed_registers_go_where_the_list_says() {
    let list = ["-fvk-bind-register t1 0 9 1", "-fvk-bind-register u0 0 8 1"];
    let declarations = "Texture2D T : register(t1); RWBuffer<float4> U : register(u0);";
    assert_eq!(with(&list, declarations, "U[0] = T.Load(0);"), ["T 9 set1", "U 8 set1"]);
    let rows = with(&list[..1], declarations, "U[0] = T.Load(0);");
    assert_eq!(rows, ["error: missing -fvk-bind-register for resource"]);
    let rows = with(&list, &format!("{declarations} Texture2D I;"), "U[0] = T.Load(0);");
    assert_eq!(rows, ["error: -fvk-bind-register requires register annotations on all resources"]);
    let rows = with(&list, &format!("{declarations} float4 g;"), "U[0] = T.Load(0) + g;");
    assert_eq!(rows, ["error: -fvk-bind-register requires Globals buffer to be bound with -fvk-bind-globals"]);
}

#[test]
fn combined_samplers_share_a_binding() {
    let declarations = "[[vk::combinedImageSampler]] [[vk::binding(5)]] Texture2D T;
        [[vk::combinedImageSampler]] [[vk::binding(5)]] SamplerState S;
        [[vk::combinedImageSampler]] Texture2D T1 : register(t1, space2);
        [[vk::combinedImageSampler]] SamplerState S1 : register(s1, space2); RWBuffer<float4> U;";
    let statements = "U[0] = T.SampleLevel(S, 0, 0) + T1.SampleLevel(S1, 0, 0);";
    let rows = with(&["-fvk-t-shift 10 all", "-fvk-s-shift 50 all"], declarations, statements);
    assert_eq!(rows, ["T 5", "S 5", "T1 11 set2", "S1 11 set2", "U 0"]);
    let alone = "[[vk::combinedImageSampler]] Texture2D T; RWBuffer<float4> U;";
    let message = "error: Texture or Sampler with [[vk::combinedImageSampler]] attribute is missing for descriptor set \
        and : 0, 0";
    assert_eq!(shader(alone, "U[0] = T.Load(0);"), [message]);
}

#[test]
fn push_constants_and_their_kin_have_no_binding() {
    let declarations = "struct P { float4 a; }; Texture2D T; [[vk::push_constant]] ConstantBuffer<P> q;
        [[vk::constant_id(3)]] const float k = 1; RWBuffer<float4> U;";
    let rows = shader(declarations, "U[0] = k * q.a + T.Load(0);");
    assert_eq!(rows, ["T 0", "U 1", "q push-constant0", "k constant-id3"]);
    let twice = "struct P { float4 a; }; [[vk::push_constant]] P p; [[vk::push_constant]] ConstantBuffer<P> q;";
    assert_eq!(shader(twice, "p.a;"), ["error: cannot have more than one push constant block"]);
}

/// DXC 1.7.2308.
#[test]
fn a_buffer_is_not_used_where_only_its_counter_is() {
    let declarations = "cbuffer C { RWStructuredBuffer<int> r; float f; }; RWBuffer<int> A;";
    assert_eq!(shader(declarations, "r.IncrementCounter(); A[0] = f;"), ["C 1", "A 2", "r.$counter 3"]);
    let declarations = "cbuffer C { AppendStructuredBuffer<int> r; float f; }; RWBuffer<int> A;";
    assert_eq!(shader(declarations, "r.Append(2); A[0] = f;"), ["r 0", "r.$counter 1", "C 2", "A 3"]);
    let options = ["-fvk-bind-register u0 0 5 0"];
    let error = "error: -fvk-bind-register for RW/Append/Consume StructuredBuffer unimplemented";
    assert_eq!(with(&options, "AppendStructuredBuffer<int> r : register(u0);", "r.Append(1);"), [error]);
}

/// `-T lib_6_6 -fspv-target-env=vulkan1.2` for the first, where the number of the record's class is
/// not a binding.
#[test]
fn records_and_lost_push_constants_have_no_binding() {
    let record =
        "struct S { float a; }; [[vk::shader_record_ext]] ConstantBuffer<S> r; Texture2D T; RWBuffer<float4> U;";
    assert_eq!(shader(record, "U[0] = T.Load(0) + r.a;"), ["T 0", "U 1", "r shader-record0"]);
    let pushed = "struct P { float4 a; }; [[vk::push_constant]] P p; float4 g; RWBuffer<float4> U;";
    assert_eq!(shader(pushed, "U[0] = p.a;"), ["$Globals 0", "U 1"]);
    let behind = "struct P { float4 a; }; float4 g; [[vk::push_constant]] P p; RWBuffer<float4> U;";
    assert_eq!(shader(behind, "U[0] = p.a + g;"), ["$Globals 0", "U 1", "p push-constant0"]);
}

/// DXC 1.7.2308, `-spirv -T cs_6_6`: `Unknown argument: '-fvk-bind-resource-heap'`.
#[test]
fn options_for_heaps_are_those_of_dxc_1_9() {
    for option in ["-fvk-bind-resource-heap", "-fvk-bind-sampler-heap", "-fvk-bind-counter-heap"] {
        let words = format!("{option} 7 2");
        for target in [Target::Vulkan, Target::D3d12] {
            let refused = format!("error: DXC 1.7.2308 refuses `{option}` as an unknown argument");
            let found = shader_with(target, &[&words], "", "");
            assert!(found.len() == 1 && found[0].starts_with(&refused), "{found:?}");
        }
    }
    let incomplete = shader_with(Target::Vulkan, &["-fvk-bind-sampler-heap 7"], "", "");
    assert!(incomplete[0].contains("one of its values is missing"), "{incomplete:?}");
}
